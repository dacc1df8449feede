//! One program, looked at without running it, in a child process.
//!
//! ```text
//! sources ─clang, flang▶ bitcode ─link▶ one module ─snapshot in detail▶ ir::Module ─analysis▶ answers
//! ```
//!
//! What is asked goes to the child as JSON, what it found comes back as such:
//! LLVM ends the process on its fatal errors, and the tool must live to say so.

use std::path::{Path, PathBuf};

use opcost_analysis::memory::{Effects, Memory, World};
use opcost_ir::{Contents, GlobalKind, Layout, Module};
use opcost_llvm::{Maker, Session};
use serde::{Deserialize, Serialize};

use super::answers::{ExplainAnswers, LoopAnswers};
use super::bits::{Assumptions, BitsAnswers};
use super::bits_narrow::NarrowAnswers;
use super::certificate::CheckAnswers;
use super::module::{name_files, run_own};
use super::width::WidthAnswers;
use super::{Build, Input, Language};
use crate::arguments::{PortContract, ProgramArguments, WorldName};
use crate::error::CliError;

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum AnalysisQuestion {
    /// How often does every loop turn, with these values for names?
    Loops { bindings: Vec<(String, i128)>, defaults: bool },
    /// How many bits does each value need? And shall what is told be what a
    /// checker believes?
    Bits { is_certified: bool, assumptions: Assumptions, contracts: Vec<PortContract> },
    /// Does this certificate, as JSON from the file of this name, hold?
    Check { name: String, certificate: String },
    /// Why are the integers of a line as wide as they are?
    Width { file: String, line: u32, column: Option<u32>, contracts: Vec<PortContract> },
    /// The program in as few bits as are proven to do, written to `output`.
    Narrow { output: PathBuf, is_certified: bool, contracts: Vec<PortContract> },
    /// What decides what stands here?
    Explain { wanted: ExplainWanted },
}

/// What is to be explained.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ExplainWanted {
    /// What stands in a line.
    Line { file: String, line: u32, column: Option<u32> },
    /// A function: its loops and results.
    Function { name: String },
}

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Answers {
    Loops(LoopAnswers),
    Bits(BitsAnswers),
    Check(CheckAnswers),
    Width(WidthAnswers),
    Narrow(NarrowAnswers),
    Explain(ExplainAnswers),
}

/// What the child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnalysisRequest {
    bitcode: Vec<PathBuf>,
    is_own: bool,
    output: PathBuf,
    root: PathBuf,
    /// Open or closed, if it was said.
    is_closed: Option<bool>,
    /// A flag of the linker that gives names of the program to others.
    opens_names: Option<String>,
    /// The user's table of effects: its name and text.
    effects: Option<(String, String)>,
    question: AnalysisQuestion,
}

impl Build<'_> {
    /// Compiles the inputs and asks.
    ///
    /// # Errors
    /// They do not compile or fit together, the table of effects has an error,
    /// or nothing is where the question points to.
    pub(crate) fn analyse(
        &self,
        inputs: &[Input],
        program: &ProgramArguments,
        question: AnalysisQuestion,
    ) -> Result<Answers, CliError> {
        let bitcode = |(position, input)| self.bitcode(input, position);
        let effects = program.effects.as_deref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(CliError::file("read", path))?;
            Ok::<_, CliError>((path.display().to_string(), text))
        });
        let request = AnalysisRequest {
            bitcode: inputs.iter().enumerate().map(bitcode).collect::<Result<_, _>>()?,
            is_own: inputs.iter().all(|input| input.language != Language::Bitcode),
            output: self.path("answers.json"),
            root: std::env::current_dir().map_err(CliError::file("find", "."))?,
            is_closed: program.world.map(|world| world == WorldName::Closed),
            opens_names: super::link::opens_names(&self.arguments.cflags).map(str::to_owned),
            effects: effects.transpose()?,
            question,
        };
        let named = inputs[0].path.display().to_string();
        run_own("__analyse", &self.path("analysis.request"), &named, &request)?;
        let text = std::fs::read(&request.output).map_err(CliError::file("read", &request.output))?;
        Ok(serde_json::from_slice(&text).expect("the child writes it"))
    }
}

