//! A folder of its own, with `opcost` in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folder.
pub(crate) struct Bench(tempfile::TempDir);

/// What `opcost fuel` did.
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The document; null if there is none.
    pub(crate) json: Value,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    /// `opcost fuel` with these arguments, and its document.
    pub(crate) fn fuel(&self, arguments: &[&str]) -> Answer {
        let json = self.path("answer.json");
        let _ = std::fs::remove_file(&json);
        let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
        command.current_dir(self.0.path()).stdin(std::process::Stdio::null());
        let output = command.args(["fuel", "--json", "answer.json"]).args(arguments).output();
        let output = output.expect("opcost starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer {
            status: output.status.code().expect("opcost exits"),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            json: std::fs::read(&json)
                .map_or(Value::Null, |text| serde_json::from_slice(&text).expect("JSON")),
        }
    }

    /// Has `opcost fuel` make a file, which has no document.
    pub(crate) fn build(&self, arguments: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
        let output = command.current_dir(self.0.path()).arg("fuel").args(arguments).output();
        let output = output.expect("opcost starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// What `opcost count` counts.
    pub(crate) fn count(&self, path: &str) -> u64 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
        command.current_dir(self.0.path()).args(["count", "--json", "counts.json", path]);
        let output = command.output().expect("opcost starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read(self.path("counts.json")).expect("counts");
        let counts: Value = serde_json::from_slice(&text).expect("JSON");
        let total = &counts["total"];
        total.as_u64().or_else(|| total.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{counts:#}"))
    }
}

impl Answer {
    /// Both streams, for messages.
    pub(crate) fn said(&self) -> String {
        format!("status {}\n{}{}{:#}", self.status, self.stdout, self.stderr, self.json)
    }
}

/// The folder of the attacks.
pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/attacks").canonicalize().expect("corpus/attacks")
}
