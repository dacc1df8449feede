//! Does a program do the same whatever of it is replaced while it runs?
//!
//! The programs lie in `corpus/run`. The referee is clang at -O2: what it makes prints the same, and ends alike. With
//! `--stress` every function and every loop is replaced at random, before the program begins and while it runs, by
//! versions of random levels. Where samples decide, they are taken so often that whatever runs for some milliseconds is
//! hot.

use std::path::Path;
use std::process::Stdio;

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};
use serde_json::Value;

/// A folder with a copy of all programs.
fn programs() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    for entry in std::fs::read_dir(corpus("run")).expect("the programs") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        place.write(name, std::fs::read(&path).expect("a program"));
    }
    place
}

/// What the program does that clang makes.
fn native(place: &Workplace, files: &str, words: &str) -> ProgramOutput {
    let first = files.split(' ').next().expect("a file");
    let compiler = match Path::new(first).extension().and_then(|end| end.to_str()) {
        Some("cpp") => "clang++-22",
        Some("f90") => "flang-22",
        _ => "clang-22",
    };
    let threads = if compiler == "flang-22" { "" } else { "-w -lm -lpthread" };
    place.shell(&format!("{compiler} -O2 {files} {threads} -o native && ./native {words} < /dev/null"))
}

/// Runs it in several ways, each of which must be as the native one.
fn is_the_same(files: &str, words: &str) {
    let place = programs();
    let expected = native(&place, files, words);
    let libraries = if files.ends_with("f90") { "" } else { "--cflag=-w -l m -l pthread" };
    for how in ["--stress 1", "--stress 2", "--rate 20000", "--mode two-pass --rate 20000", "--mode compile"]
    {
        let line = format!("$OPCOST run --json run.json {how} {libraries} {files} -- {words} < /dev/null");
        let ran = place.shell(&line);
        assert_eq!((ran.status, &ran.stdout), (expected.status, &expected.stdout), "{line}: {}", ran.stderr);
        // A version that cannot be made is a defect; what can have none is excluded.
        assert_eq!(place.json("run.json")["refused"], Value::Array(Vec::new()), "{line}");
    }
}

#[test]
fn memory_that_a_loop_reads_and_another_name_of_it_writes() {
    is_the_same("aliases.c", "");
    is_the_same("contents.c", "");
}

#[test]
fn values_of_all_kinds_go_on() {
    is_the_same("values.c", "");
    is_the_same("filter.c", "4 3 1 5 6");
}

#[test]
fn sums_have_the_order_that_they_had() {
    is_the_same("sums.c", "60");
    is_the_same("sums.c", "1500");
}

#[test]
fn objects_of_an_old_frame_go_on() {
    is_the_same("frames.c", "300000");
}

#[test]
fn functions_that_call_themselves_stay_what_they_are() {
    is_the_same("recursion.cpp", "40");
}

#[test]
fn exceptions_pass_through_versions() {
    is_the_same("exceptions.cpp", "");
    is_the_same("two_files.cpp two_files_other.cpp", "");
}

#[test]
fn signals_and_threads_meet_versions() {
    is_the_same("signals.c", "");
}

#[test]
fn what_is_linked_is_as_it_was() {
    is_the_same("linking.c linking_other.c", "");
}

/// An object that has no words has the same inline function, and comes first: the linker takes that one.
#[test]
fn an_object_of_elsewhere_may_have_the_function() {
    let place = programs();
    place.write(
        "both.h",
        "#include <vector>\n__attribute__((noinline)) inline int both(int n) {\n  static int calls;\n  int s = 0;\n  \
         for (int i = 0; i < n; i++)\n    for (int k = 0; k < 8; k++) s += i ^ k;\n  return s + ++calls;\n}\n",
    );
    place.write(
        "other.cpp",
        "#include \"both.h\"\nint other(int n) {\n  std::vector<int> v;\n  for (int i = 0; i < n; i++) \
         v.push_back(both(i));\n  return v.empty() ? 0 : v.back();\n}\n",
    );
    place.write(
        "main.cpp",
        "#include \"both.h\"\n#include <cstdio>\nint other(int);\nint main() {\n  long s = 0;\n  \
         for (int i = 0; i < 100; i++) s += both(i) + other(i);\n  std::printf(\"%ld\\n\", s);\n}\n",
    );
    place.tool("clang++-22", &["-c", "other.cpp", "-o", "other.o"]).expect(0);
    for files in ["other.o main.cpp", "main.cpp other.o", "main.cpp other.cpp"] {
        for how in ["", "--stress 1", "--stress 2"] {
            let ran = place.shell(&format!("$OPCOST run {how} {files}"));
            assert_eq!((ran.status, &*ran.stdout), (0, "2895117\n"), "{how} {files}: {}", ran.stderr);
        }
    }
}

