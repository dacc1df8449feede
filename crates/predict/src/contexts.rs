//! With which numbers is a function entered?
//!
//! A function's counts depend on symbols: its arguments, and what memory holds. A context is the set
//! of their numbers at one kind of call. An argument is a formula of the caller. Memory that the
//! function and all that it calls leave alone has one content while it runs; so its numbers go along
//! to what it calls. What is left is resolved with the calls that led there.
//!
//! Input: models of all functions, and an evaluator of the caller. Output: contexts, each with its
//! share of the call's executions. Cost: the symbols of the callee, a question for each without a
//! number, [`MOST_QUESTIONS`] in all.

use std::collections::BTreeSet;
use std::rc::Rc;

use opcost_analysis::expression::{FormulaId, Symbol};
use opcost_claims::SolvedFunctions;
use opcost_graph::loops::LoopId;
use opcost_index::{AdjacencyGraph, Id, IdMap, strongly_connected_components};
use opcost_ir::{Module, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use crate::dependence::Dependence;
use crate::evaluate::Evaluator;
use crate::fraction::{Fraction, whole};
use crate::model::{CallModel, CellBase, CellSlot, FunctionModel};

/// How many calls back a value is followed.
const MOST_CALLS: usize = 4;
/// Questions about values where certain calls led to them, in all.
const MOST_QUESTIONS: u32 = 4000;
/// Places of memory whose numbers go along.
const MOST_SLOTS: usize = 64;

/// Calls that led to a function, outermost first.
pub(crate) type Chain = Vec<(FunctionId, InstructionId)>;

/// A function as it is entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Context {
    /// Of [`Contexts::needed`].
    pub(crate) numbers: Vec<Option<i128>>,
    /// Of [`Contexts::slots`].
    pub(crate) cells: Vec<Option<i128>>,
    pub(crate) chain: Chain,
}

/// Numbers that are given to a callee.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// By position.
    pub(crate) arguments: HashMap<u32, i128>,
    pub(crate) cells: HashMap<CellSlot, i128>,
}

/// A function with what its loops depend on.
pub(crate) struct Modelled {
    pub(crate) model: FunctionModel,
    pub(crate) dependence: Dependence,
}

/// What functions of a program need to be entered.
pub(crate) struct Contexts<'a> {
    pub(crate) functions: &'a SolvedFunctions<'a>,
    /// Those with a body; none once they are predicted.
    pub(crate) models: IdMap<FunctionId, Option<Rc<Modelled>>>,
    /// Symbols that matter to a function's counts, or to those of what it calls.
    pub(crate) needed: IdMap<FunctionId, Vec<usize>>,
    /// Data that matters to a function or to what it calls.
    pub(crate) slots: IdMap<FunctionId, Vec<CellSlot>>,
    /// Whether chains of calls matter to it or to what it calls.
    depends_on_chains: IdMap<FunctionId, bool>,
    /// Whether it calls itself, perhaps through others.
    pub(crate) cycle: IdMap<FunctionId, bool>,
    answers: HashMap<(FunctionId, Value, Chain), Option<i128>>,
    questions: u32,
}

/// Who calls.
pub(crate) struct Caller<'c> {
    pub(crate) id: FunctionId,
    pub(crate) model: &'c FunctionModel,
    pub(crate) chain: &'c Chain,
}

