//! Puts the parts of the C header together and compiles its implementation.

use std::path::Path;

/// The header's parts, in order; those behind the first are its implementation.
const PARTS: [&str; 7] =
    ["interface.h", "switch.c", "examine.c", "told.h", "signals.c", "instance.c", "turn.c"];

fn main() {
    println!("cargo:rerun-if-changed=c");
    let mut header = String::new();
    for (position, part) in PARTS.into_iter().enumerate() {
        if position == 1 {
            header += "\n#if defined(OPCOST_HOST_IMPLEMENTATION) && !defined(OPCOST_HOST_IMPLEMENTED)\n\
                       #define OPCOST_HOST_IMPLEMENTED\n";
        }
        let path = Path::new("c").join(part);
        let text = std::fs::read_to_string(&path);
        header += &text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    header += "#endif /* OPCOST_HOST_IMPLEMENTATION */\n";
    let folder = std::env::var("OUT_DIR").expect("cargo says where to write");
    let write = |name: &str, text: &str| {
        std::fs::write(Path::new(&folder).join(name), text).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    write("opcost_host.h", &header);
    write("opcost_host.c", "#define OPCOST_HOST_IMPLEMENTATION\n#include \"opcost_host.h\"\n");
    cc::Build::new()
        .file(Path::new(&folder).join("opcost_host.c"))
        .include(&folder)
        .std("c11")
        .opt_level(2)
        .flag("-fasynchronous-unwind-tables")
        .compile("opcost_host");
}
