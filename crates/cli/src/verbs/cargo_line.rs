//! What does a line of `cargo opcost` say, and how does cargo build by it?

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use crate::arguments::{Arguments, CountArguments, SampleArguments, Verb};
use opcost::earlier::named_run;
use opcost_answer::{Failure, Status};
use opcost_toolchain::build::RustPurpose;
use opcost_toolchain::cargo::CargoProject;
use opcost_toolchain::cargo_choice::refuse_others;
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

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
    pub(crate) project: CargoProject,
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
                    line.project.words.push(word.clone());
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
        refuse_others(&line.verb, || line.project.metadata().unwrap_or_default())?;
        Ok(line)
    }

    fn option(&mut self, name: &str, value: OsString) {
        match name {
            "--profile" => self.project.profile = Some(value.to_string_lossy().into_owned()),
            "--target-dir" => self.project.target_dir = Some(value.into()),
            _ => {
                if name == "--manifest-path" {
                    self.project.manifest = Some(PathBuf::from(&value));
                }
                self.project.words.extend([name.into(), value]);
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
        self.project.build(&CompileOptions { earlier, ..count.build.compile.options() }, purpose)
    }

    /// Builds the program to be sampled, and samples it if that is wanted.
    pub(crate) fn sample(&self, mut sample: SampleArguments) -> Result<Status, Failure> {
        let program = self.project.build(&sample.compile.options(), RustPurpose::Sample)?;
        match (&sample.emit, &sample.output) {
            (Some(_), Some(output)) => {
                install(&program, output)?;
                opcost_answer::tell!("next: opcost sample {} -- ARGS", super::inputs::shown(output));
                Ok(Status::Fine)
            }
            _ => {
                sample.inputs = vec![program];
                super::sample::run(&sample)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::CargoLine;

    #[test]
    fn cargos_options_are_taken_out_of_the_line() {
        let given = ["--bin", "rg", "--json", "-", "--profile=dev", "--release", "--", "-n", "--bin", "x"];
        let line = CargoLine::read(&given.map(OsString::from)).expect("well-formed");
        assert_eq!(line.project.words, ["--bin", "rg"]);
        assert_eq!(line.verb, ["--json", "-"]);
        assert_eq!(line.program, ["-n", "--bin", "x"]);
        assert_eq!(line.project.profile.as_deref(), Some("dev"));
        assert!(CargoLine::read(&[OsString::from("--bin")]).is_err());
        let short = ["-papp", "-j2", "-r", "-Ffast", "-O3"];
        let line = CargoLine::read(&short.map(OsString::from)).expect("well-formed");
        assert_eq!(line.project.words, ["-p", "app", "-j", "2", "-F", "fast"]);
        assert_eq!(line.verb, ["-O3"]);
    }
}
