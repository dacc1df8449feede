//! `opcost cc`, `opcost c++`, `opcost flang`: a compiler's command line, done with counters or by the
//! counts of a ledger.

mod call;
mod carry;
pub mod drive;
pub mod names;
mod note;
mod ordered;
mod plan;
mod tuned;
mod wishes;
pub(crate) mod words;

pub use call::Drive;
