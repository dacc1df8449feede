//! LLVM's answers: building the program that asks ScalarEvolution, and reading
//! what it says.

use super::row::{Kind, Row};
use crate::bench::oracle;
use crate::bench::timed::{self, Taken};
use crate::failure::{Failure, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One line of the oracle; its file says what the words mean.
#[derive(Deserialize)]
struct Line {
    function: String,
    header: u32,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: u32,
    depth: u32,
    vectorized: bool,
    kind: String,
    #[serde(default)]
    back_edges: Option<String>,
    #[serde(default)]
    leaves: Vec<String>,
    #[serde(default)]
    blockers: Vec<String>,
}

/// Builds the oracle.
pub(super) fn build(folder: &Path) -> Result<PathBuf> {
    oracle::build("evolution", folder)
}

/// What LLVM says of every loop of the module.
pub(super) fn query(oracle: &Path, module: &Path, folder: &Path) -> Result<(Vec<Row>, Taken)> {
    let (text, taken) = timed::run(Command::new(oracle).arg(module), &[], folder)?;
    Ok((read(&text)?, taken))
}

fn read(text: &str) -> Result<Vec<Row>> {
    text.lines()
        .map(|text| {
            let line: Line = serde_json::from_str(text).map_err(|error| {
                let start: String = text.chars().take(200).collect();
                Failure::new(format!("the oracle said `{start}`: {error}"))
            })?;
            row(line)
        })
        .collect()
}

fn row(line: Line) -> Result<Row> {
    // A parameter is what comes nearest to a named input.
    let is_named = |leaf: &String| matches!(leaf.as_str(), "argument" | "counter");
    let kind = match line.kind.as_str() {
        "constant" => Kind::Constant,
        "formula" if line.leaves.iter().all(is_named) => Kind::Inputs,
        "formula" => Kind::Loads,
        "bound" => Kind::Bound,
        "unknown" => Kind::Unknown,
        other => return Err(Failure::new(format!("the oracle knows a kind {other}"))),
    };
    let file = line.file.rsplit('/').next().unwrap_or_default();
    Ok(Row {
        function: line.function,
        header: Some(line.header),
        file: file.to_owned(),
        line: line.line,
        depth: line.depth,
        is_vectorized: line.vectorized,
        kind,
        back_edges: line.back_edges.and_then(|number| number.parse().ok()),
        words: line.blockers.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_oracle_become_rows() {
        let text = r#"{"block":"for","depth":1,"file":"/a/b.c","function":"f","header":1,"kind":"constant","line":7,"vectorized":false,"back_edges":"18446744073709551615"}
{"depth":2,"function":"f","header":2,"kind":"formula","leaves":["argument","counter"],"vectorized":true}
{"depth":2,"function":"f","header":3,"kind":"formula","leaves":["argument","load"],"vectorized":true}
{"depth":2,"function":"f","header":4,"kind":"unknown","blockers":["call","phi"],"vectorized":true}
"#;
        let rows = read(text).unwrap();
        let kinds: Vec<Kind> = rows.iter().map(|row| row.kind).collect();
        assert_eq!(kinds, [Kind::Constant, Kind::Inputs, Kind::Loads, Kind::Unknown]);
        assert_eq!((rows[0].file.as_str(), rows[0].line), ("b.c", 7));
        assert_eq!(rows[0].back_edges, Some(u128::from(u64::MAX)));
        assert_eq!(rows[3].words, "call, phi");
        assert!(read("{}").is_err());
    }
}
