//! What becomes of an instruction, from source to bytes?
//!
//! A source or bitcode is compiled and recorded, stage by stage; assembly text and bytes have the stages from the
//! operation on. With a ledger each step says how often its instruction ran, or the costliest one is followed.
//!
//! Input: a [`FollowRequest`]. Output: a [`Life`]. Cost: that of compiling, twice; with a ledger twice more. Limits: a
//! target or a format can be named for C and C++ alone, since modules of other languages are for their machine.
//!
//! ```
//! use opcost::life::{FollowRequest, follow};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-life-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("life.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let life = follow(&FollowRequest::of_line(&source, 3))?;
//! assert!(life.self_check.is_good() && life.stages.len() > 3);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod code;
mod counted;
mod format;

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::life::{Life, LifeSubject, StageName};
use opcost_job::life::{CodeText, LifeQuestion, Selected};
use opcost_toolchain::build::{Build, Purpose, code_life, processor};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

pub use code::read_bytes;
pub use counted::machine_code;
pub use format::ObjectFormat;

use counted::Counted;

/// What is followed.
#[derive(Clone, Debug)]
pub enum Followed {
    /// Machine code.
    Bytes(Vec<u8>),
    /// Assembly text.
    Assembly {
        /// Where it is.
        path: PathBuf,
        /// One line of it, from 1; else all.
        line: Option<u32>,
    },
    /// Instructions of a source or of bitcode.
    Code {
        /// Where it is.
        path: PathBuf,
        /// Which instructions.
        subject: LifeSubject,
        /// A ledger of the program that says how often they ran.
        ledger: Option<PathBuf>,
    },
    /// The costliest instruction of the runs of a ledger.
    Hottest {
        /// The ledger.
        ledger: PathBuf,
        /// The source or bitcode that it is looked for in; none: the one with the block that ran most.
        path: Option<PathBuf>,
    },
}

/// Which instruction is followed, and how.
#[derive(Clone, Debug)]
pub struct FollowRequest {
    /// The instruction.
    pub followed: Followed,
    /// What it is called: `prog.c:3`.
    pub words: String,
    /// How it is compiled; with a ledger, what must not contradict it.
    pub options: CompileOptions,
    /// The target triple; none: this machine's.
    pub target: Option<String>,
    /// The format of the object, which decides the system.
    pub format: Option<ObjectFormat>,
    /// The stage that is wanted in full.
    pub stage: Option<StageName>,
    /// Whether graphs are recorded whole, to be drawn.
    pub graphs: bool,
}

/// Follows it.
///
/// # Errors
/// The input cannot be read or does not compile; there is no such instruction; the ledger is of another build.
pub fn follow(request: &FollowRequest) -> Result<Life, Failure> {
    match &request.followed {
        Followed::Bytes(bytes) => request.read(CodeText::Bytes(bytes.clone())),
        Followed::Assembly { path, line } => {
            request.read(CodeText::Assembly { path: path.clone(), line: *line })
        }
        Followed::Code { path, subject, ledger } => {
            let input = classified(path)?;
            let counted = ledger.as_ref().map(|ledger| Counted::read(ledger, Some(path), &request.options));
            let counted = counted.transpose()?;
            let words = match &counted {
                Some(counted) => format!("{}, counted in {}", request.words, counted.origin()),
                None => request.words.clone(),
            };
            request.recorded(
                &input,
                counted,
                Question { words, selected: Selected::Matching(subject.clone()) },
            )
        }
        Followed::Hottest { ledger, path } => {
            if let Some(path) = path {
                classified(path)?;
            }
            let counted = Counted::read(ledger, path.as_deref(), &request.options)?;
            let hottest = counted.hottest()?;
            let input = classified(&counted.input)?;
            let selected = Selected::Number(hottest.number);
            request.recorded(&input, Some(counted), Question { words: hottest.words, selected })
        }
    }
}

/// Which instructions, in words and for the child.
struct Question {
    words: String,
    selected: Selected,
}

