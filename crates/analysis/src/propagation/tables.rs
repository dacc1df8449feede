//! What is in data at these offsets? Initial contents, by a range of offsets.
//!
//! A table is the initial contents of data, looked at as scalars of one type. It
//! is asked with the range of an offset: only what the range's arc and residue
//! can reach is joined, not the whole table. A scalar of another type that may
//! be met, or one that is met in part, makes the answer everything. Offsets
//! outside of the data are left out: an access there is undefined.
//! Cost: the scalars between the ends of the range.

use opcost_index::{IdMap, define_id};
use opcost_ir::{ConstantValue, Contents, GlobalId, Layout, Module, ScalarValue, TypeId};
use rustc_hash::FxHashMap;

use super::range::{Kind, Range, kind_of};
use crate::ranges::{FloatRange, Interval, ValueRange};

define_id!(
    /// Initial contents, looked at as scalars of one type.
    pub struct TableId, "table"
);

/// The widest scalar that is listed, in bytes.
const WIDEST: u64 = 16;

/// Contents as scalars of one type.
#[derive(Clone, Debug)]
struct Table {
    kind: Kind,
    /// Bytes of a scalar.
    size: u64,
    /// Bytes of all.
    length: u64,
    /// Offset, bytes, and value if it has the type.
    scalars: Vec<(u64, u64, Option<Scalar>)>,
}

#[derive(Clone, Copy, Debug)]
enum Scalar {
    Word(u128),
    Number(f64),
}

/// All tables of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    all: IdMap<TableId, Table>,
    known: FxHashMap<(GlobalId, TypeId), Option<TableId>>,
}

impl Tables {
    /// The initial contents of data as scalars of a type, if they are known.
    pub(super) fn of(
        &mut self,
        module: &Module,
        layout: &Layout,
        global: GlobalId,
        ty: TypeId,
    ) -> Option<TableId> {
        if let Some(&known) = self.known.get(&(global, ty)) {
            return known;
        }
        let made = self.made(module, layout, global, ty);
        self.known.insert((global, ty), made);
        made
    }

    fn made(&mut self, module: &Module, layout: &Layout, global: GlobalId, ty: TypeId) -> Option<TableId> {
        let data = &module.globals[global];
        let contents: &Contents = data.contents.as_ref().filter(|contents| contents.is_complete)?;
        let kind = kind_of(module, ty)?;
        let (size, length) = (layout.size(ty)?, layout.size(data.ty)?);
        // Of an integer with unused bits in memory nothing is said.
        if let Kind::Integer(bits) = kind
            && u64::from(bits) != size * 8
        {
            return None;
        }
        let mut scalars = Vec::with_capacity(contents.scalars.len());
        for &(offset, scalar, value) in &contents.scalars {
            let bytes = layout.size(scalar).unwrap_or(WIDEST).min(length);
            let is_same = module.types[scalar] == module.types[ty];
            let value = match value {
                ScalarValue::Constant(ConstantValue::Integer(word)) if is_same => Some(Scalar::Word(word)),
                ScalarValue::Constant(ConstantValue::Float(bits)) if is_same => {
                    Some(Scalar::Number(f64::from_bits(bits)))
                }
                _ => None,
            };
            scalars.push((offset, bytes, value));
        }
        Some(self.all.push(Table { kind, size, length, scalars }))
    }

    /// What a load at one of these offsets reads.
    pub(super) fn range(&self, id: TableId, offsets: &ValueRange) -> Range {
        self.all[id].range(offsets)
    }
}

impl Table {
    fn range(&self, offsets: &ValueRange) -> Range {
        let empty = Range::empty(self.kind);
        let Some(last) = self.length.checked_sub(self.size) else { return empty };
        let width = offsets.type_width();
        let inside = ValueRange::from(Interval::new(width, 0, u128::from(last)));
        let offsets = offsets.meet(&inside);
        let Some((low, high)) = offsets.unsigned_range() else { return empty };
        let (low, high) = (low as u64, high as u64);
        let first = self.scalars.partition_point(|&(offset, ..)| offset.saturating_add(WIDEST) <= low);
        let behind = self.scalars.partition_point(|&(offset, ..)| offset < high + self.size);
        let mut met: Vec<Scalar> = Vec::new();
        for &(offset, bytes, value) in &self.scalars[first..behind.max(first)] {
            if self.is_cut(&offsets, offset, bytes) {
                return Range::full(self.kind);
            }
            if !offsets.contains(u128::from(offset)) {
                continue;
            }
            match value {
                Some(value) => met.push(value),
                None => return Range::full(self.kind),
            }
        }
        let modulus = offsets.congruence().modulus().max(1);
        let members = u128::from(high - low) / modulus + 1;
        self.around(&met, members > met.len() as u128)
    }

    /// Whether an access may meet a part of the scalar, or more than it.
    fn is_cut(&self, offsets: &ValueRange, offset: u64, bytes: u64) -> bool {
        let from = offset.saturating_sub(self.size - 1);
        (from..offset + bytes)
            .any(|at| (at != offset || bytes > self.size) && offsets.contains(u128::from(at)))
    }

    fn around(&self, met: &[Scalar], and_zero: bool) -> Range {
        match self.kind {
            Kind::Integer(width) => {
                let words = met.iter().filter_map(|scalar| match scalar {
                    Scalar::Word(word) => Some(*word),
                    Scalar::Number(_) => None,
                });
                let words: Vec<u128> = words.chain(and_zero.then_some(0)).collect();
                Range::Integer(ValueRange::of_values(width, &words))
            }
            Kind::Float(format) => {
                let numbers = met.iter().filter_map(|scalar| match scalar {
                    Scalar::Number(number) => Some(*number),
                    Scalar::Word(_) => None,
                });
                Range::Float(FloatRange::observed(format, numbers.chain(and_zero.then_some(0.0))))
            }
        }
    }
}
