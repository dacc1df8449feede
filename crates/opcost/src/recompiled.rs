//! How is a module that a ledger counted made again?
//!
//! The ledger says how it was compiled and to which anchor. Limit: inputs are found by the path of their source, so this
//! is done where the program was built.

use std::path::Path;

use opcost_answer::Failure;
use opcost_job::profile::ExportModule;
use opcost_key::Anchor;
use opcost_profile::ModuleFacts;
use opcost_toolchain::build::{Build, Optimiser, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

/// The flags with which a module was counted.
pub fn compile_as(facts: &ModuleFacts, cost: &str) -> CompileOptions {
    let (levels, others): (Vec<&String>, Vec<&String>) =
        facts.build.flags.iter().partition(|flag| flag.starts_with("-O"));
    CompileOptions {
        level: levels.first().map_or("2", |level| &level[2..]).to_owned(),
        cflags: others.into_iter().cloned().collect(),
        include: Vec::new(),
        define: Vec::new(),
        library: Vec::new(),
        library_path: Vec::new(),
        anchor: (facts.anchor != Anchor::File).then_some(facts.anchor),
        cost: Some(cost.to_owned()),
        codegen: None,
        time: false,
        earlier: None,
    }
}

/// A module at its anchor again.
///
/// # Errors
/// Another compiler than those of LLVM made it, or it does not compile.
pub fn compile(
    facts: &ModuleFacts,
    options: &CompileOptions,
    position: usize,
    build: &Build,
) -> Result<ExportModule, Failure> {
    let input = Input::classify(Path::new(&facts.module))?;
    if !matches!(input.language, Language::C | Language::Cxx | Language::Fortran | Language::Bitcode) {
        return Err(Failure::Usage(format!(
            "{} was compiled by another compiler, which opcost cannot ask for its module again; count the bitcode that \
             it writes (rustc --emit=llvm-bc -Cno-prepopulate-passes)",
            facts.module
        )));
    }
    let own = Build::new(options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let bitcode = own.bitcode(&input, position)?;
    let kept = build.path(format!("{position}.anchor.bc"));
    std::fs::copy(&bitcode, &kept).map_err(Failure::file("write", &kept))?;
    Ok(ExportModule { name: facts.module.clone(), anchor: facts.anchor, bitcode: kept })
}
