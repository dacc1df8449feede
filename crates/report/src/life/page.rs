//! The life of an instruction as a page for a browser: one file that loads nothing.
//!
//! Stages are columns, passes their headings, steps cards. A click on a card or
//! on an instruction above the columns draws the way of that instruction through
//! all of them; `/` searches, `n` unfolds the marks that say nothing of the
//! instruction itself. What a pass changed in a text is marked. The graphs of
//! selection follow, drawn. Style and script lie in the page, and the policy
//! names the script by its hash (a test computes it). Cost: linear in the steps.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::life::noise::{folded, pieces};
use opcost_answer::life::ShownComparison;
use opcost_answer::life::{Change, Life, StageLife, StageName, Step};

use crate::kit::html::escaped;
use crate::kit::numbers::{grouped, percent};
use crate::kit::style::cut;
use crate::life::graph as life_graph;
use opcost_answer::names::demangle;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of the script, as browsers write it.
const SCRIPT_HASH: &str = "+vANJtiWKwYl5g3pwHU5P9Xs8/lgHOTzrMGQzxikyp4=";
/// Letters of an instruction above the columns.
const CHIP: usize = 42;

/// The page.
pub fn life_page(life: &Life) -> String {
    let mut page = String::new();
    let title = escaped(&life.question);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · opcost life</title>\n\
         <style>{STYLE}{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        life_graph::STYLE
    );
    facts(&mut page, life);
    page.push_str(
        "<div class=\"bar\"><input type=\"search\" id=\"search\" placeholder=\"search\" aria-label=\"search\">\
         <span id=\"hits\" role=\"status\"></span><span class=\"keys\"><kbd>/</kbd> search <kbd>Enter</kbd> next \
         <kbd>n</kbd> all marks <kbd>Esc</kbd> all instructions</span></div>\n",
    );
    chips(&mut page, life);
    page.push_str("<div class=\"way\" id=\"way\"><svg id=\"lines\" aria-hidden=\"true\"></svg>\n");
    for stage in &life.stages {
        column(&mut page, life, stage);
    }
    page.push_str("</div>\n");
    graphs(&mut page, life);
    let _ = write!(page, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn facts(page: &mut String, life: &Life) {
    let told = |told: &ShownComparison<'_>| {
        let (class, word) = match told.is_same {
            Some(true) => ("good", "identical to"),
            Some(false) => ("bad", "NOT"),
            None => ("", "not compared with"),
        };
        let remark = told.remark.map(|words| format!(": {}", escaped(words))).unwrap_or_default();
        format!("<span class=\"{class}\">{word} {}{remark}</span>", told.with)
    };
    let mut facts = vec![escaped(&life.target)];
    facts.extend(life.self_check.told().iter().map(told));
    let coverage = &life.coverage;
    let share = coverage.explained as f64 / coverage.instructions.max(1) as f64;
    facts.push(format!("{} of {} machine instructions explained", percent(share), coverage.instructions));
    let _ = writeln!(page, "<p class=\"facts\">{}</p>", facts.join(" · "));
}

/// The instructions that were asked for, by what they are first.
fn chips(page: &mut String, life: &Life) {
    let mut first: BTreeMap<u32, &str> = BTreeMap::new();
    let steps =
        life.stages.iter().filter(|stage| stage.stage != StageName::Ast).flat_map(|stage| &stage.steps);
    for step in steps.filter(|step| step.key > 0) {
        first.entry(step.key).or_insert(&step.text);
    }
    page.push_str("<p class=\"chips\" id=\"chips\">");
    for (key, text) in first {
        let ran = life.ran.get(&key).map_or(String::new(), |count| format!(" <b>{}×</b>", grouped(count)));
        let place = life.places.iter().find(|place| place.key == key && place.line > 0);
        let place = place.map_or(String::new(), |place| format!("<i>{}:{}</i> ", place.line, place.column));
        let text = escaped(&cut(&folded(text), CHIP));
        let _ =
            writeln!(page, "<button data-key=\"{key}\" aria-pressed=\"false\">{place}{text}{ran}</button>");
    }
    page.push_str("</p>\n");
}

fn column(page: &mut String, life: &Life, stage: &StageLife) {
    let _ = writeln!(page, "<section class=\"of-{0}\"><h2>{0}</h2>", stage.stage.name());
    let (mut function, mut pass) = ("", "");
    let mut texts: HashMap<(u32, &str), &str> = HashMap::new();
    for step in &stage.steps {
        if step.function != function {
            (function, pass) = (&step.function, "");
            let _ = writeln!(page, "<h3>{}</h3>", escaped(&demangle(function)));
        }
        if step.pass != pass {
            pass = &step.pass;
            let _ = writeln!(page, "<h4>{}</h4>", escaped(pass));
        }
        let known = (step.change == Change::Became).then(|| texts.get(&(step.key, &*step.opcode))).flatten();
        card(page, life, step, known.copied());
        texts.insert((step.key, &step.opcode), &step.text);
    }
    page.push_str("</section>\n");
}

fn card(page: &mut String, life: &Life, step: &Step, before: Option<&str>) {
    let class = step.change.name();
    let element = if step.key == 0 { "div" } else { "button" };
    let _ = write!(page, "<{element} class=\"card {class}\" data-key=\"{}\"><code>", step.key);
    let word = |text: &str| text.trim_matches([' ', ',']).to_owned();
    let old: Option<Vec<String>> =
        before.map(|text| pieces(text).iter().map(|piece| word(piece.text)).collect());
    let mut is_first = true;
    for piece in pieces(&step.text) {
        let own = word(piece.text);
        let (between, rest) =
            piece.text.split_at(piece.text.len() - piece.text.trim_start_matches([' ', ',']).len());
        // The tree is indented by its depth; nothing else begins with room.
        let between = if is_first && step.change != Change::Is { "" } else { between };
        let (between, rest) = (escaped(between), escaped(rest));
        let is_changed = old.as_ref().is_some_and(|old| !old.contains(&own));
        let _ = match (piece.is_noise, is_changed) {
            (true, _) => write!(page, "<i>{between}{rest}</i>"),
            (false, true) => write!(page, "{between}<mark>{rest}</mark>"),
            (false, false) => write!(page, "{between}{rest}"),
        };
        is_first &= piece.is_noise;
    }
    page.push_str("</code>");
    if let Some(count) = life.ran.get(&step.key).filter(|_| step.change != Change::Went) {
        let _ = write!(page, "<b title=\"how often it ran\">{}×</b>", grouped(count));
    }
    if let Some(because) = &step.because {
        let _ = write!(page, "<small>{}</small>", escaped(because));
    }
    let _ = writeln!(page, "</{element}>");
}

/// The graphs of selection, phase by phase.
fn graphs(page: &mut String, life: &Life) {
    if life.graphs.is_empty() {
        return;
    }
    page.push_str(
        "<h2 class=\"graphs\">The graph of instruction selection</h2>\n<p class=\"facts\">Operands stand above \
         their users. Values are lines, order is dashed, glue is dotted.</p>\n",
    );
    for row in life.graphs.chunk_by(|a, b| (&a.function, a.block) == (&b.function, b.block)) {
        page.push_str("<div class=\"row\">\n");
        for graph in row {
            let panel = life_graph::panel(graph);
            let _ = writeln!(
                page,
                "<svg class=\"dag\" role=\"img\" aria-label=\"{}\" width=\"{2:.0}\" height=\"{3:.0}\" \
                 viewBox=\"0 0 {2:.0} {3:.0}\">{1}</svg>",
                escaped(&life_graph::graph_title(graph).join(" · ")),
                panel.body,
                panel.width,
                panel.height
            );
        }
        page.push_str("</div>\n");
    }
}
