//! Does a message say whose fault it is, where, and what to do next? And does input ever drive
//! the terminal?
//!
//! The messages are those that strangers stumbled over, each asked of every verb that can give it.

use crate::support::{ADD, Bench, MAIN, needs};

const SQUARES: (&str, &str) = (
    "squares.c",
    "int squares(int n) {\n  int sum = 0;\n  for (int i = 0; i < n; i++) sum += i * i;\n  return sum;\n}\n\
     int main(int count, char **words) { return squares(count + 10) == 3; }\n",
);

// The ten messages of strangers, by their numbers. The kinds that they belong to are in `faults`.

#[test]
fn case_1_a_module_whose_lines_are_those_of_its_source() {
    let bench = Bench::new(&[("foo.c", SQUARES.1)]);
    bench.shell("clang-22 -O1 -g -S -emit-llvm foo.c -o foo.ll");
    for verb in [&["explain"][..], &["explain", "--width"], &["life"]] {
        bench.opcost(&[verb, &["foo.ll:3"]].concat()).expect(0);
        let said = bench.opcost(&[verb, &["foo.ll:99"]].concat()).expect(2);
        said.expect_stderr(&["foo.c", "the nearest line that "]);
        assert!(!said.stderr.contains("compiled away"), "{}", said.all());
    }
}

#[test]
fn case_2_runs_that_read_one_input() {
    let bench = Bench::new(&[
        (
            "in.c",
            "#include <stdio.h>\nint main(void) {\n  int sum = 0, c;\n  while ((c = getchar()) != EOF) sum += c;\n  return sum == 1;\n}\n",
        ),
        ("input.txt", "some words\n"),
    ]);
    for line in ["$OPCOST count --repeat 3 in.c < input.txt", "cat input.txt | $OPCOST count --repeat 3 in.c"]
    {
        let said = bench.shell(line);
        assert!(said.stderr.contains("all 3 runs agree to the digit"), "{}", said.all());
    }
}

#[test]
fn case_3_a_flag_of_the_compiler() {
    let bench = Bench::new(&[SQUARES]);
    let said = bench.opcost(&["count", "-g", "squares.c"]).expect(2);
    said.expect_stderr(&["-g is a flag of the compiler: --cflag=-g"]);
    assert!(!said.stderr.contains("-- -g"), "{}", said.all());
    bench.opcost(&["loops", "--cflag=-g", "squares.c"]).expect(0);
}

#[test]
fn case_4_a_ledger_in_place_of_a_source() {
    let bench = Bench::new(&[SQUARES]);
    bench.opcost(&["count", "squares.c", "--ledger", "run.opc"]).expect(0);
    bench
        .opcost(&["count", "run.opc"])
        .expect(2)
        .expect_stderr(&["run.opc is a ledger", "opcost report run.opc"]);
    bench.opcost(&["report", "run.opc"]).expect(0);
}

#[test]
fn case_5_an_empty_module() {
    let bench = Bench::new(&[("empty.bc", "")]);
    let said = bench.opcost(&["count", "empty.bc"]).expect(2);
    assert_eq!(said.stderr, "opcost: empty.bc is empty: no module was written into it; compile it again\n");
}

#[test]
fn case_6_a_line_that_is_no_number() {
    let bench = Bench::new(&[SQUARES]);
    for verb in ["explain", "life", "count"] {
        let said = bench.opcost(&[verb, "squares.c:abc"]).expect(2);
        said.expect_stderr(&["'abc' is no line number", "squares.c:1"]);
        assert!(!said.stderr.contains("No such file"), "{}", said.all());
    }
}

#[test]
fn case_7_a_process_of_somebody_else() {
    let bench = Bench::new(&[]);
    let Some((pid, said)) = crate::faults::sample_a_sleeper(&bench) else { return };
    let process = format!("process {pid} (sleep)");
    said.expect(2).expect_stderr(&[
        &process,
        "was not built by opcost sample",
        "nothing in it can be attributed",
    ]);
}

