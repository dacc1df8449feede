//! What does a call of a library function do to a cell?
//!
//! The effect table says through which parameters it writes and how far; where these point is
//! asked. Cost: the parameters.

use opcost_ir::Value;
use opcost_key::InstructionId;

use super::asked::Point;
use super::memory::{Cell, MemoryQueries};
use super::placed::Placed;
use super::reaching::Hit;
use super::search::{Ask, Search};
use super::steps::signed;
use opcost_library::effect::{Effect, Extent, Touched, Touching};

impl<M: MemoryQueries> Search<'_, '_, M>
where
    Self: Ask,
{
    /// What a call of a library function does to a cell; none if its pointers
    /// are not followed.
    pub(super) fn library_hit(
        &mut self,
        point: Point,
        call: InstructionId,
        cell: &Cell,
        is_strong: bool,
    ) -> Option<Hit> {
        let effect = self.shared.memory.effect(point.function, call)?;
        if effect.does_anything || effect.reaches_others {
            return None;
        }
        let arguments = self.shared.function(point.function).arguments_of(call);
        let mut hit = Hit::No;
        for (position, &argument) in (0..).zip(arguments) {
            for (extent, is_sure, is_deep) in writes_through(&effect, position) {
                if is_deep {
                    return None;
                }
                let (object, offset) = match self.place(point.function, argument, point.context) {
                    Placed::At { object, offset, .. } => (object, Some(offset)),
                    Placed::Elements { object, .. } => (object, None),
                    Placed::Null => continue,
                    _ => return None,
                };
                if object != cell.object {
                    continue;
                }
                let size = self.extent(point, extent, arguments);
                let written =
                    offset.map(|offset| Cell { object, offset, size: size.unwrap_or(u64::MAX >> 1) });
                match written {
                    Some(written) if !written.overlaps(cell) => {}
                    Some(written) if is_sure && is_strong && size.is_some() && written.covers(cell) => {
                        hit = Hit::Whole;
                    }
                    _ if hit != Hit::Whole => hit = Hit::Perhaps,
                    _ => {}
                }
            }
        }
        Some(hit)
    }

    /// How many bytes it covers, if that is known.
    fn extent(&mut self, point: Point, extent: Extent, arguments: &[Value]) -> Option<u64> {
        let mut number = |position: u32| {
            let value = *arguments.get(position as usize)?;
            let number = match signed(self.shared.module, value) {
                Some(number) => i128::from(number),
                None => self.number(point.function, value, point.context)?,
            };
            u64::try_from(number).ok()
        };
        match extent {
            Extent::Unknown => None,
            Extent::Bytes(bytes) => Some(bytes),
            Extent::Parameter(position) => number(position),
            Extent::Product(left, right) => number(left)?.checked_mul(number(right)?),
        }
    }
}

/// What is written through a parameter: how far, whether it certainly is, and whether also through
/// the pointers that are stored there.
fn writes_through(effect: &Effect, position: u32) -> impl Iterator<Item = (Extent, bool, bool)> {
    let touches = effect.touches_of(position).filter(|touched| writes(touched));
    let touches = touches.map(|touched| {
        let is_sure = matches!(touched.how, Touching::Writes | Touching::Zeroes);
        (touched.extent, is_sure, touched.is_deep)
    });
    let copies = effect.copies.iter().filter(move |copied| copied.to == position);
    touches.chain(copies.map(|copied| (copied.extent, true, false)))
}

pub(super) fn writes(touched: &Touched) -> bool {
    matches!(touched.how, Touching::Writes | Touching::Zeroes | Touching::Input(_) | Touching::FreshInto)
}
