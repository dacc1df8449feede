//! What a native program costs, one instruction at a time: the library.
//!
//! Exact counts that are the same on every machine:
//!
//! ```
//! use opcost::{CompileOptions, Program, Run};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-count-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("sum.c");
//! # std::fs::write(&source, "#include <stdlib.h>\nint main(int argc, char **argv) {\n    unsigned sum = 0;\n    for (int i = 0; i < atoi(argv[1]); i++) sum += i * i;\n    return sum == 7;\n}\n").unwrap();
//! let program = Program::build([&source], &CompileOptions::default())?;
//! let small = program.count(&Run::with(["10"]))?;
//! let large = program.count(&Run::with(["20"]))?.total().exact().unwrap();
//! // Each iteration costs the same.
//! assert_eq!((large - small.total().exact().unwrap()) % 10, 0);
//! for function in small.functions() {
//!     println!("{} did {:?}", function.name(), function.instructions);
//! }
//! opcost::ledgers::save(&folder.join("run.opc"), &small)?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! A limit that stops a program:
//!
//! ```
//! use opcost::{CompileOptions, Program, Run};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-fuel-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("spin.c");
//! # std::fs::write(&source, "int main(void) {\n    for (volatile int i = 0;; i = i + 1) {}\n}\n").unwrap();
//! let program = Program::build([&source], &CompileOptions::default())?;
//! let spending = program.fuel(&Run::default(), Some(5_000_000))?;
//! assert!(spending.page.stopped.is_some() && spending.spent > 5_000_000);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! Trip counts and bits, told from the code alone:
//!
//! ```
//! use opcost::{Code, CompileOptions};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-code-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("dot.c");
//! # std::fs::write(&source, "int dot(const int *a, const int *b, int n) {\n    int sum = 0;\n    for (int i = 0; i < n; i++) sum += a[i] * b[i];\n    return sum;\n}\n").unwrap();
//! let options = CompileOptions { level: "1".to_owned(), ..CompileOptions::default() };
//! let code = Code::load([&source], &options)?;
//! let loops = code.loops(None, &[])?;
//! assert_eq!(loops.loops[0].expression.as_deref(), Some("n"));
//! let bits = code.bits(None, &["dot.n=0..99".parse().unwrap()])?;
//! let n = bits.functions[0].values.iter().find(|value| value.name == "n").unwrap();
//! assert_eq!(n.width, 7);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! How often blocks will run, from the code and values of inputs:
//!
//! ```
//! use opcost::prediction::{PredictionRequest, predict};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-predict-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("three.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 3; i++) sum = sum + i;\n    return sum;\n}\n").unwrap();
//! let request = PredictionRequest { inputs: vec![source.clone()], ..PredictionRequest::default() };
//! let predicted = predict(&request)?;
//! let counted = opcost::Program::build([&source], &opcost::CompileOptions::default())?.count(&opcost::Run::default())?;
//! assert_eq!(predicted.answers.total.parse().ok(), counted.total().exact());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! A function as a circuit, in a folder of Verilog:
//!
//! ```
//! use opcost::circuit::{CircuitEnd, CircuitRequest, make};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-circuit-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("fir.c");
//! # std::fs::write(&source, "int fir(const short *x) {\n    int sum = 0;\n    for (int i = 0; i < 8; i++) sum += 3 * x[i];\n    return sum;\n}\n").unwrap();
//! let request = CircuitRequest::of(&source, "fir", folder.join("out"));
//! let CircuitEnd::Made(circuit) = make(&request)? else { panic!("no program was run") };
//! assert_eq!(circuit.modules[0].loops.len(), 1);
//! assert!(folder.join("out/fir.v").exists());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```
//!
//! # Where LLVM is
//!
//! LLVM ends its process on fatal errors, so it lives in a child. The library starts the program
//! `opcost` for it: the one that the environment names by `OPCOST`, one beside the caller or up to
//! two folders above, or the one in `PATH`. With the feature `worker` the caller's own `main` can
//! offer itself by `offer`; then no other program is needed. Where there is none, the
//! error says so.
//!
//! The library prints nothing, but that sampling goes on by a timer where the kernel grants no
//! events, and that a profile of a run with versions is not kept. [`progress::watch_work`] names a function that is told of long work.

pub mod answered;
pub mod check;
pub mod circuit;
mod code;
pub mod count;
pub mod counting;
pub mod doctor;
pub mod earlier;
pub mod export;
pub mod folders;
pub mod fuel;
pub mod ledgers;
pub mod life;
pub mod list;
pub mod live;
pub mod machine;
pub mod measured;
pub mod nearness;
pub mod observed;
#[cfg(feature = "worker")]
mod offer;
pub mod prediction;
pub mod priced;
mod program;
pub mod progress;
pub mod recompiled;
pub mod recorded;
pub mod repair;
pub mod sampling;
pub mod slice;
pub mod tune;
pub mod values;

pub use code::{BitsGiven, Code};
pub use counting::Measurement;
#[cfg(feature = "worker")]
pub use offer::offer;
pub use opcost_answer::bits::BitsAnswers;
pub use opcost_answer::contract::PortContract;
pub use opcost_answer::dependence::ExplainAnswers;
pub use opcost_answer::fuel::Spending;
pub use opcost_answer::loops::LoopAnswers;
pub use opcost_answer::names::demangle;
pub use opcost_answer::run::Finish;
pub use opcost_answer::{Failure, Status};
pub use opcost_job::program::{LineLocation, WorldWish};
pub use opcost_profile::{
    Column, Fact, Ledger, LedgerFunction, LedgerLine, LedgerTotal, Quality, SourcePlace, Subject,
};
pub use opcost_recover::{FunctionTotal, LineTotal, ProgramSummary, SourceLine};
pub use opcost_run::start::Streams;
pub use opcost_toolchain::options::CompileOptions;
pub use program::{Program, Run};
pub use sampling::take::SampleOptions;
