//! Is what `opcost values` records what really happened?
//!
//! Programs that print what their loops did are the first referee, the counts
//! of `opcost count` the second: back edges that were recorded are back edges
//! that were counted. Then programs that do not come to their end, or by other
//! ways; claims that lie; and files that are none.

mod ends;
mod exact;
mod files;
mod held;
mod joined;
mod many;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder with sources in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("a source is written");
        name.to_owned()
    }

    pub(crate) fn opcost(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
        command.env("COLUMNS", "160").current_dir(self.folder.path()).args(arguments);
        command.output().expect("opcost starts")
    }

    /// The document of a recording, and the exit status.
    pub(crate) fn values(&self, arguments: &[&str]) -> (Value, i32) {
        let output = self.opcost(&[&["values", "--json", "values.json"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = std::fs::read(self.path("values.json"));
        let text = text.unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{said}"));
        let document: Value = serde_json::from_slice(&text).expect("a document");
        assert_eq!(document["schema"], "opcost.values/1", "{arguments:?}: {said}");
        is_of_schema(&document);
        (document, output.status.code().expect("opcost exits"))
    }

    /// The same program as `opcost count` counts it.
    pub(crate) fn counts(&self, arguments: &[&str]) -> Value {
        let output = self.opcost(&[&["count", "--json", "count.json"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&std::fs::read(self.path("count.json")).expect("counts")).expect("a document")
    }
}

fn is_of_schema(document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/opcost.values-1.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = validator.validate(document) {
        panic!("{error} at {}", error.instance_path());
    }
}

/// The loops of a line, the first in the document first.
pub(crate) fn at_line(document: &Value, line: u64) -> Vec<&Value> {
    document["loops"].as_array().expect("loops").iter().filter(|one| one["line"] == line).collect()
}

/// The only loop of a line.
pub(crate) fn the_loop(document: &Value, line: u64) -> &Value {
    let found = at_line(document, line);
    assert_eq!(found.len(), 1, "line {line}: {document:#}");
    found[0]
}

/// The histogram of a loop as pairs.
pub(crate) fn histogram(one: &Value) -> Vec<(u64, u64)> {
    let pairs = one["turns"]["histogram"].as_array().expect("a histogram").iter();
    pairs.map(|pair| (pair[0].as_u64().expect("turns"), pair[1].as_u64().expect("a count"))).collect()
}
