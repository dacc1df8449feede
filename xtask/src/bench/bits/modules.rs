//! The one module of a program, in the open and in the closed world.

use crate::bits::Member;
use crate::command;
use crate::failure::{Failure, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who may call what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    /// Anyone, whatever is not static.
    Open,
    /// Only `main` is called from outside.
    Closed,
}

impl World {
    pub(super) const ALL: [Self; 2] = [Self::Open, Self::Closed];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// Copies of loops would count values several times.
const WITHOUT_COPIES: [&str; 3] =
    ["-vectorize-loops=false", "-vectorize-slp=false", "-disable-loop-unrolling"];

/// Compiles; the module's file.
pub(super) fn make(oracle: &Path, member: &Member, world: World, folder: &Path) -> Result<PathBuf> {
    let place = folder.join("bitcode").join(member.set);
    fs::create_dir_all(&place).map_err(|error| Failure::at("create", &place, error))?;
    let [first, parted, open, closed] =
        ["-first", "-parted", "", "-closed"].map(|end| place.join(format!("{}{end}.bc", member.name)));
    let mut compiler = Command::new("clang-22");
    compiler.args(["-O2", "-g", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
    command::output_of(compiler.arg(&member.source).arg("-o").arg(&first))?;
    command::output_of(Command::new(oracle).arg("--part").arg(&first).arg(&parted))?;
    optimise(&["-passes=default<O2>"], &parted, &open)?;
    if world == World::Open {
        return Ok(open);
    }
    let passes = ["-passes=internalize,lto<O2>", "-internalize-public-api-list=main"];
    optimise(&passes, &open, &closed)?;
    Ok(closed)
}

fn optimise(passes: &[&str], from: &Path, to: &Path) -> Result<()> {
    let mut optimiser = Command::new("opt-22");
    optimiser.args(passes).args(WITHOUT_COPIES);
    command::output_of(optimiser.arg(from).arg("-o").arg(to)).map(|_| ())
}
