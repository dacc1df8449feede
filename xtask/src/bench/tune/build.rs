//! How is a program built by opcost, by clang's own counters, by BOLT, and without a profile?
//!
//! Input: a program of the corpus. Output: executables in its folder, and the document of `opcost tune`.

use crate::bench::{setup, timed};
use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BOLT: &str = "llvm-bolt-22";

/// What makes a program that is loaded at one address. BOLT's counters do not work in a static one.
pub(super) const FIXED: &[&str] = &["-fno-pie", "-no-pie"];

/// One program, and where it is built.
pub(super) struct Bench<'a> {
    pub(super) opcost: &'a Path,
    pub(super) program: Program,
    folder: PathBuf,
}

/// A program that is placed by BOLT.
pub(super) struct Bolted {
    pub(super) program: PathBuf,
    /// Taken branches of the training run before and after, as BOLT says.
    pub(super) taken: Option<(u64, u64)>,
}

/// What `opcost tune` is asked to do.
#[derive(Default)]
pub(super) struct TuneRequest<'a> {
    pub(super) flags: &'a [&'a str],
    /// The words that it is judged with.
    pub(super) judge: &'a [String],
    pub(super) runs: usize,
}

impl<'a> Bench<'a> {
    /// In this folder, which is made.
    pub(super) fn new(opcost: &'a Path, program: Program, folder: PathBuf) -> Result<Bench<'a>> {
        fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
        Ok(Bench { opcost, program, folder })
    }

    /// A file in its folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs opcost on its sources: `words`, then the sources, then the training run.
    pub(super) fn opcost(&self, words: &[&str], training: &[String]) -> Result<String> {
        let mut command = Command::new(self.opcost);
        command.current_dir(&self.folder).args(words);
        setup::add_program(&mut command, &self.program);
        if !training.is_empty() {
            command.arg("--").args(training);
        }
        Ok(timed::run(&mut command, &[3], &self.folder)?.0)
    }

    /// The document of `opcost tune`, which writes `tuned`.
    pub(super) fn tuned(&self, request: &TuneRequest<'_>) -> Result<Value> {
        let (runs, judge) = (request.runs.to_string(), request.judge.join(" "));
        let words = ["tune", "--json", "-", "--runs", &runs, "-o", "tuned", "--judge", &judge];
        let text = self.opcost(&[&words, request.flags].concat(), &self.program.long)?;
        serde_json::from_str(&text).map_err(|error| Failure::new(format!("opcost tune: {error}")))
    }

    /// Builds it at -O2 with another compiler, or with flags.
    pub(super) fn compiled(&self, mut compiler: Command, flags: &[&str], name: &str) -> Result<PathBuf> {
        let made = self.path(name);
        compiler.args(["-O2", "-w"]).args(&self.program.flags).args(flags).args(&self.program.sources);
        command::output_of(compiler.args(&self.program.libraries).arg("-o").arg(&made))?;
        Ok(made)
    }

    /// As clang builds it.
    pub(super) fn plain(&self, name: &str) -> Result<PathBuf> {
        self.compiled(setup::clang(&self.program), &["-fuse-ld=lld"], name)
    }

    /// The bitcode that the profile's pass would read, compiled without a profile.
    pub(super) fn control(&self) -> Result<PathBuf> {
        let made = self.path("control");
        let mut modules = Vec::new();
        for (number, source) in self.program.sources.iter().enumerate() {
            let module = self.path(&format!("control{number}.bc"));
            let mut compile = setup::clang(&self.program);
            compile.args(["-O2", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
            compile.args(&self.program.flags).arg(source).arg("-o").arg(&module);
            command::output_of(&mut compile)?;
            modules.push(module);
        }
        let mut link = setup::clang(&self.program);
        link.args(["-O2", "-w", "-fuse-ld=lld"]).args(&modules).args(&self.program.libraries);
        command::output_of(link.arg("-o").arg(&made))?;
        Ok(made)
    }

    /// As clang builds it by its own counters.
    pub(super) fn peer(&self, build: &str, flags: &[&str]) -> Result<PathBuf> {
        let name = build.replace([' ', ',', '\''], "-");
        let profile = self.peer_profile(&name, flags)?;
        self.peer_again(&name, flags, &profile)
    }

    /// The profile of clang's own counters.
    pub(super) fn peer_profile(&self, name: &str, flags: &[&str]) -> Result<PathBuf> {
        let (raw, profile) = (self.path(&format!("{name}.profraw")), self.path(&format!("{name}.profdata")));
        let counting = [&["-fuse-ld=lld", "-fprofile-generate"], flags].concat();
        let counted = self.compiled(setup::clang(&self.program), &counting, &format!("{name}.counted"))?;
        let mut training = Command::new(&counted);
        training.args(&self.program.long).env("LLVM_PROFILE_FILE", &raw);
        timed::run(&mut training, &[], &self.folder)?;
        command::output_of(Command::new("llvm-profdata-22").arg("merge").arg(&raw).arg("-o").arg(&profile))?;
        Ok(profile)
    }

    /// The same with a profile that was made.
    pub(super) fn peer_again(&self, name: &str, flags: &[&str], profile: &Path) -> Result<PathBuf> {
        let by = format!("-fprofile-use={}", profile.display());
        self.compiled(setup::clang(&self.program), &[&["-fuse-ld=lld", "-Wl,-q", &by], flags].concat(), name)
    }

    /// What BOLT counts of a program in its training run; none if BOLT is not installed.
    pub(super) fn bolt_counts(&self, program: &Path) -> Result<Option<PathBuf>> {
        if !command::is_installed(BOLT) {
            return Ok(None);
        }
        let (counting, counts) = (self.path("bolt.counted"), self.path("bolt.fdata"));
        let mut instrument = Command::new(BOLT);
        instrument.arg(program).arg("-instrument").arg("-o").arg(&counting);
        instrument.arg(format!("-instrumentation-file={}", counts.display()));
        command::output_of(&mut instrument)?;
        timed::run(Command::new(&counting).args(&self.program.long), &[], &self.folder)?;
        Ok(Some(counts))
    }

    /// A program as BOLT places it by counts of it.
    pub(super) fn bolted(&self, program: &Path, counts: &Path, flags: &[String]) -> Result<Bolted> {
        let made = self.path("bolted");
        let mut order = Command::new(BOLT);
        order.arg(program).arg(format!("-data={}", counts.display())).arg("-o").arg(&made).arg("-dyno-stats");
        order.args(["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort"]);
        order.args(["-split-functions", "-split-all-cold"]).args(flags);
        let said = command::output_of(&mut order)?;
        Ok(Bolted { program: made, taken: taken_branches(&said) })
    }
}

/// Taken branches before and after, in what BOLT says.
fn taken_branches(said: &str) -> Option<(u64, u64)> {
    let lines = said.lines().filter_map(|line| line.split_once(" : taken branches"));
    let mut figures = lines.filter_map(|(number, _)| number.trim().parse().ok());
    let before = figures.next()?;
    figures.next().map(|after| (before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bolts_lines_are_read() {
        let said = "BOLT-INFO: dynostats\n\n   1200 : executed forward branches\n    700 : taken branches\nBOLT-INFO\n\
                    \n   600 : taken branches (-14.3%)\n";
        assert_eq!(taken_branches(said), Some((700, 600)));
        assert_eq!(taken_branches("   700 : taken branches"), None);
    }
}
