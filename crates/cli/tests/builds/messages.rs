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

#[test]
fn what_has_no_main_is_no_program() {
    let bench = Bench::new(&[ADD, MAIN, ("more.cpp", "int more() { return 1; }\n")]);
    let ask: [&[&str]; 4] =
        [&["count"], &["fuel", "--limit", "1M"], &["sample"], &["values", "--trip-counts"]];
    for verb in ask {
        let said = bench.opcost(&[verb, &["add.c", "more.cpp"]].concat()).expect(1);
        said.tells(&["no main in add.c, more.cpp", "add the file that has it"]);
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
        let ask = |place: &str| bench.opcost(&[verb, &[place]].concat()).expect(1);
        ask("squares.ll:99").tells(&["squares.c", "nearest line that"]);
        ask("bare.ll:3").tells(&["bare.ll says nothing of lines", "-gline-tables-only", "--function"]);
    }
    bench.opcost(&["explain", "both.bc:3"]).expect(1).tells(&["several sources", "add.c", "squares.c"]);
    bench.opcost(&["explain", "squares.c:x"]).expect(2).tells(&["'x' is no line number", "squares.c:1"]);
}

#[test]
fn one_is_no_plural_and_nothing_is_no_table() {
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
    ]);
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
    for verb in verbs {
        let said = opcost_testkit::command::Said::of(bench.command(verb).env("CLICOLOR_FORCE", "1"));
        is_harmless(&said.stdout);
        is_harmless(&said.stderr);
        assert!(said.all().len() > 4, "{verb:?} says nothing");
    }
}
