//! opcost's answers: `opcost loops --json - FILE.bc`, read.
//!
//! Of the document (`opcost.loops/1`) only what the comparison needs. Numbers
//! may come as numbers or as text, for a count can be larger than 2^53.

use super::row::{Kind, Row};
use crate::bench::timed::{self, Taken};
use crate::failure::{Failure, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

#[derive(Deserialize)]
struct Document {
    loops: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    function: String,
    #[serde(default)]
    header: Option<u32>,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    depth: Option<u32>,
    kind: String,
    #[serde(default)]
    back_edges: Value,
    #[serde(default)]
    reason: Option<String>,
}

/// Whether this opcost has the verb.
pub(super) fn has_verb(opcost: &Path, verb: &str) -> Result<()> {
    let status = Command::new(opcost)
        .args([verb, "--help"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| Failure::at("start", opcost, error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("this opcost has no verb `{verb}`"))) }
}

/// What opcost says of every loop of the module.
pub(super) fn query(opcost: &Path, module: &Path, folder: &Path) -> Result<(Vec<Row>, Taken)> {
    let mut command = Command::new(opcost);
    let (text, taken) = timed::run(command.args(["loops", "--json", "-"]).arg(module), &[], folder)?;
    Ok((read(&text)?, taken))
}

fn read(text: &str) -> Result<Vec<Row>> {
    let document: Document = serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("`opcost loops` said what is no opcost.loops/1: {error}")))?;
    document.loops.into_iter().map(row).collect()
}

fn row(line: Line) -> Result<Row> {
    let kind = match line.kind.as_str() {
        "constant" => Kind::Constant,
        "inputs" => Kind::Inputs,
        "formula" => Kind::Loads,
        "bound" => Kind::Bound,
        "unknown" => Kind::Unknown,
        other => return Err(Failure::new(format!("`opcost loops` knows a kind {other}"))),
    };
    let file = line.file.unwrap_or_default();
    Ok(Row {
        function: line.function,
        header: line.header,
        file: file.rsplit('/').next().unwrap_or_default().to_owned(),
        line: line.line.unwrap_or(0),
        depth: line.depth.unwrap_or(0),
        is_vectorized: false,
        kind,
        back_edges: number(&line.back_edges),
        words: line.reason.unwrap_or_default(),
    })
}

fn number(value: &Value) -> Option<u128> {
    match value {
        Value::Number(number) => number.as_u64().map(u128::from),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_rows() {
        let text = r#"{"schema": "opcost.loops/1", "loops": [
            {"function": "f", "header": 1, "file": "x/a.c", "line": 3, "depth": 1, "parent": null,
             "form": "rotated", "kind": "constant", "back_edges": 63, "body_iterations": 64},
            {"function": "f", "header": 2, "kind": "inputs", "back_edges": null, "inputs": []},
            {"function": "f", "header": null, "kind": "unknown", "reason": "irreducible"},
            {"function": "f", "header": 4, "kind": "constant", "back_edges": "36893488147419103232"}]}"#;
        let rows = read(text).unwrap();
        assert_eq!((rows[0].file.as_str(), rows[0].back_edges), ("a.c", Some(63)));
        assert_eq!((rows[1].kind, rows[1].back_edges), (Kind::Inputs, None));
        assert_eq!((rows[2].header, rows[2].words.as_str()), (None, "irreducible"));
        assert_eq!(rows[3].back_edges, Some(1 << 65));
        assert!(read("{}").is_err() && read(r#"{"loops": [{"function": "f", "kind": "guess"}]}"#).is_err());
    }

    #[test]
    fn a_verb_is_there_or_not() {
        assert!(has_verb(Path::new("/bin/true"), "loops").is_ok());
        let failure = has_verb(Path::new("/bin/false"), "loops").unwrap_err();
        assert!(failure.to_string().contains("`loops`"));
    }
}
