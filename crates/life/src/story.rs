//! What happened to the chosen instructions, step by step?
//!
//! The recorder tells of each state what is new, is another, or is gone since
//! the one before, each by a serial number that nothing else has. What has the
//! number of a thing that stood there before and is written otherwise *became*
//! so. Of the rest, what is written as something that went is no news: a copy
//! took its place. What is left is *new*, or *went*. Marks that say nothing of
//! the instruction itself (kill and dead flags, slot numbers) are left out of the
//! comparison. In IR, whose blocks have names that last, what stands in another
//! block was moved. A reason is told of the one thing whose number it names, and
//! of nothing if no step is.
//!
//! Input: events in order. Output: stages. Cost: linear in what changed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use opcost_llvm::{LifeEvent, LifeItem, Stage};

use crate::code::hex;
use opcost_answer::life::{Change, StageLife, StageName, Step, StepCertainty};

/// Bytes of a function's code, by its name.
pub type FunctionBytes = HashMap<String, Vec<u8>>;

/// The stages of the chosen instructions.
pub fn stages_of(events: &[LifeEvent], code: &FunctionBytes) -> Vec<StageLife> {
    let mut teller = StageBuilder::default();
    for event in events {
        teller.event(event, code);
    }
    let order = [StageName::Ir, StageName::Dag, StageName::Mir, StageName::Mc, StageName::Bytes];
    let stages = order.into_iter().map(|stage| {
        let steps = teller.steps.remove(&stage).unwrap_or_default();
        StageLife { stage, steps }
    });
    stages.filter(|stage| !stage.steps.is_empty()).collect()
}

#[derive(Default)]
struct StageBuilder {
    steps: HashMap<StageName, Vec<Step>>,
    /// What was in a function last, by node.
    last: HashMap<(StageName, String), HashMap<u64, LifeItem>>,
    /// Reasons that wait for the state that they belong to, by node.
    reasons: HashMap<u64, Reason>,
}

/// Why one thing is another after a pass, or is no more.
struct Reason {
    pass: String,
    text: String,
}

/// The same name as in the record.
pub(crate) fn stage_name(stage: Stage) -> StageName {
    match stage {
        Stage::Ir => StageName::Ir,
        Stage::Dag => StageName::Dag,
        Stage::Machine => StageName::Mir,
    }
}

/// Where something is reported: after which pass of which stage, in which function.
#[derive(Clone, Copy)]
struct At<'a> {
    stage: StageName,
    pass: &'a str,
    function: &'a str,
}

impl StageBuilder {
    fn event(&mut self, event: &LifeEvent, code: &FunctionBytes) {
        match event {
            LifeEvent::State { stage, pass, function, items, gone } => {
                self.state(At { stage: stage_name(*stage), pass, function }, items, gone);
            }
            LifeEvent::Reason { pass, node, text, .. } => {
                self.reasons.insert(*node, Reason { pass: pass.clone(), text: text.clone() });
            }
            LifeEvent::Bytes { function, item, from, to, encoded, .. } if item.is_chosen => {
                self.encoded(function, item, encoded);
                self.bytes(function, item, *from..*to, code);
            }
            LifeEvent::Bytes { .. } | LifeEvent::Work { .. } => {}
        }
    }

    fn state(&mut self, at: At<'_>, items: &[LifeItem], gone: &[u64]) {
        let key = (at.stage, at.function.to_owned());
        // A graph is built for each block anew.
        let is_first = at.pass == "built" || !self.last.contains_key(&key);
        let mut known = if is_first { HashMap::new() } else { self.last.remove(&key).unwrap_or_default() };
        // LLVM deletes from sets of pointers, whose order hangs on where the memory is.
        let mut gone = gone.to_vec();
        gone.sort_unstable();
        let mut old: Vec<LifeItem> = gone.iter().filter_map(|node| known.remove(node)).collect();
        let mut now: Vec<LifeItem> = Vec::new();
        for item in items {
            old.extend(known.remove(&item.node));
            if item.is_chosen {
                now.push(item.clone());
            }
        }
        self.compare(at, is_first, old, &now);
        known.extend(now.into_iter().map(|item| (item.node, item)));
        self.last.insert(key, known);
    }

