//! Flags of `opcost hdl`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use opcost::circuit::{Chip, Interface};
use opcost_job::program::{HdlSchedule, HdlWidths};

use super::{CompileArguments, ContractArguments};

pub(crate) const HDL_EXAMPLES: &str = include_str!("../examples/hdl.txt");

/// No `FUNCTION.POINTER=ELEMENTS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongBefore;

impl std::fmt::Display for WrongBefore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("write FUNCTION.POINTER=ELEMENTS, such as fir.x=3, with 1 to 65536 elements")
    }
}

impl std::error::Error for WrongBefore {}

/// `FUNCTION.POINTER=ELEMENTS`.
fn parse_before(text: &str) -> Result<(String, u64), WrongBefore> {
    let (port, count) = text.split_once('=').ok_or(WrongBefore)?;
    let count = count.parse().ok().filter(|count| (1..=65536).contains(count)).ok_or(WrongBefore)?;
    Ok((port.to_owned(), count))
}

#[derive(Args, Debug)]
pub(crate) struct HdlArguments {
    /// Sources in C, .bc or .ll. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The function that becomes a circuit. What it calls is put in place.
    #[arg(long, value_name = "NAME")]
    pub(crate) top: String,
    /// The folder that the files are written to; it is made if it is not there.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) contracts: ContractArguments,
    /// How wide wires are.
    #[arg(long, value_name = "KIND", value_enum, default_value = "proven")]
    pub(crate) widths: WidthsName,
    /// From which widths it is decided what is done in one cycle.
    #[arg(long, value_name = "KIND", value_enum, default_value = "common")]
    pub(crate) schedule: ScheduleName,
    /// The clock: a frequency such as 100MHz. It decides what is done within one cycle.
    #[arg(long, value_name = "FREQUENCY", default_value = "50MHz")]
    pub(crate) clock: Clock,
    /// Multiplications share so many multipliers. Without the flag each has its own.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) multipliers: Option<u32>,
    /// Ports of each memory: 1 reads or writes, and of more one writes and the others read.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) memory_ports: u32,
    /// Iterations of loops do not overlap.
    #[arg(long)]
    pub(crate) no_pipelines: bool,
    /// Bits of addresses of a memory whose size nobody knows, such as a parameter's. They count elements.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=48))]
    pub(crate) address_bits: u32,
    /// Elements that the testbench gives to such a memory.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub(crate) elements: u64,
    /// So many elements are before the one that a pointer points to: FUNCTION.POINTER=ELEMENTS. Addresses count from
    /// the first of them. May be repeated.
    #[arg(long, value_name = "ELEMENTS", value_parser = parse_before)]
    pub(crate) before: Vec<(String, u64)>,
    /// How the circuit is called: by start and done alone, or also by a module around it.
    #[arg(long, value_name = "KIND", value_enum, default_value = "start")]
    pub(crate) interface: InterfaceName,
    /// Calls the C function so often with inputs at random, and the circuit with the same. Status 3 if
    /// they differ. It needs iverilog and clang's sanitizers (libclang-rt-22-dev).
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) cosimulate: Option<u64>,
    /// Runs the sources as a program, with the words after --, and gives the circuit each call that the run makes.
    /// Status 3 if one differs, or is none that the circuit takes. It needs what --cosimulate needs.
    #[arg(long, conflicts_with = "cosimulate")]
    pub(crate) replay: bool,
    /// At most so many calls of the run are compared: the first ones.
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "replay", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) calls: u64,
    /// Another number gives other inputs at random.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "cosimulate")]
    pub(crate) seed: u64,
    /// Writes a waveform (VCD) of the simulation of the Verilog, for GTKWave and the like.
    #[arg(long, value_name = "FILE")]
    pub(crate) waveform: Option<PathBuf>,
    /// Synthesises the circuit with yosys for a chip, and places it with nextpnr. What is missing is named.
    /// With --cosimulate or --replay the netlist is simulated, too.
    #[arg(long, value_name = "CHIP", value_enum)]
    pub(crate) synthesise: Option<ChipName>,
    /// Places so often, each time with another seed; 0 does not place.
    #[arg(long, value_name = "N", default_value_t = 5, requires = "synthesise", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) seeds: u32,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Writes JSON (schema opcost.hdl/1) to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Arguments of the program, with --replay.
    #[arg(last = true, value_name = "ARGS", requires = "replay")]
    pub(crate) arguments: Vec<OsString>,
}

