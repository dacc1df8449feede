//! What happened to the chosen instructions, step by step?
//!
//! The recorder tells of each state what is new, is another, or is gone since
//! the one before. These are compared as multisets of what is written there.
//! What is written the same is no news; what is only in the later state *became*
//! so if the same thing stood there before, and is *new* if not; what is only in
//! the earlier one *went*. Marks that say nothing of the instruction itself (kill
//! and dead flags, slot numbers) are left out of the comparison. In IR, whose
//! blocks have names that last, what stands in another block was moved.
//!
//! Input: events in order. Output: stages. Cost: linear in what changed.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use opcost_llvm::{LifeEvent, LifeItem, Stage};

use crate::code::hex;
use opcost_answer::life::{Change, StageLife, StageName, Step, StepCertainty};

/// Bytes of a function's code, by its name.
pub type FunctionBytes = HashMap<String, Vec<u8>>;

/// The stages of the chosen instructions.
pub fn tell(events: &[LifeEvent], code: &FunctionBytes) -> Vec<StageLife> {
    let mut teller = Teller::default();
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
struct Teller {
    steps: HashMap<StageName, Vec<Step>>,
    /// What stood in a function last, by node.
    last: HashMap<(StageName, String), HashMap<u64, LifeItem>>,
    /// Reasons that wait for the state that they belong to.
    reasons: HashMap<About, VecDeque<String>>,
}

/// What a reason speaks of: stage, pass, function, number.
type About = (StageName, String, String, u32);

/// The same name as in the record.
pub(crate) fn stage_name(stage: Stage) -> StageName {
    match stage {
        Stage::Ir => StageName::Ir,
        Stage::Dag => StageName::Dag,
        Stage::Machine => StageName::Mir,
    }
}

/// Where something is told: behind which pass of which stage, in which function.
#[derive(Clone, Copy)]
struct At<'a> {
    stage: StageName,
    pass: &'a str,
    function: &'a str,
}

impl Teller {
    fn event(&mut self, event: &LifeEvent, code: &FunctionBytes) {
        match event {
            LifeEvent::State { stage, pass, function, items, gone } => {
                self.state(At { stage: stage_name(*stage), pass, function }, items, gone);
            }
            LifeEvent::Reason { stage, pass, function, number, text } => {
                let about = (stage_name(*stage), pass.clone(), function.clone(), *number);
                self.reasons.entry(about).or_default().push_back(text.clone());
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
        let mut written: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, item) in old.iter().enumerate().rev() {
            written.entry(plain(&item.text)).or_default().push(position);
        }
        let mut left: Vec<Option<LifeItem>> = old.into_iter().map(Some).collect();
        let mut fresh = Vec::new();
        for item in now {
            match written.get_mut(&plain(&item.text)).and_then(Vec::pop) {
                Some(position) => {
                    let before = left[position].take().expect("it is taken once");
                    if at.stage == StageName::Ir && before.node == item.node && before.block != item.block {
                        let why = format!("moved from {} to {}", before.block, item.block);
                        self.push(at, item, Change::Became, Some(why));
                    }
                }
                None => fresh.push(item),
            }
        }
        let nodes =
            left.iter().enumerate().filter_map(|(position, item)| Some((item.as_ref()?.node, position)));
        let nodes: HashMap<u64, usize> = nodes.collect();
        for item in fresh {
            // An address may be another thing's by now: its number tells.
            let before = nodes.get(&item.node).copied().filter(|position| {
                left[*position].as_ref().is_some_and(|before| before.number == item.number)
            });
            let change = match before {
                _ if is_first => Change::Is,
                Some(_) => Change::Became,
                None => Change::New,
            };
            before.map(|position| left[position].take());
            self.step(at, item, change);
        }
        for item in left.into_iter().flatten() {
            self.step(at, &item, Change::Went);
        }
    }

    fn step(&mut self, at: At<'_>, item: &LifeItem, change: Change) {
        // What went says why; what the target wants is said of what came of it.
        let about = (at.stage, at.pass.to_owned(), at.function.to_owned(), item.number);
        let because = match self.reasons.get_mut(&about) {
            Some(reasons) if change == Change::Went || at.stage == StageName::Dag => reasons.pop_front(),
            _ => None,
        };
        self.push(at, item, change, because);
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

    #[test]
    fn what_became_what_is_new_and_what_went() {
        let events = [
            state("isel", vec![item(1, "a = DIV b"), item(2, "c = COPY a")], Vec::new()),
            state("flags", vec![item(1, "a = DIV killed b")], Vec::new()),
            state("rewrite", vec![item(1, "eax = DIV ecx"), item(3, "MOVE")], vec![2]),
        ];
        let stages = tell(&events, &FunctionBytes::new());
        let steps: Vec<(&str, Change, &str)> =
            stages[0].steps.iter().map(|step| (&*step.pass, step.change, &*step.text)).collect();
        assert_eq!(
            steps,
            [
                ("isel", Change::Is, "a = DIV b"),
                ("isel", Change::Is, "c = COPY a"),
                ("rewrite", Change::Became, "eax = DIV ecx"),
                ("rewrite", Change::New, "MOVE"),
                ("rewrite", Change::Went, "c = COPY a"),
            ]
        );
    }
}
