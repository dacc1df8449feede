//! Which values can every variable of a module have? Ranges, forwards.
//!
//! One graph of range variables over all functions: each value of the code, what
//! branches tell of it where it is used, what functions are given and return,
//! what lies in memory. Each variable has a definition, one step from others;
//! the ranges are a solution of all of them.
//!
//! | question | file |
//! |---|---|
//! | what is a variable, and what is it computed from? | [`variables`] |
//! | what does the code say of each value? | `collect`, `instructions` |
//! | what does a branch tell? | `edges` |
//! | what goes into functions and comes out? | `calls` |
//! | what does a load read? | `cells`, `contents`, `tables` |
//! | what do the turns of a loop tell? | `turns`, `closed` |
//! | what does one step make of ranges? | `transfer` |
//! | which ranges do all definitions agree on? | `solve` |
//!
//! **What is claimed.** The range of a value holds each time that it is defined,
//! in executions in which it is not poison and in which nothing undefined was
//! done before; what it rests on besides is listed ([`Fact`]). A value that is
//! never defined has an empty range.
//!
//! Input: what is known of a module's memory. Output: [`Propagation`]. Cost:
//! that of addresses and recurrences, and a bounded number of steps for each
//! variable.

mod calls;
mod cells;
mod closed;
mod collect;
mod contents;
mod edges;
mod instructions;
mod solve;
mod tables;
mod transfer;
mod turns;
pub mod variables;

use std::collections::{BTreeSet, HashSet, VecDeque};

use opcost_index::{Id, IdMap};
use opcost_ir::{DeclarationId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use crate::cells::NoCells;
use crate::dominators::Dominators;
use crate::evolution::{Assumption, Source};
use crate::loops::LoopForest;
use crate::memory::{Memory, MemoryVersions, ObjectId, Writers};
use collect::{Collector, Values, Walker};
use tables::Tables;

pub use variables::{Definition, Kind, Limit, Range, Variable, VariableId, Variables};

/// What ranges rest on besides the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// All writes to the object are seen.
    ObjectContained(ObjectId),
    /// All calls of the function are seen.
    ArgumentsComplete(FunctionId),
    /// The closed form of a result in a loop.
    Recurrence(FunctionId, InstructionId),
    /// A library function gives what the table of effects says.
    LibraryResult(DeclarationId),
    /// What is known of memory, in words.
    Memory(&'static str),
    /// Floating point numbers are computed as IEEE 754 says.
    Ieee,
    /// No part of the local or allocated object is read before it is written
    /// ([`Options::memory_is_written_first`]).
    WrittenFirst(ObjectId),
}

/// What else may be taken as given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Programs do not read what they never wrote: then what lies in locals and
    /// on the heap at first is left out, where it is undefined otherwise, and so
    /// anything.
    pub memory_is_written_first: bool,
}

/// Ranges of all values of a module.
#[derive(Clone, Debug)]
pub struct Propagation {
    variables: Variables,
    ranges: IdMap<VariableId, Range>,
    tables: Tables,
    values: IdMap<FunctionId, Values>,
    facts: BTreeSet<Fact>,
    /// Variables on cycles that took too long: they began as everything.
    pub given_up: usize,
}

/// How many variables the search for a reason looks at.
const MOST_REASONS: usize = 1000;

impl Propagation {
    /// Ranges of all values.
    pub fn compute(program: &Memory<'_>) -> Propagation {
        Propagation::compute_with(program, Options::default())
    }

    /// Ranges of all values, more being given.
    pub fn compute_with(program: &Memory<'_>, options: Options) -> Propagation {
        let writers = Writers::compute(program);
        let mut collector = Collector::new(program, &writers, options);
        let functions: Vec<FunctionId> = program.module.functions.ids().collect();
        for id in functions {
            if !program.module.functions[id].blocks.is_empty() {
                add_function(&mut collector, program, id);
            }
        }
        collector.tie_parameters();
        collector.define_contents();
        let Collector { variables, tables, values, facts, .. } = collector;
        let solved = solve::solve(&variables, &tables);
        let solve::Solved { ranges, given_up } = solved;
        Propagation { variables, ranges, tables, values, facts, given_up }
    }

    /// The ranges if these variables were in these ranges, besides all that is known:
    /// an answer to "what if", which rests on it. Closed forms of loops are not
    /// looked for again. Cost: that of solving all variables.
    #[must_use]
    pub fn given(&self, more: &[(VariableId, Range)]) -> Propagation {
        let mut given = self.clone();
        for (variable, range) in more {
            let kind = given.variables.get(*variable).kind;
            let bound = given.variables.add(kind, Definition::Constant(range.clone()));
            given.variables.also(*variable, &[bound]);
        }
        let solve::Solved { ranges, given_up } = solve::solve(&given.variables, &given.tables);
        Propagation { ranges, given_up, ..given }
    }

