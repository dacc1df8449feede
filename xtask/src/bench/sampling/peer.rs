//! The same samples, and exact counts in their place, by every way.
//!
//! A way ends in a ledger that `opcost overlap` holds against exact counts of the same
//! blocks. LLVM's ways go through a profile in text: of numbered blocks, written here
//! (what was seen of a function's blocks, with zeros for code that was not hit, so that
//! it stays apart from blocks that have no code; the entry block's count as head
//! samples), or of source lines, written by `llvm-profgen` from address ranges. Loaded
//! it is by `opt -passes=sample-profile`, which puts nothing in place, and read by the
//! oracle.

use super::build::Built;
use super::measures::{Agreement, Run};
use super::tools::{Tools, llvm, write};
use crate::failure::{Failure, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// How LLVM's loader makes counts of a profile.
const LOADERS: [(&str, &str); 2] =
    [("profi", "-sample-profile-use-profi"), ("loader", "-sample-profile-use-profi=false")];

/// Where a profile is loaded, and against what its counts are held.
struct Target {
    module: &'static str,
    /// Whose tables name the blocks.
    tables: &'static str,
    truth: &'static str,
}

const BLOCKS: Target = Target { module: "blocks.bc", tables: "sampled", truth: "exact.opc" };
const LINES: Target = Target { module: "lines.bc", tables: "sampled", truth: "exact.opc" };
const EARLY: Target = Target { module: "early.lines.bc", tables: "early", truth: "early.opc" };

/// One program on its way through the tools.
struct Peer<'a> {
    tools: &'a Tools,
    built: &'a Built,
    agreement: Agreement,
}

/// All ways of one run's samples.
pub(super) fn compare(tools: &Tools, built: &Built, samples: &Path) -> Result<Run> {
    let mut peer = Peer { tools, built, agreement: BTreeMap::new() };
    let sampled = built.file("sampled");
    let seen = tools.peers(&["observe".as_ref(), sampled.as_ref(), samples.as_ref()])?;
    peer.solver_alone(&seen)?;
    peer.hold_counts(&as_observed(&seen)?, "unsolved", &BLOCKS)?;
    let alone = built.file("estimate.opc");
    tools.peers(&["alone".as_ref(), sampled.as_ref(), samples.as_ref(), alone.as_ref()])?;
    peer.hold("alone", &alone, &BLOCKS)?;
    let summary = peer.ours(samples)?;
    for how in ["mean", "raw"] {
        peer.by_lines(how, samples)?;
    }
    Ok(Run { summary, agreement: peer.agreement })
}

/// The solvers alone.
pub(super) fn compare_solvers(tools: &Tools, built: &Built, samples: &Path) -> Result<Run> {
    let mut peer = Peer { tools, built, agreement: BTreeMap::new() };
    let sampled = built.file("sampled");
    let seen = tools.peers(&["observe".as_ref(), sampled.as_ref(), samples.as_ref()])?;
    peer.solver_alone(&seen)?;
    let summary = peer.ours(samples)?;
    Ok(Run { summary, agreement: peer.agreement })
}

/// The solvers alone, of made-up samples: as many as these.
pub(super) fn compare_planted(tools: &Tools, built: &Built, samples: &Path, seed: usize) -> Result<Run> {
    let mut peer = Peer { tools, built, agreement: BTreeMap::new() };
    let (sampled, exact) = (built.file("sampled"), built.file("exact.opc"));
    let (seed, ours) = (seed.to_string(), built.file("estimate.opc"));
    let seen = tools.peers(&[
        "planted".as_ref(),
        sampled.as_ref(),
        samples.as_ref(),
        exact.as_ref(),
        seed.as_ref(),
        ours.as_ref(),
    ])?;
    peer.hold("ours", &ours, &BLOCKS)?;
    peer.solver_alone(&seen)?;
    Ok(Run { summary: String::new(), agreement: peer.agreement })
}

/// All ways of exact counts.
pub(super) fn ceilings(tools: &Tools, built: &Built) -> Result<Agreement> {
    let mut peer = Peer { tools, built, agreement: BTreeMap::new() };
    let (sampled, exact) = (built.file("sampled"), built.file("exact.opc"));
    let seen = tools.peers(&["exact".as_ref(), sampled.as_ref(), exact.as_ref()])?;
    peer.solver_alone(&seen)?;
    let ours = built.file("estimate.opc");
    tools.peers(&["ceiling".as_ref(), sampled.as_ref(), exact.as_ref(), ours.as_ref()])?;
    peer.hold("ours", &ours, &BLOCKS)?;
    peer.by_lines("exact", &exact)?;
    Ok(peer.agreement)
}

