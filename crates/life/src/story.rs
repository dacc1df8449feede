//! What happened to the chosen instructions, step by step?
//!
//! Within a stage the states of a function are compared one with the next, as
//! multisets of what is written there. What is written the same is no news;
//! what is only in the later state *became* so if the same thing stood there
//! before, and is *new* if not; what is only in the earlier one *went*. Marks
//! that say nothing of the instruction itself (kill and dead flags, slot
//! numbers) are left out of the comparison.
//!
//! Input: events in order. Output: stages. Cost: linear in the events.

use std::collections::HashMap;

use opcost_llvm::{LifeEvent, LifeItem, Stage};

use crate::{Change, StageLife, StageName, Step};

/// Bytes of a function's code, by its name.
pub type Code = HashMap<String, Vec<u8>>;

/// The stages of the chosen instructions.
pub fn tell(events: &[LifeEvent], code: &Code) -> Vec<StageLife> {
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
    /// What stood in a function last.
    last: HashMap<(StageName, String), Vec<LifeItem>>,
    /// Reasons that wait for the state that they belong to.
    reasons: Vec<(StageName, String, String, u32, String)>,
}

/// The same name as in the record.
pub(crate) fn stage_name(stage: Stage) -> StageName {
    match stage {
        Stage::Ir => StageName::Ir,
        Stage::Dag => StageName::Dag,
        Stage::Machine => StageName::Mir,
    }
}

impl Teller {
    fn event(&mut self, event: &LifeEvent, code: &Code) {
        match event {
            LifeEvent::State { stage, pass, function, items } => {
                self.state(stage_name(*stage), pass, function, items);
            }
            LifeEvent::Reason { stage, pass, function, number, text } => {
                self.reasons.push((
                    stage_name(*stage),
                    pass.clone(),
                    function.clone(),
                    *number,
                    text.clone(),
                ));
            }
            LifeEvent::Bytes { function, item, from, to, encoded, .. } if item.is_chosen => {
                self.bytes(function, item, *from..*to, encoded, code);
            }
            LifeEvent::Bytes { .. } => {}
        }
    }

    fn state(&mut self, stage: StageName, pass: &str, function: &str, items: &[LifeItem]) {
        let now: Vec<LifeItem> = items.iter().filter(|item| item.is_chosen).cloned().collect();
        let key = (stage, function.to_owned());
        // A graph is built for each block anew.
        let is_first = pass == "built" || !self.last.contains_key(&key);
        let before = if is_first { Vec::new() } else { self.last.remove(&key).unwrap_or_default() };
        let mut old: Vec<&LifeItem> = before.iter().collect();
        let mut fresh = Vec::new();
        for item in &now {
            match old.iter().position(|other| plain(&other.text) == plain(&item.text)) {
                Some(position) => {
                    old.remove(position);
                }
                None => fresh.push(item),
            }
        }
        for item in fresh {
            let position = old.iter().position(|other| other.node == item.node);
            let change = match position {
                _ if is_first => Change::Is,
                Some(_) => Change::Became,
                None => Change::New,
            };
            position.map(|position| old.remove(position));
            self.step(stage, pass, function, item, change);
        }
        for item in old {
            self.step(stage, pass, function, item, Change::Went);
        }
        self.last.insert(key, now);
    }

    fn step(&mut self, stage: StageName, pass: &str, function: &str, item: &LifeItem, change: Change) {
        let is_of = |reason: &(StageName, String, String, u32, String)| {
            reason.0 == stage && reason.1 == pass && reason.2 == function && reason.3 == item.number
        };
        // What went says why; what the target wants is said of what came of it.
        let because = match self.reasons.iter().position(is_of) {
            Some(position) if change == Change::Went || stage == StageName::Dag => {
                Some(self.reasons.remove(position).4)
            }
            _ => None,
        };
        self.steps.entry(stage).or_default().push(Step {
            pass: pass.to_owned(),
            function: function.to_owned(),
            key: item.number,
            change,
            opcode: item.operation.clone(),
            text: item.text.clone(),
            because,
        });
    }

    fn bytes(
        &mut self,
        function: &str,
        item: &LifeItem,
        range: std::ops::Range<u64>,
        encoded: &str,
        code: &Code,
    ) {
        let mut push = |stage: StageName, pass: String, text: String| {
            self.steps.entry(stage).or_default().push(Step {
                pass,
                function: function.to_owned(),
                key: item.number,
                change: Change::Is,
                opcode: item.operation.clone(),
                text,
                because: None,
            });
        };
        push(StageName::Mc, "encoder".to_owned(), encoded.to_owned());
        let bytes = code.get(function).and_then(|bytes| bytes.get(range.start as usize..range.end as usize));
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        push(StageName::Bytes, format!("+{:#x}", range.start), bytes.map(hex).unwrap_or_default());
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
            operation: "sdiv".into(),
            text: text.into(),
            block: String::new(),
            inputs: Vec::new(),
        }
    }

    fn state(pass: &str, items: Vec<LifeItem>) -> LifeEvent {
        LifeEvent::State { stage: Stage::Machine, pass: pass.into(), function: "f".into(), items }
    }

    #[test]
    fn what_became_what_is_new_and_what_went() {
        let events = [
            state("isel", vec![item(1, "a = DIV b"), item(2, "c = COPY a")]),
            state("flags", vec![item(1, "a = DIV killed b"), item(2, "c = COPY a")]),
            state("rewrite", vec![item(1, "eax = DIV ecx"), item(3, "MOVE")]),
        ];
        let stages = tell(&events, &Code::new());
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
