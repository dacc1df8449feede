//! What can be said of every loop of a program, in words?
//!
//! Joins what recurrences tell of a loop (`evolution`) with what decides the
//! values that its formulas name: where a name is one number, the number takes
//! its place; where it is an input, the claim says which. Input: a module, what
//! library functions do, the world. Output: one [`LoopAnswer`] for each natural
//! loop and each irreducible region, functions in module order, outer loops
//! before inner ones; tables of formulas are dropped function by function, so
//! that memory is that of the largest. Cost: that of the parts.
//!
//! | question | file |
//! |---|---|
//! | what is said? (data only) | `claim` |
//! | what is it called, and is it an input? | `names` |
//! | which numbers did a user give? | `bindings` |
//! | what do its counts tell? | `describer` |
//! | what if the loop is not entered? | `entry` |
//! | what of the same do others compute with? | `solved` |
//! | which loop of the source is it a part of? | `vectors`, `unrolled` |
//! | how does a claim read? | [`words`] |
//! | how is one held against a run? | [`check`] |

mod bindings;
pub mod check;
mod claim;
mod describer;
mod entry;
mod names;
mod solved;
mod unrolled;
mod vectors;
pub mod words;

use std::cell::RefCell;
use std::collections::BTreeSet;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{FunctionText, Module};
use opcost_key::{BlockId, FunctionId};

use opcost_analysis::dependence::binding::ModuleMemory;
use opcost_analysis::dependence::{Limits, Resolver, Use};
use opcost_analysis::evolution::{FunctionEvolution, Source};
use opcost_analysis::expression::Formulas;
use opcost_analysis::memory::{MemoryModel, MemoryVersions, Writers};
use opcost_answer::loops::{LoopAnswer, LoopFormulas, LoopNumbers};

pub use bindings::Bindings;
pub use names::{Named, Names, Scope};
pub use solved::{Solved, SolvedFunctions, SolvedTrips, with_functions};

use claim::{LoopClaim, number_of, source_line};
use describer::LoopDescriber;
use names::{Decide, Decided, ValueQuery};

/// A name is worth less than an answer that was asked for.
const LIMITS: Limits = Limits { depth: 48, nodes: 128, steps: 1 << 12 };

/// Claims about all loops, and the names that occur in them.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Functions in module order, outer loops before inner ones.
    pub loops: Vec<LoopAnswer>,
    /// Of each of them, what of it is a number.
    pub numbers: Vec<LoopNumbers>,
    /// Of each of them, the formulas as they are kept.
    pub written: Vec<LoopFormulas>,
    /// Every name that a formula has, sorted.
    pub names: Vec<String>,
    /// Positions of bindings whose numbers nothing of the name can hold.
    pub too_wide: BTreeSet<usize>,
}

impl Claims {
    /// All claims about a program, its formulas evaluated where names are bound.
    pub fn compute(program: &MemoryModel<'_>, bindings: &Bindings) -> Claims {
        Claims::of_functions(program, bindings, |_| true)
    }

    /// The claims about the loops of some functions of it.
    pub fn of_functions(
        program: &MemoryModel<'_>,
        bindings: &Bindings,
        is_wanted: impl Fn(FunctionId) -> bool,
    ) -> Claims {
        let make = |decide: Decide<'_>| {
            let mut making =
                Making { program, decide, bindings, claims: Claims::default(), held: BTreeSet::new() };
            for id in program.module.functions.ids().filter(|&id| is_wanted(id)) {
                if !program.module.functions[id].blocks.is_empty() {
                    making.add_function(id);
                }
            }
            let Making { mut claims, held, .. } = making;
            claims.too_wide.retain(|position| !held.contains(position));
            claims
        };
        let (mut claims, inputs) = with_decisions(program, bindings, make);
        claims.names.extend(inputs);
        claims.names.sort();
        claims.names.dedup();
        claims
    }

    fn add(&mut self, claim: LoopClaim) {
        let LoopClaim { mut answer, numbers, written } = claim;
        let first = [&answer.body_iterations, &answer.bound, &answer.back_edges];
        answer.expression = first.into_iter().flatten().next().cloned();
        self.loops.push(answer);
        self.numbers.push(numbers);
        self.written.push(written);
    }
}

