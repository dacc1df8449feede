//! The life of an instruction, on the terminal and as JSON.
//!
//! ```text
//! ir    front end                      %div = sdiv i32 %2, %3
//! dag   legalise operations          + sdivrem (i32, i32)
//!                                      sdiv i32: Expand
//! ```
//!
//! One line for each step: the pass, what happened (`+` new, `~` another now,
//! `−` gone), the instruction, and why. Passes that changed nothing of it do not
//! appear, marks that say nothing of it are folded, and what is longer than the
//! terminal is wide ends in `…`. `--stage` shows everything of one stage.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::life::noise::folded;
use opcost_answer::life::{Change, Life, Listing, StageLife, StageName, Step};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{counted, short};
use crate::kit::style::{DIM, GOOD, STRONG, cut, padded, paint, screen_width, width_of};
use crate::life::code::{print_code, print_self_check};
use opcost_answer::names::demangle;

/// Lines of a story from which on a narrower question is suggested.
const LONG: usize = 80;
/// Columns that are suggested.
const COLUMNS: usize = 6;
/// Cells of the stage, and of the pass: a fifth of the line, within these.
const STAGE: usize = 6;
const NARROW_PASS: usize = 20;
const WIDE_PASS: usize = 36;

/// The story for a terminal; of one stage in full, or of all.
pub fn print_life(life: &Life, stage: Option<StageName>) -> String {
    let mut text = String::new();
    let mut screen =
        Screen { life, width: screen_width(), function: String::new(), is_full: stage.is_some() };
    if !life.ran.is_empty() {
        let _ = writeln!(text, "{}", paint(STRONG, &life.question));
    }
    let mut before: Option<&Listing> = None;
    for listing in &life.listings {
        screen.listing(&mut text, listing, before);
        before = Some(listing);
    }
    // What is listed in full needs no steps.
    let is_shown =
        |one: &&StageLife| stage.is_none_or(|wanted| wanted == one.stage && life.listings.is_empty());
    let stages: Vec<&StageLife> = life.stages.iter().filter(is_shown).collect();
    for one in &stages {
        // The machine code says more than the steps.
        if one.stage != StageName::Bytes || life.code.is_empty() {
            screen.stage(&mut text, one);
        }
    }
    if stage.is_none_or(|wanted| matches!(wanted, StageName::Mc | StageName::Bytes)) {
        text.push_str(&print_code(&life.code, stage.is_some(), screen.width));
    }
    if let Some(wanted) = stage
        && stages.is_empty()
        && life.listings.is_empty()
    {
        let _ = writeln!(text, "{}", nothing_of(life, wanted));
    }
    if text.lines().count() > LONG && stage.is_none() {
        suggest(&mut text, life);
    }
    checks(&mut text, life);
    text
}

/// Why a stage has nothing to show, and what shows more.
fn nothing_of(life: &Life, stage: StageName) -> String {
    let reached = |stage: StageName| life.stages.iter().any(|one| one.stage == stage);
    match stage {
        StageName::Ast if life.locations.is_empty() || !reached(StageName::Ast) => {
            "ast: Clang's tree is that of a source of C or C++; give one, with a line in it".to_owned()
        }
        StageName::Dag if reached(StageName::Mir) => {
            "dag: there was no graph: these instructions were selected one by one (FastISel or GlobalISel, as at \
             -O0); see --stage mir, or take -O1"
                .to_owned()
        }
        _ => {
            let last = life.stages.last().map_or("ast", |one| one.stage.name());
            format!("{}: nothing of it is left there; its life ends in {last}: see --stage {last}", stage.name())
        }
    }
}

fn suggest(text: &mut String, life: &Life) {
    let mut columns: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for place in life.locations.iter().filter(|place| place.column > 0) {
        *columns.entry((place.line, place.column)).or_default() += 1;
    }
    if columns.len() < 2 {
        return;
    }
    let shown: Vec<String> =
        columns.keys().take(COLUMNS).map(|(line, column)| format!("{line}:{column}")).collect();
    let more = if columns.len() > COLUMNS { ", …" } else { "" };
    let words = format!("much? --html FILE shows columns; one place shows less: {}{more}", shown.join(", "));
    let _ = writeln!(text, "\n{}", paint(DIM, cut(&words, screen_width())));
}

