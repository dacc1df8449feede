//! What did the program call that is not its own?
//!
//! Exact by callee: a call counts when its instruction starts. A callee that
//! one module declares and another defines is not external. Calls through a
//! pointer have no name; they are listed by the line, or else the function,
//! that makes them. Cost: one pass over the calls. Limit: a call to a local
//! alias of a library function counts under the alias's name.

use std::collections::{BTreeMap, BTreeSet};

use opcost_key::Callee;

use crate::counted::{CountedRun, FunctionKey};
use crate::{CountedModule, SourceLine};

/// Calls of one callee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCalls {
    /// Linkage name of the callee.
    pub name: String,
    /// How often it was called.
    pub calls: u128,
}

/// Calls through pointers at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndirectCalls {
    /// Linkage name of the function that calls.
    pub function: String,
    /// Its module, when the name is local to it.
    pub module: Option<String>,
    /// The line, when there is one.
    pub place: Option<SourceLine>,
    /// How often a call was made there.
    pub calls: u128,
}

/// All calls of a program, never executed ones with 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// Functions that no module of the program defines, by name.
    pub external: Vec<NamedCalls>,
    /// Memory intrinsics that become library calls (`memcpy`), by name.
    pub memory: Vec<NamedCalls>,
    /// Calls through a pointer, by function, then line.
    pub indirect: Vec<IndirectCalls>,
    /// Runs of inline assembly.
    pub assembly: u128,
    /// Calls of functions that the program defines.
    pub internal: u128,
}

/// The function that calls, and the line of the call.
type IndirectSite<'a> = (FunctionKey<'a>, Option<(&'a str, u32)>);

pub(crate) struct CallSums<'a> {
    defined: BTreeSet<&'a str>,
    external: BTreeMap<&'a str, u128>,
    memory: BTreeMap<&'a str, u128>,
    indirect: BTreeMap<IndirectSite<'a>, u128>,
    assembly: u128,
    internal: u128,
}

impl<'a> CallSums<'a> {
    /// Of a program of these modules.
    pub(crate) fn new(modules: &[CountedModule<'a>]) -> Self {
        let functions = modules.iter().flat_map(|module| module.map.functions.values());
        let visible = functions.filter(|function| !function.is_local && !function.segments.is_empty());
        Self {
            defined: visible.map(|function| function.name.as_str()).collect(),
            external: BTreeMap::new(),
            memory: BTreeMap::new(),
            indirect: BTreeMap::new(),
            assembly: 0,
            internal: 0,
        }
    }

    /// Adds the calls that one function made.
    pub(crate) fn add(&mut self, counted: &CountedRun<'a>) {
        for call in &counted.function.calls {
            let count = u128::from(counted.counts.instruction(counted.function, call.instruction));
            let sum = match &call.callee {
                Callee::Declared(name) if !self.defined.contains(name.as_str()) => {
                    self.external.entry(name).or_default()
                }
                Callee::Declared(_) | Callee::Defined(_) => &mut self.internal,
                Callee::Memory(name) => self.memory.entry(name).or_default(),
                Callee::Indirect => {
                    let line = counted.line(counted.function.instructions[call.instruction].place);
                    self.indirect.entry((counted.key(), line)).or_default()
                }
                Callee::Assembly => &mut self.assembly,
            };
            *sum += count;
        }
    }

    /// The sums as plain data.
    pub(crate) fn finish(self) -> CallTotals {
        let named = |sums: BTreeMap<&str, u128>| {
            sums.into_iter().map(|(name, calls)| NamedCalls { name: name.to_owned(), calls }).collect()
        };
        let indirect = self.indirect.into_iter().map(|(((function, module), line), calls)| IndirectCalls {
            function: function.clone(),
            module: module.cloned(),
            place: line.map(SourceLine::new),
            calls,
        });
        CallTotals {
            external: named(self.external),
            memory: named(self.memory),
            indirect: indirect.collect(),
            assembly: self.assembly,
            internal: self.internal,
        }
    }
}
