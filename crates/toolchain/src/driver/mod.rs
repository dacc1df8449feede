//! `opcost cc`, `opcost c++`, `opcost flang`: a compiler's command line, done with counters.

mod call;
mod carry;
pub mod drive;
pub mod names;
mod plan;
pub(crate) mod words;

pub use call::Drive;
