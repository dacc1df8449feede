//! What is a value while a program runs?
//!
//! An integer of 1 to 128 bits, a `float` or `double`, a pointer as an object
//! and so many bytes from its start, a first-class aggregate, or one of the two
//! that are no value: poison (a promise was broken) and undefined (nothing was
//! ever written there). Both stick to what is computed of them. A pointer keeps
//! its object whatever is added to it, so that an access elsewhere is seen.

use std::rc::Rc;

use opcost_index::define_id;

define_id!(
    /// A piece of memory of a run; object 0 is what null points to.
    pub struct ObjectId, "object"
);

/// A value of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// `iN`: its bits, zero above `width`.
    Integer {
        /// The bits, as an unsigned number.
        bits: u128,
        /// 1 to 128.
        width: u32,
    },
    /// `float`.
    Single(f32),
    /// `double`.
    Double(f64),
    /// `ptr`.
    Pointer(Pointer),
    /// A struct or array, by its parts.
    Aggregate(Rc<[Scalar]>),
    /// What a broken promise gives.
    Poison,
    /// `undef`, and what was never written.
    Undefined,
}

/// An address: bytes from the start of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// What it was made of.
    pub object: ObjectId,
    /// Bytes from its start.
    pub offset: i64,
}

impl Scalar {
    /// An integer; bits above `width` are dropped.
    pub fn integer(width: u32, bits: u128) -> Scalar {
        Scalar::Integer { bits: bits & mask(width), width }
    }

    /// An `i1`.
    pub fn truth(is_so: bool) -> Scalar {
        Scalar::Integer { bits: u128::from(is_so), width: 1 }
    }

    /// The bits of an integer, as an unsigned number.
    pub fn bits(&self) -> Option<u128> {
        match self {
            Scalar::Integer { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    /// An integer, as a signed number.
    pub fn signed(&self) -> Option<i128> {
        match self {
            Scalar::Integer { bits, width } => Some(signed(*bits, *width)),
            _ => None,
        }
    }

    /// The address that a pointer is.
    pub fn pointer(&self) -> Option<Pointer> {
        match self {
            Scalar::Pointer(pointer) => Some(*pointer),
            _ => None,
        }
    }

    /// Whether it is neither poison nor undefined; of an aggregate, any part.
    pub fn is_known(&self) -> bool {
        match self {
            Scalar::Poison | Scalar::Undefined => false,
            Scalar::Aggregate(parts) => parts.iter().all(Scalar::is_known),
            _ => true,
        }
    }
}

/// All bits of an integer of `width`, 1 to 128.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The bits of an integer of `width`, as a signed number.
pub(crate) fn signed(bits: u128, width: u32) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}
