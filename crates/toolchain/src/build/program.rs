//! From sources to a program or a library, counted, metered, recorded or sampled.
//!
//! ```text
//! source ─clang -emit-llvm▶ bitcode ─worker▶ object + map ─clang▶ program
//! ```

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_job::module::Product;

use super::link::Linked;
use super::state::{Build, LivePurpose, Purpose};
use crate::input::{Input, Language};
use crate::threads::object_may_start;

impl Build {
    /// Builds a counted program at `output`.
    pub fn program(&self, inputs: &[Input], output: &Path) -> Result<(), Failure> {
        if inputs.iter().any(|input| input.language == Language::Rust) {
            let what = match self.purpose {
                Purpose::Fuel { .. } => "be metered",
                Purpose::Values => "record values",
                Purpose::Predict => "predict themselves",
                Purpose::Live(_) => "be replaced while they run",
                Purpose::Count { .. } | Purpose::Life | Purpose::Analysis | Purpose::Sample { .. } => "",
            };
            if !what.is_empty() {
                return Err(Failure::Usage(format!(
                    "Rust sources cannot {what} yet; give C, C++, Fortran, .bc or .ll"
                )));
            }
            self.starts_threads.set(true);
            return self.rust_program(inputs, output);
        }
        let objects = match self.purpose {
            Purpose::Fuel { .. } if self.is_whole(inputs) => vec![self.as_one(inputs)?],
            _ => self.objects(inputs)?,
        };
        self.link(inputs, &objects, output, Linked::Program)
    }

    /// Whether the inputs are all of the program but the C and C++ library.
    fn is_whole(&self, inputs: &[Input]) -> bool {
        let is_code =
            |input: &Input| matches!(input.language, Language::C | Language::Cxx | Language::Bitcode);
        let is_linking = |flag: &String| flag.starts_with("-l") || flag.starts_with("-Wl,");
        inputs.iter().all(is_code)
            && self.options.library.iter().all(|library| library == "m")
            && !self.options.cflags.iter().any(is_linking)
    }

    /// One object of all inputs, linked before they are built.
    fn as_one(&self, inputs: &[Input]) -> Result<PathBuf, Failure> {
        let object = self.path("program.o");
        self.build_together(inputs, Product::Object, &object)?;
        Ok(object)
    }

    /// Builds a counted shared library at `output`.
    pub fn shared(&self, inputs: &[Input], output: &Path) -> Result<(), Failure> {
        let objects = self.objects(inputs)?;
        self.link(inputs, &objects, output, Linked::Shared)
    }

    /// Compiles and instruments every input that needs it; objects and
    /// archives pass through.
    ///
    /// Threads that one module starts run the code of all. Which modules do is
    /// known once they were read, so the others are instrumented again.
    pub(crate) fn objects(&self, inputs: &[Input]) -> Result<Vec<PathBuf>, Failure> {
        let mut objects = Vec::new();
        let mut made = Vec::new();
        for (position, input) in inputs.iter().enumerate() {
            match input.language {
                Language::Object => {
                    if object_may_start(&input.path) {
                        self.starts_threads.set(true);
                    }
                    objects.push(input.path.clone());
                }
                _ => {
                    let bitcode = self.bitcode(input, position)?;
                    let object = self.path(format!("{position}.o"));
                    let reply = self.build_module(input, &bitcode, Product::Object, &object)?;
                    objects.push(object.clone());
                    made.push((input, bitcode, object, reply.counts_by_thread));
                }
            }
        }
        let is_live = matches!(self.purpose, Purpose::Live(LivePurpose { is_counted: true, .. }));
        // What is only sampled counts nothing for each thread.
        if !is_live && matches!(self.purpose, Purpose::Live(_) | Purpose::Sample { .. }) {
            return Ok(objects);
        }
        if self.starts_threads.get() || made.iter().any(|(_, _, _, is_by_thread)| *is_by_thread) {
            self.starts_threads.set(true);
            // Modules with versions are numbered in their order, so all of them are made again.
            self.live.borrow_mut().clear();
            let again = made.iter().filter(|(_, _, _, is_by_thread)| is_live || !is_by_thread);
            for (input, bitcode, object, _) in again {
                self.build_module(input, bitcode, Product::Object, object)?;
            }
        }
        Ok(objects)
    }
}
