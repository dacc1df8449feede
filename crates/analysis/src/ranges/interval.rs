//! In which arc of the circle of n-bit numbers is a value?
//!
//! A wrapped interval (an arc): from `low` upwards, over the seam between the
//! greatest number and 0 if need be, so that one domain serves signed and
//! unsigned reading alike (Navas, Schachte, Søndergaard, Stuckey,
//! "Signedness-agnostic program analysis", 2012).
//!
//! **Best arc.** Of a set, the arc with the fewest members. It is not unique:
//! of equally small ones, that which does not cross the unsigned seam, then
//! that which does not cross the signed one, then that with the least `low`.
//! Hence joins are neither associative nor monotone, and a fixpoint needs
//! widening. All results are made by `hull`, which finds the
//! best arc around a list of dense pieces: a step cuts its operands at the
//! seams, computes pieces that are full of results, and hulls once. Where
//! every piece is full, the result is the best arc there is. Where it cannot
//! be (products, quotients, remainders, bit operations, saturating shifts, funnel shifts) pairs
//! of operands are tried one by one while there are at most [`Effort::PAIRS`].
//!
//! Cost of a step: constant to linear in the width; up to 256 evaluations
//! where pairs are tried.

mod arc;
mod arithmetic;
mod bitwise;
pub(crate) mod compare;
mod counting;
mod division;
mod hull;
mod multiplication;
mod shifts;
mod step;

pub(crate) use arc::ArcPiece;
pub use arc::Interval;
pub(crate) use hull::Hull;
pub use step::Effort;