/// Copies of one inline function differ, since one module sees what it calls. Values of the one that runs are none of
/// the other's.
#[test]
fn copies_of_a_function_are_not_mixed() {
    let place = programs();
    place.write(
        "both.h",
        "int g(int);\n__attribute__((noinline)) inline long f(int a, int n, int m) {\n  long s = 0;\n  \
         for (int i = 0; i < n; i++)\n    for (int k = 0; k < m; k++) s += g(a) ^ i ^ k;\n  return s;\n}\n",
    );
    place.write(
        "other.cpp",
        "#include \"both.h\"\nint g(int) { return 7; }\nlong other(int n) { return f(n, 3, 4); }\n",
    );
    place.write(
        "main.cpp",
        "#include \"both.h\"\n#include <cstdio>\nlong other(int);\nint main() {\n  long s = 0;\n  \
         for (int i = 0; i < 200; i++) s += f(i, 100, 50) + other(i);\n  std::printf(\"%ld\\n\", s);\n}\n",
    );
    for files in ["main.cpp other.cpp", "other.cpp main.cpp"] {
        for seed in 1..7 {
            let ran = place.shell(&format!("$OPCOST run --stress {seed} {files}"));
            assert_eq!((ran.status, &*ran.stdout), (0, "53206000\n"), "{seed} {files}: {}", ran.stderr);
        }
    }
}

#[test]
fn processes_are_those_of_the_program() {
    is_the_same("processes.c", "");
}

#[test]
fn fortran_goes_on() {
    is_the_same("fortran.f90", "");
}

/// A loop that was entered once is left, with what does not change as constants, and the document says so.
#[test]
fn the_document_says_what_was_replaced() {
    let place = programs();
    let ran = place.shell("$OPCOST run --json said.json --explain filter.c -- 900 3 1 5 6");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let said = place.json("said.json");
    let of_filter = |version: &&Value| version["function"] == "filter";
    let version = said["versions"].as_array().expect("versions").iter().find(of_filter).expect("it was hot");
    assert!(version["loops"].as_array().is_some_and(|loops| !loops.is_empty()), "{version:#}");
    assert!(version["constants"].as_u64() > Some(0), "{version:#}");
    assert!(said["samples"]["later"].as_u64() > Some(0), "{said:#}");
    assert_eq!((&said["status"], &said["signal"]), (&0.into(), &Value::Null));
    assert!(ran.stderr.contains("filter"), "{}", ran.stderr);
}

/// Samples of all versions lead to the blocks that ran. That is so of code after a copy for the optimiser alone, too:
/// `atoi` is one in the headers.
#[test]
fn the_report_is_of_all_versions() {
    let place = programs();
    let counted = place.shell("$OPCOST count --anchor simplified --ledger counted.opc filter.c -- 20 3 1");
    assert_eq!(counted.status, 0, "{}", counted.stderr);
    // Time at the end of a vector counts for the loop around it, and in stress nearly all time is in vectors.
    for (name, words, least) in
        [("stressed", "--stress 3 filter.c -- 60 3 1", 0.5), ("adaptive", "filter.c -- 900 3 1", 0.75)]
    {
        let ran =
            place.shell(&format!("$OPCOST run --report --json {name}.json --ledger {name}.opc {words}"));
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("sum += in[at + tap] * weights[tap];"), "{}", ran.stderr);
        let said = place.json(&format!("{name}.json"));
        assert!(said["samples"]["later"].as_u64() > Some(0), "{said:#}");
        let judged = place.shell(&format!("$OPCOST overlap --json - {name}.opc counted.opc"));
        assert_eq!(judged.status, 0, "{}", judged.stderr);
        let judged: Value = serde_json::from_str(&judged.stdout).expect("JSON");
        assert!(judged["in_function_block"].as_f64() > Some(least), "{name}: {judged:#}");
    }
}

