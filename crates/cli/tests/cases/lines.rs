//! Is every number of a line its own, or else marked?
//!
//! The right numbers are those of the module that the front end wrote, in which each line has its code
//! once. A number at another state that differs from them must be marked, whatever the program.

use std::collections::BTreeMap;

use opcost_testkit::command::{Workplace, corpus};
use serde_json::Value;

use super::{cases, opcost};

/// Of a line: its number, and whether that is said to be its own.
type Lines = BTreeMap<(String, u64), (Option<u64>, bool)>;

fn lines(document: &Value) -> Lines {
    let all = document["lines"].as_array().expect("lines").iter();
    all.map(|line| {
        let at = (line["file"].as_str().expect("a file").to_owned(), line["line"].as_u64().expect("a line"));
        (at, (line["count"].as_u64(), line["count_is_executions"].as_bool().expect("a bool")))
    })
    .collect()
}

fn count(place: &Workplace, flags: &str, source: &str) -> Lines {
    let line = format!("count -i --deterministic --json - {flags} {source}");
    lines(&opcost(place, &line).json())
}

/// The loop that is unrolled and the one that is vectorised.
#[test]
fn a_number_that_is_not_the_lines_is_marked() {
    let place = cases();
    let own = count(&place, "--anchor source", "line_copies.c");
    let of = |lines: &Lines, line| lines.iter().find(|((_, one), _)| *one == line).map(|(_, of)| *of);
    for line in [11, 12, 15, 18] {
        let expected = if line == 15 { 10_001 } else { 10_000 };
        assert_eq!(of(&own, line), Some((Some(expected), true)), "line {line}: {own:?}");
        assert_eq!(of(&count(&place, "-O0", "line_copies.c"), line), of(&own, line), "line {line} at -O0");
    }
    let code = count(&place, "-O2", "line_copies.c");
    assert!(code.values().all(|(_, is_own)| !is_own), "{code:?}");
    assert_ne!(of(&code, 18).and_then(|(count, _)| count), Some(10_000), "it is vectorised");

    let text = opcost(&place, "count --annotate line_copies.c").expect(0).all();
    let row = text.lines().find(|line| line.contains("18 │")).expect("the line");
    assert!(row.contains('≈') && text.contains("--anchor source, C and C++"), "{text}");
    let text = opcost(&place, "count --anchor source --annotate line_copies.c").expect(0).all();
    assert!(text.contains(" 10 k×") && !text.contains('≈'), "{text}");
    opcost(&place, "count line_copies.c --html a.html --ledger a.opc").expect(0);
    assert!(place.read("a.html").contains("≈1×"), "the page marks them");
    let listed = opcost(&place, "report a.opc --list lines --json -").expect(0).json();
    let rows = listed["rows"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["count_is_executions"] != true), "{listed:#}");
}

/// Two functions with code of one line: neither sum nor part is the line's number.
#[test]
fn a_line_of_two_functions_has_no_number() {
    let place = cases();
    let own = count(&place, "-O0", "shared_lines.cpp");
    let of = |line| own.iter().find(|((_, one), _)| *one == line).map(|(_, of)| *of);
    assert_eq!(of(6), Some((None, false)), "two forms of the destructor: {own:?}");
    assert_eq!(of(7), Some((Some(1), true)), "the body is in one of them: {own:?}");
    assert_eq!(of(8), Some((None, false)), "two forms of the destructor: {own:?}");
    assert_eq!(of(12), Some((Some(7), true)), "instances of a template add up: {own:?}");
    assert_eq!(of(17), Some((None, false)), "a lambda and the call of it: {own:?}");
}

/// Programs of the corpus without arguments: every number that is called the line's own is that of the
/// module as it was written, at each level.
#[test]
fn no_other_number_goes_without_a_mark() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let (mut programs, mut differ, mut own) = (0, 0, 0);
    for folder in ["hostile", "loops"] {
        let mut paths: Vec<_> = std::fs::read_dir(corpus(folder))
            .expect("programs")
            .map(|entry| entry.expect("one").path())
            .collect();
        paths.sort();
        for path in paths {
            let ending = path.extension().and_then(|ending| ending.to_str());
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Signals and threads come when they like.
            if name.starts_with("signal") || name.starts_with("threads") {
                continue;
            }
            if !matches!(ending, Some("c" | "cpp")) || !text.contains("main(") || programs >= 24 {
                continue;
            }
            let line = format!("count -i --deterministic --anchor source --json - {}", path.display());
            let said = opcost(&place, &line);
            let Ok(written) = serde_json::from_str::<Value>(&said.stdout) else { continue };
            if written["quality"]["kind"] != "exact" {
                continue;
            }
            let written = lines(&written);
            programs += 1;
            for level in ["-O0", "-O2"] {
                let line = format!("count -i --deterministic {level} --json - {}", path.display());
                let Ok(built) = serde_json::from_str::<Value>(&opcost(&place, &line).stdout) else {
                    continue;
                };
                for (at, (count, is_own)) in lines(&built) {
                    let right = match written.get(&at) {
                        // Written in another manner, where clang makes one of two equal functions.
                        None | Some((None, _)) => continue,
                        Some((right, _)) => *right,
                    };
                    differ += u32::from(count != right);
                    own += u32::from(is_own);
                    assert!(!is_own || count == right, "{level} {at:?}: {count:?}, and {right:?} is right");
                }
            }
        }
    }
    println!("{programs} programs, {differ} lines differ, {own} are the lines' own");
    assert!(programs >= 20 && differ > 0 && own > 0, "{programs} programs, {differ} lines differ, {own} own");
}
