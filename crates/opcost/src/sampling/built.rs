//! A program that is built to be sampled, and processes that were not.

use std::path::PathBuf;

use opcost_answer::Failure;
use opcost_key::Anchor;
use opcost_run::image::SampledImage;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

use crate::progress::work;

/// A program that was built; its file goes away with this value.
pub struct SampledProgram {
    build: Build,
}

impl SampledProgram {
    /// Builds it: with frame pointers if stacks are wanted. An optimiser after the anchor may move what was keyed.
    ///
    /// # Errors
    /// The inputs do not compile, or nothing is left to be optimised after the anchor.
    pub fn build(
        inputs: &[Input],
        options: &CompileOptions,
        wants_stacks: bool,
        optimiser: Optimiser,
    ) -> Result<SampledProgram, Failure> {
        let options = if wants_stacks { with_frame_pointers(options, inputs) } else { options.clone() };
        let build = Build::new(&options, Purpose::Sample { optimiser })?;
        check_optimised(&build, inputs)?;
        let _building = work("building the program");
        build.program(inputs, &build.path("program"))?;
        Ok(SampledProgram { build })
    }

    /// The program's file.
    pub fn path(&self) -> PathBuf {
        self.build.path("program")
    }
}

/// Whether there is something left to do after the anchor, if it is asked for.
fn check_optimised(build: &Build, inputs: &[Input]) -> Result<(), Failure> {
    if build.purpose != (Purpose::Sample { optimiser: Optimiser::BehindAnchor }) {
        return Ok(());
    }
    let done = inputs.iter().find(|input| match input.language {
        Language::Rust => true,
        Language::C | Language::Cxx | Language::Fortran => build.anchor(input) == Anchor::Optimized,
        Language::Bitcode | Language::Object | Language::Program => false,
    });
    match done {
        Some(input) => Err(Failure::Usage(format!(
            "{}: its anchor comes after the optimiser; with --optimised say --anchor source or pgo",
            input.path.display()
        ))),
        None => Ok(()),
    }
}

/// How it is compiled with frame pointers.
fn with_frame_pointers(options: &CompileOptions, inputs: &[Input]) -> CompileOptions {
    let has = |language| inputs.iter().any(|input| input.language == language);
    let flags: &[&str] = match (has(Language::Rust), has(Language::Fortran)) {
        (true, _) => &["-Cforce-frame-pointers=yes"],
        (_, true) => &["-fno-omit-frame-pointer"],
        _ => &["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"],
    };
    let mut compile = options.clone();
    compile.cflags.extend(flags.iter().map(|flag| (*flag).to_owned()));
    compile
}

/// The reason why no process can be sampled: none was started from a program that was built for it.
pub fn all_foreign(pids: &[u32]) -> Option<String> {
    let words = pids.iter().map(|pid| {
        let program = PathBuf::from(format!("/proc/{pid}/exe"));
        if !matches!(SampledImage::read(&program), Ok(None)) {
            return None;
        }
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Some(format!("process {pid} ({}): {}", name.trim_end(), SampledImage::why_not(&program)))
    });
    words.collect::<Option<Vec<String>>>().map(|words| words.join("; "))
}
