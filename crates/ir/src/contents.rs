//! What does data hold when the program starts? Its scalars, by offset.
//!
//! Zeros are left out: a scalar that is not listed is zero (bytes between
//! scalars are, too, as far as a program may look at them). So a table of a
//! million zeros costs nothing, and a scalar is found by bisection. Limit: the
//! first [`Contents::MOST`] scalars. What data holds later is another question:
//! only constant data whose definition nobody replaces still holds it.

use crate::constant::ConstantValue;
use crate::types::TypeId;
use crate::value::Value;

/// The initial bytes of data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Byte offset, type and value of what is not zero, ascending by offset.
    pub scalars: Vec<(u64, TypeId, ScalarValue)>,
    /// Whether that is all: not so after [`Contents::MOST`] scalars, where one is
    /// [`ConstantValue::Other`], or takes less than a byte.
    pub is_complete: bool,
}

/// One scalar of data; an aggregate only if all of it is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarValue {
    /// A number, an address of data, or what cannot be determined.
    Constant(ConstantValue),
    /// The address of a function: [`Value::Function`] or [`Value::Declaration`].
    Function(Value),
}

impl Contents {
    /// The most scalars that are listed.
    pub const MOST: usize = 1 << 16;

    /// The scalar that begins at this byte; `None` where none is listed.
    /// Cost: a binary search.
    pub fn at(&self, offset: u64) -> Option<(TypeId, ScalarValue)> {
        let position = self.scalars.binary_search_by_key(&offset, |&(offset, ..)| offset).ok()?;
        let (_, ty, value) = self.scalars[position];
        Some((ty, value))
    }

    /// The addresses of functions in it, with their offsets.
    pub fn functions(&self) -> impl Iterator<Item = (u64, Value)> {
        self.scalars.iter().filter_map(|&(offset, _, value)| match value {
            ScalarValue::Function(function) => Some((offset, function)),
            ScalarValue::Constant(_) => None,
        })
    }
}
