//! More work, less work, or the same work with different code?

use opcost_testkit::command::{ProgramOutput, Workplace};

use crate::workplace::workplace;

/// `before.opc` and `after.opc`, with one change in `a.c` and one of flags.
fn two(from: &str, to: &str, flags: &[&str]) -> Workplace {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "before.opc"]).expect(0);
    let text = place.read("a.c");
    assert!(text.contains(from));
    place.write("a.c", text.replacen(from, to, 1));
    place.opcost(&[&["count", "a.c", "--ledger", "after.opc"], flags].concat()).expect(0);
    place
}

fn diff(place: &Workplace, flags: &[&str]) -> ProgramOutput {
    place.opcost(&[&["diff", "before.opc", "after.opc"], flags].concat())
}

#[test]
fn more_work_fails_when_asked() {
    let place = two("sum ^= sum * 31 + i", "sum ^= (sum * 31 + i) % 7", &[]);
    let said = diff(&place, &[]).expect(0);
    assert!(
        said.stdout.contains("more work: 1\n") && said.stdout.contains("  work  a.c:4"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("lines: ") && said.stdout.contains("a.c:7  rewritten"), "{}", said.stdout);
    for when in ["more-work", "more-work-anywhere", "any-change"] {
        diff(&place, &["--fail-on", when]).expect(3);
    }
    let back = place.opcost(&["diff", "after.opc", "before.opc", "--fail-on", "more-work"]).expect(0);
    assert!(back.stdout.contains("less work: 1"), "{}", back.stdout);
}

#[test]
fn other_code_for_the_same_work_is_told_apart() {
    let place = two("n / 3", "n % 3", &[]);
    let said = diff(&place, &["--fail-on", "more-work", "--json", "d.json"]).expect(0);
    assert!(said.stdout.contains("same work with different code: 1   rest"), "{}", said.stdout);
    assert_eq!(place.json("d.json")["verdict"], "same work with different code");
    diff(&place, &["--fail-on", "any-change"]).expect(3);
}

#[test]
fn new_and_gone_functions_are_named() {
    let place = two("int rest(int n)", "int other(int n)", &["-Drest=other"]);
    diff(&place, &[]).expect(1).expect_stderr(&["flags: '-O2' before, '-O2 -Drest=other' after"]);
    let said = diff(&place, &["--force"]).expect(0).stdout;
    assert!(said.contains("not alike: flags") && said.contains("moved: 1   rest → other"), "{said}");
    // With another body it is another function.
    let place =
        two("int rest(int n) { return n / 3;", "int other(int n) { return n / 7 + n;", &["-Drest=other"]);
    let said = diff(&place, &["--force"]).expect(0).stdout;
    assert!(said.contains("new: 1") && said.contains("gone: 1"), "{said}");
}

#[test]
fn equal_ledgers_are_the_same() {
    let place = two("int rest", "int  rest", &[]);
    let said = diff(&place, &["--fail-on", "any-change"]).expect(0).stdout;
    assert!(said.contains("3 functions unchanged") && said.contains("   same\n"), "{said}");
}

#[test]
fn other_models_and_programs_are_refused() {
    let place = two("n / 3", "n % 3", &["--cflag=-march=haswell"]);
    diff(&place, &[]).expect(1).expect_stderr(&["flags: '-O2' before", "--force"]);
    place.write("e.c", "int main(void) { return 0; }\n");
    for (model, ledger) in [("unit/1", "unit.opc"), ("block-size/1", "size.opc")] {
        place.opcost(&["count", "e.c", "--cost", model, "--ledger", ledger]).expect(0);
    }
    let said = place.opcost(&["diff", "unit.opc", "size.opc"]).expect(1);
    said.expect_stderr(&["cost model: unit/1", "block-size/1", "--force"]);
    place.write("c.cpp", "int f(int x) { return x; }\nint main(int n, char**) { return f(n) - 1; }\n");
    place.shell("$OPCOST count --ledger c.opc c.cpp").expect(0);
    let said = place.opcost(&["merge", "before.opc", "c.opc", "-o", "m.opc"]).expect(1);
    said.expect_stderr(&["c.opc comes from another build than before.opc"]);
    assert!(!place.path("m.opc").exists());
}

const SEARCH: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    static unsigned table[4096];\n\
    ATTRIBUTE static long search(int rounds) {\n\
    \x20 long sum = 0;\n\
    \x20 for (int r = 0; r < rounds; r++) sum += table[(unsigned)r * 37u & 4095] & 255;\n\
    \x20 return sum;\n\
    }\n\
    int main(int argc, char **argv) {\n\
    \x20 for (int i = 0; i < 4096; i++) table[i] = i * 2654435761u;\n\
    \x20 printf(\"%ld\\n\", search(argc > 1 ? atoi(argv[1]) : 1000));\n\
    \x20 return 0;\n\
    }\n";

#[test]
fn inlining_is_no_more_work() {
    let place = workplace();
    for (ledger, attribute) in [("apart.opc", "__attribute__((noinline))"), ("inlined.opc", "")] {
        place.write("s.c", SEARCH.replace("ATTRIBUTE", attribute));
        place.opcost(&["count", "-O2", "s.c", "--ledger", ledger]).expect(0);
    }
    let said =
        place.opcost(&["diff", "apart.opc", "inlined.opc", "--fail-on", "more-work-anywhere"]).expect(0);
    assert!(said.stdout.contains("same work, inlined elsewhere"), "{}", said.stdout);
    // More rounds are more work, inlined or not.
    place.opcost(&["count", "-O2", "s.c", "--ledger", "more.opc", "--", "2000"]).expect(0);
    place.opcost(&["diff", "inlined.opc", "more.opc", "--fail-on", "more-work-anywhere"]).expect(3);
    place.opcost(&["diff", "apart.opc", "more.opc", "--fail-on", "more-work-anywhere"]).expect(3);
}

/// The attribute on a line of its own: what is below has other numbers then.
#[test]
fn inlining_is_no_more_work_wherever_the_lines_lie_now() {
    let place = workplace();
    let count = |text: &str, ledger: &str| {
        place.write("s.c", text);
        place.opcost(&["count", "-O2", "s.c", "--ledger", ledger]).expect(0);
    };
    count(&SEARCH.replace("ATTRIBUTE", "__attribute__((noinline))\n"), "apart.opc");
    let comment = "/* built, then searched */\n";
    count(&format!("{comment}{}", SEARCH.replace("ATTRIBUTE ", "")), "inlined.opc");
    let gate = ["--fail-on", "more-work-anywhere"];
    let said = place.opcost(&[&["diff", "apart.opc", "inlined.opc"][..], &gate].concat()).expect(0);
    assert!(said.stdout.contains("same work, inlined elsewhere: 1"), "{}", said.stdout);
    // One more operation in the loop is more work, inlined or not.
    count(&SEARCH.replace("ATTRIBUTE ", "").replace("& 255", "& 255 ^ r"), "more.opc");
    place.opcost(&[&["diff", "apart.opc", "more.opc"][..], &gate].concat()).expect(3);
}

/// A table that is built, then searched by a function that calls another in a loop.
#[test]
fn a_gate_lets_a_changed_inliner_pass() {
    const GATE: &str = r#"#include <stdio.h>
#include <stdlib.h>
static unsigned table[4096];
static void fill(unsigned seed) { for (int i = 0; i < 4096; i++) { seed = seed * 1664525u + 1013904223u; table[i] = seed >> 7; } }
__attribute__((noinline)) static int probe(unsigned key) {
  int hits = 0;
  for (int i = 0; i < 4096; i++) if ((table[i] & 0xff) == (key & 0xff)) hits++;
  return hits;
}
__attribute__((noinline)) static long search(int rounds) { long sum = 0; for (int r = 0; r < rounds; r++) sum += probe((unsigned)r * 37u); return sum; }
int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  fill(1);
  printf("%ld\n", search(rounds));
  return 0;
}
"#;
    let place = workplace();
    let attribute = "__attribute__((noinline)) static long search";
    for (ledger, now) in [
        ("apart.opc", attribute),
        ("inlined.opc", "static long search"),
        ("two-lines.opc", "static long\nsearch"),
        ("comment.opc", "/* inlined\n   since */ static long search"),
    ] {
        place.write("gate.c", GATE.replace(attribute, now));
        place.opcost(&["count", "gate.c", "--ledger", ledger]).expect(0);
        let said = place.opcost(&["diff", "apart.opc", ledger, "--fail-on", "more-work-anywhere"]).expect(0);
        assert!(ledger == "apart.opc" || said.stdout.contains("inlined elsewhere: 1"), "{}", said.stdout);
    }
}

/// `before.opc` of a file, `after.opc` of another text of it.
fn changed(file: &str, from: &str, to: &str, flags: &[&str]) -> Workplace {
    let place = workplace();
    for (text, ledger) in [(from, "before.opc"), (to, "after.opc")] {
        place.write(file, text);
        place.opcost(&[&["count", file, "--ledger", ledger], flags].concat()).expect(0);
    }
    place
}

#[test]
fn a_comment_above_changes_no_line() {
    let place = workplace();
    let text = place.read("a.c");
    let place = changed("a.c", &text, &format!("/* one */\n// two\n{text}"), &[]);
    let said = diff(&place, &["--fail-on", "any-change", "--json", "d.json"]).expect(0).stdout;
    assert!(said.contains("3 functions unchanged") && !said.contains("lines"), "{said}");
    let json = place.json("d.json");
    assert_eq!(
        (json["lines"].as_array().map(Vec::len), &json["unaligned"]),
        (Some(0), &serde_json::json!([]))
    );
}

#[test]
fn a_line_is_told_with_the_number_that_it_had() {
    let place = workplace();
    let text = place.read("a.c");
    let other = text.replace("sum ^= sum * 31 + i;", "sum ^= (sum * 31 + i) % 7;");
    let place = changed("a.c", &text, &format!("// one\n{other}"), &[]);
    let said = diff(&place, &["--json", "d.json"]).expect(0).stdout;
    assert!(said.contains("a.c:8  rewritten  was line 7"), "{said}");
    let json = place.json("d.json");
    let line = json["lines"].as_array().expect("lines").iter().find(|line| line["line"] == 8);
    let line = line.unwrap_or_else(|| panic!("{json}"));
    assert_eq!((&line["was"]["line"], &line["rewritten"]), (&serde_json::json!(7), &serde_json::json!(true)));
    assert!(json["lines"].as_array().expect("lines").iter().all(|line| line["line"] != 1), "{json}");
}

/// Lines of a header are told by their text in each function that they are inlined into.
#[test]
fn lines_of_headers_are_found_again() {
    let place = workplace();
    place.write(
        "h.c",
        "#include \"h.h\"\nvolatile int sum;\n\
         int main(int n, char **v) { sum = twice(n) + thrice(n); return 0; }\n",
    );
    let header = "static inline int twice(int n) {\n  volatile int x = n;\n  return x + x;\n}\n\
                  static inline int thrice(int n) {\n  volatile int x = n;\n  return x + x + x;\n}\n";
    for (text, ledger) in [(header.to_owned(), "a.opc"), (format!("// new\n\n{header}"), "b.opc")] {
        place.write("h.h", text);
        place.opcost(&["count", "h.c", "--ledger", ledger]).expect(0);
    }
    let said = place.opcost(&["diff", "a.opc", "b.opc"]).expect(0).stdout;
    assert!(!said.contains("lines"), "{said}");
    place.write("h.h", header.replace("return x + x + x;", "x += n;\n  return x + x + x;"));
    place.opcost(&["count", "h.c", "--ledger", "c.opc"]).expect(0);
    let said = place.opcost(&["diff", "b.opc", "c.opc"]).expect(0).stdout;
    assert!(said.contains("h.h:7  new") && said.contains("lines: 1\n"), "{said}");
}

/// What was compiled is told by the program, wherever it runs and whatever became of its sources.
#[test]
fn texts_are_those_that_were_compiled() {
    let place = workplace();
    let text = place.read("a.c");
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.write("a.c", "int nothing;\n");
    place.opcost(&["count", "./a", "--ledger", "before.opc"]).expect(0);
    place.write("a.c", format!("// one\n{}", text.replace("n / 3", "n % 3 + n")));
    place.opcost(&["count", "a.c", "--ledger", "after.opc"]).expect(0);
    let said = diff(&place, &[]).expect(0).stdout;
    assert!(said.contains("lines: 1\n") && said.contains("a.c:11  rewritten  was line 10"), "{said}");
}

#[test]
fn where_texts_are_not_known_nothing_is_guessed() {
    let place = workplace();
    let text = place.read("a.c");
    let other = text.replace("int sum = 0;", "int sum = n & 1;\n    if (n == 7) sum++;");
    // DWARF 4 has no checksums, so nobody knows what was compiled.
    let place = changed("a.c", &text, &format!("// one\n{other}"), &["--cflag=-gdwarf-4"]);
    let said = diff(&place, &["--json", "d.json"]).expect(0).stdout;
    assert!(
        said.contains("lines that are not compared: a.c (")
            && said.contains("before.opc and after.opc do not"),
        "{said}"
    );
    let json = place.json("d.json");
    assert_eq!(json["unaligned"][0]["file"], "a.c", "{json}");
    assert_eq!(json["unaligned"][0]["before_tells"], false, "{json}");
    // Functions whose bodies are the same are still told by them: main and rest moved down.
    let lines = json["lines"].as_array().expect("lines");
    assert!(lines.iter().all(|line| line["line"].as_u64().is_some_and(|line| line < 11)), "{json}");
}

/// A source that changed since it was compiled says nothing of the bitcode.
#[test]
fn bitcode_has_the_texts_of_the_files_that_it_was_compiled_from() {
    let place = workplace();
    let text = place.read("a.c");
    let compile = "clang-22 -O2 -gline-tables-only -emit-llvm -c a.c -o";
    place.shell(&format!("{compile} a.bc; $OPCOST count a.bc --ledger a.opc")).expect(0);
    place.write("a.c", format!("// one\n{}", text.replace("n / 3", "n % 3 + n")));
    place.shell(&format!("{compile} a.bc; $OPCOST count a.bc --ledger b.opc")).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc"]).expect(0).stdout;
    assert!(said.contains("a.c:11  rewritten  was line 10"), "{said}");
    place.write("a.c", format!("// two\n{}", place.read("a.c")));
    place.opcost(&["count", "a.bc", "--ledger", "c.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "c.opc"]).expect(0).stdout;
    assert!(said.contains("not compared: a.c (") && said.contains("c.opc does not tell"), "{said}");
    // The module is the same, whatever is known of its lines.
    place.opcost(&["merge", "b.opc", "c.opc", "-o", "m.opc"]).expect(0);
}

/// flang notes no checksums; what it has just compiled is known all the same.
#[test]
fn lines_of_fortran_are_aligned() {
    let text = "program p\n  integer :: i, s, n\n  s = 0\n  n = command_argument_count() + 10\n  do i = 1, n\n    \
                s = ieor(s * 3, i)\n  end do\n  print *, s\nend program\n";
    let changed_text = text.replace("ieor(s * 3, i)", "ieor(s * 3, i * i + s)");
    let place = changed("p.f90", text, &format!("! one\n{changed_text}"), &["-O1"]);
    let said = diff(&place, &[]).expect(0).stdout;
    assert!(said.contains("p.f90:7  rewritten  was line 6") && !said.contains("not compared"), "{said}");
    assert!(!said.contains("p.f90:9"), "what is below moved and did nothing else: {said}");
}

/// A function that went to another file, by its body; one that changed on the way, by its name.
#[test]
fn functions_that_moved_to_another_file_take_their_lines_along() {
    let place = workplace();
    let work = "__attribute__((noinline)) int work(int n) {\n  int s = n;\n  for (int i = 0; i < n; i++)\n    \
                s ^= s * 31 + i;\n  return s;\n}\n";
    let main = "int work(int);\nvolatile int sum;\n\
                int main(int n, char **v) { sum = work(n * 100); return 0; }\n";
    place.write("a.c", format!("{work}{main}"));
    place.write("b.c", "int other;\n");
    place.opcost(&["count", "a.c", "b.c", "--ledger", "a.opc"]).expect(0);
    place.write("a.c", main);
    place.write("b.c", format!("int other;\n{work}"));
    place.opcost(&["count", "a.c", "b.c", "--ledger", "b.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc"]).expect(0).stdout;
    assert!(!said.contains("lines") && !said.contains("gone"), "{said}");
    place.write("b.c", format!("int other;\n{}", work.replace("* 31 + i", "* 31 + (i & n)")));
    place.opcost(&["count", "a.c", "b.c", "--ledger", "c.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "c.opc"]).expect(0).stdout;
    assert!(said.contains("b.c:5  rewritten  was a.c:4"), "{said}");
}

#[test]
fn two_programs_are_not_compared() {
    let place = workplace();
    place.write(
        "b.c",
        "int main(void) { volatile long t = 1; for (int k = 0; k < 90; k++) t = t * 3 + k; return 0; }",
    );
    place.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    place.opcost(&["count", "b.c", "--ledger", "b.opc"]).expect(0);
    place.opcost(&["diff", "a.opc", "b.opc"]).expect(1).expect_stderr(&["two programs", "--force"]);
    place.opcost(&["diff", "a.opc", "b.opc", "--force"]).expect(0);
}

#[test]
fn a_renamed_function_has_moved() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    let renamed = place.read("a.c").replace("work(", "labour(");
    place.write("a.c", renamed);
    place.opcost(&["count", "a.c", "--ledger", "b.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc"]).expect(0).stdout;
    assert!(said.contains("moved: 1   work → labour"), "{said}");
    assert!(!said.contains("new:") && !said.contains("gone:"), "{said}");
}

#[test]
fn calls_that_are_not_counted_are_named() {
    let place = workplace();
    place.write("s.c", "#include <stdlib.h>\nint main(void) { return 0; }\n");
    place.opcost(&["count", "s.c", "--ledger", "a.opc"]).expect(0);
    place.write("s.c", "#include <stdlib.h>\nint main(void) { srand(1); return rand() & 0; }\n");
    place.opcost(&["count", "s.c", "--ledger", "b.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc", "--json", "d.json"]).expect(0).stdout;
    assert!(said.contains("more calls into code that is not counted:"), "{said}");
    assert_eq!(place.json("d.json")["outside"].as_array().expect("a list").len(), 2);
}
