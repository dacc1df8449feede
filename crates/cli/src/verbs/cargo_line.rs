//! What does a line of `cargo opcost` say, and how does cargo build by it?

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Parser;

use crate::arguments::{Arguments, CountArguments, SampleArguments, Verb};
use opcost::earlier::named_run;
use opcost_answer::{Failure, Status};
use opcost_toolchain::build::{RustPurpose, Rustc, cargo_linker, linker_arguments};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

use super::cargo_choice::{chosen, refuse_others};

pub(crate) const USAGE: &str = "\
usage: cargo opcost count [CARGO OPTIONS] [COUNT OPTIONS] -- ARGS
       cargo opcost sample [CARGO OPTIONS] [SAMPLE OPTIONS] -- ARGS
       cargo opcost tune [CARGO OPTIONS] [TUNE OPTIONS] -- ARGS
       cargo opcost build [CARGO OPTIONS]      only builds, and prints where the program is

cargo options: --bin NAME, --example NAME, -p PACKAGE, --features F, --all-features,
  --no-default-features, --manifest-path FILE, --profile NAME (default release), --release,
  --target-dir DIR, --config C, -j N, --locked, --offline, --frozen
count options: opcost count --help
sample options: opcost sample --help (--emit exe -o PROG only builds)
tune options: opcost tune --help";

const WITH_VALUE: &[&str] = &[
    "--bin",
    "--example",
    "-p",
    "--package",
    "-F",
    "--features",
    "--manifest-path",
    "--profile",
    "--target-dir",
    "--config",
    "-j",
    "--jobs",
    "-Z",
];
const ALONE: &[&str] = &[
    "--release",
    "-r",
    "--all-features",
    "--no-default-features",
    "--locked",
    "--offline",
    "--frozen",
    "--ignore-rust-version",
];
/// Options of one letter, whose value may follow without a blank.
const SHORT: [&str; 4] = ["-p", "-F", "-j", "-Z"];

/// A command line, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CargoLine {
    pub(crate) cargo: Vec<OsString>,
    pub(crate) profile: Option<String>,
    target_dir: Option<PathBuf>,
    manifest: Option<PathBuf>,
    /// For the verb, before `--` and the program's arguments.
    pub(crate) verb: Vec<OsString>,
    program: Vec<OsString>,
}

