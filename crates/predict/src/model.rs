//! What of a function decides how often its blocks run? Plain data to evaluate.
//!
//! Each edge has the condition under which it is taken, and its share where that is not decided. Each
//! loop has its trip count, each call its arguments. The symbols of all these are listed. All formulas
//! are in one table. Input: a solved function (`opcost_claims`). Output: [`FunctionModel`].
//! Cost: one condition an edge.

use std::collections::{BTreeMap, BTreeSet};

use opcost_analysis::evolution::{Entered, Reason, TripAnswer};
use opcost_analysis::expression::{FormulaId, Formulas, Symbol, Test};
use opcost_analysis::memory::{MemoryModel, constant_distance};
use opcost_claims::Solved;
use opcost_graph::dominators::Dominators;
use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{Id, IdMap, reverse_postorder};
use opcost_ir::{CalleeRef, ConstantValue, Flags, Function, GlobalId, Layout, Module, Opcode, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use crate::fraction::{Fraction, ratio};
use crate::prior::Priors;
use crate::region::Regions;

/// What decides how often the blocks of a function run.
pub(crate) struct FunctionModel {
    pub(crate) formulas: Formulas,
    pub(crate) forest: LoopForest<BlockId>,
    pub(crate) regions: Regions,
    pub(crate) edges: IdMap<BlockId, Vec<EdgeModel>>,
    pub(crate) loops: IdMap<LoopId, LoopModel>,
    pub(crate) calls: Vec<CallModel>,
    /// Blocks that control reaches from a cycle that is no natural loop, those in it among them. How much of it comes
    /// there is not known.
    pub(crate) is_after_cycle: IdMap<BlockId, bool>,
    /// Symbols without a number.
    pub(crate) symbols: BTreeMap<usize, OpenSymbol>,
    /// Their positions.
    positions: HashMap<Symbol, usize>,
}

/// One edge.
pub(crate) struct EdgeModel {
    pub(crate) edge: Edge<BlockId>,
    pub(crate) taken: Entered,
    /// Its share where nothing is decided.
    pub(crate) prior: Fraction,
    /// Another one: what it does not change rests on no guess.
    pub(crate) other: Fraction,
}

/// Other shares of so many ways. Each has one: that an abort is not taken is a guess, too. Of any of the ways, no one
/// has the share that all would have if they were alike. Of few, weights are powers of one number, among which none is
/// the mean of others. Of many they are drawn.
fn others(ways: usize) -> impl Iterator<Item = Fraction> {
    const BASE: u64 = 37;
    const FEW: usize = 8;
    // SplitMix64 (Steele, Lea, Flood 2014), 40 bits of it.
    let drawn = |slot: usize| {
        let mut mixed = (slot as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) >> 24 | 1
    };
    let weight = move |slot: usize| if ways <= FEW { BASE.pow(slot as u32) } else { drawn(slot) };
    let total: u64 = (0..ways).map(weight).sum();
    (0..ways).map(move |slot| ratio(weight(slot), total))
}

/// One loop.
pub(crate) struct LoopModel {
    pub(crate) back_edges: TripAnswer,
    pub(crate) conditions: Vec<Test>,
    pub(crate) reason: Option<String>,
    /// How often it goes back for each entry, on average of a run.
    pub(crate) average: Option<Fraction>,
}

/// A call of a function of the program.
pub(crate) struct CallModel {
    pub(crate) block: BlockId,
    pub(crate) at: InstructionId,
    pub(crate) callee: FunctionId,
    /// A formula for each argument that has one.
    pub(crate) arguments: Vec<Option<FormulaId>>,
}

/// A symbol of which the code alone does not say which number it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenSymbol {
    pub(crate) symbol: Symbol,
    pub(crate) name: String,
    /// Whether it comes from outside by a name, so that a user can give it.
    pub(crate) is_input: bool,
    pub(crate) about: String,
    /// The values of the code that it is, where the calls that led here may decide it. Of a cell
    /// these are loads that read it between the same two changes.
    pub(crate) values: Vec<Value>,
    /// The memory that it is read from, where that is one place for each call.
    pub(crate) slot: Option<CellSlot>,
}

/// Memory that has one address while a function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CellSlot {
    pub(crate) base: CellBase,
    /// Bytes after it.
    pub(crate) offset: i64,
    pub(crate) ty: TypeId,
}

/// What an address begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CellBase {
    Global(GlobalId),
    /// A parameter, by position.
    Argument(u32),
}

