//! How is a program compiled and run, from its sources to its end?
//!
//! Input: a program, its arguments, and a folder. Output: commands, of which the last one runs the program. A tool that is
//! not installed is an error with its name. Each command ends after [`LONGEST`] seconds at the latest.

use crate::bench::setup;
use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::{Language, Program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds after which a command is ended.
pub(super) const LONGEST: &str = "120";

const GCC: &str = "gcc";
const LLI: &str = "lli-22";

/// A compiler, or what compiles while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    /// With these flags.
    Clang(&'static [&'static str]),
    /// At -O2.
    Gcc,
    /// `opcost run` with these flags.
    Opcost(&'static [&'static str]),
    /// LLVM's interpreter, which compiles bitcode of -O2, with these flags.
    Lli(&'static [&'static str]),
}

/// What everything is compared with.
pub(super) const PLAIN: Contender = Contender::Clang(&["-O2"]);
pub(super) const NATIVE: Contender = Contender::Clang(&["-O3", "-march=native"]);
pub(super) const ADAPTIVE: Contender = Contender::Opcost(&[]);
pub(super) const TWO_PASS: Contender = Contender::Opcost(&["--mode", "two-pass"]);
pub(super) const ONCE: Contender = Contender::Opcost(&["--mode", "compile"]);
/// Samples are taken at this rate in all modes, so the lowest one is next to none.
pub(super) const UNSAMPLED: Contender = Contender::Opcost(&["--mode", "compile", "--rate", "1"]);

/// What is run, and where.
pub(super) struct Job {
    pub(super) opcost: PathBuf,
    pub(super) program: Program,
    pub(super) arguments: Vec<String>,
    pub(super) folder: PathBuf,
    /// A cache that has what opcost makes once for all programs, and nothing of this one.
    pub(super) installed: PathBuf,
}

impl Contender {
    /// As it is typed.
    pub(super) fn title(self) -> String {
        let (tool, flags) = match self {
            Self::Clang(flags) => ("clang", flags),
            Self::Gcc => (GCC, &["-O2"][..]),
            Self::Opcost(flags) => ("opcost run", flags),
            Self::Lli(flags) => (LLI, flags),
        };
        [&[tool], flags].concat().join(" ")
    }

    /// The commands; a tool that they need is there.
    pub(super) fn commands(self, job: &Job) -> Result<Vec<Command>> {
        let commands = match self {
            Self::Clang(flags) => job.native(setup::clang(&job.program), flags),
            Self::Gcc => {
                let gcc = if job.program.language == Language::Cpp { "g++" } else { GCC };
                installed(gcc)?;
                job.native(Command::new(gcc), &["-O2"])
            }
            Self::Opcost(flags) => {
                let mut run = job.opcost(flags);
                setup::add_program(&mut run, &job.program).arg("--").args(&job.arguments);
                vec![run]
            }
            Self::Lli(flags) => {
                installed(LLI)?;
                let (mut commands, bitcode) = job.bitcode(&["-O2"]);
                commands.push(job.interpreter(flags, &bitcode));
                commands
            }
        };
        Ok(commands.iter().map(limited).collect())
    }
}

impl Job {
    /// A file in its folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What opcost writes of a run.
    pub(super) fn document(&self) -> PathBuf {
        self.path("run.json")
    }

    /// `opcost run` with these flags, which writes its document.
    pub(super) fn opcost(&self, flags: &[&str]) -> Command {
        let mut run = Command::new(&self.opcost);
        run.arg("run").args(flags).arg("--json").arg(self.document()).env("OPCOST_CACHE", self.cache());
        run
    }

    /// Where opcost caches what it makes in one run.
    pub(super) fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    /// Forgets what was cached of the program.
    pub(super) fn forget(&self) -> Result<()> {
        let cache = self.cache();
        let _ = fs::remove_dir_all(&cache);
        let mut copy = Command::new("cp");
        let status = copy.arg("-r").args([&self.installed, &cache]).status();
        let failed = || Failure::new(format!("{} cannot be copied", self.installed.display()));
        status.is_ok_and(|status| status.success()).then_some(()).ok_or_else(failed)
    }

    /// Runs bitcode.
    pub(super) fn interpreter(&self, flags: &[&str], bitcode: &Path) -> Command {
        let mut run = Command::new(LLI);
        run.args(flags).arg(bitcode).args(&self.arguments);
        run
    }

    /// Builds a program, and runs it.
    fn native(&self, mut compiler: Command, flags: &[&str]) -> Vec<Command> {
        let made = self.path("native");
        compiler.args(flags).arg("-w").args(&self.program.flags).args(&self.program.sources);
        compiler.args(&self.program.libraries).arg("-o").arg(&made);
        let mut run = Command::new(made);
        run.args(&self.arguments);
        vec![compiler, run]
    }

    /// Makes one file of bitcode of all sources.
    pub(super) fn bitcode(&self, flags: &[&str]) -> (Vec<Command>, PathBuf) {
        let mut commands = Vec::new();
        let linked = self.path("linked.bc");
        let mut link = Command::new("llvm-link-22");
        link.arg("-o").arg(&linked);
        for (number, source) in self.program.sources.iter().enumerate() {
            let module = self.path(&format!("{number}.bc"));
            let mut compile = setup::clang(&self.program);
            compile.args(["-w", "-c", "-emit-llvm"]).args(flags).args(&self.program.flags);
            compile.arg(source).arg("-o").arg(&module);
            commands.push(compile);
            link.arg(module);
        }
        commands.push(link);
        (commands, linked)
    }
}

/// A tool is there.
pub(super) fn installed(tool: &str) -> Result<()> {
    let missing = || Failure::new(format!("{tool} is not installed"));
    command::is_installed(tool).then_some(()).ok_or_else(missing)
}

/// The same command, ended after some time.
pub(super) fn limited(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["--kill-after=5", LONGEST]).arg(command.get_program()).args(command.get_args());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let program = setup::program_of_any_list("filter").unwrap();
        let arguments = vec!["7".to_owned()];
        Job { opcost: "/o/opcost".into(), program, arguments, folder: "/f".into(), installed: "/i".into() }
    }

    fn words(command: &Command) -> String {
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn titles_are_as_typed() {
        assert_eq!(PLAIN.title(), "clang -O2");
        assert_eq!(TWO_PASS.title(), "opcost run --mode two-pass");
        assert_eq!(ADAPTIVE.title(), "opcost run");
    }

    #[test]
    fn the_last_command_runs_the_program() {
        let commands = PLAIN.commands(&job()).unwrap();
        assert_eq!(commands.len(), 2);
        assert!(words(&commands[0]).contains("clang-22 -O2 -w"), "{}", words(&commands[0]));
        assert!(words(&commands[1]).ends_with("/f/native 7"));
        let commands = TWO_PASS.commands(&job()).unwrap();
        let words = words(&commands[0]);
        assert!(words.contains("/o/opcost run --mode two-pass --json /f/run.json"), "{words}");
        assert!(words.ends_with("filter.c -- 7"), "{words}");
    }
}
