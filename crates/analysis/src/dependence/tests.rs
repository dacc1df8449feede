//! The resolver, held against the cases of llvm-pred, a naive referee and
//! programs that try to mislead it.

use opcost_index::Id;
use opcost_ir::{Layout, Module, Value, parse_module};
use opcost_key::{FunctionId, InstructionId};

use super::binding::ModuleMemory;
use super::{InstructionSite, Limits, ResolutionQuality, Resolver, RuleSet, Use};
use crate::memory::{MemoryModel, World, Writers};
use opcost_library::Effects;

mod document;
mod forward;
mod hostile;
mod inputs;
mod random;

/// What an answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) inputs: Vec<String>,
    pub(super) blockers: Vec<String>,
    pub(super) quality: ResolutionQuality,
    pub(super) constant: Option<i128>,
    pub(super) constants: Option<Vec<i128>>,
    pub(super) edges: Vec<String>,
    pub(super) is_cut: bool,
}

/// A function, and the position of a load or store in it.
type Place<'a> = (&'a str, usize);

/// How to ask.
#[derive(Clone)]
pub(super) struct Asking<'a> {
    pub(super) world: World,
    pub(super) rules: &'a [RuleSet],
    pub(super) calls: &'a [(&'a str, usize)],
    pub(super) profile: &'a [(Place<'a>, Place<'a>)],
    pub(super) limits: Limits,
}

impl Default for Asking<'_> {
    fn default() -> Self {
        Asking {
            world: World::Closed,
            rules: &[RuleSet::MemoryAnalysis],
            calls: &[],
            profile: &[],
            limits: Limits::default(),
        }
    }
}

/// The value of this name in this function (`@f.x`).
pub(super) fn value_named(module: &Module, path: &str) -> (FunctionId, Value) {
    let (function, name) = path.split_once('.').expect("function.value");
    let id = function_named(module, function);
    let code = &module.functions[id];
    let mut found = code.names.iter().filter(|(_, known)| &***known == name).map(|(value, _)| *value);
    (id, found.next().unwrap_or_else(|| panic!("{path} is in the module")))
}

pub(super) fn function_named(module: &Module, name: &str) -> FunctionId {
    module.functions.iter().find(|(_, f)| f.name == name).map(|(id, _)| id).expect("a function of this name")
}

fn spot(module: &Module, function: &str, at: usize) -> InstructionSite {
    (function_named(module, function), InstructionId::new(at))
}

/// Asks for a value, in a given way.
pub(super) fn ask_as(text: &str, path: &str, asking: &Asking<'_>) -> Said {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error:?}"));
    let layout = Layout::of(&module);
    let effects = Effects::built_in();
    let whole = MemoryModel::of(&module, &layout, &effects, asking.world);
    let writers = Writers::compute(&whole);
    let memory = ModuleMemory::new(&whole, &writers);
    let mut profile = super::StoreLoadProfile::default();
    for &(load, store) in asking.profile {
        profile.entry(spot(&module, load.0, load.1)).or_default().push(spot(&module, store.0, store.1));
    }
    let resolver = Resolver::new(&module, &memory)
        .with_rules(asking.rules)
        .with_profile(profile)
        .with_limits(asking.limits);
    let (function, value) = value_named(&module, path);
    let calls: Vec<InstructionSite> =
        asking.calls.iter().map(|&(function, at)| spot(&module, function, at)).collect();
    let answer = resolver.resolve(&Use { function, value, calls: &calls });
    let (nodes, edges) = answer.graph();
    let edges = edges.iter().map(|edge| {
        format!(
            "{} -{:?}-> {}: {}",
            nodes[edge.from].label, edge.certainty, nodes[edge.to].label, edge.argument
        )
    });
    Said {
        text: answer.expression().to_string(),
        inputs: answer.inputs(),
        blockers: answer.blockers(),
        quality: answer.quality(),
        constant: answer.as_constant(),
        constants: answer.constants(),
        edges: edges.collect(),
        is_cut: answer.is_cut(),
    }
}

/// Asks for a value in the closed world, by memory analysis.
pub(super) fn ask(text: &str, path: &str) -> Said {
    ask_as(text, path, &Asking::default())
}
