//! The life of an instruction as a page for a browser: one file that loads nothing.
//!
//! Stages are columns, passes their headings, steps cards. A click on a card or
//! on an instruction above the columns draws the way of that instruction through
//! all of them; `/` searches, `n` unfolds the marks that say nothing of the
//! instruction itself. What a pass changed in a text is marked. The graphs of
//! selection follow, drawn. Frame and style are those of all pages
//! (`crate::kit::html`). Where six columns do not fit, they stand one below the other. Cost: linear in the steps.

use std::collections::{BTreeMap, HashMap};

use crate::life::noise::{folded, pieces};
use opcost_answer::life::ShownComparison;
use opcost_answer::life::{Change, Life, LifeGraph, StageLife, StageName, Step};

use crate::kit::html::{PageParts, Script, page, sheet};
use crate::kit::numbers::{grouped, percent};
use crate::kit::style::cut;
use crate::life::graph as life_graph;
use maud::{Markup, PreEscaped, html};
use opcost_answer::names::demangle;

const SCRIPT: Script =
    Script { text: include_str!("page.js"), hash: "CoklCUuYk8+/aCQTduxLQXzr0mzkoNePa2sOdpcqjos=" };
/// Letters of an instruction above the columns.
const CHIP: usize = 42;

/// The page.
pub fn life_page(life: &Life) -> String {
    let about = html! {
        (facts(life))
        p.bar {
            input type="search" id="search" placeholder="search" aria-label="search the steps";
            span id="hits" role="status" {}
            span.keys {
                kbd { "/" } " search " kbd { "Enter" } " next " kbd { "n" } " all marks " kbd { "Esc" }
                " all instructions"
            }
        }
    };
    let content = html! {
        (chips(life))
        div.way id="way" role="group" tabindex="0" aria-label="stages" {
            svg id="lines" aria-hidden="true" {}
            @for stage in &life.stages { (column(life, stage)) }
        }
        (graphs(life))
    };
    page(&PageParts { title: &life.question, command: "opcost life", about, content, script: SCRIPT })
}

fn facts(life: &Life) -> Markup {
    let coverage = &life.coverage;
    let share = coverage.explained as f64 / coverage.instructions.max(1) as f64;
    html! {
        p.facts {
            (life.target)
            @for compared in life.self_check.reported() { " · " (comparison(&compared)) }
            " · " (percent(share)) " of " (coverage.instructions) " machine instructions explained"
        }
    }
}

fn comparison(compared: &ShownComparison<'_>) -> Markup {
    let (class, word) = match compared.is_same {
        Some(true) => (Some("good"), "identical to"),
        Some(false) => (Some("bad"), "NOT"),
        None => (None, "not compared with"),
    };
    html! {
        span class=[class] {
            (word) " " (compared.with)
            @if let Some(remark) = compared.remark { ": " (remark) }
        }
    }
}

/// The instructions that were asked for, by what they are first.
fn chips(life: &Life) -> Markup {
    let mut first: BTreeMap<u32, &str> = BTreeMap::new();
    let steps =
        life.stages.iter().filter(|stage| stage.stage != StageName::Ast).flat_map(|stage| &stage.steps);
    for step in steps.filter(|step| step.key > 0) {
        first.entry(step.key).or_insert(&step.text);
    }
    html! {
        div.chips id="chips" role="group" aria-label="instructions" {
            @for (key, text) in first {
                button type="button" data-key=(key) aria-pressed="false" {
                    @if let Some(place) = life.locations.iter().find(|place| place.key == key && place.line > 0) {
                        i { (place.line) ":" (place.column) } " "
                    }
                    (cut(&folded(text), CHIP))
                    @if let Some(count) = life.ran.get(&key) { " " b { (grouped(count)) "×" } }
                }
                "\n"
            }
        }
    }
}

fn column(life: &Life, stage: &StageLife) -> Markup {
    let name = stage.stage.name();
    let (mut function, mut pass) = ("", "");
    let mut texts: HashMap<(u32, &str), &str> = HashMap::new();
    let mut parts = Vec::new();
    for step in &stage.steps {
        if step.function != function {
            (function, pass) = (&step.function, "");
            parts.push(html! { h3.of-function { (demangle(function)) } });
        }
        if step.pass != pass {
            pass = &step.pass;
            // No level of headings is left out.
            parts.push(match function {
                "" => html! { h3.of-pass { (pass) } },
                _ => html! { h4.of-pass { (pass) } },
            });
        }
        let before = (step.change == Change::Became).then(|| texts.get(&(step.key, &*step.opcode))).flatten();
        parts.push(card(life, step, before.copied()));
        texts.insert((step.key, &step.opcode), &step.text);
    }
    html! {
        section class=(format!("of-{name}")) { h2 { (name) } @for part in parts { (part) } }
        "\n"
    }
}

fn card(life: &Life, step: &Step, before: Option<&str>) -> Markup {
    let class = format!("card {}", step.change.name());
    let ran = life.ran.get(&step.key).filter(|_| step.change != Change::Went);
    let inside = html! {
        code { (instruction(step, before)) }
        @if let Some(count) = ran { b title="how often it ran" { (grouped(count)) "×" } }
        @if let Some(because) = &step.because { small { (because) } }
    };
    html! {
        @if step.key == 0 {
            div class=(class) data-key="0" { (inside) }
        } @else {
            button type="button" class=(class) data-key=(step.key) { (inside) }
        }
        "\n"
    }
}

/// The text of a step; what says nothing of the instruction and what is another than before are marked.
fn instruction(step: &Step, before: Option<&str>) -> Markup {
    let word = |text: &str| text.trim_matches([' ', ',']).to_owned();
    let old: Option<Vec<String>> =
        before.map(|text| pieces(text).iter().map(|piece| word(piece.text)).collect());
    let mut is_first = true;
    let mut parts = Vec::new();
    for piece in pieces(&step.text) {
        let own = word(piece.text);
        let (between, rest) =
            piece.text.split_at(piece.text.len() - piece.text.trim_start_matches([' ', ',']).len());
        // The tree is indented by its depth; nothing else begins with room.
        let between = if is_first && step.change != Change::Is { "" } else { between };
        let is_changed = old.as_ref().is_some_and(|old| !old.contains(&own));
        parts.push(match (piece.is_noise, is_changed) {
            (true, _) => html! { i { (between) (rest) } },
            (false, true) => html! { (between) mark { (rest) } },
            (false, false) => html! { (between) (rest) },
        });
        is_first &= piece.is_noise;
    }
    html! { @for part in parts { (part) } }
}

/// The graphs of selection, phase by phase.
fn graphs(life: &Life) -> Markup {
    if life.graphs.is_empty() {
        return html! {};
    }
    html! {
        h2 { "The graph of instruction selection" }
        p.facts { "Operands are above their users. Values are lines, order is dashed, glue is dotted." }
        @for row in life.graphs.chunk_by(|a, b| (&a.function, a.block) == (&b.function, b.block)) {
            (sheet("row", "graphs of a block, phase by phase", &drawn(row)))
            "\n"
        }
    }
}

fn drawn(row: &[LifeGraph]) -> Markup {
    html! {
        @for graph in row {
            @let panel = life_graph::panel(graph);
            @let (width, height) = (format!("{:.0}", panel.width), format!("{:.0}", panel.height));
            svg.dag role="img" aria-label=(life_graph::graph_title(graph).join(" · ")) width=(width)
                height=(height) viewBox=(format!("0 0 {width} {height}")) { (PreEscaped(panel.body)) }
        }
    }
}
