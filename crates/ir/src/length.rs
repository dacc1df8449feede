//! How much does one instruction do, when only the running program knows?
//!
//! A `memcpy` does as much as it is long. A [`Length`] says where the number
//! of bytes is to be had just before the instruction starts; what is charged
//! for them is one unit for each full [`BYTES_PER_UNIT`], so that short copies
//! stay free and the number is the same on every target.

/// Bytes for one unit of a cost model.
pub const BYTES_PER_UNIT: u64 = 1 << BYTES_SHIFT;
/// Its logarithm: code shifts.
pub const BYTES_SHIFT: u32 = 4;

/// A number of bytes that an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// An argument of a call, from 0, times another one. The product wraps at
    /// 64 bits, where the call itself fails.
    Arguments(u32, Option<u32>),
    /// What an `alloca` of several elements takes.
    Allocated,
}