/// Why there is no answer, in words for the user.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What was asked for does not fit the program.
    Usage(String),
    /// Anything else.
    Failed(String),
}

impl From<String> for Refusal {
    fn from(words: String) -> Refusal {
        Refusal::Failed(words)
    }
}

/// In the child: reads, analyses, answers.
///
/// # Errors
/// In words for the user.
pub(crate) fn analyse(request: &AnalysisRequest) -> Result<(), Refusal> {
    let (mut session, module, world) = program(request)?;
    let effects = effects(request)?;
    let layout = Layout::of(&module);
    let program = Memory::of(&module, &layout, &effects, world);
    let answers = match &request.question {
        AnalysisQuestion::Loops { bindings, defaults } => {
            Answers::Loops(super::loops::answer(&program, bindings, *defaults)?)
        }
        AnalysisQuestion::Bits { is_certified, assumptions, contracts } => {
            Answers::Bits(super::bits::answer(&program, *is_certified, *assumptions, contracts)?)
        }
        AnalysisQuestion::Check { name, certificate } => {
            Answers::Check(super::certificate::answer(&program, (name, certificate))?)
        }
        AnalysisQuestion::Width { file, line, column, contracts } => {
            Answers::Width(super::width::answer(&program, (file, *line, *column), contracts)?)
        }
        AnalysisQuestion::Narrow { output, is_certified, contracts } => {
            let wanted = (&**output, *is_certified);
            Answers::Narrow(super::bits_narrow::answer(&program, &mut session, wanted, contracts)?)
        }
        AnalysisQuestion::Explain { wanted } => {
            Answers::Explain(super::explanation::answer(&program, wanted)?)
        }
    };
    let text = serde_json::to_vec(&answers).expect("plain data");
    std::fs::write(&request.output, text).map_err(|error| Refusal::Failed(error.to_string()))
}

/// All inputs as one module, in LLVM's hands and read out, and the world that
/// it lives in.
fn program(request: &AnalysisRequest) -> Result<(Session, Module, World), String> {
    let maker = if request.is_own { Maker::FrontEnd } else { Maker::Anyone };
    let read = |path: &Path| Session::read(path, maker).map_err(|error| error.to_string());
    let mut session = read(&request.bitcode[0])?;
    for other in &request.bitcode[1..] {
        session.link(other).map_err(|error| error.to_string())?;
    }
    let mut module = session.snapshot_in_detail();
    name_files(&mut module, &request.root);
    let begins = module.functions.values().any(|function| opcost_key::is_program_start(&function.name));
    if request.is_closed == Some(true) && !begins {
        return Err("the program is said to be whole, but there is no main to begin with; give all of its \
                    files, or leave out --closed (or --world closed)"
            .to_owned());
    }
    if let (Some(true), Some(flag)) = (request.is_closed, &request.opens_names) {
        return Err(format!(
            "the program is said to be whole, but {flag} gives its names to code outside of it; leave out the \
             flag, or --closed (or --world closed)"
        ));
    }
    let is_closed = request.is_closed.unwrap_or(begins && request.opens_names.is_none());
    let world = if is_closed { World::Closed } else { World::Open };
    if world == World::Closed {
        fill_common(&mut module);
    }
    Ok((session, module, world))
}

/// What is common (COMMON of Fortran, `-fcommon`) may be defined by another
/// module; in a closed world there is none, and it begins as zeros.
fn fill_common(module: &mut Module) {
    for global in module.globals.values_mut() {
        let is_data = global.kind == GlobalKind::Variable && !global.is_declared;
        if is_data && global.contents.is_none() {
            global.contents = Some(Contents { scalars: Vec::new(), is_complete: true });
        }
    }
}

/// What is known of functions outside the program; the user's lines go first.
fn effects(request: &AnalysisRequest) -> Result<Effects, String> {
    match &request.effects {
        None => Ok(Effects::built_in()),
        Some((name, text)) => Effects::built_in().with(text).map_err(|error| format!("{name}:{error}")),
    }
}
