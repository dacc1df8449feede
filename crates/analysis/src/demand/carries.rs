//! Which bits of the sides of a sum do some bits of it need?
//!
//! From the top down: a bit of the sum needs both bits next to it and the carry that comes in. A
//! carry out of a position needs both bits there and the carry into it, unless two of the three are
//! known and alike: then it needs only these two to be what they are known to be. So nothing below
//! a position is needed where both sides have the same known bit, nor low bits of one side next to
//! zeros of the other. Cost: linear in the width.

use crate::ranges::KnownBits;

/// What is needed of both sides of `left + right + carry`.
pub(super) fn needed(left: KnownBits, right: KnownBits, carry: bool, bits: u128) -> [u128; 2] {
    let width = left.type_width();
    let known = |of: KnownBits, at: u32| match (of.zeros() >> at & 1, of.ones() >> at & 1) {
        (1, 0) => Some(false),
        (0, 1) => Some(true),
        _ => None,
    };
    // What is known of the carry into each position.
    let mut carries = vec![Some(carry)];
    for at in 0..width {
        let into = carries[at as usize];
        let [a, b] = [known(left, at), known(right, at)];
        carries.push(if a == b || a == into {
            a
        } else if b == into {
            b
        } else {
            None
        });
    }
    let (mut of_left, mut of_right) = (0, 0);
    // Whether the carry out of the position is needed.
    let mut is_needed = false;
    for at in (0..width).rev() {
        let bit = 1u128 << at;
        let is_here = bits & bit != 0;
        if !is_here && !is_needed {
            continue;
        }
        let [a, b, into] = [known(left, at), known(right, at), carries[at as usize]];
        let (sides, mut goes_on) = match (a, b, into) {
            (Some(a), Some(b), _) if a == b => ([bit, bit], false),
            (_, Some(b), Some(into)) if b == into => ([0, bit], true),
            (Some(a), _, Some(into)) if a == into => ([bit, 0], true),
            _ => ([bit, bit], true),
        };
        if is_needed {
            of_left |= sides[0];
            of_right |= sides[1];
        } else {
            goes_on = false;
        }
        if is_here {
            of_left |= bit;
            of_right |= bit;
        }
        is_needed = is_here || goes_on;
    }
    [of_left, of_right]
}
