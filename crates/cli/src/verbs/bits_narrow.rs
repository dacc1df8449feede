//! `opcost bits --narrow`: the program rewritten to the widths that are proven.

use std::path::Path;

use crate::arguments::BitsArguments;
use crate::verbs::certificate;
use crate::verbs::selection::{about, paths};
use opcost_answer::{Failure, Status};
use opcost_report::bits::narrow::{BitsNarrowJson, print_bits_narrow};
use opcost_report::kit::save::{Stream, save_json, save_text};

/// Carries out the verb.
pub(super) fn run(arguments: &BitsArguments) -> Result<Status, Failure> {
    let output = arguments.output.as_deref().expect("clap asks for it");
    if output.extension().is_some_and(|extension| extension != "bc") {
        let name = output.display();
        return Err(Failure::Usage(format!("--narrow writes bitcode: {name} must end in .bc")));
    }
    let code = arguments.code()?;
    let inputs = code.inputs();
    let answers = code.narrow(&arguments.contracts.contracts, arguments.certificate.is_some(), output)?;
    let told = match (&arguments.certificate, &answers.certified) {
        (Some(path), Some(certified)) => certificate::save(path, certified, inputs, arguments)?,
        _ => format!(
            "next: opcost bits --narrow -o {} --certificate c.json {}   only by ranges that a checker follows\n",
            output.display(),
            paths(inputs)
        ),
    };
    if let Some(path) = &arguments.json {
        save_json(path, &BitsNarrowJson::text(&answers, output))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let text = print_bits_narrow(&answers, &about(inputs, &arguments.program.compile), output);
        save_text(None, &(text + &told), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}
