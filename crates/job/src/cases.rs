//! Which jobs are there, and what answers each?
//!
//! One list names every case: the request, and the type of its answer. `Job`, `Reply` and what
//! leads from one to the other are made of it, so a request cannot be answered by another's
//! answer without being noticed.

use opcost_answer::bits::{BitsAnswers, NarrowAnswers};
use opcost_answer::certificate::CheckAnswers;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::hdl::HdlAnswers;
use opcost_answer::life::{Life, MachineInstruction};
use opcost_answer::loops::LoopAnswers;
use opcost_answer::predict::PredictAnswers;
use opcost_answer::slice::SliceAnswers;
use opcost_answer::tune::{ArrangedModule, CopiedModule, FinishedModule};
use opcost_answer::width::WidthAnswers;
use opcost_answer::work::ProgramWork;
use serde::{Deserialize, Serialize};

use crate::life::{CodeJob, LifeJob, MachineJob};
use crate::live::{MadeVersion, VersionJob};
use crate::module::{ModuleJob, ModuleReply};
use crate::profile::{AnchorJob, ArrangeJob, CopyJob, ExportAnswers, ExportJob, FinishJob};
use crate::program::{
    BitsJob, CheckJob, ExplainJob, HdlJob, LoopsJob, NarrowJob, PredictJob, SliceJob, WidthJob,
};
use crate::work::{ProcessorAnswer, ProcessorJob, WorkJob};

/// A request, and how its answer is recognised.
pub trait Request: Serialize + Sized {
    /// What answers it.
    type Answer;

    /// The request as one of all jobs.
    fn job(self) -> Job;

    /// Its answer, if the reply is of the same case.
    fn answer(reply: Reply) -> Option<Self::Answer>;
}

macro_rules! cases {
    ($($(#[doc = $words:literal])* $case:ident($request:ty) -> $answer:ty,)*) => {
        /// Everything that the child can be asked.
        #[derive(Debug, Serialize, Deserialize)]
        pub enum Job {
            $($(#[doc = $words])* $case(Box<$request>),)*
        }

        /// Everything that the child can answer; its cases are those of [`Job`].
        #[derive(Debug, Serialize, Deserialize)]
        pub enum Reply {
            $($(#[doc = $words])* $case(Box<$answer>),)*
        }

        $(impl Request for $request {
            type Answer = $answer;

            fn job(self) -> Job {
                Job::$case(Box::new(self))
            }

            fn answer(reply: Reply) -> Option<$answer> {
                match reply {
                    Reply::$case(answer) => Some(*answer),
                    _ => None,
                }
            }
        })*
    };
}

cases! {
    /// A module is counted, metered, recorded or sampled, and written.
    Module(ModuleJob) -> ModuleReply,
    /// Trip counts of all loops.
    Loops(LoopsJob) -> LoopAnswers,
    /// Executions of all blocks.
    Predict(PredictJob) -> PredictAnswers,
    /// Which part decides the loops.
    Slice(SliceJob) -> SliceAnswers,
    /// Bits that values need.
    Bits(BitsJob) -> BitsAnswers,
    /// Whether a certificate holds.
    Check(CheckJob) -> CheckAnswers,
    /// Why integers are as wide as they are.
    Width(WidthJob) -> WidthAnswers,
    /// The program in as few bits as are proven to do.
    Narrow(NarrowJob) -> NarrowAnswers,
    /// A function as a circuit.
    Hdl(HdlJob) -> HdlAnswers,
    /// What decides a value or a loop.
    Explain(ExplainJob) -> ExplainAnswers,
    /// The life of instructions.
    Life(LifeJob) -> Life,
    /// Machine code of functions.
    Machine(MachineJob) -> Vec<MachineInstruction>,
    /// Assembly text or bytes, read.
    Code(CodeJob) -> Life,
    /// A module is brought to where clang's profile passes read.
    Anchor(AnchorJob) -> (),
    /// A ledger becomes a profile.
    Export(ExportJob) -> ExportAnswers,
    /// A module becomes an object file by the counts of a ledger.
    Arrange(ArrangeJob) -> ArrangedModule,
    /// A module gets its profile, and copies of hot joins.
    Copy(CopyJob) -> CopiedModule,
    /// A module that has its profile is optimised.
    Finish(FinishJob) -> FinishedModule,
    /// A later version of a function that is replaced while it runs.
    Version(VersionJob) -> MadeVersion,
    /// What the program of a ledger did.
    Work(WorkJob) -> ProgramWork,
    /// Which processor this is.
    Processor(ProcessorJob) -> ProcessorAnswer,
}

/// Why a job was not done, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// What was asked for does not fit the program.
    #[error("{0}")]
    Usage(String),
    /// Several of the modules define this symbol.
    #[error("{0} is defined more than once")]
    DefinedTwice(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}
