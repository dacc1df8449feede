//! One program, looked at without running it, by the worker.
//!
//! ```text
//! sources ─clang, flang▶ bitcode ─worker▶ answers
//! ```

use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::names::{relative, tidy};
use opcost_job::Request;
use opcost_job::program::{EffectTable, PredictedBuild, ProgramSource};

use super::state::Build;
use crate::input::{Input, Language};
use crate::link_flags::{flushes_subnormals, opens_names};
use crate::options::ProgramOptions;

impl Build {
    /// The inputs as one program, compiled, with what is known besides.
    ///
    /// # Errors
    /// They do not compile, or the table of effects cannot be read.
    pub fn program_source(
        &self,
        inputs: &[Input],
        options: &ProgramOptions,
    ) -> Result<ProgramSource, Failure> {
        let bitcode = |(position, input)| self.bitcode(input, position);
        let effects = options.effects.as_deref().map(|path| {
            let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
            Ok::<_, Failure>(EffectTable { name: path.display().to_string(), text })
        });
        Ok(ProgramSource {
            bitcode: inputs.iter().enumerate().map(bitcode).collect::<Result<_, _>>()?,
            is_own: inputs.iter().all(|input| input.language != Language::Bitcode),
            root: std::env::current_dir().map_err(Failure::file("find", "."))?,
            world: options.world,
            opens_names: opens_names(&self.options.cflags).map(str::to_owned),
            flushes_subnormals: flushes_subnormals(&self.options.cflags),
            effects: effects.transpose()?,
        })
    }

    /// How the inputs would be built to be counted, as far as the first is.
    ///
    /// # Errors
    /// A compiler is missing.
    pub fn predicted_build(&self, inputs: &[Input]) -> Result<PredictedBuild, Failure> {
        let root = std::env::current_dir().map_err(Failure::file("find", "."))?;
        let first = &inputs[0];
        Ok(PredictedBuild {
            modules: inputs.iter().map(|input| relative(&tidy(&root.join(&input.path)), &root)).collect(),
            anchor: self.anchor(first),
            compiler: self.compiler_name(first)?,
            flags: self.options.shaping_flags(),
            cost: self.cost.clone(),
        })
    }

    /// Asks about a program; messages name its first input.
    ///
    /// # Errors
    /// The modules do not fit together, the table of effects has an error,
    /// or nothing is where the question points to.
    pub fn query<R: Request>(&self, question: R, inputs: &[Input]) -> Result<R::Answer, Failure> {
        let paths: Vec<&Path> = inputs.iter().map(|input| &*input.path).collect();
        self.jobs
            .request(question, &self.path("analysis.job"), &paths[0].display().to_string())
            .map_err(|failure| failure.among(&paths))
    }
}
