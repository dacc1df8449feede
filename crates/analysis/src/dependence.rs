//! What decides a value, and who changes an object?
//!
//! From a value back, through registers, memory, parameters and results, to constants and named
//! inputs ([`Resolver::resolve`]); and from an object forward to every store that can change it
//! ([`Resolver::stores_to`]). The method is the resolver of llvm-pred (Xie, 2014) with its known
//! losses fixed: questions are keyed by the use (the call site and the argument), not by the
//! variable; the search goes on past writes that are only possible; and all rules share what they
//! found.
//!
//! | question | file |
//! |---|---|
//! | what is asked of memory, and who answers? | [`memory`], `binding` |
//! | what is an answer made of? | [`explanation`] |
//! | how did control come here? | `contexts`, `calls` |
//! | what is asked of memory, and what comes back? | `asked`, `placed` |
//! | what do searches share, and ask of each other? | `search`, answered by `follow` |
//! | which bytes does a pointer point to here? | `places`, `steps` |
//! | which number is a value here? | `numbers` |
//! | which writes can a read see? | `reaching`, `library_hits`, `earlier` |
//! | by which rules, and how far? | `rule_set`, `uses` |
//! | what decides a value, one step back? | `question`, `expander`, `expand`, `recall`, `library`, `rules` |
//! | the whole answer | `build` |
//! | who answers? | `resolver` |
//! | what follows from it? | `resolution`, `settle`, `ends`, `evaluate` |
//! | what are inputs called? | `inputs`, `references`, `units` |
//! | how does it read? | [`text`], `names`, [`graph`] |
//! | who changes an object? | [`forward`] |
//!
//! Cost: an answer is bounded in depth and size ([`Limits`]) and says where it
//! stopped; writers of a cell and events of a function are found once for all
//! answers. Limits of what is claimed: see [`ResolutionQuality`].

mod asked;
pub mod binding;
mod build;
mod calls;
mod contexts;
mod earlier;
mod ends;
mod evaluate;
mod expand;
mod expander;
pub mod explanation;
mod follow;
pub mod forward;
pub mod graph;
mod inputs;
mod library;
mod library_hits;
pub mod memory;
mod names;
mod numbers;
mod placed;
mod places;
mod question;
mod reaching;
mod recall;
mod references;
mod resolution;
mod resolver;
mod rule_set;
mod rules;
mod search;
mod settle;
mod steps;
pub mod text;
mod units;
mod uses;

pub use ends::Reads;
pub use explanation::{
    Argument, Elements, Explanation, ExplanationId, Link, LinkCertainty, OutsideInput, UnknownReason, What,
};
pub use memory::{Cell, MemoryQueries, Object};
pub use resolution::{Resolution, ResolutionQuality};
pub use resolver::{Resolver, Use};
pub use rule_set::{InstructionSite, Limits, RuleSet, StoreLoadProfile};

#[cfg(test)]
mod tests;
