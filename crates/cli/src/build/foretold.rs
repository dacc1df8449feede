//! What analysis foretells of the loops of a module, as claims that a run can
//! be held against.
//!
//! Recurrences give formulas over exact integers; here each becomes a stack
//! program whose inputs are values of the loop's function that are there when
//! the loop is entered. A formula with a part that no step computes, or with a
//! symbol that is gone by then, is a claim without a program: it is listed, and
//! not verified. The world is open: one module of several may be at hand. Cost:
//! that of the analysis, and the formulas.

use opcost_analysis::cells::{CellVersion, Cells};
use opcost_analysis::claims::{Names, words};
use opcost_analysis::dominators::Dominators;
use opcost_analysis::evolution::{Answer, FunctionEvolution, Source, TripCount};
use opcost_analysis::expression::{Domain, FormulaId, Formulas, Node, Relation, Rounding, Symbol, SymbolId};
use opcost_analysis::loops::{LoopForest, LoopId};
use opcost_analysis::memory::{Effects, Memory, MemoryVersions, World};
use opcost_index::Id;
use opcost_instrument::{Claim, ClaimStep, Claimed, Claims};
use opcost_ir::{Comparison, Function, FunctionText, Layout, Module, Opcode, Type, Value};
use opcost_key::{BlockId, FunctionId};

/// All claims about a module's loops, exact ones and bounds.
pub(super) fn claims(module: &Module) -> Claims {
    let layout = Layout::of(module);
    let effects = Effects::built_in();
    let memory = Memory::of(module, &layout, &effects, World::Open);
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
        let names = Names::plain(&memory, id, &forest, &versions, &text);
        for natural in forest.loops.ids() {
            let maker = Maker {
                module,
                function,
                dominators: &dominators,
                forest: &forest,
                versions: &versions,
                natural,
            };
            let trips = evolution.trip_count(natural);
            list.extend(maker.claim(id, trips, &formulas, &names));
        }
    }
    Claims { list }
}

/// Makes the claim about one loop.
struct Maker<'a> {
    module: &'a Module,
    function: &'a Function,
    dominators: &'a Dominators<BlockId>,
    forest: &'a LoopForest<BlockId>,
    versions: &'a MemoryVersions,
    natural: LoopId,
}