/// What cannot be run so is refused by name, before anything runs.
#[test]
fn what_is_no_such_program_is_refused() {
    let place = programs();
    place.write("plain.rs", "fn main() {}\n");
    for (words, why) in [
        ("--cflag=-m32 filter.c", "-m32: programs are replaced while they run on Linux for x86-64 only"),
        (
            "--cflag=-fsanitize=address filter.c",
            "-fsanitize=address: a later version would be without its checks",
        ),
        ("--cflag=-shared filter.c", "-shared: what is run is a whole program"),
        ("plain.rs", "give the bitcode that rustc writes"),
        ("nothing.c", "nothing.c"),
    ] {
        let refused = place.shell(&format!("$OPCOST run {words}"));
        assert!(refused.status == 2 || refused.status == 1, "{words}: {}", refused.all());
        assert!(refused.stderr.contains(why), "{words}: {}", refused.stderr);
    }
}

/// The one who replaces is killed: the program goes on, and prints all that it would have.
#[test]
fn a_program_goes_on_without_its_supervisor() {
    let place = programs();
    let expected = native(&place, "filter.c", "60 3 1");
    let script = "$OPCOST run filter.c -- 60 3 1 > out &\nsupervisor=$!\nprogram=\n\
                  while [ -z \"$program\" ]; do\n  kill -0 $supervisor || exit 1\n  for child in $(cat /proc/$supervisor/task/*/children); do\n    \
                  case $(readlink /proc/$child/exe) in */program) program=$child ;; esac\n  done\n  sleep 0.02\ndone\n\
                  kill -KILL $supervisor\nwhile kill -0 $program 2> /dev/null; do sleep 0.02; done\ncat out";
    let ran = place.shell(script);
    assert_eq!(ran.stdout, expected.stdout, "{}", ran.stderr);
}

/// Who compiles is killed again and again: the program goes on, and some versions are missing.
#[test]
fn a_program_goes_on_without_its_compiler() {
    let place = programs();
    place.write(
        "walk.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static unsigned mix(unsigned x) { for (int i = 0; i < 4; i++) x ^= x << 13, x ^= x >> 17; return x; }\n\
         static unsigned walk(unsigned n, unsigned s) {\n  unsigned t = 0;\n\
         for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < 1000; j++) t += mix(s + i * j);\n  return t;\n}\n\
         int main(int c, char **v) {\n  unsigned t = 0;\n  for (int r = 0; r < 20; r++) {\n\
         t ^= walk(atoi(v[c - 1]), r);\n    printf(\"%d %u\\n\", r, t);\n  }\n  return 5;\n}\n",
    );
    let expected = native(&place, "walk.c", "8000");
    let script = "$OPCOST run --json run.json walk.c -- 8000 > out &\nsupervisor=$!\nbegun=\n\
                  while kill -0 $supervisor && ! grep -q '^State:.Z' /proc/$supervisor/status; do\n  workers=\n  \
                  for child in $(cat /proc/$supervisor/task/*/children 2> /dev/null); do\n    \
                  case $(tr '\\0' ' ' < /proc/$child/cmdline) in *__work*) workers=\"$workers $child\" ;; \
                  */program\\ *) begun=1 ;; esac\n  done\n  \
                  [ -z \"$begun\" ] || [ -z \"$workers\" ] || kill -KILL $workers\n  sleep 0.01\ndone 2> /dev/null\n\
                  wait $supervisor || echo status $? >> out\ncat out";
    let ran = place.shell(script);
    assert_eq!(ran.stdout, format!("{}status 5\n", expected.stdout), "{}", ran.stderr);
    let document = place.read("run.json");
    assert!(document.contains("signal 9"), "{document}");
}

