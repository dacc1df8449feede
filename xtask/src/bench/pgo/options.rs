//! What does the command line of `bench pgo` ask for?

use crate::failure::{Failure, Result};
use crate::root::repository;
use std::path::PathBuf;
use std::str::FromStr;

pub(super) struct Options {
    pub(super) rounds: usize,
    pub(super) rows: String,
    pub(super) training: u64,
    pub(super) rate: String,
    pub(super) opcost: Option<PathBuf>,
    pub(super) as_built: bool,
    pub(super) out: PathBuf,
}

impl Options {
    /// Reads it.
    pub(super) fn parse(flags: &[&str]) -> Result<Self> {
        let mut options = Self {
            rounds: 41,
            rows: "300000".to_owned(),
            training: 2_000_000,
            rate: "10000".to_owned(),
            opcost: None,
            as_built: false,
            out: repository()?.join("benchmarks/pgo.md"),
        };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--rounds" => options.rounds = number(flag, value()?)?,
                "--rows" => value()?.clone_into(&mut options.rows),
                "--training" => options.training = number(flag, value()?)?,
                "--rate" => value()?.clone_into(&mut options.rate),
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--as-built" => options.as_built = true,
                "--out" => options.out = PathBuf::from(value()?),
                _ => {
                    return Err(Failure::usage(format!(
                        "bench pgo has no flag {flag}; see `cargo xtask help`"
                    )));
                }
            }
        }
        Ok(options)
    }
}

/// A number above 0.
fn number<N: FromStr + PartialOrd + Default>(flag: &str, text: &str) -> Result<N> {
    let number = text.parse().ok().filter(|number| *number > N::default());
    number.ok_or_else(|| Failure::usage(format!("{flag} wants a number, not {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let options = Options::parse(&["--rounds", "2", "--rate", "4000", "--as-built"]).unwrap();
        assert_eq!((options.rounds, &*options.rate, options.as_built), (2, "4000", true));
        for flags in [&["--rounds", "0"][..], &["--rounds"], &["--training", "many"], &["--what"]] {
            assert_eq!(Options::parse(flags).err().map(|failure| failure.status()), Some(2), "{flags:?}");
        }
    }
}
