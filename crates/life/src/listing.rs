//! What does a stage look like in full, behind each pass?
//!
//! All of a function, or all of a block's graph, with the chosen instructions
//! marked. Nodes of a graph are numbered in the order of their listing, and name
//! what they work on by these numbers. Input: events that were recorded whole.

use std::collections::HashMap;

use opcost_answer::life::{Line, Listing, StageName};
use opcost_llvm::{LifeEvent, LifeInput, LifeItem};

use crate::story::stage_name;

/// The states of a stage.
pub fn listings(events: &[LifeEvent], wanted: StageName) -> Vec<Listing> {
    let states = events.iter().filter_map(|event| match event {
        LifeEvent::State { stage, pass, function, items, .. } if stage_name(*stage) == wanted => {
            Some(Listing { pass: pass.clone(), function: function.clone(), lines: lines(items, wanted) })
        }
        _ => None,
    });
    states.collect()
}

fn lines(items: &[LifeItem], stage: StageName) -> Vec<Line> {
    let numbers: HashMap<u64, usize> =
        items.iter().enumerate().map(|(number, item)| (item.node, number)).collect();
    let name =
        |input: &LifeInput| numbers.get(&input.node).map_or("?".to_owned(), |number| format!("t{number}"));
    let line = |(number, item): (usize, &LifeItem)| {
        let text = if stage == StageName::Dag {
            let inputs: Vec<String> = item.inputs.iter().map(name).collect();
            format!("t{number}: {} {}", item.text, inputs.join(", ")).trim_end().to_owned()
        } else {
            item.text.clone()
        };
        Line { is_chosen: item.is_chosen, block: item.block.clone(), text }
    };
    items.iter().enumerate().map(line).collect()
}
