//! Which bits of each value can anybody notice? Demanded bits, backwards.
//!
//! A bit of a value is *demanded* if it may decide what an execution does: where
//! a branch goes, what an address is, what code that is not seen gets or reads.
//! All other bits may be anything, all at once, and no such thing changes.
//!
//! | question | file |
//! |---|---|
//! | which bits of its operands does an operation need? | [`steps`], `carries` |
//! | which bits of what is stored does a load need? | `cells` |
//! | how is a value held, and which bits does that give? | [`held`](fn@held) |
//! | which demands meet all instructions of a module? | `solve` |
//!
//! **How a value is held.** In as many bits as its range needs, from which it is read by extension,
//! zeros or its sign: bits above are never demanded, and of a value that is always the same no bit
//! is. Known bits inside are reported as demanded where they are; who wires them in leaves them
//! out.
//!
//! **What is claimed.** Take an execution in which no value is poison or
//! undefined, and in which nothing undefined is done. Do the same computations
//! without the promises of the instructions (`nsw`, `nuw`, `exact`, `disjoint`,
//! `nneg`, `samesign`, the operand of `abs`, `ctlz` and `cttz`, facts of
//! parameters and results): the bits that are not demanded decide whether these
//! hold, so a rewrite that changes them drops the promises. Then each demanded
//! bit has the value that it had, whatever is put in the others; what has no
//! demanded bit is not computed, but any number put in its place. What is known
//! of other operands is what [`Propagation`](crate::propagation::Propagation)
//! found, with all that that rests on.
//!
//! Division, addresses, branches, volatile and atomic accesses, assembly, memory
//! that others read, functions that are not seen: all bits.
//!
//! Input: memory and ranges of a module. Output: [`Demand`]. Cost: a value's
//! demand only grows, so that each instruction is looked at as often as its
//! result has bits, at most; plus stores times loads of each object, bounded.

mod carries;
mod cells;
mod held;
mod solve;
pub mod steps;
mod values;

pub use held::held;
pub use values::Demand;

#[cfg(test)]
mod tests;
