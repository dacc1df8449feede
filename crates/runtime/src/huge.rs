//! What a program has in it whose code is in huge pages.
//!
//! One object, anywhere. The program has to be linked with [`LINK`].

/// All files, by name.
pub const SOURCES: &[(&str, &str)] = &[("huge.c", include_str!("c/huge.c"))];
/// The file to compile.
pub const UNIT: &str = "huge.c";
/// How a program is linked with it, by clang: at one address, and each segment in huge pages of its own.
pub const LINK: &[&str] = &[
    "-fno-pie",
    "-no-pie",
    "-fuse-ld=lld",
    "-Wl,-z,separate-loadable-segments",
    "-Wl,-z,max-page-size=2097152",
];
