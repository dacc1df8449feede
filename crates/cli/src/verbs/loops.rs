//! `opcost loops`: how often will it loop, told before it runs?

use std::path::Path;

use crate::arguments::LoopsArguments;
use crate::verbs::answered::{believed, command};
use crate::verbs::inputs::values;
use crate::verbs::selection::{OF_RUNS, about, is_one_of, paths, refuse_idle, unknown};
use crate::verbs::show::save_failure_json;
use opcost::Code;
use opcost::answered::{self, AnswersAbout, ledger};
use opcost::ledgers;
use opcost_answer::loops::{LoopAnswer, LoopAnswers};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::source::Sources;
use opcost_report::kit::style::screen_width;
use opcost_report::loops::table::{LoopsJson, LoopsReport, print_loops};
use opcost_toolchain::input::Input;

/// Carries out the verb.
pub(crate) fn run(arguments: &LoopsArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &LoopsArguments) -> Result<Status, Failure> {
    refuse_idle(&arguments.program.compile, OF_RUNS, "nothing is measured and no machine code is made")?;
    let program = &arguments.program;
    let code = Code::within_world(&arguments.inputs, &program.compile.options(), &program.options())?;
    let mut answers = code.loops_of(values(&arguments.values, &[]))?;
    let inputs = code.inputs();
    only(&mut answers, &arguments.function)?;
    if let Some(path) = &arguments.json {
        save_json(path, &LoopsJson::text(&answers))?;
    }
    if let Some(path) = &arguments.ledger {
        save_ledger(arguments, inputs, &answers, path)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let shown = arguments.ledger.iter().map(|path| format!("opcost report {}", path.display()));
        let report = LoopsReport {
            next: next(&answers, inputs).into_iter().chain(shown).collect(),
            about: about(inputs, &arguments.program.compile),
            answers: &answers,
        };
        let mut sources = Sources::of(None, "program");
        save_text(
            arguments.output.as_deref(),
            &print_loops(&report, &mut sources, screen_width()),
            Stream::Stdout,
        )?;
    }
    Ok(Status::Fine)
}

/// Writes the answers as a ledger.
fn save_ledger(
    arguments: &LoopsArguments,
    inputs: &[Input],
    answers: &LoopAnswers,
    path: &Path,
) -> Result<(), Failure> {
    let given = answered::loops::given(&arguments.values.bindings, arguments.values.defaults);
    let mut given = given.map_err(|error| Failure::Usage(format!("--set: {error}")))?;
    given.extend(believed(&arguments.program));
    let command = command("loops", &arguments.inputs, &[]);
    let asked = AnswersAbout::of_code(&paths(inputs), &answers.code, command);
    ledgers::save(path, &ledger(asked, answered::loops::rows(answers, &given)))
}

/// Leaves the loops of the named functions.
fn only(answers: &mut LoopAnswers, functions: &[String]) -> Result<(), Failure> {
    if functions.is_empty() {
        return Ok(());
    }
    if let Some(words) = unknown(answers.functions.iter().map(String::as_str), functions) {
        return Err(Failure::Usage(words));
    }
    answers.retain(|answer| is_one_of(&answer.function, functions));
    Ok(())
}

/// The name that most loops have as an input; of several the first.
fn most_used(answers: &LoopAnswers) -> Option<&String> {
    let uses = |name: &&String| {
        let is_it = |input: &String| {
            input.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
        };
        answers.loops.iter().filter(|answer| answer.inputs.iter().any(is_it)).count()
    };
    answers.names.iter().rev().max_by_key(uses)
}

fn next(answers: &LoopAnswers, inputs: &[Input]) -> Vec<String> {
    let mut next = Vec::new();
    // Of a header's loop, the input's path with the line would be another line.
    let is_in = |answer: &&LoopAnswer, input: &Input| {
        answer.line.is_some()
            && answer
                .file
                .as_deref()
                .is_some_and(|file| input.path.ends_with(file) || Path::new(file).ends_with(&input.path))
    };
    let deepest = inputs.iter().find_map(|input| {
        answers.loops.iter().filter(|answer| is_in(answer, input)).max_by_key(|answer| answer.depth)
    });
    if let (Some(answer), [input]) = (deepest, inputs) {
        let line = answer.line.unwrap_or(0);
        next.push(format!("opcost explain {}:{line}", input.path.display()));
    }
    if let Some(name) = most_used(answers) {
        next.push(format!("opcost loops --set '{name}=1000' …"));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::{LoopAnswer, LoopAnswers, most_used};

    fn example() -> LoopAnswer {
        let json = serde_json::json!({
            "key": "@f:loop0", "function": "f", "header": 0, "label": "%0", "file": null, "line": null, "depth": 1,
            "parent": null, "form": "", "entered_if": {"kind": "unknown", "condition": null}, "kind": "unknown",
            "back_edges": null, "body_iterations": null, "expression": null, "total": null, "inputs": [],
            "bound": null, "assumes": [], "reason": null, "vectorised": null, "unrolled": null, "remainder_of": null,
        });
        serde_json::from_value(json).expect("a loop of which nothing is known")
    }

    #[test]
    fn the_name_that_most_loops_use_is_to_be_tried() {
        let with = |inputs: &[&str]| LoopAnswer {
            inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
            ..example()
        };
        let answers = LoopAnswers {
            names: ["a", "n", "nn", "z"].map(str::to_owned).to_vec(),
            loops: vec![with(&["a"]), with(&["n: argv[1]"]), with(&["nn", "n: argv[1]"]), with(&["nn"])],
            ..LoopAnswers::default()
        };
        assert_eq!(most_used(&answers).map(String::as_str), Some("n"));
        assert_eq!(most_used(&LoopAnswers::default()), None);
    }
}