#[test]
fn case_8_a_copy_that_is_never_called() {
    let text = "#include <stdio.h>\nvoid fill(int *a, int n) {\n  for (int i = 0; i < n; i++)\n    a[i] = i * 3;\n}\n\
                int main(void) {\n  int a[200], s = 0;\n  fill(a, 200);\n  \
                for (int i = 0; i < 200; i++) s ^= a[i] % 7;\n  printf(\"%d\\n\", s);\n}\n";
    let bench = Bench::new(&[("inl.c", text)]);
    let said = bench.opcost(&["bits", "inl.c"]).expect(0);
    assert!(!said.all().contains("no execution gets to"), "{}", said.all());
    assert!(said.stdout.contains("fill itself is never called"), "{}", said.all());
    // A line that nothing gets to, in a function that is called, is named.
    bench.write(
        "dead.c",
        "int main(int n, char **v) {\n  if ((n & 1) == 2)\n    return n ^ 12;\n  return 0;\n}\n",
    );
    bench.shell(
        "clang-22 -O0 -g -Xclang -disable-O0-optnone -S -emit-llvm dead.c -o slots.ll; \
         opt-22 -passes=mem2reg -S slots.ll -o dead.ll",
    );
    let said = bench.opcost(&["bits", "dead.ll"]).expect(0);
    assert!(said.stdout.contains("no execution gets to dead.c:3"), "{}", said.all());
    assert!(!said.stdout.contains("itself is never called"), "{}", said.all());
}

#[test]
fn case_9_what_has_no_main_is_no_program() {
    let bench = Bench::new(&[ADD, MAIN, ("more.cpp", "int more() { return 1; }\n")]);
    let ask: [&[&str]; 4] =
        [&["count"], &["fuel", "--limit", "1M"], &["sample"], &["values", "--trip-counts"]];
    for verb in ask {
        let said = bench.opcost(&[verb, &["add.c", "more.cpp"]].concat()).expect(1);
        said.expect_stderr(&["no main in add.c, more.cpp", "add the file that has it"]);
    }
    // Another name that is missing is the linker's to tell.
    let said = bench.opcost(&["count", "main.c"]).expect(1);
    assert!(!said.stderr.contains("no main"), "{}", said.stderr);
}

#[test]
fn a_module_has_the_lines_of_its_source() {
    let bench = Bench::new(&[SQUARES, ADD]);
    bench.shell(
        "clang-22 -O1 -g -S -emit-llvm squares.c; clang-22 -O1 -S -emit-llvm squares.c -o bare.ll; \
         clang-22 -O1 -g -c -emit-llvm squares.c add.c; llvm-link-22 squares.bc add.bc -o both.bc",
    );
    let direct = bench.opcost(&["explain", "squares.c:3", "-O1"]).expect(0);
    let by_module = bench.opcost(&["explain", "squares.ll:3"]).expect(0);
    assert!(direct.stdout.lines().count() == by_module.stdout.lines().count(), "{}", by_module.stdout);
    bench.opcost(&["explain", "--width", "squares.ll:3"]).expect(0);
    for verb in [&["explain"][..], &["explain", "--width"], &["life"]] {
        let ask = |place: &str| bench.opcost(&[verb, &[place]].concat()).expect(2);
        ask("squares.ll:99").expect_stderr(&["squares.c", "nearest line that"]);
        ask("bare.ll:3").expect_stderr(&[
            "bare.ll says nothing of lines",
            "-gline-tables-only",
            "--function",
        ]);
    }
    bench.opcost(&["explain", "both.bc:3"]).expect(2).expect_stderr(&[
        "several sources",
        "add.c",
        "squares.c",
    ]);
    bench
        .opcost(&["explain", "squares.c:x"])
        .expect(2)
        .expect_stderr(&["'x' is no line number", "squares.c:1"]);
}

#[test]
fn case_10_one_is_no_plural_and_nothing_is_no_table() {
    let bench = Bench::new(&[
        ("one.c", "int main(void) { return 0; }\n"),
        ("nothing.c", "void nothing(void) {}\n"),
        ("single.c", "int single(int a) { return a + 1; }\n"),
    ]);
    let said = bench.opcost(&["count", "one.c"]).expect(0);
    assert!(
        said.all().contains("1 instruction ") && !said.all().contains("1 instructions"),
        "{}",
        said.all()
    );
    let said = bench.opcost(&["bits", "nothing.c"]).expect(0);
    assert!(said.stdout.starts_with("no integers\n"), "{}", said.stdout);
    assert!(!said.stdout.contains("declared"), "{}", said.stdout);
    // What is 0 is in no list, and one loop is no loops.
    bench.write("loop.c", "volatile int n = 9;\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s ^= i * n;\n  return s == 1;\n}\n");
    let said = bench.opcost(&["values", "--verify", "loop.c"]).expect(0).all();
    for words in [" 0 ", "1 loops", "1 activations", "1 times"] {
        assert!(!said.contains(words), "'{words}' in {said}");
    }
    let said = bench.opcost(&["bits", "single.c"]).expect(0);
    assert!(!said.stdout.contains("1 integers") && !said.stdout.contains("1 integer of 32 bits need 32"));
}

