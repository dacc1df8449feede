//! A program that cargo builds, linked by opcost.
//!
//! Input: what a line says to cargo. Output: where the program is. Cost: cargo's. `cargo metadata` says which program is
//! meant ([`chosen`]).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use opcost_answer::Failure;

use crate::build::{RustPurpose, Rustc, cargo_linker, linker_arguments};
use crate::cargo_choice::chosen;
use crate::options::CompileOptions;

/// What is said to cargo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CargoProject {
    /// Options of `cargo rustc`.
    pub words: Vec<OsString>,
    /// The profile; none: release.
    pub profile: Option<String>,
    /// Where cargo builds, if that is said.
    pub target_dir: Option<PathBuf>,
    /// The manifest, if it is said.
    pub manifest: Option<PathBuf>,
}

impl CargoProject {
    /// Builds the program with cargo; where it is.
    ///
    /// # Errors
    /// Cargo is missing or fails, or there is no such program.
    pub fn build(&self, options: &CompileOptions, purpose: RustPurpose) -> Result<PathBuf, Failure> {
        self.linked_by(|rustc, flags, target| cargo_linker(options, purpose, rustc, flags, target))
    }

    /// The same with a linker that is made for this rustc, these flags and this target folder.
    ///
    /// # Errors
    /// As of [`CargoProject::build`].
    pub fn linked_by(
        &self,
        linker: impl FnOnce(&Rustc, Vec<String>, &Path) -> Result<PathBuf, Failure>,
    ) -> Result<PathBuf, Failure> {
        let rustc = Rustc::find()?;
        let profile = self.profile.as_deref().unwrap_or("release");
        let metadata = self.metadata()?;
        let words = chosen(&self.words, &metadata, self.manifest_here().as_deref())?;
        let target = self.target_folder()?;
        let flags = vec![format!("--profile={profile}"), "-Clto=fat".to_owned()];
        let linker = linker(&rustc, flags, &target)?;
        let mut command = cargo();
        command.arg("rustc").args(["--profile", profile, "--message-format=json-render-diagnostics"]);
        command.arg("--target-dir").arg(&target).args(words);
        command.args(["--", "--emit=llvm-bc,link", "-Ccodegen-units=1"]).args(linker_arguments(&linker));
        let variable =
            |name: &str| format!("CARGO_PROFILE_{}_{name}", profile.to_uppercase().replace('-', "_"));
        command.env(variable("LTO"), "fat").env(variable("CODEGEN_UNITS"), "1");
        command.env(variable("DEBUG"), "line-tables-only").env(variable("STRIP"), "none");
        let output = command.stderr(Stdio::inherit()).output().map_err(|_| Failure::ToolMissing {
            tool: "cargo".to_owned(),
            remedy: "install Rust from https://rustup.rs".to_owned(),
        })?;
        if !output.status.success() {
            return Err(Failure::ToolFailed { tool: "cargo".to_owned(), input: "this crate".to_owned() });
        }
        program_of(&output.stdout)
    }

    /// `target/opcost` of the package's or workspace's own target folder.
    ///
    /// # Errors
    /// Cargo does not say where that is.
    pub fn target_folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.target_dir {
            return std::path::absolute(folder).map_err(Failure::file("find", folder));
        }
        match self.metadata()?["target_directory"].as_str() {
            Some(folder) => Ok(Path::new(folder).join("opcost")),
            None => Err(no_metadata()),
        }
    }

    /// What cargo knows of the workspace.
    ///
    /// # Errors
    /// There is none.
    pub fn metadata(&self) -> Result<serde_json::Value, Failure> {
        let output = self
            .about(&["metadata", "--format-version=1", "--no-deps"])
            .stderr(Stdio::inherit())
            .output()
            .map_err(Failure::file("start", "cargo"))?;
        serde_json::from_slice(&output.stdout).map_err(|_| no_metadata())
    }

    /// The manifest that cargo takes, which may be one above this folder.
    fn manifest_here(&self) -> Option<PathBuf> {
        let output = self.about(&["locate-project", "--message-format=plain"]).output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end()))
    }

    /// A question to cargo about this manifest.
    fn about(&self, words: &[&str]) -> Command {
        let mut command = cargo();
        command.args(words);
        if let Some(manifest) = &self.manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        command
    }
}

fn no_metadata() -> Failure {
    Failure::ToolFailed { tool: "cargo metadata".to_owned(), input: "this folder".to_owned() }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The program among cargo's messages.
fn program_of(messages: &[u8]) -> Result<PathBuf, Failure> {
    let mut programs = Vec::new();
    for line in messages.split(|&byte| byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
        if let Some(path) = message["executable"].as_str() {
            programs.push(PathBuf::from(path));
        }
    }
    // The last is the one that was asked for; what it needs was built before.
    programs
        .pop()
        .ok_or_else(|| Failure::Usage("cargo built no program; name one with --bin or --example".to_owned()))
}
