//! The page: the figures of all sets and levels, and what follows from them.

use super::bitcode;
use super::join::{Comparison, Tally};
use super::marked::Marked;
use super::outcome::Outcome;
use super::row::Kind;
use crate::bench::machine::Facts;
use crate::failure::{Failure, Result};
use std::fmt::Write;

/// How many loops of a list are named.
const NAMED: usize = 40;

/// What was aimed at, in per cent of all loops: set, level, exact, resolved.
const TARGETS: &[(&str, &str, f64, f64)] =
    &[("fortran", "-O1", 98.0, 80.0), ("c", "-O0", 93.0, 80.0), ("c", "-O1", 93.0, 80.0)];

/// CPU seconds and millions of bytes that SQLite may take.
const SQLITE_LIMIT: (f64, f64) = (4.0, 400.0);

/// All of it; with the reason, if nothing was verified.
pub(super) fn write(outcomes: &[Outcome], reason: Option<&str>, facts: &Facts) -> Result<String> {
    let mut page = String::new();
    compose(&mut page, outcomes, reason, facts)
        .map_err(|error| Failure::new(format!("cannot write the page: {error}")))?;
    Ok(page)
}

fn compose(page: &mut String, outcomes: &[Outcome], reason: Option<&str>, facts: &Facts) -> std::fmt::Result {
    introduction(page, facts)?;
    table(page, outcomes)?;
    ceilings(page, outcomes)?;
    goals(page, outcomes)?;
    lists(page, outcomes)?;
    marks(page, outcomes)?;
    times(page, outcomes)?;
    verification(page, outcomes, reason)
}

fn introduction(page: &mut String, facts: &Facts) -> std::fmt::Result {
    writeln!(page, "# What is known of loops before they run\n")?;
    writeln!(
        page,
        "Written by `cargo xtask bench loops`; the next run replaces it. A row is one natural loop of"
    )?;
    writeln!(
        page,
        "one module of bitcode, about which both were asked; the programs are in `corpus/loops`.\n"
    )?;
    writeln!(page, "| | |\n|---|---|")?;
    for (name, value) in facts.iter().filter(|(name, _)| *name != "valgrind") {
        writeln!(page, "| {name} | {} |", one_line(value))?;
    }
    writeln!(page, "| -O0 | is promoted by `opt -passes='{}'` |", bitcode::PROMOTION)?;
    writeln!(
        page,
        "| LLVM | `xtask/oracle/evolution.cpp`: ScalarEvolution's exact, symbolic and constant counts |"
    )
}

/// Three lines for each set and level: theirs, ours, and ours where theirs has
/// no exact count.
fn table(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    writeln!(
        page,
        "\n## Loops by what is known of them\n\n\
         `named`: a formula over named inputs; LLVM names none, so for it over parameters alone. `loads`: a formula\n\
         over anything else. `exact` is these three, `resolved` the first two. `wrong` is by runs.\n"
    )?;
    writeln!(
        page,
        "| set | level | | loops | constant | named | loads | bound | unknown | wrong | exact | resolved |\n\
         |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for Outcome { set, level, comparison, .. } in outcomes {
        line(page, &format!("{set} | {level} | LLVM"), &comparison.theirs, "")?;
        let Some(ours) = &comparison.ours else { continue };
        line(page, " | | opcost", ours, &comparison.verified.wrong.to_string())?;
        line(page, " | | where LLVM fails", &comparison.where_theirs_fails, "")?;
    }
    Ok(())
}

fn line(page: &mut String, who: &str, tally: &Tally, wrong: &str) -> std::fmt::Result {
    write!(page, "| {who} | {} |", tally.loops())?;
    for kind in Kind::ALL {
        write!(page, " {} |", tally.of(kind))?;
    }
    let share = |part: usize| format!("{:.1} %", percent(part, tally.loops()));
    writeln!(page, " {wrong} | {} | {} |", share(tally.exact()), share(tally.resolved()))
}

