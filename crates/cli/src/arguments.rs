//! The command line, as clap reads it.

mod bits;
mod export;
mod fuel;
mod hdl;
mod life;
mod loops;
mod predict;
mod reports;
mod run;
mod sample;
mod slice;
mod timing;
mod tune;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use opcost_answer::budget::parse_budget;
use opcost_key::{Anchor, Placement};
use opcost_toolchain::options::CompileOptions;
use thiserror::Error;

pub(crate) use bits::*;
pub(crate) use export::*;
pub(crate) use fuel::*;
pub(crate) use hdl::*;
pub(crate) use life::*;
pub(crate) use loops::*;
pub(crate) use predict::*;
pub(crate) use reports::*;
pub(crate) use run::*;
pub(crate) use sample::*;
pub(crate) use slice::*;
pub(crate) use timing::*;
pub(crate) use tune::*;
pub(crate) use values::*;

/// What a native program costs, one instruction at a time.
#[derive(Parser, Debug)]
#[command(name = "opcost", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Shows names of functions whole: with all template arguments, and never cut.
    #[arg(long, global = true)]
    pub(crate) full_names: bool,
    /// Takes nothing from the cache of earlier builds and answers, and keeps nothing there.
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    /// Size of that cache at most: 500M, 2G. What was used least recently goes first.
    #[arg(long, global = true, value_name = "SIZE", value_parser = cache_size, conflicts_with = "no_cache")]
    pub(crate) cache_size: Option<u64>,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Counts exactly how often every function, block and instruction ran.
    #[command(alias = "stat", after_help = COUNT_EXAMPLES)]
    Count(CountArguments),
    /// Stops a program after N instructions.
    #[command(after_help = FUEL_EXAMPLES)]
    Fuel(FuelArguments),
    /// Shows what becomes of an instruction, from the source to the bytes.
    #[command(after_help = LIFE_EXAMPLES)]
    Life(LifeArguments),
    /// Predicts how often every loop iterates, from the code, without a run.
    #[command(after_help = LOOPS_EXAMPLES)]
    Loops(LoopsArguments),
    /// Predicts how often every block runs, and how long that takes, without a run.
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArguments),
    /// Makes the smallest program that has the same loops, with the same trip counts.
    #[command(after_help = SLICE_EXAMPLES)]
    Slice(SliceArguments),
    /// Makes a program faster by what it does in a training run, and measures what each step gains.
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(TuneArguments),
    /// Runs a program, and compiles what is hot again while it runs.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArguments),
    /// Explains what decides a value, or how often a loop iterates.
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArguments),
    /// Measures what instructions, calls and memory take on this machine.
    #[command(after_help = TIMING_EXAMPLES)]
    Timing(TimingArguments),
    /// Records in a run how often each loop iterated, or what a line computed.
    #[command(after_help = VALUES_EXAMPLES)]
    Values(ValuesArguments),
    /// Proves how many bits each value needs.
    #[command(after_help = BITS_EXAMPLES)]
    Bits(BitsArguments),
    /// Makes a circuit of a C function, in Verilog, with wires as wide as is proven.
    #[command(after_help = HDL_EXAMPLES)]
    Hdl(HdlArguments),
    /// Estimates how often everything ran, from samples of the unchanged program.
    #[command(alias = "record", after_help = SAMPLE_EXAMPLES)]
    Sample(SampleArguments),
    /// Makes sampled counts consistent, and reports how much changed.
    #[command(after_help = REPAIR_EXAMPLES)]
    Repair(RepairArguments),
    /// Measures how close a sampled ledger is to a counted one.
    #[command(after_help = OVERLAP_EXAMPLES)]
    Overlap(OverlapArguments),
    /// Writes a ledger as a profile that compilers and profile viewers read.
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Shows a ledger again, without its program.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Compares two ledgers: where is more work than before, and where less?
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffArguments),
    /// Adds, averages or subtracts ledgers of one build.
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArguments),
    /// Checks the named runs of opcost.toml against their limits.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Builds and counts the program of a crate: cargo opcost count --bin NAME -- ARGS
    #[command(disable_help_flag = true)]
    Cargo(CompilerArguments),
    /// Compiles and links C as clang does, with counters: CC="opcost cc".
    #[command(disable_help_flag = true)]
    Cc(CompilerArguments),
    /// The same for C++: CXX="opcost c++".
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArguments),
    /// The same for Fortran: FC="opcost flang".
    #[command(disable_help_flag = true)]
    Flang(CompilerArguments),
    /// Reports which tools are installed, and the command that installs what is missing.
    Doctor(DoctorArguments),
    /// Shows what is kept of earlier builds and answers, or removes it: opcost cache clear
    Cache(CacheArguments),
    /// Prints completions for a shell: opcost completions bash
    Completions(CompletionArguments),
    /// Prints a man page: opcost man count | man -l -
    Man(ManArguments),
    /// Prints the JSON schema of a document: opcost schema count
    Schema(SchemaArguments),
}

