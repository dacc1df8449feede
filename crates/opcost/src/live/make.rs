//! A version of a function: made by the worker, linked, and entered.

use opcost_answer::Failure;
use opcost_job::live::VersionJob;
use opcost_job::module::CodeOptions;
use opcost_key::live::VersionPlan;
use opcost_live::{ArenaRefusal, LinkedVersion};
use thiserror::Error;

use super::hits::FunctionKey;
use super::program::ReplaceableProgram;

/// Why there is no version.
#[derive(Debug, Error)]
pub(super) enum VersionError {
    /// The worker made none.
    #[error(transparent)]
    Unmade(#[from] Failure),
    /// What it made cannot be linked.
    #[error(transparent)]
    Unlinked(#[from] ArenaRefusal),
}

/// A version that the program can enter.
pub(super) struct ReadyVersion {
    /// Seconds of processor time that it took.
    pub seconds: f64,
    /// Where its parts are.
    pub linked: LinkedVersion,
}

impl ReplaceableProgram {
    /// Makes a version, and writes it where the program sees it.
    pub(super) fn make(
        &mut self,
        key: FunctionKey,
        plan: VersionPlan,
        level: u8,
    ) -> Result<ReadyVersion, VersionError> {
        let output = self.build.path(format!("version-{}.o", self.made));
        self.made += 1;
        let job = VersionJob {
            basis: self.modules[key.0].basis.clone(),
            plan,
            level,
            code: CodeOptions { level, ..CodeOptions::default() },
            output: output.clone(),
        };
        let made = self.build.version(job)?;
        let object = std::fs::read(&output).map_err(Failure::file("read", &output))?;
        // What stays there goes with the folder.
        let _ = std::fs::remove_file(&output);
        let name = &self.modules[key.0].functions[key.1].name;
        let linked = self.arena.add(name, &object, &self.facts)?;
        Ok(ReadyVersion { seconds: made.seconds, linked })
    }

    /// The plan of a whole function, and of continuations.
    pub(super) fn plan(&self, key: FunctionKey, headers: &[u32]) -> VersionPlan {
        VersionPlan {
            symbol: self.modules[key.0].functions[key.1].symbol.clone(),
            headers: headers.to_vec(),
            words: self.called[key.0].clone(),
            has_entry: true,
            is_native: true,
            ..VersionPlan::default()
        }
    }

    /// Has the program enter a version.
    pub(super) fn enter(&mut self, key: FunctionKey, headers: &[u32], linked: &LinkedVersion) {
        let words = &self.words[&key];
        if let (Some(word), Some(entry)) = (words.entry, symbol(linked, "opc.entry")) {
            self.arena.set_word(word, entry);
        }
        for header in headers {
            if let (Some(word), Some(rest)) = (words.loops.get(header), rest(linked, *header)) {
                self.arena.set_word(*word, rest);
            }
        }
    }
}

/// Where the continuation from a header begins.
pub(super) fn rest(linked: &LinkedVersion, header: u32) -> Option<u64> {
    symbol(linked, &format!("opc.rest{header}"))
}

/// Where a function of a version begins.
pub(super) fn symbol(linked: &LinkedVersion, name: &str) -> Option<u64> {
    linked.symbols.iter().find(|one| one.name == name).map(|one| one.address)
}
