//! Which values can every variable of a module have? Ranges, forwards.
//!
//! One graph of range variables over all functions: each value of the code, what branches say of it
//! where it is used, what functions are given and return, what is in memory. Each variable has a
//! definition, one step from others; the ranges are a solution of all of them.
//!
//! | question | file |
//! |---|---|
//! | what is a variable, and what is it computed from? | [`variables`] |
//! | what can a variable be? | `range` |
//! | what does the code say of each value? | `collect`, `walker`, `instructions`, `pointers`, `low` |
//! | in which order? | `walk` |
//! | what does a branch say? | `edges`, `recomputed` |
//! | what goes into functions and comes out? | `calls`, by promise `contracts` |
//! | what does a load read? | `cells`, `content_requests`, `contents`, `tables` |
//! | what do ranges rest on that is no step? | `facts`, [`external_facts`] |
//! | what may be taken as given? | `options` |
//! | which values may be another word at each use? | `undefined` |
//! | is a product the square of one word? | `squares` |
//! | is a local written before it is read? | `written_first`, `filling`, `bytes` |
//! | what do the iterations of a loop say? | `heads`, `turns`, `counted`, `closed`, one by one `unrolled` |
//! | what does one step make of ranges? | `transfer` |
//! | which ranges do all definitions agree on? | `solve`, along `sources` |
//! | which values lead to nothing undefined? | `certain` |
//! | what can never be? | `unreached` |
//!
//! **What is claimed.** The range of a value holds each time that it is defined,
//! in executions in which it is not poison and in which nothing undefined was
//! done before; what it rests on besides is listed ([`EdgeFact`]). A value that is
//! never defined has an empty range. A value that is loaded or given is taken for
//! one word at all its uses, also where it was never written. With [`RangeOptions::backwards`] it holds in
//! executions in which nothing undefined is done, before or later.
//!
//! Input: what is known of a module's memory. Output: [`Propagation`]. Cost:
//! that of addresses and recurrences, and a bounded number of steps for each
//! variable.

mod bytes;
mod calls;
mod cells;
mod certain;
mod closed;
mod collect;
mod content_requests;
pub(crate) mod contents;
mod contract;
mod contracts;
mod counted;
mod edges;
pub mod external_facts;
mod facts;
mod filling;
mod found;
mod heads;
mod instructions;
mod low;
mod options;
mod pointers;
mod range;
mod recomputed;
mod solve;
mod sources;
mod squares;
mod tables;
pub(crate) mod transfer;
mod turns;
mod undefined;
mod unreached;
mod unrolled;
pub mod variables;
mod walk;
mod walker;
mod written_first;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::Opcode;
use opcost_key::{BlockId, FunctionId};
use rustc_hash::FxHashMap;

use crate::cells::NoCells;
use crate::evolution::{Source, TripAssumption};
use crate::memory::{MemoryModel, MemoryVersions, Writers};
use collect::Collector;
use heads::Turns;
use walker::Walker;

pub use contract::{Contract, Handed};
pub use facts::{Content, Distance, EdgeFact, Finding};
pub use found::Propagation;
pub use options::{Backwards, RangeOptions};
pub use range::{Kind, Range};
pub use variables::{Definition, Limit, Variable, VariableId, Variables};

impl Propagation {
    /// Ranges of all values.
    pub fn compute(program: &MemoryModel<'_>) -> Propagation {
        Propagation::compute_with(program, RangeOptions::default())
    }

    /// Ranges of all values, more being given.
    pub fn compute_with(program: &MemoryModel<'_>, options: RangeOptions) -> Propagation {
        Propagation::compute_under(program, options, &[])
    }

