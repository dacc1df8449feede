//! A folder of its own for each test, and opcost in it.

use std::ops::Deref;
use std::process::Command;

use opcost_testkit::command::{ProgramOutput, Workplace};
use serde_json::Value;

/// A folder that goes away, with files in it.
pub(crate) struct Bench(pub(crate) Workplace);

impl Deref for Bench {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Bench {
    pub(crate) fn new(files: &[(&str, &str)]) -> Bench {
        let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
        for (name, text) in files {
            place.write(name, text);
        }
        Bench(place)
    }

    /// Runs lines of the shell here, which must succeed.
    #[track_caller]
    pub(crate) fn shell(&self, lines: &str) -> ProgramOutput {
        self.0.shell(lines).expect(0)
    }

    /// Counts a program and returns its JSON; it must end well and exactly.
    pub(crate) fn count(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["count", "--json", "counts.json"];
        all.extend(arguments);
        self.opcost(&all).expect(0);
        let value = self.json("counts.json");
        assert_eq!(value["quality"]["kind"], "exact", "{value}");
        value
    }

    /// The calls of a function in a count.
    pub(crate) fn calls(count: &Value, function: &str) -> u64 {
        let functions = count["functions"].as_array().expect("functions");
        let found = functions.iter().find(|entry| entry["name"] == function);
        found.unwrap_or_else(|| panic!("no {function} in {count}"))["calls"].as_u64().expect("a number")
    }
}

/// Fails with the package that is missing.
pub(crate) fn needs(tool: &str, package: &str) {
    let found = Command::new(tool).arg("--version").output().is_ok();
    assert!(found, "this test needs {tool}: apt-get install {package}");
}

/// Two files whose counts are known: `add` runs once and takes two instructions.
pub(crate) const ADD: (&str, &str) = ("add.c", "int add(int a, int b) { return a + b; }\n");
pub(crate) const MAIN: (&str, &str) = (
    "main.c",
    "#include <stdio.h>\nint add(int, int);\nint main(void) { printf(\"%d\\n\", add(1, 2)); return 0; }\n",
);
