//! A real run of the program against the circuit.
//!
//! The sources become a program with the sanitizers of addresses and of undefined behaviour. A source of opcost's
//! in it writes down each call of the function. The program runs with the user's words. Then
//! the testbench gives the circuit the same inputs. The run may do what the circuit does not take: that
//! is counted by its kind, and is not a wrong circuit.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use opcost_answer::Failure;
use opcost_answer::hdl::{HdlReplay, HdlSimulation};

use super::tool::{INSTALL_CLANG, carry_out, complaint};
use super::{Calls, Circuit, Compared};
use crate::progress::work;

impl Circuit<'_> {
    /// Runs the program, and gives its calls to the circuit. None if the program failed; the listener gets how.
    ///
    /// # Errors
    /// A tool is missing or failed; the run makes no call that can be compared.
    pub(super) fn replay(&self, sources: &[PathBuf]) -> Result<Option<Compared>, Failure> {
        let Calls::OfRun { most, arguments, is_quiet } = &self.request.calls else { return Ok(None) };
        if self.answers.replay.is_none() {
            return Err(self.unreplayed());
        }
        let file = |end: &str| -> Result<PathBuf, Failure> {
            let path = self.file(end);
            std::path::absolute(&path).map_err(Failure::file("find", path))
        };
        let (program, vectors, summary) = (file("_replay")?, file(".vectors")?, file(".calls")?);
        self.build_program(sources, &program)?;
        for path in [&vectors, &summary] {
            if path.exists() {
                std::fs::remove_file(path).map_err(Failure::file("remove", path))?;
            }
        }
        let mut run = Command::new(&program);
        run.args(arguments).env("ASAN_OPTIONS", "detect_leaks=0").stderr(Stdio::piped());
        run.env("OPCOST_REPLAY_VECTORS", &vectors).env("OPCOST_REPLAY_SUMMARY", &summary);
        run.env("OPCOST_REPLAY_CALLS", most.to_string());
        if *is_quiet {
            run.stdout(Stdio::piped());
        }
        let output = run.spawn().and_then(std::process::Child::wait_with_output);
        let output = output.map_err(Failure::file("start", &program))?;
        for words in [&output.stdout, &output.stderr] {
            let words = String::from_utf8_lossy(words);
            if !words.trim_end().is_empty() {
                (self.request.listener)(words.trim_end());
            }
        }
        if output.status.code() == Some(125) {
            return Err(Failure::Module {
                module: program.display().to_string(),
                message: "its calls could not be written down (its own words are above)".to_owned(),
            });
        }
        if !output.status.success() {
            (self.request.listener)(&format!("the program failed: {}", complaint(&output)));
            return Ok(None);
        }
        let bytes = std::fs::read(&summary).map_err(Failure::file("read", &summary))?;
        let Summary { written, mut replay } = Summary::of(&bytes).ok_or_else(|| Failure::Module {
            module: summary.display().to_string(),
            message: "it does not have the counters of a run; was it changed meanwhile?".to_owned(),
        })?;
        if replay.calls == 0 {
            return Err(Failure::Usage(format!(
                "the run never calls {}{}; give words after -- with which it does",
                self.request.wish.top,
                if replay.elsewhere > 0 { " in the process that was started, but in others" } else { "" }
            )));
        }
        let _working = work("simulating");
        let outcome = self.simulate_interface()?;
        // The testbench ends early where the circuit has state.
        replay.outside = outcome.outside;
        replay.left_out =
            replay.calls - replay.broken - written + (written - outcome.simulation.runs.min(written));
        let runs = outcome.simulation.runs - outcome.outside;
        Ok(Some((HdlSimulation { runs, ..outcome.simulation }, replay)))
    }

    /// The sources as a program that writes each call down.
    fn build_program(&self, sources: &[PathBuf], program: &std::path::Path) -> Result<(), Failure> {
        let recorder = self.file("_replay.o");
        let mut compile = Command::new("clang-22");
        compile.args(["-O1", "-w", "-c"]).arg(self.file("_replay.c")).arg("-o").arg(&recorder);
        carry_out(&mut compile, INSTALL_CLANG)?;
        let mut compile = self.compiler();
        // Calls are seen where each function begins, and none is put in place or taken for known.
        compile.args(["-fpatchable-function-entry=16", "-fcf-protection=none", "-pthread"]);
        for attribute in ["noinline", "optnone"] {
            compile.args(["-mllvm", &format!("-force-attribute={}:{attribute}", self.request.wish.top)]);
        }
        compile.args(sources).arg(&recorder).arg("-o").arg(program);
        let options = &self.request.options;
        compile.args(options.library_path.iter().map(|folder| format!("-L{folder}")));
        compile.args(options.library.iter().map(|library| format!("-l{library}")));
        carry_out(&mut compile, INSTALL_CLANG).map(|_| ())
    }

    /// Calls of a run cannot be written down.
    fn unreplayed(&self) -> Failure {
        match &self.answers.unreplayed {
            None => self.unnamed_data("--replay"),
            Some(reason) => Failure::Usage(format!(
                "--replay writes no such calls down: {} {reason}; use --cosimulate",
                self.request.wish.top
            )),
        }
    }
}

/// What the program counted, as `replay.c` has it.
struct Summary {
    written: u64,
    replay: HdlReplay,
}

impl Summary {
    fn of(bytes: &[u8]) -> Option<Summary> {
        let number = |position: usize| {
            let bytes = bytes.get(8 * position..8 * position + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let words = bytes.get(40..)?.split(|&byte| byte == 0).next()?;
        let words = String::from_utf8_lossy(words).into_owned();
        let replay = HdlReplay {
            calls: number(0)?,
            broken: number(2)?,
            first_broken: Some(words).filter(|words| !words.is_empty()),
            overlapping: number(3)?,
            elsewhere: number(4)?,
            ..HdlReplay::default()
        };
        Some(Summary { written: number(1)?, replay })
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn counters_are_read_as_they_were_written() {
        let mut bytes: Vec<u8> = [9u64, 5, 1, 2, 3].iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(b"call 2: n is 9\0\0\0");
        let summary = Summary::of(&bytes).expect("it is whole");
        assert_eq!((summary.written, summary.replay.calls, summary.replay.broken), (5, 9, 1));
        assert_eq!((summary.replay.overlapping, summary.replay.elsewhere), (2, 3));
        assert_eq!(summary.replay.first_broken.as_deref(), Some("call 2: n is 9"));
        assert!(Summary::of(&bytes[..39]).is_none());
    }
}
