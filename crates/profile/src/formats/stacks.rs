//! What ran where, as stacks of functions?
//!
//! The common ground of the formats that viewers read: a stack is the function that
//! holds an instruction and, inwards, what was inlined into it. Instructions of one
//! stack are added up. Written as folded stacks (`a;b;c 42`, one a line), which
//! flame graphs read; [`super::pprof`] writes the same as a pprof profile.
//!
//! Limit: who called the outermost function is not in a ledger.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A function, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackFrame {
    /// Linkage name.
    pub function: String,
    /// The name for people.
    pub shown: String,
    /// The file, as the debug information names it; empty when there is none.
    pub file: String,
    /// The line; 0 when there is none.
    pub line: u32,
    /// First line of the function; 0 when it is not known.
    pub first_line: u32,
}

/// What one stack did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackWork {
    /// How often its instructions ran.
    pub executions: u64,
    /// What they cost by the ledger's model.
    pub instructions: u64,
}

/// Stacks from the outermost function inwards, and what each did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// In one order.
    pub work: BTreeMap<Vec<StackFrame>, StackWork>,
}

impl Stacks {
    /// Adds what an instruction did.
    pub fn add(&mut self, stack: Vec<StackFrame>, work: StackWork) {
        let sum = self.work.entry(stack).or_default();
        sum.executions = sum.executions.saturating_add(work.executions);
        sum.instructions = sum.instructions.saturating_add(work.instructions);
    }
}

/// Folded stacks with what they cost, by functions alone; what cost nothing is left out.
pub fn write_collapsed(stacks: &Stacks) -> String {
    let mut folded: BTreeMap<String, u64> = BTreeMap::new();
    for (stack, work) in stacks.work.iter().filter(|(_, work)| work.instructions > 0) {
        let names: Vec<String> = stack.iter().map(|frame| bare(&frame.shown)).collect();
        let sum = folded.entry(names.join(";")).or_default();
        *sum = sum.saturating_add(work.instructions);
    }
    let mut text = String::new();
    for (stack, instructions) in folded {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{stack} {instructions}");
    }
    text
}

/// A name without what separates frames and lines.
fn bare(name: &str) -> String {
    name.chars().map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{StackFrame, StackWork, Stacks, write_collapsed};

    pub(crate) fn frame(name: &str, line: u32) -> StackFrame {
        StackFrame {
            function: name.to_owned(),
            shown: name.to_owned(),
            file: "a.c".to_owned(),
            line,
            first_line: 1,
        }
    }

    #[test]
    fn stacks_fold_by_function() {
        let mut stacks = Stacks::default();
        let work = |instructions| StackWork { executions: 1, instructions };
        stacks.add(vec![frame("main", 3), frame("in;lined", 7)], work(5));
        stacks.add(vec![frame("main", 4), frame("in;lined", 8)], work(6));
        stacks.add(vec![frame("main", 3)], work(2));
        stacks.add(vec![frame("idle", 3)], work(0));
        assert_eq!(write_collapsed(&stacks), "main 2\nmain;in_lined 11\n");
    }
}
