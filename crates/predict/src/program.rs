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
//! most [`MOST_CONTEXTS`] of them, fewer where it is large; beyond, all other calls share one without numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use num_traits::{One, Zero};
use opcost_analysis::memory::{MemoryModel, World};
use opcost_claims::{Bindings, SolvedFunctions};
use opcost_index::IdMap;
use opcost_ir::{Linkage, Module, Outside, Value};
use opcost_key::{BlockId, FunctionId};
use rustc_hash::FxHashMap as HashMap;

use crate::contexts::{Caller, Context, Contexts, Given, Modelled};
use crate::dependence::Dependence;
use crate::ending::{cut_offs, early_end};
use crate::entries::{Entries, class_of_loop};
use crate::evaluate::{Belief, Counts, Evaluator};
use crate::follow::{Followed, Follower};
use crate::formula::block_formulas;
use crate::fraction::Fraction;
use crate::measured::{Measured, MeasuredProgram, end_of_run};
use crate::model::FunctionModel;
use crate::prediction::{BlockPrediction, Class, FunctionPrediction, MissingInput, Prediction};

/// Sets of numbers that one function is evaluated for: so many blocks in all, and never more sets than
/// [`MOST_CONTEXTS`] or fewer than [`LEAST_CONTEXTS`].
const BLOCKS_OF_CONTEXTS: usize = 3000;
const MOST_CONTEXTS: usize = 300;
const LEAST_CONTEXTS: usize = 12;
/// Units that are looked at one iteration at a time, in all.
const BUDGET: u64 = 200_000;

/// Why a function of a cycle of calls is unknown.
const RECURSION: &str = "recursion: calls of itself are not counted";

/// What is wanted besides the code.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Inputs without numbers are guessed.
    pub is_guess: bool,
    /// Values are followed forwards from the start of `main`. Not where numbers were given for names of
    /// formulas: memory would hold others.
    pub is_followed: bool,
    /// How often loops go back that have no formula.
    pub averages: Averages,
    /// What a run of the program's slice counted.
    pub measured: Option<Measured>,
}

/// Back edges for each entry of loops, on average.
#[derive(Clone, Debug, Default)]
pub struct Averages {
    by_header: HashMap<(FunctionId, BlockId), Fraction>,
}

impl Averages {
    /// Adds that of the loop with this header.
    pub fn insert(&mut self, function: FunctionId, header: BlockId, back_edges: Fraction) {
        self.by_header.insert((function, header), back_edges);
    }

    pub(crate) fn of(&self, function: FunctionId, header: BlockId) -> Option<&Fraction> {
        self.by_header.get(&(function, header))
    }
}

/// A program while it is predicted.
pub(crate) struct Program<'a> {
    module: &'a Module,
    contexts: Contexts<'a>,
    entered: IdMap<FunctionId, BTreeMap<Context, Entries>>,
    followed: Option<Followed>,
    measured: Option<MeasuredProgram>,
    predictions: IdMap<FunctionId, Option<FunctionPrediction>>,
    missing: BTreeMap<String, MissingInput>,
    budget: u64,
    belief: Belief,
}

impl<'a> Program<'a> {
    pub(crate) fn predict(
        memory: &'a MemoryModel<'a>,
        functions: &'a SolvedFunctions<'a>,
        bindings: &Bindings,
        wishes: &Wishes,
    ) -> Prediction {
        let module = memory.module;
        let count = module.functions.len();
        let models = module.functions.iter().map(|(id, function)| {
            let has_body = !function.blocks.is_empty();
            has_body.then(|| {
                functions.solve(id, |solved| {
                    let mut model = FunctionModel::of(memory, id, solved);
                    model.set_averages(|header| wishes.averages.of(id, header).cloned());
                    let dependence = Dependence::of(&model);
                    Rc::new(Modelled { model, dependence })
                })
            })
        });
        let mut program = Program {
            module,
            contexts: Contexts::new(functions, models.collect()),
            entered: IdMap::filled(count, BTreeMap::new()),
            followed: None,
            measured: wishes.measured.as_ref().map(|measured| MeasuredProgram::new(memory, measured)),
            predictions: IdMap::filled(count, None),
            missing: BTreeMap::new(),
            budget: BUDGET,
            belief: if wishes.is_guess { Belief::Guess } else { Belief::Decided },
        };
        let order = program.contexts.order(module);
        if wishes.is_followed && memory.roots.world == World::Closed {
            program.follow_main(memory, bindings);
        }
        program.enter_roots();
        for &id in &order {
            program.function(id);
        }
        let inputs = std::mem::take(&mut program.missing);
        for id in module.functions.ids() {
            if let Some(one) = &mut program.predictions[id] {
                one.cut_offs = cut_offs(memory, id);
            }
        }
        let early_end = match wishes.measured {
            None => early_end(module, &program.predictions, main_of(module), |_, _| false),
            Some(_) => end_of_run(module, &mut program.predictions, main_of(module)),
        };
        if early_end.is_some() {
            let functions = program.predictions.values_mut().flatten();
            functions.flat_map(|one| one.blocks.values_mut()).for_each(|block| block.is_exact = false);
        }
        Prediction {
            functions: program.predictions,
            early_end,
            // A run had all inputs.
            inputs: if wishes.measured.is_some() { Vec::new() } else { inputs.into_values().collect() },
            has_main: main_of(module).is_some(),
        }
    }