const COUNT_EXAMPLES: &str = "\
Examples:
  opcost count bot.cpp < map.txt            build, run and count
  opcost count main.c util.c -lm -- 20 x    several sources, a library, arguments for the program
  opcost count --annotate a.c               the hottest functions, line by line
  opcost count --annotate --asm a.c         the same with the machine instructions of each line
  opcost count --json counts.json a.c       the same numbers as JSON (also --html FILE, --ledger FILE)
  opcost count --budget 2.5G a.c; echo $?   status 3 if it took more
  opcost count --paths --list paths a.c     the hottest paths through functions
  opcost count --deterministic a.c          one number, even if it reads clocks or hashes addresses
  opcost count --emit exe -o a.counted a.c  build now, run later: opcost count ./a.counted -- args

Exit status: 0 success, 1 opcost failed, 2 usage, 3 over budget, 4 the program failed.";

#[derive(Args, Debug)]
pub(crate) struct CountArguments {
    /// Sources (C, C++, Fortran, Rust), .bc, .ll, objects and archives; or one program built by opcost.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) build: BuildArguments,
    /// Writes the counted program and does not run it.
    #[arg(long, value_name = "KIND", requires = "output", conflicts_with = "json")]
    pub(crate) emit: Option<EmitKind>,
    /// Where to write. With --emit that is the program, without it the report.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    /// Writes the counts to a ledger (.opc), for report, diff and merge.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Fails with status 3 if the program takes more instructions than this (2.5G, 300k, 1234).
    #[arg(long, value_name = "N", value_parser = parse_budget)]
    pub(crate) budget: Option<u128>,
    /// An earlier ledger. If the budget is exceeded, the report names the functions that grew since.
    #[arg(long, value_name = "FILE", requires = "budget")]
    pub(crate) baseline: Option<PathBuf>,
    /// Reads the program's input from a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes the program's output to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: Option<PathBuf>,
    /// Runs the program N times and reports whether all runs agree.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Fixes what differs from run to run: addresses, environment, clocks, random numbers, the process
    /// number, and the C library's variants for processors. A program that hashes addresses has one
    /// number then.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) deterministic: bool,
    /// Exits with the program's own status.
    #[arg(long, conflicts_with = "ignore_status")]
    pub(crate) pass_status: bool,
    /// Ignores the program's status.
    #[arg(short, long)]
    pub(crate) ignore_status: bool,
    /// Arguments of the program, after `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

/// How a program is built to be counted.
#[derive(Args, Debug, Clone)]
pub(crate) struct BuildArguments {
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Counts paths through functions too (Ball and Larus), for --list paths. The same as --placement paths.
    #[arg(long)]
    pub(crate) paths: bool,
    /// Where counters are put: chords (few), paths (chords and paths) or every-segment (slow and simple).
    #[arg(long, value_name = "PLACEMENT", default_value = "chords", conflicts_with = "paths")]
    pub(crate) placement: Placement,
    /// Puts counters where little ran in this run, of this version or an earlier one. Numbers stay the same.
    /// Without it the last run of the same sources says so, for those that changed since.
    #[arg(long, value_name = "LEDGER")]
    pub(crate) placement_from: Option<PathBuf>,
    /// Gives every thread its own counters. Implied by -pthread and -fopenmp in --cflag.
    #[arg(long)]
    pub(crate) threads: bool,
}

/// The level without -O.
pub(crate) const DEFAULT_LEVEL: &str = "2";

/// How a program is built, whatever is measured of it.
#[derive(Args, Debug, Clone)]
pub(crate) struct CompileArguments {
    /// Optimisation level: 0, 1, 2, 3, s or z.
    #[arg(short = 'O', value_name = "LEVEL", default_value = DEFAULT_LEVEL, value_parser = ["0", "1", "2", "3", "s", "z"])]
    pub(crate) level: String,
    /// A flag for the compiler, such as -DNDEBUG. May be repeated.
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cflags: Vec<String>,
    /// An include folder.
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<String>,
    /// A macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// A library to link.
    #[arg(short = 'l', value_name = "LIB")]
    pub(crate) library: Vec<String>,
    /// A folder of libraries.
    #[arg(short = 'L', value_name = "DIR")]
    pub(crate) library_path: Vec<String>,
    /// State whose instructions are counted: source, simplified (by opcost run), pgo (where
    /// clang's profile passes read), optimized, or file (a .bc or .ll).
    #[arg(long, value_name = "ANCHOR")]
    pub(crate) anchor: Option<Anchor>,
    /// The weights of instructions: unit/1 (default of count), fuel/1 (default of fuel), block-size/1 or
    /// a .toml file. With fuel/1 long copies, wide numbers and calls of the library weigh more.
    #[arg(long, value_name = "MODEL")]
    pub(crate) cost: Option<String>,
    /// Level at which machine code is generated, if it differs from -O.
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) codegen: Option<u8>,
    /// Prints how long each phase of instrumenting each module took.
    #[arg(long)]
    pub(crate) time: bool,
}

