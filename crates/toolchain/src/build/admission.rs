//! May the inputs be metered, if nobody trusts whoever wrote them?
//!
//! All of them are linked to one module and looked at in the child process
//! (`opcost_instrument::admit`), before it meters the very same module. What is
//! machine code already cannot be looked at, and is objected to here.

use std::path::Path;

use opcost_instrument::{Admission, Library, Objection, Rule};

use opcost_job::module::Product;

use super::link::Linked;
use super::state::Build;
use crate::input::{Input, Language};
use opcost_answer::Failure;

impl Build {
    /// What is to be said of the inputs as one program.
    ///
    /// # Errors
    /// They do not compile, or cannot be linked together.
    pub fn admission(&mut self, inputs: &[Input], allowed: Vec<String>) -> Result<Admission, Failure> {
        self.allowed = Some(allowed);
        // Data has places too, then.
        self.debug_flag = "-g";
        self.admit(inputs, Product::Admission, &self.path("program"))
    }

    /// Builds a metered program at `output`, unless something speaks against it.
    ///
    /// # Errors
    /// As above; or it cannot be metered.
    pub fn admitted_program(
        &mut self,
        inputs: &[Input],
        allowed: Vec<String>,
        output: &Path,
    ) -> Result<Admission, Failure> {
        self.allowed = Some(allowed);
        let object = self.path("program.o");
        let admission = self.admit(inputs, Product::Object, &object)?;
        if admission.objections.is_empty() {
            self.link(inputs, &[object], output, Linked::Program)?;
        }
        Ok(admission)
    }

    fn admit(&self, inputs: &[Input], product: Product, output: &Path) -> Result<Admission, Failure> {
        let foreign = self.machine_code(inputs);
        let code: Vec<Input> = inputs.iter().filter(|input| is_code(input)).cloned().collect();
        let product = if foreign.is_empty() { product } else { Product::Admission };
        let mut admission = if code.is_empty() {
            let library = Library::default().hash().to_string();
            let hash = String::new();
            Admission { functions: 0, hash, library, differs: Vec::new(), objections: Vec::new() }
        } else {
            let reply = self.build_together(&code, product, output)?;
            reply.admission.expect("what is asked to be admitted is judged")
        };
        admission.objections.splice(0..0, foreign);
        Ok(admission)
    }

    /// Objections to what is machine code before we see it.
    fn machine_code(&self, inputs: &[Input]) -> Vec<Objection> {
        let objection = |what: String, remedy: &str| Objection {
            rule: Rule::MachineCode,
            function: None,
            file: None,
            line: None,
            reason: what,
            remedy: remedy.to_owned(),
        };
        let mut objections = Vec::new();
        for input in inputs.iter().filter(|input| !is_code(input)) {
            let what = match input.language {
                Language::Rust => "a Rust source brings Rust's library as machine code",
                _ => "machine code cannot be looked at",
            };
            let remedy = "give sources of C or C++, or bitcode";
            objections.push(Objection {
                file: Some(input.path.display().to_string()),
                ..objection(what.to_owned(), remedy)
            });
        }
        let linking = |flag: &&String| flag.starts_with("-l") || flag.starts_with("-Wl,");
        let libraries = self.options.library.iter().map(|name| format!("-l{name}"));
        let flags = self.options.cflags.iter().filter(linking).cloned();
        for flag in libraries.chain(flags).filter(|flag| flag != "-lm") {
            objections.push(objection(
                format!("{flag} links code that is not metered"),
                "give the library's sources too",
            ));
        }
        objections
    }
}

fn is_code(input: &Input) -> bool {
    matches!(input.language, Language::C | Language::Cxx | Language::Fortran | Language::Bitcode)
}
