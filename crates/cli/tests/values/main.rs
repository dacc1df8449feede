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

use std::ops::Deref;

use opcost_testkit::command::{Workplace, holds_to_schema};
use serde_json::Value;

/// A folder of its own, in which values are recorded.
pub(crate) struct Place(Workplace);

impl Deref for Place {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Place {
    pub(crate) fn new() -> Place {
        Place(Workplace::new(env!("CARGO_BIN_EXE_opcost")))
    }

    /// The document of a recording, and the exit status.
    pub(crate) fn values(&self, arguments: &[&str]) -> (Value, i32) {
        let said = self.opcost(&[&["values", "--json", "values.json"], arguments].concat());
        assert!(said.signal.is_none() && self.path("values.json").exists(), "{arguments:?}: {}", said.all());
        let document = self.json("values.json");
        assert_eq!(document["schema"], "opcost.values/1", "{arguments:?}: {}", said.stderr);
        holds_to_schema(&document);
        (document, said.status)
    }

    /// The same program as `opcost count` counts it.
    pub(crate) fn counts(&self, arguments: &[&str]) -> Value {
        self.opcost(&[&["count", "--json", "count.json"], arguments].concat()).expect(0);
        self.json("count.json")
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