/// Part of whole, in per cent; nothing of nothing is all of it.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// How much can be known at all.
fn ceilings(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    writeln!(
        page,
        "\n## What can be known, and what was aimed at\n\n\
         `corpus/loops/ceiling.txt` names loops that hang on data: no analysis gives their counts, so the rest is\n\
         the most that can be exact.\n"
    )?;
    writeln!(page, "| set | level | by data | at most exact | LLVM | opcost | of what can be |")?;
    writeln!(page, "|---|---|---:|---:|---:|---:|---:|")?;
    for Outcome { set, level, comparison, .. } in outcomes.iter().filter(|outcome| has_ceiling(&outcome.set))
    {
        let Comparison { theirs, ours, by_data, .. } = comparison;
        let possible = theirs.loops() - by_data;
        let exact = |tally: &Tally| format!("{:.1} %", percent(tally.exact(), tally.loops()));
        let reached = |tally: &Tally| format!("{:.1} %", percent(tally.exact(), possible));
        writeln!(
            page,
            "| {set} | {level} | {by_data} | {:.1} % | {} | {} | {} |",
            percent(possible, theirs.loops()),
            exact(theirs),
            ours.as_ref().map_or_else(String::new, exact),
            ours.as_ref().map_or_else(String::new, reached),
        )?;
    }
    Ok(())
}

/// What was aimed at: shares of our programs, and never less than LLVM on SQLite
/// and Lua.
fn goals(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    writeln!(page)?;
    for (set, level, exact, resolved) in TARGETS {
        let outcome = outcomes.iter().find(|outcome| outcome.set == *set && outcome.level == *level);
        let Some((by_data, ours)) = outcome
            .and_then(|outcome| outcome.comparison.ours.map(|ours| (outcome.comparison.by_data, ours)))
        else {
            continue;
        };
        let possible = ours.loops() - by_data;
        let share =
            |part: usize| Share { of_all: percent(part, ours.loops()), of_possible: percent(part, possible) };
        goal(page, &format!("{set} {level}, exact"), &share(ours.exact()), *exact)?;
        goal(page, &format!("{set} {level}, resolved"), &share(ours.resolved()), *resolved)?;
    }
    for Outcome { set, level, comparison, .. } in outcomes.iter().filter(|outcome| !has_ceiling(&outcome.set))
    {
        if let Some(ours) = &comparison.ours {
            let (own, theirs) = (ours.exact(), comparison.theirs.exact());
            writeln!(page, "- {set} {level}, exact: opcost {own}, LLVM {theirs}: {}", word(own >= theirs))?;
        }
    }
    Ok(())
}

/// Whether somebody read all of the set's sources for what hangs on data.
fn has_ceiling(set: &str) -> bool {
    matches!(set, "fortran" | "c" | "kernels")
}

/// Shares are of all loops, and of those that do not hang on data.
/// How many loops, in per cent.
struct Share {
    of_all: f64,
    /// Of those that do not hang on data.
    of_possible: f64,
}

fn goal(page: &mut String, what: &str, share: &Share, wanted: f64) -> std::fmt::Result {
    let Share { of_all, of_possible } = *share;
    writeln!(
        page,
        "- {what}: {of_all:.1} % of all, {of_possible:.1} % of what can be, aimed at {wanted:.0} %: {}, {}",
        word(of_all >= wanted),
        word(of_possible >= wanted)
    )
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "**does not hold**" }
}

