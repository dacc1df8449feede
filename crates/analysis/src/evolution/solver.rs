//! What is at hand while a function is solved: the code, the table, what was
//! found so far.
//!
//! Every question is answered once for each of two modes. In [`Mode::Strict`]
//! no flag is believed: the machine goes round whatever was promised. In
//! [`Mode::Trusting`] the result of an instruction with a flag is what it would
//! be without wrapping, and the flag is listed with all that rests on it.

use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;

use opcost_index::{IdMap, IdSet, reverse};
use opcost_ir::{Function, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{BlockId, InstructionId};

use super::answer::{Assumption, Reason};
use super::counts::LoopCount;
use super::guards::Guards;
use crate::cells::{CellDefinition, CellVersion, Cells};
use crate::expression::{Domain, FormulaId, Formulas, Interval, Symbol, SymbolId};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};

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

/// What is taken as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    /// No flag.
    Strict,
    /// Every flag.
    Trusting,
}

/// What may change from turn to turn: a result, or a cell of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variable {
    Result(InstructionId),
    Cell(CellVersion),
}

/// What something rests on, each thing once.
pub(super) type Relies = Rc<[Assumption]>;

/// More than this is not listed; what needs more is not looked into.
const MOST_ASSUMPTIONS: usize = 24;

/// A formula and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) formula: FormulaId,
    pub(super) relies: Relies,
}

impl Known {
    pub(super) fn plain(formula: FormulaId) -> Known {
        Known { formula, relies: Rc::new([]) }
    }
}

/// Both lists, each thing once; none if there are too many.
pub(super) fn both(a: &Relies, b: &Relies) -> Option<Relies> {
    if b.iter().all(|assumption| a.contains(assumption)) {
        return Some(a.clone());
    }
    if a.is_empty() {
        return Some(b.clone());
    }
    let mut all = a.to_vec();
    for assumption in b.iter() {
        if !all.contains(assumption) {
            all.push(*assumption);
        }
    }
    (all.len() <= MOST_ASSUMPTIONS).then(|| all.into())
}

/// What a variable of a loop's head is in turn number `Turn(loop)`.
#[derive(Clone, Debug)]
pub(super) enum Closed {
    /// Being found out.
    Open,
    /// A formula of the turn.
    Form {
        /// The value.
        value: Known,
        /// The value read without sign, where that is known better than by wrapping.
        unsigned: Option<FormulaId>,
    },
    /// It has none.
    None(Reason),
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
    pub(super) walks: HashMap<LoopId, Option<super::walk::Walked>>,
    /// Instructions that may still be executed by walks.
    pub(super) steps: u32,
}

/// How deep questions about loops may ask about other loops.
pub(super) const DEEPEST_QUESTION: u32 = 24;

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
            steps: super::walk::MOST_STEPS_IN_ALL,
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

    /// The symbol that stands for a variable.
    pub(super) fn leaf(&mut self, variable: Variable) -> FormulaId {
        let (symbol, domain) = match variable {
            Variable::Result(id) => (Symbol::Result(id), self.domain_of(id)),
            Variable::Cell(version) => {
                (Symbol::Cell(version), self.state.cell_domains.get(&version).copied())
            }
        };
        self.table.symbol(symbol, domain.map_or(Interval::ALL, Domain::interval))
    }

    /// A number of which nothing can be said.
    pub(super) fn undefined(&mut self) -> FormulaId {
        self.state.undefined += 1;
        self.table.symbol(Symbol::Undefined(self.state.undefined), Interval::ALL)
    }

    /// The number of the turn that a loop is in.
    pub(super) fn turn(&mut self, id: LoopId) -> SymbolId {
        self.table.symbol(Symbol::Turn(id), Interval::NATURAL);
        self.table.find(&Symbol::Turn(id)).expect("just made")
    }

    pub(super) fn turn_formula(&mut self, id: LoopId) -> FormulaId {
        self.table.symbol(Symbol::Turn(id), Interval::NATURAL)
    }

    /// The variable that a symbol stands for.
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
        let id = self.source.forest.headed_by(header)?;
        self.source.forest.loops[id].parent
    }

    /// Whether `inner` is `outer` or lies in it.
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
        if merges { self.source.forest.headed_by(self.block_of(variable)) } else { None }
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
}

/// What comes from one block before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arm {
    Value(Value),
    Cell(CellVersion),
}
