//! Does the portable library print, read and reckon as the system's does?
//!
//! It is compiled as machine code beside the system's library, and both are
//! asked the same (`portable/agree.c`).

use std::fs;
use std::path::Path;
use std::process::Command;

use opcost_runtime::portable::{FLAGS, HEADERS, SOURCES, UNIT};

/// Names that the system's library defines too.
const SHARED: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "__uflow",
    "__overflow",
    "__errno_location",
    "__cxa_atexit",
    "__dso_handle",
];

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn numbers_and_texts_are_those_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in SOURCES {
        fs::write(folder.path().join(name), text).expect("sources are written");
    }
    let include = folder.path().join("include");
    fs::create_dir_all(include.join("sys")).expect("made");
    for (name, text) in HEADERS {
        fs::write(include.join(name), text).expect("headers are written");
    }
    let (object, renamed) = (folder.path().join("portable.o"), folder.path().join("renamed.o"));
    let mut clang = Command::new("clang-22");
    clang.args(FLAGS.iter().filter(|flag| **flag != "-emit-llvm"));
    clang.args(["-fPIC", "-mlong-double-64", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]);
    clang.args(["-nostdlibinc", "-isystem"]).arg(&include);
    run(clang.arg(folder.path().join(UNIT)).arg("-o").arg(&object));
    let mut objcopy = Command::new("objcopy");
    for name in SHARED {
        objcopy.arg(format!("--redefine-sym={name}=opc_test_{name}"));
    }
    run(objcopy.arg(&object).arg(&renamed));
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/portable/agree.c");
    let program = folder.path().join("agree");
    run(Command::new("clang-22").arg("-O2").arg(driver).arg(&renamed).arg("-lm").arg("-o").arg(&program));
    let said = run(Command::new(&program).arg("50000"));
    let checked = said.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    assert!(checked.is_some_and(|checked| checked > 300_000) && said.contains(", 0 wrong"), "{said}");
}
