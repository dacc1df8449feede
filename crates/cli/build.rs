//! Leads calls of LLVM's phases to the recorder first (`opcost life`).
//!
//! The list of these calls belongs to the room `llvm`, whose build script says where it lies:
//! cargo hands that on to the packages that depend on it directly.

fn main() {
    let list = std::env::var("DEP_OPCOST_LLVM_SHIM_HOOKS").expect("opcost-llvm says where its hooks lie");
    println!("cargo:rerun-if-changed={list}");
    let hooks = std::fs::read_to_string(&list).unwrap_or_else(|error| panic!("{list}: {error}"));
    for hook in hooks.lines().filter(|line| !line.starts_with('#')) {
        println!("cargo:rustc-link-arg=-Wl,--wrap={hook}");
    }
}
