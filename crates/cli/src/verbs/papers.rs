//! `opcost completions`, `opcost man`, `opcost schema`: what packagers ask for.

use std::io::Write;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionArguments, ManArguments, SchemaArguments};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::document;
use opcost_report::schema::schema_of;

/// Completions for a shell.
pub(crate) fn completions(arguments: &CompletionArguments) -> Result<Status, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "opcost", &mut text);
    print(&text)
}

/// A man page.
pub(crate) fn man(arguments: &ManArguments) -> Result<Status, Failure> {
    let title = arguments.verb.as_ref().map_or("opcost".to_owned(), |verb| format!("opcost-{verb}"));
    let mut all = Arguments::command();
    all.build();
    let command = match &arguments.verb {
        None => all,
        Some(verb) => match all.find_subcommand(verb) {
            Some(found) => found.clone(),
            None => return Err(Failure::Usage(format!("opcost has no verb '{verb}'; see opcost --help"))),
        },
    };
    let mut text = Vec::new();
    let version = format!("opcost {}", env!("CARGO_PKG_VERSION"));
    let page = clap_mangen::Man::new(command).title(title).source(version);
    page.render(&mut text).map_err(Failure::file("write", "the page"))?;
    print(&text)
}

/// The JSON schema of a document.
pub(crate) fn schema(arguments: &SchemaArguments) -> Result<Status, Failure> {
    let schema = schema_of(&arguments.name).expect("the command line lets names of documents through");
    print(document(&schema).as_bytes())
}

fn print(text: &[u8]) -> Result<Status, Failure> {
    match std::io::stdout().write_all(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::file("write", "stdout")(error))
        }
        _ => Ok(Status::Fine),
    }
}