impl CellSlot {
    /// Where a load reads from, if its address is made of data or a parameter by constants.
    fn of(module: &Module, layout: &Layout, function: &Function, load: InstructionId) -> Option<CellSlot> {
        let instruction = &function.instructions[load];
        if instruction.opcode != Opcode::Load
            || instruction.flags.has(Flags::VOLATILE)
            || instruction.flags.has(Flags::ATOMIC)
        {
            return None;
        }
        let (mut pointer, mut offset) = (function.operands_of(load)[0], 0_i64);
        loop {
            let base = match pointer {
                Value::Argument(position) => CellBase::Argument(position),
                Value::Constant(id) => match module.constants[id].value {
                    ConstantValue::Global { global, offset: more } => {
                        offset = offset.checked_add(more)?;
                        CellBase::Global(global)
                    }
                    _ => return None,
                },
                Value::Instruction(at) if function.instructions[at].opcode == Opcode::GetElementPtr => {
                    offset = offset.checked_add(constant_distance(module, layout, function, at)?)?;
                    pointer = function.operands_of(at)[0];
                    continue;
                }
                _ => return None,
            };
            return Some(CellSlot { base, offset, ty: instruction.ty });
        }
    }
}

/// Blocks that control reaches from a cycle with several entries.
fn after_cycles(function: &Function, forest: &LoopForest<BlockId>) -> IdMap<BlockId, bool> {
    let mut reached = IdMap::filled(function.blocks.len(), false);
    let mut work: Vec<BlockId> = forest.irreducible.iter().flatten().copied().collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            work.extend(&function.blocks[block].successors);
        }
    }
    reached
}

impl FunctionModel {
    pub(crate) fn of(program: &MemoryModel<'_>, id: FunctionId, solved: &mut Solved<'_>) -> FunctionModel {
        let (module, layout) = (program.module, program.layout);
        let function = &module.functions[id];
        let forest = solved.forest().clone();
        let order = reverse_postorder(function, BlockId::new(0));
        let regions = Regions::of(&forest, &order);
        let priors = Priors::new(module, function, &forest);
        let mut all: IdMap<BlockId, Vec<EdgeModel>> = IdMap::new();
        let reached: BTreeSet<BlockId> = order.iter().copied().collect();
        for block in function.blocks.ids() {
            let mut own = Vec::new();
            if reached.contains(&block) {
                let is_choice = function.blocks[block].successors.len() > 1;
                let shares = priors.shares(block);
                let others = others(shares.len());
                for ((edge, prior), other) in edges_from(function, block).zip(shares).zip(others) {
                    let taken = if is_choice { solved.taken(edge) } else { Entered::Always };
                    own.push(EdgeModel { edge, taken, prior, other });
                }
            }
            all.push(own);
        }
        let loops: IdMap<LoopId, LoopModel> = forest
            .loops
            .ids()
            .map(|id| {
                let trips = solved.trips(id);
                LoopModel {
                    back_edges: trips.back_edges,
                    conditions: trips.conditions,
                    reason: trips.reason,
                    average: None,
                }
            })
            .collect();
        let calls = calls(function, solved, &reached);
        let mut model = FunctionModel {
            formulas: solved.formulas().clone(),
            is_after_cycle: after_cycles(function, &forest),
            forest,
            regions,
            edges: all,
            loops,
            calls,
            symbols: BTreeMap::new(),
            positions: HashMap::default(),
        };
        model.symbols = model.open_symbols(solved, &FunctionOf { module, layout, function });
        model.positions = model.symbols.iter().map(|(&at, open)| (open.symbol.clone(), at)).collect();
        model
    }

    /// The same with nothing known of loops and branches.
    pub(crate) fn of_statics(module: &Module, id: FunctionId) -> FunctionModel {
        let function = &module.functions[id];
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        let order = reverse_postorder(function, BlockId::new(0));
        let regions = Regions::of(&forest, &order);
        let priors = Priors::new(module, function, &forest);
        let edges = function.blocks.ids().map(|block| {
            let shares = edges_from(function, block).zip(priors.shares(block));
            let edge = |(edge, prior): (Edge<BlockId>, Fraction)| EdgeModel {
                edge,
                taken: Entered::Unknown,
                other: prior.clone(),
                prior,
            };
            shares.map(edge).collect()
        });
        let edges = edges.collect();
        let unknown = || LoopModel {
            back_edges: TripAnswer::Unknown(Reason::TooBig),
            conditions: Vec::new(),
            reason: None,
            average: None,
        };
        let loops = forest.loops.ids().map(|_| unknown()).collect();
        FunctionModel {
            formulas: Formulas::new(),
            is_after_cycle: after_cycles(function, &forest),
            regions,
            edges,
            loops,
            forest,
            calls: Vec::new(),
            symbols: BTreeMap::new(),
            positions: HashMap::default(),
        }
    }