impl<'a> Contexts<'a> {
    pub(crate) fn new(
        functions: &'a SolvedFunctions<'a>,
        models: IdMap<FunctionId, Option<Rc<Modelled>>>,
    ) -> Contexts<'a> {
        let count = models.len();
        Contexts {
            functions,
            models,
            needed: IdMap::filled(count, Vec::new()),
            slots: IdMap::filled(count, Vec::new()),
            depends_on_chains: IdMap::filled(count, false),
            cycle: IdMap::filled(count, false),
            answers: HashMap::default(),
            questions: MOST_QUESTIONS,
        }
    }

    /// Callers before what they call; on the way it is determined what matters, the other way.
    pub(crate) fn order(&mut self, module: &Module) -> Vec<FunctionId> {
        let mut graph = AdjacencyGraph::new(module.functions.len());
        for id in module.functions.ids() {
            let modelled = self.models[id].clone();
            for call in modelled.iter().flat_map(|one| &one.model.calls) {
                graph.add_edge(id, call.callee);
                self.cycle[id] |= call.callee == id;
            }
        }
        // Each component comes behind those that it leads to.
        let components = strongly_connected_components(&graph);
        let mut order = Vec::new();
        for members in &components.members {
            let is_cycle = members.len() > 1;
            for &id in members {
                self.cycle[id] |= is_cycle;
                self.find_needed(id);
                order.push(id);
            }
        }
        order.reverse();
        order
    }

    fn find_needed(&mut self, id: FunctionId) {
        let Some(modelled) = self.models[id].clone() else { return };
        let model = &modelled.model;
        let mut formulas = model.deciding_formulas();
        let mut depends_on_chains = false;
        let mut slots: BTreeSet<CellSlot> = BTreeSet::new();
        for call in &model.calls {
            depends_on_chains |= self.depends_on_chains[call.callee];
            slots.extend(&self.slots[call.callee]);
            let Some(callee) = &self.models[call.callee] else { continue };
            let wanted = self.needed[call.callee].iter().filter_map(|position| {
                match callee.model.symbols[position].symbol {
                    Symbol::Argument(position) => Some(position as usize),
                    _ => None,
                }
            });
            formulas.extend(wanted.filter_map(|position| call.arguments.get(position).copied().flatten()));
        }
        let symbols: BTreeSet<usize> = formulas
            .iter()
            .flat_map(|&formula| model.formulas.symbols_in(formula))
            .map(|symbol| symbol.index())
            .filter(|position| model.symbols.contains_key(position))
            .collect();
        depends_on_chains |= symbols.iter().any(|position| !model.symbols[position].values.is_empty());
        let own = symbols.iter().filter_map(|position| model.symbols[position].slot);
        slots.extend(own.filter(|slot| matches!(slot.base, CellBase::Global(_))));
        self.needed[id] = symbols.into_iter().collect();
        self.slots[id] = slots.into_iter().take(MOST_SLOTS).collect();
        self.depends_on_chains[id] = depends_on_chains;
    }

    /// The number that a value is where these calls led to it.
    pub(crate) fn number_where_called(
        &mut self,
        id: FunctionId,
        value: Value,
        chain: &Chain,
    ) -> Option<i128> {
        let surplus = chain.len().saturating_sub(MOST_CALLS);
        let key = (id, value, chain[surplus..].to_vec());
        if let Some(&answer) = self.answers.get(&key) {
            return answer;
        }
        self.questions = self.questions.checked_sub(1)?;
        let answer = self.functions.number_where_called(id, value, &key.2);
        self.answers.insert(key, answer);
        answer
    }

    /// The numbers that a function's symbols have where it is called so.
    pub(crate) fn context(&mut self, id: FunctionId, mut chain: Chain, given: &Given) -> Context {
        let surplus = chain.len().saturating_sub(MOST_CALLS);
        chain.drain(..surplus);
        let Some(modelled) = self.models[id].clone() else { return Context { chain, ..Context::default() } };
        let needed = self.needed[id].clone();
        let mut numbers = Vec::new();
        for position in &needed {
            let open = &modelled.model.symbols[position];
            let passed = match open.symbol {
                Symbol::Argument(position) => given.arguments.get(&position).copied(),
                _ => open.slot.and_then(|slot| given.cells.get(&slot).copied()),
            };
            let number = passed.or_else(|| {
                let value = *open.values.first().filter(|_| !chain.is_empty())?;
                self.number_where_called(id, value, &chain)
            });
            numbers.push(number);
        }
        let cells = self.slots[id].iter().map(|slot| given.cells.get(slot).copied()).collect();
        let chain = if self.depends_on_chains[id] { chain } else { Vec::new() };
        Context { numbers, cells, chain }
    }

    /// The numbers of a function's symbols in a context, by symbol.
    pub(crate) fn numbers(&self, id: FunctionId, context: &Context) -> HashMap<Symbol, i128> {
        let Some(modelled) = &self.models[id] else { return HashMap::default() };
        let needed = self.needed[id].iter().zip(&context.numbers);
        let symbols = &modelled.model.symbols;
        needed.filter_map(|(position, number)| Some((symbols[position].symbol.clone(), (*number)?))).collect()
    }

    /// What goes along to the callees of a function.
    pub(crate) fn passed_on(&self, id: FunctionId, context: &Context) -> Given {
        let cells = self.slots[id].iter().zip(&context.cells);
        let cells = cells.filter_map(|(slot, number)| Some((*slot, (*number)?))).collect();
        Given { arguments: HashMap::default(), cells }
    }

    /// The contexts that a call enters, each with its share of the call's executions.
    pub(crate) fn of_call(
        &mut self,
        caller: &Caller<'_>,
        call: &CallModel,
        evaluator: &mut Evaluator<'_>,
        given: &Given,
    ) -> Vec<(Context, Fraction)> {
        let mut chain = caller.chain.clone();
        chain.push((caller.id, call.at));
        let passed = self.passed(call);
        // An argument that each iteration of a loop gives anew.
        let varying = varying_loop(caller.model, &passed)
            .and_then(|around| Some((around, evaluator.shares_of_iterations(around, call.block)?)));
        let mut contexts = Vec::new();
        match varying {
            None => {
                let given = with_arguments(given, evaluator, &passed, None);
                contexts.push((self.context(call.callee, chain, &given), whole(1)));
            }
            Some((around, shares)) => {
                for (iteration, share) in (0..).zip(shares) {
                    let given = with_arguments(given, evaluator, &passed, Some((around, iteration)));
                    contexts.push((self.context(call.callee, chain.clone(), &given), share));
                }
            }
        }
        contexts
    }

    /// Arguments that matter to what is called, by position.
    fn passed(&self, call: &CallModel) -> Vec<(u32, FormulaId)> {
        let Some(callee) = &self.models[call.callee] else { return Vec::new() };
        let wanted = self.needed[call.callee].iter().filter_map(|position| {
            let Symbol::Argument(position) = callee.model.symbols[position].symbol else { return None };
            Some((position, call.arguments.get(position as usize).copied().flatten()?))
        });
        wanted.collect()
    }
}

/// The only loop whose iteration decides what is passed.
fn varying_loop(model: &FunctionModel, passed: &[(u32, FormulaId)]) -> Option<LoopId> {
    let symbols = passed.iter().flat_map(|&(_, formula)| model.formulas.symbols_in(formula));
    let loops: BTreeSet<LoopId> = symbols
        .filter_map(|&symbol| match *model.formulas.symbol_of(symbol) {
            Symbol::Turn(id) => Some(id),
            _ => None,
        })
        .collect();
    if loops.len() == 1 { loops.into_iter().next() } else { None }
}

/// The numbers that are passed, in one iteration of a loop.
fn with_arguments(
    given: &Given,
    evaluator: &mut Evaluator<'_>,
    passed: &[(u32, FormulaId)],
    at: Option<(LoopId, i128)>,
) -> Given {
    let mut all = given.clone();
    let number = |&(position, formula)| Some((position, evaluator.number_in(formula, at)?));
    all.arguments.extend(passed.iter().filter_map(number));
    all
}
