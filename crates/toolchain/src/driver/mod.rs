//! `opcost cc`, `opcost c++`, `opcost flang`: a compiler's command line, done with counters or by the
//! counts of a ledger.

mod call;
mod carry;
pub mod drive;
mod jobs;
pub mod names;
mod note;
mod ordered;
mod own_flags;
mod settings;
mod threaded;
mod tuned;
pub(crate) mod words;

pub use call::Drive;
