//! What analysis foretells of the loops of a module, as claims that a run can
//! be held against.
//!
//! Recurrences give formulas over exact integers; here each becomes a stack
//! program whose inputs are values of the loop's function, as they were when
//! the loop was entered: computed before, read from memory again, or read when
//! they were there. Where one is gone the claim has no program but the reason: it
//! is listed, and not verified. The world is open: one module of several may be
//! at hand. Cost: that of the analysis, and the formulas; for each symbol the
//! loads of the function.

use opcost_analysis::cells::{CellDefinition, CellVersion, Cells};
use opcost_analysis::evolution::{FunctionEvolution, Source, TripAnswer, TripAssumption, TripCount};
use opcost_analysis::expression::{Formulas, Relation, Symbol, SymbolId};
use opcost_analysis::memory::{MemoryModel, MemoryVersions, World};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_instrument::{ClaimStep, Claimed, Moment, Rereads, TripClaim, TripClaims, Unchecked};
use opcost_ir::{FunctionText, IntegerComparison, Layout, Module, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use opcost_library::Effects;

use super::steps::{Made, Maker};
use crate::{Names, Scope, words};

/// All claims about a module's loops, exact ones and bounds.
pub fn claims(module: &Module) -> TripClaims {
    claims_of(module, Conditions::Assumed)
}

/// The same for who believes them: where a condition does not hold that a claim rests on, its program has no
/// number.
pub fn guarded_claims(module: &Module) -> TripClaims {
    claims_of(module, Conditions::Computed)
}

/// What becomes of a condition that a claim rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conditions {
    /// A run shows whether it holds.
    Assumed,
    /// The program of the claim looks at it.
    Computed,
}

fn claims_of(module: &Module, conditions: Conditions) -> TripClaims {
    let layout = Layout::of(module);
    let effects = Effects::built_in();
    let memory = MemoryModel::of(module, &layout, &effects, World::Open);
    let mut list = Vec::new();
    for (id, function) in module.functions.iter().filter(|(_, function)| !function.blocks.is_empty()) {
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        if forest.loops.is_empty() {
            continue;
        }
        let versions = MemoryVersions::compute(&memory, id, &dominators);
        let mut formulas = Formulas::new();
        let source = Source {
            module,
            function,
            dominators: &dominators,
            forest: &forest,
            layout: &layout,
            cells: &versions,
        };
        let evolution = FunctionEvolution::compute(source, &mut formulas);
        let text = FunctionText::new(module, function);
        let scope = Scope { program: &memory, id, forest: &forest, cells: &versions, text: &text };
        let names = Names::plain(scope);
        for natural in forest.loops.ids() {
            let subject = Rereads {
                module,
                layout: &layout,
                function,
                forest: &forest,
                dominators: &dominators,
                natural,
            };
            let foreteller = Foreteller { subject, versions: &versions, conditions };
            let trips = evolution.trip_count(natural);
            list.extend(foreteller.claim(id, trips, &formulas, &names));
        }
    }
    TripClaims { list }
}

/// The program under a condition on a number: it has none where the condition does not hold.
fn under(relation: Relation, of: Vec<ClaimStep>, program: Vec<ClaimStep>) -> Vec<ClaimStep> {
    let zero = || vec![ClaimStep::Constant(0)];
    let (left, right, comparison) = match relation {
        Relation::Negative => (of, zero(), IntegerComparison::Less),
        Relation::NotNegative => (zero(), of, IntegerComparison::LessOrEqual),
        Relation::Zero => (of, zero(), IntegerComparison::Equal),
        Relation::NotZero => (of, zero(), IntegerComparison::NotEqual),
    };
    // Nothing divides by zero: what is not chosen is no part of the result.
    let none = [ClaimStep::Constant(1), ClaimStep::Constant(0), ClaimStep::FloorDiv];
    let select = [ClaimStep::Select(comparison)];
    left.into_iter().chain(right).chain(program).chain(none).chain(select).collect()
}

const UNCERTAIN: &str =
    "its value in memory cannot be read where it would be needed: the address is not certain";