/// Loop by loop, what should not be.
fn lists(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    type List = fn(&Comparison) -> &[String];
    let kinds: [(&str, List); 4] = [
        ("LLVM has an exact count, opcost has none", |comparison| &comparison.misses),
        ("Both have a number, and not the same", |comparison| &comparison.disagreements),
        ("LLVM has an exact count, opcost a bound", |comparison| &comparison.weaker),
        ("opcost says exact of a loop that hangs on data", |comparison| &comparison.surprising),
    ];
    if outcomes.iter().all(|outcome| outcome.comparison.ours.is_none()) {
        return Ok(());
    }
    for (title, list) in kinds {
        let all: Vec<&String> = outcomes.iter().flat_map(|outcome| list(&outcome.comparison)).collect();
        writeln!(page, "\n## {title}: {}\n", all.len())?;
        for name in all.iter().take(NAMED) {
            writeln!(page, "- {}", one_line(name))?;
        }
        if all.len() > NAMED {
            writeln!(page, "- and {} more", all.len() - NAMED)?;
        }
        if all.is_empty() {
            writeln!(page, "None.")?;
        }
    }
    let only_ours: usize = outcomes.iter().map(|outcome| outcome.comparison.only_ours).sum();
    writeln!(page, "\nRows of opcost's that LLVM has no loop for (irreducible regions): {only_ours}.")
}

/// The hard loops, each with a mark that says what can be known of it.
fn marks(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    let Some(marked) = outcomes.iter().find_map(|outcome| outcome.marked.as_ref()) else { return Ok(()) };
    let Marked { held, weak, wrong, not_judged } = marked;
    writeln!(page, "\n## Marked loops of `corpus/loops/hard`, at -O0\n")?;
    writeln!(
        page,
        "{held} as marked, {} weaker, {} wrong, {not_judged} not judged.\n",
        weak.len(),
        wrong.len()
    )?;
    for (word, list) in [("wrong", wrong), ("weaker", weak)] {
        for name in list {
            writeln!(page, "- {word}: {}", one_line(name))?;
        }
    }
    Ok(())
}

fn times(page: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    let timed: Vec<_> =
        outcomes.iter().filter_map(|outcome| outcome.taken.map(|taken| (outcome, taken))).collect();
    if timed.is_empty() {
        return Ok(());
    }
    writeln!(page, "\n## SQLite, from bitcode to answers\n")?;
    writeln!(
        page,
        "CPU seconds (user and system) and peak resident memory of one process. LLVM's prints no"
    )?;
    writeln!(page, "expressions, which is what its own printer needs minutes for.\n")?;
    writeln!(page, "| level | LLVM | | opcost | | |\n|---|---:|---:|---:|---:|---|")?;
    for (outcome, (theirs, ours)) in timed {
        write!(page, "| {} | {:.2} s | {:.0} MB |", outcome.level, theirs.seconds, theirs.megabytes)?;
        match ours {
            Some(ours) => {
                let holds = ours.seconds <= SQLITE_LIMIT.0 && ours.megabytes <= SQLITE_LIMIT.1;
                writeln!(page, " {:.2} s | {:.0} MB | {} |", ours.seconds, ours.megabytes, word(holds))?;
            }
            None => writeln!(page, " | | |")?,
        }
    }
    writeln!(page, "\nThe limit is {:.0} s and {:.0} MB.", SQLITE_LIMIT.0, SQLITE_LIMIT.1)
}

fn verification(page: &mut String, outcomes: &[Outcome], reason: Option<&str>) -> std::fmt::Result {
    writeln!(page, "\n## Claims against runs\n")?;
    if let Some(reason) = reason {
        return writeln!(page, "Not verified: {}.", one_line(reason));
    }
    writeln!(page, "| set | level | held | never entered | wrong | assumption violated |")?;
    writeln!(page, "|---|---|---:|---:|---:|---:|")?;
    for Outcome { set, level, comparison, .. } in outcomes {
        let seen = comparison.verified;
        let (held, wrong) = (seen.held, seen.wrong);
        writeln!(
            page,
            "| {set} | {level} | {held} | {} | {wrong} | {} |",
            seen.not_entered, seen.assumption_violated
        )?;
    }
    Ok(())
}

