//! What were the values really, and does what is claimed of loops agree with them?
//!
//! A program is built so that it records: how often each loop goes back, in each activation, or the values of a
//! function. It runs, or an earlier recording of it is read. Claims that the module carries are held against what was
//! recorded where it runs; what `opcost loops` says of the whole program is held against it here.
//!
//! Input: a [`ValuesQuestion`]. Output: a [`RecordedRun`]. Cost: that of the build and of the run; then the values.
//!
//! ```
//! use opcost::values::{ValuesQuestion, ValuesWish, record};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-values-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("values.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let mut question = ValuesQuestion::of([&source], ValuesWish::trip_counts());
//! question.options.level = "1".to_owned();
//! let recorded = record(&question)?;
//! // Nine of ten iterations go back.
//! assert_eq!(recorded.values.rows[0].range, Some([9, 9, 9]));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod rows;
mod whole;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::loops::LoopAnswers;
use opcost_answer::names::{is_named, near_functions, no_function};
use opcost_answer::run::Finish;
use opcost_answer::values::{NotHeld, RecordedValues, ValueRow};
use opcost_interrupt::Scratch;
pub use opcost_job::module::{Product, ValuesWish};
use opcost_profile::{AnswerRow, CodeFacts};
use opcost_run::image::SampledImage;
use opcost_run::start::Streams;
pub use opcost_run::values::Recorder;
use opcost_run::values::{Observed, observe, point_lists, record_run};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

use crate::answered;
use crate::ledgers::is_value_file;
use crate::progress::work;
pub use rows::ValueOrder;
use rows::{row, sort, totals};
use whole::{NotPredicted, hold, predicted};

/// Likeness from which on a function is suggested: a program has many that are not the user's.
const NEAR: f64 = 0.75;

/// Memory for sequences and histograms in each process, unless it is said otherwise.
const MEMORY: u64 = 4 << 20;

/// Where the recording comes from.
#[derive(Clone, Debug)]
pub enum RecordingSource {
    /// The program runs now.
    Run {
        /// Its arguments.
        arguments: Vec<OsString>,
        /// How much it records.
        recorder: Recorder,
        /// What it reads and writes.
        streams: Streams,
        /// Where the recording stays; none: nowhere.
        folder: Option<PathBuf>,
    },
    /// Files of an earlier run, and folders of them.
    Files(Vec<PathBuf>),
}

/// What is to be recorded of which program.
#[derive(Clone, Debug)]
pub struct ValuesQuestion {
    /// Sources, bitcode, objects and archives; or one program that was built to record.
    pub inputs: Vec<PathBuf>,
    /// How sources are compiled.
    pub options: CompileOptions,
    /// What is recorded of them, and whether what is claimed of loops is held against it.
    pub wish: ValuesWish,
    /// Whether it runs.
    pub source: RecordingSource,
    /// How the rows are ordered.
    pub order: ValueOrder,
}

/// What was recorded, and what a ledger of it says.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// All that was recorded.
    pub values: RecordedValues,
    /// The code of the program.
    pub code: Vec<CodeFacts>,
    /// The answers as rows of a ledger.
    pub rows: Vec<AnswerRow>,
}

/// Builds the program, runs it, and says what was recorded.
///
/// # Errors
/// The inputs are missing or do not compile. Nothing is wanted, or there is nothing to record. The program does not
/// start. A file of a recording cannot be read.
pub fn record(question: &ValuesQuestion) -> Result<RecordedRun, Failure> {
    let inputs = Input::all(question.inputs.iter().map(|path| &**path))?;
    if let [Input { path, language: Language::Program }] = inputs.as_slice() {
        let claims = question.wish.verify.then_some(Err(NotPredicted::BuiltBefore));
        return question.recording(path, claims);
    }
    if matches!(question.source, RecordingSource::Files(_)) {
        return Err(Failure::Usage(
            "--read needs the program that recorded; give what --emit exe made, not its sources".to_owned(),
        ));
    }
    let build = question.new_build(&inputs)?;
    let made = build.path("made");
    let building = work("building the program that records");
    build.program(&inputs, &made)?;
    drop(building);
    let claims = question.wish.verify.then(|| predicted(&question.options, &inputs));
    question.recording(&made, claims)
}

/// Builds the program that records, or a module of it, and does not run it.
///
/// # Errors
/// As of [`record`]; a module has one input.
pub fn build(question: &ValuesQuestion, product: Option<Product>, output: &Path) -> Result<(), Failure> {
    let inputs = Input::all(question.inputs.iter().map(|path| &**path))?;
    if matches!(inputs.as_slice(), [Input { language: Language::Program, .. }]) {
        return Err(Failure::Usage("a built program cannot be built again; give its sources".to_owned()));
    }
    let build = question.new_build(&inputs)?;
    let made = build.path("made");
    match (product, inputs.as_slice()) {
        (None, _) => build.program(&inputs, &made)?,
        (Some(product), [input]) => build.module(input, product, &made)?,
        (Some(_), _) => return Err(Failure::Usage("--emit obj and bc take one input".to_owned())),
    }
    install(&made, output)
}

