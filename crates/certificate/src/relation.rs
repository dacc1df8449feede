//! How does a value stand to another, or to a range?

use opcost_ir::Value;

use crate::range::{RangeClaim, bits};
use crate::terms::Operand;

/// What is asked of a value.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'w> {
    /// Its range; of a pointer that of its offset.
    Range(&'w RangeClaim),
    /// How it relates to another.
    From(Relation<'w>),
}

/// How a value relates to another.
#[derive(Clone, Copy)]
pub(crate) struct Relation<'w> {
    /// The other.
    pub(crate) base: Value,
    /// Of the value and so many times the other.
    pub(crate) range: &'w RangeClaim,
    /// Whether the other is taken to be no poison; else that it is none is wanted.
    pub(crate) if_both: bool,
    /// How many times; -1: a distance.
    pub(crate) times: i64,
}

/// The term of which a claim of two values speaks: one and so many times the other.
pub(crate) fn related(times: i64, value: &Operand, base: &Operand) -> String {
    let (one, two) = (&value.term, &base.term);
    match times {
        -1 => format!("(bvsub {one} {two})"),
        1 => format!("(bvadd {one} {two})"),
        _ => format!("(bvadd {one} (bvmul {} {two}))", bits(value.width, times as i128 as u128)),
    }
}
