//! From sources to programs: clang, flang, rustc, linkers, and the wrappers around them.
//!
//! ```text
//! source ─clang -emit-llvm▶ bitcode ─worker▶ object + map ─clang▶ program
//! ```
//!
//! | question | file |
//! |---|---|
//! | how is a program compiled, and for which machine? | [`options`], [`machine`] |
//! | what has the user given? | [`input`] |
//! | in which order are sources of Fortran compiled? | `fortran` |
//! | which compilers are at hand? | [`tools`] |
//! | how does a tool run, and how do its words reach the user? | [`running`] |
//! | what is a build, and what does it make? | [`build`] |
//! | what does a compiler's command line ask for? | [`driver`] |
//! | what does a compiler mean to do? | `plan` |
//! | which flags cannot be kept? | `late_flags` |
//! | which weights are meant? | [`cost`] |
//! | what of opcost's own is compiled? | [`runtime`] |
//! | was the same compiled before? | `cached` |
//! | in which order does the linker put functions? | [`order`] |
//! | how does a finished file get to its place? | [`install`](mod@install) |

pub mod build;
mod cached;
pub mod cargo;
pub mod cargo_choice;
pub mod cost;
pub mod driver;
mod fortran;
pub mod input;
pub mod install;
mod late_flags;
mod link_flags;
pub mod machine;
pub mod options;
pub mod order;
mod plan;
pub mod running;
pub mod runtime;
mod threads;
pub mod tools;
mod tree;
mod wasm_flags;
