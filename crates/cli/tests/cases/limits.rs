//! Does the total decide, and does every change of a program have its verdict?
//!
//! One program is recorded; then it is changed. What is right is by hand: an inlined function costs
//! less, a check of an argument is a few instructions, another name changes nothing.

use opcost_testkit::command::Workplace;
use serde_json::Value;

use super::{cases, opcost};

const FILE: &str = "[run.cells]\ninputs = [\"limits.c\"]\nargs = [\"9000\"]\n";
const INLINED: [&str; 2] = ["__attribute__((noinline)) static int step", "static int step"];
const CHECKED: [&str; 2] =
    ["  for (int i = 0; i < n; i++) cells", "  if (n < 0) abort();\n  for (int i = 0; i < n; i++) cells"];
const LESS: [&str; 2] = ["fold(cells, n)", "fold(cells, n - n / 20)"];
const MORE: [&str; 2] = ["fold(cells, n)", "fold(cells, n + n / 20)"];
const RENAMED: [&str; 2] = ["peaks", "count_peaks"];

/// The program, with limits that were recorded.
fn recorded(file: &str) -> Workplace {
    let place = cases();
    place.write("opcost.toml", file);
    opcost(&place, "check --update --reason first").expect(0);
    place
}

/// What a check says of the run after a change of the program.
fn checked(place: &Workplace, change: [&str; 2], status: i32) -> Value {
    let before = place.read("limits.c");
    assert!(before.contains(change[0]), "{change:?}");
    place.write("limits.c", before.replace(change[0], change[1]));
    let mut document = opcost(place, "check --json -").expect(status).json();
    place.write("limits.c", before);
    document["runs"][0].take()
}

fn function<'a>(run: &'a Value, name: &str) -> &'a Value {
    let functions = run["functions"].as_array().expect("functions");
    functions.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}: {run:#}"))
}

#[test]
fn the_total_decides() {
    let place = recorded(FILE);
    for (change, status, verdict, word) in [
        (["", ""], 0, "within", "same work"),
        (INLINED, 0, "within", "less work"),
        (CHECKED, 0, "within", "other code"),
        (LESS, 0, "within", "less work"),
        (RENAMED, 0, "within", "same work"),
        (MORE, 3, "over", "more work"),
    ] {
        let run = checked(&place, change, status);
        assert_eq!((&run["verdict"], &run["change"]), (&verdict.into(), &word.into()), "{change:?}: {run:#}");
    }
    let renamed = checked(&place, RENAMED, 0);
    assert_eq!(function(&renamed, "peaks")["name_now"], "count_peaks", "{renamed:#}");
    let inlined = checked(&place, INLINED, 0);
    assert_eq!(function(&inlined, "step")["fate"], "absent", "{inlined:#}");
    place.write("limits.c", place.read("limits.c").replace(RENAMED[0], RENAMED[1]));
    let text = opcost(&place, "check").expect(0).stdout;
    assert!(text.contains("same work") && text.contains("peaks  limits.c:13  is now count_peaks"), "{text}");
}

/// The form that earlier versions wrote: what functions did, as if it were limits.
#[test]
fn a_file_of_an_earlier_version_is_read_and_renewed() {
    let place = recorded(FILE);
    let text = place.read("opcost.toml");
    let limit = text.lines().find(|line| line.starts_with("limit = ")).expect("a limit");
    let recorded: Vec<&str> = text
        .lines()
        .filter(|line| {
            ["compiler", "flags", "target", "cost_model", "reason"].iter().any(|key| line.starts_with(key))
        })
        .collect();
    let earlier = format!(
        "{FILE}{limit}\n\n# What each function does by itself, without the functions that it calls.\n\
         [run.cells.functions]\nfold = 90_000\nstep = 1\n\n[run.cells.recorded]\n{}\n",
        recorded.join("\n")
    );
    place.write("opcost.toml", &earlier);
    for (change, status, word) in [
        (["", ""], 0, "same work"),
        (INLINED, 0, "less work"),
        (CHECKED, 0, "other code"),
        (RENAMED, 0, "same work"),
        (MORE, 3, "more work"),
    ] {
        assert_eq!(checked(&place, change, status)["change"], word, "{change:?}");
    }
    opcost(&place, "check --update --reason first").expect(0);
    let renewed = place.read("opcost.toml");
    assert!(
        !renewed.contains("[run.cells.functions]") && renewed.contains("[run.cells.recorded.functions]"),
        "{renewed}"
    );
    opcost(&place, "check --update --reason again").expect(0);
    assert_eq!(place.read("opcost.toml"), renewed, "nothing changed, so nothing is rewritten");
}

