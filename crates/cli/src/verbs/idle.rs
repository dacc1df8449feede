//! Was a flag given that does nothing here?
//!
//! A flag that is accepted is believed: who writes `--ledger run.opc` beside `--emit exe` expects a ledger.
//! So flags that a command line leaves without work are refused, before anything is built. Which those are
//! depends on what else was given: a program that is built already, `--emit`, `--list`, `--update`. Only
//! what stands on the command line counts, and no default.
//!
//! Input: what clap read. Cost: the first bytes of an input. Limit: flags that only some inputs of a verb
//! have a use for are looked at in the verb (`selection`).

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use super::show::save_failure_json;
use crate::arguments::Arguments;
use opcost_answer::Failure;
use opcost_toolchain::input::{Input, Language};

/// Flags that leave others without work.
struct Rule {
    verbs: &'static [&'static str],
    applies: fn(&ArgMatches) -> bool,
    /// As clap knows them; those that a verb does not have are not looked for.
    idle: &'static [&'static str],
    why: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        verbs: &["count", "fuel", "sample", "values"],
        applies: is_built,
        idle: &[
            "level",
            "cflags",
            "include",
            "define",
            "library",
            "library_path",
            "anchor",
            "cost",
            "codegen",
            "time",
            "paths",
            "placement",
            "placement_from",
            "threads",
            "optimised",
        ],
        why: "the program is built already; give its sources to build it in another way",
    },
    Rule {
        verbs: &["count", "sample"],
        applies: |flags| is_given(flags, "emit"),
        idle: &[
            "annotate",
            "asm",
            "ir",
            "function",
            "top",
            "full",
            "list",
            "sort",
            "html",
            "ledger",
            "budget",
            "baseline",
            "stdin",
            "stdout",
            "repeat",
            "pass_status",
            "ignore_status",
            "rate",
            "overhead",
            "solver",
            "arguments",
        ],
        why: "--emit builds and runs nothing; give it when the program is run",
    },
    Rule {
        verbs: &["fuel", "values"],
        applies: |flags| is_given(flags, "emit"),
        idle: &["top", "sort", "stdin", "stdout", "ignore_status", "arguments"],
        why: "--emit builds and runs nothing; give it when the program is run",
    },
    Rule {
        verbs: &["count", "sample", "report"],
        applies: |flags| is_given(flags, "list"),
        idle: &["annotate", "asm", "ir", "function", "full", "html"],
        why: "--list replaces the report",
    },
    Rule {
        verbs: &["check"],
        applies: |flags| is_given(flags, "update"),
        idle: &["format"],
        why: "--update writes limits and prints them as text",
    },
];

/// Refuses flags that do nothing.
///
/// # Errors
/// The first one, with what leaves it without work.
pub(crate) fn check(arguments: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, flags)) = arguments.subcommand() else { return Ok(()) };
    let rules = RULES.iter().filter(|rule| rule.verbs.contains(&verb) && (rule.applies)(flags));
    let mut idle = rules.flat_map(|rule| rule.idle.iter().map(|flag| (*flag, rule.why)));
    let result = match idle.find(|(flag, _)| is_given(flags, flag)) {
        None => Ok(()),
        Some((flag, why)) => {
            Err(Failure::Usage(format!("{} would do nothing here: {why}", name(verb, flag))))
        }
    };
    if let Ok(json) = flags.try_get_one::<PathBuf>("json") {
        save_failure_json(&result, json.map(PathBuf::as_path));
    }
    result
}

fn is_given(flags: &ArgMatches, flag: &str) -> bool {
    let is_there = flags.try_contains_id(flag).unwrap_or(false);
    is_there && flags.value_source(flag) == Some(ValueSource::CommandLine)
}

/// Whether the one input is a program.
fn is_built(flags: &ArgMatches) -> bool {
    let Ok(Some(mut inputs)) = flags.try_get_many::<PathBuf>("inputs") else { return false };
    let is_program =
        |path: &Path| matches!(Input::classify(path), Ok(Input { language: Language::Program, .. }));
    // What cannot be read is told by the verb.
    inputs.len() == 1 && inputs.next().is_some_and(|path| is_program(path))
}

/// A flag as a user writes it.
fn name(verb: &str, flag: &str) -> String {
    let command = Arguments::command();
    let verbs = command.find_subcommand(verb);
    let flag = verbs.and_then(|verb| verb.get_arguments().find(|one| one.get_id() == flag));
    match flag.map(|flag| (flag.get_long(), flag.get_short())) {
        Some((Some(long), _)) => format!("--{long}"),
        Some((None, Some(short))) => format!("-{short}"),
        _ => "what follows --".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{RULES, check, name};
    use crate::arguments::Arguments;

    /// A misspelt flag of a rule would never be refused.
    #[test]
    fn every_rule_names_flags_that_there_are() {
        let command = Arguments::command();
        for rule in RULES {
            for verb in rule.verbs {
                assert!(command.find_subcommand(verb).is_some(), "{verb}");
            }
            for flag in rule.idle {
                let has = |verb: &&str| {
                    let verb = command.find_subcommand(verb).expect("a verb");
                    verb.get_arguments().any(|one| one.get_id() == *flag)
                };
                assert!(rule.verbs.iter().any(has), "{flag}");
            }
        }
    }

    #[test]
    fn what_is_given_is_refused_and_what_is_usual_is_not() {
        let check = |words: &[&str]| {
            let words = [&["opcost"], words].concat();
            check(&Arguments::command().try_get_matches_from(words).expect("understood"))
        };
        let refused = |words: &[&str]| check(words).expect_err("refused").to_string();
        assert!(check(&["count", "--emit", "exe", "-o", "p", "-O2", "a.c"]).is_ok());
        let words = refused(&["count", "--emit", "exe", "-o", "p", "--ledger", "l.opc", "a.c"]);
        assert!(words.contains("--ledger would do nothing here: --emit builds"), "{words}");
        let words = refused(&["count", "--emit", "exe", "-o", "p", "a.c", "--", "3"]);
        assert!(words.contains("what follows -- would do nothing"), "{words}");
        assert!(check(&["report", "l.opc", "--list", "lines", "--sort", "place"]).is_ok());
        assert!(refused(&["report", "l.opc", "--list", "lines", "--html", "p.html"]).contains("--html"));
        let words = refused(&["check", "--update", "--reason", "r", "--format", "github"]);
        assert!(words.contains("--format would do nothing"), "{words}");
        // Its own program stands for one that is built.
        let own = std::env::current_exe().expect("a path");
        let own = own.to_str().expect("UTF-8");
        assert!(check(&["count", own]).is_ok() && check(&["count", "a.c", "-O3"]).is_ok());
        assert!(refused(&["count", "-O2", own]).contains("-O would do nothing here: the program is built"));
        assert!(refused(&["fuel", "--cost", "unit/1", own]).contains("--cost would do nothing"));
        assert_eq!(name("count", "cflags"), "--cflag");
    }
}
