//! How much does one instruction do, when only the running program knows?
//!
//! A `memcpy` does as much as it is long. A [`Length`] says where the number
//! of bytes is to be had just before the instruction starts; what is charged
//! for them is one unit for each full [`BYTES_PER_UNIT`], so that short copies
//! stay free and the number is the same on every target. A C library may copy
//! [`BULK`] bytes and more with one instruction that a processor, and callgrind,
//! does once for each byte; other libraries take a tenth of that. So copies and
//! fills of that length are charged five times as much ([`LengthWork::Moved`]).

/// Bytes for one unit of a cost model.
pub const BYTES_PER_UNIT: u64 = 1 << BYTES_SHIFT;
/// Its logarithm: code shifts.
pub const BYTES_SHIFT: u32 = 4;
/// From so many bytes on a copy or fill is charged [`BULK_TIMES`] as much.
pub const BULK: u64 = 2048;
/// How many times as much.
pub const BULK_TIMES: u64 = 5;
/// From so many bytes on it is charged as much as for these: no memory is so long, and nothing wraps.
pub const LONGEST_BULK: u64 = 1 << 61;

/// A number of bytes that an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// An argument of a call, from 0, times another one. The product wraps at
    /// 64 bits, where the call itself fails.
    Arguments(u32, Option<u32>, LengthWork),
    /// What an `alloca` of several elements takes.
    Allocated,
}

/// What is done with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthWork {
    /// They are copied or filled, all of them.
    Moved,
    /// Anything else.
    Other,
}

impl LengthWork {
    /// What so many bytes are charged, in units.
    pub fn units(self, bytes: u64) -> u64 {
        let bytes = match self {
            LengthWork::Moved if bytes >= BULK => bytes.min(LONGEST_BULK) * BULK_TIMES,
            LengthWork::Moved | LengthWork::Other => bytes,
        };
        bytes >> BYTES_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::LengthWork;

    #[test]
    fn what_is_moved_in_bulk_is_charged_five_times() {
        let of = |work: LengthWork| [0, 15, 16, 2047, 2048, 4096].map(|bytes| work.units(bytes));
        assert_eq!(of(LengthWork::Other), [0, 0, 1, 127, 128, 256]);
        assert_eq!(of(LengthWork::Moved), [0, 0, 1, 127, 640, 1280]);
    }

    /// A longer copy is never charged less.
    #[test]
    fn no_length_wraps() {
        let lengths = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1, 3 << bit >> 1]);
        let mut lengths: Vec<u64> = lengths.chain([u64::MAX]).collect();
        lengths.sort_unstable();
        for work in [LengthWork::Moved, LengthWork::Other] {
            let units: Vec<u64> = lengths.iter().map(|&bytes| work.units(bytes)).collect();
            assert!(units.is_sorted(), "{work:?}: {units:?}");
        }
        assert_eq!(LengthWork::Moved.units(1 << 63), LengthWork::Moved.units(1 << 61));
    }
}
