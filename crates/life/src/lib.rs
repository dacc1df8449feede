//! What becomes of an instruction on its way from source to bytes?
//!
//! The recorder in the `llvm` room tells how the chosen instructions of each
//! function stand behind every pass; this room turns that into a story: which
//! pass made it what it is, and why it went. Everything is many-to-many: one
//! division is a copy, a sign extension, a division and a copy.
//!
//! | question | file |
//! |---|---|
//! | which instructions does the user mean? | [`chosen`] |
//! | what happened to them, step by step? | [`story`] |
//! | what does a stage look like in full? | [`listing`] |
//! | what does the graph of a block look like? | [`graph`] |
//! | is every machine instruction explained? | [`coverage`] |
//! | what are the bytes of each, and what do they say? | [`code`] |
//! | where do they lead? | [`targets`] |
//! | which bits of them say what? | [`encoding`] |
//! | which does a linker fill? | [`relocation`] |
//! | are they the same on every way? | [`checks`], [`alternative_paths`] |
//! | what of assembly text, or bytes alone? | [`inputs`] |
//!
//! One record ([`opcost_answer::life::Life`]) serves the terminal, the page and JSON.

pub mod alternative_paths;
pub mod checks;
pub mod chosen;
pub mod code;
pub mod coverage;
pub mod encoding;
pub mod graph;
pub mod inputs;
pub mod listing;
pub mod relocation;
pub mod story;
pub mod targets;

pub use chosen::{Chosen, choose, sources_of};
pub use code::{RecordedFunction, reported_code};
pub use coverage::coverage_of;
pub use graph::graphs;
pub use listing::listings;
pub use story::stages_of;
pub use targets::text_with_target;
