//! Where does a test run the command?
//!
//! In a folder that goes away with it, where its files lie and every program starts, all with
//! one environment (see the module above). Cost: that of the programs.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{ProgramOutput, copy_program};

/// A folder of its own for a test, with the command in it.
#[derive(Debug)]
pub struct Workplace {
    folder: tempfile::TempDir,
    opcost: &'static str,
}

impl Workplace {
    /// An empty folder. `opcost` is the path of the command.
    pub fn new(opcost: &'static str) -> Workplace {
        Workplace { folder: tempfile::tempdir().expect("a temporary folder"), opcost }
    }

    /// The path of a file here; of the folder itself, if the name is empty.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same as text.
    pub fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("the path of a temporary folder is UTF-8").to_owned()
    }

    /// Writes a file, and the folders around it. Its name, for who hands it to the command.
    #[track_caller]
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        let folder = path.parent().expect("it is in the folder");
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, bytes));
        written.unwrap_or_else(|error| panic!("{name}: {error}"));
        name.to_owned()
    }

    /// Writes a program that can be run.
    #[track_caller]
    pub fn write_program(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let (text, path) = (self.write(&format!("{name}.text"), bytes), self.path(name));
        copy_program(&self.path(&text), &path);
        path
    }

    /// The text of a file.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        match std::fs::read_to_string(self.path(name)) {
            Ok(text) => text,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    /// The bytes of a file.
    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        match std::fs::read(self.path(name)) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    /// The document in a file.
    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        match serde_json::from_str(&self.read(name)) {
            Ok(document) => document,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    /// Any program, to be started here. `$OPCOST` is the command.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("OPCOST", self.opcost).env("COLUMNS", "160").env("LC_ALL", "C");
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
            command.env_remove(variable);
        }
        command
    }

    /// The command, to be added to.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(self.opcost);
        command.args(arguments);
        command
    }

    /// Runs the command.
    #[track_caller]
    pub fn opcost(&self, arguments: &[&str]) -> ProgramOutput {
        ProgramOutput::of(&mut self.command(arguments))
    }

    /// Runs a tool, which must succeed.
    #[track_caller]
    pub fn tool(&self, name: &str, arguments: &[&str]) -> ProgramOutput {
        let said = ProgramOutput::of(self.program(name).args(arguments));
        assert_eq!(said.status, 0, "{name} {arguments:?}: {}", said.all());
        said
    }

    /// Runs lines of the shell, up to the first that fails.
    #[track_caller]
    pub fn shell(&self, lines: &str) -> ProgramOutput {
        ProgramOutput::of(self.program("sh").args(["-ec", lines]))
    }
}
