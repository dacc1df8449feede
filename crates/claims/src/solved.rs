//! What is known of a function's loops and branches, as formulas to compute with?
//!
//! A claim is words; what computes with counts needs the formulas themselves. A [`Solved`] function
//! has them, with all numbers put in that are known or given. They say how often a loop goes back,
//! when an edge is taken, and what a value is in a block. What a symbol is where certain calls led
//! to the function, [`SolvedFunctions::number_where_called`] says.
//!
//! Input: a program, numbers that a user gave. Output: formulas, table by table. Cost: that of
//! claims about the same functions.

use std::collections::BTreeSet;

use opcost_analysis::evolution::{Entered, FunctionEvolution, Source, TripAnswer, TripAssumption};
use opcost_analysis::expression::{Facts, FormulaId, Formulas, Symbol, Test};
use opcost_analysis::memory::{MemoryModel, MemoryVersions};
use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::Id;
use opcost_ir::{FunctionText, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::bindings::Bindings;
use crate::describer::LoopDescriber;
use crate::names::{Decide, Decided, Named, Scope, ValueQuery};
use crate::with_decisions;

/// All functions of a program, solved one by one.
pub struct SolvedFunctions<'a> {
    program: &'a MemoryModel<'a>,
    decide: Decide<'a>,
    bindings: &'a Bindings,
}

/// One function, solved.
pub struct Solved<'a> {
    forest: &'a LoopForest<BlockId>,
    evolution: FunctionEvolution<'a>,
    describer: LoopDescriber<'a>,
}

/// How often a loop goes back in one activation.
#[derive(Clone, Debug)]
pub struct SolvedTrips {
    /// Back edges, with known numbers put in.
    pub back_edges: TripAnswer,
    /// What must hold for that.
    pub conditions: Vec<Test>,
    /// Why it is not exact.
    pub reason: Option<String>,
}

/// Hands a program's functions to `work`, and says which inputs decided something.
pub fn with_functions<T>(
    program: &MemoryModel<'_>,
    bindings: &Bindings,
    work: impl FnOnce(&SolvedFunctions<'_>) -> T,
) -> (T, BTreeSet<String>) {
    with_decisions(program, bindings, |decide| work(&SolvedFunctions { program, decide, bindings }))
}

impl SolvedFunctions<'_> {
    /// Solves the loops of one function that has a body.
    pub fn solve<T>(&self, id: FunctionId, work: impl FnOnce(&mut Solved<'_>) -> T) -> T {
        let program = self.program;
        let (module, function) = (program.module, &program.module.functions[id]);
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        let text = FunctionText::new(module, function);
        let cells = MemoryVersions::compute(program, id, &dominators);
        let (dominators, layout) = (&dominators, program.layout);
        let source = Source { module, function, dominators, forest: &forest, layout, cells: &cells };
        let scope = Scope { program, id, forest: &forest, cells: &cells, text: &text };
        let mut formulas = Formulas::new();
        let evolution = FunctionEvolution::compute(source, &mut formulas);
        let teller = LoopDescriber::new(scope, self.decide, formulas, self.bindings);
        work(&mut Solved { forest: &forest, evolution, describer: teller })
    }

    /// The number that a value of a function is where these calls led to it, outermost first.
    pub fn number_where_called(
        &self,
        function: FunctionId,
        value: Value,
        calls: &[(FunctionId, InstructionId)],
    ) -> Option<i128> {
        match (self.decide)(ValueQuery::Called(function, value, calls)) {
            Decided::Number(number) => Some(number),
            Decided::Input { .. } | Decided::Open => None,
        }
    }
}

impl Solved<'_> {
    /// The function's loops.
    pub fn forest(&self) -> &LoopForest<BlockId> {
        self.forest
    }

    /// How often a loop goes back once it is entered.
    pub fn trips(&mut self, id: LoopId) -> SolvedTrips {
        let trips = self.evolution.trip_count(id).clone();
        let back_edges = match trips.back_edges {
            TripAnswer::Exact(formula) => TripAnswer::Exact(self.settled(formula)),
            TripAnswer::Bound(formula) => TripAnswer::Bound(self.settled(formula)),
            TripAnswer::Unknown(ref reason) => TripAnswer::Unknown(reason.clone()),
        };
        let tests = trips.assumptions.iter().filter_map(|assumption| match assumption {
            TripAssumption::Condition(test, _) => Some(*test),
            _ => None,
        });
        let conditions = tests.map(|test| Test { of: self.settled(test.of), ..test }).collect();
        let teller = &self.describer;
        let reason =
            trips.reason().map(|reason| crate::words::reason(&reason, &teller.names, teller.scope.text));
        SolvedTrips { back_edges, conditions, reason }
    }

    /// When control at the end of a block takes one of its edges.
    pub fn taken(&mut self, edge: Edge<BlockId>) -> Entered {
        let taken = self.evolution.taken(&mut self.describer.formulas, edge);
        taken.decided(&mut |test| {
            let test = Test { of: self.settled(test.of), ..test };
            test.relation.decide(self.describer.formulas.range(test.of)).ok_or(test)
        })
    }

    /// What a value is in a block, if a formula says it.
    pub fn value_in(&mut self, value: Value, block: BlockId) -> Option<FormulaId> {
        let formula = self.evolution.value_in(&mut self.describer.formulas, value, block)?;
        Some(self.settled(formula))
    }

    /// What a symbol is called, and whether it is an input.
    pub fn named(&self, symbol: &Symbol) -> Named {
        self.describer.names.of(symbol)
    }

    /// The values of the code that a symbol is, where calls may decide it. What a cell holds between
    /// two changes is what the loads read that read just that, and no other load of the cell.
    pub fn values_of(&self, symbol: &Symbol) -> Vec<Value> {
        match symbol {
            Symbol::Argument(position) => vec![Value::Argument(*position)],
            Symbol::Result(at) => vec![Value::Instruction(*at)],
            Symbol::Cell(version) => {
                let readers = self.describer.scope.cells.readers_of(*version);
                readers.iter().map(|&load| Value::Instruction(load)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The table of the formulas; what was asked of this function stays in it.
    pub fn formulas(&self) -> &Formulas {
        &self.describer.formulas
    }

    fn settled(&mut self, formula: FormulaId) -> FormulaId {
        self.describer.settled(formula, &Facts::new())
    }
}
