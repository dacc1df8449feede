//! What is linked into a metered plug-in. Its host's side is the room `host`,
//! whose header says what both share.

/// All files, by name. [`HEADER`] is next to them.
pub const SOURCES: &[(&str, &str)] = &[
    ("plugin.h", include_str!("c/plugin.h")),
    ("plugin.c", include_str!("c/plugin.c")),
    ("heap.c", include_str!("c/heap.c")),
    ("world.c", include_str!("c/world.c")),
];

/// The files to compile.
pub const UNITS: [&str; 3] = ["plugin.c", "heap.c", "world.c"];

/// Name under which they include the host's header.
pub const HEADER: &str = "opcost_host.h";

/// How clang must compile them. Each function is by itself, so that what a plug-in does not use is
/// dropped. None is taken for what it implements.
pub const FLAGS: &[&str] = &[
    "-O2",
    "-c",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fasynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-builtin",
];