    /// The variable of a result or parameter, where it is defined; none of what
    /// is no number, nor pointer.
    pub fn variable(&self, function: FunctionId, value: Value) -> Option<VariableId> {
        match value {
            Value::Instruction(id) => self.values[function].results.get(id.index()).copied()?,
            Value::Argument(position) => self.values[function].arguments.get(position as usize).copied()?,
            _ => None,
        }
    }

    /// The range of a result or parameter; of a pointer that of its offset.
    pub fn range(&self, function: FunctionId, value: Value) -> Option<&Range> {
        Some(&self.ranges[self.variable(function, value)?])
    }

    /// What a function returns.
    pub fn returned(&self, function: FunctionId) -> Option<&Range> {
        Some(&self.ranges[self.values[function].returned?])
    }

    /// The range of a variable.
    pub fn range_of(&self, variable: VariableId) -> &Range {
        &self.ranges[variable]
    }

    /// All variables and their definitions.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// What the ranges rest on.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter()
    }

    /// Variables whose range does not hold one step of their definition: there
    /// is none. Cost: a step for each variable.
    pub fn not_closed(&self) -> Vec<VariableId> {
        solve::not_closed(&self.variables, &self.tables, &self.ranges)
    }

    /// What limits a range: the nearest sources of which nothing is known.
    pub fn why(&self, variable: VariableId) -> Vec<(VariableId, Limit)> {
        let (mut seen, mut found) = (HashSet::from([variable]), Vec::new());
        let mut work = VecDeque::from([variable]);
        while let Some(next) = work.pop_front().filter(|_| seen.len() < MOST_REASONS) {
            let definition = &self.variables.get(next).definition;
            if let Definition::Full(limit) = definition {
                found.push((next, *limit));
            }
            definition.each_source(|source| {
                if seen.insert(source) {
                    work.push_back(source);
                }
            });
        }
        found
    }
}

impl Collector<'_> {
    /// What a closed form rests on. A promise that is broken makes poison, which
    /// is no value; conditions are not taken.
    fn note_assumption(&mut self, assumption: Assumption) {
        match assumption {
            Assumption::Memory(words) => self.note(Fact::Memory(words)),
            Assumption::Ieee => self.note(Fact::Ieee),
            _ => {}
        }
    }
}

/// The variables of one function.
fn add_function(collector: &mut Collector<'_>, program: &Memory<'_>, id: FunctionId) {
    let function = &program.module.functions[id];
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let has_loads = function.instructions.values().any(|one| one.opcode == opcost_ir::Opcode::Load);
    let is_followed = has_loads && !collector.has_second_names_of_data;
    let versions = is_followed.then(|| MemoryVersions::compute(program, id, &dominators));
    let comes_again = function.calls.iter().any(|(_, call)| call.returns_twice);
    let (mut turns, mut bounds) = (FxHashMap::default(), closed::Bounds::default());
    if !forest.loops.is_empty() && !comes_again {
        let nothing = NoCells;
        let source = Source {
            module: program.module,
            function,
            dominators: &dominators,
            forest: &forest,
            layout: program.layout,
            cells: versions.as_ref().map_or(&nothing, |versions| versions),
        };
        let mut closed = closed::Closed::compute(source);
        turns = closed.most_turns().clone();
        bounds = closed.bounds();
    }
    let mut walker = Walker::new(collector, id, &dominators, versions.as_ref());
    walker.walk();
    walker.define_versions();
    walker.define_phis(&mut turns::Turns::new(&forest, comes_again), &turns, &mut bounds.differences);
    let returned = std::mem::take(&mut walker.returned);
    for assumption in bounds.assumptions {
        collector.note_assumption(assumption);
    }
    for (at, range) in bounds.ranges {
        if let Some(variable) = collector.values[id].results[at.index()] {
            let kind = Kind::Integer(range.type_width());
            let bound = collector.variables.add(kind, Definition::Constant(Range::Integer(range)));
            collector.variables.also(variable, &[bound]);
            collector.note(Fact::Recurrence(id, at));
        }
    }
    if let Some(variable) = collector.values[id].returned {
        collector.variables.define(variable, Definition::Join(returned.into()));
    }
}

#[cfg(test)]
mod tests;
