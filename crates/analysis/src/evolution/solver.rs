//! What is at hand while a function is solved: the code, the table, what was
//! found so far.
//!
//! Facts of the code alone are reported here. Questions about loops that rest on each other are
//! asked through [`Ask`], which `follow` answers, each once.

use rustc_hash::FxHashMap as HashMap;
use std::cell::OnceCell;
use std::rc::Rc;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{IdMap, IdSet, reverse};
use opcost_ir::{ConstantValue, Function, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{BlockId, InstructionId};

use super::known::{Arm, Closed, Known, Mode, Variable};
use super::loop_facts::{Guards, LoopCount, Walked};
use crate::cells::{CellDefinition, CellVersion, Cells};
use crate::expression::{Domain, FormulaId, FormulaInterval, Formulas, Symbol, SymbolId};

/// What is analysed, and what is known of it.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The module.
    pub module: &'a Module,
    /// One of its functions.
    pub function: &'a Function,
    /// The dominators of the function's blocks.
    pub dominators: &'a Dominators<BlockId>,
    /// Its loops.
    pub forest: &'a LoopForest<BlockId>,
    /// Sizes of the module's types.
    pub layout: &'a Layout,
    /// What its loads read.
    pub cells: &'a dyn Cells,
}

/// What was found so far.
pub(super) struct State {
    pub(super) blocks: IdMap<InstructionId, BlockId>,
    pub(super) predecessors: IdMap<BlockId, Vec<BlockId>>,
    /// Blocks from which no return is reached, nor any loop.
    pub(super) dead_ends: IdSet<BlockId>,
    pub(super) raw: HashMap<(Variable, Mode), Known>,
    pub(super) cell_domains: HashMap<CellVersion, Domain>,
    pub(super) closed: HashMap<(Variable, Mode), Closed>,
    pub(super) exit_values: HashMap<(Variable, LoopId, Mode), Option<Known>>,
    pub(super) guards: HashMap<(LoopId, Mode), Rc<Guards>>,
    pub(super) counts: HashMap<(LoopId, Mode), Option<Rc<LoopCount>>>,
    pub(super) undefined: u32,
    /// How deep questions about loops ask about other loops.
    pub(super) depth: u32,
    pub(super) walks: HashMap<LoopId, Option<Walked>>,
    /// Instructions that may still be executed by simulations.
    pub(super) steps: u32,
    /// Whether the module changes how numbers are rounded; asked of loops that compute with a point.
    pub(super) changes_rounding: OnceCell<bool>,
}

/// How deep questions about loops may ask about other loops.
pub(super) const DEEPEST_QUESTION: u32 = 24;

/// Instructions that all simulations of a function may execute.
const MOST_STEPS_IN_ALL: u32 = 400_000;

/// A function being solved.
pub(super) struct Solver<'a, 's> {
    pub(super) source: Source<'a>,
    pub(super) table: &'s mut Formulas,
    pub(super) state: &'s mut State,
}

impl State {
    pub(super) fn new(source: Source<'_>) -> State {
        let function = source.function;
        let mut blocks = IdMap::filled(function.instructions.len(), opcost_index::Id::new(0));
        for block in function.blocks.ids() {
            for instruction in function.instructions_of(block) {
                blocks[instruction] = block;
            }
        }
        let reversed = reverse(function);
        let predecessors = function
            .blocks
            .ids()
            .map(|block| opcost_index::Graph::successors(&reversed, block).collect())
            .collect::<IdMap<BlockId, Vec<BlockId>>>();
        let dead_ends = dead_ends(source, &predecessors);
        State {
            blocks,
            predecessors,
            dead_ends,
            raw: HashMap::default(),
            cell_domains: HashMap::default(),
            closed: HashMap::default(),
            exit_values: HashMap::default(),
            guards: HashMap::default(),
            counts: HashMap::default(),
            undefined: 0,
            depth: 0,
            walks: HashMap::default(),
            steps: MOST_STEPS_IN_ALL,
            changes_rounding: OnceCell::new(),
        }
    }
}

