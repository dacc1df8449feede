//! Values of running activations: how are they requested, and what was written down?
//!
//! A note is memory that the program and this process share. It names the word of a loop. As long as that word holds
//! the program's own function for it, the next activation that comes by writes its values into the note, once.

use opcost_key::live::{LiveValue, ReplaceableLoop};
use opcost_runtime::live::{NOTE_BYTES, NOTE_COUNT, NOTE_LENGTH, NOTE_VALUES, NOTE_WORD};

use super::program::ReplaceableProgram;

/// A note, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note(usize);

/// All notes of a program.
#[derive(Debug)]
pub(super) struct Notes {
    free: Vec<Note>,
}

impl Notes {
    /// None is used.
    pub(super) fn new() -> Notes {
        Notes { free: (0..NOTE_COUNT).rev().map(Note).collect() }
    }

    /// Has the next activation that comes by write its values down. None if all notes are in use.
    pub(super) fn request(
        &mut self,
        program: &ReplaceableProgram,
        word: u64,
        of: &ReplaceableLoop,
    ) -> Option<Note> {
        let note = self.free.pop()?;
        let at = note.address(program);
        let bytes = of.values.iter().map(|value| u64::from(value.offset) + 8).max().unwrap_or(0);
        program.arena.set_word(at + NOTE_WORD, word);
        program.arena.set_word(at + NOTE_LENGTH, bytes.min(NOTE_BYTES - NOTE_VALUES));
        program.arena.set_word(at, 0);
        program.arena.set_word(word, program.write_note);
        Some(note)
    }

    /// Ends a request.
    pub(super) fn end(&mut self, program: &ReplaceableProgram, word: u64, note: Note) {
        if program.arena.word(word) == program.write_note {
            program.arena.set_word(word, 0);
        }
        program.arena.set_word(note.address(program) + NOTE_WORD, 0);
        self.free.push(note);
    }
}

impl Note {
    /// Whether values are written down.
    pub(super) fn is_written(self, program: &ReplaceableProgram) -> bool {
        program.arena.word(self.address(program)) == 1
    }

    /// A value that was written down.
    pub(super) fn value(self, program: &ReplaceableProgram, value: &LiveValue) -> u64 {
        let (first, shift) = (u64::from(value.offset) & !7, 8 * (value.offset % 8));
        let at = self.address(program) + NOTE_VALUES + first;
        // A whole number or a pointer lies at a multiple of its size.
        let bits = program.arena.word(at) >> shift;
        match value.bytes {
            0 => 0,
            8.. => bits,
            bytes => bits & ((1 << (8 * bytes)) - 1),
        }
    }

    fn address(self, program: &ReplaceableProgram) -> u64 {
        program.notes + self.0 as u64 * NOTE_BYTES
    }
}