/// Makes the claim about one loop.
struct Foreteller<'a> {
    subject: Rereads<'a>,
    versions: &'a MemoryVersions,
    conditions: Conditions,
}

impl Foreteller<'_> {
    fn claim(
        &self,
        id: FunctionId,
        trips: &TripCount,
        formulas: &Formulas,
        names: &Names<'_>,
    ) -> Option<TripClaim> {
        let (what, formula) = match trips.back_edges {
            TripAnswer::Exact(formula) => (Claimed::BackEdges, formula),
            TripAnswer::Bound(formula) => (Claimed::Bound, formula),
            TripAnswer::Unknown(_) => return None,
        };
        let mut program = Vec::new();
        let symbol = |id: SymbolId, out: &mut Vec<ClaimStep>| self.symbol(formulas, id, out);
        let maker = Maker { formulas, symbol: &symbol };
        let mut made = maker.steps(formula, &mut program);
        if self.conditions == Conditions::Computed {
            for assumption in &trips.assumptions {
                let TripAssumption::Condition(test, _) = assumption else { continue };
                let mut of = Vec::new();
                made = made.and_then(|()| maker.steps(test.of, &mut of));
                program = under(test.relation, of, program);
            }
        }
        let program = made.map(|()| program).map_err(|reason| Unchecked::NoProgram(reason.into_owned()));
        let text = formulas.text(formula, &|symbol| names.of(symbol).name);
        Some(TripClaim {
            function: id,
            loop_header: self.header(),
            what,
            program,
            assumes: words::assumptions(&trips.assumptions, formulas, names),
            text: if what == Claimed::Bound { format!("at most {text}") } else { text },
        })
    }

    fn header(&self) -> BlockId {
        self.subject.forest.loops[self.subject.natural].header
    }

    /// A symbol as it is when the loop is entered.
    fn symbol(&self, formulas: &Formulas, id: SymbolId, out: &mut Vec<ClaimStep>) -> Made {
        let is_signed = formulas.symbol_range(id).low < 0;
        match formulas.symbol_of(id) {
            Symbol::Turn(around) if *around != self.subject.natural => {
                out.push(ClaimStep::Turn(self.subject.forest.loops[*around].header));
                Ok(())
            }
            Symbol::Turn(_) => Err("it needs an iteration of the loop itself".into()),
            Symbol::Index(number) => {
                out.push(ClaimStep::Index(*number));
                Ok(())
            }
            Symbol::Argument(position) => {
                let value = Value::Argument(*position);
                self.pushed(ClaimStep::Value(value), value, is_signed, out)
            }
            Symbol::Result(at) => {
                let value = Value::Instruction(*at);
                self.pushed(ClaimStep::Value(value), value, is_signed, out)
            }
            Symbol::AtEntry(phi) => {
                let value = Value::Instruction(*phi);
                self.pushed(ClaimStep::Entering(*phi), value, is_signed, out)
            }
            Symbol::Cell(version) => self.cell(*version, is_signed, out),
            // The version that merges at the head of a loop, as it is when that is entered.
            Symbol::CellAtEntry(version) => match self.versions.definition(*version) {
                CellDefinition::Merge { block, .. }
                    if self.subject.forest.loop_with_header(block).is_some() =>
                {
                    self.first(*version, Moment::Entry(block), is_signed, out)
                }
                _ => Err("it needs what memory held when a loop was entered that is none".into()),
            },
            Symbol::Global(_) | Symbol::Code(_) | Symbol::Constant(_) => {
                Err("it needs an address of data or code, or a constant that is no number".into())
            }
            Symbol::Undefined(_) => Err("it rests on a value that is not defined".into()),
            Symbol::Named(_) => Err("it needs a value that only has a name".into()),
        }
    }

    /// An input of a value's type, with its sign.
    fn pushed(&self, step: ClaimStep, value: Value, is_signed: bool, out: &mut Vec<ClaimStep>) -> Made {
        let ty = match value {
            Value::Instruction(at) => self.subject.function.instructions[at].ty,
            Value::Argument(position) => match &self.subject.module.types[self.subject.function.ty] {
                Type::Function(_, parameters, _) => {
                    *parameters.get(position as usize).ok_or("it names no argument")?
                }
                _ => return Err("it names no argument".into()),
            },
            Value::Constant(id) => self.subject.module.constants[id].ty,
            _ => return Err("it names no value".into()),
        };
        out.push(step);
        if let (Type::Integer(bits @ 1..=64), true) = (&self.subject.module.types[ty], is_signed) {
            out.push(ClaimStep::Wrap { bits: *bits, signed: true });
        }
        Ok(())
    }

    /// What a cell of memory holds: what an earlier load of it has read. Where that is certain to
    /// be possible, it is read once more. Else it is what the loads of it that come by on the way
    /// read.
    fn cell(&self, version: CellVersion, is_signed: bool, out: &mut Vec<ClaimStep>) -> Made {
        let moment = self.moment(version);
        if let CellDefinition::Undefined = self.versions.definition(version) {
            return Err("it rests on memory that was never written".into());
        }
        let reading = self.reading(version);
        let is_early = |at: &InstructionId| {
            let block = self.subject.function.block_of(*at);
            !self.subject.forest.contains(self.subject.natural, block)
                && self.subject.dominators.dominates(block, self.header())
        };
        if let Some(&load) = reading.iter().find(|at| is_early(at)) {
            let value = Value::Instruction(load);
            return self.pushed(ClaimStep::Value(value), value, is_signed, out);
        }
        let entry = Moment::Entry(self.header());
        let of_place = reading.first().copied().or_else(|| self.versions.slot_by(version));
        // It came before the loop, and the loop reads it: it is there when the loop is entered.
        let is_there = !self.is_of_the_loop(moment) && reading.iter().any(|at| self.is_inside(*at));
        let whens = [entry, moment].into_iter().filter(|when| *when == moment || is_there);
        let pairs = whens.flat_map(|when| of_place.iter().chain(&reading).map(move |&load| (load, when)));
        let found = { pairs }.find(|&(load, when)| self.subject.check(load, when).is_ok());
        let step = found.map(|(load, when)| (load, ClaimStep::Reread { load, moment: when })).or_else(|| {
            let load = reading.iter().find(|at| !self.is_inside(**at)).copied()?;
            Some((load, ClaimStep::ReadSince { load, moment }))
        });
        let (load, step) = step.ok_or(UNCERTAIN)?;
        self.pushed(step, Value::Instruction(load), is_signed, out)
    }

    /// What a cell held when the loop was entered at whose head a version merges.
    fn first(&self, version: CellVersion, moment: Moment, is_signed: bool, out: &mut Vec<ClaimStep>) -> Made {
        let loads = self.reading(version).into_iter().chain(self.versions.slot_by(version));
        let load = { loads }.find(|&load| self.subject.check(load, moment).is_ok()).ok_or(UNCERTAIN)?;
        self.pushed(ClaimStep::Reread { load, moment }, Value::Instruction(load), is_signed, out)
    }

    /// The loads that read a version.
    fn reading(&self, version: CellVersion) -> Vec<InstructionId> {
        let loads = self.subject.function.instructions.iter().filter(|(_, load)| load.opcode == Opcode::Load);
        loads.map(|(at, _)| at).filter(|at| self.versions.read_by(*at) == Some(version)).collect()
    }

    /// When a version of a cell begins.
    fn moment(&self, version: CellVersion) -> Moment {
        match self.versions.definition(version) {
            CellDefinition::Stored { store, .. } => Moment::Behind(store),
            CellDefinition::Merge { block, .. } => Moment::Block(block),
            CellDefinition::Changed(at) => Moment::Behind(at),
            CellDefinition::Entry | CellDefinition::Undefined => Moment::Start,
        }
    }

    fn is_inside(&self, at: InstructionId) -> bool {
        self.subject.forest.contains(self.subject.natural, self.subject.function.block_of(at))
    }

    fn is_of_the_loop(&self, moment: Moment) -> bool {
        match moment {
            Moment::Start | Moment::Entry(_) => false,
            Moment::Block(block) => self.subject.forest.contains(self.subject.natural, block),
            Moment::Behind(at) => self.is_inside(at),
        }
    }
}
