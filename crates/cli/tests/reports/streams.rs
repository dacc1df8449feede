//! Do streams and statuses go where they belong?

use crate::workplace::{headline, workplace};

const ECHO: &str = "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); \
                    fputs(\"done\\n\", stderr); return 7; }\n";

#[test]
fn the_programs_streams_stay_its_own() {
    let place = workplace();
    place.write("echo.c", ECHO);
    place.write("in.txt", "hello\n");
    let said = place.shell("echo piped | $OPCOST count -i echo.c").expect(0);
    assert_eq!(said.stdout, "piped\n");
    said.expect_stderr(&["done\n", " instructions   "]);
    let said = place.opcost(&["count", "-i", "--stdin", "in.txt", "--stdout", "out.txt", "echo.c"]).expect(0);
    assert_eq!((said.stdout.as_str(), place.read("out.txt").as_str()), ("", "hello\n"));
    let said = place.opcost(&["count", "-i", "--stdin", "in.txt", "--json", "-", "echo.c"]).expect(0);
    let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("stdout is JSON alone");
    assert_eq!(json["program_status"]["exit"], 7);
    said.expect_stderr(&["hello\n", "done\n"]);
    place.opcost(&["count", "--stdin", "nothing.txt", "echo.c"]).expect(1).expect_stderr(&["nothing.txt"]);
}

#[test]
fn statuses_have_their_precedence() {
    let place = workplace();
    let count = |flags: &[&str], own: &str| {
        let words = [&["count", "a.c"], flags, &["--", "100", own]].concat();
        place.opcost(&words)
    };
    count(&[], "0").expect(0);
    count(&[], "9").expect(4).expect_stderr(&["the program exited with status 9"]);
    count(&["-i"], "9").expect(0);
    count(&["--pass-status"], "9").expect(9);
    count(&["--budget", "10"], "0")
        .expect(3)
        .expect_stderr(&["over the budget of 10 by", "the largest: work"]);
    count(&["--budget", "10"], "9").expect(4);
    count(&["--budget", "10", "-i"], "9").expect(3);
    count(&["--budget", "1G"], "0").expect(0).expect_stderr(&["within the budget of 1,000,000,000"]);
    count(&["--budget", "10", "--json", "no/where.json"], "9").expect(1);
    count(&["--pass-status", "-i"], "0").expect(2);
    count(&["--budget", "ten"], "0").expect(2).expect_stderr(&["2.5G"]);
    // In half of the world that is two and a half.
    for text in ["2,5G", "2,500G", "2,5", "1234,567"] {
        count(&["--budget", text], "0").expect(2).expect_stderr(&[text, "comma"]);
    }
    count(&["--budget", "1,000"], "0").expect(0).expect_stderr(&["within the budget of 1,000\n"]);
    place.opcost(&["fuel", "--limit", "2,5M", "a.c"]).expect(2).expect_stderr(&["2,5M", "comma"]);
    count(&["--baseline", "a.opc"], "0").expect(2).expect_stderr(&["--budget"]);
}

#[test]
fn repeated_runs_agree_or_the_function_is_named() {
    let place = workplace();
    place
        .opcost(&["count", "--repeat", "3", "a.c"])
        .expect(0)
        .expect_stderr(&["all 3 runs agree to the digit"]);
    place.write(
        "b.c",
        "#include <stdio.h>\n__attribute__((noinline)) void turn(volatile int *x) { ++*x; }\n\
         int main(void) { FILE *f = fopen(\"n\", \"r\"); int n = 0; if (f) { fscanf(f, \"%d\", &n); fclose(f); }\n\
         f = fopen(\"n\", \"w\"); fprintf(f, \"%d\", n + 1); fclose(f);\n\
         volatile int x = 0; for (int i = 0; i < n; i++) turn(&x); return 0; }\n",
    );
    place
        .opcost(&["count", "--repeat", "3", "b.c"])
        .expect(0)
        .expect_stderr(&["the runs differ: run 2 parts from run 1 in"]);
    place.opcost(&["count", "--repeat", "0", "a.c"]).expect(2);
}