impl Maker<'_> {
    fn claim(
        &self,
        id: FunctionId,
        trips: &TripCount,
        formulas: &Formulas,
        names: &Names<'_>,
    ) -> Option<Claim> {
        let (what, formula) = match trips.back_edges {
            Answer::Exact(formula) => (Claimed::BackEdges, formula),
            Answer::Bound(formula) => (Claimed::Bound, formula),
            Answer::Unknown(_) => return None,
        };
        let mut program = Vec::new();
        if self.steps(formulas, formula, &mut program).is_none() {
            program.clear();
        }
        let text = formulas.text(formula, &|symbol| names.of(symbol).name);
        Some(Claim {
            function: id,
            loop_header: self.header(),
            what,
            program,
            assumes: words::assumptions(&trips.assumptions, formulas, names),
            text: if what == Claimed::Bound { format!("at most {text}") } else { text },
        })
    }

    fn header(&self) -> BlockId {
        self.forest.loops[self.natural].header
    }

    /// The steps of a formula, operands first; none if some part has none. A
    /// formula is bounded in depth, and so is this.
    fn steps(&self, formulas: &Formulas, of: FormulaId, out: &mut Vec<ClaimStep>) -> Option<()> {
        if out.len() > opcost_ir::MOST_STEPS {
            return None;
        }
        match formulas.node(of) {
            Node::Constant(number) => out.push(ClaimStep::Constant(*number)),
            Node::Symbol(symbol) => self.symbol(formulas, *symbol, out)?,
            Node::Sum { constant, terms } => {
                out.push(ClaimStep::Constant(*constant));
                for &(term, factor) in terms {
                    self.steps(formulas, term, out)?;
                    out.extend([ClaimStep::Constant(factor), ClaimStep::Mul, ClaimStep::Add]);
                }
            }
            Node::Product(parts) => self.fold(formulas, parts, ClaimStep::Mul, out)?,
            Node::Least(parts) => self.fold(formulas, parts, ClaimStep::Min, out)?,
            Node::Greatest(parts) => self.fold(formulas, parts, ClaimStep::Max, out)?,
            Node::Divide { rounding, of, by } => {
                let step = match rounding {
                    Rounding::Floor | Rounding::Exact => ClaimStep::FloorDiv,
                    Rounding::Ceiling => ClaimStep::CeilDiv,
                    Rounding::Truncate => return None,
                };
                self.steps(formulas, *of, out)?;
                self.steps(formulas, *by, out)?;
                out.push(step);
            }
            Node::Modulo { of, by } => {
                self.steps(formulas, *of, out)?;
                self.steps(formulas, *by, out)?;
                out.push(ClaimStep::Rem);
            }
            Node::Wrap { domain, of } => {
                self.steps(formulas, *of, out)?;
                out.push(wrap(*domain)?);
            }
            Node::Select { test, then, otherwise } => {
                let (comparison, first, second) = match test.relation {
                    Relation::Negative => (Comparison::Less, then, otherwise),
                    Relation::NotNegative => (Comparison::Less, otherwise, then),
                    Relation::Zero => (Comparison::Equal, then, otherwise),
                    Relation::NotZero => (Comparison::NotEqual, then, otherwise),
                };
                self.steps(formulas, test.of, out)?;
                out.push(ClaimStep::Constant(0));
                self.steps(formulas, *first, out)?;
                self.steps(formulas, *second, out)?;
                out.push(ClaimStep::Select(comparison));
            }
            Node::TooBig
            | Node::Power { .. }
            | Node::CeilLog { .. }
            | Node::CeilRoot(_)
            | Node::Series { .. } => {
                return None;
            }
        }
        Some(())
    }

    fn fold(
        &self,
        formulas: &Formulas,
        parts: &[FormulaId],
        step: ClaimStep,
        out: &mut Vec<ClaimStep>,
    ) -> Option<()> {
        for (position, &part) in parts.iter().enumerate() {
            self.steps(formulas, part, out)?;
            if position > 0 {
                out.push(step);
            }
        }
        Some(())
    }

    /// A symbol as it is when the loop is entered.
    fn symbol(&self, formulas: &Formulas, id: SymbolId, out: &mut Vec<ClaimStep>) -> Option<()> {
        let is_signed = formulas.symbol_range(id).low < 0;
        match formulas.symbol_of(id) {
            Symbol::Turn(around) if *around != self.natural => {
                out.push(ClaimStep::Turn(self.forest.loops[*around].header));
                Some(())
            }
            Symbol::Argument(position) => self.value(Value::Argument(*position), is_signed, out),
            Symbol::Result(at) => self.value(Value::Instruction(*at), is_signed, out),
            Symbol::AtEntry(phi) if self.function.block_of(*phi) == self.header() => {
                let value = self.entering(*phi)?;
                self.value(value, is_signed, out)
            }
            Symbol::Cell(version) | Symbol::CellAtEntry(version) => self.cell(*version, is_signed, out),
            _ => None,
        }
    }

    /// What a phi of the header gets from outside, if that is one value.
    fn entering(&self, phi: opcost_key::InstructionId) -> Option<Value> {
        let mut found = None;
        for pair in self.function.operands_of(phi).chunks_exact(2) {
            let Value::Block(from) = pair[1] else { continue };
            if self.forest.contains(self.natural, from) {
                continue;
            }
            if found.is_some_and(|found| found != pair[0]) {
                return None;
            }
            found = Some(pair[0]);
        }
        found
    }

    /// A value that is there before the loop begins.
    fn value(&self, value: Value, is_signed: bool, out: &mut Vec<ClaimStep>) -> Option<()> {
        let ty = match value {
            Value::Instruction(at) => {
                let block = self.function.block_of(at);
                if self.forest.contains(self.natural, block)
                    || !self.dominators.dominates(block, self.header())
                {
                    return None;
                }
                self.function.instructions[at].ty
            }
            Value::Argument(position) => match &self.module.types[self.function.ty] {
                Type::Function(_, parameters, _) => *parameters.get(position as usize)?,
                _ => return None,
            },
            Value::Constant(id) => self.module.constants[id].ty,
            _ => return None,
        };
        out.push(ClaimStep::Value(value));
        if let (Type::Integer(bits @ 1..=64), true) = (&self.module.types[ty], is_signed) {
            out.push(ClaimStep::Wrap { bits: *bits, signed: true });
        }
        Some(())
    }

    /// A cell, by a load that was made before the loop, or that its header makes
    /// in every turn: then it can be made once more.
    fn cell(&self, version: CellVersion, is_signed: bool, out: &mut Vec<ClaimStep>) -> Option<()> {
        let loads = self.function.instructions.iter().filter(|(_, load)| load.opcode == Opcode::Load);
        for (at, load) in loads.filter(|(at, _)| self.versions.read_by(*at) == Some(version)) {
            let block = self.function.block_of(at);
            let Type::Integer(bits) = self.module.types[load.ty] else { continue };
            if !self.forest.contains(self.natural, block) && self.dominators.dominates(block, self.header()) {
                return self.value(Value::Instruction(at), is_signed, out);
            }
            let address = self.function.operands_of(at)[0];
            if block == self.header() && matches!(bits, 8 | 16 | 32 | 64) && self.is_before(address) {
                out.push(ClaimStep::LoadedAtEntry { address, bits });
                if is_signed {
                    out.push(ClaimStep::Wrap { bits, signed: true });
                }
                return Some(());
            }
        }
        None
    }

    fn is_before(&self, address: Value) -> bool {
        match address {
            Value::Argument(_) => true,
            Value::Instruction(at) => {
                let block = self.function.block_of(at);
                !self.forest.contains(self.natural, block) && self.dominators.dominates(block, self.header())
            }
            _ => false,
        }
    }
}

fn wrap(Domain { bits, signed }: Domain) -> Option<ClaimStep> {
    (1..=64).contains(&bits).then_some(ClaimStep::Wrap { bits, signed })
}