impl Peer<'_> {
    /// What is seen of blocks, to LLVM.
    fn solver_alone(&mut self, seen: &str) -> Result<()> {
        let (lines, profile) = (self.built.file("seen"), self.built.file("blocks.profile"));
        write(&lines, seen)?;
        write(&profile, &profile_of(seen)?)?;
        for (loader, flag) in LOADERS {
            self.load(loader, flag, &profile, &BLOCKS)?;
        }
        let module = self.built.file("blocks.bc");
        let own = self.tools.profi(&["infer".as_ref(), module.as_ref(), lines.as_ref()])?;
        self.hold_counts(&own, "profi-own", &BLOCKS)
    }

    /// What `opcost sample` makes of it; its words on the samples.
    fn ours(&mut self, samples: &Path) -> Result<String> {
        let (ledger, report) = (self.built.file("estimate.opc"), self.built.file("report"));
        let sampled = self.built.file("sampled");
        self.tools.opcost(&[
            "sample".as_ref(),
            "--perf".as_ref(),
            samples.as_ref(),
            "--ledger".as_ref(),
            ledger.as_ref(),
            "-o".as_ref(),
            report.as_ref(),
            sampled.as_ref(),
        ])?;
        self.hold("ours", &ledger, &BLOCKS)?;
        let report = fs::read_to_string(&report).map_err(|error| Failure::at("read", &report, error))?;
        Ok(report.lines().find(|line| line.contains(" samples of ")).unwrap_or_default().trim().to_owned())
    }

    /// By source lines, as LLVM's users do it.
    fn by_lines(&mut self, how: &str, source: &Path) -> Result<()> {
        let (ranges, profile) = (self.built.file("ranges"), self.built.file("lines.profile"));
        let sampled = self.built.file("sampled");
        write(
            &ranges,
            &self.tools.peers(&["ranges".as_ref(), how.as_ref(), sampled.as_ref(), source.as_ref()])?,
        )?;
        let named = |flag: &str, path: &Path| format!("--{flag}={}", path.display());
        llvm(
            "llvm-profgen",
            &[
                named("unsymbolized-profile", &ranges).as_ref(),
                "--use-offset".as_ref(),
                named("binary", &self.built.file("lines")).as_ref(),
                named("output", &profile).as_ref(),
                "--format=text".as_ref(),
            ],
        )?;
        let flat = self.built.file("flat.profile");
        llvm(
            "llvm-profdata",
            &[
                "merge".as_ref(),
                "--sample".as_ref(),
                "--text".as_ref(),
                "--convert-sample-profile-layout=flat".as_ref(),
                profile.as_ref(),
                "-o".as_ref(),
                flat.as_ref(),
            ],
        )?;
        for (loader, flag) in LOADERS {
            self.load(&format!("{loader}-{how}"), flag, &profile, &LINES)?;
            self.load(&format!("{loader}-{how}-early"), flag, &flat, &EARLY)?;
        }
        Ok(())
    }

    /// Loads a profile, and holds what it became against the truth.
    fn load(&mut self, way: &str, flag: &str, profile: &Path, target: &Target) -> Result<()> {
        let (module, loaded) = (self.built.file(target.module), self.built.file("loaded.bc"));
        llvm(
            "opt",
            &[
                "-passes=sample-profile".as_ref(),
                format!("-sample-profile-file={}", profile.display()).as_ref(),
                flag.as_ref(),
                "-disable-sample-loader-inlining".as_ref(),
                module.as_ref(),
                "-o".as_ref(),
                loaded.as_ref(),
            ],
        )?;
        let counts = self.tools.profi(&["read".as_ref(), loaded.as_ref()])?;
        self.hold_counts(&counts, way, target)
    }

    /// Makes a ledger of counts, and holds it against the truth.
    fn hold_counts(&mut self, counts: &str, way: &str, target: &Target) -> Result<()> {
        let (lines, ledger) = (self.built.file("counts"), self.built.file("estimate.opc"));
        write(&lines, counts)?;
        let tables = self.built.file(target.tables);
        self.tools.peers(&["tell".as_ref(), tables.as_ref(), lines.as_ref(), ledger.as_ref()])?;
        self.hold(way, &ledger, target)
    }

    fn hold(&mut self, way: &str, ledger: &Path, target: &Target) -> Result<()> {
        let truth: PathBuf = self.built.file(target.truth);
        self.agreement.insert(way.to_owned(), self.tools.overlap(ledger, &truth)?);
        Ok(())
    }
}

/// A function's name and what is seen of its blocks; nothing of one without code.
type Observed<'a> = (&'a str, Vec<Option<u64>>);

fn functions(seen: &str) -> Result<Vec<Observed<'_>>> {
    let bad = |line: &str| Failure::new(format!("no function and counts: {line}"));
    seen.lines()
        .map(|line| {
            let (name, counts) = line.split_once('\t').ok_or_else(|| bad(line))?;
            let counts = counts.split(' ').map(|word| match word {
                "-" => Ok(None),
                word => word.parse().map(Some).map_err(|_| bad(line)),
            });
            Ok((name, counts.collect::<Result<_>>()?))
        })
        .collect()
}

/// As a sample profile: block k is line k.
fn profile_of(seen: &str) -> Result<String> {
    let mut text = String::new();
    for (name, counts) in functions(seen)? {
        let total: u128 = counts.iter().flatten().map(|&count| u128::from(count)).sum();
        if total == 0 {
            continue;
        }
        let _ = writeln!(text, "{name}:{total}:{}", counts[0].unwrap_or(0));
        for (block, count) in counts.iter().enumerate() {
            if let Some(count) = count {
                let _ = writeln!(text, " {block}: {count}");
            }
        }
    }
    Ok(text)
}

/// As counts that nobody repaired; what was not seen did not run.
fn as_observed(seen: &str) -> Result<String> {
    let mut text = String::new();
    for (name, counts) in functions(seen)? {
        let counts: Vec<String> = counts.iter().map(|count| count.unwrap_or(0).to_string()).collect();
        let _ = writeln!(text, "{name}\t{}\t{}", counts[0], counts.join(" "));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_said_and_unknown_is_not() {
        let seen = "f\t3 0 - 4\ng\t0 0\nh\t- 9\n";
        assert_eq!(profile_of(seen).unwrap(), "f:7:3\n 0: 3\n 1: 0\n 3: 4\nh:9:0\n 1: 9\n");
        assert_eq!(as_observed(seen).unwrap(), "f\t3\t3 0 0 4\ng\t0\t0 0\nh\t0\t0 9\n");
        assert!(profile_of("f 3").is_err() && profile_of("f\tx").is_err());
    }
}
