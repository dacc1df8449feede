//! Compiles the C++ shim against LLVM 22's headers, and leads tests through its hooks,
//! whose list it hands to the package that links the command.
//!
//! Nine tenths of the compiler's time would be LLVM's headers, read again for each file. So clang reads all of them
//! once and saves what it understood, with the templates that they need (321 s become 120). Where there is no clang
//! beside LLVM, the usual compiler reads them each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let mut build = cc::Build::new();
    let clang = PathBuf::from(llvm("--bindir")).join("clang++");
    if clang.is_file() {
        build.compiler(&clang);
    }
    build
        .cpp(true)
        // LLVM's headers make 180 MB of it in each program that is linked.
        .debug(false)
        .include("shim")
        .std("c++17")
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-isystem")
        .flag(llvm("--includedir"))
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .flag("-Wall")
        .flag("-Wno-unused-parameter");
    // It reads LLVM's headers without their checks.
    let unchecked = build.clone().file("shim/life/lineage.cpp").compile_intermediates();
    let headers = clang.is_file().then(|| precompile_headers(&mut build));
    build
        .objects(unchecked)
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
            "shim/jam.cpp",
            "shim/inlining.cpp",
            "shim/length.cpp",
            "shim/library.cpp",
            "shim/life/other_outputs.cpp",
            "shim/life/assembly.cpp",
            "shim/life/codegen.cpp",
            "shim/life/dag.cpp",
            "shim/life/erased.cpp",
            "shim/life/hooks.cpp",
            "shim/life/numbers.cpp",
            "shim/life/machine.cpp",
            "shim/life/object.cpp",
            "shim/life/pipeline.cpp",
            "shim/life/recorder.cpp",
            "shim/live/contents.cpp",
            "shim/live/first.cpp",
            "shim/live/frame.cpp",
            "shim/live/version.cpp",
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
    // 200 MB, which nobody reads again.
    headers.iter().for_each(|file| drop(std::fs::remove_file(file)));
    tell_hooks();
    lead_tests();
}

/// What LLVM's installation says of itself.
fn llvm(question: &str) -> String {
    let config = std::env::var("LLVM_SYS_221_PREFIX")
        .map_or_else(|_| "llvm-config-22".to_owned(), |prefix| format!("{prefix}/bin/llvm-config"));
    let output = Command::new(&config)
        .arg(question)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {config} ({error}): apt-get install llvm-22-dev"));
    String::from_utf8(output.stdout).expect("a path in UTF-8").trim().to_owned()
}

/// Has clang read all headers of others that the shim includes, and every file begin with them. Where they are.
fn precompile_headers(build: &mut cc::Build) -> PathBuf {
    let folder = PathBuf::from(std::env::var("OUT_DIR").expect("cargo says where to write"));
    let (list, saved) = (folder.join("headers.h"), folder.join("headers.pch"));
    let headers: String = included_in(Path::new("shim")).into_iter().map(|line| line + "\n").collect();
    std::fs::write(&list, headers).expect("cargo's folder can be written");
    build.flag("-fpch-instantiate-templates");
    let mut command = build.get_compiler().to_command();
    command.args(["-x", "c++-header", "-o"]).args([&saved, &list]);
    let status = command.status().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(status.success(), "LLVM's headers do not compile: {command:?}");
    build.flag("-include-pch").flag(&saved);
    saved
}

/// The lines of a folder's files that include headers of others.
fn included_in(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("the shim is there");
    let paths = entries.map(|entry| entry.expect("its files can be listed").path());
    let is_header_of_others =
        |line: &&str| line.starts_with("#include <") || line.starts_with("#include \"llvm/");
    paths
        .flat_map(|path| match path.is_dir() {
            true => included_in(&path),
            false => {
                let text = std::fs::read_to_string(&path).expect("the shim is text");
                text.lines().filter(is_header_of_others).map(str::to_owned).collect()
            }
        })
        .collect()
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
