//! The life of an instruction, on the terminal and as JSON.
//!
//! ```text
//! ir      front end     sdiv        %div = sdiv i32 %add, %2
//! dag     legalise op…  − sdiv      i32: Expand
//! ```
//!
//! One line for each step: the pass, what happened (`+` new, `~` another now,
//! `−` gone), the instruction, and why. Passes that changed nothing of it do not
//! appear.

use std::fmt::Write;

use opcost_life::{Change, Life, Listing, StageLife, StageName};
use schemars::JsonSchema;
use serde::Serialize;

use super::demangle;
use super::life_code::{print_code, print_self_check};
use super::style::{DIM, GOOD, STRONG, cut as fit, paint, screen_width};

/// The story for a terminal; of one stage in full, or of all.
pub(crate) fn print_life(life: &Life, stage: Option<StageName>) -> String {
    let mut text = String::new();
    let width = screen_width();
    let mut function = String::new();
    for listing in &life.listings {
        print_listing(&mut text, listing, width);
    }
    // What is listed in full needs no steps.
    let is_shown =
        |one: &&StageLife| stage.is_none_or(|wanted| wanted == one.stage && life.listings.is_empty());
    for one in life.stages.iter().filter(is_shown) {
        // The machine code says more than the steps.
        if one.stage != StageName::Bytes || life.code.is_empty() {
            print_stage(&mut text, one, &mut function, width);
        }
    }
    if stage.is_none_or(|wanted| matches!(wanted, StageName::Mc | StageName::Bytes)) {
        text.push_str(&print_code(&life.code, stage.is_some(), width));
    }
    text.push_str(&print_self_check(&life.self_check));
    // Assembly text and bytes come from no instruction of a module.
    if life.coverage.instructions == 0 {
        return text;
    }
    let coverage = &life.coverage;
    let share = |part: u64| super::percent(part as f64 / coverage.instructions.max(1) as f64);
    writeln!(
        text,
        "coverage: {} machine instructions in the module, {} explained, {} by an instruction",
        coverage.instructions,
        share(coverage.explained),
        share(coverage.keyed)
    )
    .expect("text");
    text
}

fn print_listing(text: &mut String, listing: &Listing, width: usize) {
    let head = format!("{}: {}", demangle(&listing.function), listing.pass);
    writeln!(text, "{}", paint(STRONG, head)).expect("text");
    let mut block = "";
    for line in &listing.lines {
        if line.block != block {
            block = &line.block;
            writeln!(text, "  {}", paint(DIM, block)).expect("text");
        }
        let sign = if line.is_chosen { "▶" } else { " " };
        let row = fit(&format!("  {sign} {}", line.text), width);
        let row = if line.is_chosen { paint(GOOD, row) } else { row };
        writeln!(text, "{row}").expect("text");
    }
    text.push('\n');
}

fn print_stage(text: &mut String, stage: &StageLife, function: &mut String, width: usize) {
    let mut pass = "";
    for (position, step) in stage.steps.iter().enumerate() {
        if step.function != *function {
            function.clone_from(&step.function);
            writeln!(text, "{}", paint(STRONG, demangle(function))).expect("text");
        }
        let head = if position == 0 { stage.stage.name() } else { "" };
        let by = if step.pass == pass { "" } else { &step.pass };
        pass = &step.pass;
        let sign = match step.change {
            Change::Is => " ",
            Change::Became => "~",
            Change::New => "+",
            Change::Went => "−",
        };
        let line = format!("{head:<6}{:<28} {sign} {}", fit(by, 28), step.text);
        let line = fit(&line, width);
        let styled = if step.change == Change::Went { paint(DIM, line) } else { line };
        writeln!(text, "{}", styled.trim_end()).expect("text");
        if let Some(because) = &step.because {
            writeln!(text, "{}", paint(DIM, fit(&format!("{:<37}{because}", ""), width))).expect("text");
        }
    }
}

/// The life of the instructions that were asked for.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.life/1")]
pub(crate) struct LifeJson<'a> {
    /// Always `opcost.life/1`.
    #[schemars(extend("const" = "opcost.life/1"))]
    schema: &'static str,
    #[serde(flatten)]
    life: &'a Life,
}

impl<'a> LifeJson<'a> {
    /// The document.
    pub(crate) fn document(life: &'a Life) -> String {
        super::document(&LifeJson { schema: "opcost.life/1", life })
    }
}