/// Text that breaks neither a list nor a table.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::super::ceiling::Ceiling;
    use super::super::row::example as row;
    use super::super::verify::Verified;
    use super::*;
    use crate::bench::timed::Taken;

    fn outcome(set: &str, level: &str, has_ours: bool) -> Outcome {
        let theirs = [
            row(1, Kind::Constant, Some(4)),
            row(2, Kind::Loads, None),
            row(3, Kind::Unknown, None),
            row(4, Kind::Bound, None),
        ];
        let ours = [
            row(1, Kind::Constant, Some(4)),
            row(2, Kind::Inputs, None),
            row(3, Kind::Inputs, None),
            row(4, Kind::Bound, None),
        ];
        let mut comparison = Comparison::new(has_ours);
        comparison.add("p", &theirs, has_ours.then_some(&ours[..]), &Ceiling::default());
        comparison.by_data = 1;
        comparison.verified = Verified { held: 9, not_entered: 2, wrong: 0, assumption_violated: 1 };
        let taken = Taken { seconds: 1.5, megabytes: 200.0, ..Taken::default() };
        Outcome {
            set: set.to_owned(),
            level: level.to_owned(),
            comparison,
            marked: None,
            taken: (set == "sqlite").then_some((taken, has_ours.then_some(taken))),
        }
    }

    fn page(outcomes: &[Outcome], reason: Option<&str>) -> String {
        let mut page = String::new();
        compose(&mut page, outcomes, reason, &vec![("date", "to | day".to_owned())]).unwrap();
        page
    }

    #[test]
    fn both_sides_stand_below_each_other() {
        let page = page(&[outcome("c", "-O1", true), outcome("sqlite", "-O2", true)], None);
        for line in [
            "| date | to \\| day |",
            "| c | -O1 | LLVM | 4 | 1 | 0 | 1 | 1 | 1 |  | 50.0 % | 25.0 % |",
            "|  | | opcost | 4 | 1 | 2 | 0 | 1 | 0 | 0 | 75.0 % | 75.0 % |",
            "|  | | where LLVM fails | 2 | 0 | 1 | 0 | 1 | 0 |  | 50.0 % | 50.0 % |",
            "| c | -O1 | 1 | 75.0 % | 50.0 % | 75.0 % | 100.0 % |",
            "- c -O1, exact: 75.0 % of all, 100.0 % of what can be, aimed at 93 %: **does not hold**, holds",
            "- sqlite -O2, exact: opcost 3, LLVM 2: holds",
            "| -O2 | 1.50 s | 200 MB | 1.50 s | 200 MB | holds |",
            "| c | -O1 | 9 | 2 | 0 | 1 |",
            "## LLVM has an exact count, opcost has none: 0",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }

    #[test]
    fn half_a_page_says_so() {
        let page = page(&[outcome("sqlite", "-O2", false)], Some("there is\nno verb"));
        assert!(page.contains("Not verified: there is no verb."), "{page}");
        assert!(page.contains("| -O2 | 1.50 s | 200 MB | | | |"), "{page}");
        assert!(!page.contains("opcost has none"), "{page}");
    }

    #[test]
    fn marks_are_told_with_what_is_wrong_first() {
        let mut one = outcome("hard", "-O0", true);
        let names = |word: &str| vec![format!("a.c:3: {word}")];
        one.marked = Some(Marked { held: 7, weak: names("less"), wrong: names("other"), not_judged: 2 });
        let page = page(&[one], None);
        assert!(page.contains("7 as marked, 1 weaker, 1 wrong, 2 not judged."), "{page}");
        assert!(page.contains("- wrong: a.c:3: other\n- weaker: a.c:3: less\n"), "{page}");
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let mut one = outcome("c", "-O0", true);
        one.comparison.misses = (0..50).map(|number| format!("loop {number}")).collect();
        let page = page(&[one], None);
        assert!(
            page.contains("opcost has none: 50\n") && page.contains("- loop 39\n- and 10 more"),
            "{page}"
        );
    }
}