impl CompileArguments {
    /// The same as the rooms below know it.
    pub(crate) fn options(&self) -> CompileOptions {
        CompileOptions {
            level: self.level.clone(),
            cflags: self.cflags.clone(),
            include: self.include.clone(),
            define: self.define.clone(),
            library: self.library.clone(),
            library_path: self.library_path.clone(),
            anchor: self.anchor,
            cost: self.cost.clone(),
            codegen: self.codegen,
            time: self.time,
            earlier: None,
        }
    }
}

const FUEL_EXAMPLES: &str = "\
Examples:
  opcost fuel --limit 5M bot.cpp -- input     run it, and stop it after 5 million instructions
  opcost fuel bot.cpp -- input                how much it takes, without a limit
  opcost fuel --unchecked bot.cpp -- input    the same, faster, without checks
  opcost fuel --emit exe -o bot bot.cpp       build now; run later: opcost fuel --limit 5M ./bot -- input
  opcost fuel --check bot.cpp                 can it be metered safely? every objection with its line
  opcost fuel --emit shared -o bot.so bot.cpp a plug-in, to which a host gives fuel for each call
  opcost fuel --header > opcost_host.h        all that a host in C or C++ needs (in Rust: the crate opcost-host)
  opcost fuel --portable bot.cpp              one number on Linux (x86-64, aarch64, riscv64) and Windows
  opcost fuel --deterministic bot.cpp         one number, even if it reads clocks or hashes addresses
  opcost fuel --limit 5M --sandbox bot.cpp    check it, run it in a sandbox, print its output if it finishes

The cost model fuel/1 charges:
  - each instruction of the inputs, and of the string, sort and format functions compiled with them
  - copies, fills and allocations by their length
  - a call of one of more than 500 other functions of the C and C++ library, by a fixed measured weight
It does not charge:
  - other functions outside the inputs
  - what a library call does beyond usual arguments
  - the kernel's work
