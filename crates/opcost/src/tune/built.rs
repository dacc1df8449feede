//! The program after one step: its code, ready to be linked.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::tune::Transform;
use opcost_toolchain::build::{
    ArrangedCode, Arranging, Build, FunctionOrder, Optimiser, Purpose, functions_of,
};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

/// The program after one step.
pub(super) struct BuiltStep {
    /// What was done up to here, in order.
    pub transforms: Vec<Transform>,
    pub(super) build: Build,
    pub(super) code: ArrangedCode,
    /// All functions, in the order of their addresses.
    pub order: Vec<String>,
}

impl BuiltStep {
    /// The program with its code generated as it would be.
    pub(super) fn plain(
        transforms: &[Transform],
        options: &CompileOptions,
        inputs: &[Input],
    ) -> Result<BuiltStep, Failure> {
        let mut build = plain_build(options)?;
        build.compile_once(None);
        BuiltStep::of(build, transforms, inputs)
    }

    /// The same of a build that may have made bitcode already.
    pub(super) fn of(build: Build, transforms: &[Transform], inputs: &[Input]) -> Result<BuiltStep, Failure> {
        let code = build.arranged_code(inputs, Arranging { ledger: None, weighs: false, orders: false })?;
        let order = functions_of(&code.objects)?;
        Ok(BuiltStep { transforms: transforms.to_vec(), build, code, order })
    }

    /// Links the program.
    ///
    /// # Errors
    /// The linker fails.
    pub(super) fn link(&self, inputs: &[Input], gaps: Option<u64>, output: &Path) -> Result<(), Failure> {
        // As it comes, the linker orders functions itself.
        let is_placed = self.transforms.contains(&Transform::Placement);
        let names = if is_placed || gaps.is_some() { &self.order[..] } else { &[] };
        self.build.arranged_program(inputs, &self.code, FunctionOrder { names, gaps }, output)
    }
}

impl BuiltStep {
    /// Writes the optimised modules into a folder: bitcode that can be counted, sampled and followed to
    /// machine code. The files, in the order of the inputs that have a module.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn save(&self, inputs: &[Input], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
        std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
        let mut all = Vec::new();
        for (position, input) in inputs.iter().enumerate() {
            if input.language == Language::Object {
                continue;
            }
            let stem = input.path.file_stem().unwrap_or_default().to_string_lossy();
            let saved = folder.join(format!("{position}.{stem}.bc"));
            let made = self.build.bitcode(input, position)?;
            std::fs::copy(&made, &saved).map_err(Failure::file("write", &saved))?;
            all.push(saved);
        }
        Ok(all)
    }
}

pub(super) fn plain_build(options: &CompileOptions) -> Result<Build, Failure> {
    Build::new(options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })
}
