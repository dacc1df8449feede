//! Which call of a function does most for what it is charged?
//!
//! A program makes the calls and keeps those of them that could be the worst (`kept.cpp`). It runs under
//! a tool of valgrind's that counts instructions and that it asks before and after each call
//! (`counter.c`). A call takes a millionth of a second so, where callgrind takes some thousandths to write a part
//! of its file. A test holds that both count the same, within 2 %.
//!
//! Limit: what valgrind emulates otherwise than the processor does is a fortieth of the draws
//! (`step_by_step`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::programs::{build_counter, build_search, twin, write_sources};
use crate::command::output_of;
use crate::failure::{Failure, Result};

/// What the worst is looked for in. Lengths go up to `longest`, and it is one draw in `thinness`. It is all
/// functions, or those of some names.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) longest: usize,
    pub(super) thinness: usize,
    pub(super) names: &'a [&'a str],
}

/// One call; of an allocator those that count together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) calls: u64,
    /// Their instructions.
    pub(super) done: u64,
    /// What was charged besides the weight.
    pub(super) charged: u64,
    /// What was given, in words.
    pub(super) words: String,
}

/// The calls of one function.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls {
    /// How many were measured.
    pub(super) made: u64,
    /// What was charged besides the weight for a call whose arguments are those that the weight is the mean of.
    pub(super) usually: u64,
    /// Those that can be the worst.
    pub(super) samples: Vec<Sample>,
}

/// Calls of every function, by name.
pub(super) fn worst(root: &Path, folder: &Path, search: Search) -> Result<BTreeMap<String, Calls>> {
    write_sources(folder)?;
    build_search(root, folder)?;
    let mut found = counted(folder, search, "worst")?;
    if search.thinness == 1 {
        step_by_step(folder, search, &mut found)?;
    }
    Ok(found)
}

/// One step of the processor takes as long as some thousand under the tool.
const FEWER_STEPS: usize = 40;

/// Valgrind computes with 64 bits where the processor has 80, and so its loops over exponents end early.
/// Functions of such numbers are measured once more by the processor, which stops after each instruction.
fn step_by_step(folder: &Path, search: Search, found: &mut BTreeMap<String, Calls>) -> Result<()> {
    run(Command::new("./worst"), folder, Search { longest: 1, thinness: FEWER_STEPS, ..search }, "steps")?;
    for (name, calls) in calls_of(&read(folder, "notes.txt")?) {
        let all = found.entry(name).or_default();
        all.made += calls.made;
        all.samples.extend(calls.samples);
    }
    Ok(())
}

fn counted(folder: &Path, search: Search, way: &str) -> Result<BTreeMap<String, Calls>> {
    let tools = build_counter(folder)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=counter", "./worst"]).env("VALGRIND_LIB", tools);
    run(valgrind, folder, search, way)?;
    Ok(calls_of(&read(folder, "notes.txt")?))
}

fn run(mut command: Command, folder: &Path, search: Search, way: &str) -> Result<()> {
    command.args([&search.longest.to_string(), way, &search.thinness.to_string()]);
    // The loader binds at once.
    command.args(search.names).env("LD_BIND_NOW", "1").env("LC_ALL", "C");
    output_of(command.stdin(Stdio::null()).current_dir(folder)).map(drop)
}