impl FollowRequest {
    /// The instructions of a line of a source, for this machine.
    pub fn of_line(path: &Path, line: u32) -> FollowRequest {
        let file = path.display().to_string();
        FollowRequest {
            words: format!("{file}:{line}"),
            followed: Followed::Code {
                path: path.to_owned(),
                subject: LifeSubject::Line { file, line, column: None },
                ledger: None,
            },
            options: CompileOptions::default(),
            target: None,
            format: None,
            stage: None,
            graphs: false,
        }
    }

    /// Code that has no source.
    fn read(&self, text: CodeText) -> Result<Life, Failure> {
        let name = match &text {
            CodeText::Assembly { path, .. } => path.display().to_string(),
            CodeText::Bytes(_) => self.words.clone(),
        };
        code_life(&name, self.triple()?, text)
    }

    fn recorded(&self, input: &Input, counted: Option<Counted>, question: Question) -> Result<Life, Failure> {
        let build = Build::new(&self.compile(counted.as_ref(), input)?, Purpose::Life)?;
        let Question { words, selected } = question;
        let question = LifeQuestion { words, selected, stage: self.stage, graphs: self.graphs };
        let mut life = build.life(input, question).map_err(|error| self.about_headers(error, input))?;
        if let Some(counted) = &counted {
            counted.fill(&mut life);
        }
        Ok(life)
    }

    /// How the input is compiled: as it was counted, or as the front end leaves it.
    fn compile(&self, counted: Option<&Counted>, input: &Input) -> Result<CompileOptions, Failure> {
        let mut compile = counted.map_or_else(|| self.options.clone(), |counted| counted.compile.clone());
        let has_target = self.target.is_some() || self.format.is_some();
        match input.language {
            Language::C | Language::Cxx => {
                compile.anchor.get_or_insert(opcost_key::Anchor::Source);
                // Names change no code, and say what a value is.
                compile.cflags.push("-fno-discard-value-names".to_owned());
                compile.cflags.extend(self.triple()?.map(|target| format!("--target={target}")));
            }
            Language::Bitcode if has_target => {
                return Err(Failure::Usage(format!(
                    "{} is for its own machine already; give the source with --target or --format, or leave them",
                    input.path.display()
                )));
            }
            // What the runtime of these languages asks of a machine is in their modules.
            _ if has_target => {
                return Err(Failure::Usage(format!(
                    "{}: --target and --format are for C and C++; compile it to .bc for the machine, and give that",
                    input.path.display()
                )));
            }
            _ => {}
        }
        Ok(compile)
    }

    /// The machine, if one is named or follows from a format.
    fn triple(&self) -> Result<Option<String>, Failure> {
        let Some(format) = self.format else { return Ok(self.target.clone()) };
        let machine = match &self.target {
            Some(target) => target.clone(),
            None => processor()?.target,
        };
        format.triple(&machine).map(Some).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// A compiler that failed for another system may only lack its headers.
    fn about_headers(&self, error: Failure, input: &Input) -> Failure {
        let has_headers = || std::fs::read_to_string(&input.path).is_ok_and(|text| text.contains("#include"));
        match (&error, self.triple()) {
            (Failure::ToolFailed { .. }, Ok(Some(target))) if has_headers() => Failure::Module {
                module: input.path.display().to_string(),
                message: format!(
                    "clang failed for {target} (its own words are above). Headers of that system may be missing here. \
                     Then give a source that was preprocessed where they are (cc -E, as .i or .ii), or its IR (.ll)"
                ),
            },
            _ => error,
        }
    }
}

/// An input whose instructions can be followed.
fn classified(path: &Path) -> Result<Input, Failure> {
    let input = Input::classify(path)?;
    if !matches!(input.language, Language::Object | Language::Program) {
        return Ok(input);
    }
    Err(Failure::Usage(format!("{}: give a source of C, C++, Fortran or Rust, .bc or .ll", path.display())))
}
