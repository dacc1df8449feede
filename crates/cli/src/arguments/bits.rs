//! Flags of `opcost bits`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use opcost::{BitsGiven, Code};
use opcost_answer::Failure;
use opcost_answer::bits::Assumptions;

use super::{ContractArguments, ProgramArguments, WorldName};

pub(crate) const BITS_EXAMPLES: &str = include_str!("../examples/bits.txt");

/// What is assumed in addition to the code. Nothing checks it. A certificate lists it, and its
/// check must be given it, too.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct AssumptionArguments {
    /// Assumes that an index is within its array, also where the array is a part of an object.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_inbounds: bool,
    /// Assumes that signed sums, differences and products do not overflow, with or without a flag.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_no_overflow: bool,
    /// Assumes that locals and the heap are written before they are read.
    #[arg(long, conflicts_with = "narrow")]
    pub(crate) assume_written_first: bool,
}

impl AssumptionArguments {
    /// The same for the analysis.
    pub(crate) fn assumptions(self) -> Assumptions {
        let AssumptionArguments { assume_inbounds, assume_no_overflow, assume_written_first } = self;
        Assumptions { assume_inbounds, assume_no_overflow, assume_written_first }
    }
}

#[derive(Args, Debug)]
pub(crate) struct BitsArguments {
    /// Sources (C, C++, Fortran), .bc or .ll. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Lists the values of this function. The name is that of the linker or of the source. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Vec<String>,
    /// Shows the source with the widths of the values of each line.
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Writes a page for a browser: the source, coloured by unneeded bits.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Runs the program and shows the observed ranges next to the proven ones.
    #[arg(long)]
    pub(crate) observe: bool,
    /// Writes the program as bitcode to -o, with each value computed in its proven width.
    #[arg(long, requires = "output", conflicts_with_all = ["annotate", "observe", "function", "html", "check"])]
    pub(crate) narrow: bool,
    /// Standard input of the program, with --observe.
    #[arg(long, value_name = "FILE", requires = "observe")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes opcost.certificate/2: the ranges that a checker can follow, with their proof.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Checks each claim of this certificate for the program. Status 3 if one does not follow, or
    /// if it rests on an --assume that is not given here, too.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "observe", "annotate", "function", "html"])]
    pub(crate) check: Option<PathBuf>,
    /// The same as --world closed: the program is complete and begins at main.
    #[arg(long, conflicts_with = "world")]
    pub(crate) closed: bool,
    #[command(flatten)]
    pub(crate) contracts: ContractArguments,
    #[command(flatten)]
    pub(crate) assumptions: AssumptionArguments,
    /// How many functions, lines and values are shown. 0 shows all.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Writes JSON to a file; - is stdout. The schema is opcost.bits/2, with --narrow
    /// opcost.bits-narrow/1, with --check opcost.bits-check/1.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the answers to a ledger (.opc), one row for each, for report, merge and readers of
    /// Parquet tables.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["narrow", "check"])]
    pub(crate) ledger: Option<PathBuf>,
    /// Where to write the text, instead of stdout. With --narrow where to write the bitcode.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Arguments of the program, with --observe.
    #[arg(last = true, value_name = "ARGS", requires = "observe")]
    pub(crate) arguments: Vec<OsString>,
}

impl BitsArguments {
    /// The code that is looked at.
    pub(crate) fn code(&self) -> Result<Code, Failure> {
        let compile = self.program.compile.options();
        Code::within_world(&self.inputs, &compile, &self.program().options())
    }

    /// What is believed of it.
    pub(crate) fn given(&self) -> BitsGiven {
        let (assumptions, contracts) = (self.assumptions.assumptions(), self.contracts.contracts.clone());
        BitsGiven { assumptions, contracts }
    }

    /// What is to be known of the program; `--closed` is a world.
    pub(crate) fn program(&self) -> ProgramArguments {
        let world = if self.closed { Some(WorldName::Closed) } else { self.program.world };
        ProgramArguments { world, ..self.program.clone() }
    }
}
