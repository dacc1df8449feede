//! `opcost explain`: what decides a value or a loop, as text, as a graph for
//! Graphviz, as a picture, and as `opcost.explain/1`.
//!
//! The picture is one SVG without script; what is made stands above what it is
//! made of. Cost: that of `crate::kit::layout`.

use std::fmt::Write;

use crate::kit::html::escaped;
use crate::kit::layout::lay_out;
use crate::kit::legend::Legend;
use crate::kit::source::Sources;
use crate::kit::style::{DIM, GOOD, STRONG, WARM, cut, paint, printable, screen_width, width_of};
use opcost_answer::dependence::{DependenceEdge, DependenceNode, ExplainAnswers, Explained};
use opcost_answer::names::shown_name;
use opcost_index::{AdjacencyGraph, Id, define_id, reverse_postorder};

/// Looks of the picture.
const STYLE: &str = include_str!("../kit/graph.css");
/// Of a letter, at the size of the style.
const LETTER: f64 = 7.3;
/// Of a letter on an edge.
const SMALL_LETTER: f64 = 6.5;
const BOX_HEIGHT: f64 = 26.0;
const MARGIN: f64 = 16.0;
const HEAD: f64 = 40.0;
/// How far down an edge its argument is.
const ALONG: f64 = 0.68;
/// Letters of a node, at most.
const LETTERS: usize = 60;

define_id!(
    /// A node of a drawn graph.
    struct DrawnId, "node"
);

/// One thing after another: its line, what it is, what that ends in.
pub fn print_explanation(answers: &ExplainAnswers, sources: &mut Sources) -> String {
    let mut text = String::new();
    let mut last_place = None;
    let mut told: Vec<&Explained> = Vec::new();
    for thing in &answers.things {
        // What was inlined says the same again.
        if told.iter().any(|before| is_same(before, thing)) {
            continue;
        }
        told.push(thing);
        let place = thing.file.as_ref().zip(thing.line);
        if place != last_place || last_place.is_none() {
            head(&mut text, thing, sources);
            last_place = place;
        }
        write_explained(&mut text, thing);
        let others = answers.things.iter().filter(|other| is_same(other, thing));
        let mut also: Vec<String> = others.map(|other| shown_name(&other.function)).collect();
        also.retain(|name| *name != shown_name(&thing.function));
        also.dedup();
        if !also.is_empty() {
            let _ = writeln!(text, "    {}", paint(DIM, format!("the same in {}", also.join(", "))));
        }
    }
    let mut legend = Legend::default();
    for thing in told {
        let formulas = [Some(&thing.expression), thing.iterations.as_ref()].into_iter().flatten();
        formulas.chain(&thing.inputs).chain(&thing.blockers).for_each(|formula| legend.read(formula));
    }
    text += &legend.text(screen_width());
    let _ = writeln!(text, "\n{}", paint(DIM, format!("{} world", answers.world)));
    text
}

/// Whether two things read the same.
fn is_same(one: &Explained, other: &Explained) -> bool {
    let about = |thing: &Explained| {
        let Explained { what, file, line, iterations, expression, quality, .. } = thing.clone();
        (what, file, line, iterations, expression, quality)
    };
    about(one) == about(other) && one.inputs == other.inputs && one.blockers == other.blockers
}

fn write_explained(text: &mut String, thing: &Explained) {
    let _ = writeln!(text, "\n  {}", paint(STRONG, &thing.what));
    if let Some(iterations) = &thing.iterations {
        let _ = writeln!(text, "    {} {iterations} {}", paint(DIM, "its body runs"), paint(DIM, "times"));
    }
    for line in thing.expression.lines() {
        let _ = writeln!(text, "    {line}");
    }
    let (style, words) = match &*thing.quality {
        "definite" => (GOOD, "definite: nothing else can come in between".to_owned()),
        "possible" => (WARM, "possible: what is marked with ? may be otherwise".to_owned()),
        "outside" => (WARM, "it ends outside of what can be seen".to_owned()),
        assuming => (GOOD, assuming.to_owned()),
    };
    let _ = writeln!(text, "    {}", paint(style, words));
    for input in &thing.inputs {
        let _ = writeln!(text, "    {} {input}", paint(DIM, "input"));
    }
    for blocker in &thing.blockers {
        let _ = writeln!(text, "    {} {blocker}", paint(WARM, "in the way:"));
    }
}

fn head(text: &mut String, thing: &Explained, sources: &mut Sources) {
    let function = shown_name(&thing.function);
    let Some((file, line)) = thing.file.as_ref().zip(thing.line) else {
        let _ = writeln!(text, "{} {}", paint(STRONG, function), paint(DIM, &thing.text));
        return;
    };
    let written = sources.line(file, line).map(|line| printable(line.trim())).unwrap_or_default();
    let _ = writeln!(text, "{} {} {written}", paint(STRONG, format!("{file}:{line}")), paint(DIM, function));
}

