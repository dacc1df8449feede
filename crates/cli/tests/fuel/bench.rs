//! A folder of its own, with `opcost` in it.

use std::ops::Deref;
use std::path::Path;

use opcost_testkit::command::{ProgramOutput, Workplace, copy_program};
use serde_json::Value;

/// The folder.
pub(crate) struct Bench(Workplace);

impl Deref for Bench {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

/// What `opcost fuel` did.
pub(crate) struct Answer {
    said: ProgramOutput,
    /// The document; null if there is none.
    pub(crate) json: Value,
}

impl Deref for Answer {
    type Target = ProgramOutput;

    fn deref(&self) -> &ProgramOutput {
        &self.said
    }
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench(Workplace::new(env!("CARGO_BIN_EXE_opcost")))
    }

    /// `opcost fuel` with these arguments, and its document.
    pub(crate) fn fuel(&self, arguments: &[&str]) -> Answer {
        let _ = std::fs::remove_file(self.path("answer.json"));
        let said = self.opcost(&[&["fuel", "--json", "answer.json"], arguments].concat());
        assert_eq!(said.signal, None, "opcost exits: {}", said.all());
        let is_there = self.path("answer.json").exists();
        Answer { said, json: if is_there { self.json("answer.json") } else { Value::Null } }
    }

    /// Has `opcost fuel` make a file, which has no document.
    pub(crate) fn build(&self, arguments: &[&str]) {
        self.opcost(&[&["fuel"], arguments].concat()).expect(0);
    }

    /// What `opcost count` counts.
    pub(crate) fn count(&self, path: &str) -> u64 {
        self.opcost(&["count", "--json", "counts.json", path]).expect(0);
        self.total()
    }

    /// The total of the counts in `counts.json`.
    pub(crate) fn total(&self) -> u64 {
        let counts = self.json("counts.json");
        let total = &counts["total"];
        total.as_u64().or_else(|| total.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{counts:#}"))
    }

    /// Copies a program here. Its name.
    pub(crate) fn copy(&self, program: &Path) -> String {
        let name = program.file_name().expect("a name").to_string_lossy().into_owned();
        copy_program(program, &self.path(&name));
        name
    }
}

impl Answer {
    /// Both streams, for messages.
    pub(crate) fn said(&self) -> String {
        format!("status {}\n{}{}{:#}", self.status, self.stdout, self.stderr, self.json)
    }
}