    /// Evaluates from the start of `main` on, as far as values decide.
    fn follow_main(&mut self, memory: &'a MemoryModel<'a>, bindings: &Bindings) {
        let Some(main) = main_of(self.module) else { return };
        let follower = Follower::new(memory, &mut self.contexts, bindings, self.belief);
        let Some(mut followed) = follower.and_then(|follower| follower.main(main)) else { return };
        for entered in std::mem::take(&mut followed.calls) {
            self.enter(entered.callee, entered.context, entered.entries);
        }
        for (id, position) in std::mem::take(&mut followed.missing) {
            if let Some(modelled) = self.contexts.models[id].clone() {
                self.want(&modelled.model, position);
            }
        }
        self.followed = Some(followed);
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
            Some(_) if self.followed.is_some() => {}
            Some(main) => roots.push((main, once())),
            None => {
                let exported = module.functions.iter().filter(|(_, one)| one.linkage != Linkage::Local);
                roots.extend(exported.map(|(id, _)| (id, once())));
            }
        }
        let starts: BTreeSet<FunctionId> = roots.iter().map(|(id, _)| *id).chain(main_of(module)).collect();
        let outside = Outside::of(module);
        for (id, function) in module.functions.iter().filter(|(id, _)| !starts.contains(id)) {
            let reason = if function.is_address_taken {
                "its address is taken: calls through pointers are not counted"
            } else if outside.functions.contains(id) {
                "libraries may know its name: their calls are not counted"
            } else {
                continue;
            };
            let entries = Entries {
                times: Fraction::zero(),
                class: Class::Unknown,
                reason: Some(reason.to_owned()),
                is_exact: false,
            };
            roots.push((id, entries));
        }
        for (id, entries) in roots {
            let context = self.contexts.context(id, Vec::new(), &Given::default());
            self.enter(id, context, entries);
        }
    }

    fn enter(&mut self, id: FunctionId, context: Context, entries: Entries) {
        let all = &mut self.entered[id];
        let blocks = self.module.functions[id].blocks.len().max(1);
        let most = (BLOCKS_OF_CONTEXTS / blocks).clamp(LEAST_CONTEXTS, MOST_CONTEXTS);
        let context = if all.contains_key(&context) || all.len() < most {
            context
        } else {
            Context {
                numbers: vec![None; context.numbers.len()],
                cells: vec![None; context.cells.len()],
                chain: Vec::new(),
            }
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

    fn function(&mut self, id: FunctionId) {
        let Some(modelled) = self.contexts.models[id].clone() else { return };
        let Modelled { model, dependence } = &*modelled;
        let mut contexts = std::mem::take(&mut self.entered[id]);
        if self.contexts.cycle[id] && contexts.is_empty() {
            // It may be entered by one that was predicted before it: that call closes the cycle.
            let entries = Entries {
                times: Fraction::zero(),
                class: Class::Unknown,
                reason: Some(RECURSION.to_owned()),
                is_exact: false,
            };
            contexts.insert(self.contexts.context(id, Vec::new(), &Given::default()), entries);
        }
        let mut prediction = FunctionPrediction::none(model.edges.len());
        self.add_followed(id, model, &mut prediction);
        for (context, mut entries) in contexts {
            if self.contexts.cycle[id] && entries.class < Class::Unknown {
                entries.class = Class::Unknown;
                entries.reason = Some(RECURSION.to_owned());
            }
            let numbers = self.contexts.numbers(id, &context);
            let mut evaluator = Evaluator::new(model, dependence, &numbers, self.budget, self.belief);
            let counts = evaluator.counts();
            counts.missing.iter().for_each(|&position| self.want(model, position));
            let formulas = block_formulas(model, &counts.grades);
            for block in model.edges.ids() {
                let mut one = classified(model, &counts, block, &entries);
                one.formula = formulas[block].clone();
                prediction.blocks[block].add(one);
            }
            prediction.enter(&entries.times, entries.class, entries.reason.clone());
            let entered = Entered { id, context: &context, entries: &entries };
            self.follow(&mut evaluator, &counts, &entered);
            self.budget = evaluator.budget;
        }
        if let Some(measured) = &mut self.measured {
            prediction = measured.function(id, &modelled, &prediction);
        }
        // What has no model any more was predicted: a call of it closes a cycle.
        self.contexts.models[id] = None;
        self.predictions[id] = Some(prediction);
    }

    /// What was counted of a function where values were followed.
    fn add_followed(&mut self, id: FunctionId, model: &FunctionModel, prediction: &mut FunctionPrediction) {
        let Some(own) = self.followed.as_mut().and_then(|followed| followed.functions[id].take()) else {
            return;
        };
        let formulas = block_formulas(model, &own.grades);
        for (block, mut one) in own.predicted() {
            one.formula = formulas[block].clone();
            prediction.blocks[block].add(one);
        }
        prediction.enter(&own.entries.times, own.entries.class, own.entries.reason);
    }

    /// Enters what a function calls.
    fn follow(&mut self, evaluator: &mut Evaluator<'_>, counts: &Counts, entered: &Entered<'_>) {
        let model = evaluator.model;
        let given = self.contexts.passed_on(entered.id, entered.context);
        let caller = Caller { id: entered.id, model, chain: &entered.context.chain };
        for call in &model.calls {
            // What has no model any more was predicted before: the call closes a cycle.
            if self.contexts.models[call.callee].is_none() || call.callee == entered.id {
                continue;
            }
            let site = classified(model, counts, call.block, entered.entries);
            if site.least.is_zero() && site.is_exact {
                continue;
            }
            let BlockPrediction { least, class, reason, is_exact, .. } = site;
            for (context, share) in self.contexts.of_call(&caller, call, evaluator, &given) {
                let times = &least * share;
                let times = if is_exact { times } else { times.guessed() };
                if !times.is_zero() || class >= Class::Open || !is_exact {
                    self.enter(
                        call.callee,
                        context,
                        Entries { times, class, reason: reason.clone(), is_exact },
                    );
                }
            }
        }
    }

    fn want(&mut self, model: &FunctionModel, position: usize) {
        let open = &model.symbols[&position];
        if open.is_input {
            let input = MissingInput { name: open.name.clone(), about: open.about.clone() };
            self.missing.entry(open.name.clone()).or_insert(input);
        }
    }
}

/// What a function is entered with.
struct Entered<'c> {
    id: FunctionId,
    context: &'c Context,
    entries: &'c Entries,
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
    for id in model.forest.chain(model.forest.innermost[block]) {
        let (to, why) = class_of_loop(model, id, counts.grades[id]);
        raise(to, why);
    }
    if model.is_after_cycle[block] {
        let is_within = model.forest.irreducible.iter().any(|part| part.contains(&block));
        let at = if is_within { "in" } else { "after" };
        raise(Class::Unknown, Some(format!("it is {at} a cycle that is entered at several blocks")));
    }
    let is_exact = entries.is_exact && counts.decided[block] && class < Class::Run;
    let least = match is_exact {
        true => &counts.blocks[block] * &entries.times,
        false => (counts.blocks[block].guessed() * entries.times.guessed()).guessed(),
    };
    let executions = (class != Class::Open).then(|| least.clone());
    BlockPrediction { executions, least, class, is_exact, formula: None, reason }
}

/// The program's `main`: C's goes before what a compiler of Fortran calls from it.
pub(crate) fn main_of(module: &Module) -> Option<FunctionId> {
    let named = |name: &str| module.functions.iter().find(|(_, function)| function.name == name);
    opcost_key::PROGRAM_STARTS.into_iter().find_map(named).map(|(id, _)| id)
}
