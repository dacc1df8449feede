//! Leads calls of LLVM's phases to the recorder first (`opcost life`).

fn main() {
    let list = "../llvm/hooks.txt";
    println!("cargo:rerun-if-changed={list}");
    let hooks = std::fs::read_to_string(list).expect("the list of hooks lies in crates/llvm");
    for hook in hooks.lines().filter(|line| !line.starts_with('#')) {
        println!("cargo:rustc-link-arg=-Wl,--wrap={hook}");
    }
}
