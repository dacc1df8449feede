//! One program in the forms that are compared, and its runs.
//!
//! | file | what |
//! |---|---|
//! | `anchor.bc` | `clang -O2` of each source with line tables, linked: the blocks of most figures |
//! | `sampled` | of it, with opcost's tables; it is what runs and is sampled |
//! | `lines` | of it, with line tables in place of ours; the same code |
//! | `exact.opc` | counted: the truth |
//! | `blocks.bc`, `lines.bc` | of it, ready for LLVM's loader: a line a block; its own lines |
//! | `early.bc`, `early`, `early.opc`, `early.lines.bc` | the same of the module in front of the inliner, where clang loads profiles |

use super::tools::{Tools, llvm};
use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What clang runs before it loads a profile.
const EARLY: &str = "function(add-discriminators,lower-expect,simplifycfg,sroa,early-cse)";
const LINES: [&str; 2] = ["-gline-tables-only", "-fdebug-info-for-profiling"];

/// A program in all its forms.
pub(super) struct Built {
    pub(super) folder: PathBuf,
}

impl Built {
    /// A file of it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Builds it and counts it, unless an earlier run did and that is to be taken.
pub(super) fn make(
    tools: &Tools,
    program: &Program,
    arguments: &[String],
    folder: &Path,
    is_taken: bool,
) -> Result<Built> {
    let built = Built { folder: folder.to_owned() };
    // Written last: what lies before it is whole.
    let done = built.file("built");
    let facts = arguments.join(" ");
    if is_taken && fs::read_to_string(&done).is_ok_and(|kept| kept == facts) {
        return Ok(built);
    }
    let _ = fs::remove_file(&done);
    anchored(tools, program, arguments, &built)?;
    compile(program, &["-Xclang", "-disable-llvm-passes"], &built.file("front.bc"))?;
    let (front, early) = (built.file("front.bc"), built.file("early.bc"));
    llvm("opt", &[format!("-passes={EARLY}").as_ref(), front.as_ref(), "-o".as_ref(), early.as_ref()])?;
    counted(tools, program, arguments, &built, ["early.bc", "early", "early.opc"])?;
    for (module, ready) in [("anchor.bc", "lines.bc"), ("early.bc", "early.lines.bc")] {
        tools.profi(&["lines".as_ref(), built.file(module).as_ref(), built.file(ready).as_ref()])?;
    }
    with_lines(program, &built)?;
    super::tools::write(&done, &facts)?;
    Ok(built)
}

/// Of a program what the comparison of solvers needs: its anchor, sampled, counted and
/// ready for LLVM's loader.
pub(super) fn anchored(tools: &Tools, program: &Program, arguments: &[String], built: &Built) -> Result<()> {
    eprintln!("bench: building {}", program.name);
    compile(program, &[], &built.file("anchor.bc"))?;
    counted(tools, program, arguments, built, ["anchor.bc", "sampled", "exact.opc"])?;
    let (module, ready) = (built.file("anchor.bc"), built.file("blocks.bc"));
    tools.profi(&["blocks".as_ref(), module.as_ref(), ready.as_ref()]).map(drop)
}

/// Builds a module to be sampled and to be counted, and counts it.
fn counted(
    tools: &Tools,
    program: &Program,
    arguments: &[String],
    built: &Built,
    [module, sampled, exact]: [&str; 3],
) -> Result<()> {
    let (module, counted) = (built.file(module), built.file("counted"));
    assemble(tools, "sample", program, &module, &built.file(sampled))?;
    assemble(tools, "count", program, &module, &counted)?;
    eprintln!("bench: counting {}, {exact}", program.name);
    let mut words: Vec<&OsStr> = vec!["count".as_ref(), "--ledger".as_ref()];
    let (exact, output) = (built.file(exact), built.file("output"));
    words.extend([exact.as_os_str(), "--stdout".as_ref(), output.as_ref(), counted.as_ref(), "--".as_ref()]);
    words.extend(arguments.iter().map(|word| -> &OsStr { word.as_ref() }));
    tools.opcost(&words).map(drop)
}

/// Each source for itself, as it would be, then one module.
fn compile(program: &Program, flags: &[&str], module: &Path) -> Result<()> {
    let mut parts = Vec::new();
    for (number, source) in program.sources.iter().enumerate() {
        let part = module.with_extension(format!("{number}.bc"));
        let mut command = Command::new("clang-22");
        command.arg("-O2").args(LINES).args(flags).args(["-emit-llvm", "-c"]);
        command::output_of(command.args(&program.flags).arg(source).arg("-o").arg(&part))?;
        parts.push(part);
    }
    command::output_of(Command::new("llvm-link-22").args(&parts).arg("-o").arg(module))?;
    for part in parts {
        fs::remove_file(&part).map_err(|error| Failure::at("remove", &part, error))?;
    }
    Ok(())
}

fn assemble(tools: &Tools, verb: &str, program: &Program, module: &Path, executable: &Path) -> Result<()> {
    let mut command = Command::new(&tools.opcost);
    command.arg(verb).args(["--emit", "exe", "-o"]).arg(executable).arg(module).args(&program.libraries);
    command::output_of(&mut command).map(drop)
}

/// The program as it is, and whether its code is that which is sampled.
fn with_lines(program: &Program, built: &Built) -> Result<()> {
    let (object, lines) = (built.file("lines.o"), built.file("lines"));
    let mut command = Command::new("clang-22");
    command
        .args(["-O2", "-Xclang", "-disable-llvm-passes", "-c"])
        .arg(built.file("anchor.bc"))
        .arg("-o")
        .arg(&object);
    command::output_of(&mut command)?;
    command::output_of(Command::new("clang-22").arg(&object).arg("-o").arg(&lines).args(&program.libraries))?;
    let text = |file: &Path| {
        let out = built.file("text");
        llvm(
            "llvm-objcopy",
            &["-O".as_ref(), "binary".as_ref(), "--only-section=.text".as_ref(), file.as_ref(), out.as_ref()],
        )?;
        fs::read(&out).map_err(|error| Failure::at("read", &out, error))
    };
    if text(&lines)? == text(&built.file("sampled"))? {
        Ok(())
    } else {
        Err(Failure::new(format!("{}: the code that is sampled is not that of clang", program.name)))
    }
}

/// Runs it and keeps its samples.
pub(super) fn sample(
    tools: &Tools,
    built: &Built,
    arguments: &[String],
    rate: u64,
    samples: &Path,
) -> Result<()> {
    let mut command = Command::new(&tools.opcost);
    command.args(["sample", "--rate"]).arg((1000 * rate).to_string()).arg("--keep").arg(samples);
    command.arg("--stdout").arg(built.file("output")).arg(built.file("sampled")).arg("--").args(arguments);
    command::output_of(&mut command).map(drop)
}
