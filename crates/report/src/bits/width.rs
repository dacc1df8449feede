//! `opcost explain --width`: why the integers of a line are as wide as they are,
//! as text and as `opcost.explain-width/2`.

use std::fmt::Write;

use crate::kit::legend::Legend;
use crate::kit::source::Sources;
use crate::kit::style::{DIM, GOOD, STRONG, paint, printable, screen_width};
use opcost_answer::names::{shown_name, tidy_path};
use opcost_answer::width::{WidthAnswers, WidthExplained, WidthStep};

/// Value by value: what it is, the chain that forces it, what would help.
pub fn print_width(answers: &WidthAnswers, sources: &mut Sources) -> String {
    let mut text = String::new();
    let first = answers.values.first().and_then(|one| one.value.file.as_ref().zip(one.value.line));
    if let Some((file, line)) = first {
        let written = sources.line(file, line).map(|line| printable(line.trim())).unwrap_or_default();
        let place = format!("{}:{line}", tidy_path(file));
        let _ = writeln!(text, "{} {written}", paint(STRONG, place));
    }
    let mut told: Vec<Vec<String>> = Vec::new();
    for value in &answers.values {
        let lines = explained(value);
        // What was inlined or unrolled says the same again.
        if !told.contains(&lines) {
            let _ = writeln!(text, "\n{}", lines.join("\n"));
            told.push(lines);
        }
    }
    for assumption in &answers.assumes {
        let _ = writeln!(text, "\nassuming {assumption}");
    }
    text += &signs(answers).text(screen_width());
    let saves = |value: &WidthExplained| {
        let help = value.would_help.iter().find(|help| help.contract.is_some())?;
        Some((value.value.width - help.width, help.contract.clone()?))
    };
    let best = answers.values.iter().filter_map(saves).max_by_key(|(bits, _)| *bits);
    if let (Some((_, contract)), Some((file, line))) = (best, first) {
        let place = format!("{}:{line}", tidy_path(file));
        let next = format!("next: opcost explain --width --assume '{contract}' {place}");
        let _ = writeln!(text, "\n{}", paint(DIM, next));
    }
    let _ = writeln!(text, "\n{}", paint(DIM, format!("{} world", answers.world)));
    text
}

/// Signs in the names of values.
fn signs(answers: &WidthAnswers) -> Legend {
    let mut legend = Legend::default();
    for one in &answers.values {
        let links = one.chain.iter().map(|step| &step.name).chain([&one.value.name, &one.reason]);
        links.chain(one.would_help.iter().map(|help| &help.input)).for_each(|name| legend.read(name));
    }
    legend
}

fn explained(one: &WidthExplained) -> Vec<String> {
    let value = &one.value;
    let mut lines = vec![format!(
        "  {} {} {} → {}  {}",
        paint(STRONG, printable(&value.name)),
        paint(DIM, format!("of {}", shown_name(&value.function))),
        format_args!("i{}", one.declared),
        width(value.width, value.signed),
        value.range
    )];
    lines.push(format!("    {}", paint(DIM, printable(&value.text))));
    for step in &one.chain {
        lines.push(format!("    {} {}", paint(DIM, "from"), link(step, value)));
    }
    let is_told = one.chain.is_empty();
    let words = if is_told { one.reason.clone() } else { format!("which is {}", one.reason) };
    lines.push(format!("    {words}"));
    for (at, help) in one.would_help.iter().enumerate() {
        let line = help.line.map_or_else(String::new, |line| format!(" (line {line})"));
        let words = format!(
            "if {} of {}{line} were {}: {} instead of {}",
            printable(&help.input),
            shown_name(&help.function),
            help.given,
            bits(help.width),
            value.width
        );
        // The best stands out.
        lines.push(format!("    {}", if at == 0 { paint(GOOD, words) } else { words }));
    }
    lines
}

/// A link: its place where it is elsewhere, its width and range.
fn link(step: &WidthStep, from: &WidthStep) -> String {
    let function = match step.function == from.function {
        true => String::new(),
        false => format!(" of {}", shown_name(&step.function)),
    };
    let line = step.line.map_or_else(String::new, |line| format!(", line {line}"));
    let name = printable(&step.name);
    format!("{name}{function}{line}: {}  {}", width(step.width, step.signed), step.range)
}

fn width(bits: u32, signed: bool) -> String {
    match (bits, signed) {
        (0, _) => "0".to_owned(),
        (bits, true) => format!("s{bits}"),
        (bits, false) => format!("u{bits}"),
    }
}

fn bits(bits: u32) -> String {
    if bits == 1 { "1 bit".to_owned() } else { format!("{bits} bits") }
}