    /// What a run says of its loops.
    pub(crate) fn set_averages(&mut self, of: impl Fn(BlockId) -> Option<Fraction>) {
        for (id, one) in self.forest.loops.iter() {
            self.loops[id].average = of(one.header);
        }
    }

    /// All formulas that decide counts.
    pub(crate) fn deciding_formulas(&self) -> Vec<FormulaId> {
        let edges = self.edges.values().flatten().flat_map(|edge| edge.taken.formulas());
        let loops = self.loops.values().flat_map(|one| {
            one.back_edges.formula().into_iter().chain(one.conditions.iter().map(|test| test.of))
        });
        edges.chain(loops).collect()
    }

    /// Those, and the ones that calls pass on.
    fn all_formulas(&self) -> Vec<FormulaId> {
        let passed = self.calls.iter().flat_map(|call| call.arguments.iter().flatten().copied());
        self.deciding_formulas().into_iter().chain(passed).collect()
    }

    /// The position of a symbol that is open.
    pub(crate) fn position_of(&self, symbol: &Symbol) -> Option<usize> {
        self.positions.get(symbol).copied()
    }

    fn open_symbols(&self, solved: &Solved<'_>, of: &FunctionOf<'_>) -> BTreeMap<usize, OpenSymbol> {
        let FunctionOf { module, layout, function } = *of;
        let mut open = BTreeMap::new();
        for formula in self.all_formulas() {
            for &id in self.formulas.symbols_in(formula) {
                let symbol = self.formulas.symbol_of(id);
                if open.contains_key(&id.index()) || matches!(symbol, Symbol::Turn(_) | Symbol::Index(_)) {
                    continue;
                }
                let named = solved.named(symbol);
                let values = solved.values_of(symbol);
                let symbol = symbol.clone();
                let slot = values.iter().find_map(|value| match *value {
                    Value::Instruction(load) => CellSlot::of(module, layout, function, load),
                    _ => None,
                });
                let one = OpenSymbol {
                    slot,
                    symbol,
                    name: named.name,
                    is_input: named.is_input,
                    about: named.about,
                    values,
                };
                open.insert(id.index(), one);
            }
        }
        open
    }
}

/// A function where it is defined.
struct FunctionOf<'a> {
    module: &'a Module,
    layout: &'a Layout,
    function: &'a Function,
}

/// Calls of functions of the module, with what they pass as formulas.
fn calls(function: &Function, solved: &mut Solved<'_>, reached: &BTreeSet<BlockId>) -> Vec<CallModel> {
    let mut calls = Vec::new();
    for &(at, call) in &function.calls {
        let CalleeRef::Function(callee) = call.callee else { continue };
        let block = function.block_of(at);
        if !reached.contains(&block) {
            continue;
        }
        let arguments = function
            .arguments_of(at)
            .iter()
            .map(|&value| match value {
                Value::Instruction(_) | Value::Argument(_) | Value::Constant(_) => {
                    solved.value_in(value, block)
                }
                _ => None,
            })
            .collect();
        calls.push(CallModel { block, at, callee, arguments });
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::{Fraction, others, ratio};

    /// What both probabilities agree on rests on no guess: they must not agree by chance.
    #[test]
    fn no_way_has_the_share_of_ways_that_are_alike() {
        for ways in 2..=12_usize {
            let all: Vec<Fraction> = others(ways).collect();
            assert!(all.iter().sum::<Fraction>() == ratio(1, 1));
            for some in 1_u32..1 << ways {
                let left = (0..ways).filter(|slot| some >> slot & 1 == 1);
                let count = u64::from(some.count_ones());
                let total: Fraction = left.clone().map(|slot| &all[slot]).sum();
                let is_alike = |slot: usize| &all[slot] / &total == ratio(1, count);
                assert!(count == 1 || !left.clone().any(is_alike), "{ways} ways, of them {some:b}");
            }
        }
        assert!(others(1000).count() == 1000);
    }
}
