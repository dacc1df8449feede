//! What does a call of a library function cost, in machine instructions?
//!
//! `cargo xtask calls` compiles the programs beside this file, runs them once
//! under callgrind and writes the table by which `fuel/1` charges such calls
//! (`crates/instrument/src/cost/calls.txt`). For each function NAME there is a
//! function `at_NAME` that calls it and nothing else; what callgrind says was
//! spent below it, divided by the calls, is the cost. Handlers call more by the
//! compiler's hand: where NAME itself is among the callees, it alone counts.
//!
//! Limits: the mean over the arguments that the programs give, after one round
//! to warm up; the libraries and the processor of the machine it runs on (two
//! runs on one differ by one in a few lines); the kernel's work is not seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::output_of;
use crate::failure::{Failure, Result};

const SOURCES: &[(&str, &str)] = &[
    ("at.h", include_str!("calls/at.h")),
    ("main.cpp", include_str!("calls/main.cpp")),
    ("math.cpp", include_str!("calls/math.cpp")),
    ("c.cpp", include_str!("calls/c.cpp")),
    ("cxx.cpp", include_str!("calls/cxx.cpp")),
    ("text.cpp", include_str!("calls/text.cpp")),
    ("streams.cpp", include_str!("calls/streams.cpp")),
];

/// Without optimisation nothing of the library is inlined; no debug
/// information, which this valgrind cannot always read.
const FLAGS: &[&str] = &["-std=c++20", "-O0", "-g0", "-fno-builtin", "-Wall"];

const TABLE: &str = "crates/instrument/src/cost/calls.txt";

const HEADER: &str = "\
# What fuel/1 charges for calls of library functions: a name and a weight a line.
#
# The unit is one machine instruction of the library, as callgrind counts them:
# the mean over arguments that are usual, after a round to warm up, rounded.
# Written by `cargo xtask calls`, whose programs lie in xtask/src/calls; a test
# (crates/cli/tests/count/calls.rs) measures a sample with a program of its own.
#
# The weight is that of the whole call, in place of 1. What is charged by length
# comes on top (lengths.rs). A name means what the program only declares; names
# that begin with __isoc99_ or __isoc23_ are taken without it. A function that
# is not here costs its call instruction. Limit: what a call walks along beyond
# usual arguments, and what the kernel does for it, is not charged.
";

/// Measures and writes the table.
pub(crate) fn write() -> Result<()> {
    let root = crate::repository()?;
    let folder = root.join("target/calls");
    let weights = measure(&folder)?;
    let mut text = HEADER.to_owned();
    for (name, weight) in &weights {
        text += &format!("{name} {weight}\n");
    }
    let table = root.join(TABLE);
    fs::write(&table, text).map_err(|error| Failure::at("write", &table, error))?;
    println!("{}: {} functions", TABLE, weights.len());
    Ok(())
}

/// The weight of each function.
fn measure(folder: &Path) -> Result<BTreeMap<String, u64>> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("make", folder, error))?;
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    let sources = SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cpp"));
    output_of(
        Command::new("clang++-22")
            .args(FLAGS)
            .args(sources)
            .args(["-lm", "-o", "measure"])
            .current_dir(folder),
    )?;
    // Costs of the round to warm up are thrown away; the loader binds at once.
    output_of(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=callgrind.out", "--zero-before=measured"])
            .args(["--compress-strings=no", "--compress-pos=no", "./measure"])
            .env("LD_BIND_NOW", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .current_dir(folder),
    )?;
    let out = folder.join("callgrind.out");
    let text = fs::read_to_string(&out).map_err(|error| Failure::at("read", &out, error))?;
    let mut weights = BTreeMap::new();
    for (name, weight) in weights_of(&text) {
        if let Some(twin) = twin(&name) {
            weights.insert(twin, weight);
        }
        weights.insert(name, weight);
    }
    Ok(weights)
}

/// The name under which a compiler may call the same constructor or destructor.
fn twin(name: &str) -> Option<String> {
    let is_member = name.starts_with("_ZN");
    let twin = [("C1E", "C2E"), ("D1E", "D2E")].into_iter().find(|(whole, _)| name.contains(whole));
    // Where there is a virtual base, the twin takes another argument.
    let has_virtual_base = name.contains("stream");
    twin.filter(|_| is_member && !has_virtual_base).map(|(whole, base)| name.replacen(whole, base, 1))
}

/// Calls of one function, and instructions below them.
#[derive(Clone, Copy, Default)]
struct Below {
    calls: u64,
    instructions: u64,
}

/// Reads callgrind's file: `fn=` says who runs, `cfn=` and `calls=` whom it
/// calls, and the line behind that how much was spent there.
fn weights_of(text: &str) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<&str, BTreeMap<&str, Below>> = BTreeMap::new();
    let (mut caller, mut callee, mut calls) = ("", "", None);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=at_") {
            caller = name;
        } else if line.starts_with("fn=") {
            caller = "";
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = name;
        } else if let Some(rest) = line.strip_prefix("calls=") {
            calls = rest.split(' ').next().and_then(|number| number.parse::<u64>().ok());
        } else if let Some(times) = calls.take()
            && !caller.is_empty()
        {
            let spent = line.split(' ').nth(1).and_then(|number| number.parse::<u64>().ok());
            let below = found.entry(caller).or_default().entry(callee).or_default();
            below.calls += times;
            below.instructions += spent.unwrap_or(0);
        }
    }
    let cost = |(name, callees): (&str, BTreeMap<&str, Below>)| {
        let all = callees.values().fold(Below::default(), |sum, below| Below {
            calls: sum.calls + below.calls,
            instructions: sum.instructions + below.instructions,
        });
        let below = callees.get(name).copied().unwrap_or(all);
        let mean = (below.instructions + below.calls / 2).checked_div(below.calls)?;
        Some((name.to_owned(), mean.max(1)))
    };
    found.into_iter().filter_map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_below_a_call_is_its_cost() {
        let text = "fn=at_sin\n3 2\ncob=libm\ncfn=0x00a0\ncalls=4 0 \n3 50\n\n\
                    fn=at___cxa_end_catch\n7 9\ncfn=thrower\ncalls=2 0 \n7 900\ncfn=__cxa_end_catch\n\
                    calls=2 0 \n7 61\n\nfn=main\ncfn=at_sin\ncalls=4 3 \n9 58\n";
        let weights = weights_of(text);
        assert_eq!(
            weights.into_iter().collect::<Vec<_>>(),
            [("__cxa_end_catch".to_owned(), 31), ("sin".to_owned(), 13)]
        );
    }

    #[test]
    fn constructors_have_two_names() {
        assert_eq!(twin("_ZNSt11logic_errorC1EPKc").as_deref(), Some("_ZNSt11logic_errorC2EPKc"));
        assert_eq!(twin("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev"), None);
        assert_eq!(twin("_Znwm"), None);
    }
}