    fn compare(&mut self, at: At<'_>, is_first: bool, old: Vec<LifeItem>, now: &[LifeItem]) {
        let nodes: HashMap<u64, usize> =
            old.iter().enumerate().map(|(position, item)| (item.node, position)).collect();
        let stays: HashSet<u64> = now.iter().map(|item| item.node).collect();
        let mut copied: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, item) in old.iter().enumerate().rev().filter(|(_, item)| !stays.contains(&item.node)) {
            copied.entry(plain(&item.text)).or_default().push(position);
        }
        let mut is_left = vec![true; old.len()];
        for item in now {
            let before = nodes.get(&item.node).map(|&position| (position, &old[position]));
            if let Some((position, before)) = before {
                is_left[position] = false;
                let is_moved = at.stage == StageName::Ir && before.block != item.block;
                if plain(&before.text) != plain(&item.text) {
                    self.step(at, item, Change::Became);
                } else if is_moved {
                    let why = format!("moved from {} to {}", before.block, item.block);
                    self.push(at, item, Change::Became, Some(why));
                }
            } else if let Some(position) = copied.get_mut(&plain(&item.text)).and_then(Vec::pop) {
                is_left[position] = false;
            } else {
                self.step(at, item, if is_first { Change::Is } else { Change::New });
            }
        }
        for (item, _) in old.iter().zip(is_left).filter(|(_, is_left)| *is_left) {
            self.step(at, item, Change::Went);
        }
    }

    fn step(&mut self, at: At<'_>, item: &LifeItem, change: Change) {
        let because = self.reasons.remove(&item.node).filter(|reason| reason.pass == at.pass);
        self.push(at, item, change, because.map(|reason| reason.text));
    }

    fn push(&mut self, at: At<'_>, item: &LifeItem, change: Change, because: Option<String>) {
        let step = step(at, item, change, item.text.clone());
        self.steps.entry(at.stage).or_default().push(Step { because, ..step });
    }

    /// What the encoder was given.
    fn encoded(&mut self, function: &str, item: &LifeItem, encoded: &str) {
        let at = At { stage: StageName::Mc, pass: "encoder", function };
        self.steps.entry(at.stage).or_default().push(step(at, item, Change::Is, encoded.to_owned()));
    }

    /// What the encoder made of it.
    fn bytes(&mut self, function: &str, item: &LifeItem, range: Range<u64>, code: &FunctionBytes) {
        let bytes = code.get(function).and_then(|bytes| bytes.get(range.start as usize..range.end as usize));
        let pass = format!("+{:#x}", range.start);
        let at = At { stage: StageName::Bytes, pass: &pass, function };
        let text = bytes.map(hex).unwrap_or_default();
        self.steps.entry(at.stage).or_default().push(step(at, item, Change::Is, text));
    }
}

/// A step without a reason.
fn step(at: At<'_>, item: &LifeItem, change: Change, text: String) -> Step {
    Step {
        pass: at.pass.to_owned(),
        function: at.function.to_owned(),
        key: item.number,
        change,
        opcode: item.operation.clone(),
        text,
        because: None,
        certainty: certainty(item.certainty),
    }
}

/// The same as in the record.
fn certainty(of: opcost_llvm::RecordedCertainty) -> StepCertainty {
    match of {
        opcost_llvm::RecordedCertainty::Exact => StepCertainty::Exact,
        opcost_llvm::RecordedCertainty::Merged => StepCertainty::Merged,
        opcost_llvm::RecordedCertainty::Inferred => StepCertainty::Inferred,
    }
}