    /// The same where callers keep contracts.
    pub fn compute_under(
        program: &MemoryModel<'_>,
        options: RangeOptions,
        contracts: &[Contract],
    ) -> Propagation {
        let writers = Writers::compute(program);
        let mut collector = Collector::new(program, &writers, options, contracts);
        let functions: Vec<FunctionId> = program.module.functions.ids().collect();
        for id in functions {
            if !program.module.functions[id].blocks.is_empty() {
                add_function(&mut collector, program, id);
            }
        }
        collector.tie_parameters();
        collector.promise();
        collector.define_contents();
        let contents = collector.requests.found();
        let Collector { variables, tables, values, mut facts, distances, handed, promised, .. } = collector;
        if options.assume_no_overflow {
            facts.insert(EdgeFact::NoOverflow);
        }
        let solve::Solved { ranges, given_up } = solve::solve(&variables, &tables);
        let findings = Vec::new();
        let mut all = Propagation {
            variables,
            ranges,
            tables,
            values,
            facts,
            distances,
            contents,
            findings,
            contracts: contracts.to_vec(),
            handed,
            promised,
            given_up,
        };
        if options.backwards != Backwards::No {
            all.go_backwards(program, options);
        }
        all.findings.extend(unreached::unreached(program, &all));
        all
    }

    /// Meets ranges with what certain accesses demand, and solves all again.
    fn go_backwards(&mut self, program: &MemoryModel<'_>, options: RangeOptions) {
        let demanded = certain::demanded(program, self, options);
        self.findings.extend(demanded.outside.into_iter().map(|(id, at)| Finding::NeverInBounds(id, at)));
        if demanded.ranges.is_empty() {
            return;
        }
        if options.backwards == Backwards::WithinArrays {
            self.facts.insert(EdgeFact::InBounds);
        }
        for (id, value, range) in demanded.ranges {
            let Some(variable) = self.variable(id, value) else { continue };
            let kind = Kind::Integer(range.type_width());
            let bound = self.variables.add(kind, Definition::Constant(Range::Integer(range)));
            self.variables.also(variable, &[bound]);
            self.facts.insert(EdgeFact::CertainAccess(id));
        }
        let solve::Solved { ranges, given_up } = solve::solve(&self.variables, &self.tables);
        (self.ranges, self.given_up) = (ranges, given_up);
    }
}

/// The variables of one function.
fn add_function(collector: &mut Collector<'_>, program: &MemoryModel<'_>, id: FunctionId) {
    let function = &program.module.functions[id];
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let has_loads = function.instructions.values().any(|one| one.opcode == Opcode::Load);
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
        // What rests on numbers that are rounded in another way is not known.
        if collector.changes_rounding && bounds.assumptions.contains(&TripAssumption::Ieee) {
            (turns, bounds) = Default::default();
        }
    }
    let mut walker = Walker::new(collector, id, &dominators, versions.as_ref());
    walker.walk();
    walker.define_versions();
    let told = bounds.ranges.iter().map(|&(at, _)| at).chain(bounds.differences.keys().copied()).collect();
    walker.define_phis(&mut Turns::new(&forest, comes_again), &turns, &mut bounds.differences);
    if !walker.all.options.stepwise {
        walker.unroll(&forest, &turns, &told);
    }
    let returned = std::mem::take(&mut walker.returned);
    for assumption in bounds.assumptions {
        // A promise that is broken makes poison, which is no value; conditions are
        // not taken.
        match assumption {
            TripAssumption::Memory(words) => collector.note(EdgeFact::Memory(words)),
            TripAssumption::Ieee => collector.note(EdgeFact::Ieee),
            _ => {}
        }
    }
    for (at, range) in bounds.ranges {
        if let Some(variable) = collector.values[id].results[at.index()] {
            let kind = Kind::Integer(range.type_width());
            let bound = collector.variables.add(kind, Definition::Constant(Range::Integer(range)));
            collector.variables.also(variable, &[bound]);
            collector.note(EdgeFact::Recurrence(id, at));
        }
    }
    if let Some(variable) = collector.values[id].returned {
        collector.variables.define(variable, Definition::Join(returned.into()));
    }
}

#[cfg(test)]
mod tests;
