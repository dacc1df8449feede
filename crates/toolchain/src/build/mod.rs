//! Builds, from sources to what is run or asked: one file a step.

mod admission;
mod analysis;
mod arrange;
mod code;
mod compile;
mod copies;
mod export;
mod headers;
mod huge;
mod life;
mod link;
mod live;
mod module;
mod plugin;
mod portable;
mod program;
mod rust;
mod rust_tuned;
mod slice;
mod state;
mod wasm;
mod work;

pub use arrange::{ArrangedCode, Arranging, FunctionOrder, functions_of};
pub use code::code_life;
pub use copies::{CopiedInput, pipeline_flag};
pub use export::reasons;
pub use huge::no_huge_pages;
pub use rust::{
    RustPurpose, Rustc, cargo_linker, cargo_tuned_linker, is_rust_linker, link as link_rust, linker_arguments,
};
pub use rust_tuned::{RustTuning, TunedRust};
pub use state::{Build, LiveModule, LivePurpose, Optimiser, Platform, Purpose};
pub use work::{Simulated, processor};