/// Without the marks that are noise.
fn plain(text: &str) -> String {
    let noise = ["killed ", "dead ", "renamable ", "implicit-def ", "undef "];
    let mut plain = text.to_owned();
    for word in noise {
        plain = plain.replace(word, "");
    }
    // `112B` before an instruction is its slot.
    match plain.split_once("B\t") {
        Some((slot, rest)) if slot.bytes().all(|byte| byte.is_ascii_digit()) => rest.to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(node: u64, text: &str) -> LifeItem {
        LifeItem {
            node,
            number: 3,
            is_chosen: true,
            certainty: opcost_llvm::RecordedCertainty::Exact,
            operation: "sdiv".into(),
            text: text.into(),
            block: String::new(),
            inputs: Vec::new(),
        }
    }

    fn state(pass: &str, items: Vec<LifeItem>, gone: Vec<u64>) -> LifeEvent {
        LifeEvent::State { stage: Stage::Machine, pass: pass.into(), function: "f".into(), items, gone }
    }

    fn steps(events: &[LifeEvent]) -> Vec<(String, Change, String, Option<String>)> {
        let stages = stages_of(events, &FunctionBytes::new());
        let told = stages[0].steps.iter();
        told.map(|step| (step.pass.clone(), step.change, step.text.clone(), step.because.clone())).collect()
    }

    fn told(pass: &str, change: Change, text: &str) -> (String, Change, String, Option<String>) {
        (pass.to_owned(), change, text.to_owned(), None)
    }

    #[test]
    fn what_became_what_is_new_and_what_went() {
        let events = [
            state("isel", vec![item(1, "a = DIV b"), item(2, "c = COPY a")], Vec::new()),
            state("flags", vec![item(1, "a = DIV killed b")], Vec::new()),
            state("rewrite", vec![item(1, "eax = DIV ecx"), item(3, "MOVE")], vec![2]),
        ];
        assert_eq!(
            steps(&events),
            [
                told("isel", Change::Is, "a = DIV b"),
                told("isel", Change::Is, "c = COPY a"),
                told("rewrite", Change::Became, "eax = DIV ecx"),
                told("rewrite", Change::New, "MOVE"),
                told("rewrite", Change::Went, "c = COPY a"),
            ]
        );
    }

    /// The order in which a pass deletes is no part of the story.
    #[test]
    fn what_goes_in_one_pass_goes_in_the_order_in_which_it_was_made() {
        let told = |gone: [u64; 2]| {
            steps(&[
                state("selected", vec![item(1, "one"), item(2, "two")], vec![]),
                state("dead code", vec![], gone.to_vec()),
            ])
        };
        assert_eq!(told([2, 1]), told([1, 2]));
        let gone: Vec<_> = told([2, 1]).into_iter().skip(2).map(|(_, _, text, _)| text).collect();
        assert_eq!(gone, ["one", "two"]);
    }

    /// What is new never is what went, however alike they are otherwise.
    #[test]
    fn nothing_became_what_has_another_number() {
        let events = [
            state("isel", vec![item(1, "ADD"), item(2, "MOVE")], Vec::new()),
            state("rewrite", vec![item(3, "SUB"), item(4, "MOVE")], vec![1, 2]),
        ];
        let rest = [told("rewrite", Change::New, "SUB"), told("rewrite", Change::Went, "ADD")];
        assert_eq!(steps(&events)[2..], rest);
    }

    /// Whatever the order, a reason stands at the thing that it is about.
    #[test]
    fn a_reason_is_told_of_one_thing() {
        let reason = |node, text: &str| LifeEvent::Reason {
            stage: Stage::Machine,
            pass: "select".into(),
            function: "f".into(),
            node,
            text: text.into(),
        };
        let events = [
            state("built", vec![item(1, "add"), item(2, "mul"), item(3, "srl")], Vec::new()),
            reason(3, "srl: why"),
            reason(7, "of nothing"),
            reason(1, "add: why"),
            state("select", vec![item(1, "ADD"), item(2, "MUL")], vec![3]),
        ];
        let because: Vec<Option<String>> = steps(&events).into_iter().map(|step| step.3).collect();
        let (add, shift) = (Some("add: why".to_owned()), Some("srl: why".to_owned()));
        assert_eq!(because, [None, None, None, add, None, shift]);
    }
}