/// Does what needs to know what decides values, and lists the inputs that numbers were put in for.
fn with_decisions<T>(
    program: &MemoryModel<'_>,
    bindings: &Bindings,
    work: impl FnOnce(Decide<'_>) -> T,
) -> (T, BTreeSet<String>) {
    let writers = Writers::compute(program);
    let memory = ModuleMemory::new(program, &writers);
    let resolver = Resolver::new(program.module, &memory).with_limits(LIMITS);
    let inputs: RefCell<BTreeSet<String>> = RefCell::default();
    let decide = |wanted: ValueQuery<'_>| {
        let answer = match wanted {
            ValueQuery::Value(function, value) => {
                Some(resolver.resolve(&Use { function, value, calls: &[] }))
            }
            ValueQuery::Called(function, value, calls) => {
                Some(resolver.resolve(&Use { function, value, calls }))
            }
            ValueQuery::Behind(function, load, at) => resolver.resolve_behind(function, load, at),
        };
        let Some(answer) = answer else { return Decided::Open };
        let decided = bindings.decided(&answer);
        if !matches!(decided, Decided::Open) {
            inputs.borrow_mut().extend(answer.integer_inputs());
        }
        decided
    };
    let done = work(&decide);
    (done, inputs.take())
}

/// Claims while they are made.
struct Making<'a> {
    program: &'a MemoryModel<'a>,
    decide: Decide<'a>,
    bindings: &'a Bindings,
    claims: Claims,
    /// Positions of bindings whose numbers a name can hold.
    held: BTreeSet<usize>,
}

impl Making<'_> {
    fn add_function(&mut self, id: FunctionId) {
        let module = self.program.module;
        let function = &module.functions[id];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        if forest.loops.is_empty() && forest.irreducible.is_empty() {
            return;
        }
        let text = FunctionText::new(module, function);
        if !forest.loops.is_empty() {
            let cells = MemoryVersions::compute(self.program, id, &dominators);
            let layout = self.program.layout;
            let source =
                Source { module, function, dominators: &dominators, forest: &forest, layout, cells: &cells };
            let scope = Scope { program: self.program, id, forest: &forest, cells: &cells, text: &text };
            self.add_loops(source, scope);
        }
        for part in &forest.irreducible {
            self.claims.add(irreducible(module, id, &forest, &text, part));
        }
    }

    fn add_loops(&mut self, source: Source<'_>, scope: Scope<'_>) {
        let mut formulas = Formulas::new();
        let mut evolution = FunctionEvolution::compute(source, &mut formulas);
        let mut teller = LoopDescriber::new(scope, self.decide, formulas, self.bindings);
        let pairs = unrolled::pairs(source.module, source.function, scope.forest);
        for natural in scope.forest.loops.ids() {
            let trips = evolution.trip_count(natural).clone();
            let facts = teller.around(natural, &evolution);
            let mut claim = teller.claim(natural, &trips, &facts);
            claim.answer.vectorised = teller.vectorised(&trips, &evolution, &facts);
            if let Some(pair) = pairs.iter().find(|pair| pair.body == natural) {
                claim.answer.unrolled = Some(teller.unrolled(pair, &evolution, &facts));
            }
            if let Some(pair) = pairs.iter().find(|pair| pair.remainder == natural) {
                claim.answer.remainder_of = Some(number_of(scope.forest.loops[pair.body].header));
            }
            let broken = teller.broken_promise(natural, &trips, &mut evolution);
            self.claims.add(teller.as_entered(claim, &trips, broken));
        }
        self.claims.names.extend(teller.names.used());
        self.held.extend(teller.held);
        self.claims.too_wide.extend(teller.too_wide);
    }
}

fn irreducible(
    module: &Module,
    id: FunctionId,
    forest: &LoopForest<BlockId>,
    text: &FunctionText<'_>,
    part: &[BlockId],
) -> LoopClaim {
    let header = part[0];
    let function = &module.functions[id];
    let mut claim = LoopClaim::unknown(module, id, header, text.block(header));
    let answer = &mut claim.answer;
    let place = function.instructions_of(header).find_map(|at| function.instructions[at].place);
    (answer.file, answer.line) = source_line(module, place);
    if let Some(around) = forest.innermost[header] {
        answer.depth = forest.loops[around].depth + 1;
        answer.parent = Some(number_of(forest.loops[around].header));
    }
    answer.form = "irreducible".to_owned();
    answer.reason = Some(format!(
        "a cycle of {} blocks that is entered at several: no block of it counts its iterations",
        part.len()
    ));
    claim
}
