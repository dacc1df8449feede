//! What stays as a graph for Graphviz: each instruction, and what keeps it.
//!
//! An arrow leads from an instruction to the one that needs it, with the reason. Where an arrow leads nowhere, the
//! reason stands in the node: it is a root. Cost: instructions that stay.

use std::fmt::Write;

use opcost_answer::names::shown_name;
use opcost_answer::slice::SliceAnswers;

use crate::kit::style::printable;

/// The text of the graph.
pub fn dot(answers: &SliceAnswers) -> String {
    let mut text = String::from("digraph slice {\n  rankdir=RL;\n  node [shape=box, fontname=monospace];\n");
    for (number, mark) in answers.marks.iter().enumerate() {
        let at = &mark.link.location;
        let place = match (&at.file, at.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => shown_name(&at.function),
        };
        let mut label = format!("{}\\n{}", quoted(&mark.link.what), quoted(&place));
        if mark.of.is_none() {
            let _ = write!(label, "\\n{}", quoted(&mark.link.why));
        }
        let shape = if mark.of.is_none() { ", style=bold" } else { "" };
        let _ = writeln!(text, "  n{number} [label=\"{label}\"{shape}];");
        if let Some(of) = mark.of {
            let _ = writeln!(text, "  n{number} -> n{of} [label=\"{}\"];", quoted(&mark.relation));
        }
    }
    text + "}\n"
}

/// Text inside of quotes.
fn quoted(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use opcost_answer::slice::{SlicedLink, SlicedLocation, SlicedMark};

    use super::*;

    #[test]
    fn arrows_lead_to_what_needs_an_instruction() {
        let mark = |what: &str, of| SlicedMark {
            link: SlicedLink {
                location: SlicedLocation { file: None, line: None, function: "main".to_owned() },
                what: what.to_owned(),
                why: "it decides \"it\"".to_owned(),
            },
            relation: "operand".to_owned(),
            of,
        };
        let answers =
            SliceAnswers { marks: vec![mark("br", None), mark("icmp", Some(0))], ..Default::default() };
        let text = dot(&answers);
        assert!(text.contains("n0 [label=\"br\\nmain\\nit decides \\\"it\\\"\", style=bold];"), "{text}");
        assert!(text.contains("n1 -> n0 [label=\"operand\"];"), "{text}");
    }
}
