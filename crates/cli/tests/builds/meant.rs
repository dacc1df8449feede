//! Statuses that are not 0, editions of Rust, words that are no files, runs that differ: what a command line means.

use opcost_testkit::command::corpus;

use crate::support::{ADD, Bench, MAIN};

/// A folder with some programs of `corpus/cases`.
fn cases(names: &[&str]) -> Bench {
    let bench = Bench::new(&[]);
    for name in names {
        bench.write(name, std::fs::read(corpus(&format!("cases/{name}"))).expect("a program"));
    }
    bench
}

#[test]
fn a_training_run_may_end_with_any_status_if_that_is_said() {
    let bench = cases(&["status3.c"]);
    let tune = ["tune", "--runs", "1", "--links", "1", "-o", "tuned", "status3.c"];
    bench.opcost(&tune).expect(2).expect_stderr(&["status 3", "--ignore-status"]);
    bench.opcost(&[&tune[..], &["--ignore-status"]].concat()).expect(0);
    bench.shell("./tuned || test $? = 3");
    // Words for the judge may begin with a dash.
    bench.opcost(&[&tune[..], &["-i", "--judge", "-q 3"]].concat()).expect(0);
}

#[test]
fn a_source_of_rust_has_the_edition_of_rustc() {
    let bench = cases(&["edition2015.rs"]);
    let said = bench.opcost(&["count", "-o", "report.txt", "edition2015.rs"]).expect(0);
    assert_eq!(said.stdout, "5 Some(16)\n");
    let newer = bench.opcost(&["count", "--cflag=--edition=2024", "edition2015.rs"]).expect(1);
    newer.expect_stderr(&["no_mangle"]);
}

#[test]
fn a_word_of_the_program_is_no_file() {
    let bench = Bench::new(&[ADD, MAIN]);
    for verb in ["count", "fuel", "tune", "sample", "values"] {
        bench
            .opcost(&[verb, "main.c", "add.c", "10000"])
            .expect(2)
            .expect_stderr(&["there is no file 10000", "follows --"]);
    }
    bench.opcost(&["count", "main.c", "2.5"]).expect(2).expect_stderr(&["opcost count main.c -- 2.5"]);
    // A source that is missing is told as before.
    bench.opcost(&["count", "main.c", "missing.c"]).expect(1).expect_stderr(&["missing.c"]);
}

#[test]
fn runs_that_differ_have_a_range() {
    let bench = Bench::new(&[(
        "grows.c",
        "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"n\", \"r\"); int n = 0; if (f) { fscanf(f, \"%d\", &n); \
         fclose(f); }\nf = fopen(\"n\", \"w\"); fprintf(f, \"%d\", n + 1000); fclose(f);\n\
         for (volatile int i = 0; i < n; i++) {}\nreturn 0; }\n",
    )]);
    let said = bench.opcost(&["count", "--repeat", "3", "--cflag=-w", "grows.c"]).expect(0);
    said.expect_stderr(&["exact for run 1 of 3", "3 runs took ", "the runs differ"]);
    // The dearest of them decides.
    bench.shell("rm n");
    let over =
        bench.opcost(&["count", "--repeat", "3", "--cflag=-w", "--budget", "2000", "grows.c"]).expect(3);
    over.expect_stderr(&["over the budget of 2,000 by"]);
}