/// How wide wires are, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WidthsName {
    /// As their types.
    Declared,
    /// As LLVM's own analyses say, which opcost does not check.
    Llvm,
    /// As opcost bits proves.
    Proven,
    /// As the checker of certificates follows.
    Certified,
}

impl From<WidthsName> for HdlWidths {
    fn from(name: WidthsName) -> HdlWidths {
        match name {
            WidthsName::Declared => HdlWidths::Declared,
            WidthsName::Llvm => HdlWidths::Llvm,
            WidthsName::Proven => HdlWidths::Proven,
            WidthsName::Certified => HdlWidths::Certified,
        }
    }
}

/// From which widths delays are, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// From those of types: circuits of all --widths take the same cycles.
    Common,
    /// From those of its own wires: narrow ones do more in a cycle.
    Own,
}

impl From<ScheduleName> for HdlSchedule {
    fn from(name: ScheduleName) -> HdlSchedule {
        match name {
            ScheduleName::Common => HdlSchedule::Common,
            ScheduleName::Own => HdlSchedule::Own,
        }
    }
}

/// How a circuit is called, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InterfaceName {
    /// Start and done.
    Start,
    /// A module NAME_stream around it with valid and ready, for calls and for results.
    Stream,
    /// A module NAME_axi around it with registers by AXI4-Lite, and with its memories by AXI4.
    Axi,
}

impl From<InterfaceName> for Interface {
    fn from(name: InterfaceName) -> Interface {
        match name {
            InterfaceName::Start => Interface::Start,
            InterfaceName::Stream => Interface::Stream,
            InterfaceName::Axi => Interface::Axi,
        }
    }
}

/// A chip, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChipName {
    /// Lattice iCE40.
    Ice40,
    /// Lattice ECP5.
    Ecp5,
    /// Xilinx, of series 7.
    Xilinx,
}

impl From<ChipName> for Chip {
    fn from(name: ChipName) -> Chip {
        match name {
            ChipName::Ice40 => Chip::Ice40,
            ChipName::Ecp5 => Chip::Ecp5,
            ChipName::Xilinx => Chip::Xilinx,
        }
    }
}

/// A clock by its period in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) period: u32,
}

/// Why a text is no clock.
#[derive(Debug, thiserror::Error)]
#[error("write a frequency from 1MHz to 1GHz, such as 100MHz or 62.5MHz")]
pub(crate) struct ClockError;

impl FromStr for Clock {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Clock, ClockError> {
        let lower = text.trim().to_ascii_lowercase();
        let (number, scale) = match (lower.strip_suffix("mhz"), lower.strip_suffix("ghz")) {
            (Some(number), _) => (number, 1.0),
            (_, Some(number)) => (number, 1000.0),
            _ => return Err(ClockError),
        };
        let megahertz = number.trim().parse::<f64>().map_err(|_| ClockError)? * scale;
        if !(1.0..=1000.0).contains(&megahertz) {
            return Err(ClockError);
        }
        Ok(Clock { period: (1_000_000.0 / megahertz) as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn clocks_are_frequencies() {
        let period = |text: &str| text.parse::<Clock>().ok().map(|clock| clock.period);
        assert_eq!(period("100MHz"), Some(10_000));
        assert_eq!(period("62.5 mhz"), Some(16_000));
        assert_eq!(period("1GHz"), Some(1_000));
        assert_eq!(
            (period("100"), period("0MHz"), period("-5MHz"), period("NaNMHz")),
            (None, None, None, None)
        );
    }
}
