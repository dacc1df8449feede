//! Has one kind of fault one exit status in every verb, and does its message say whose fault it
//! is, where, and what to do next?
//!
//! Each test is a row of a table: a kind of fault, and every verb that can meet it. All of a row
//! end with one status and print the same words. Nothing is printed to stdout but what the program
//! or the verb prints all the same, and no file is left half-written: the folder is what it was.
//!
//! | status | kinds |
//! |---|---|
//! | 1 | a file is missing, damaged, without `main`, does not compile, cannot be read, written or run |
//! | 2 | a flag that there is not; a file of another kind than the verb takes; a function, line or value that the code does not have |
//!
//! `opcost check` describes its runs in its report. `opcost cc` fails as its compiler does.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use opcost_testkit::command::ProgramOutput;

use crate::support::Bench;

const A: (&str, &str) = (
    "a.c",
    "#include <stdio.h>\nint fill(int n) {\n  int sum = 0;\n  for (int i = 0; i < n; i++)\n    sum += i ^ n;\n  \
     return sum;\n}\nint main(int count, char **words) {\n  printf(\"%d\\n\", fill(count + 9));\n  return 0;\n}\n",
);

/// A folder with a source, its ledger, and files in which something is wrong.
fn bench() -> Bench {
    let bench = Bench::new(&[
        A,
        ("empty.bc", ""),
        ("empty.ll", ""),
        ("empty.c", ""),
        ("empty.opc", ""),
        ("text.opc", "hello"),
        ("read.me", "hello"),
        ("broken.c", "int main(void) {\n  return x;\n}\n"),
        ("broken.ll", "define i32 @main() {\n  ret i32 %x\n}\n"),
        ("nomain.c", "int add(int a, int b) { return a + b; }\n"),
        ("folder.c/inside", ""),
        ("folder.opc/inside", ""),
    ]);
    bench.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    bench
}

/// Each verb that takes code, asked of this file (or these words).
fn code(file: &str) -> Vec<String> {
    let verbs = [
        "count",
        "fuel --limit 1M",
        "sample",
        "loops",
        "bits",
        "values --trip-counts",
        "explain --function main",
        "life --function main",
        "repair a.opc",
    ];
    verbs.map(|verb| format!("{verb} {file}")).to_vec()
}

/// Each verb that makes a program of code.
fn programs(file: &str) -> Vec<String> {
    let verbs = ["count", "fuel --limit 1M", "sample", "values --trip-counts", "repair a.opc"];
    verbs.map(|verb| format!("{verb} {file}")).to_vec()
}

