//! What stands on the terminal?

use std::process::Command;

use opcost_testkit::command::ProgramOutput;

use crate::workplace::workplace;

#[test]
fn the_source_stands_beside_its_counts() {
    let place = workplace();
    let said = place.opcost(&["count", "--annotate", "a.c", "--", "64000"]).expect(0).stderr;
    let line = said.lines().find(|line| line.contains("sum ^= sum * 31 + i;")).expect("the hot line");
    assert!(line.starts_with("     7 │ ") && line.contains("× ") && line.contains('█'), "{line}");
    assert!(said.contains("next: opcost count --anchor source"), "{said}");
    assert!(said.contains("opcost count --budget"), "{said}");
    assert!(!said.contains('\x1b'), "colours where no terminal is");
    let short = place.opcost(&["count", "a.c"]).expect(0).stderr;
    assert!(short.contains("7 │") && short.contains("sum ^="), "{short}");
}

#[test]
fn cold_lines_are_folded() {
    let place = workplace();
    let cold = "        x -= n;\n".repeat(40);
    place.write(
        "b.c",
        format!(
            "int main(int n, char **v) {{\n    volatile int x = 0;\n    for (int i = 0; i < 99999; i++) x += i;\n\
             \x20   if (n > 1) {{\n{cold}    }}\n    return x > 5 ? 0 : n - 1;\n}}\n"
        ),
    );
    for flag in ["--annotate", "--function=main"] {
        let said = place.opcost(&["count", flag, "b.c"]).expect(0).stderr;
        assert!(said.lines().count() < 30 && said.contains("x += i;"), "{said}");
    }
    let said = place.opcost(&["count", "--function=main", "b.c"]).expect(0).stderr;
    assert!(said.contains("… ┆ ") && said.contains("return x > 5"), "{said}");
}

#[test]
fn a_function_is_chosen_by_name_and_misspellings_are_helped() {
    let place = workplace();
    let said = place.opcost(&["count", "--function", "rest", "a.c"]).expect(0).stderr;
    assert!(said.contains("return n / 3;") && !said.contains("sum ^="), "{said}");
    let said = place.opcost(&["count", "--function", "wrok", "a.c", "--json", "a.json"]).expect(2);
    said.expect_stderr(&["no function is called 'wrok'", "did you mean work?", " instructions   "]);
    assert_eq!(place.json("a.json")["schema"], "opcost.count/1", "the run is not thrown away");
}

#[test]
fn a_changed_or_missing_source_is_told_and_ir_shown() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.shell("touch -d '1 hour' a.c").expect(0);
    let said = place.opcost(&["count", "--annotate", "./a"]).expect(0).stderr;
    assert!(
        said.contains("a.c was changed after the program was made") && said.contains("= mul i32"),
        "{said}"
    );
    place.shell("mv a.c b.c").expect(0);
    let said = place.opcost(&["count", "--annotate", "./a"]).expect(0).stderr;
    assert!(said.contains("a.c was not found here") && said.contains("= mul i32"), "{said}");
}

#[test]
fn without_debug_information_functions_are_shown_in_ir() {
    let place = workplace();
    place.shell("clang-22 -O2 -c -emit-llvm a.c -o a.bc").expect(0);
    let said = place.opcost(&["count", "--annotate", "a.bc"]).expect(0).stderr;
    assert!(said.contains("no debug information") && said.contains("= mul i32"), "{said}");
    place.opcost(&["count", "--html", "a.html", "a.bc"]).expect(0);
    assert!(place.read("a.html").contains("= mul i32"));
}

#[test]
fn a_ledger_is_annotated_by_cost() {
    let place = workplace();
    place.opcost(&["count", "--ledger", "a.opc", "a.c"]).expect(0);
    let said = place.opcost(&["report", "--annotate", "a.opc"]).expect(0).stdout;
    assert!(said.contains("sum ^= sum * 31 + i;") && said.contains("ran "), "{said}");
}

#[test]
fn lines_fit_the_terminal() {
    let place = workplace();
    let name = "a_rather_long_name_".repeat(8);
    place.write(
        "long.c",
        format!(
            "__attribute__((noinline)) int {name}(volatile int *x) {{ return *x / 3; /* {} */ }}\n\
             int main(void) {{ volatile int x = 9; for (int i = 0; i < 99; i++) {name}(&x); return 0; }}\n",
            "語".repeat(90)
        ),
    );
    let mut narrow = place.command(&["count", "--annotate", "long.c"]);
    let said = ProgramOutput::of(narrow.env("COLUMNS", "72")).stderr;
    for line in said.lines().filter(|line| line.contains('│') || line.contains('█')) {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 72, "{line}");
    }
    assert!(said.contains('…'));
}

#[test]
fn colours_only_where_wanted() {
    let can = Command::new("script").args(["-qec", "true", "/dev/null"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no terminal can be made here (a chroot without /dev/pts)");
        return;
    }
    let place = workplace();
    let run = |name: &str, value: &str| {
        let mut terminal = place.program("script");
        // In CI colours are taken for wanted, whatever the terminal.
        terminal.args(["-qec", "$OPCOST count a.c", "/dev/null"]).env_remove("CI");
        let said = ProgramOutput::of(terminal.env("TERM", "xterm-256color").env(name, value)).stdout;
        assert!(said.contains(" instructions   "), "{said}");
        said
    };
    assert!(has_colours(&run("LANG", "C.UTF-8")), "colours on a terminal");
    assert!(!has_colours(&run("NO_COLOR", "1")), "NO_COLOR");
    assert!(!run("TERM", "dumb").contains('\x1b'), "TERM=dumb takes no escape of any kind");
}

/// Whether there is an escape that sets a colour or weight; the line that
/// shows progress moves the cursor by others.
fn has_colours(said: &str) -> bool {
    said.split("\x1b[").skip(1).any(|rest| {
        rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';').starts_with('m')
    })
}
