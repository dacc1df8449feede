//! `opcost bits --narrow`: the program rewritten to the widths that are proven.

use std::path::Path;

use crate::arguments::BitsArguments;
use crate::verbs::certificate;
use crate::verbs::selection::{about, paths};
use opcost_answer::{Failure, Status};
use opcost_job::program::NarrowJob;
use opcost_report::bits::narrow::{BitsNarrowJson, print_bits_narrow};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;

/// Carries out the verb.
pub(super) fn run(arguments: &BitsArguments) -> Result<Status, Failure> {
    let output = arguments.output.as_deref().expect("clap asks for it");
    if output.extension().is_some_and(|extension| extension != "bc") {
        let name = output.display();
        return Err(Failure::Usage(format!("--narrow writes bitcode: {name} must end in .bc")));
    }
    let inputs = Input::all_analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile.options(), Purpose::Analysis)?;
    let working = Progress::start("rewriting");
    let made = build.path("narrow.bc");
    let question = NarrowJob {
        program: build.program_source(&inputs, &arguments.program().options())?,
        output: made.clone(),
        is_certified: arguments.certificate.is_some(),
        contracts: arguments.contracts.contracts.clone(),
    };
    let answers = build.query(question, &inputs)?;
    drop(working);
    install(&made, output)?;
    let told = match (&arguments.certificate, &answers.certified) {
        (Some(path), Some(certified)) => certificate::save(path, certified, &inputs, arguments)?,
        _ => format!(
            "next: opcost bits --narrow -o {} --certificate c.json {}   only by ranges that a checker follows\n",
            output.display(),
            paths(&inputs)
        ),
    };
    if let Some(path) = &arguments.json {
        save_json(path, &BitsNarrowJson::text(&answers, output))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let text = print_bits_narrow(&answers, &about(&inputs, &arguments.program.compile), output);
        save_text(None, &(text + &told), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}
