//! What may a call do to memory, and what is known of a parameter?
//!
//! LLVM's `memory(...)` attribute, by place: memory that arguments point to,
//! memory that this module cannot see, `errno`, and all other. What LLVM calls
//! target memory counts as other, which claims less. Everything here is an
//! upper bound: what is not said may be done. Attributes of a parameter are
//! promises of the one who calls (`noalias`, `noundef`) or of the function
//! (`readonly`, `nocapture`), as LLVM's language reference has them; they are
//! kept as they stand and nothing is inferred.

use crate::TypeId;

/// What may be done to one place of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// It may be read.
    pub reads: bool,
    /// It may be written.
    pub writes: bool,
}

impl Access {
    /// Neither read nor written.
    pub const NONE: Access = Access { reads: false, writes: false };
    /// Read at most.
    pub const READ: Access = Access { reads: true, writes: false };
    /// Written at most.
    pub const WRITE: Access = Access { reads: false, writes: true };
    /// Read and written.
    pub const BOTH: Access = Access { reads: true, writes: true };

    /// Bit 0 reads, bit 1 writes; others are dropped.
    pub fn from_bits(bits: u32) -> Access {
        Access { reads: bits & 1 != 0, writes: bits & 2 != 0 }
    }
}

/// What a function or a call may do to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryEffects {
    /// Memory that is reached through arguments that are pointers.
    pub argument: Access,
    /// Memory that no code of this module can reach.
    pub inaccessible: Access,
    /// `errno`.
    pub errno: Access,
    /// All other memory.
    pub other: Access,
}

impl MemoryEffects {
    /// Everything may happen: what holds where nothing is said.
    pub const UNKNOWN: Self =
        Self { argument: Access::BOTH, inaccessible: Access::BOTH, errno: Access::BOTH, other: Access::BOTH };
    /// No memory is touched.
    pub const NONE: Self =
        Self { argument: Access::NONE, inaccessible: Access::NONE, errno: Access::NONE, other: Access::NONE };

    /// Two bits a place ([`Access::from_bits`]), in the order of the fields.
    pub fn from_bits(bits: u32) -> Self {
        let [argument, inaccessible, errno, other] = [0, 2, 4, 6].map(|at| Access::from_bits(bits >> at));
        Self { argument, inaccessible, errno, other }
    }

    /// The places with the words that LLVM has for them; `other` has none.
    pub(crate) fn named(self) -> [(&'static str, Access); 3] {
        [("argmem", self.argument), ("inaccessiblemem", self.inaccessible), ("errnomem", self.errno)]
    }

    fn places(self) -> [Access; 4] {
        [self.argument, self.inaccessible, self.errno, self.other]
    }

    /// Whether any memory may be read.
    pub fn may_read(self) -> bool {
        self.places().iter().any(|place| place.reads)
    }

    /// Whether any memory may be written.
    pub fn may_write(self) -> bool {
        self.places().iter().any(|place| place.writes)
    }
}

impl Default for MemoryEffects {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// What is said of one parameter of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParameterFacts {
    /// `noalias`: what is reached through it is changed or, changed, reached in
    /// no other way while the function runs.
    pub is_noalias: bool,
    /// `captures(none)`: the function keeps no copy of the pointer.
    pub is_nocapture: bool,
    /// `readonly`: nothing is written through it.
    pub is_readonly: bool,
    /// `writeonly`: nothing is read through it.
    pub is_writeonly: bool,
    /// `readnone`: nothing is read or written through it.
    pub is_readnone: bool,
    /// `noundef`: no bit of it is undefined or poison.
    pub is_noundef: bool,
    /// `sret`: it points to where the result goes.
    pub is_sret: bool,
    /// `byval`: it points to a copy of such a value, made by the caller.
    pub byval: Option<TypeId>,
}

#[cfg(test)]
mod tests {
    use super::{Access, MemoryEffects};

    #[test]
    fn bits_are_places_in_order() {
        assert_eq!(MemoryEffects::from_bits(0xff), MemoryEffects::UNKNOWN);
        assert_eq!(MemoryEffects::from_bits(0), MemoryEffects::NONE);
        let reads = MemoryEffects::from_bits(0b0000_0001);
        assert_eq!((reads.argument, reads.other), (Access::READ, Access::NONE));
        assert!(reads.may_read() && !reads.may_write());
        assert!(MemoryEffects::from_bits(0b1000_0000).may_write());
    }
}
