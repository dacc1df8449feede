//! What opcost answers, as plain data, and how it fails.
//!
//! Every kind of answer has a file. Analyses and runs fill these types, the child that holds
//! LLVM sends them to its parent, and reports print them. Where an answer is a document of the command line as it is,
//! its first field says so (`document.rs`). Nothing is computed here.
//!
//! | answer | file |
//! |---|---|
//! | trip counts of loops, and when loops are entered | [`loops`] |
//! | what decides a value | [`dependence`] |
//! | bits that values need, and what became narrower | [`bits`], [`width`] |
//! | whether a certificate holds | [`certificate`] |
//! | what becomes of an instruction | [`life`] |
//! | what limits were recorded with | [`check`] |
//! | what recorded values belong to | [`points`] |
//! | how often blocks will run | [`predict`] |
//! | what stays of a program for its loops | [`slice`](mod@slice) |
//! | what a metered program promises | [`fuel`] |
//! | what a function became as a circuit | [`hdl`] |
//! | what a program did, of which its time is worked out | [`work`] |
//! | how a run ended, and how sure its counts are | [`run`] |
//! | what callers promise | [`contract`] |
//! | a failure, and its exit status | [`failure`] |
//! | why a file cannot be used, and what to do | [`files`] |
//! | a function's name as its source writes it | [`names`] |
//! | a large number, in groups of digits | [`numbers`] |
//! | what a terminal may see of input | [`terminal`] |

pub mod bits;
pub mod budget;
pub mod certificate;
pub mod check;
pub mod contract;
pub mod count;
pub mod dependence;
mod document;
pub mod failure;
pub mod files;
pub mod fuel;
pub mod hdl;
pub mod life;
pub mod list;
pub mod live;
pub mod loops;
pub mod names;
pub mod numbers;
pub mod points;
pub mod predict;
pub mod repair;
pub mod run;
pub mod slice;
pub mod terminal;
pub mod tune;
pub mod values;
pub mod width;
pub mod work;

pub use failure::{Failure, Status};
