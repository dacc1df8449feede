//! What stays of a program that only its loops are wanted of.

pub mod dot;
pub mod json;
pub mod text;
