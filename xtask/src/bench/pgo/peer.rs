//! What does LLVM alone make of samples, where the processor records no branches?
//!
//! `perf` takes addresses of the training, which is linked to fixed addresses and has
//! line tables. `llvm-profgen` takes no such samples of perf, but ranges of addresses with
//! counts: each sampled instruction is one of its own. Code that was not hit, in functions
//! that were, is told as such by the symbols' extents. clang loads the profile with its
//! inference of counts ("profi").

use super::workshop::Workshop;
use crate::command;
use crate::failure::{Failure, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Programs that are linked to fixed addresses are below; libraries and the kernel above.
const PROGRAM_ENDS: u64 = 1 << 32;

/// The profile's path.
pub(super) fn profile(workshop: &Workshop) -> Result<String> {
    let (program, samples) = (workshop.path("lines"), workshop.path("lines.data"));
    let training = workshop.training.display().to_string();
    let lines = ["-gline-tables-only", "-fdebug-info-for-profiling", "-no-pie"];
    workshop.clang(
        &[&lines[..], &[&workshop.sqlite.display().to_string(), &training, "-lm", "-o", &program]].concat(),
    )?;
    let rows = workshop.rows.to_string();
    let record =
        ["record", "-q", "-e", "cpu-clock", "-F", &workshop.rate, "-o", &samples, "--", &program, &rows];
    command::output_of(Command::new("perf").args(record))?;
    let addresses = command::output_of(Command::new("perf").args(["script", "-i", &samples, "-F", "ip"]))?;
    let symbols = command::output_of(Command::new("llvm-nm-22").args(["-S", "--defined-only", &program]))?;
    let (ranges, profile) = (workshop.path("lines.ranges"), workshop.path("lines.profile"));
    let text = ranges_of(&hits_of(&addresses), &functions_of(&symbols));
    fs::write(&ranges, text).map_err(|error| Failure::at("write", Path::new(&ranges), error))?;
    let named = |flag: &str, value: &str| format!("--{flag}={value}");
    let flags =
        [named("unsymbolized-profile", &ranges), named("binary", &program), named("output", &profile)];
    // The addresses are those of the linker, not offsets in the file.
    let how = ["--use-offset=0", "--format=text"];
    command::output_of(Command::new("llvm-profgen-22").args(flags).args(how))?;
    Ok(profile)
}

/// Samples of each address of the program.
fn hits_of(addresses: &str) -> BTreeMap<u64, u64> {
    let mut hits = BTreeMap::new();
    let numbers = addresses.lines().filter_map(|line| u64::from_str_radix(line.trim(), 16).ok());
    for address in numbers.filter(|&address| address < PROGRAM_ENDS) {
        *hits.entry(address).or_default() += 1;
    }
    hits
}

/// First and last address of each function, by first address.
fn functions_of(symbols: &str) -> Vec<(u64, u64)> {
    let mut functions: Vec<(u64, u64)> = symbols
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[start, bytes, "t" | "T", _] = words.as_slice() else { return None };
            let (start, bytes) = (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(bytes, 16).ok()?);
            (bytes > 0).then(|| (start, start + bytes - 1))
        })
        .collect();
    functions.sort_unstable();
    functions.dedup_by_key(|function| function.0);
    functions
}

/// As `llvm-profgen` reads it: how many ranges, each with its count, no branches.
fn ranges_of(hits: &BTreeMap<u64, u64>, functions: &[(u64, u64)]) -> String {
    let mut lines = Vec::new();
    for &(first, last) in functions {
        if hits.range(first..=last).next().is_some() {
            lines.push(format!("{first:x}-{last:x}:0"));
        }
    }
    lines.extend(hits.iter().map(|(address, count)| format!("{address:x}-{address:x}:{count}")));
    let mut text = String::new();
    let _ = writeln!(text, "{}\n{}\n0", lines.len(), lines.join("\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_become_ranges() {
        let hits = hits_of("  401000\n401004\n 401000 \n7f0000000000\nffffffff81000000\n\n");
        let functions = functions_of(
            "0000000000401000 0000000000000010 T f\n0000000000402000 0000000000000020 t g\n\
             0000000000403000 0000000000000008 D data\n",
        );
        assert_eq!(functions, [(0x40_1000, 0x40_100f), (0x40_2000, 0x40_201f)]);
        let text = "3\n401000-40100f:0\n401000-401000:2\n401004-401004:1\n0\n";
        assert_eq!(ranges_of(&hits, &functions), text);
    }
}