fn checks(text: &mut String, life: &Life) {
    text.push_str(&print_self_check(&life.self_check));
    // Assembly text and bytes come from no instruction of a module.
    if life.coverage.instructions == 0 {
        return;
    }
    let coverage = &life.coverage;
    let share = |part: u64| crate::kit::numbers::percent(part as f64 / coverage.instructions.max(1) as f64);
    let _ = writeln!(
        text,
        "coverage: {} in the module, {} explained, {} by an instruction",
        counted(coverage.instructions, "machine instruction"),
        share(coverage.explained),
        share(coverage.keyed)
    );
}

/// What is known while lines are written.
struct Screen<'a> {
    life: &'a Life,
    width: usize,
    /// The function that was named last.
    function: String,
    /// Whether nothing is folded or cut.
    is_full: bool,
}

impl Screen<'_> {
    fn listing(&self, text: &mut String, listing: &Listing, before: Option<&Listing>) {
        let head = format!("{}: {}", demangle(&listing.function), listing.pass);
        let is_same = before.is_some_and(|before| {
            before.function == listing.function && before.lines == listing.lines && listing.pass != "built"
        });
        if is_same {
            let _ = writeln!(text, "{}{}\n", paint(STRONG, head), paint(DIM, " · as before"));
            return;
        }
        let _ = writeln!(text, "{}", paint(STRONG, head));
        let mut block = "";
        for line in &listing.lines {
            if line.block != block {
                block = &line.block;
                let _ = writeln!(text, "  {}", paint(DIM, block));
            }
            let sign = if line.is_chosen { "▶" } else { " " };
            let row = format!("  {sign} {}", line.text);
            let row = if line.is_chosen { paint(GOOD, row) } else { row };
            let _ = writeln!(text, "{row}");
        }
        text.push('\n');
    }

    fn stage(&mut self, text: &mut String, stage: &StageLife) {
        let mut pass = "";
        for (position, step) in stage.steps.iter().enumerate() {
            if step.function != self.function {
                self.function.clone_from(&step.function);
                pass = "";
                let _ = writeln!(text, "{}", paint(STRONG, cut(&demangle(&step.function), self.width)));
            }
            let head = if position == 0 { stage.stage.name() } else { "" };
            let by = if step.pass == pass { "" } else { &step.pass };
            pass = &step.pass;
            self.step(text, head, by, step);
        }
    }

    fn step(&self, text: &mut String, head: &str, by: &str, step: &Step) {
        let sign = match step.change {
            Change::Is => " ",
            Change::Became => "~",
            Change::New => "+",
            Change::Went => "−",
        };
        let pass = (self.width / 5).clamp(NARROW_PASS, WIDE_PASS);
        let words = if self.is_full { step.text.clone() } else { folded(&step.text) };
        let ran = self.life.ran.get(&step.key).filter(|_| step.change != Change::Went);
        let ran = ran.map_or(String::new(), |count| format!("  {}×", short(u128::from(*count))));
        let head = format!("{head:STAGE$}{} {sign} ", padded(&cut(by, pass), pass));
        let room = self.room().saturating_sub(width_of(&head) + width_of(&ran));
        let line = format!("{head}{}", cut(&words, room));
        let styled = if step.change == Change::Went {
            paint(DIM, line.trim_end())
        } else {
            line.trim_end().to_owned()
        };
        // Why it went stands behind it, where there is room.
        let why =
            step.because.as_deref().filter(|_| step.change == Change::Went).map(|why| format!(" · {why}"));
        if let Some(why) = why.filter(|why| width_of(&line) + width_of(why) <= self.room()) {
            let _ = writeln!(text, "{styled}{}", paint(DIM, why));
            return;
        }
        let _ = writeln!(text, "{styled}{}", paint(DIM, ran));
        if let Some(because) = &step.because {
            let indent = STAGE + pass + 3;
            let because = cut(because, self.room().saturating_sub(indent));
            let _ = writeln!(text, "{}", paint(DIM, format!("{:indent$}{because}", "")));
        }
    }

    /// Cells of a line.
    fn room(&self) -> usize {
        if self.is_full { usize::MAX } else { self.width }
    }
}

/// The life of the instructions that were asked for.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.life/1")]
pub struct LifeJson<'a> {
    /// Always `opcost.life/1`.
    #[schemars(extend("const" = "opcost.life/1"))]
    schema: &'static str,
    #[serde(flatten)]
    life: &'a Life,
}

impl<'a> LifeJson<'a> {
    /// The document.
    pub fn document(life: &'a Life) -> String {
        crate::kit::save::document(&LifeJson { schema: "opcost.life/1", life })
    }
}
