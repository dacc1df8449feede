//! Compiles the C++ shim against LLVM 22's headers, and leads tests through its hooks,
//! whose list it hands to the package that links the command.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let config = std::env::var("LLVM_SYS_221_PREFIX")
        .map_or_else(|_| "llvm-config-22".to_owned(), |prefix| format!("{prefix}/bin/llvm-config"));
    let include = Command::new(&config)
        .arg("--includedir")
        .output()
        .unwrap_or_else(|error| panic!("cannot run {config} ({error}): apt-get install llvm-22-dev"));
    let include = String::from_utf8(include.stdout).expect("a path in UTF-8");
    cc::Build::new()
        .cpp(true)
        // LLVM's headers make 180 MB of it in each program that is linked.
        .debug(false)
        .include("shim")
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-isystem")
        .flag(include.trim())
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .flag("-Wall")
        .flag("-Wno-unused-parameter")
        .files([
            "shim/reach.cpp",
            "shim/read.cpp",
            "shim/globals.cpp",
            "shim/guard.cpp",
            "shim/harden.cpp",
            "shim/apply.cpp",
            "shim/bits.cpp",
            "shim/code.cpp",
            "shim/contents.cpp",
            "shim/copies.cpp",
            "shim/detail.cpp",
            "shim/shape.cpp",
            "shim/facts.cpp",
            "shim/referee.cpp",
            "shim/identify.cpp",
            "shim/emit.cpp",
            "shim/keep.cpp",
            "shim/narrow.cpp",
            "shim/poison.cpp",
            "shim/flow.cpp",
            "shim/forward.cpp",
            "shim/frames.cpp",
            "shim/frequency.cpp",
            "shim/fuel.cpp",
            "shim/finish.cpp",
            "shim/home.cpp",
            "shim/inlining.cpp",
            "shim/length.cpp",
            "shim/library.cpp",
            "shim/life/again.cpp",
            "shim/life/assembly.cpp",
            "shim/life/codegen.cpp",
            "shim/life/dag.cpp",
            "shim/life/gone.cpp",
            "shim/life/hooks.cpp",
            "shim/life/lineage.cpp",
            "shim/life/numbers.cpp",
            "shim/life/machine.cpp",
            "shim/life/object.cpp",
            "shim/life/pipeline.cpp",
            "shim/life/recorder.cpp",
            "shim/order.cpp",
            "shim/origin.cpp",
            "shim/pgo.cpp",
            "shim/plugin.cpp",
            "shim/portable.cpp",
            "shim/schedule.cpp",
            "shim/slice.cpp",
            "shim/source.cpp",
            "shim/spell.cpp",
            "shim/tell.cpp",
            "shim/touch.cpp",
            "shim/trips.cpp",
            "shim/unrolling.cpp",
            "shim/predict.cpp",
            "shim/values.cpp",
            "shim/weigh.cpp",
        ])
        .compile("opcost_llvm_shim");
    tell_hooks();
    lead_tests();
}

/// Programs are linked by other packages, which need the list of hooks.
fn tell_hooks() {
    let own = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package lies");
    println!("cargo:hooks={own}/hooks.txt");
}

/// Tests of this crate are linked with all hooks but one: a hook that does not
/// fire must be named. A published package has no tests, and cargo refuses flags for them there.
fn lead_tests() {
    println!("cargo:rerun-if-changed=hooks.txt");
    if !std::path::Path::new("tests").is_dir() {
        return;
    }
    let hooks = std::fs::read_to_string("hooks.txt").expect("the list of hooks");
    let left_out = "_ZN4llvm12SelectionDAG15LegalizeVectorsEv";
    for hook in hooks.lines().filter(|line| !line.starts_with('#') && *line != left_out) {
        println!("cargo:rustc-link-arg-tests=-Wl,--wrap={hook}");
    }
}
