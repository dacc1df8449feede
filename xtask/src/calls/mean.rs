//! What does a library function cost on usual arguments?
//!
//! The programs run once under callgrind. What it says was spent below `at_NAME`, divided by
//! the calls, is the cost. Handlers call more by the compiler's hand: where NAME itself is among
//! the callees, it alone counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::programs::{FLAGS, twin, units, write_sources};
use crate::command::output_of;
use crate::failure::{Failure, Result};

/// The weight of each function.
pub(super) fn measure(folder: &Path) -> Result<BTreeMap<String, u64>> {
    write_sources(folder)?;
    output_of(
        Command::new("clang++-22")
            .args(FLAGS)
            .args(units())
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

/// Calls of one function, and instructions below them.
#[derive(Clone, Copy, Default)]
struct Below {
    calls: u64,
    instructions: u64,
}

/// Reads callgrind's file: `fn=` says who runs, `cfn=` and `calls=` whom it calls, and the line
/// after that how much was spent there.
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
}
