//! Does a program of the corpus rest on memory that it never wrote?
//!
//! Tests compare runs of these programs, so what a run does must stand in the
//! program. Each is built without optimisation, where locals lie in memory, and
//! run on a stack that was filled with one byte and with another: both runs must
//! print and end alike. Those that are short run under valgrind's memcheck too,
//! which also sees the heap. One program rests on garbage on purpose, and both
//! ways must find it. Limits: what is linked with other objects, and what never
//! ends, is left out; garbage that decides nothing printed is memcheck's to find.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Folders whose programs run alone and without arguments.
const FILLED: [&str; 9] =
    ["portable", "wasm", "kernel", "hostile", "life", "exceptions", "honest", "deterministic", "threads"];
/// Those of which every program is short.
const CHECKED: [&str; 5] = ["portable", "wasm", "kernel", "life", "honest"];
/// It prints locals that were never written.
const GARBAGE: &str = "never_written.c";
/// What ends a memcheck run that found something.
const FOUND: i32 = 99;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").canonicalize().expect("corpus")
}

fn programs(folders: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(corpus().join(folder)).expect("a folder of the corpus");
        found.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    found.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "cpp"));
    let text = |path: &Path| std::fs::read_to_string(path).expect("a source");
    found.retain(|path| !text(path).contains("// Ends: used-up"));
    found.sort();
    found
}

/// A program, built on a folder of its own; none if it does not link alone.
struct Built {
    folder: tempfile::TempDir,
    input: Vec<u8>,
}

impl Built {
    /// Linked with the object of `filled.c`.
    fn new(program: &Path, object: &Path) -> Option<Built> {
        let folder = tempfile::tempdir().expect("a folder");
        let is_cxx = program.extension().is_some_and(|end| end == "cpp");
        let linked = Command::new(if is_cxx { "clang++-22" } else { "clang-22" })
            .args(["-O0", "-gdwarf-4", "-w", "-pthread", "-Wl,--wrap=main"])
            .arg(program)
            .arg(object)
            .arg("-lm")
            .arg("-o")
            .arg(folder.path().join("program"))
            .stderr(Stdio::null())
            .status()
            .expect("clang starts");
        let text = std::fs::read_to_string(program).expect("a source");
        let input = text.lines().find_map(|line| line.strip_prefix("// Input: ")).unwrap_or_default();
        linked.success().then(|| Built { folder, input: input.replace("\\n", "\n").into_bytes() })
    }

    /// Runs it behind other words, for at most 20 seconds.
    fn run(&self, words: &[&str], filled: Option<&str>) -> Output {
        let input = self.folder.path().join("input");
        std::fs::write(&input, &self.input).expect("written");
        let mut command = Command::new("timeout");
        command.current_dir(self.folder.path()).arg("20").args(words).arg("./program");
        if let Some(byte) = filled {
            command.env("FILLED", byte);
        }
        command.stdin(std::fs::File::open(input).expect("the input"));
        command.output().expect("timeout starts")
    }

    /// What both runs printed and how they ended, if that differs.
    fn difference(&self) -> Option<String> {
        let [zeros, others] = ["0", "165"].map(|byte| {
            let run = self.run(&[], Some(byte));
            format!("{}\n{}", run.status, String::from_utf8_lossy(&run.stdout))
        });
        (zeros != others).then(|| format!("{zeros}\nand\n{others}"))
    }

    fn memcheck(&self) -> Option<String> {
        let check = ["valgrind", "-q", "--error-exitcode=99", "--exit-on-first-error=yes"];
        let run = self.run(&check, None);
        (run.status.code() == Some(FOUND)).then(|| String::from_utf8_lossy(&run.stderr).into_owned())
    }
}

fn search(folders: &[&str], least: usize, look: impl Fn(&Built) -> Option<String>) {
    let shared = tempfile::tempdir().expect("a folder");
    let object = shared.path().join("filled.o");
    let filled = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/filled.c");
    let made = Command::new("clang-22").args(["-O1", "-c"]).arg(filled).arg("-o").arg(&object).status();
    assert!(made.is_ok_and(|status| status.success()), "filled.c");
    let (mut tried, mut is_garbage_found) = (0, false);
    for program in programs(folders) {
        let Some(built) = Built::new(&program, &object) else { continue };
        let found = look(&built);
        if program.ends_with(GARBAGE) {
            is_garbage_found = found.is_some();
        } else {
            assert_eq!(found, None, "{}", program.display());
        }
        tried += 1;
    }
    assert!(is_garbage_found, "{GARBAGE} is found");
    assert!(tried >= least, "{tried} programs");
}

#[test]
fn no_outcome_rests_on_what_the_stack_held() {
    search(&FILLED, 80, Built::difference);
}

#[test]
fn memory_is_written_before_it_decides() {
    search(&CHECKED, 20, Built::memcheck);
}
