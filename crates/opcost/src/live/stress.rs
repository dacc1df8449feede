//! Every function replaced, again and again, by versions chosen at random.
//!
//! The referee of replacement: whatever the words hold at any moment, the program does the same. Before it begins, each
//! function and each loop gets two versions, of random levels, with and without what this processor alone can do. While
//! it runs, random words change: to the first version, to another one, or, of loops, to a note.
//!
//! Input: a program and a seed. Cost: two compilations for each function, at most [`MOST`].

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use opcost_answer::live::{LiveVersion, RefusedVersion};
use opcost_key::live::VersionPlan;
use opcost_live::LinkedVersion;
use opcost_runtime::live::{NOTE_BYTES, NOTE_COUNT, NOTE_WORD};
use opcost_sample::Samples;

use super::hits::FunctionKey;
use super::make::{ReadyVersion, rest, symbol};
use super::program::ReplaceableProgram;

/// Functions that get versions at most.
const MOST: usize = 400;
/// Between two changes.
const PAUSE: Duration = Duration::from_micros(200);

/// A word, and what it may hold.
struct Choice {
    word: u64,
    values: Vec<u64>,
}

/// Replaces at random.
pub(super) struct Stress {
    choices: Vec<Choice>,
    random: u64,
    /// Versions, by their functions, with what each is.
    pub(super) linked: Vec<(FunctionKey, LinkedVersion)>,
    pub(super) versions: Vec<LiveVersion>,
    pub(super) refused: Vec<RefusedVersion>,
}

impl Stress {
    /// Makes all versions of a program that is to begin, and has it enter some.
    pub(super) fn prepare(program: &mut ReplaceableProgram, seed: u64) -> Stress {
        // The constants are those of Knuth's generator (MMIX).
        let random = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut stress = Stress {
            choices: Vec::new(),
            random,
            linked: Vec::new(),
            versions: Vec::new(),
            refused: Vec::new(),
        };
        let keys: Vec<FunctionKey> = program
            .words
            .iter()
            .filter(|(_, words)| words.entry.is_some())
            .map(|(key, _)| *key)
            .take(MOST)
            .collect();
        for key in keys {
            stress.prepare_function(program, key);
        }
        for at in 0..stress.choices.len() {
            stress.change(program, at);
        }
        stress
    }

    /// Changes words until the program has ended.
    pub(super) fn follow(&mut self, program: &ReplaceableProgram, samples: &Receiver<Samples>) {
        loop {
            match samples.recv_timeout(PAUSE) {
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            for _ in 0..8 {
                let at = self.number(self.choices.len().max(1));
                if at < self.choices.len() {
                    self.change(program, at);
                }
            }
        }
    }

    fn prepare_function(&mut self, program: &mut ReplaceableProgram, key: FunctionKey) {
        let words = program.words[&key].clone();
        let function = program.modules[key.0].functions[key.1].clone();
        let headers: Vec<u32> = words.loops.keys().copied().collect();
        let Some(entry) = words.entry else { return };
        let mut entries = Choice { word: entry, values: vec![program.arena.word(entry)] };
        let mut loops = Vec::new();
        for word in words.loops.values() {
            // Whose note it is changes from loop to loop; a word without one asks in vain.
            let note = program.notes + self.number(NOTE_COUNT) as u64 * NOTE_BYTES;
            program.arena.set_word(note + NOTE_WORD, *word);
            loops.push(Choice { word: *word, values: vec![0, 0, program.write_note] });
        }
        for _ in 0..2 {
            let (level, is_native) = (1 + self.number(3) as u8, self.number(2) == 0);
            let plan = VersionPlan { is_native, ..program.plan(key, &headers) };
            match program.make(key, plan, level) {
                Ok(ReadyVersion { seconds, linked }) => {
                    entries.values.extend(symbol(&linked, "opc.entry"));
                    for (header, choice) in headers.iter().zip(&mut loops) {
                        choice.values.extend(rest(&linked, *header));
                    }
                    self.versions.push(LiveVersion {
                        function: function.name.clone(),
                        module: program.modules[key.0].name.clone(),
                        loops: headers.clone(),
                        compile: seconds * 1e3,
                        bytes: linked.bytes.len() as u64,
                        ..LiveVersion::default()
                    });
                    self.linked.push((key, linked));
                }
                Err(why) => {
                    let why = why.to_string();
                    self.refused.push(RefusedVersion { function: function.name.clone(), why });
                }
            }
        }
        self.choices.push(entries);
        self.choices.extend(loops);
    }

    fn change(&mut self, program: &ReplaceableProgram, at: usize) {
        let number = self.number(self.choices[at].values.len());
        program.arena.set_word(self.choices[at].word, self.choices[at].values[number]);
    }

    /// A number below `end`.
    fn number(&mut self, end: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) as usize) % end
    }
}
