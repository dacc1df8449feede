//! The one module of a program that both are asked about.
//!
//! Each source is compiled by itself at the level, with lines, and linked; of
//! the sources in `common` only what is used comes along, as with objects of an
//! archive. `-O0` is what the front end gives, put into a form in which loops
//! can be seen at all: locals in registers, instructions combined, loops with
//! one entry. Nothing moves and nothing is unrolled there.

use crate::bench::setup;
use crate::command;
use crate::failure::{Failure, Result};
use crate::loops::sets::{self, Member, compiler_of, is_fortran};
use crate::manifest::Program;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes a module of -O0 readable. The check that instcombine reaches a
/// fixed point would stop at modules of flang's.
pub(super) const PROMOTION: &str =
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)";

/// One way to run a program.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) arguments: Vec<String>,
    /// Files that are where it runs.
    pub(super) inputs: Option<PathBuf>,
    pub(super) libraries: Vec<String>,
}

/// One program.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) sources: Vec<PathBuf>,
    common: Vec<PathBuf>,
    flags: Vec<OsString>,
    pub(super) runs: Vec<Run>,
}

/// The programs of a set.
pub(super) fn units(set: &str) -> Result<Vec<Unit>> {
    if let Some(own) = sets::sets()?.into_iter().find(|own| own.name == set) {
        let inputs = sets::folder()?.join("inputs");
        return Ok(own.members.into_iter().map(|member| unit_of_member(member, set, &inputs)).collect());
    }
    Ok(vec![unit_of_program(setup::program(set)?)])
}

fn unit_of_member(member: Member, set: &str, inputs: &Path) -> Unit {
    let run = |inputs| Run { arguments: Vec::new(), inputs, libraries: member.libraries.clone() };
    // Only these two sets read anything.
    let mut runs = vec![run(None)];
    if matches!(set, "fortran" | "c") {
        runs.push(run(Some(inputs.to_owned())));
    }
    Unit { name: member.name, sources: vec![member.source], common: member.common, flags: member.flags, runs }
}

fn unit_of_program(program: Program) -> Unit {
    let run = Run { arguments: program.small, inputs: None, libraries: program.libraries };
    Unit {
        name: program.name,
        sources: program.sources,
        common: Vec::new(),
        flags: program.flags.into_iter().map(OsString::from).collect(),
        runs: vec![run],
    }
}

/// Compiles and links; the module's file.
pub(super) fn make(unit: &Unit, set: &str, level: &str, as_built: bool, folder: &Path) -> Result<PathBuf> {
    let place = folder.join("bitcode").join(set);
    fs::create_dir_all(&place).map_err(|error| Failure::at("create", &place, error))?;
    let module = place.join(format!("{}{level}.bc", unit.name));
    if as_built && module.is_file() {
        return Ok(module);
    }
    let mut parts = Vec::new();
    for source in unit.sources.iter().chain(&unit.common) {
        let part = place.join(format!("part-{}.bc", parts.len()));
        compile(source, unit, level, &part)?;
        parts.push(part);
    }
    let (own, common) = parts.split_at(unit.sources.len());
    let whole = place.join("whole.bc");
    let mut link = Command::new("llvm-link-22");
    link.args(own).arg("-o").arg(&whole);
    if !common.is_empty() {
        link.arg("--only-needed").args(common);
    }
    command::output_of(&mut link)?;
    if level == "-O0" {
        let promotion = format!("-passes={PROMOTION}");
        command::output_of(Command::new("opt-22").arg(promotion).arg(&whole).arg("-o").arg(&module))?;
    } else {
        fs::rename(&whole, &module).map_err(|error| Failure::at("write", &module, error))?;
    }
    Ok(module)
}

fn compile(source: &Path, unit: &Unit, level: &str, part: &Path) -> Result<()> {
    let mut command = compiler_of(source);
    command.args([level, "-g", "-w", "-c", "-emit-llvm"]).args(&unit.flags);
    if level == "-O0" && !is_fortran(source) {
        // Or no pass would touch a function.
        command.args(["-Xclang", "-disable-O0-optnone"]);
    }
    command.arg(source).arg("-o").arg(part);
    // flang leaves its modules' descriptions where it runs.
    if let Some(folder) = part.parent() {
        command.current_dir(folder);
    }
    command::output_of(&mut command).map(|_| ())
}