/// Blocks from which neither a return nor a loop is reached.
fn dead_ends(source: Source<'_>, predecessors: &IdMap<BlockId, Vec<BlockId>>) -> IdSet<BlockId> {
    let function = source.function;
    let ends = |block| function.instructions[function.terminator_of(block)].opcode;
    let mut alive = IdSet::new();
    let in_cycle = source.forest.irreducible.iter().flatten().copied();
    let mut work: Vec<BlockId> = in_cycle.collect();
    work.extend(function.blocks.ids().filter(|&block| {
        let is_dead = matches!(ends(block), Opcode::Unreachable | Opcode::Resume | Opcode::CleanupRet);
        let is_end = function.blocks[block].successors.is_empty();
        source.forest.innermost[block].is_some() || (is_end && !is_dead)
    }));
    while let Some(block) = work.pop() {
        if alive.insert(block) {
            work.extend(predecessors[block].iter().copied());
        }
    }
    function.blocks.ids().filter(|&block| !alive.contains(block)).collect()
}

impl<'a> Solver<'a, '_> {
    /// How a number of this type is read: integers with sign, truth values and
    /// addresses without. None of types that are no numbers of 1 to
    /// [`Domain::WIDEST`] bits.
    pub(super) fn domain(&self, ty: TypeId) -> Option<Domain> {
        match self.source.module.types[ty] {
            Type::Integer(bits @ 1..=Domain::WIDEST) => Some(Domain { bits, signed: bits > 1 }),
            Type::Pointer(space) => {
                let bits = self.source.layout.pointer_bits(space);
                (1..=64).contains(&bits).then_some(Domain { bits, signed: false })
            }
            _ => None,
        }
    }

    pub(super) fn domain_of(&self, instruction: InstructionId) -> Option<Domain> {
        self.domain(self.source.function.instructions[instruction].ty)
    }

    /// The symbol that represents a variable.
    pub(super) fn leaf(&mut self, variable: Variable) -> FormulaId {
        let (symbol, domain) = match variable {
            Variable::Result(id) => (Symbol::Result(id), self.domain_of(id)),
            Variable::Cell(version) => {
                (Symbol::Cell(version), self.state.cell_domains.get(&version).copied())
            }
        };
        self.table.symbol(symbol, domain.map_or(FormulaInterval::ALL, Domain::interval))
    }

    /// A number of which nothing can be said.
    pub(super) fn undefined(&mut self) -> FormulaId {
        self.state.undefined += 1;
        self.table.symbol(Symbol::Undefined(self.state.undefined), FormulaInterval::ALL)
    }

    /// The number of the iteration that a loop is in.
    pub(super) fn turn(&mut self, id: LoopId) -> SymbolId {
        self.table.symbol(Symbol::Turn(id), FormulaInterval::NATURAL);
        self.table.find(&Symbol::Turn(id)).expect("just made")
    }

    pub(super) fn turn_formula(&mut self, id: LoopId) -> FormulaId {
        self.table.symbol(Symbol::Turn(id), FormulaInterval::NATURAL)
    }

    /// The variable that a symbol represents.
    pub(super) fn variable(&self, symbol: SymbolId) -> Option<Variable> {
        match *self.table.symbol_of(symbol) {
            Symbol::Result(id) => Some(Variable::Result(id)),
            Symbol::Cell(version) => Some(Variable::Cell(version)),
            _ => None,
        }
    }

    /// The block in which a variable gets its value.
    pub(super) fn block_of(&self, variable: Variable) -> BlockId {
        match variable {
            Variable::Result(id) => self.state.blocks[id],
            Variable::Cell(version) => match self.source.cells.definition(version) {
                CellDefinition::Merge { block, .. } => block,
                CellDefinition::Stored { store: at, .. } | CellDefinition::Changed(at) => {
                    self.state.blocks[at]
                }
                CellDefinition::Entry | CellDefinition::Undefined => opcost_index::Id::new(0),
            },
        }
    }

    /// The innermost loop in which a symbol gets its value anew.
    pub(super) fn home(&self, symbol: SymbolId) -> Option<LoopId> {
        match *self.table.symbol_of(symbol) {
            Symbol::AtEntry(id) => self.around(self.state.blocks[id]),
            Symbol::CellAtEntry(version) => self.around(self.block_of(Variable::Cell(version))),
            _ => self.source.forest.innermost[self.block_of(self.variable(symbol)?)],
        }
    }

    /// The loop around the one that a block heads.
    fn around(&self, header: BlockId) -> Option<LoopId> {
        let id = self.source.forest.loop_with_header(header)?;
        self.source.forest.loops[id].parent
    }

    /// Whether `inner` is `outer` or is in it.
    pub(super) fn is_within(&self, inner: Option<LoopId>, outer: LoopId) -> bool {
        self.source.forest.chain(inner).any(|id| id == outer)
    }

    /// The loop at whose head the variable merges.
    pub(super) fn headed_loop(&self, variable: Variable) -> Option<LoopId> {
        let merges = match variable {
            Variable::Result(id) => self.source.function.instructions[id].opcode == Opcode::Phi,
            Variable::Cell(version) => {
                matches!(self.source.cells.definition(version), CellDefinition::Merge { .. })
            }
        };
        if merges { self.source.forest.loop_with_header(self.block_of(variable)) } else { None }
    }

    /// What a variable at a block's head is, for each block before.
    pub(super) fn arms(&self, variable: Variable) -> Vec<(BlockId, Arm)> {
        match variable {
            Variable::Result(id) => {
                let pairs = self.source.function.operands_of(id).chunks_exact(2);
                let arm = |pair: &[Value]| match pair[1] {
                    Value::Block(from) => Some((from, Arm::Value(pair[0]))),
                    _ => None,
                };
                pairs.filter_map(arm).collect()
            }
            Variable::Cell(version) => match self.source.cells.definition(version) {
                CellDefinition::Merge { incoming, .. } => {
                    incoming.iter().map(|&(from, version)| (from, Arm::Cell(version))).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// `f` read without sign, `f` being a value of so many bits.
    pub(super) fn unsigned(&mut self, formula: FormulaId, bits: u32) -> FormulaId {
        if self.table.range(formula).low >= 0 {
            return formula;
        }
        self.table.wrap(Domain { bits, signed: false }, formula)
    }

    /// Whether control comes to `to` from `from` only, but for branches back.
    pub(super) fn is_only_way(&self, from: BlockId, to: BlockId) -> bool {
        self.state.predecessors[to].iter().all(|&before| {
            before == from
                || self.source.dominators.dominates(to, before)
                || !self.source.dominators.is_reachable(before)
        })
    }

    pub(super) fn is_true(&self, value: Value) -> bool {
        self.truth_value(value) == Some(true)
    }

    pub(super) fn is_false(&self, value: Value) -> bool {
        self.truth_value(value) == Some(false)
    }

    fn truth_value(&self, value: Value) -> Option<bool> {
        let Value::Constant(id) = value else { return None };
        let constant = &self.source.module.constants[id];
        match (constant.value, &self.source.module.types[constant.ty]) {
            (ConstantValue::Integer(value), Type::Integer(1)) => Some(value == 1),
            _ => None,
        }
    }

    /// Whether something undefined is in a formula.
    pub(super) fn is_no_number(&self, formula: FormulaId) -> bool {
        let symbols = self.table.symbols_in(formula).iter();
        let mut undefined =
            symbols.filter(|&&symbol| matches!(self.table.symbol_of(symbol), Symbol::Undefined(_)));
        undefined.next().is_some()
    }

    /// The type of an operand.
    pub(super) fn type_of_operand(&self, value: Value) -> Option<TypeId> {
        self.source.module.type_of(self.source.function, value)
    }
}

/// Questions about loops that rest on each other without end. A recurrence may need how often an
/// inner loop iterates. That needs what its counters are in each iteration, and both need what
/// holds where the loop is entered. An answer that is not there while it is being computed is the
/// one that says nothing.
pub(super) trait Ask {
    /// The closed form of a variable of the loop's head.
    fn closed(&mut self, variable: Variable, id: LoopId, mode: Mode) -> Closed;

    /// What holds whenever a loop is entered.
    fn guards(&mut self, id: LoopId, mode: Mode) -> Rc<Guards>;

    /// What is known of a loop; none while it is being found out.
    fn count(&mut self, id: LoopId, mode: Mode) -> Option<Rc<LoopCount>>;
}
