//! Code: what can be told of it without running it?

use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::bits::{Assumptions, BitsAnswers};
use opcost_answer::contract::PortContract;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::loops::LoopAnswers;
use opcost_job::program::{
    BitsJob, ExplainJob, ExplainSubject, InputValues, LineLocation, LoopsJob, ProgramSource, WorldWish,
};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

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
        let inputs = Input::all(sources.iter().map(AsRef::as_ref))?;
        let build = Build::new(options, Purpose::Analysis)?;
        let source = build.program_source(&inputs, &ProgramOptions::default())?;
        Ok(Code { build, inputs, source })
    }

    /// How often does each loop iterate? `values` gives numbers to names in formulas. Without a
    /// world, a program with a `main` is closed, and all else is open.
    ///
    /// # Errors
    /// The modules do not fit together, or no formula has a name of `values`.
    pub fn loops(&self, world: Option<WorldWish>, values: &[(String, i128)]) -> Result<LoopAnswers, Failure> {
        let job = LoopsJob {
            program: self.within(world),
            inputs: InputValues { bindings: values.to_vec(), ..InputValues::default() },
        };
        self.build.query(job, &self.inputs)
    }

    /// How many bits does each integer need, if callers keep these contracts?
    ///
    /// # Errors
    /// The modules do not fit together, or a contract contradicts the code.
    pub fn bits(&self, world: Option<WorldWish>, contracts: &[PortContract]) -> Result<BitsAnswers, Failure> {
        let job = BitsJob {
            program: self.within(world),
            is_certified: false,
            assumptions: Assumptions::default(),
            contracts: contracts.to_vec(),
        };
        self.build.query(job, &self.inputs)
    }

    /// What decides the values and loops of a line?
    ///
    /// # Errors
    /// The line has no code; which has.
    pub fn explain(&self, world: Option<WorldWish>, place: LineLocation) -> Result<ExplainAnswers, Failure> {
        let job = ExplainJob { program: self.within(world), subject: ExplainSubject::Line(place) };
        self.build.query(job, &self.inputs)
    }

    fn within(&self, world: Option<WorldWish>) -> ProgramSource {
        ProgramSource { world, ..self.source.clone() }
    }
}