/// Each verb that takes ledgers, asked of this file.
fn ledgers(file: &str) -> Vec<String> {
    let lines = [
        "report FILE",
        "diff a.opc FILE",
        "diff FILE a.opc",
        "merge a.opc FILE -o m.opc",
        "overlap a.opc FILE",
        "export --to pprof FILE -o x.pb",
        "repair FILE a.c",
        "life a.c:5 --ledger FILE",
        "life a.c --hot FILE",
        "count a.c --budget 1 --baseline FILE",
    ];
    lines.map(|line| line.replace("FILE", file)).to_vec()
}

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn files(bench: &Bench) -> BTreeSet<String> {
    let all = std::fs::read_dir(bench.path("")).expect("the folder").flatten();
    all.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

/// Runs every line: all end with this status, print these words, and leave nothing.
#[track_caller]
fn row(bench: &Bench, lines: &[String], status: i32, words: &[&str]) {
    let before = files(bench);
    for line in lines {
        let words_of_line: Vec<&str> = line.split_whitespace().collect();
        let said = bench.opcost(&words_of_line);
        reads_well(&said, status, words);
        assert_eq!(said.stdout, "", "{}", said.all());
        assert_eq!(files(bench), before, "{line} leaves something");
    }
}

#[track_caller]
fn reads_well(said: &ProgramOutput, status: i32, words: &[&str]) {
    assert_eq!((said.status, said.signal), (status, None), "{}", said.all());
    said.expect_stderr(words);
    let own = said.stderr.lines().filter(|line| line.starts_with("opcost: ") || line.starts_with("error: "));
    assert!(own.count() > 0, "whose words are these? {}", said.all());
    for no_word in ["os error", "internal", "RUST_BACKTRACE", "opcost: opcost:", "opcost: error:"] {
        assert!(!said.stderr.contains(no_word), "'{no_word}' in {}", said.all());
    }
    for line in said.stderr.lines().filter(|line| line.starts_with("opcost: ")) {
        assert!(!line.contains("/opcost-"), "a file of opcost's own in {}", said.all());
    }
}

/// The same fault in a run of `opcost.toml`, which the report describes.
#[track_caller]
fn in_check(bench: &Bench, run: &str, status: i32, words: &[&str]) {
    bench.write("opcost.toml", format!("[run.one]\n{run}\nlimit = 1000\n"));
    let said = bench.opcost(&["check"]).expect(status);
    for word in words {
        assert!(said.stdout.contains(word), "'{word}' is missing in {}", said.all());
    }
    std::fs::remove_file(bench.path("opcost.toml")).expect("it was written");
}

#[test]
fn no_such_file() {
    let bench = bench();
    let words = ["cannot read mising.c: there is no such file"];
    row(&bench, &code("mising.c"), 1, &words);
    row(&bench, &lines(&["explain mising.c:3", "life mising.c:3"]), 1, &words);
    in_check(&bench, "inputs = [\"mising.c\"]", 1, &words);
    row(&bench, &ledgers("mising.opc"), 1, &["cannot read mising.opc: there is no such file"]);
    row(&bench, &code("none/a.c"), 1, &["cannot read none/a.c: there is no folder none"]);
    // A name that is nearly one of the folder's is suggested.
    row(&bench, &code("brokn.c"), 1, &["cannot read brokn.c", "did you mean broken.c, or broken.ll?"]);
    let others = lines(&[
        "count a.c --stdin none.txt",
        "fuel a.c --stdin none.txt",
        "sample a.c --stdin none.txt",
        "values --trip-counts a.c --stdin none.txt",
        "loops a.c --effects none.txt",
        "count a.c --cost none.toml",
        "bits --check none.json a.c",
        "check --file none.toml",
    ]);
    row(&bench, &others, 1, &["cannot read none.", "there is no such file"]);
}

#[test]
fn a_folder_in_place_of_a_file() {
    let bench = bench();
    row(&bench, &code("folder.c"), 2, &["folder.c is a folder"]);
    in_check(&bench, "inputs = [\"folder.c\"]", 2, &["folder.c is a folder"]);
    row(&bench, &ledgers("folder.opc"), 2, &["folder.opc is a folder; name a file in it"]);
    row(&bench, &lines(&["export --to pprof folder.c -o x.pb"]), 2, &["folder.c is a folder"]);
    let others = lines(&[
        "count a.c --stdin folder.c",
        "fuel a.c --stdin folder.c",
        "sample a.c --stdin folder.c",
        "values --trip-counts a.c --stdin folder.c",
        "loops a.c --effects folder.c",
        "bits --check folder.c a.c",
        "check --file folder.c",
    ]);
    row(&bench, &others, 2, &["folder.c is a folder; name a file in it"]);
}

#[test]
fn an_empty_file() {
    let bench = bench();
    row(&bench, &code("empty.bc"), 2, &["empty.bc is empty", "compile it again"]);
    row(&bench, &code("empty.ll"), 2, &["empty.ll is empty", "compile it again"]);
    in_check(&bench, "inputs = [\"empty.bc\"]", 2, &["empty.bc is empty"]);
    row(&bench, &ledgers("empty.opc"), 2, &["empty.opc is empty", "repeat the run"]);
    // An empty source is a source: it has nothing in it, and no main.
    row(&bench, &programs("empty.c"), 1, &["no main in empty.c"]);
    bench.opcost(&["loops", "empty.c"]).expect(0);
    bench.opcost(&["bits", "empty.c"]).expect(0);
}

#[test]
fn a_damaged_file() {
    let bench = bench();
    bench.shell("clang-22 -O1 -g -c -emit-llvm a.c -o whole.bc; head -c 700 whole.bc > short.bc");
    let ledger = bench.bytes("a.opc");
    bench.write("cut.opc", &ledger[..ledger.len() / 2]);
    let mut damaged = ledger.clone();
    damaged[ledger.len() / 2] ^= 1;
    bench.write("damaged.opc", damaged);
    row(&bench, &code("short.bc"), 1, &["opcost: short.bc: error: ", "make it again with LLVM 22"]);
    in_check(&bench, "inputs = [\"short.bc\"]", 1, &["short.bc: error: "]);
    row(&bench, &ledgers("cut.opc"), 1, &["opcost: cut.opc: the ledger is cut off", "copy it again"]);
    row(&bench, &ledgers("damaged.opc"), 1, &["opcost: damaged.opc: the ledger is damaged", "copy it again"]);
}

#[test]
fn code_that_does_not_compile() {
    let bench = bench();
    row(&bench, &code("broken.c"), 1, &["broken.c:2:10: error: ", "opcost: clang-22 failed on broken.c"]);
    row(&bench, &lines(&["explain broken.c:2", "life broken.c:2"]), 1, &["broken.c:2:10: error: "]);
    row(&bench, &code("broken.ll"), 1, &["opcost: broken.ll:2:11: error: use of undefined value '%x'"]);
    in_check(&bench, "inputs = [\"broken.c\"]", 1, &["clang-22 failed on broken.c"]);
    in_check(&bench, "inputs = [\"broken.ll\"]", 1, &["broken.ll:2:11: error: "]);
}

#[test]
fn a_file_of_another_kind() {
    let bench = bench();
    // What could load a counted plug-in is run first; what is static cannot.
    bench.shell("clang-22 -static a.c -o plain");
    row(&bench, &code("a.opc"), 2, &["a.opc is a ledger; it is shown by: opcost report a.opc"]);
    row(&bench, &code("read.me"), 2, &["read.me is neither a source", "give it such an ending"]);
    in_check(&bench, "inputs = [\"a.opc\"]", 2, &["a.opc is a ledger"]);
    let made = "a.c is a source, not an opcost ledger; one is made by: opcost count --ledger run.opc a.c";
    row(&bench, &ledgers("a.c"), 2, &[made]);
    row(&bench, &ledgers("plain"), 2, &["plain is a program, not an opcost ledger", "opcost count --ledger"]);
    row(&bench, &ledgers("text.opc"), 2, &["text.opc is not an opcost ledger; name a file that"]);
    // Programs that were not built for the verb.
    row(&bench, &lines(&["count plain"]), 2, &["opcost: plain was not built by opcost", "CC='opcost cc'"]);
    row(&bench, &lines(&["fuel plain"]), 2, &["plain is not metered", "opcost fuel --emit exe"]);
    row(&bench, &lines(&["values --trip-counts plain"]), 2, &["plain records no values", "--emit exe"]);
    let unsampled = ["plain: it was not built by opcost sample", "opcost sample --emit exe"];
    row(&bench, &lines(&["sample plain", "repair a.opc plain"]), 2, &unsampled);
    let of_code =
        lines(&["loops plain", "bits plain", "explain --function f plain", "life --function f plain"]);
    row(&bench, &of_code, 2, &["plain: give a source"]);
    in_check(&bench, "inputs = [\"plain\"]", 2, &["plain was not built by opcost"]);
}

#[test]
fn no_main() {
    let bench = bench();
    let words = ["opcost: no main in nomain.c", "add the file that has it", "--emit obj"];
    row(&bench, &programs("nomain.c"), 1, &words);
    in_check(&bench, "inputs = [\"nomain.c\"]", 1, &["no main in nomain.c"]);
}

#[test]
fn an_unknown_function() {
    let bench = bench();
    let of_code = lines(&[
        "loops --function fil a.c",
        "bits --function fil a.c",
        "explain --function fil a.c",
        "life --function fil a.c",
    ]);
    row(&bench, &of_code, 2, &["opcost: ", "no function is called 'fil'; did you mean fill"]);
    let recorded = lines(&["values --function nowhere a.c", "values --function nowhere --line 5 a.c"]);
    row(&bench, &recorded, 2, &["no function is called 'nowhere'"]);
    row(&bench, &lines(&["life --function fill --value %nope a.c"]), 2, &["fill has no value %nope", "%add"]);
    // A run is not thrown away for a misspelling, and reports are shown before the message.
    for line in
        [&["count", "-O0", "a.c", "--function", "fil"][..], &["report", "a.opc", "--function", "mian"]]
    {
        let said = bench.opcost(line);
        reads_well(&said, 2, &["no function is called '", "did you mean "]);
    }
    // A function without loops is one.
    let said = bench.opcost(&["loops", "--function", "main", "-O0", "a.c"]).expect(0);
    assert!(said.stdout.starts_with("no loops"), "{}", said.all());
}

#[test]
fn a_place_that_is_none() {
    let bench = bench();
    bench.shell("clang-22 -O1 -g -c -emit-llvm a.c -o a.bc; clang-22 -O1 -c -emit-llvm a.c -o bare.bc");
    let at =
        |place: &str| ["explain", "explain --width", "life"].map(|verb| format!("{verb} {place}")).to_vec();
    for place in ["a.c:abc", "a.c:0", "a.c:-1", "a.c:"] {
        let (file, line) = place.split_once(':').expect("a place");
        let advice =
            format!("there is no file {place}; '{line}' is no line number; lines begin at 1: {file}:1");
        row(&bench, &[at(place), code(place)].concat(), 2, &[&advice]);
    }
    for place in ["a.c:3:x", "a.c:3:"] {
        row(&bench, &at(place), 2, &["is no place; name a line, or a line and a column: a.c:3 or a.c:3:14"]);
    }
    row(&bench, &programs("a.c:3"), 2, &["there is no file a.c:3; this takes files, not lines: a.c"]);
    row(&bench, &ledgers("a.opc:3"), 2, &["there is no file a.opc:3; this takes files, not lines: a.opc"]);
    row(&bench, &at("a.c:99999"), 2, &["opcost: a.c:99999 ", "the nearest line that ", " a.c:"]);
    row(&bench, &at("a.bc:99999"), 2, &[":99999 ", "the nearest line that "]);
    row(&bench, &at("bare.bc:3"), 2, &["bare.bc says nothing of lines", "-gline-tables-only", "--function"]);
    let recorded = lines(&["values --function main --line 99999 a.c"]);
    row(
        &bench,
        &recorded,
        2,
        &["line 99999 of main has no value that can be recorded", "-O0 keeps every line"],
    );
}

#[test]
fn a_flag_of_the_compiler() {
    let bench = bench();
    for flag in ["-g", "-Wall", "-march=native", "-std=c11", "-static", "-pthread"] {
        let advice = [&*format!("'{flag}'"), &format!("{flag} is a flag of the compiler: --cflag={flag}")];
        let all = code(&format!("{flag} a.c"));
        row(&bench, &all, 2, &advice);
        for line in &all {
            let said = bench.opcost(&line.split_whitespace().collect::<Vec<_>>());
            assert!(!said.stderr.contains("as a value"), "{}", said.all());
        }
    }
    let others =
        ["report -g a.opc", "diff -g a.opc a.opc", "merge -g a.opc -o m.opc", "overlap -g a.opc a.opc"];
    row(&bench, &lines(&others), 2, &["-g is a flag of the compiler, and this verb compiles nothing"]);
    in_check(&bench, "inputs = [\"a.c\"]\nflags = [\"-g\"]", 2, &["'-g'"]);
    row(&bench, &lines(&["sample --pid abc", "life --top x a.c:5"]), 2, &["'--"]);
}

#[test]
fn an_output_that_cannot_be_written() {
    let bench = bench();
    let json = [
        "count a.c",
        "fuel a.c",
        "sample a.c",
        "loops a.c",
        "bits a.c",
        "values --trip-counts a.c",
        "explain a.c:5",
        "life a.c:5",
        "report a.opc",
        "diff a.opc a.opc",
        "overlap a.opc a.opc",
        "repair a.opc a.c",
        "check",
    ];
    let mut all: Vec<String> = json.map(|line| format!("{line} --json no/dir/x")).to_vec();
    let output = [
        "count a.c",
        "count a.c --emit exe",
        "fuel a.c --emit exe",
        "values --trip-counts --emit exe a.c",
        "sample --emit exe a.c",
        "merge a.opc a.opc",
        "export --to pprof a.opc",
        "report a.opc",
    ];
    all.extend(output.map(|line| format!("{line} -o no/dir/x")));
    let stdout = ["count a.c", "fuel a.c", "sample a.c", "values --trip-counts a.c"];
    all.extend(stdout.map(|line| format!("{line} --stdout no/dir/x")));
    all.extend(lines(&[
        "life a.c:5 --svg no/dir/x",
        "explain a.c:5 --dot no/dir/x",
        "count a.c --ledger no/dir/x",
    ]));
    row(&bench, &all, 1, &["cannot write no/dir/x: there is no folder no/dir; make it first"]);
    let folder: Vec<String> = all.iter().map(|line| line.replace("no/dir/x", "folder.c")).collect();
    row(&bench, &folder, 1, &["cannot write folder.c: it is a folder; name a file"]);
}

/// Root reads everything, so it lays its rights down first.
#[test]
fn a_file_without_the_right_to_read_it() {
    let bench = bench();
    let keep_out = |name: &str| {
        let permissions = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(bench.path(name), permissions).expect("permissions");
    };
    bench.write("secret.c", bench.read("a.c"));
    bench.write("secret.opc", bench.bytes("a.opc"));
    keep_out("secret.c");
    keep_out("secret.opc");
    let all = [code("secret.c"), ledgers("secret.opc"), lines(&["count a.c --stdin secret.c"])].concat();
    for line in all {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = match rustix::process::geteuid().is_root() {
            true => bench.program("setpriv"),
            false => bench.command(&words),
        };
        if rustix::process::geteuid().is_root() {
            command
                .args(["--bounding-set=-all", "--inh-caps=-all", env!("CARGO_BIN_EXE_opcost")])
                .args(&words);
        }
        let said = ProgramOutput::of(&mut command);
        reads_well(&said, 1, &["cannot read secret.", "there is no right to read it", "chmod +r secret."]);
    }
}

#[test]
fn a_program_without_the_right_to_run_it() {
    let bench = bench();
    for (name, verb) in [("counted", "count"), ("metered", "fuel"), ("sampled", "sample")] {
        bench.opcost(&[verb, "a.c", "--emit", "exe", "-o", name]).expect(0);
        bench.shell(&format!("chmod -x {name}"));
        let line = format!("{verb} {name}");
        let (cannot, right) = (format!("opcost: cannot start {name}: "), format!("chmod +x {name}"));
        let said = bench.opcost(&line.split_whitespace().collect::<Vec<_>>());
        let stderr = said.stderr.replace("./", "");
        reads_well(&ProgramOutput { stderr, ..said }, 1, &[&cannot, &right]);
    }
    bench.opcost(&["values", "--trip-counts", "-O0", "a.c", "--emit", "exe", "-o", "recording"]).expect(0);
    bench.shell("chmod -x recording");
    let said = bench.opcost(&["values", "--trip-counts", "recording"]);
    reads_well(&said, 1, &["cannot start ", "recording", "chmod +x "]);
}

/// Samples a process that opcost did not build: its number, and what was said. None where the machine
/// lets nobody sample, which is another fault.
pub(crate) fn sample_a_sleeper(bench: &Bench) -> Option<(String, ProgramOutput)> {
    let mut sleeper = bench.program("sleep").arg("100").spawn().expect("it starts");
    let pid = sleeper.id().to_string();
    let said = bench.opcost(&["sample", "--pid", &pid, "--for", "0.2"]);
    sleeper.kill().and_then(|()| sleeper.wait()).expect("it ends");
    (!said.stderr.contains("perf_event")).then_some((pid, said))
}

#[test]
fn a_process_that_cannot_be_attributed() {
    let bench = bench();
    row(&bench, &lines(&["sample --pid 999999999"]), 1, &["there is no process 999999999"]);
    let Some((pid, said)) = sample_a_sleeper(&bench) else { return };
    let words = format!("process {pid} (sleep): it was not built by opcost sample");
    reads_well(
        &said,
        2,
        &[&words, "nothing in it can be attributed", "build it with opcost sample --emit exe"],
    );
    // A process that has ended is none.
    row(&bench, &lines(&[&format!("sample --pid {pid}")]), 1, &[&format!("there is no process {pid}")]);
}

#[test]
fn two_inputs_of_one_name() {
    let bench = bench();
    bench.write("d/a.c", bench.read("a.c"));
    let all = [
        "count a.c d/a.c",
        "fuel a.c d/a.c",
        "sample a.c d/a.c",
        "values --trip-counts a.c d/a.c",
        "loops a.c d/a.c",
        "bits a.c d/a.c",
        "explain a.c:5 d/a.c",
        "repair a.opc a.c d/a.c",
    ];
    let words =
        ["opcost: fill is defined more than once in a.c, d/a.c", "leave out the file that is too many"];
    row(&bench, &lines(&all), 1, &words);
    in_check(&bench, "inputs = [\"a.c\", \"d/a.c\"]", 1, &["fill is defined more than once in a.c, d/a.c"]);
    let same = all.map(|line| line.replace("d/a.c", "./a.c"));
    row(&bench, &same, 2, &["./a.c is named twice; name it once"]);
    // Two files of one name that define different things are two files.
    bench.write("d/a.c", "int twice(int n) { return 2 * n; }\n");
    for line in ["count a.c d/a.c", "loops a.c d/a.c", "bits a.c d/a.c", "explain a.c:4 d/a.c"] {
        bench.opcost(&line.split_whitespace().collect::<Vec<_>>()).expect(0);
    }
}

#[test]
fn the_stand_in_fails_as_its_compiler() {
    let bench = bench();
    for line in
        ["-c mising.c", "-c folder.c", "-c broken.c", "nomain.c -o x", "-c a.c -o no/dir/x", "-c broken.ll"]
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        let own = ProgramOutput::of(bench.program("clang-22").args(&words));
        let said = bench.opcost(&[&["cc"], &words[..]].concat());
        assert_eq!(said.status, own.status, "{}", said.all());
        assert!(!said.stderr.is_empty() && !said.stderr.contains("panicked"), "{}", said.all());
    }
}

/// The guide says of each verb what the rows above hold.
#[test]
fn the_guide_tells_these_statuses() {
    let verbs = [
        "bits", "check", "count", "diff", "explain", "export", "fuel", "life", "loops", "merge", "overlap",
        "repair", "report", "sample", "values",
    ];
    let rows = [
        "| 1 | opcost failed: a file is missing or damaged, does not compile, or cannot be read or written.",
        "| 2 | The command line is wrong: a flag, a file of another kind, or a name that is not there.",
    ];
    for verb in verbs {
        let page = format!("{}/../../guide/src/verbs/{verb}.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page}: {error}"));
        let (_, table) =
            text.split_once("## Exit status").unwrap_or_else(|| panic!("{page} has no statuses"));
        for row in rows {
            let number = table.lines().filter(|line| line.starts_with(row)).count();
            assert_eq!(number, 1, "{page} has another row than\n{row}");
        }
    }
}
