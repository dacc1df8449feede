//! Flags of `opcost loops` and `opcost explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error;

use opcost_answer::contract::PortContract;
use opcost_job::program::WorldWish;
use opcost_toolchain::options::ProgramOptions;

use super::CompileArguments;

pub(crate) const LOOPS_EXAMPLES: &str = include_str!("../examples/loops.txt");

pub(crate) const EXPLAIN_EXAMPLES: &str = include_str!("../examples/explain.txt");

/// What is promised of ports.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct ContractArguments {
    /// A contract: each caller of the function passes this to the parameter. FUNCTION.PORT=NUMBER,
    /// LOW..HIGH with both ends included, or several with commas: 'f.stride=64', 'f.n=0..99,128'. May
    /// be repeated.
    #[arg(long = "assume", value_name = "CONTRACT")]
    pub(crate) contracts: Vec<PortContract>,
}

/// What both verbs must know of the program.
#[derive(Args, Debug, Clone)]
pub(crate) struct ProgramArguments {
    /// Who may call: open (anyone calls exported functions with any values) or closed (the program
    /// begins at main). Without the flag it is closed if the inputs define main.
    #[arg(long, value_name = "WORLD", value_enum)]
    pub(crate) world: Option<WorldName>,
    /// A table of what functions outside the program do. Its lines override those of opcost.
    #[arg(long, value_name = "FILE")]
    pub(crate) effects: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) compile: CompileArguments,
}

impl ProgramArguments {
    /// The same as the rooms below know it.
    pub(crate) fn options(&self) -> ProgramOptions {
        let world = self.world.map(|world| match world {
            WorldName::Open => WorldWish::Open,
            WorldName::Closed => WorldWish::Closed,
        });
        ProgramOptions { world, effects: self.effects.clone() }
    }
}

/// A world, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorldName {
    /// Anyone calls exported functions, with any values.
    Open,
    /// The program begins at main.
    Closed,
}

/// What the inputs of a program are.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct InputArguments {
    /// A value for a name in formulas. May be repeated.
    // A name may begin with a minus: `-3||%from`, what the callers give.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_binding, allow_hyphen_values = true)]
    pub(crate) bindings: Vec<(String, i128)>,
    /// Assumes that there is no input: no file, and no arguments but those that are given here. Reads
    /// of files fail, and variables hold what the program itself stores in them. --set overrides it.
    #[arg(long)]
    pub(crate) defaults: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LoopsArguments {
    /// Sources (C, C++, Fortran), .bc or .ll. Together they are one program.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Only loops of this function. The name is that of the linker or of the source. May be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Vec<String>,
    #[command(flatten)]
    pub(crate) values: InputArguments,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Writes opcost.loops/1 to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the answers to a ledger (.opc), one row for each, for report, merge and readers of
    /// Parquet tables.
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    /// Where to write the table, instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// A source (C, C++, Fortran), .bc or .ll, with the line of a value or a loop: prog.c:123 or
    /// prog.c:123:14. More inputs are the rest of the program.
    #[arg(required = true, value_name = "INPUT[:LINE[:COLUMN]]")]
    pub(crate) inputs: Vec<String>,
    /// The function whose loops and results are explained. The name is that of the linker or of the source.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Explains why each integer of the line is as wide as it is, and which one fact about an input
    /// would make it narrower.
    #[arg(long, conflicts_with_all = ["function", "dot", "svg"])]
    pub(crate) width: bool,
    #[command(flatten)]
    pub(crate) contracts: ContractArguments,
    /// Writes JSON (schema opcost.explain/1, with --width opcost.explain-width/2) to a file; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes the graph of dependences for Graphviz, with the reason on each edge; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// Draws the same graph; - is stdout.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Where to write the text, instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A word that gives no name a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no binding; write NAME=VALUE with a whole number, such as n=1000")]
pub(crate) struct BindingError(String);

/// `n=1000`, also `grid_points(1)=64`: the last sign of equality divides.
pub(crate) fn parse_binding(text: &str) -> Result<(String, i128), BindingError> {
    let wrong = || BindingError(text.to_owned());
    let (name, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    let digits: String = value.trim().chars().filter(|letter| !matches!(letter, '_' | ',')).collect();
    let value = digits.parse::<i128>().map_err(|_| wrong())?;
    if name.trim().is_empty() { Err(wrong()) } else { Ok((name.trim().to_owned(), value)) }
}

#[cfg(test)]
mod tests {
    use super::parse_binding;

    #[test]
    fn bindings_are_a_name_and_a_whole_number() {
        assert_eq!(parse_binding("n=1000"), Ok(("n".to_owned(), 1000)));
        assert_eq!(parse_binding("grid_points(1)=-3"), Ok(("grid_points(1)".to_owned(), -3)));
        assert_eq!(parse_binding("n=1_000,000"), Ok(("n".to_owned(), 1_000_000)));
        for wrong in ["n", "n=", "=5", "n=2.5", "n=ten"] {
            assert!(parse_binding(wrong).unwrap_err().to_string().contains(wrong), "{wrong}");
        }
    }
}
