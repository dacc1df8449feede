//! A crate's program, placed by what it does: `cargo opcost tune`.

use opcost_testkit::command::ProgramOutput;
use serde_json::Value;

use crate::support::Bench;

const WORKSPACE: &str = "[workspace]\nmembers = [\"app\", \"steps\"]\nresolver = \"2\"\n";
const APP: &str = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nsteps = { path = \
                   \"../steps\" }\n";
const STEPS: &str = "[package]\nname = \"steps\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const MAIN: &str = "use std::collections::HashMap;

fn main() {
    let n: u64 = std::env::args().nth(1).expect(\"a number\").parse().expect(\"a number\");
    let mut seen: HashMap<u32, u64> = HashMap::new();
    for start in 1..=n {
        *seen.entry(steps::steps(start).expect(\"no overflow\")).or_default() += start;
    }
    let mut all: Vec<_> = seen.into_iter().collect();
    all.sort();
    println!(\"{:?}\", &all[..all.len().min(4)]);
    let caught = std::panic::catch_unwind(|| steps::steps(0).is_none()).is_err();
    println!(\"{caught}\");
}
";
const LIBRARY: &str = "/// None where numbers grow too large.
#[inline(never)]
pub fn steps(start: u64) -> Option<u32> {
    assert!(start > 0, \"zero never ends\");
    let (mut n, mut steps) = (start, 0);
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { n.checked_mul(3)?.checked_add(1)? };
        steps += 1;
    }
    Some(steps)
}
";

fn workspace() -> Bench {
    Bench::new(&[
        ("Cargo.toml", WORKSPACE),
        ("app/Cargo.toml", APP),
        ("app/src/main.rs", MAIN),
        ("steps/Cargo.toml", STEPS),
        ("steps/src/lib.rs", LIBRARY),
    ])
}

fn cargo(bench: &Bench, words: &[&str]) -> ProgramOutput {
    ProgramOutput::of(bench.program(env!("CARGO_BIN_EXE_cargo-opcost")).arg("opcost").args(words))
}

fn is_done(json: &Value) -> bool {
    let all = json["transforms"].as_array().expect("transforms");
    all.iter().any(|one| one["name"] == "placement" && one["done"] == true)
}

#[test]
fn a_crate_of_two_is_trained_placed_and_compared() {
    let bench = workspace();
    let words =
        ["tune", "-p", "app", "--offline", "--runs", "2", "--links", "2", "-o", "tuned", "--json", "-"];
    let said = cargo(&bench, &[&words[..], &["--judge", "500", "--", "3000"]].concat()).expect(0);
    let json = said.json();
    assert_eq!((&json["outputs_equal"], is_done(&json)), (&Value::Bool(true), true), "{json:#}");
    let functions = json["functions"].as_array().expect("functions");
    let named = |name: &str| {
        functions.iter().any(|one| one["function"].as_str().is_some_and(|all| all.contains(name)))
    };
    assert!(named("steps::steps"), "{json:#}");
    let plain = "cargo build -q --release --offline 2>/dev/null; target/release/app 77 2>/dev/null";
    let expected = bench.shell(plain).stdout;
    assert!(expected.contains("true"), "{expected}");
    assert_eq!(bench.shell("./tuned 77 2>/dev/null").stdout, expected);
    let names = bench.shell("llvm-nm-22 -n tuned").stdout;
    let at = |name: &str| {
        names.lines().position(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {names}"))
    };
    assert!(names.lines().any(|line| line.contains("steps") && line.ends_with(".cold")), "{names}");
    assert!(at("5steps") < at(".cold"), "what never runs lies behind");

    // By a ledger of the count, with nothing to measure; a second run builds nothing anew.
    let count = ["count", "-p", "app", "--offline", "--ledger", "run.opc", "-o", "report.txt", "--", "2000"];
    cargo(&bench, &count).expect(0);
    for _ in 0..2 {
        let words = ["tune", "-p", "app", "--offline", "--profile", "run.opc", "--runs", "0", "-o", "again"];
        let said = cargo(&bench, &words).expect(0);
        assert!(said.stdout.contains("placement"), "{}", said.all());
        assert_eq!(bench.shell("./again 77 2>/dev/null").stdout, expected);
    }
}

#[test]
fn what_cargo_cannot_tune_is_refused_and_nothing_is_written() {
    let bench = workspace();
    bench.write("other.c", "int main(int argc, char **argv) { int n = 0; for (int i = 0; i < argc * 9; i++) if (i % 3) n += i ^ argc; return n == 4; }\n");
    bench.opcost(&["count", "--ledger", "other.opc", "-o", "report.txt", "other.c"]).expect(0);
    let tune = |words: &[&str]| {
        cargo(&bench, &[&["tune", "-p", "app", "--offline", "--runs", "0", "-o", "tuned"], words].concat())
    };
    tune(&["--link", "static"]).expect(2).expect_stderr(&["--link does nothing here", "leave it out"]);
    tune(&["--native"]).expect(2).expect_stderr(&["--native"]);
    tune(&["--only", "profile"]).expect(2).expect_stderr(&["--only profile"]);
    tune(&["--profile", "absent.opc"]).expect(1).expect_stderr(&["absent.opc"]);
    tune(&["--profile", "app/src/main.rs"]).expect(2).expect_stderr(&["is a source, not an opcost ledger"]);
    tune(&["--profile", "other.opc"]).expect(2).expect_stderr(&["other.opc is of another build"]);
    let said = tune(&["--", "no number"]).expect(2);
    assert!(said.stderr.contains("the training run ended with status 101"), "{}", said.stderr);
    assert!(!bench.path("tuned").exists());
}

#[test]
fn a_source_of_rust_is_placed_with_what_is_linked_to_it() {
    let main = "use std::ffi::c_int;
unsafe extern \"C\" { fn twice(x: c_int) -> c_int; }
fn kind(n: u32) -> u32 {
    if n > 4_000_000 { panic!(\"too large: {n}\") }
    match n % 5 { 0 => n / 5, 1 => n ^ 7, _ => n + 3 }
}
fn main() {
    let n: u32 = std::env::args().nth(1).expect(\"a number\").parse().expect(\"a number\");
    let sum = (0..n).map(|i| kind(std::hint::black_box(i))).fold(0, u32::wrapping_add);
    println!(\"{sum} {}\", unsafe { twice(21) });
}
";
    let bench = Bench::new(&[("main.rs", main), ("twice.c", "int twice(int x) { return 2 * x; }\n")]);
    let words = ["tune", "main.rs", "twice.c", "-o", "tuned", "--runs", "2", "--links", "2", "--json", "-"];
    let json = bench.opcost(&[&words[..], &["--", "5000"]].concat()).expect(0).json();
    assert_eq!((&json["outputs_equal"], is_done(&json)), (&Value::Bool(true), true), "{json:#}");
    bench.shell("clang-22 -c twice.c && rustc -O --edition 2024 main.rs -o plain -Clink-arg=twice.o");
    assert_eq!(bench.shell("./tuned 99").stdout, bench.shell("./plain 99").stdout);
    assert!(bench.shell("llvm-nm-22 tuned").stdout.contains(".cold"));
    let refused = bench.opcost(&["tune", "main.rs", "twice.c", "--native", "-o", "out", "--", "5"]).expect(2);
    refused.expect_stderr(&["--native does nothing here", "-Ctarget-cpu=native"]);
}
