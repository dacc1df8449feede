//! How often does every block of a program run? Through calls, from `main` on.
//!
//! A function is entered as often as its call sites run. It is evaluated once for each set of numbers
//! that its open symbols have where it is called. Arguments are formulas of the caller; what memory
//! holds is resolved with the calls that led there. Functions are taken in the order of calls.
//!
//! Calls within a cycle of calls are not followed, and a function whose address is taken may be
//! called by others. Such functions, and all that they call, are marked unknown. What is counted of
//! them is the least.
//!
//! Input: solved functions. Output: [`Prediction`]. Cost: each function once for each set, at
//! most [`MOST_CONTEXTS`] of them; beyond, all other calls share one without numbers.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{One, Zero};
use opcost_analysis::expression::{FormulaId, Symbol};
use opcost_claims::SolvedFunctions;
use opcost_graph::loops::LoopId;
use opcost_index::{AdjacencyGraph, Id, IdMap, strongly_connected_components};
use opcost_ir::{Linkage, Module, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

use crate::dependence::Dependence;
use crate::ending::early_end;
use crate::evaluate::{Belief, Counts, Evaluator, LoopGrade};
use crate::formula::block_formulas;
use crate::fraction::Fraction;
use crate::model::{CallModel, FunctionModel, OpenSymbol};
use crate::prediction::{BlockPrediction, Class, FunctionPrediction, MissingInput, Prediction};

/// Sets of numbers that one function is evaluated for.
const MOST_CONTEXTS: usize = 300;
/// How many calls back a value is followed.
const MOST_CALLS: usize = 4;
/// Questions about values where certain calls led to them, in all.
const MOST_QUESTIONS: u32 = 4000;
/// Units that are looked at one iteration at a time, in all.
const BUDGET: u64 = 200_000;

/// Calls that led to a function, outermost first.
type Chain = Vec<(FunctionId, InstructionId)>;

/// A function as it is entered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Context {
    numbers: Vec<Option<i128>>,
    chain: Chain,
}

/// How often, and how that is known.
#[derive(Clone, Debug)]
struct Entries {
    times: Fraction,
    class: Class,
    /// Why it is unknown, or who is to blame.
    reason: Option<String>,
    is_exact: bool,
}

/// What is wanted besides the code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    /// Inputs without numbers are guessed.
    pub(crate) is_guess: bool,
}

/// A program while it is predicted.
pub(crate) struct Program<'a> {
    module: &'a Module,
    functions: &'a SolvedFunctions<'a>,
    models: IdMap<FunctionId, Option<(FunctionModel, Dependence)>>,
    /// Symbols that matter to a function's counts, or to those of what it calls.
    needed: IdMap<FunctionId, Vec<usize>>,
    /// Whether chains of calls matter to it or to what it calls.
    depends_on_chains: IdMap<FunctionId, bool>,
    cycle: IdMap<FunctionId, bool>,
    entered: IdMap<FunctionId, BTreeMap<Context, Entries>>,
    predictions: IdMap<FunctionId, Option<FunctionPrediction>>,
    missing: BTreeMap<String, MissingInput>,
    questions: u32,
    budget: u64,
    wishes: Wishes,
}

