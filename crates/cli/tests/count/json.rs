//! The counts of one run, as `opcost count --json` writes them.

use std::collections::BTreeMap;

use serde_json::Value;

/// One document.
#[derive(Debug, Clone)]
pub(crate) struct Counts(pub(crate) Value);

impl Counts {
    pub(crate) fn total(&self) -> u64 {
        number(&self.0["total"])
    }

    pub(crate) fn quality(&self) -> &str {
        self.0["quality"]["kind"].as_str().expect("a quality")
    }

    pub(crate) fn reasons(&self) -> Vec<&str> {
        let reasons = self.0["quality"]["reasons"].as_array().expect("reasons");
        reasons.iter().map(|reason| reason.as_str().expect("text")).collect()
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.quality() == "exact"
    }

    /// The largest possible loss that the reasons name; `None`: unbounded.
    pub(crate) fn most_missing(&self) -> Option<u64> {
        let mut sum = 0;
        for reason in self.reasons() {
            if reason.contains("any number of further instructions") {
                return None;
            }
            if let Some((_, rest)) = reason.split_once("at most ") {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                sum += digits.parse::<u64>().expect("a number");
            }
        }
        Some(sum)
    }

    /// Calls and instructions of each function; one that never ran is absent.
    pub(crate) fn functions(&self) -> BTreeMap<(String, String), (u64, u64)> {
        let key = |function: &Value| (text(&function["linkage_name"]), text(&function["module"]));
        let value = |function: &Value| (number(&function["calls"]), number(&function["instructions"]));
        self.list("functions").map(|function| (key(function), value(function))).collect()
    }

    /// Calls of all functions of this name.
    pub(crate) fn calls(&self, name: &str) -> u64 {
        let matches = |function: &&Value| {
            let shown = text(&function["name"]);
            name == text(&function["linkage_name"]) || name == shown || shown.split('(').next() == Some(name)
        };
        self.list("functions").filter(matches).map(|function| number(&function["calls"])).sum()
    }

    /// Counts of blocks that ran, by function (in order of the document) and block.
    pub(crate) fn blocks(&self) -> Vec<(String, u64, u64)> {
        let block = |block: &Value| {
            let position =
                text(&block["block"]).trim_start_matches("block").parse().expect("a block's number");
            (text(&block["function"]), position, number(&block["count"]))
        };
        let mut blocks: Vec<_> = self.list("blocks").map(block).collect();
        blocks.sort();
        blocks
    }

    pub(crate) fn block(&self, function: &str, position: u64) -> u64 {
        let found = self.blocks().into_iter().find(|(name, at, _)| name == function && *at == position);
        found.map_or(0, |(_, _, count)| count)
    }

    /// Instructions on a line; 0 when none ran there.
    pub(crate) fn line(&self, file: &str, line: u64) -> u64 {
        let found =
            self.list("lines").find(|at| text(&at["file"]).ends_with(file) && number(&at["line"]) == line);
        found.map_or(0, |at| number(&at["instructions"]))
    }

    fn list(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.0[name].as_array().unwrap_or_else(|| panic!("{name} is a list")).iter()
    }
}

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a count"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