/// Styles are `ESC [ digits m`; nothing else that a terminal obeys may come out.
#[track_caller]
fn is_harmless(text: &str) {
    for (at, _) in text.match_indices(|letter: char| letter.is_control() && !"\n\t".contains(letter)) {
        let style = text[at..].strip_prefix("\x1b[").map(|rest| {
            rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';').starts_with('m')
        });
        assert!(style == Some(true), "{:?} in {text:?}", &text[at..text.len().min(at + 20)]);
    }
}

#[test]
fn no_input_drives_the_terminal() {
    needs("flang-22", "flang-22");
    let title = "\x1b]0;gone\x07";
    let file = format!("na{title}me.c");
    let module = "define i32 @\"f\\1b]0;gone\\07\"(i32 %n) {\n  %m = and i32 %n, 7\n  ret i32 %m\n}\n\
                  define i32 @main(i32 %c, ptr %v) {\n  %r = call i32 @\"f\\1b]0;gone\\07\"(i32 %c)\n  ret i32 %r\n}\n";
    let bench = Bench::new(&[
        (&file, "int main(void) {\n  return 0;\n}\n"),
        ("broken.c", "int main(void) { \x1b]0;gone\x07 }\n"),
        ("broken.ll", "\x1b]0;gone\x07\n"),
        ("broken.f90", "program a\n \x1b]0;gone\x07 x =\nend\n"),
        ("broken.rs", "fn main() { \x1b]0;gone\x07 }\n"),
        ("names.ll", module),
        ("costs.toml", "\x1b]0;gone\x07 = 1\n"),
        ("opcost.toml", "[run.\"\\u001b]0;gone\\u0007\"]\ninputs = [\"\\u001b]0;gone\\u0007.c\"]\n"),
        ("d/twin.c", "int f(void) { return 1; }\n"),
        ("twin.c", "int f(void) { return 2; }\n"),
    ]);
    // Missing, of another kind, or nearly the name of what is there: all are quoted.
    let (missing, near) = (format!("{title}.c"), file.replace("me.c", "mme.c"));
    let (folder, ledger) =
        (bench.write(&format!("{title}d.c/x"), ""), bench.write(&format!("{title}.opc"), "no"));
    let folder = folder.strip_suffix("/x").expect("a folder");
    let place = format!("{missing}:3:x");
    let mut quoted: Vec<Vec<&str>> = Vec::new();
    for input in [&*missing, &*near, folder, &*ledger, &*place] {
        let verbs = ["count", "fuel", "sample", "loops", "bits", "life", "explain", "report", "cc"];
        quoted.extend(verbs.map(|verb| vec![verb, input]));
        quoted.push(vec!["values", "--trip-counts", input]);
        quoted.push(vec!["diff", input, input]);
        quoted.push(vec!["merge", input, input, "-o", "m.opc"]);
        quoted.push(vec!["overlap", input, input]);
        quoted.push(vec!["export", "--to", "pprof", input, "-o", "x.pb"]);
        quoted.push(vec!["repair", input, input]);
        quoted.push(vec!["check", "--file", input]);
        quoted.push(vec!["count", &file, "--json", input]);
        quoted.push(vec!["count", &file, "--stdin", input]);
    }
    quoted.push(vec!["check"]);
    quoted.push(vec!["count", &missing, title]);
    quoted.push(vec!["count", "--flag", &file, "--\x1b]0;gone\x07"]);
    for function in [title, "f\x1b"] {
        for verb in ["count", "loops", "bits", "explain", "life", "values"] {
            quoted.push(vec![verb, "--function", function, "names.ll"]);
        }
    }
    let verbs: &[&[&str]] = &[
        &["count", &file],
        &["count", "--annotate", &file],
        &["count", "--list", "functions", "names.ll"],
        &["count", "names.ll"],
        &["loops", "names.ll"],
        &["bits", "--values", "names.ll"],
        &["life", "--function", "main", "names.ll"],
        &["explain", "--function", "main", "names.ll"],
        &["fuel", "--limit", "1", "names.ll"],
        &["count", "broken.c"],
        &["count", "broken.ll"],
        &["loops", "broken.ll"],
        &["count", "broken.f90"],
        &["count", "broken.rs"],
        &["count", "--cost", "costs.toml", &file],
        &["report", &file],
        &["diff", &file, "broken.c"],
        &["life", "--function", title, "names.ll"],
        &["explain", "--function", title, "names.ll"],
        &["check", &file],
    ];
    for verb in verbs.iter().copied().chain(quoted.iter().map(Vec::as_slice)) {
        let said = opcost_testkit::command::ProgramOutput::of(bench.command(verb).env("CLICOLOR_FORCE", "1"));
        is_harmless(&said.stdout);
        is_harmless(&said.stderr);
        assert!(said.all().len() > 4, "{verb:?} says nothing");
    }
}
