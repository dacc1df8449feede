//! `opcost life`: what becomes of an instruction, from source to bytes?

use std::path::Path;

use opcost_life::{StageName, Wanted};

use crate::arguments::{LifeArguments, ModuleArguments};
use crate::build::{self, Build, Input, Language, LifeRequest, Purpose};
use crate::error::{CliError, Status};
use crate::report::{
    LifeJson, Stream, graph_picture, life_page, print_life, save_json, save_text, short_name,
};
use crate::verbs::show::tell_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &LifeArguments) -> Result<Status, CliError> {
    let result = carry_out(arguments);
    tell_json(&result, arguments.json.as_deref());
    result
}

/// Records and shows it.
fn carry_out(arguments: &LifeArguments) -> Result<Status, CliError> {
    let (path, line, column) = split(&arguments.input);
    let input = Input::classify(Path::new(path))?;
    if !matches!(input.language, Language::C | Language::Cxx | Language::Bitcode) {
        return Err(CliError::Usage(format!("{path}: give a source of C or C++, .bc or .ll")));
    }
    let wanted = match (&arguments.function, line) {
        (Some(function), _) => Wanted::Value { function: function.clone(), value: arguments.value.clone() },
        (None, Some(line)) => Wanted::Line { file: path.to_owned(), line, column },
        (None, None) => {
            return Err(CliError::Usage(format!("which instruction? give a line, {path}:3, or --function")));
        }
    };
    let mut compile = arguments.compile.clone();
    if input.language != Language::Bitcode {
        compile.anchor.get_or_insert(opcost_key::Anchor::Source);
        // Names change no code, and say what a value is.
        compile.cflags.push("-fno-discard-value-names".to_owned());
        compile.cflags.extend(arguments.target.iter().map(|target| format!("--target={target}")));
    }
    if input.language == Language::Bitcode && arguments.target.is_some() {
        return Err(CliError::Usage(format!(
            "{path} is for its own machine already; give the source with --target, or leave it"
        )));
    }
    let build = Build::new(&compile, Purpose::Life)?;
    let life =
        build.life(&input, &arguments.input, wanted, arguments.stage, wants_graphs(arguments), short_name)?;
    if let Some(path) = &arguments.json {
        save_json(path, &LifeJson::document(&life))?;
    }
    if let Some(path) = &arguments.svg {
        if life.graphs.is_empty() {
            return Err(CliError::Counters(format!(
                "{}: there is no graph to draw: these instructions were selected one by one (FastISel or \
                 GlobalISel, as at -O0), or went before; see --stage mir, or take -O1",
                arguments.input
            )));
        }
        save_text(Some(path), &graph_picture(&life.graphs), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.html {
        save_text(Some(path), &life_page(&life), Stream::Stdout)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let text = print_life(&life, arguments.stage);
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(if life.self_check.text_identical { Status::Fine } else { Status::Failed })
}

/// Whether graphs are recorded whole.
fn wants_graphs(arguments: &LifeArguments) -> bool {
    arguments.svg.is_some() || arguments.html.is_some() || arguments.stage == Some(StageName::Dag)
}

/// `prog.c:3:14`
fn split(input: &str) -> (&str, Option<u32>, Option<u32>) {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let Some((rest, last)) = input.rsplit_once(':') else { return (input, None, None) };
    let Some(last) = number(last) else { return (input, None, None) };
    match rest.rsplit_once(':').and_then(|(path, line)| Some((path, number(line)?))) {
        Some((path, line)) => (path, Some(line), Some(last)),
        None => (rest, Some(last), None),
    }
}

/// The hidden verb `__life`, in a process of its own.
pub(crate) fn record(arguments: &ModuleArguments) -> Result<Status, CliError> {
    let path = &arguments.request;
    let text = std::fs::read(path).map_err(CliError::file("read", path))?;
    let request: LifeRequest = serde_json::from_slice(&text)
        .map_err(|error| CliError::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    match build::record(&request, short_name) {
        Ok(()) => Ok(Status::Fine),
        Err(message) => {
            eprintln!("opcost: {message}");
            Ok(Status::Failed)
        }
    }
}
