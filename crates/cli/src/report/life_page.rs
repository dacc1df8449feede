//! The life of an instruction as a page for a browser: one file that loads nothing.
//!
//! Stages are columns, passes their headings, steps cards. A click on a card
//! shows the way of its instruction through all columns; `/` searches, `n` shows
//! the marks that say nothing of the instruction itself. What a pass changed in
//! a text is marked. Style and script lie in the page, and the policy names the
//! script by its hash (a test computes it). Cost: linear in the steps.

use std::collections::HashMap;
use std::fmt::Write;

use opcost_life::self_check::Told;
use opcost_life::{Change, Life, StageLife, Step};

use super::html::escaped;
use super::{demangle, percent};

const STYLE: &str = include_str!("life.css");
const SCRIPT: &str = include_str!("life.js");
/// SHA-256 of the script, as browsers write it.
const SCRIPT_HASH: &str = "7CmpNK5l1UwPqkMej+wa9ldpVnvvSCKjsyQ4+P7bDjc=";
/// Marks that say nothing of the instruction itself.
const NOISE: [&str; 5] = ["killed", "dead", "renamable", "undef", "implicit-def"];

/// The page.
pub(crate) fn life_page(life: &Life) -> String {
    let mut page = String::new();
    let title = escaped(&life.question);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · opcost life</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    facts(&mut page, life);
    page.push_str(
        "<div class=\"bar\"><input type=\"search\" id=\"search\" placeholder=\"search\" aria-label=\"search\">\
         <span id=\"hits\"></span><span><kbd>/</kbd> search <kbd>Enter</kbd> next <kbd>n</kbd> all marks \
         <kbd>Esc</kbd> all instructions</span></div>\n<div class=\"way\" id=\"way\">\
         <svg id=\"lines\" aria-hidden=\"true\"></svg>\n",
    );
    for stage in &life.stages {
        column(&mut page, stage);
    }
    let _ = write!(page, "</div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn facts(page: &mut String, life: &Life) {
    let told = |told: &Told<'_>| {
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

fn column(page: &mut String, stage: &StageLife) {
    let _ = writeln!(page, "<section><h2>{}</h2>", stage.stage.name());
    let mut last = String::new();
    let mut texts: HashMap<(u32, &str), &str> = HashMap::new();
    for step in &stage.steps {
        let heading = format!("{} · {}", demangle(&step.function), step.pass);
        if heading != last {
            let _ = writeln!(page, "<h3>{}</h3>", escaped(&heading));
            last = heading;
        }
        let known = (step.change == Change::Became).then(|| texts.get(&(step.key, &*step.opcode))).flatten();
        card(page, step, known.copied());
        texts.insert((step.key, &step.opcode), &step.text);
    }
    page.push_str("</section>\n");
}

fn card(page: &mut String, step: &Step, before: Option<&str>) {
    let class = step.change.name();
    let _ = write!(page, "<button class=\"card {class}\" data-key=\"{}\">", step.key);
    let old: Vec<&str> = before.map(|text| text.split(' ').collect()).unwrap_or_default();
    // Indentation is the tree's depth.
    let indent = step.text.len() - step.text.trim_start().len();
    page.push_str(&step.text[..indent]);
    for (position, word) in step.text.trim_start().split(' ').enumerate() {
        if position > 0 {
            page.push(' ');
        }
        let text = escaped(word);
        let _ = match word {
            word if NOISE.contains(&word) => write!(page, "<i class=\"noise\">{text}</i>"),
            word if before.is_some() && !old.contains(&word) => write!(page, "<mark>{text}</mark>"),
            _ => write!(page, "{text}"),
        };
    }
    if let Some(because) = &step.because {
        let _ = write!(page, "<small>{}</small>", escaped(because));
    }
    page.push_str("</button>\n");
}
