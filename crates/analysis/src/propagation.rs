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
//! | what does the code say of each value? | `collect`, `instructions`, `low` |
//! | what does a branch tell? | `edges`, `again` |
//! | what goes into functions and comes out? | `calls`, by promise [`contracts`] |
//! | what does a load read? | `cells`, `contents`, `tables` |
//! | does the code change how numbers are rounded? | [`rounding`] |
//! | what do ranges rest on that is no step? | [`told`] |
//! | is a local written before it is read? | `written_first`, `filling`, `bytes` |
//! | what do the turns of a loop tell? | `turns`, `counted`, `closed`, one by one `unrolled` |
//! | what does one step make of ranges? | `transfer` |
//! | which ranges do all definitions agree on? | `solve`, along `sources` |
//! | which values lead to nothing undefined? | `certain` |
//! | what can never be? | `findings` |
//!
//! **What is claimed.** The range of a value holds each time that it is defined,
//! in executions in which it is not poison and in which nothing undefined was
//! done before; what it rests on besides is listed ([`Fact`]). A value that is
//! never defined has an empty range. A value that is loaded or given is taken for
//! one word at all its uses, also where it was never written. With [`Options::backwards`] it holds in
//! executions in which nothing undefined is done, before or later.
//!
//! Input: what is known of a module's memory. Output: [`Propagation`]. Cost:
//! that of addresses and recurrences, and a bounded number of steps for each
//! variable.

mod again;
mod bytes;
mod calls;
mod cells;
mod certain;
mod closed;
mod collect;
pub(crate) mod contents;
pub mod contracts;
mod counted;
mod edges;
mod filling;
mod findings;
mod instructions;
mod low;
pub mod rounding;
mod solve;
mod sources;
mod tables;
pub mod told;
pub(crate) mod transfer;
mod turns;
mod unrolled;
pub mod variables;
mod written_first;

use std::collections::{BTreeSet, HashSet, VecDeque};

use opcost_index::{Id, IdMap};
use opcost_ir::{DeclarationId, Flags, Opcode, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use crate::cells::NoCells;
use crate::evolution::{Assumption, Source};
use crate::memory::addresses::Offsets;
use crate::memory::{Memory, MemoryVersions, ObjectId, Writers};
use collect::{Collector, Values, Walker};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use tables::Tables;

pub use contracts::{Contract, Handed};
pub use findings::Finding;
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
    /// In the function certain accesses lie in their objects, because all else is
    /// undefined ([`Options::backwards`]).
    CertainAccess(FunctionId),
    /// Indices lie in the arrays that they run through ([`Options::assume_inbounds`]).
    InBounds,
    /// Sums, differences and products do not overflow ([`Options::assume_no_overflow`]).
    NoOverflow,
    /// Each caller gives to this parameter what a [`Contract`] promises.
    Contract(FunctionId, u32),
}

/// How far a phi is from another, at the head of a loop around it, in one turn of
/// that loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Where.
    pub function: FunctionId,
    /// The phi.
    pub phi: InstructionId,
    /// The one at the head.
    pub from: InstructionId,
    /// The variable of the difference.
    pub variable: VariableId,
}

/// What lies at some offsets of an object, always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offsets: Offsets,
    /// What it is read as.
    pub ty: TypeId,
    /// The variable of the contents.
    pub variable: VariableId,
}

/// What else may be taken as given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Programs do not read what they never wrote: then what lies in locals and
    /// on the heap at first is left out, where it is undefined otherwise, and so
    /// anything.
    pub memory_is_written_first: bool,
    /// What a value leads to counts, too: an access that certainly follows keeps
    /// its index within the whole object. Then ranges say nothing of executions
    /// that do something undefined later.
    pub backwards: bool,
    /// Of such accesses each index lies in its own array, also where that is a
    /// part of the object. With [`Options::backwards`] only.
    pub assume_inbounds: bool,
    /// Sums, differences and products do not overflow as signed numbers, whether
    /// they promise that or not.
    pub assume_no_overflow: bool,
    /// Loops of few turns are not followed one turn after the other: what that
    /// tells holds by a count of turns, which no claim of a certificate speaks of.
    pub without_unrolling: bool,
}

impl Options {
    /// The flags of an instruction.
    fn flags(self, opcode: Opcode, flags: Flags) -> Flags {
        match opcode {
            Opcode::Add | Opcode::Sub | Opcode::Mul if self.assume_no_overflow => flags.with(Flags::NSW),
            _ => flags,
        }
    }
}

/// Ranges of all values of a module.
#[derive(Clone, Debug)]
pub struct Propagation {
    variables: Variables,
    ranges: IdMap<VariableId, Range>,
    tables: Tables,
    values: IdMap<FunctionId, Values>,
    facts: BTreeSet<Fact>,
    distances: Vec<Distance>,
    contents: Vec<Content>,
    findings: Vec<Finding>,
    contracts: Vec<Contract>,
    handed: Vec<Handed>,
    /// What contracts say, in the order of the variables.
    promised: Vec<VariableId>,
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
        Propagation::compute_under(program, options, &[])
    }

    /// The same where callers keep contracts.
    pub fn compute_under(program: &Memory<'_>, options: Options, contracts: &[Contract]) -> Propagation {
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
        let contents = collector.wanted.found();
        let Collector { variables, tables, values, mut facts, distances, handed, promised, .. } = collector;
        if options.assume_no_overflow {
            facts.insert(Fact::NoOverflow);
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
        if options.backwards {
            all.go_backwards(program, options);
        }
        all.find_unreached(program);
        all
    }

    /// Meets ranges with what certain accesses demand, and solves all again.
    fn go_backwards(&mut self, program: &Memory<'_>, options: Options) {
        let demanded = certain::demanded(program, self, options);
        self.findings.extend(demanded.outside.into_iter().map(|(id, at)| Finding::NeverInBounds(id, at)));
        if demanded.ranges.is_empty() {
            return;
        }
        if options.assume_inbounds {
            self.facts.insert(Fact::InBounds);
        }
        for (id, value, range) in demanded.ranges {
            let Some(variable) = self.variable(id, value) else { continue };
            let kind = Kind::Integer(range.type_width());
            let bound = self.variables.add(kind, Definition::Constant(Range::Integer(range)));
            self.variables.also(variable, &[bound]);
            self.facts.insert(Fact::CertainAccess(id));
        }
        let solve::Solved { ranges, given_up } = solve::solve(&self.variables, &self.tables);
        (self.ranges, self.given_up) = (ranges, given_up);
    }

    /// What can never be without something undefined: accesses, then code.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
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

    /// How far phis are from phis at heads of loops around them, as far as sums
    /// were looked for.
    pub fn distances(&self) -> &[Distance] {
        &self.distances
    }

    /// What lies in objects all of whose writes are seen, as far as loads ask.
    pub fn contents(&self) -> &[Content] {
        &self.contents
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
        // What rests on numbers that are rounded in another way is not known.
        if collector.changes_rounding && bounds.assumptions.contains(&Assumption::Ieee) {
            (turns, bounds) = Default::default();
        }
    }
    let mut walker = Walker::new(collector, id, &dominators, versions.as_ref());
    walker.walk();
    walker.define_versions();
    let told = bounds.ranges.iter().map(|&(at, _)| at).chain(bounds.differences.keys().copied()).collect();
    walker.define_phis(&mut turns::Turns::new(&forest, comes_again), &turns, &mut bounds.differences);
    if !walker.all.options.without_unrolling {
        walker.unroll(&forest, &turns, &told);
    }
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
