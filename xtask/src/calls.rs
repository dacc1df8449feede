//! What does a call of a library function cost, in machine instructions?
//!
//! `cargo xtask calls [NAME…]` compiles the programs beside this file, runs them once
//! under callgrind and writes the table by which `fuel/1` charges such calls
//! (`crates/library/src/charges.txt`). For each function NAME there is a
//! function `at_NAME` that calls it and nothing else; what callgrind says was
//! spent below it, divided by the calls, is the cost. Handlers call more by the
//! compiler's hand: where NAME itself is among the callees, it alone counts.
//!
//! The worst is looked for by the same programs, built another way (`calls/search.rs`). Each call is
//! counted by itself, and beside it what is charged besides the weight: by lengths that are
//! arguments, and by opcost's library. Instructions of opcost's library count as done and not
//! as charged. A weight is raised where more than [`WANTED`] times of the charge were found.
//! Two kinds of arguments are tried. `worst_…` in the programs knows what is hard, over lengths up
//! to 10^6. `drawn_…` and `fields.cpp` draw, by a fixed seed, about 10^4 times for a function.
//! They draw each argument with its fields and flags, and states of streams, strings and
//! allocators. They also draw what the process has: zone, locale, environment, rounding.
//! `cargo xtask charges [NAME…]` runs the same search and writes nothing. It prints for each
//! function the worst that it found, of how many calls, and the argument that led there.
//! What no program measures has no worst in the table. By `compiled`, `once` and `frames` a hand
//! wrote what a row is; a test holds that what is `compiled` is. Another measures again, less of
//! it, and holds every worst.
//!
//! Limits: the mean over the arguments that the programs give, after one round
//! to warm up; the libraries and the processor of the machine it runs on (two
//! runs on one differ by one in a few lines); the kernel's work is not seen.

use std::collections::BTreeMap;
use std::fs;

use crate::failure::{Failure, Result};

mod mean;
mod programs;
mod search;

use search::{Calls, Sample, Search};

const TABLE: &str = "crates/library/src/charges.txt";

/// What the library may take at most, in times of what is charged, before a weight is raised.
const WANTED: f64 = 3.5;

/// Measures and writes the table: all of it, or the rows of these names.
pub(crate) fn write(names: &[&str]) -> Result<()> {
    let root = crate::root::repository()?;
    let folder = root.join("target/calls");
    let table = root.join(TABLE);
    let old = fs::read_to_string(&table).map_err(|error| Failure::at("read", &table, error))?;
    let (header, mut rows) = read_table(&old);
    let weights = mean::measure(&folder)?;
    let worst = search::worst(&root, &folder, Search { longest: LONGEST, thinness: 1, names })?;
    let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
    for (name, rest) in rows.iter_mut().filter(|(name, _)| is_wanted(name)) {
        if !is_unmeasured(rest) && !weights.contains_key(name) {
            rest.truncate(rest.find(' ').unwrap_or(rest.len()));
        }
    }
    for (name, mean) in weights.into_iter().filter(|(name, _)| is_wanted(name)) {
        if !rows.get(&name).is_some_and(|rest| is_unmeasured(rest)) {
            let row = row(mean, worst.get(&name));
            rows.insert(name, row);
        }
    }
    let lines = rows.iter().map(|(name, rest)| format!("{name} {rest}\n"));
    fs::write(&table, header + &lines.collect::<String>())
        .map_err(|error| Failure::at("write", &table, error))?;
    println!("{}: {} functions", TABLE, rows.len());
    Ok(())
}