fn read(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    let bytes = fs::read(&path).map_err(|error| Failure::at("read", &path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The function that does nothing: what it takes is the measuring's own.
const NOTHING: &str = "opc_nothing";

/// Reads the notes, whose form `kept.cpp` has.
fn calls_of(notes: &str) -> BTreeMap<String, Calls> {
    let mut found: BTreeMap<String, Calls> = BTreeMap::new();
    for line in notes.lines() {
        let (numbers, words) = line.split_once(" of ").unwrap_or((line, ""));
        let parts: Vec<&str> = numbers.split(' ').collect();
        let number = |at: usize| parts.get(at).and_then(|part| part.parse::<u64>().ok());
        if let (["all", name, ..], Some(made), Some(usual), Some(charged)) =
            (&parts[..], number(2), number(3), number(4))
        {
            let calls = found.entry((*name).to_owned()).or_default();
            (calls.made, calls.usually) = (made, charged.checked_div(usual).unwrap_or(0));
        } else if let (Some(done), Some(charged), Some(calls)) = (number(1), number(2), number(3)) {
            let sample = Sample { calls, done, charged, words: words.to_owned() };
            found.entry(parts[0].to_owned()).or_default().samples.push(sample);
        }
    }
    let nothing = found.remove(NOTHING).unwrap_or_default();
    let own = nothing.samples.iter().map(|one| one.done / one.calls).min().unwrap_or(0);
    for sample in found.values_mut().flat_map(|calls| &mut calls.samples) {
        sample.done = sample.done.saturating_sub(own * sample.calls).max(1);
    }
    let twins: Vec<_> = found.iter().filter_map(|(name, calls)| Some((twin(name)?, calls.clone()))).collect();
    found.extend(twins);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read() {
        let found = calls_of(
            "f 430 60 1 of 7 letters of x\nf 40 0 1\nall f 900 2 8\nopc_nothing 30 0 1\nall opc_nothing 4 0 0\n",
        );
        let sample = |done, charged, words: &str| Sample { calls: 1, done, charged, words: words.to_owned() };
        let samples = vec![sample(400, 60, "7 letters of x"), sample(10, 0, "")];
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("f".to_owned(), Calls { made: 900, usually: 4, samples })]
        );
    }

    /// Instructions of each part of callgrind's file.
    fn parts(text: &str) -> Vec<(&str, u64)> {
        let (mut done, mut name) = (Vec::new(), None);
        for line in text.lines() {
            if let Some(label) = line.strip_prefix("desc: Trigger: Client Request: ") {
                name = Some(label.trim());
            } else if let Some(total) =
                line.strip_prefix("summary: ").or_else(|| line.strip_prefix("totals: "))
                && let Some(name) = name.take()
            {
                done.push((name, total.trim().parse().expect("a number")));
            }
        }
        done
    }

    /// The same calls, counted by callgrind and by the tool that the search uses.
    #[test]
    fn callgrind_counts_the_same() {
        let root = crate::root::repository().expect("the repository");
        let folder = root.join("target/tmp/calls-counted");
        let names = [
            "opc_nothing",
            "sin",
            "pow",
            "fmodl",
            "memcpy",
            "strtod",
            "localtime",
            "vsprintf",
            "_ZNSolsEd",
            "__dynamic_cast",
        ];
        let search = Search { longest: 100, thinness: 500, names: &names };
        let measured = (|| {
            write_sources(&folder)?;
            build_search(&root, &folder)?;
            let ours = counted(&folder, search, "each")?;
            let mut valgrind = Command::new("valgrind");
            valgrind.args([
                "--tool=callgrind",
                "--callgrind-out-file=worst.out",
                "--combine-dumps=yes",
                "./worst",
            ]);
            run(valgrind, &folder, search, "parts")?;
            Ok::<_, Failure>((ours, read(&folder, "worst.out")?))
        })();
        let (ours, text) = measured.unwrap_or_else(|error| panic!("{error}"));
        let mut theirs: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        parts(&text).into_iter().for_each(|(name, done)| theirs.entry(name).or_default().push(done));
        let own = theirs["opc_nothing"].iter().min().copied().expect("calls of nothing");
        let (mut same, mut all) = (0, 0);
        for (name, calls) in &ours {
            assert_eq!(calls.samples.len(), theirs[name.as_str()].len(), "{name}");
            for (one, theirs) in calls.samples.iter().zip(&theirs[name.as_str()]) {
                let theirs = (theirs - own).max(1);
                let is_near = one.done.abs_diff(theirs) * 100 <= 2 * theirs + 400;
                (all, same) = (all + 1, same + usize::from(is_near));
            }
        }
        // Places in memory differ, and callgrind counts some instructions less where it leaves a block early.
        assert!(ours.len() == 9 && all > 400 && same * 100 >= all * 99, "{same} of {all}");
    }
}
