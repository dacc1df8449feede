//! Do hosts of metered plug-ins get the verdicts that they are promised?
//!
//! `verdicts`: each end of a turn, and what it says; `fuel`: what a turn costs,
//! against `opcost count`, and what a suspended turn goes on with; `rejected`:
//! what is not built or not loaded; `turns`: hundreds of thousands of turns in
//! one process, interleaved, on several threads, without drift or leak;
//! `games`: the example hosts play. The host here is the crate `opcost-host`,
//! which is the C header underneath; plug-ins are built by the tool.

#![allow(unsafe_code, reason = "loading native code is, and says why")]

#[path = "../builds/support.rs"]
#[allow(dead_code, reason = "it serves the test of builds too")]
mod support;

mod ends;
mod fuel;
mod games;
mod plugins;
mod rejected;
mod turns;
mod verdicts;
