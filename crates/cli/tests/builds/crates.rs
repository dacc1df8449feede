//! Which program of a package or a workspace is built, when a line of `cargo opcost` names none, and what is said of
//! those that are not there.

use opcost_testkit::command::ProgramOutput;

use crate::support::Bench;

fn package(name: &str, more: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
}

fn cargo(bench: &Bench, folder: &str, words: &[&str]) -> ProgramOutput {
    let mut command = bench.program(env!("CARGO_BIN_EXE_cargo-opcost"));
    ProgramOutput::of(command.current_dir(bench.path(folder)).arg("opcost").args(words))
}

/// Where the program is that such a line builds.
fn built(bench: &Bench, folder: &str, words: &[&str]) -> String {
    let words = [&["build", "--offline"], words].concat();
    let path = cargo(bench, folder, &words).expect(0).stdout;
    path.trim_end().rsplit_once("/target/opcost/").expect("a program below target/opcost").1.to_owned()
}

const SUM: &str = "pub fn sum(n: u64) -> u64 { (0..n).map(|x| x * x).fold(0, |a, b| a ^ b) }\n";

#[test]
fn a_package_with_a_library_and_one_program_needs_no_name() {
    let bench = Bench::new(&[
        ("Cargo.toml", &package("both", "")),
        ("src/lib.rs", SUM),
        ("src/main.rs", "fn main() { println!(\"{}\", both::sum(1000)); }\n"),
        ("examples/small.rs", "fn main() { println!(\"{}\", both::sum(10)); }\n"),
        ("benches/speed.rs", "fn main() {}\n"),
        ("tests/it.rs", "#[test] fn t() {}\n"),
    ]);
    let said = cargo(&bench, ".", &["count", "--offline", "--json", "counts.json"]).expect(0);
    assert_eq!(said.stdout, "676240\n", "(1..1000).fold of squares by xor");
    assert_eq!(bench.json("counts.json")["quality"]["kind"], "exact");
    assert_eq!(built(&bench, "src", &["-r", "-j1"]), "release/both");
    assert_eq!(built(&bench, ".", &["--example=small"]), "release/examples/small");
    assert_eq!(built(&bench, ".", &["-pboth", "--profile", "release"]), "release/both");
    let there = "there is: --bin both, --example small";
    for (words, told) in [
        (&["--bin", "speed"][..], "there is no program speed in the package both"),
        (&["--example", "it"], "there is no example it in the package both"),
        (&["--bench", "speed"], "speed is a bench"),
        (&["--bench=other"], "there is no bench other"),
        (&["--test", "it"], "it is a test"),
        (&["--tests"], "tests are not built"),
        (&["--bench"], "benches are not built"),
        (&["--lib"], "--lib has no meaning here"),
        (&["--all-targets"], "--all-targets has no meaning here"),
    ] {
        for verb in ["count", "build", "tune", "sample"] {
            cargo(&bench, ".", &[&[verb], words].concat()).expect(2).expect_stderr(&[told, there]);
        }
    }
    cargo(&bench, ".", &["count", "--target", "wasm32-wasip1"])
        .expect(2)
        .expect_stderr(&["leave out --target"]);
}

#[test]
fn a_workspace_is_searched_for_its_program() {
    let main = "fn main() { println!(\"{}\", steps::sum(10)); }\n";
    let bench = Bench::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"app\", \"steps\", \"many\"]\nresolver = \"2\"\ndefault-members = [\"app\", \"steps\"]\n",
        ),
        ("app/Cargo.toml", &package("app", "[dependencies]\nsteps = { path = \"../steps\" }\n")),
        ("app/src/main.rs", main),
        ("steps/Cargo.toml", &package("steps", "")),
        ("steps/src/lib.rs", SUM),
        (
            "many/Cargo.toml",
            &package(
                "many",
                "default-run = \"two\"\n[features]\nodd = []\n[[bin]]\nname = \"one\"\npath = \"src/bin/one.rs\"\nrequired-features = [\"odd\"]\n",
            ),
        ),
        ("many/src/bin/one.rs", "fn main() {}\n"),
        ("many/src/bin/two.rs", "fn main() {}\n"),
    ]);
    assert_eq!(built(&bench, ".", &[]), "release/app");
    assert_eq!(built(&bench, "app/src", &[]), "release/app");
    assert_eq!(built(&bench, ".", &["-p", "app@0.1.0"]), "release/app");
    assert_eq!(built(&bench, "many", &[]), "release/two", "default-run");
    assert_eq!(built(&bench, ".", &["--bin", "two"]), "release/two", "of a member that is no default one");
    assert_eq!(built(&bench, ".", &["--manifest-path", "many/Cargo.toml"]), "release/two");
    let all = "there is: -p app --bin app, -p many --bin one, -p many --bin two";
    cargo(&bench, "steps", &["count"])
        .expect(2)
        .expect_stderr(&["the package steps has no program of its own", all]);
    cargo(&bench, ".", &["count", "--bin", "three"])
        .expect(2)
        .expect_stderr(&["no program three in this workspace", all]);
    cargo(&bench, ".", &["count", "--workspace"])
        .expect(2)
        .expect_stderr(&["--workspace has no meaning here", all]);
    // Cargo's own words, where it knows more.
    cargo(&bench, ".", &["count", "-p", "apq", "--offline"])
        .expect(1)
        .expect_stderr(&["did not match any packages"]);
    cargo(&bench, "many", &["count", "--bin", "one"]).expect(1).expect_stderr(&["requires the features"]);
}

#[test]
fn several_programs_are_listed() {
    let bench = Bench::new(&[
        ("Cargo.toml", &package("several", "")),
        ("src/main.rs", "fn main() {}\n"),
        ("src/bin/other.rs", "fn main() {}\n"),
    ]);
    let there = "there is: --bin other, --bin several";
    let said = cargo(&bench, ".", &["count"]).expect(2);
    assert!(said.stderr.contains("the package several has 2 programs, and one is built"), "{}", said.stderr);
    assert!(
        said.stderr.contains(there) || said.stderr.contains("--bin several, --bin other"),
        "{}",
        said.stderr
    );
}
