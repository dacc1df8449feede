//! Can these conditions hold at once? z3 is asked, in its own process.
//!
//! One process answers many questions; nothing of one is left for the next
//! (`push` and `pop`, or `reset`). A question that takes too long is not answered;
//! what is too long is counted in steps of the solver's own (z3's `rlimit`), so
//! that the same question has the same answer on every machine.
//! Conditions are bit vectors (SMT-LIB 2, QF_BV). Cost: some milliseconds each; a
//! second is about two million steps.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An answer of a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// They cannot.
    Contradiction,
    /// They can, for example so: the terms asked for, with their values.
    Possible(Vec<(String, String)>),
    /// It was not found out in time.
    Unknown,
}

/// How it goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictLimit {
    /// At once: easy questions take less than a millisecond.
    Quick,
    /// With all simplifications before.
    Thorough,
}

/// When a question is given up though it took few steps: none should come near.
const MOST_MILLISECONDS: u32 = 120_000;

/// Why a solver cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// There is none.
    #[error("z3 cannot be started ({0}); install it: apt-get install z3")]
    Missing(std::io::Error),
    /// It does not understand what is asked, or ended.
    #[error("z3 failed: {0}")]
    Failed(String),
}

/// A running solver.
#[derive(Debug)]
pub struct SatSolver {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// How many questions were asked.
    pub query_count: u64,
}

impl SatSolver {
    /// Starts one.
    ///
    /// # Errors
    /// There is no z3.
    pub fn start() -> Result<SatSolver, SolverError> {
        let mut process = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(SolverError::Missing)?;
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(SatSolver { process, input, output, query_count: 0 })
    }

    /// Whether all of `text` (declarations and assertions) can hold at once;
    /// if so, what `terms` then are. Not answered after so many steps.
    ///
    /// # Errors
    /// The solver ended or says that the question is malformed.
    pub fn query(
        &mut self,
        text: &str,
        terms: &[&str],
        effort: ConflictLimit,
        most_steps: u64,
    ) -> Result<Satisfiability, SolverError> {
        self.query_count += 1;
        let begin = match effort {
            ConflictLimit::Quick => "(push)",
            ConflictLimit::Thorough => "(reset)\n(set-logic QF_BV)",
        };
        let bounds = format!("(set-option :timeout {MOST_MILLISECONDS})\n(set-option :rlimit {most_steps})");
        self.send(&format!("{begin}\n{bounds}\n{text}\n(check-sat)\n"))?;
        let answer = match self.line()?.as_str() {
            "unsat" => Satisfiability::Contradiction,
            "sat" => Satisfiability::Possible(self.values(terms)?),
            "unknown" | "timeout" => Satisfiability::Unknown,
            other => return Err(SolverError::Failed(other.to_owned())),
        };
        self.send(match effort {
            ConflictLimit::Quick => "(pop)\n",
            ConflictLimit::Thorough => "(reset)\n",
        })?;
        Ok(answer)
    }

    fn values(&mut self, terms: &[&str]) -> Result<Vec<(String, String)>, SolverError> {
        let mut all = Vec::new();
        for &term in terms {
            self.send(&format!("(get-value ({term}))\n"))?;
            let line = self.line()?;
            let value = line.trim_matches(['(', ')']).strip_prefix(term).unwrap_or(&line).trim();
            all.push((term.to_owned(), value.to_owned()));
        }
        Ok(all)
    }

    fn send(&mut self, text: &str) -> Result<(), SolverError> {
        let failed = |error: std::io::Error| SolverError::Failed(error.to_string());
        self.input.write_all(text.as_bytes()).map_err(failed)?;
        self.input.flush().map_err(failed)
    }

    fn line(&mut self) -> Result<String, SolverError> {
        let mut line = String::new();
        let read =
            self.output.read_line(&mut line).map_err(|error| SolverError::Failed(error.to_string()))?;
        match read {
            0 => Err(SolverError::Failed("it ended".to_owned())),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

impl Drop for SatSolver {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{ConflictLimit, SatSolver, Satisfiability};

    #[test]
    fn questions_do_not_hang_on_each_other() {
        let mut solver = SatSolver::start().expect("z3 is installed");
        let x = "(declare-const x (_ BitVec 8))";
        let below = format!("{x}(assert (bvult x (_ bv1 8)))");
        for effort in [ConflictLimit::Quick, ConflictLimit::Thorough, ConflictLimit::Quick] {
            let mut ask =
                |text: &str, terms: &[&str]| solver.query(text, terms, effort, 1_000_000).expect("an answer");
            assert_eq!(
                ask(&below, &["x"]),
                Satisfiability::Possible(vec![("x".to_owned(), "#x00".to_owned())])
            );
            let neither = format!("{below}(assert (distinct x (_ bv0 8)))");
            assert_eq!(ask(&neither, &[]), Satisfiability::Contradiction);
            assert!(matches!(ask(x, &[]), Satisfiability::Possible(_)));
        }
        assert!(solver.query("(assert nonsense)", &[], ConflictLimit::Quick, 1_000_000).is_err());
    }

    /// Factors of a large number: given up, each time anew.
    #[test]
    fn a_question_is_given_up_after_its_own_steps() {
        let mut solver = SatSolver::start().expect("z3 is installed");
        let words = "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))";
        let large = "(assert (= (bvmul a b) #x7fffffffffffffe7))(assert (bvult a #x00000000ffffffff))";
        let hard = format!("{words}{large}(assert (bvult b #x00000000ffffffff))(assert (bvugt a #x01))")
            .replace("#x01", "(_ bv1 64)");
        for effort in [ConflictLimit::Quick, ConflictLimit::Thorough, ConflictLimit::Quick] {
            assert_eq!(solver.query(&hard, &[], effort, 100_000).expect("it lives"), Satisfiability::Unknown);
            let easy = solver.query(words, &[], effort, 100_000).expect("it lives");
            assert!(matches!(easy, Satisfiability::Possible(_)), "{easy:?}");
        }
    }
}