A .toml file (based-on = \"fuel/1\", [calls]) changes weights and adds functions.

Without --sandbox a program can change its counter, because the counter is in its own memory.

Exit status: 0 success, 1 opcost failed, 2 usage, 3 used up (or rejected, blocked, out of memory),
4 the program failed.";

#[derive(Args, Debug)]
pub(crate) struct FuelArguments {
    /// Sources (C, C++, Fortran), .bc, .ll, objects and archives; or one metered program.
    #[arg(required_unless_present = "header", value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Prints opcost_host.h. With it a C or C++ program runs plug-ins (--emit shared).
    #[arg(long, conflicts_with_all = ["inputs", "limit", "json", "emit", "deterministic"])]
    pub(crate) header: bool,
    /// Instructions that the program may use (5M, 2.5G, 1234). Without it they are only counted.
    #[arg(long, value_name = "N", value_parser = parse_budget)]
    pub(crate) limit: Option<u128>,
    /// At most this many instructions between two checks.
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_budget)]
    pub(crate) overshoot: u128,
    /// Makes no checks. The program is faster, and nothing stops it.
    #[arg(long, conflicts_with_all = ["limit", "overshoot"])]
    pub(crate) unchecked: bool,
    /// For tests: charges every segment by itself.
    #[arg(long, hide = true, conflicts_with_all = ["limit", "overshoot", "audit", "portable"])]
    pub(crate) by_segment: bool,
    /// Has an independent auditor check the metered module: the payment on every path, a check on
    /// every cycle, and the bound between checks. Doubles the time of metering.
    #[arg(long)]
    pub(crate) audit: bool,
    #[command(flatten)]
    pub(crate) portability: PortableArguments,
    #[command(flatten)]
    pub(crate) trust: TrustArguments,
    /// Puts payments and checks where little ran in this run of `opcost count`, of this version or an earlier
    /// one. Numbers stay the same. Without it the last run of the same sources says so, for those that changed.
    #[arg(long, value_name = "LEDGER", conflicts_with_all = ["portable", "machine"])]
    pub(crate) placement_from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
    /// Writes the metered program and does not run it.
    #[arg(long, value_name = "KIND", requires = "output", conflicts_with_all = ["limit", "json"])]
    pub(crate) emit: Option<FuelEmit>,
    /// Where to write.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Writes JSON (schema opcost.fuel/1) to a file, or `-` for stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Reads the program's input from a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// Writes the program's output to a file.
    #[arg(long, value_name = "FILE")]
    pub(crate) stdout: Option<PathBuf>,
    /// Fixes what differs from run to run: addresses, environment, clocks, random numbers, the process
    /// number, and the C library's variants for processors. A program that hashes addresses has one
    /// number then.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) deterministic: bool,
    /// Arguments of the program, after `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FuelEmit {
    /// A program.
    Exe,
    /// One object file.
    Obj,
    /// A plug-in for a host, see --header.
    Shared,
    /// Metered bitcode.
    Bc,
    /// The bitcode at its anchor, as it is before metering.
    Anchor,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmitKind {
    /// A program.
    Exe,
    /// One object file.
    Obj,
    /// A shared library.
    Shared,
    /// Counted bitcode. `opcost cc` and `opcost count` make a program of it.
    Bc,
    /// The bitcode at its anchor, as it is before counting.
    Anchor,
}

/// The verb takes all arguments before clap sees them; this is for the help.
#[derive(Args, Debug)]
pub(crate) struct CompilerArguments {
    /// Arguments of the compiler, or of cargo opcost. The first may name the compiler.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<std::ffi::OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArguments {
    /// Prints JSON (schema opcost.doctor/1).
    #[arg(long)]
    pub(crate) json: bool,
    /// Makes opcost-cc, opcost-c++ and opcost-flang in a folder, for build systems that take one word.
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    pub(crate) links: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct CacheArguments {
    /// Prints JSON (schema opcost.cache/1).
    #[arg(long)]
    pub(crate) json: bool,
    /// What is done; without it the cache is shown.
    #[arg(value_name = "ACTION")]
    pub(crate) action: Option<CacheAction>,
}

/// What is done with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CacheAction {
    /// Removes all that is kept.
    Clear,
}

/// The size of a cache.
fn cache_size(text: &str) -> Result<u64, SizeError> {
    opcost_cache::choice::parse_size(text).ok_or_else(|| SizeError(text.to_owned()))
}

/// Why a word is no size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no size; write 500M, 2G or a number of bytes")]
struct SizeError(String);
