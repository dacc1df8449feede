//! Code: what can be told of it without running it?

use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::bits::{Assumptions, BitsAnswers, NarrowAnswers};
use opcost_answer::certificate::CheckAnswers;
use opcost_answer::contract::PortContract;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::loops::LoopAnswers;
use opcost_answer::width::WidthAnswers;
use opcost_job::Request;
use opcost_job::program::{
    BitsJob, CheckJob, ExplainJob, ExplainSubject, InputValues, LineLocation, LoopsJob, NarrowJob,
    ProgramSource, WidthJob, WorldWish,
};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

use crate::progress::work;

/// What is believed of callers and of the code.
#[derive(Clone, Debug, Default)]
pub struct BitsGiven {
    /// What the code promises and is believed.
    pub assumptions: Assumptions,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
}

/// One program's code, compiled and ready to be asked.
pub struct Code {
    build: Build,
    inputs: Vec<Input>,
    source: ProgramSource,
}

impl Code {
    /// Compiles sources of C, C++ and Fortran, and takes bitcode as it is: one program.
    ///
    /// # Errors
    /// A compiler is missing, or a source does not compile.
    pub fn load<Source: AsRef<Path>>(
        sources: impl IntoIterator<Item = Source>,
        options: &CompileOptions,
    ) -> Result<Code, Failure> {
        let sources: Vec<Source> = sources.into_iter().collect();
        Code::within_world(sources, options, &ProgramOptions::default())
    }

    /// The same, where it is said who calls, and what functions outside of the program do.
    ///
    /// # Errors
    /// As of [`Code::load`]; the table of effects cannot be read.
    pub fn within_world<Source: AsRef<Path>>(
        sources: impl IntoIterator<Item = Source>,
        options: &CompileOptions,
        program: &ProgramOptions,
    ) -> Result<Code, Failure> {
        let sources: Vec<Source> = sources.into_iter().collect();
        let inputs = Input::all_analysed(sources.iter().map(AsRef::as_ref))?;
        let build = Build::new(options, Purpose::Analysis)?;
        let source = build.program_source(&inputs, program)?;
        Ok(Code { build, inputs, source })
    }

    /// What it is made of.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// How often does each loop iterate? `values` gives numbers to names in formulas. Without a
    /// world, a program with a `main` is closed, and all else is open.
    ///
    /// # Errors
    /// The modules do not fit together, or no formula has a name of `values`.
    pub fn loops(&self, world: Option<WorldWish>, values: &[(String, i128)]) -> Result<LoopAnswers, Failure> {
        let inputs = InputValues { bindings: values.to_vec(), ..InputValues::default() };
        self.query(LoopsJob { program: self.within(world), inputs })
    }

    /// The same for inputs of any kind.
    ///
    /// # Errors
    /// As of [`Code::loops`].
    pub fn loops_of(&self, inputs: InputValues) -> Result<LoopAnswers, Failure> {
        let _working = work("analysing loops");
        self.query(LoopsJob { program: self.source.clone(), inputs })
    }

    /// How many bits does each integer need, if callers keep these contracts?
    ///
    /// # Errors
    /// The modules do not fit together, or a contract contradicts the code.
    pub fn bits(&self, world: Option<WorldWish>, contracts: &[PortContract]) -> Result<BitsAnswers, Failure> {
        self.query(BitsJob {
            program: self.within(world),
            is_certified: false,
            assumptions: Assumptions::default(),
            contracts: contracts.to_vec(),
        })
    }

    /// The same under assumptions, with a certificate if one is wanted.
    ///
    /// # Errors
    /// As of [`Code::bits`].
    pub fn widths(&self, given: &BitsGiven, is_certified: bool) -> Result<BitsAnswers, Failure> {
        let _working = work(if is_certified { "certifying widths" } else { "analysing widths" });
        let BitsGiven { assumptions, contracts } = given.clone();
        self.query(BitsJob { program: self.source.clone(), is_certified, assumptions, contracts })
    }

    /// Whether a certificate holds under these assumptions; messages call it `name`.
    ///
    /// # Errors
    /// The modules do not fit together.
    pub fn check(
        &self,
        name: String,
        certificate: String,
        given: &BitsGiven,
    ) -> Result<CheckAnswers, Failure> {
        let _working = work("checking the certificate");
        let BitsGiven { assumptions, contracts } = given.clone();
        self.query(CheckJob { program: self.source.clone(), name, certificate, assumptions, contracts })
    }

    /// Writes the program with the widths that are proven, as bitcode.
    ///
    /// # Errors
    /// A contract contradicts the code; the output cannot be written.
    pub fn narrow(
        &self,
        contracts: &[PortContract],
        is_certified: bool,
        output: &Path,
    ) -> Result<NarrowAnswers, Failure> {
        let _working = work("rewriting");
        let made = self.build.path("narrow.bc");
        let answers = self.query(NarrowJob {
            program: self.source.clone(),
            output: made.clone(),
            is_certified,
            contracts: contracts.to_vec(),
        })?;
        install(&made, output)?;
        Ok(answers)
    }

    /// Why are the integers of a line as wide as they are?
    ///
    /// # Errors
    /// The line has no code; which has.
    pub fn width(&self, location: LineLocation, contracts: &[PortContract]) -> Result<WidthAnswers, Failure> {
        self.query(WidthJob { program: self.source.clone(), location, contracts: contracts.to_vec() })
    }

    /// What decides the values and loops of a line?
    ///
    /// # Errors
    /// The line has no code; which has.
    pub fn explain(&self, world: Option<WorldWish>, place: LineLocation) -> Result<ExplainAnswers, Failure> {
        self.query(ExplainJob { program: self.within(world), subject: ExplainSubject::Line(place) })
    }

    /// The same of a line or of a function.
    ///
    /// # Errors
    /// There is no such code; which is near.
    pub fn explain_subject(&self, subject: ExplainSubject) -> Result<ExplainAnswers, Failure> {
        let _working = work("looking for what decides it");
        self.query(ExplainJob { program: self.source.clone(), subject })
    }

    fn query<R: Request>(&self, question: R) -> Result<R::Answer, Failure> {
        self.build.query(question, &self.inputs)
    }

    fn within(&self, world: Option<WorldWish>) -> ProgramSource {
        ProgramSource { world, ..self.source.clone() }
    }
}
