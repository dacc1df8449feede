//! A version of a function: made by the worker, linked, and entered.

use opcost_job::live::{FunctionWeights, KnownActivation, VersionJob};
use opcost_job::module::CodeOptions;
use opcost_live::LinkedVersion;

use super::hits::FunctionKey;
use super::program::ReplaceableProgram;

/// What version of a function is wanted.
pub(super) struct VersionWish<'a> {
    /// Headers of loops that get continuations.
    pub headers: &'a [u32],
    /// Values that are constants at one of them.
    pub known: Option<KnownActivation>,
    /// What is known of branches.
    pub weights: &'a [FunctionWeights],
    /// The optimiser's level.
    pub level: u8,
    /// Whether there is a whole function to be entered.
    pub has_entry: bool,
    /// Whether all that this processor can do may be used.
    pub is_native: bool,
}

impl ReplaceableProgram {
    /// Makes a version, and writes it where the program sees it: seconds of processor time, and where it lies. Or why
    /// there is none.
    pub(super) fn make(
        &mut self,
        (module, number): FunctionKey,
        wish: VersionWish<'_>,
    ) -> Result<(f64, LinkedVersion), String> {
        let one = &self.modules[module];
        let output = self.build.path(format!("version-{}.o", self.made));
        self.made += 1;
        let job = VersionJob {
            basis: one.basis.clone(),
            symbol: one.functions[number].symbol.clone(),
            headers: wish.headers.to_vec(),
            known: wish.known,
            weights: wish.weights.to_vec(),
            level: wish.level,
            has_entry: wish.has_entry,
            is_native: wish.is_native,
            code: CodeOptions { level: wish.level, ..CodeOptions::default() },
            output: output.clone(),
        };
        let made = self.build.version(job).map_err(|failure| failure.to_string())?;
        let object = std::fs::read(&output).map_err(|error| error.to_string())?;
        // What stays there goes with the folder.
        let _ = std::fs::remove_file(&output);
        let linked = self.arena.place(&object, &self.facts).map_err(|error| error.to_string())?;
        Ok((made.seconds, linked))
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