/// Searches for the worst, and prints it for each function with the argument, the worst first.
pub(crate) fn search(names: &[&str]) -> Result<()> {
    let root = crate::root::repository()?;
    let folder = root.join("target/calls");
    let table = root.join(TABLE);
    let text = fs::read_to_string(&table).map_err(|error| Failure::at("read", &table, error))?;
    let (_, rows) = read_table(&text);
    let measured = search::worst(&root, &folder, Search { longest: LONGEST, thinness: 1, names })?;
    let mut found: Vec<(f64, String)> = Vec::new();
    for (name, calls) in &measured {
        let weight = rows.get(name).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        let Some(weight) = weight else { continue };
        let by_times = |a: &&Sample, b: &&Sample| times_of(weight, a).total_cmp(&times_of(weight, b));
        let Some(most) = calls.samples.iter().max_by(by_times) else { continue };
        let (times, words) = (times_of(weight, most), &most.words);
        let (done, charged) = (most.done, weight * most.calls + most.charged);
        found.push((
            times,
            format!("{times:.1} {name}: {done} done, {charged} charged, {} calls   {words}", calls.made),
        ));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.iter().for_each(|(_, words)| println!("{words}"));
    Ok(())
}

/// The longest text or memory that the worst is looked for on, in bytes.
const LONGEST: usize = 1_000_000;

/// Words of rows that are not measured.
const WORDS: [&str; 3] = ["compiled", "once", "frames"];

fn is_unmeasured(rest: &str) -> bool {
    rest.split(' ').any(|word| WORDS.contains(&word))
}

/// The lines at the start, and what follows each name.
fn read_table(text: &str) -> (String, BTreeMap<String, String>) {
    let (header, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let rows = lines.iter().filter_map(|line| line.split_once(' '));
    let header = header.iter().map(|line| format!("{line}\n")).collect();
    (header, rows.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect())
}

/// The weight, raised where the worst asks for it, and the worst in times of the charge. What is charged besides
/// is no part of the weight.
fn row(mean: u64, calls: Option<&Calls>) -> String {
    let Some(calls) = calls else { return mean.to_string() };
    let mean = mean.saturating_sub(calls.usually).max(1);
    let needed =
        calls.samples.iter().map(|one| (one.done as f64 / WANTED - one.charged as f64) / one.calls as f64);
    let needed = needed.fold(0.0, f64::max).ceil() as u64;
    // What would cost usual calls more than sixteen times is not charged so.
    let weight = if needed > mean && needed <= 16 * mean + 200 { needed } else { mean };
    format!("{weight} {:.1} {}", (times(weight, &calls.samples) * 10.0).ceil() / 10.0, calls.made)
}

/// What one sample takes, in times of what is charged.
fn times_of(weight: u64, one: &Sample) -> f64 {
    one.done as f64 / (weight as f64 * one.calls as f64 + one.charged as f64)
}

/// The worst, in times of what is charged.
fn times(weight: u64, samples: &[Sample]) -> f64 {
    samples.iter().map(|one| times_of(weight, one)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::programs::twin;
    use super::*;

    #[test]
    fn the_worst_raises_a_weight() {
        let sample = |calls, done, charged| Sample { calls, done, charged, ..Sample::default() };
        let row = |mean, usually, samples: &[Sample]| {
            super::row(mean, Some(&Calls { made: 7, usually, samples: samples.to_vec() }))
        };
        assert_eq!(row(20, 0, &[sample(1, 400, 60), sample(1, 10, 0)]), "55 3.5 7");
        assert_eq!(row(200, 0, &[sample(1, 400, 60)]), "200 1.6 7");
        assert_eq!(row(10, 0, &[sample(1, 4000, 0)]), "10 400.0 7");
        assert_eq!(row(60, 20, &[sample(1, 10, 20)]), "40 0.2 7");
        assert_eq!(super::row(10, None), "10");
        // Those of an allocator count together.
        assert_eq!(row(100, 0, &[sample(2, 500, 0), sample(1, 900, 200)]), "100 3.0 7");
    }

    /// What a row says to be compiled with the program is.
    #[test]
    fn what_is_compiled_is_in_the_library() {
        let root = crate::root::repository().expect("the repository");
        let (_, rows) = read_table(&fs::read_to_string(root.join(TABLE)).expect("the table"));
        let listed = fs::read_to_string(root.join("crates/runtime/src/library.rs")).expect("the list");
        let compiled: Vec<&String> =
            rows.iter().filter(|(_, rest)| *rest == "compiled").map(|(name, _)| name).collect();
        assert!(compiled.len() > 50);
        let missing: Vec<_> =
            compiled.iter().filter(|name| !listed.contains(&format!("\"{name}\""))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// What one call of an allocator puts in order, others have left.
    fn is_allocation(name: &str) -> bool {
        ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|start| name.starts_with(start))
            || "malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign atexit __cxa_atexit"
                .split(' ')
                .any(|known| known == name)
    }

    /// Measured again, on shorter lengths and fewer arguments: every row that says a worst was measured, and no
    /// call does more than four times of what is charged where the table says so.
    #[test]
    fn the_worst_of_the_table_holds() {
        let root = crate::root::repository().expect("the repository");
        let folder = root.join("target/tmp/calls-held");
        let (_, rows) = read_table(&fs::read_to_string(root.join(TABLE)).expect("the table"));
        let measured = search::worst(&root, &folder, Search { longest: 10_000, thinness: 40, names: &[] })
            .unwrap_or_else(|error| panic!("{error}"));
        let (mut held, mut wrong) = (0, Vec::new());
        for (name, rest) in rows.iter().filter(|(_, rest)| !is_unmeasured(rest)) {
            let [weight, worst, _] = rest.split(' ').collect::<Vec<_>>()[..] else { continue };
            let (weight, worst): (u64, f64) =
                (weight.parse().expect("a weight"), worst.parse().expect("a worst"));
            let Some(calls) = measured.get(name) else {
                wrong.push(format!("{name}: its worst is not measured"));
                continue;
            };
            // Of an allocator's calls a few say nothing of their mean.
            let times = if is_allocation(name) { worst } else { times(weight, &calls.samples) };
            if worst <= 4.0 && times > 4.0 {
                wrong.push(format!("{name} {rest}: {times:.1} times"));
            }
            held += 1;
        }
        assert!(wrong.is_empty() && held > 450, "{held} held; {}", wrong.join("\n"));
    }

    /// What has few calls has no arguments, and does the same each time.
    #[test]
    fn rows_are_of_many_calls() {
        let root = crate::root::repository().expect("the repository");
        let (_, rows) = read_table(&fs::read_to_string(root.join(TABLE)).expect("the table"));
        let calls = |rest: &str| rest.split(' ').nth(2).and_then(|calls| calls.parse::<u64>().ok());
        let few: Vec<_> =
            rows.iter().filter(|(_, rest)| calls(rest).is_some_and(|made| made < 9_900)).collect();
        assert!(few.len() <= 47, "{few:?}");
    }

    #[test]
    fn constructors_have_two_names() {
        assert_eq!(twin("_ZNSt11logic_errorC1EPKc").as_deref(), Some("_ZNSt11logic_errorC2EPKc"));
        assert_eq!(twin("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev"), None);
        assert_eq!(twin("_Znwm"), None);
    }
}
