//! Does the user see and keep the right thing, and hear what went wrong?
//!
//! Small programs are built and counted by the very `opcost`, in a folder of
//! their own. `names` asks what people read. `agree` holds all outputs of a run to one another, `documents`
//! holds them to their schemas; the others follow a verb each. One test
//! binary, since it starts compilers.

mod agree;
mod alone;
mod answers;
mod check;
mod diff;
mod documents;
mod failures;
mod ledgers;
mod names;
mod shown;
mod streams;
mod timed;
mod workplace;
