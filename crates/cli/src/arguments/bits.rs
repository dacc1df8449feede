//! Flags of `opcost bits`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{ContractArguments, ProgramArguments, WorldName};

pub(crate) const BITS_EXAMPLES: &str = "\
Examples:
  opcost bits kernel.c                    declared and needed bits by function and line, widest waste first
  opcost bits --function idct kernel.c    the values of one function, and what forces each to be that wide
  opcost bits --annotate kernel.c         the source with the widths of its values
  opcost bits --html bits.html kernel.c   the same as a page, warm where most bits are not needed
  opcost bits --observe kernel.c -- 7     what the values took in a run, beside what is proven
  opcost bits --narrow -o out.bc kernel.c the program in as few bits as are proven to do, as bitcode
  opcost bits --world open kernel.c       exported functions may be called by anyone with anything
  opcost bits --assume 'f.stride=64' --assume 'f.n=0..99' kernel.c   what callers promise of ports
  opcost bits --assume-no-overflow kernel.c   believe that no signed sum overflows, and say so
  opcost bits --json bits.json kernel.bc  the same for a machine
  opcost bits --ledger bits.opc kernel.c  the same as a table: opcost report bits.opc shows it
  opcost bits --certificate c.json kernel.bc   only what a checker can follow, with all that it rests on
  opcost bits --check c.json kernel.bc    does this certificate hold?

A width holds for every input of the program, where the value is not poison: of its values the narrower of the
unsigned and the two's complement width; a constant needs none.

Exit status: 0 fine, 1 opcost failed, 2 usage, 3 a value was what it cannot be or a certificate does not hold, 4 the program failed.";

/// What is believed besides the code; nobody checks it, and a certificate lists it.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct AssumptionArguments {
    /// Believes that an index lies in the array that it runs through, also where that is a part of an object.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_inbounds: bool,
    /// Believes that signed sums, differences and products do not overflow, promised or not.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_no_overflow: bool,
    /// Believes that nothing is read of locals and of the heap before it was written.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_written_first: bool,
}

#[derive(Args, Debug)]
pub(crate) struct BitsArguments {
    /// Sources (C, C++, Fortran), .bc or .ll: one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The values of this function, by its linkage name or its name in the source; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Vec<String>,
    /// Shows the source with the widths of what stands in each line.
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Writes a page for a browser: the source with the heat of bits that are not needed.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Runs the program and shows what the values really took, beside what is proven.
    #[arg(long)]
    pub(crate) observe: bool,
    /// Writes the program as bitcode to -o, each value computed in as few bits as are proven to do.
    #[arg(long, requires = "output", conflicts_with_all = ["annotate", "observe", "function", "html", "check"])]
    pub(crate) narrow: bool,
    /// Standard input of the program, with --observe.
    #[arg(long, value_name = "FILE", requires = "observe")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes opcost.certificate/2: the ranges with all that they rest on, each of which a checker follows.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Does this certificate hold for the program? Each claim is asked; status 3 if one does not follow.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "observe", "annotate", "function", "html"])]
    pub(crate) check: Option<PathBuf>,
    /// The program is whole and begins at main: as --world closed.
    #[arg(long, conflicts_with = "world")]
    pub(crate) closed: bool,
    #[command(flatten)]
    pub(crate) contracts: ContractArguments,
    #[command(flatten)]
    pub(crate) assumptions: AssumptionArguments,
    /// How many functions, lines and values are shown; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Writes opcost.bits/2, or with --narrow opcost.bits-narrow/1, or with --check opcost.bits-check/1, to a
    /// file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes what is known of the values to a ledger (.opc), one row for each answer, for report,
    /// merge and readers of Parquet tables.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["narrow", "check"])]
    pub(crate) ledger: Option<PathBuf>,
    /// Where the text goes; without it stdout. With --narrow where the bitcode goes.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Arguments of the program, with --observe.
    #[arg(last = true, value_name = "ARGS", requires = "observe")]
    pub(crate) arguments: Vec<OsString>,
}

impl BitsArguments {
    /// What is to be known of the program; `--closed` is a world.
    pub(crate) fn program(&self) -> ProgramArguments {
        let world = if self.closed { Some(WorldName::Closed) } else { self.program.world };
        ProgramArguments { world, ..self.program.clone() }
    }
}
