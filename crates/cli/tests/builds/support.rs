//! A folder of its own for each test, and opcost in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder that goes away.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What a tool said and how it ended.
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Bench {
    pub(crate) fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().expect("a temporary folder") };
        for (name, text) in files {
            bench.write(name, text.as_bytes());
        }
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs opcost here.
    pub(crate) fn opcost(&self, arguments: &[&str]) -> Said {
        self.run(Command::new(opcost()).args(arguments))
    }

    /// Runs a shell line here, with `$OPCOST` set; it must succeed.
    pub(crate) fn shell(&self, line: &str) -> Said {
        let said = self.run(Command::new("sh").args(["-ec", line]).env("OPCOST", opcost()));
        assert_eq!(said.status, 0, "{line}\n{}\n{}", said.out, said.err);
        said
    }

    pub(crate) fn run(&self, command: &mut Command) -> Said {
        command.current_dir(self.folder.path()).env("LC_ALL", "C").env_remove("RUST_BACKTRACE");
        Said::from(command.output().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Counts a program and returns its JSON; it must end well and exactly.
    pub(crate) fn count(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["count", "--json", "counts.json"];
        all.extend(arguments);
        let said = self.opcost(&all);
        assert_eq!(said.status, 0, "{}\n{}", said.out, said.err);
        let value: Value = serde_json::from_str(&self.read("counts.json")).expect("JSON");
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

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub(crate) fn opcost() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_opcost"))
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