/// A pipe can be read once; each run reads all of it.
#[test]
fn repeated_runs_read_one_input() {
    let place = workplace();
    place.write("echo.c", ECHO.replace("return 7", "return 0"));
    place.write("in.txt", "hello\n");
    for line in [
        "echo piped | $OPCOST count --repeat 3 echo.c",
        "$OPCOST count --repeat 3 echo.c < in.txt",
        "$OPCOST count --repeat 3 --stdin in.txt echo.c",
        // At its end, and closed.
        "$OPCOST count --repeat 2 echo.c < /dev/null",
        "$OPCOST count --repeat 2 echo.c <&-",
    ] {
        let said = place.shell(line).expect(0);
        said.expect_stderr(&["runs agree to the digit"]);
        let times = if line.contains("3") { 3 } else { 2 };
        let (piped, file) = (said.stdout.matches("piped\n").count(), said.stdout.matches("hello\n").count());
        assert!(piped + file == times || piped + file == 0 && times == 2, "{line}: {}", said.stdout);
    }
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.opcost(&["count", "./a", "--ledger", "a.opc"]).expect(0);
    for (words, flag) in [
        (&["count", "./a", "-O3"][..], "-O would do nothing here: the program is built already"),
        (&["count", "./a", "--cflag=-g"], "--cflag would do nothing"),
        (&["count", "./a", "--cost", "fuel/1"], "--cost would do nothing"),
        (&["count", "./a", "--paths"], "--paths would do nothing"),
        (&["count", "a.c", "--emit", "exe", "-o", "b", "--ledger", "b.opc"], "--ledger would do nothing"),
        (&["count", "a.c", "--emit", "exe", "-o", "b", "--budget", "1G"], "--budget would do nothing"),
        (&["count", "a.c", "--list", "lines", "--html", "b.html"], "--html would do nothing"),
        (&["report", "a.opc", "--list", "lines", "--function", "work"], "--function would do nothing"),
        (&["sample", "a.c", "--emit", "exe", "-o", "b", "--", "100"], "what follows -- would do nothing"),
        (&["fuel", "a.c", "--emit", "exe", "-o", "b", "--stdin", "a.c"], "--stdin would do nothing"),
        (&["loops", "a.c", "--cost", "unit/1"], "--cost would do nothing"),
        (&["bits", "a.c", "--time"], "--time would do nothing"),
        (&["check", "--update", "--reason", "r", "--format", "github"], "--format would do nothing"),
    ] {
        place.opcost(words).expect(2).expect_stderr(&[flag]);
        assert!(!place.path("b").exists() && !place.path("b.opc").exists(), "{words:?}");
    }
}

#[test]
fn the_functions_that_grew_are_named() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "before.opc", "--", "100"]).expect(0);
    let over = ["count", "a.c", "--budget", "1k", "--baseline", "before.opc"];
    place.opcost(&over).expect(3).expect_stderr(&["functions that grew since the baseline:", "  work  a.c:"]);
    let unlike = [&over[..], &["-O1"]].concat();
    place
        .opcost(&unlike)
        .expect(3)
        .expect_stderr(&["says nothing about who grew: flags: '-O2' before, '-O1' after"]);
}

#[test]
fn suggested_commands_run() {
    let place = workplace();
    let said = place.opcost(&["count", "a.c", "--", "100"]).expect(0).stderr;
    let (_, next) = said.split_once("next: ").unwrap();
    let commands = next.split("   ·   ").flat_map(str::lines);
    for command in commands.map(|line| line.trim().trim_end_matches("   (for CI)")) {
        let line = command.replacen("opcost", "$OPCOST", 1);
        assert_eq!(headline(&place.shell(&line).expect(0).stderr), headline(&said), "{line}");
    }
}
