//! `opcost bits --certificate` and `--check`: ranges with all that they rest on.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use opcost_certificate::Certificate;
use opcost_certificate::reading::MOST_BYTES;

use crate::arguments::BitsArguments;
use crate::verbs::selection::again;
use opcost_answer::bits::CertifiedAnswer;
use opcost_answer::terminal::one_line;
use opcost_answer::{Failure, Status};
use opcost_report::bits::certificate::print_bits_check;
use opcost_report::kit::numbers::{counted, verb};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_toolchain::input::Input;

/// Writes the certificate; what is to be said of it.
pub(super) fn save(
    path: &Path,
    certified: &CertifiedAnswer,
    inputs: &[Input],
    arguments: &BitsArguments,
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
        let given = given(arguments);
        writeln!(
            told,
            "next: opcost bits --check {} {given}{}",
            path.display(),
            again(inputs, &arguments.program())
        )
        .expect("a string");
    }
    Ok(told)
}

/// What was assumed, as flags: anyone who checks must assume that, too.
fn given(arguments: &BitsArguments) -> String {
    let contracts = arguments.contracts.contracts.iter();
    let contracts = contracts.map(|contract| format!("--assume '{}' ", contract.text.replace('\'', "'\\''")));
    let flags = arguments.assumptions.assumptions();
    contracts.chain(flags.flags().map(|flag| format!("{flag} "))).collect()
}

/// A certificate as it is written. Before anything is compiled: what is wrong
/// with it is its fault and not the program's.
fn read(path: &Path) -> Result<String, Failure> {
    let module = path.display().to_string();
    let wrong = |what: String| Failure::Module {
        module: module.clone(),
        message: format!(
            "this is no certificate ({}); opcost bits --certificate FILE writes one",
            one_line(&what)
        ),
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
    let certificate = read(path)?;
    let answers = arguments.code()?.check(path.display().to_string(), certificate, &arguments.given())?;
    if let Some(path) = &arguments.json {
        save_json(path, &document(&answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(arguments.output.as_deref(), &print_bits_check(&answers), Stream::Stdout)?;
    }
    Ok(if answers.holds { Status::Fine } else { Status::Verdict })
}