impl CargoLine {
    pub(crate) fn read(given: &[OsString]) -> Result<CargoLine, Failure> {
        let mut line = CargoLine::default();
        let mut words = given.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == "--" {
                line.program = words.by_ref().cloned().collect();
            } else if ALONE.contains(&text.as_ref()) {
                if !matches!(&*text, "--release" | "-r") {
                    line.cargo.push(word.clone());
                }
            } else if let Some((name, value)) =
                text.split_once('=').filter(|(name, _)| WITH_VALUE.contains(name))
            {
                line.option(name, value.into());
            } else if WITH_VALUE.contains(&text.as_ref()) {
                let value =
                    words.next().ok_or_else(|| Failure::Usage(format!("{text} needs a value\n{USAGE}")))?;
                line.option(&text, value.clone());
            } else if let Some(name) = SHORT.into_iter().find(|name| text.starts_with(name)) {
                line.option(name, text[name.len()..].trim_start_matches('=').into());
            } else {
                line.verb.push(word.clone());
            }
        }
        refuse_others(&line.verb, || line.metadata().unwrap_or_default())?;
        Ok(line)
    }

    fn option(&mut self, name: &str, value: OsString) {
        match name {
            "--profile" => self.profile = Some(value.to_string_lossy().into_owned()),
            "--target-dir" => self.target_dir = Some(value.into()),
            _ => {
                if name == "--manifest-path" {
                    self.manifest = Some(PathBuf::from(&value));
                }
                self.cargo.extend([name.into(), value]);
            }
        }
    }

    /// A verb with its arguments; `None` after help was printed or an error reported.
    pub(crate) fn parsed(&self, verb: &str) -> Option<Verb> {
        let words = ["opcost", verb].map(OsString::from).into_iter();
        let program = [OsString::from("PROGRAM"), OsString::from("--")];
        let words = words.chain(self.verb.iter().cloned()).chain(program).chain(self.program.iter().cloned());
        match Arguments::try_parse_from(words) {
            Ok(arguments) => Some(arguments.verb),
            Err(error) => {
                let _ = error.print();
                None
            }
        }
    }

    pub(crate) fn count_arguments(&self) -> Result<Option<CountArguments>, Failure> {
        match self.parsed("count") {
            Some(Verb::Count(count)) => Ok(Some(count)),
            Some(_) => Err(Failure::Usage(USAGE.to_owned())),
            None => Ok(None),
        }
    }

    pub(crate) fn sample_arguments(&self) -> Result<Option<SampleArguments>, Failure> {
        match self.parsed("sample") {
            Some(Verb::Sample(sample)) => Ok(Some(sample)),
            Some(_) => Err(Failure::Usage(USAGE.to_owned())),
            None => Ok(None),
        }
    }

    pub(crate) fn build_counted(&self, count: &CountArguments) -> Result<PathBuf, Failure> {
        let purpose = RustPurpose::Count { placement: count.build.placement };
        let earlier = count.build.placement_from.as_deref().map(named_run).transpose()?;
        self.build(&CompileOptions { earlier, ..count.build.compile.options() }, purpose)
    }

    /// Builds the program to be sampled, and samples it if that is wanted.
    pub(crate) fn sample(&self, mut sample: SampleArguments) -> Result<Status, Failure> {
        let program = self.build(&sample.compile.options(), RustPurpose::Sample)?;
        match (&sample.emit, &sample.output) {
            (Some(_), Some(output)) => {
                install(&program, output)?;
                opcost_answer::tell!("next: opcost sample {} -- ARGS", super::count::shown(output));
                Ok(Status::Fine)
            }
            _ => {
                sample.inputs = vec![program];
                super::sample::run(&sample)
            }
        }
    }

    /// Builds the program with cargo; where it is.
    pub(crate) fn build(&self, options: &CompileOptions, purpose: RustPurpose) -> Result<PathBuf, Failure> {
        self.linked_by(|rustc, flags, target| cargo_linker(options, purpose, rustc, flags, target))
    }

    /// The same with a linker that is made for this rustc, these flags and this target folder.
    pub(crate) fn linked_by(
        &self,
        linker: impl FnOnce(&Rustc, Vec<String>, &Path) -> Result<PathBuf, Failure>,
    ) -> Result<PathBuf, Failure> {
        let rustc = Rustc::find()?;
        let profile = self.profile.as_deref().unwrap_or("release");
        let metadata = self.metadata()?;
        let words = chosen(&self.cargo, &metadata, self.manifest_here().as_deref())?;
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
    pub(crate) fn target_folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.target_dir {
            return std::path::absolute(folder).map_err(Failure::file("find", folder));
        }
        match self.metadata()?["target_directory"].as_str() {
            Some(folder) => Ok(Path::new(folder).join("opcost")),
            None => Err(no_metadata()),
        }
    }

    /// What cargo knows of the workspace.
    fn metadata(&self) -> Result<serde_json::Value, Failure> {
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::CargoLine;

    #[test]
    fn cargos_options_are_taken_out_of_the_line() {
        let given = ["--bin", "rg", "--json", "-", "--profile=dev", "--release", "--", "-n", "--bin", "x"];
        let line = CargoLine::read(&given.map(OsString::from)).expect("well-formed");
        assert_eq!(line.cargo, ["--bin", "rg"]);
        assert_eq!(line.verb, ["--json", "-"]);
        assert_eq!(line.program, ["-n", "--bin", "x"]);
        assert_eq!(line.profile.as_deref(), Some("dev"));
        assert!(CargoLine::read(&[OsString::from("--bin")]).is_err());
        let short = ["-papp", "-j2", "-r", "-Ffast", "-O3"];
        let line = CargoLine::read(&short.map(OsString::from)).expect("well-formed");
        assert_eq!(line.cargo, ["-p", "app", "-j", "2", "-F", "fast"]);
        assert_eq!(line.verb, ["-O3"]);
    }
}
