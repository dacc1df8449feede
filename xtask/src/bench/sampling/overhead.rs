//! What sampling costs: the measurement of the room `sample`, run and read.

use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::process::Command;

/// One way to sample at one rate.
#[derive(Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) hertz: u64,
    pub(super) name: String,
    /// Processor time by that of the unsampled run: median, least, most.
    pub(super) ratios: [f64; 3],
}

/// Runs it.
pub(super) fn measure(rounds: usize) -> Result<Vec<Cost>> {
    eprintln!("bench: what sampling costs, {rounds} rounds");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["run", "--release", "--package", "opcost-sample", "--example", "overhead", "--"]);
    let text = command::output_of(command.arg(rounds.to_string()).current_dir(repository()?))?;
    let costs: Vec<Cost> = text.lines().filter_map(read).collect();
    if costs.is_empty() {
        Err(Failure::new(format!("the measurement of costs says {text}")))
    } else {
        Ok(costs)
    }
}

/// A line such as ` 4000 Hz  opcost   1.0661 [1.0523 .. 1.0801]`.
fn read(line: &str) -> Option<Cost> {
    let (hertz, rest) = line.split_once(" Hz ")?;
    let (rest, range) = rest.split_once('[')?;
    let (name, median) = rest.trim().rsplit_once(' ')?;
    let (least, most) = range.trim().strip_suffix(']')?.split_once(" .. ")?;
    let number = |text: &str| text.trim().parse().ok();
    Some(Cost {
        hertz: hertz.trim().parse().ok()?,
        name: name.trim().to_owned(),
        ratios: [number(median)?, number(least)?, number(most)?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let line = "  4000 Hz  opcost over bare 1.0061 [0.9987 .. 1.0103]";
        let ratios = [1.0061, 0.9987, 1.0103];
        assert_eq!(read(line), Some(Cost { hertz: 4000, name: "opcost over bare".to_owned(), ratios }));
        assert_eq!(read("9 rounds; ratios of processor time, median [least .. most]"), None);
    }
}