/// Ten thousand times a word of a program changes that runs. It counts them itself, and ends then. Versions are those that
/// there were when it began.
#[test]
fn ten_thousand_changes_take_no_memory() {
    let place = programs();
    let expected = native(&place, "changes.c", "10000");
    let ran = place.shell("$OPCOST run --stress 3 --json said.json changes.c -- 10000");
    assert_eq!((ran.status, &ran.stdout), (expected.status, &expected.stdout), "{}", ran.stderr);
    let mut lines = ran.stderr.lines();
    let seen = lines.find_map(|line| line.strip_prefix("changes: ")?.parse::<u64>().ok());
    assert!(seen >= Some(10_000), "{}", ran.stderr);
    let said = place.json("said.json");
    let number = |value: &Value| value.as_u64().expect("a number");
    let versions = said["versions"].as_array().expect("versions");
    assert!((1..=2 * number(&said["functions"])).contains(&(versions.len() as u64)), "{said:#}");
    let bytes: u64 = versions.iter().map(|one| number(&one["bytes"]).next_multiple_of(64)).sum();
    assert!(number(&said["bytes"]) == bytes && bytes <= 64 << 20, "{said:#}");
}

/// Who compiles gets no more memory once the program runs: a version is missing, and the run goes on.
#[test]
fn a_compiler_without_memory_costs_a_version() {
    let place = programs();
    place.write(
        "narrow.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         static unsigned mix(unsigned x) { for (int i = 0; i < 4; i++) x ^= x << 13, x ^= x >> 17; return x; }\n\
         __attribute__((noinline)) static unsigned early(unsigned n) {\n  unsigned t = 0;\n\
         for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < 1000; j++) t += mix(i * j);\n  return t;\n}\n\
         __attribute__((noinline)) static unsigned late(unsigned n, unsigned s) {\n  unsigned t = 0;\n\
         for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < 1000; j++) t ^= mix(s + i * j);\n  return t;\n}\n\
         int main(int c, char **v) {\n  unsigned t = 0;\n  alarm(600);\n\
         do t = early(100); while (access(v[c - 1], F_OK));\n  printf(\"%u\\n\", t);\n\
         for (int r = 0; r < 20; r++) printf(\"%d %u\\n\", r, t ^= late(4000, r));\n  return 5;\n}\n",
    );
    let expected = native(&place, "narrow.c", "/");
    let script = "$OPCOST run --json run.json narrow.c -- limited > out &\nsupervisor=$!\nbegun=\n\
                  while [ ! -e limited ] && kill -0 $supervisor && ! grep -q '^State:.Z' /proc/$supervisor/status; do\n  \
                  workers=\n  for child in $(cat /proc/$supervisor/task/*/children 2> /dev/null); do\n    \
                  case $(tr '\\0' ' ' < /proc/$child/cmdline) in *__work*) workers=\"$workers $child\" ;; \
                  */program\\ *) begun=1 ;; esac\n  done\n  if [ -n \"$begun\" ]; then for worker in $workers; do\n    \
                  prlimit --pid $worker --as=1048576 && touch limited\n  done; fi\n  sleep 0.01\ndone 2> /dev/null\n\
                  wait $supervisor || echo status $? >> out\ncat out";
    let ran = place.shell(script);
    assert_eq!(ran.stdout, format!("{}status 5\n", expected.stdout), "{}", ran.stderr);
    let said = place.json("run.json");
    assert!(said["refused"].as_array().is_some_and(|refused| !refused.is_empty()), "{said:#}");
}

/// The program is killed, or ends at once: the status is its own, and nothing is left behind.
#[test]
fn ends_are_those_of_the_program() {
    let place = programs();
    place.write("short.c", "int main(int c, char **v) { return c + 3; }\n");
    let ran = place.shell("$OPCOST run short.c -- a b");
    assert_eq!((ran.status, &*ran.stdout), (6, ""), "{}", ran.stderr);
    place.write("dies.c", "#include <signal.h>\nint main(void) { raise(SIGUSR2); return 0; }\n");
    let mut child = place.command(&["run", "dies.c"]).stdout(Stdio::null()).spawn().expect("it starts");
    let status = child.wait().expect("it ends");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(12), "{status}");
}

/// Of functions that an earlier run replaced, when the last run did: before any sample.
fn at_once(said: &serde_json::Value) -> Vec<&str> {
    let versions = said["versions"].as_array().expect("versions");
    let early = versions.iter().filter(|one| one["samples"] == 0);
    early.filter_map(|one| one["function"].as_str()).collect()
}

