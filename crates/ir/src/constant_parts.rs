//! Which number lies in these bytes of a constant?
//!
//! An integer has bytes, lowest first; a vector of integers has its lanes one
//! behind the other, or one lane that is all of them; zeros are zeros. Input: a
//! constant of a module, an offset and a width. Cost: linear in the lanes.
//! Limits: what is no whole number of bytes is not told, nor is anything on
//! machines with the high byte first.

use crate::constant::{ConstantValue, integer};
use crate::ids::ConstantId;
use crate::layout::Layout;
use crate::module::Module;
use crate::types::Type;

impl Module {
    /// The integer of so many bits that is this many bytes after the start of a constant in memory.
    /// It is in an integer, a vector of integers, or zeros. None where a byte of it is no known
    /// number, or bytes are not in order. Such are integers that do not fill their bytes, and
    /// machines with the high byte first.
    pub fn part_of_constant(&self, id: ConstantId, layout: &Layout, way: u64, bits: u32) -> Option<u128> {
        if self.data_layout.split('-').any(|one| one == "E")
            || !bits.is_multiple_of(8)
            || !(8..=128).contains(&bits)
        {
            return None;
        }
        let constant = &self.constants[id];
        let size = u64::from(bits / 8);
        if way.checked_add(size)? > layout.size(constant.ty)? {
            return None;
        }
        let (width, lanes) = match (&self.types[constant.ty], constant.value) {
            (_, ConstantValue::Zero) => return Some(0),
            (Type::Integer(width), ConstantValue::Integer(value)) => (*width, vec![value]),
            (Type::Vector { element, .. }, ConstantValue::Other) => {
                let Type::Integer(width) = self.types[*element] else { return None };
                (width, lanes_of(&constant.text, width)?)
            }
            _ => return None,
        };
        if !width.is_multiple_of(8) || !(8..=128).contains(&width) {
            return None;
        }
        let step = u64::from(width / 8);
        let byte = |at: u64| {
            // A splat of a vector has its number once.
            let lane = if lanes.len() == 1 { 0 } else { usize::try_from(at / step).ok()? };
            Some(lanes.get(lane)? >> (8 * (at % step)) & 0xff)
        };
        (0..size).try_fold(0, |all, at| Some(all | byte(way + at)? << (8 * at)))
    }
}

/// The numbers of `<i32 1, i32 700>`, or the one of `splat (i32 7)`.
fn lanes_of(text: &str, width: u32) -> Option<Vec<u128>> {
    let number = |lane: &str| {
        let (ty, text) = lane.trim().split_once(' ')?;
        (ty.strip_prefix('i')?.parse() == Ok(width)).then(|| integer(text, width))?
    };
    if let Some(one) = text.strip_prefix("splat (").and_then(|rest| rest.strip_suffix(')')) {
        return Some(vec![number(one)?]);
    }
    text.strip_prefix('<')?.strip_suffix('>')?.split(", ").map(number).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn lanes_are_read_from_the_text() {
        assert_eq!(super::lanes_of("<i32 1, i32 -1>", 32), Some(vec![1, 0xffff_ffff]));
        assert_eq!(super::lanes_of("splat (i16 7)", 16), Some(vec![7]));
        assert_eq!(super::lanes_of("<i32 1, i32 poison>", 32), None);
        assert_eq!(super::lanes_of("<i32 1, i64 1>", 32), None);
    }
}