impl<'a> Program<'a> {
    pub(crate) fn predict(
        module: &'a Module,
        functions: &'a SolvedFunctions<'a>,
        wishes: Wishes,
    ) -> Prediction {
        let count = module.functions.len();
        let models = module.functions.iter().map(|(id, function)| {
            let has_body = !function.blocks.is_empty();
            has_body.then(|| {
                functions.solve(id, |solved| {
                    let model = FunctionModel::of(module, id, solved);
                    let dependence = Dependence::of(&model);
                    (model, dependence)
                })
            })
        });
        let mut program = Program {
            module,
            functions,
            models: models.collect(),
            needed: IdMap::filled(count, Vec::new()),
            depends_on_chains: IdMap::filled(count, false),
            cycle: IdMap::filled(count, false),
            entered: IdMap::filled(count, BTreeMap::new()),
            predictions: IdMap::filled(count, None),
            missing: BTreeMap::new(),
            questions: MOST_QUESTIONS,
            budget: BUDGET,
            wishes,
        };
        let order = program.order();
        program.enter_roots();
        for &id in &order {
            program.function(id);
        }
        let inputs = std::mem::take(&mut program.missing);
        let early_end = early_end(module, &program.predictions, main_of(module));
        if early_end.is_some() {
            let functions = program.predictions.values_mut().flatten();
            functions.flat_map(|one| one.blocks.values_mut()).for_each(|block| block.is_exact = false);
        }
        Prediction {
            functions: program.predictions,
            early_end,
            inputs: inputs.into_values().collect(),
            has_main: main_of(module).is_some(),
        }
    }

