//! `opcost life`: what becomes of an instruction, from source to bytes?

use std::path::Path;

use opcost_answer::life::{Life, LifeSubject, StageName};

use super::life_ledger::Counted;
use crate::arguments::LifeArguments;
use crate::verbs::input_line::split;
use crate::verbs::life_code;
use crate::verbs::show::save_failure_json;
use opcost_answer::{Failure, Status};
use opcost_job::life::{LifeQuestion, Selected};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::life::graph::graph_picture;
use opcost_report::life::page::life_page;
use opcost_report::life::text::{LifeJson, print_life};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

/// Carries out the verb.
pub(crate) fn run(arguments: &LifeArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

/// Records and shows it.
fn carry_out(arguments: &LifeArguments) -> Result<Status, Failure> {
    if let Some(life) = life_code::life(arguments)? {
        show(arguments, &life)?;
        // Bytes from anywhere may be in a form that no encoder here chooses.
        let is_fine = life.self_check.is_good() || arguments.bytes;
        return Ok(if is_fine { Status::Fine } else { Status::Failed });
    }
    let (path, line, column) = arguments.input.as_deref().map_or(("", None, None), split);
    let given = (!path.is_empty()).then(|| Path::new(path));
    if given.is_some() {
        classified(Path::new(path))?;
    }
    let ledger = arguments.hot.as_ref().or(arguments.ledger.as_ref());
    let counted = ledger.map(|ledger| Counted::read(ledger, given, arguments)).transpose()?;
    let input = classified(counted.as_ref().map_or(Path::new(path), |counted| &counted.input))?;
    let mut words = arguments.input.clone().unwrap_or_default();
    let meant = match (&arguments.hot, &arguments.function, line, &counted) {
        (Some(_), _, Some(_), _) => {
            return Err(Failure::Usage(format!(
                "--hot chooses the instruction itself; give {path} without a line"
            )));
        }
        (Some(_), _, None, Some(counted)) => {
            let hottest = counted.hottest()?;
            words = hottest.words;
            Selected::Number(hottest.number)
        }
        (_, Some(function), _, _) => Selected::Matching(LifeSubject::Value {
            function: function.clone(),
            value: arguments.value.clone(),
        }),
        (_, None, Some(line), _) => {
            Selected::Matching(LifeSubject::Line { file: path.to_owned(), line, column })
        }
        (_, None, None, _) => {
            return Err(Failure::Usage(format!("which instruction? give a line, {path}:3, or --function")));
        }
    };
    if let (Some(counted), None) = (&counted, &arguments.hot) {
        words = format!("{words}, counted in {}", counted.origin());
    }
    let compile = compile(arguments, counted.as_ref(), &input)?;
    let build = Build::new(&compile, Purpose::Life)?;
    let question =
        LifeQuestion { words, selected: meant, stage: arguments.stage, graphs: wants_graphs(arguments) };
    let life = build.life(&input, question);
    let mut life = life.map_err(|error| life_code::about_headers(error, arguments, &input))?;
    if let Some(counted) = &counted {
        counted.fill(&mut life);
    }
    show(arguments, &life)?;
    Ok(if life.self_check.is_good() { Status::Fine } else { Status::Failed })
}

/// An input whose instructions can be followed.
fn classified(path: &Path) -> Result<Input, Failure> {
    let input = Input::classify(path)?;
    if !matches!(input.language, Language::Object | Language::Program) {
        return Ok(input);
    }
    Err(Failure::Usage(format!("{}: give a source of C, C++, Fortran or Rust, .bc or .ll", path.display())))
}

/// How the input is compiled: as it was counted, or as the front end leaves it.
fn compile(
    arguments: &LifeArguments,
    counted: Option<&Counted>,
    input: &Input,
) -> Result<CompileOptions, Failure> {
    let mut compile = counted.map_or_else(|| arguments.compile.options(), |counted| counted.compile.clone());
    let has_target = arguments.target.is_some() || arguments.format.is_some();
    match input.language {
        Language::C | Language::Cxx => {
            compile.anchor.get_or_insert(opcost_key::Anchor::Source);
            // Names change no code, and say what a value is.
            compile.cflags.push("-fno-discard-value-names".to_owned());
            compile.cflags.extend(life_code::target(arguments)?.map(|target| format!("--target={target}")));
        }
        Language::Bitcode if has_target => {
            return Err(Failure::Usage(format!(
                "{} is for its own machine already; give the source with --target or --format, or leave them",
                input.path.display()
            )));
        }
        // What the runtime of these languages asks of a machine is in their modules.
        _ if has_target => {
            return Err(Failure::Usage(format!(
                "{}: --target and --format are for C and C++; compile it to .bc for the machine, and give that",
                input.path.display()
            )));
        }
        _ => {}
    }
    Ok(compile)
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

/// Whether graphs are recorded whole.
fn wants_graphs(arguments: &LifeArguments) -> bool {
    arguments.svg.is_some() || arguments.html.is_some() || arguments.stage == Some(StageName::Dag)
}
