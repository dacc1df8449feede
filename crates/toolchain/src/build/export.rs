//! From a ledger to a profile, by the worker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_job::profile::{ExportAnswers, ExportFormat, ExportJob, ExportModule};

use super::state::Build;

impl Build {
    /// Makes a profile at `output`.
    ///
    /// # Errors
    /// Nothing fits, or the file cannot be written.
    pub fn export(
        &self,
        format: ExportFormat,
        ledger: PathBuf,
        modules: Vec<ExportModule>,
        output: &Path,
    ) -> Result<ExportAnswers, Failure> {
        let named = modules.iter().map(|module| module.name.as_str()).collect::<Vec<_>>().join(", ");
        let job = ExportJob {
            format,
            ledger,
            modules,
            is_part: false,
            cost: self.cost.clone(),
            root: std::env::current_dir().map_err(Failure::file("find", "."))?,
            output: output.to_owned(),
        };
        self.jobs.request(job, &self.path("export.job"), &named)
    }
}

/// Why functions do not have counts, the commonest reason first.
pub fn reasons(answers: &ExportAnswers) -> Vec<(usize, String, Vec<String>)> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, why) in &answers.refused {
        by_reason.entry(why).or_default().push(name.clone());
    }
    let mut all: Vec<_> =
        by_reason.into_iter().map(|(why, names)| (names.len(), why.to_owned(), names)).collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    all
}