/// What runs sampled adds up, the next one begins with it, and compilers read it.
#[test]
fn a_store_is_a_profile() {
    let place = programs();
    for (mode, formats) in [("adaptive", "bitcode"), ("two-pass", "bitcode profdata llvm-sample")] {
        let run = format!("$OPCOST run --mode {mode} --profile-store store --json said.json");
        for earlier in 0..3 {
            let ran = place.shell(&format!("{run} filter.c -- 60 3 1"));
            assert_eq!((ran.status, &*ran.stderr), (0, ""), "{mode}");
            let said = place.json("said.json");
            assert_eq!(at_once(&said).contains(&"filter"), earlier > 0, "{mode}: {said:#}");
        }
        for format in formats.split(' ') {
            let exported = place.shell(&format!("$OPCOST export --to {format} store -o {format}"));
            assert_eq!(exported.status, 0, "{mode} {format}: {}", exported.stderr);
        }
        let read = place.shell("opt-22 -passes='print<branch-prob>' -disable-output bitcode 2>&1");
        // The branch on the mode, which is 1: all the others are never taken.
        assert!(read.stdout.contains("probability is 0x80000000 / 0x80000000 = 100.00%"), "{}", read.stdout);
    }
    let read = place.shell("llvm-profdata-22 show --all-functions --counts profdata").stdout;
    assert!(read.contains("filter") && read.contains("Total functions: 2"), "{read}");
    let read = place.shell("llvm-profdata-22 show --sample llvm-sample").stdout;
    assert!(read.contains("Function: filter"), "{read}");
    for flag in ["-fprofile-use=profdata", "-gline-tables-only -fprofile-sample-use=llvm-sample"] {
        let used = place.shell(&format!("clang-22 -O2 -Werror {flag} filter.c -o used && ./used 2 3 1"));
        assert_eq!((used.status, &used.stdout), (0, &native(&place, "filter.c", "2 3 1").stdout), "{flag}");
    }
}

/// Two runs at one time are both in the store. What is damaged counts as none, and another build has a file of its own.
#[test]
fn a_store_loses_no_run_and_uses_no_other() {
    let place = programs();
    let run = "$OPCOST run --profile-store store --json said.json filter.c";
    let both = place.shell(&format!("{run} -- 60 3 1 & {run} -- 60 3 1; wait"));
    assert_eq!(both.status, 0, "{}", both.stderr);
    let file = place.shell("ls store/*.opc").stdout.trim().to_owned();
    let about = place.shell(&format!("$OPCOST report --json - {file}")).stdout;
    let about: serde_json::Value = serde_json::from_str(&about).expect("JSON");
    assert_eq!(about["runs"], 2, "{about:#}");
    let other = place.shell("$OPCOST run -O 1 --profile-store store --json said.json filter.c -- 60 3 1");
    assert_eq!((other.status, at_once(&place.json("said.json")).len()), (0, 0), "{}", other.stderr);
    assert_eq!(place.shell("ls store/*.opc").stdout.lines().count(), 2);
    let damages = [
        ("truncate -s 100", "cut off"),
        ("cp other.opc", "it is of another build"),
        ("cp filter.c", "not an opcost ledger"),
    ];
    place.shell(&format!("cp $(ls store/*.opc | grep -v {file}) other.opc"));
    for (damage, why) in damages {
        place.shell(&format!("{damage} {file}"));
        let ran = place.shell(&format!("{run} -- 60 3 1"));
        assert_eq!((ran.status, at_once(&place.json("said.json")).len()), (0, 0), "{damage}");
        assert!(ran.stderr.contains("counts as none") && ran.stderr.contains(why), "{why}: {}", ran.stderr);
        place.shell(&format!("{run} -- 60 3 1"));
        assert!(at_once(&place.json("said.json")).contains(&"filter"), "{damage}");
    }
}

/// Who recorded the program finds code and names of versions afterwards.
#[test]
fn versions_have_names_after_the_run() {
    let place = programs();
    for _ in 0..2 {
        let ran = place.shell("$OPCOST run --perf seen filter.c -- 60 3 1");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    let files = place.shell("ls -d seen/filter.*").stdout;
    assert_eq!(files.lines().count(), 4, "{files}");
    for file in files.lines().filter(|file| file.ends_with(".live")) {
        let read = place.shell(&format!("llvm-objdump-22 -d {file}")).stdout;
        assert!(read.contains("<filter$v1@") && read.contains("jmp"), "{read}");
        let program = place.shell(&format!("llvm-nm-22 {}", file.trim_end_matches(".live"))).stdout;
        assert!(program.contains(" main"), "{program}");
    }
}
