//! `opcost bits --certificate` and `--check`: ranges with all that they rest on.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use opcost_certificate::Certificate;
use opcost_certificate::reading::MOST_BYTES;

use crate::arguments::{AssumptionArguments, BitsArguments, ProgramArguments};
use crate::verbs::loops::analysed;
use crate::verbs::selection::again;
use opcost_answer::bits::CertifiedAnswer;
use opcost_answer::{Failure, Status};
use opcost_job::program::CheckJob;
use opcost_report::bits::certificate::{BitsCheckJson, print_bits_check};
use opcost_report::kit::numbers::{counted, verb};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;

/// Writes the certificate; what is to be said of it.
pub(super) fn save(
    path: &Path,
    certified: &CertifiedAnswer,
    inputs: &[Input],
    program: &ProgramArguments,
) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&certified.certificate).expect("plain data");
    save_json(path, &text)?;
    let mut told = format!(
        "certificate: {} {} ({} to z3), {} made weaker\n",
        counted(certified.claims, "claim"),
        verb(certified.claims, "holds", "hold"),
        counted(certified.questions, "question"),
        certified.weakened,
    );
    if path != Path::new("-") {
        writeln!(told, "next: opcost bits --check {} {}", path.display(), again(inputs, program))
            .expect("a string");
    }
    Ok(told)
}

/// A certificate as it is written. Before anything is compiled: what is wrong
/// with it is its fault and not the program's.
fn read(path: &Path) -> Result<String, Failure> {
    let module = path.display().to_string();
    let wrong = |what: String| Failure::Module {
        module: module.clone(),
        message: format!("this is no certificate ({what}); opcost bits --certificate FILE writes one"),
    };
    // No more of it than a certificate has.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(Failure::file("read", path))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Failure::file("read", path))?;
    Certificate::read(&bytes).map_err(|error| wrong(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
}

/// Whether a certificate holds.
pub(super) fn check(arguments: &BitsArguments, path: &Path) -> Result<Status, Failure> {
    if !arguments.contracts.contracts.is_empty() {
        let words = "--check takes contracts from the certificate: leave --assume out";
        return Err(Failure::Usage(words.to_owned()));
    }
    let AssumptionArguments { assume_inbounds, assume_no_overflow, assume_written_first } =
        arguments.assumptions;
    if assume_inbounds || assume_no_overflow || assume_written_first {
        let words = "--check takes what is believed from the certificate, and lists it: leave --assume-… out";
        return Err(Failure::Usage(words.to_owned()));
    }
    let certificate = read(path)?;
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile.options(), Purpose::Analysis)?;
    let name = path.display().to_string();
    let working = Progress::start("checking the certificate");
    let program = build.program_source(&inputs, &arguments.program().options())?;
    let answers = build.query(CheckJob { program, name, certificate }, &inputs)?;
    drop(working);
    if let Some(path) = &arguments.json {
        save_json(path, &BitsCheckJson::text(&answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(arguments.output.as_deref(), &print_bits_check(&answers), Stream::Stdout)?;
    }
    Ok(if answers.failed.is_empty() { Status::Fine } else { Status::Verdict })
}
