//! Does nobody get more than his fuel?
//!
//! `attacks`: every program of `corpus/attacks` says at its top which line of
//! defence it meets, and meets it; `honest`: programs of contests are let
//! through; `sandbox`: what the walls hold; `hardened`: are programs kept off their
//! counter; `ended`: is what was spent told after any end; `signalled`: does a signal leave the number; `deterministic`: has one program one number; `portable`: has it one on
//! every machine, and (`sysroot`) is it made of what opcost brings alone; `wasm`: has it the one that is counted, under two engines of
//! WebAssembly. These start `opcost` and link nothing of it.

mod attacks;
mod bench;
mod deterministic;
mod ended;
mod hardened;
mod honest;
mod portable;
mod sandbox;
mod signalled;
mod sysroot;
mod wasm;
