//! What `opcost overlap` says, kept in files; medians and ranges of several runs.

use crate::failure::{Failure, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Agreement of one ledger with the exact one; shares of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Measures {
    pub(super) in_function_block: f64,
    pub(super) program_block: f64,
    pub(super) function_total: f64,
    pub(super) entry: Option<f64>,
    pub(super) hot90_weight: f64,
    /// All counts together, by the exact ones.
    #[serde(default)]
    pub(super) scale: Option<f64>,
    /// Of edges; LLVM's counts have none.
    pub(super) leak: Option<f64>,
    pub(super) residual: Option<f64>,
    pub(super) blocks: u64,
}

/// By the word of the way.
pub(super) type Agreement = BTreeMap<String, Measures>;

/// One run that was sampled.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Run {
    /// What opcost said of the samples.
    #[serde(rename = "said")]
    pub(super) summary: String,
    #[serde(rename = "ways")]
    pub(super) agreement: Agreement,
}

/// All of one program.
pub(super) struct Results {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    /// Exact counts in place of samples.
    pub(super) ceilings: Agreement,
    /// Made-up samples in place of those taken.
    pub(super) planted: Vec<Run>,
    /// Runs by thousands of samples a second.
    pub(super) rates: Vec<(u64, Vec<Run>)>,
}

impl Results {
    /// The runs at a rate.
    pub(super) fn runs(&self, rate: u64) -> &[Run] {
        self.rates.iter().find(|one| one.0 == rate).map_or(&[], |one| &one.1)
    }
}

/// A measure, if it was made.
pub(super) type Of = fn(&Measures) -> Option<f64>;

/// Median, least and most of a measure of a way; none if nothing was measured.
pub(super) fn spread(runs: &[Run], way: &str, of: Of) -> Option<(f64, f64, f64)> {
    let mut all: Vec<f64> = runs.iter().filter_map(|run| run.agreement.get(way)).filter_map(of).collect();
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    let median = match all.len() {
        0 => return None,
        odd if odd % 2 == 1 => all[middle],
        _ => f64::midpoint(all[middle - 1], all[middle]),
    };
    Some((median, all[0], all[all.len() - 1]))
}

/// What an earlier run kept, if it can be read.
pub(super) fn load(path: &Path) -> Option<Run> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// Keeps a run.
pub(super) fn save(path: &Path, run: &Run) -> Result<()> {
    let text = serde_json::to_string_pretty(run).map_err(|error| Failure::at("describe", path, error))?;
    fs::write(path, text + "\n").map_err(|error| Failure::at("write", path, error))
}

#[cfg(test)]
pub(super) fn example(value: f64) -> Measures {
    Measures {
        in_function_block: value,
        program_block: value,
        function_total: value,
        entry: Some(value),
        hot90_weight: value,
        scale: Some(2.0 * value),
        leak: Some(0.0),
        residual: Some(0.0),
        blocks: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(value: f64) -> Run {
        Run { summary: String::new(), agreement: Agreement::from([("ours".to_owned(), example(value))]) }
    }

    #[test]
    fn medians_and_ranges() {
        let of: Of = |one| one.entry;
        let runs = [run(0.5), run(0.2), run(0.9)];
        assert_eq!(spread(&runs, "ours", of), Some((0.5, 0.2, 0.9)));
        assert_eq!(spread(&runs[..2], "ours", of), Some((0.35, 0.2, 0.5)));
        assert_eq!(spread(&runs, "theirs", of), None);
        let of: Of = |_| None;
        assert_eq!(spread(&runs, "ours", of), None);
    }

    #[test]
    fn the_answer_of_overlap_is_read_and_kept() {
        let text = r#"{"schema": "opcost.overlap/1", "in_function_block": 0.8, "program_block": 0.6,
            "function_total": 0.7, "entry": 0.75, "hot90_weight": 0.9, "leak": 0.01, "residual": null, "blocks": 7}"#;
        let measures: Measures = serde_json::from_str(text).unwrap();
        assert_eq!((measures.entry, measures.residual, measures.blocks), (Some(0.75), None, 7));
        let path = std::env::temp_dir().join(format!("xtask-sampling-{}.json", std::process::id()));
        let run =
            Run { summary: "much".to_owned(), agreement: Agreement::from([("a".to_owned(), measures)]) };
        save(&path, &run).unwrap();
        assert_eq!(load(&path).unwrap().agreement, run.agreement);
        fs::remove_file(&path).unwrap();
        assert!(load(&path).is_none());
    }
}
