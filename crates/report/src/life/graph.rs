//! The graphs of instruction selection, drawn.
//!
//! Phases stand side by side, the graphs of a function's blocks one below the
//! other. Operands stand above their users; the chosen nodes are marked. Values
//! are lines, order is dashed, glue is dotted. The picture is one SVG without
//! script, which loads nothing and follows the reader's colours; the page shows
//! the same panels. Cost: that of `crate::kit::layout`.

use crate::kit::numbers::{counted, noun};
use std::fmt::Write;

use crate::kit::layout::lay_out;
use opcost_answer::life::{GraphEdgeKind, LifeGraph, Node};

use crate::kit::html::escaped;
use crate::kit::style::{cut, width_of};
use opcost_answer::names::demangle;

/// Looks of a picture.
const STYLE: &str = include_str!("../kit/graph.css");

/// Of a letter, at the size of the style.
const LETTER: f64 = 7.3;
const BOX_HEIGHT: f64 = 38.0;
const HEAD: f64 = 52.0;
const MARGIN: f64 = 16.0;
/// Letters of a node, at most.
const LETTERS: usize = 44;

/// One graph, drawn.
pub struct Panel {
    /// Width with margins, in pixels of SVG.
    pub width: f64,
    /// Height with title and margin, in pixels of SVG.
    pub height: f64,
    /// Elements of SVG.
    pub body: String,
}

/// All graphs as one picture.
pub fn graph_picture(graphs: &[LifeGraph]) -> String {
    let (mut width, mut top) = (0.0_f64, 0.0);
    let mut body = String::new();
    for row in graphs.chunk_by(|a, b| (&a.function, a.block) == (&b.function, b.block)) {
        let (mut left, mut lowest) = (0.0, 0.0_f64);
        for graph in row {
            let panel = panel(graph);
            let _ = writeln!(body, "<g transform=\"translate({left:.1} {top:.1})\">{}</g>", panel.body);
            left += panel.width;
            lowest = lowest.max(panel.height);
        }
        width = width.max(left);
        top += lowest;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dag\" width=\"{width:.0}\" height=\"{top:.0}\" \
         viewBox=\"0 0 {width:.0} {top:.0}\">\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" \
         height=\"100%\"/>\n{body}</svg>\n"
    )
}

/// What is above a graph: which it is, and what of it is shown.
pub fn graph_title(graph: &LifeGraph) -> [String; 2] {
    let mut about = format!("{} · block {}", cut(&demangle(&graph.function), LETTERS), graph.block);
    if graph.left_out > 0 {
        let _ = write!(
            about,
            " · within {}; {} further {}",
            counted(graph.reach, "edge"),
            graph.left_out,
            noun(graph.left_out, "node")
        );
    }
    let mut title = graph.pass.clone();
    if let Some(last) = graph.also.last() {
        let _ = write!(title, " … {last}");
    }
    [title, about]
}

/// One graph with its title.
pub fn panel(graph: &LifeGraph) -> Panel {
    let labels: Vec<[String; 2]> = graph.nodes.iter().map(label).collect();
    let cells = |label: &[String; 2]| width_of(&label[0]).max(width_of(&label[1])) as f64;
    let widths: Vec<f64> = labels.iter().map(|label| (cells(label) * LETTER + 16.0).max(48.0)).collect();
    let edges: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let layout = lay_out(&widths, BOX_HEIGHT, &edges);
    let mut body = String::new();
    for (edge, way) in graph.edges.iter().zip(&layout.routes) {
        let class = match edge.kind {
            GraphEdgeKind::Data => "data",
            GraphEdgeKind::Chain => "chain",
            GraphEdgeKind::Glue => "glue",
        };
        let _ = writeln!(body, "<path class=\"{class}\" d=\"{}\"/>", curve(way));
    }
    for (((node, label), corner), width) in graph.nodes.iter().zip(&labels).zip(&layout.corners).zip(&widths)
    {
        let class = if node.is_chosen { " class=\"on\"" } else { "" };
        let (x, y) = (corner.0, corner.1);
        let _ = writeln!(
            body,
            "<g{class}><rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BOX_HEIGHT}\" \
             rx=\"4\"/><text x=\"{0:.1}\" y=\"{1:.1}\">{2}</text><text class=\"soft\" x=\"{0:.1}\" y=\"{3:.1}\">{4}\
             </text></g>",
            x + 8.0,
            y + 16.0,
            escaped(&label[0]),
            y + 31.0,
            escaped(&label[1])
        );
    }
    let title = graph_title(graph);
    let words = title.iter().map(|line| width_of(line)).max().unwrap_or(0) as f64 * LETTER;
    let [title, about] = title.map(|line| escaped(&line));
    Panel {
        width: layout.width.max(words) + 2.0 * MARGIN,
        height: layout.height + HEAD + MARGIN,
        body: format!(
            "<text class=\"head\" x=\"{MARGIN}\" y=\"20\">{title}</text>\
             <text class=\"soft\" x=\"{MARGIN}\" y=\"36\">{about}</text>\n\
             <g transform=\"translate({MARGIN} {HEAD})\">\n{body}</g>"
        ),
    }
}

/// What it does, and what its results are.
fn label(node: &Node) -> [String; 2] {
    let head = format!("{} {}", node.operation, node.details);
    [cut(head.trim_end(), LETTERS), cut(&node.types.join(", "), LETTERS)]
}

/// A way that leaves and comes in upright.
fn curve(way: &[(f64, f64)]) -> String {
    let mut text = format!("M{:.1} {:.1}", way[0].0, way[0].1);
    for pair in way.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        if x0 == x1 {
            let _ = write!(text, "V{y1:.1}");
        } else {
            let middle = (y0 + y1) / 2.0;
            let _ = write!(text, "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}");
        }
    }
    text
}