#[test]
fn a_limit_that_somebody_wrote_is_kept() {
    let limits = "[run.cells.functions]\npeaks = \"1G\"\nfold = { limit = \"1G\", tolerance = \"1 %\" }\n";
    let place = recorded(&format!("{FILE}{limits}"));
    let text = place.read("opcost.toml");
    assert!(text.contains("tolerance = \"1 %\" }"), "the limit is renewed, the tolerance stays: {text}");
    // What is inlined into a function with a limit was work before, too.
    let inlined = checked(&place, INLINED, 0);
    assert_eq!(inlined["verdict"], "within", "{inlined:#}");
    let renamed = checked(&place, RENAMED, 0);
    assert_eq!(function(&renamed, "peaks")["verdict"], "within", "{renamed:#}");
    // A gain elsewhere does not hide a loss in a function that has a limit.
    let before = place.read("limits.c");
    place.write("limits.c", before.replace(LESS[0], "fold(cells, n / 2)"));
    let run = checked(&place, ["peaks(cells, n)", "peaks(cells, n + n / 9)"], 3);
    assert_eq!(function(&run, "peaks")["verdict"], "over", "{run:#}");
    assert_eq!(run["change"], "less work", "{run:#}");
    place.write("limits.c", before);
    // An update gives the limit the new name.
    place.write("limits.c", place.read("limits.c").replace(RENAMED[0], RENAMED[1]));
    opcost(&place, "check --update --reason names").expect(0);
    let text = place.read("opcost.toml");
    assert!(text.contains("\ncount_peaks = ") && !text.contains("\npeaks = "), "{text}");
}

#[test]
fn tolerances() {
    let place = recorded(FILE);
    let text = place.read("opcost.toml");
    // Of the file, of the run, of a function: the nearest counts.
    place.write("opcost.toml", format!("tolerance = 0\n{text}"));
    assert_eq!(checked(&place, CHECKED, 3)["change"], "more work");
    place.write("opcost.toml", format!("tolerance = \"90 %\"\n{text}"));
    assert_eq!(checked(&place, MORE, 0)["change"], "other code");
    let of_run = format!("tolerance = \"90 %\"\n{}", text.replace(FILE, &format!("{FILE}tolerance = 5\n")));
    place.write("opcost.toml", of_run);
    let run = checked(&place, MORE, 3);
    assert_eq!((&run["change"], &run["tolerance"]), (&"more work".into(), &5.into()), "{run:#}");
    let limited =
        |limit: &str| format!("{FILE}tolerance = \"1 %\"\n[run.cells.functions]\npeaks = {limit}\n");
    for (limit, status) in
        [("1", 3), ("{ limit = 1, tolerance = \"1G\" }", 0), ("{ limit = \"1G\", tolerance = 0 }", 0)]
    {
        place.write("opcost.toml", limited(limit));
        opcost(&place, "check").expect(status);
    }
    for (text, words) in [
        ("tolerance = 0.5\n", "a tolerance is a percentage in quotes, \"0.5 %\""),
        ("tolerance = -1\n", "a tolerance is a percentage"),
        ("tolerance = \"120 %\"\n", "a percentage up to 100"),
        ("tolerance = \"2,5k\"\n", "comma"),
    ] {
        place.write("opcost.toml", format!("{text}{FILE}"));
        opcost(&place, "check").expect(2).expect_stderr(&["line 1", words]);
    }
    for (limit, words) in [
        ("{ limit = 1, tolerence = 2 }", "peaks"),
        ("true", "a limit of a function is a number of instructions"),
        ("{ limit = 1, tolerance = \"x %\" }", "a percentage up to 100"),
    ] {
        place.write("opcost.toml", limited(limit));
        opcost(&place, "check").expect(2).expect_stderr(&["line 6", words]);
    }
}