/// The graphs for Graphviz.
pub fn dependence_dot(answers: &ExplainAnswers) -> String {
    let mut text = String::from("digraph dependences {\n  node [shape=box, fontname=\"monospace\"];\n");
    for (position, thing) in answers.things.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{position} {{\n    label=\"{}\";", quoted(&thing.what));
        for (number, node) in thing.nodes.iter().enumerate() {
            let shape = match &*node.kind {
                "input" => ", shape=ellipse",
                "unknown" => ", style=dashed",
                _ => "",
            };
            let _ = writeln!(text, "    n{position}_{number} [label=\"{}\"{shape}];", quoted(&node.label));
        }
        for edge in &thing.edges {
            let style = if edge.quality == "definite" { "" } else { ", style=dashed" };
            let _ = writeln!(
                text,
                "    n{position}_{} -> n{position}_{} [label=\"{}\"{style}];",
                edge.from,
                edge.to,
                quoted(&edge.argument)
            );
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The graphs as one picture, one below the other.
pub fn dependence_picture(answers: &ExplainAnswers) -> String {
    let (mut width, mut top) = (0.0_f64, 0.0);
    let mut body = String::new();
    for thing in &answers.things {
        let (panel, wide, high) = panel(thing);
        let _ = writeln!(body, "<g transform=\"translate(0 {top:.1})\">{panel}</g>");
        width = width.max(wide);
        top += high;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dag\" width=\"{width:.0}\" height=\"{top:.0}\" \
         viewBox=\"0 0 {width:.0} {top:.0}\">\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" \
         height=\"100%\"/>\n{body}</svg>\n"
    )
}

/// The nodes of a graph, each before what it is made of.
fn in_order(thing: &Explained) -> Vec<usize> {
    if thing.nodes.is_empty() {
        return Vec::new();
    }
    let mut graph = AdjacencyGraph::new(thing.nodes.len());
    for edge in &thing.edges {
        graph.add_edge(DrawnId::new(edge.from as usize), DrawnId::new(edge.to as usize));
    }
    reverse_postorder(&graph, DrawnId::new(0)).into_iter().map(Id::index).collect()
}

/// One graph: its elements, width and height.
fn panel(thing: &Explained) -> (String, f64, f64) {
    let order = in_order(thing);
    let mut position = vec![0; thing.nodes.len()];
    for (place, &node) in order.iter().enumerate() {
        position[node] = place;
    }
    let ends = |edge: &&DependenceEdge| (position[edge.from as usize], position[edge.to as usize]);
    // What goes back in a cycle has no place in layers; there is none as long as
    // a value in itself is a node of its own.
    let drawn: Vec<&DependenceEdge> = thing.edges.iter().filter(|edge| ends(edge).0 < ends(edge).1).collect();
    let nodes: Vec<&DependenceNode> = order.iter().map(|&node| &thing.nodes[node]).collect();
    let labels: Vec<String> = nodes.iter().map(|node| cut(&node.label, LETTERS)).collect();
    let mut widths: Vec<f64> =
        labels.iter().map(|label| (width_of(label) as f64 * LETTER + 16.0).max(36.0)).collect();
    // Room for the words on the edges that come down to it.
    for edge in &drawn {
        let words = width_of(&cut(&edge.argument, 24)) as f64 * SMALL_LETTER;
        let below = ends(edge).1;
        widths[below] = widths[below].max(words);
    }
    let edges: Vec<(usize, usize)> = drawn.iter().map(ends).collect();
    let layout = lay_out(&widths, BOX_HEIGHT, &edges);
    let mut body = String::new();
    for (edge, way) in drawn.iter().zip(&layout.routes) {
        let class = if edge.quality == "definite" { "data" } else { "chain" };
        let points: Vec<String> = way.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(body, "<path class=\"{class}\" d=\"M{}\"/>", points.join("L"));
        if let (Some(first), Some(second)) = (way.first(), way.get(1)) {
            // Near the lower end, where edges of one box are furthest apart.
            let at = |from: f64, to: f64| from + ALONG * (to - from);
            let (x, y) = (at(first.0, second.0), at(first.1, second.1) + 4.0);
            let argument = escaped(&cut(&edge.argument, 24));
            let _ = writeln!(
                body,
                "<text class=\"soft edge\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{y:.1}\">{argument}</text>"
            );
        }
    }
    for (((node, label), corner), width) in nodes.iter().zip(&labels).zip(&layout.corners).zip(&widths) {
        let class = if node.kind == "input" { " class=\"on\"" } else { "" };
        let (x, y) = (corner.0, corner.1);
        let _ = writeln!(
            body,
            "<g{class}><rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BOX_HEIGHT}\" \
             rx=\"4\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            x + 8.0,
            y + 17.0,
            escaped(label)
        );
    }
    let title = escaped(&format!("{} · {}", thing.what, shown_name(&thing.function)));
    let text = format!(
        "<text class=\"head\" x=\"{MARGIN}\" y=\"20\">{title}</text>\n<g transform=\"translate({MARGIN} {HEAD})\">\n{body}</g>"
    );
    let wide = layout.width.max(width_of(&title) as f64 * LETTER) + 2.0 * MARGIN;
    (text, wide, layout.height + HEAD + MARGIN)
}
