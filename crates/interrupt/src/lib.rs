//! What happens when the user says that it is enough?
//!
//! ^C, SIGTERM (`timeout`, a CI that gives up) and SIGHUP (a closed terminal) may come at any
//! moment. While a program runs they are requests: who runs it asks it to end and reports what
//! there is ([`Requests`]). At all other moments they end this process, but not at once: the
//! processes that it began are ended, its folders are removed ([`Scratch`]), and then it dies of
//! the signal, so that a shell sees what happened ([`begin`]).
//!
//! | question | where |
//! |---|---|
//! | what does the user ask while a program runs? | [`Requests`] |
//! | which folders go when this process goes? | [`Scratch`], [`make_folders`] |
//! | what does a signal do when nobody takes requests? | [`begin`], [`hold`] |
//! | which processes did this one begin, and which of them still run? | [`descendants`] |
//!
//! Limits: SIGKILL leaves folders behind, since nothing runs after it. Signals that are ignored
//! when this process begins stay ignored (`nohup`).

pub mod descendants;
mod ending;
mod requests;
mod scratch;
mod signals;

pub use ending::{begin, die_of, hold};
pub use requests::{Hears, Requests, UserRequest, was_stopped};
pub use scratch::{Scratch, make_folders};
