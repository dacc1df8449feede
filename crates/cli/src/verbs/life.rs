//! `opcost life`: what becomes of an instruction, from source to bytes?

use std::io::Read;
use std::path::{Path, PathBuf};

use opcost::life::{FollowRequest, Followed, ObjectFormat, follow, read_bytes};
use opcost_answer::life::{Life, LifeSubject, StageName};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::life::graph::graph_picture;
use opcost_report::life::page::life_page;
use opcost_report::life::text::{LifeJson, print_life};
use opcost_toolchain::input::Input;

use crate::arguments::{FormatName, LifeArguments};
use crate::verbs::inputs::split;
use crate::verbs::show::save_failure_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &LifeArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

/// Records and shows it.
fn carry_out(arguments: &LifeArguments) -> Result<Status, Failure> {
    let life = follow(&request(arguments)?)?;
    show(arguments, &life)?;
    // Bytes from anywhere may be in a form that no encoder here chooses.
    let is_fine = life.self_check.is_good() || arguments.bytes;
    Ok(if is_fine { Status::Fine } else { Status::Failed })
}

/// What the command line asks for.
fn request(arguments: &LifeArguments) -> Result<FollowRequest, Failure> {
    let given = arguments.input.as_deref().unwrap_or_default();
    let (words, followed) = if arguments.bytes {
        let (name, data) = bytes(given)?;
        (name, Followed::Bytes(read_bytes(name, data)?))
    } else {
        (given, followed(arguments, given)?)
    };
    Ok(FollowRequest {
        followed,
        words: words.to_owned(),
        options: arguments.compile.options(),
        target: arguments.target.clone(),
        format: arguments.format.map(|format| match format {
            FormatName::Elf => ObjectFormat::Elf,
            FormatName::Coff => ObjectFormat::Coff,
            FormatName::Macho => ObjectFormat::MachO,
        }),
        stage: arguments.stage,
        graphs: arguments.svg.is_some()
            || arguments.html.is_some()
            || arguments.stage == Some(StageName::Dag),
    })
}

/// What is followed, of a file with a line.
fn followed(arguments: &LifeArguments, given: &str) -> Result<Followed, Failure> {
    let (path, line, column) = split(given);
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    let refused = |words: String| Err(Failure::Usage(words));
    let of_code = |subject| Followed::Code { path: path.into(), subject, ledger: arguments.ledger.clone() };
    match (extension, &arguments.hot, &arguments.function, line) {
        (Some("S"), ..) => refused(format!("{path}: preprocess it first: clang -E {path} > prog.s")),
        (Some("s"), _, function, _) if function.is_some() || column.is_some() => {
            refused(format!("{path}: of assembly text give a line, {path}:3, or nothing for all"))
        }
        (Some("s"), ..) => Ok(Followed::Assembly { path: path.into(), line }),
        (_, Some(_), _, Some(_)) => {
            refused(format!("--hot chooses the instruction itself; give {path} without a line"))
        }
        (_, Some(ledger), ..) => {
            let path = (!path.is_empty()).then(|| PathBuf::from(path));
            Ok(Followed::Hottest { ledger: ledger.clone(), path })
        }
        (_, None, Some(function), _) => {
            Ok(of_code(LifeSubject::Value { function: function.clone(), value: arguments.value.clone() }))
        }
        (_, None, None, Some(line)) => Ok(of_code(LifeSubject::Line { file: path.to_owned(), line, column })),
        (_, None, None, None) => {
            // What it is decides before what is missing.
            Input::classify(Path::new(path))?;
            refused(format!("which instruction? give a line, {path}:3, or --function"))
        }
    }
}

/// What the user gave as bytes, and what to call it.
fn bytes(input: &str) -> Result<(&str, Vec<u8>), Failure> {
    let mut data = Vec::new();
    if input == "-" {
        std::io::stdin().read_to_end(&mut data).map_err(Failure::file("read", "standard input"))?;
        Ok(("standard input", data))
    } else if Path::new(input).is_file() {
        Ok((input, std::fs::read(input).map_err(Failure::file("read", input))?))
    } else {
        Ok(("the bytes given", input.as_bytes().to_vec()))
    }
}

/// Writes all that was asked for.
fn show(arguments: &LifeArguments, life: &Life) -> Result<(), Failure> {
    if let Some(path) = &arguments.svg {
        if life.graphs.is_empty() {
            return Err(Failure::Counters(format!(
                "{}: there is no graph to draw: these instructions were selected one by one (FastISel or \
                 GlobalISel, as at -O0), or went before; see --stage mir, or take -O1",
                life.question
            )));
        }
        save_text(Some(path), &graph_picture(&life.graphs), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &LifeJson::document(life))?;
    }
    if let Some(path) = &arguments.html {
        save_text(Some(path), &life_page(life), Stream::Stdout)?;
    }
    let stdout = Some(Path::new("-"));
    if arguments.json.as_deref() != stdout && arguments.svg.as_deref() != stdout {
        let text = print_life(life, arguments.stage);
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(())
}
