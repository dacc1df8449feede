//! What becomes of instructions of one input: the worker records it, clang's own tree and object stand beside it.
//!
//! ```text
//! source ─clang, no passes▶ bitcode ─worker▶ Life
//! source ─clang -O2 -c────────────▶ object ┘ compared
//! source ─clang, its tree─▶ steps of the stage `ast`
//! ```
//! Of Fortran and Rust the story begins where flang and rustc left the module, optimised by their own passes; what
//! these write is not compared.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use opcost_answer::Failure;
use opcost_answer::life::{Life, MachineInstruction, StageLife, StageName, Step};
use opcost_answer::names::short_name;
use opcost_job::life::{FollowedModule, LifeJob, LifeQuestion, MachineJob};
use opcost_job::module::CodeOptions;
use opcost_key::Anchor;

use super::state::Build;
use crate::input::{Input, Language};
use crate::running::run_tool;
use crate::tree;

impl Build {
    /// The life of what is wanted of one input.
    ///
    /// # Errors
    /// It does not compile, nothing of the kind is there, or LLVM gives up.
    pub fn life(&self, input: &Input, question: LifeQuestion) -> Result<Life, Failure> {
        let is_source = matches!(input.language, Language::C | Language::Cxx);
        let compiled = is_source.then(|| self.compiled(input)).transpose()?;
        let job = LifeJob { module: self.followed(input)?, question, compiled };
        let mut life = self.jobs.request(job, &self.path("life.job"), &input.path.display().to_string())?;
        if is_source {
            let steps = self.tree(input, &life)?;
            if !steps.is_empty() {
                life.stages.insert(0, StageLife { stage: StageName::Ast, steps });
            }
        }
        Ok(life)
    }

    /// The machine instructions of functions of one input.
    ///
    /// # Errors
    /// It does not compile, or LLVM gives up.
    pub fn code_of_functions(
        &self,
        input: &Input,
        functions: Vec<String>,
    ) -> Result<Vec<MachineInstruction>, Failure> {
        let job = MachineJob { module: self.followed(input)?, functions };
        self.jobs.request(job, &self.path("life.job"), &input.path.display().to_string())
    }

    /// The module of an input, to be followed to machine code.
    fn followed(&self, input: &Input) -> Result<FollowedModule, Failure> {
        let is_as_written = input.language != Language::Bitcode && self.anchor(input) == Anchor::Source;
        let bitcode = match input.language {
            Language::Rust => self.rust_bitcode(input, self.path("0.bc"))?,
            _ => self.bitcode(input, 0)?,
        };
        Ok(FollowedModule {
            bitcode,
            scratch: self.path("life"),
            optimise: is_as_written.then(|| self.options.optimiser_level()),
            code: CodeOptions {
                level: self.options.codegen.unwrap_or_else(|| self.options.code_level()),
                is_position_independent: self.options.has_flag("-fPIC"),
                function_sections: self.options.has_flag("-ffunction-sections"),
                data_sections: self.options.has_flag("-fdata-sections"),
            },
        })
    }

    /// The nodes of Clang's tree that the chosen instructions come from.
    fn tree(&self, input: &Input, life: &Life) -> Result<Vec<Step>, Failure> {
        let source = std::fs::read(&input.path).map_err(Failure::file("read", &input.path))?;
        let source = String::from_utf8_lossy(&source);
        let functions: BTreeSet<&String> = life.locations.iter().map(|place| &place.function).collect();
        let tool = self.compiler(input);
        let mut steps = Vec::new();
        for function in functions {
            let mut command = Command::new(tool);
            command.args(self.options.shaping_flags()).args([
                "-w",
                "-fsyntax-only",
                "-Xclang",
                "-ast-dump=json",
            ]);
            // The filter looks for a part of the name as it is written.
            let name = short_name(function);
            command.arg("-Xclang").arg(format!("-ast-dump-filter={name}")).arg(&input.path);
            let output = command.output().map_err(Failure::file("start", tool))?;
            let json = String::from_utf8_lossy(&output.stdout);
            let nodes = tree::nodes(&json, &source, function).map_err(|error| Failure::Module {
                module: input.path.display().to_string(),
                message: format!("clang's tree of {function} cannot be read: {error}"),
            })?;
            steps.extend(tree::steps(&nodes, &life.locations, function));
        }
        Ok(steps)
    }

    /// An object by the user's own compiler and flags.
    fn compiled(&self, input: &Input) -> Result<PathBuf, Failure> {
        let tool = self.compiler(input);
        let object = self.path("compiled.o");
        let mut command = Command::new(tool);
        command.args(self.options.shaping_flags()).args(["-w", "-c", "-o"]).arg(&object).arg(&input.path);
        run_tool(&mut command, tool, &input.path)?;
        Ok(object)
    }
}
