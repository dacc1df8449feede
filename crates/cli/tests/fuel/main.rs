//! Does nobody get more than his fuel?
//!
//! `attacks`: every program of `corpus/attacks` says at its top which line of
//! defence it meets, and meets it; `honest`: programs of contests are let
//! through; `sandbox`: what the walls hold; `deterministic`: does one program have one number. These start `opcost` and link nothing of it.

mod attacks;
mod bench;
mod deterministic;
mod honest;
mod sandbox;
