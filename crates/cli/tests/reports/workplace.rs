//! A folder of its own for each test, with `opcost` in it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A loop that runs as often as its argument says.
pub(crate) const LOOP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= sum * 31 + i;
    return sum;
}
__attribute__((noinline)) int rest(int n) { return n / 3; }
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    printf("%d\n", work(n) + rest(n));
    return argc > 2 ? atoi(argv[2]) : 0;
}
"#;

/// What a command did.
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    /// Requires a status and gives it back.
    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Said {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Requires that stderr holds all of these.
    #[track_caller]
    pub(crate) fn tells(&self, words: &[&str]) {
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is missing in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// The folder.
pub(crate) struct Workplace(tempfile::TempDir);

impl Workplace {
    /// With `a.c` in it.
    pub(crate) fn new() -> Workplace {
        let place = Workplace(tempfile::tempdir().unwrap());
        place.write("a.c", LOOP);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The command, to be added to.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("COLUMNS", "100").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs `opcost`.
    pub(crate) fn opcost(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).output().unwrap())
    }

    /// Runs a line in a shell, with `$OPCOST`.
    pub(crate) fn shell(&self, line: &str) -> Said {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.0.path()).env("OPCOST", env!("CARGO_BIN_EXE_opcost"));
        said(command.output().unwrap())
    }
}

pub(crate) fn said(output: Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The number at the start of a report.
pub(crate) fn headline(report: &str) -> u128 {
    let line = report.lines().find(|line| line.contains(" instructions   ")).expect("a headline");
    line.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}
