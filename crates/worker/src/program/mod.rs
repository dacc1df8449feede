//! A program is looked at without running it: its modules are linked, read, and asked.

mod assumed;
mod averages;
mod bits;
mod certificate;
mod contracts;
mod explanation;
mod floats;
mod foreseen;
mod hdl;
mod hdl_claims;
mod hdl_elements;
mod hdl_shape;
mod inputs;
mod loops;
mod name;
mod narrow;
mod poison;
mod predict;
mod promised;
pub(crate) mod questions;
mod slice;
mod width;
