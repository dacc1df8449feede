//! `opcost completions`, `opcost man`, `opcost schema`: what packagers install.
//!
//! A man page has name, synopsis and options from the command line, and all else from the verb's page
//! of the guide (`pages`), written as roff (`opcost_report::kit::roff`).

mod pages;

use std::io::Write;

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionArguments, ManArguments, SchemaArguments};
use opcost_answer::{Failure, Status};
use opcost_report::kit::roff::parts_of;
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
    let mut all = Arguments::command();
    all.build();
    let version = format!("opcost {}", env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    let written = match &arguments.verb {
        None => clap_mangen::Man::new(all).title("opcost").source(version).render(&mut text),
        Some(verb) => match (all.find_subcommand(verb), pages::page_of(verb)) {
            (Some(command), Some(page)) => {
                let title = format!("opcost-{verb}");
                page_of_verb(
                    &clap_mangen::Man::new(command.clone()).title(title).source(version),
                    page,
                    &mut text,
                )
            }
            _ => return Err(Failure::Usage(format!("opcost has no verb '{verb}'; see opcost --help"))),
        },
    };
    written.map_err(Failure::file("write", "the page"))?;
    print(&text)
}

/// The page of a verb: its command line, and what the guide says.
fn page_of_verb(man: &clap_mangen::Man, page: &str, text: &mut Vec<u8>) -> std::io::Result<()> {
    let (before, after) = parts_of(page);
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    text.extend_from_slice(before.as_bytes());
    man.render_options_section(text)?;
    text.extend_from_slice(after.as_bytes());
    Ok(())
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