    /// Callers before what they call; on the way the symbols that matter are found, the other way.
    fn order(&mut self) -> Vec<FunctionId> {
        let mut graph = AdjacencyGraph::new(self.module.functions.len());
        for id in self.module.functions.ids() {
            for call in self.models[id].iter().flat_map(|(model, _)| &model.calls) {
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
        let Some((model, _)) = &self.models[id] else { return };
        let mut formulas = model.deciding_formulas();
        let mut depends_on_chains = false;
        for call in &model.calls {
            depends_on_chains |= self.depends_on_chains[call.callee];
            let Some((callee, _)) = &self.models[call.callee] else { continue };
            let wanted = self.needed[call.callee].iter().filter_map(|position| {
                match callee.symbols[position].symbol {
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
        depends_on_chains |= symbols.iter().any(|position| model.symbols[position].value.is_some());
        self.needed[id] = symbols.into_iter().collect();
        self.depends_on_chains[id] = depends_on_chains;
    }

    /// `main` is entered once, and so is what runs before it and at the end; without a main each function that
    /// others can call.
    fn enter_roots(&mut self) {
        let module = self.module;
        let once =
            || Entries { times: Fraction::one(), class: Class::StaticBlock, reason: None, is_exact: true };
        let mut roots: Vec<(FunctionId, Entries)> = Vec::new();
        for initializer in &module.initializers {
            if let Some(Value::Function(id)) = initializer.function {
                roots.push((id, once()));
            }
        }
        match main_of(module) {
            Some(main) => roots.push((main, once())),
            None => {
                let exported = module.functions.iter().filter(|(_, one)| one.linkage != Linkage::Local);
                roots.extend(exported.map(|(id, _)| (id, once())));
            }
        }
        let starts: BTreeSet<FunctionId> = roots.iter().map(|(id, _)| *id).collect();
        for (id, function) in module.functions.iter() {
            if function.is_address_taken && !starts.contains(&id) {
                let reason = "its address is taken: calls through pointers are not counted".to_owned();
                let entries = Entries {
                    times: Fraction::zero(),
                    class: Class::Unknown,
                    reason: Some(reason),
                    is_exact: false,
                };
                roots.push((id, entries));
            }
        }
        for (id, entries) in roots {
            let context = self.context(id, Vec::new(), &HashMap::default());
            self.enter(id, context, entries);
        }
    }

    fn enter(&mut self, id: FunctionId, context: Context, entries: Entries) {
        let all = &mut self.entered[id];
        let context = if all.contains_key(&context) || all.len() < MOST_CONTEXTS {
            context
        } else {
            Context { numbers: vec![None; context.numbers.len()], chain: Vec::new() }
        };
        match all.get_mut(&context) {
            Some(known) => {
                known.times += entries.times;
                known.is_exact &= entries.is_exact;
                if entries.class > known.class {
                    (known.class, known.reason) = (entries.class, entries.reason);
                }
            }
            None => {
                all.insert(context, entries);
            }
        }
    }

    /// The numbers that a function's symbols have where it is called so.
    fn context(&mut self, id: FunctionId, chain: Chain, arguments: &HashMap<u32, i128>) -> Context {
        let Program { models, needed, questions, functions, depends_on_chains, .. } = self;
        let Some((model, _)) = &models[id] else { return Context { numbers: Vec::new(), chain } };
        let mut numbers = Vec::new();
        for position in &needed[id] {
            let open: &OpenSymbol = &model.symbols[position];
            let given = match open.symbol {
                Symbol::Argument(position) => arguments.get(&position).copied(),
                _ => None,
            };
            let number = given.or_else(|| {
                let value = open.value.filter(|_| !chain.is_empty())?;
                *questions = questions.checked_sub(1)?;
                functions.number_where_called(id, value, &chain)
            });
            numbers.push(number);
        }
        let chain = if depends_on_chains[id] { chain } else { Vec::new() };
        Context { numbers, chain }
    }

    fn function(&mut self, id: FunctionId) {
        let Some((model, dependence)) = self.models[id].take() else { return };
        let contexts = std::mem::take(&mut self.entered[id]);
        let mut prediction = FunctionPrediction::none(model.edges.len());
        for (context, mut entries) in contexts {
            if self.cycle[id] && entries.class < Class::Unknown {
                entries.class = Class::Unknown;
                entries.reason = Some("recursion: calls of itself are not counted".to_owned());
            }
            let needed = self.needed[id].iter().zip(&context.numbers);
            let numbers: HashMap<Symbol, i128> = needed
                .filter_map(|(position, number)| Some((model.symbols[position].symbol.clone(), (*number)?)))
                .collect();
            let belief = if self.wishes.is_guess { Belief::Guess } else { Belief::Decided };
            let mut evaluator = Evaluator::new(&model, &dependence, &numbers, self.budget, belief);
            let counts = evaluator.counts();
            self.want(&model, &counts);
            let formulas = block_formulas(&model, &counts);
            for block in model.edges.ids() {
                let mut one = classified(&model, &counts, block, &entries);
                one.formula = formulas[block].clone();
                prediction.blocks[block].add(one);
            }
            prediction.enter(&entries.times, entries.class, entries.reason.clone());
            self.follow(id, &mut evaluator, &counts, Entered { context: &context, entries: &entries });
            self.budget = evaluator.budget;
        }
        self.predictions[id] = Some(prediction);
    }

    /// Enters what a function calls.
    fn follow(
        &mut self,
        id: FunctionId,
        evaluator: &mut Evaluator<'_>,
        counts: &Counts,
        entered: Entered<'_>,
    ) {
        let model = evaluator.model;
        for call in &model.calls {
            // What has no model any more was predicted before: the call closes a cycle.
            if self.models[call.callee].is_none() {
                continue;
            }
            let site = classified(model, counts, call.block, entered.entries);
            if site.least.is_zero() && site.class < Class::Open {
                continue;
            }
            let mut chain = entered.context.chain.clone();
            chain.push((id, call.at));
            let surplus = chain.len().saturating_sub(MOST_CALLS);
            chain.drain(..surplus);
            let BlockPrediction { least: times, class, reason, is_exact, .. } = site;
            let entries = Entries { times, class, reason, is_exact };
            let passed = self.passed(call);
            // An argument that each iteration of a loop gives anew.
            let varying = varying_loop(model, &passed)
                .and_then(|around| Some((around, evaluator.shares_of_iterations(around, call.block)?)));
            match varying {
                None => {
                    let arguments = arguments(evaluator, &passed, None);
                    let context = self.context(call.callee, chain, &arguments);
                    self.enter(call.callee, context, entries);
                }
                Some((around, shares)) => {
                    for (turn, share) in (0..).zip(shares) {
                        let arguments = arguments(evaluator, &passed, Some((around, turn)));
                        let context = self.context(call.callee, chain.clone(), &arguments);
                        let own = Entries { times: &entries.times * share, ..entries.clone() };
                        if !own.times.is_zero() {
                            self.enter(call.callee, context, own);
                        }
                    }
                }
            }
        }
    }

    /// Arguments that matter to what is called, by position.
    fn passed(&self, call: &CallModel) -> Vec<(u32, FormulaId)> {
        let Some((callee, _)) = &self.models[call.callee] else { return Vec::new() };
        let wanted = self.needed[call.callee].iter().filter_map(|position| {
            let Symbol::Argument(position) = callee.symbols[position].symbol else { return None };
            Some((position, call.arguments.get(position as usize).copied().flatten()?))
        });
        wanted.collect()
    }

    fn want(&mut self, model: &FunctionModel, counts: &Counts) {
        for position in &counts.missing {
            let open = &model.symbols[position];
            if open.is_input {
                let input = MissingInput { name: open.name.clone(), about: open.about.clone() };
                self.missing.entry(open.name.clone()).or_insert(input);
            }
        }
    }
}

/// What a function is entered with.
struct Entered<'c> {
    context: &'c Context,
    entries: &'c Entries,
}

/// The only loop whose iteration decides what is passed.
fn varying_loop(model: &FunctionModel, passed: &[(u32, FormulaId)]) -> Option<LoopId> {
    let turns =
        passed.iter().flat_map(|&(_, formula)| model.formulas.symbols_in(formula)).filter_map(|&symbol| {
            match *model.formulas.symbol_of(symbol) {
                Symbol::Turn(id) => Some(id),
                _ => None,
            }
        });
    let turns: BTreeSet<LoopId> = turns.collect();
    if turns.len() == 1 { turns.into_iter().next() } else { None }
}

/// The numbers that are passed, in one iteration of a loop.
fn arguments(
    evaluator: &mut Evaluator<'_>,
    passed: &[(u32, FormulaId)],
    at: Option<(LoopId, i128)>,
) -> HashMap<u32, i128> {
    let number = |&(position, formula)| Some((position, evaluator.number_in(formula, at)?));
    passed.iter().filter_map(number).collect()
}

/// How often a block runs in all, for these entries, and how that is known.
fn classified(model: &FunctionModel, counts: &Counts, block: BlockId, entries: &Entries) -> BlockPrediction {
    let mut class = entries.class;
    let mut reason = entries.reason.clone();
    let mut raise = |to: Class, why: Option<String>| {
        if to > class {
            class = to;
            reason = why;
        }
    };
    let around: Vec<LoopId> = model.forest.chain(model.forest.innermost[block]).collect();
    for &id in &around {
        let why = || model.loops[id].reason.clone();
        match counts.grades[id] {
            Some(LoopGrade::Constant) | None => raise(Class::Constant, None),
            Some(LoopGrade::Formula) => raise(Class::Formula, None),
            Some(LoopGrade::Bound) => raise(Class::Bound, why()),
            Some(LoopGrade::Static) => raise(Class::StaticLoop, why()),
            Some(LoopGrade::Open) => raise(Class::Open, why()),
            Some(LoopGrade::Averaged) => {
                raise(Class::Unknown, Some("a sum of too many terms: some represent all".to_owned()));
            }
        }
    }
    if model.forest.irreducible.iter().any(|part| part.contains(&block)) {
        raise(Class::Unknown, Some("it is in a cycle that is entered at several blocks".to_owned()));
    }
    let least = &counts.blocks[block] * &entries.times;
    let executions = (class != Class::Open).then(|| least.clone());
    let is_exact = entries.is_exact && counts.decided[block] && class < Class::Bound;
    BlockPrediction { executions, least, class, is_exact, formula: None, reason }
}

/// The program's `main`: C's goes before what a compiler of Fortran calls from it.
fn main_of(module: &Module) -> Option<FunctionId> {
    let named = |name: &str| module.functions.iter().find(|(_, function)| function.name == name);
    opcost_key::PROGRAM_STARTS.into_iter().find_map(named).map(|(id, _)| id)
}
