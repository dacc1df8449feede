//! Flags of `opcost life`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use opcost_answer::life::StageName;

use super::CompileArguments;

pub(crate) const LIFE_EXAMPLES: &str = include_str!("../examples/life.txt");

#[derive(Args, Debug)]
pub(crate) struct LifeArguments {
    /// A source (C, C++, Fortran, Rust) with a line: prog.c:3 or prog.c:3:14. Bitcode with a line of the
    /// source that its debug information names: prog.bc:3. Assembly text, with or without a line:
    /// prog.s:12. With --bytes the bytes themselves, a file of them, or -.
    #[arg(value_name = "INPUT[:LINE[:COLUMN]]", required_unless_present = "hot")]
    pub(crate) input: Option<String>,
    /// INPUT is machine code, in hexadecimal (a file may hold the bytes as they are).
    #[arg(long, conflicts_with_all = ["function", "format", "hot", "ledger"], requires = "input")]
    pub(crate) bytes: bool,
    /// The function whose instructions are followed. The name is that of the linker or of the source.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// One value of that function: %div.
    #[arg(long, value_name = "NAME", requires = "function")]
    pub(crate) value: Option<String>,
    /// One stage only, in full: the whole function or graph after each pass that changed it.
    #[arg(long, value_name = "STAGE", value_parser = stages())]
    pub(crate) stage: Option<StageName>,
    /// A ledger (.opc). The costliest instruction of its runs is followed, in the program that was counted.
    #[arg(long, value_name = "LEDGER", conflicts_with_all = ["function", "value", "ledger", "target"])]
    pub(crate) hot: Option<PathBuf>,
    /// A ledger (.opc) of the program. Every step shows how often its instruction ran.
    #[arg(long, value_name = "LEDGER", conflicts_with = "target")]
    pub(crate) ledger: Option<PathBuf>,
    /// The target triple: x86_64-linux-gnu, aarch64-linux-gnu, riscv64-linux-gnu.
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,
    /// The format of the object. It decides the operating system of the target.
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<FormatName>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Writes opcost.life/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Draws the graph of instruction selection after each phase, with the chosen nodes marked; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Writes everything as one page for a browser, which loads nothing.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Where to write the text, instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A format of object files, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Linux.
    Elf,
    /// Windows.
    Coff,
    /// macOS.
    Macho,
}

/// The stages' names, as a flag takes them.
fn stages() -> impl TypedValueParser<Value = StageName> {
    let names = PossibleValuesParser::new(StageName::ALL.map(StageName::name));
    names.try_map(|name| name.parse::<StageName>())
}