impl ValuesQuestion {
    /// One run of these inputs, without arguments and with the caller's streams, whose recording does not stay.
    pub fn of<Source: AsRef<Path>>(
        inputs: impl IntoIterator<Item = Source>,
        wish: ValuesWish,
    ) -> ValuesQuestion {
        ValuesQuestion {
            inputs: inputs.into_iter().map(|path| path.as_ref().to_owned()).collect(),
            options: CompileOptions::default(),
            wish,
            source: RecordingSource::Run {
                arguments: Vec::new(),
                recorder: Recorder { memory: MEMORY, sample: 1 },
                streams: Streams::default(),
                folder: None,
            },
            order: ValueOrder::default(),
        }
    }

    fn new_build(&self, inputs: &[Input]) -> Result<Build, Failure> {
        if inputs.iter().any(|input| input.language == Language::Program) {
            return Err(Failure::Usage("a built program runs alone; give either it or sources".to_owned()));
        }
        if !self.wish.request.turns && self.wish.request.function.is_none() {
            return Err(Failure::Usage(
                "what is to be recorded? --trip-counts every loop's iterations, --verify the same against what opcost \
                 predicts, --function NAME [--line N] the values of a function"
                    .to_owned(),
            ));
        }
        let mut build = Build::new(&self.options, Purpose::Values)?;
        build.values = Some(self.wish.clone());
        Ok(build)
    }

    /// Runs the program, or reads what it recorded.
    fn recording(
        &self,
        program: &Path,
        claims: Option<Result<LoopAnswers, NotPredicted>>,
    ) -> Result<RecordedRun, Failure> {
        let lists = point_lists(program)?;
        if lists.iter().all(|list| list.points.is_empty() && list.refused.is_empty()) {
            return Err(Failure::Usage(self.nothing_to_record(program)));
        }
        let scratch = Scratch::folder("opcost-values-");
        let scratch = scratch.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
        let (finish, files, words) = match &self.source {
            RecordingSource::Run { arguments, recorder, streams, folder } => {
                if let Some(folder) = folder {
                    std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
                }
                let folder = folder.as_deref().unwrap_or(scratch.path());
                let (finish, files) = record_run(program, arguments, *recorder, streams, folder)?;
                (Some(finish), files, &arguments[..])
            }
            RecordingSource::Files(files) => (None, files_to_read(files)?, &[][..]),
        };
        let code = answered::values::code_of(&lists);
        let observed = observe(program, lists, &files)?;
        let rows = answered::values::rows(&observed);
        let mut values = self.rows(observed, finish, words);
        values.whole = claims.map(|claims| {
            let claims = claims.map_err(|reason| NotHeld(reason.to_string()))?;
            Ok(hold(&claims, &mut values.rows, self.wish.lie))
        });
        Ok(RecordedRun { values, code, rows })
    }

    fn rows(&self, observed: Observed, finish: Option<Finish>, words: &[OsString]) -> RecordedValues {
        let Observed { points, refused, remarks, processes, memory, sample } = observed;
        let is_verified = self.wish.verify || points.iter().any(|point| point.what.claim.is_some());
        let mut rows: Vec<ValueRow> = points.into_iter().map(row).collect();
        sort(&mut rows, self.order);
        let verify = is_verified.then(|| totals(&rows));
        let inputs = self.inputs.iter().map(|input| input.display().to_string());
        let words = words.iter().map(|word| word.to_string_lossy().into_owned());
        let command = inputs.chain(words).collect::<Vec<_>>().join(" ");
        RecordedValues {
            command,
            rows,
            refused,
            remarks,
            processes,
            sample,
            memory,
            finish,
            verify,
            whole: None,
        }
    }

    /// Why the program records nothing: its functions are known by its symbols.
    fn nothing_to_record(&self, program: &Path) -> String {
        let Some(function) = &self.wish.request.function else {
            return "there is no loop to record: the code has none, or the optimiser took them out (-O0 keeps every \
                    loop)"
                .to_owned();
        };
        let names = SampledImage::functions(program);
        if !names.is_empty() && !names.iter().any(|name| is_named(name, function)) {
            let near = near_functions(names.iter().map(String::as_str), function, NEAR);
            return no_function(function, &near);
        }
        match self.wish.request.line {
            Some(line) => format!(
                "line {line} of {function} has no value that can be recorded: an integer of at most 64 bits, an \
                 address, a double. -O0 keeps every line"
            ),
            None => format!(
                "{function} returns no value that can be recorded: an integer of at most 64 bits, an address, a \
                 double. Name one of its lines: --line N"
            ),
        }
    }
}

/// The files named, and those in the folders named.
fn files_to_read(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for entry in std::fs::read_dir(path).map_err(Failure::file("read", path))? {
            let file = entry.map_err(Failure::file("read", path))?.path();
            if is_value_file(&file) {
                files.push(file);
            }
        }
        if files.len() == before {
            return Err(Failure::Usage(format!("{} has no recorded values (.opcval)", path.display())));
        }
    }
    files.sort();
    Ok(files)
}
