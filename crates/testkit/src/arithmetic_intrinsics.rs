//! What do intrinsics give that only compute? LLVM's language reference again.
//!
//! `family` is the name without `llvm.` and without types: `umin`, `uadd.sat`,
//! `smul.with.overflow`. Arguments are neither poison nor undefined.

use std::cmp::Ordering;

use opcost_ir::Opcode;

use crate::integer::wraps;
use crate::scalar::{Scalar, mask, signed};

/// Families of integers; none for others.
pub(crate) fn integer_intrinsic(family: &str, arguments: &[Scalar], result: Option<u32>) -> Option<Scalar> {
    let &Scalar::Integer { bits: left, width } = arguments.first()? else { return None };
    let rest: Option<Vec<u128>> = arguments[1..].iter().map(Scalar::bits).collect();
    match *rest?.as_slice() {
        [] => one(family, left, width),
        [right] => two(family, left, right, width, result),
        [right, amount] => funnel(family, left, right, amount, width),
        _ => None,
    }
}

fn one(family: &str, bits: u128, width: u32) -> Option<Scalar> {
    let reversed = bits.reverse_bits() >> (128 - width);
    Some(Scalar::integer(
        width,
        match family {
            "ctpop" => bits.count_ones().into(),
            "bitreverse" => reversed,
            "bswap" => bits.swap_bytes() >> (128 - width),
            _ => return None,
        },
    ))
}

fn two(family: &str, left: u128, right: u128, width: u32, result: Option<u32>) -> Option<Scalar> {
    let (signed_left, signed_right) = (signed(left, width), signed(right, width));
    let of = |is_left: bool| Some(Scalar::integer(width, if is_left { left } else { right }));
    match family {
        "umin" => of(left <= right),
        "umax" => of(left >= right),
        "smin" => of(signed_left <= signed_right),
        "smax" => of(signed_left >= signed_right),
        "abs" | "ctlz" | "cttz" => Some(with_a_promise(family, left, right != 0, width)),
        "ucmp" => Some(Scalar::integer(result?, order(left.cmp(&right)))),
        "scmp" => Some(Scalar::integer(result?, order(signed_left.cmp(&signed_right)))),
        _ => {
            let (operation, kind) = family.split_once('.')?;
            let (sign, opcode) = match operation {
                "uadd" => (false, Opcode::Add),
                "sadd" => (true, Opcode::Add),
                "usub" => (false, Opcode::Sub),
                "ssub" => (true, Opcode::Sub),
                "umul" => (false, Opcode::Mul),
                "smul" => (true, Opcode::Mul),
                _ => return None,
            };
            match kind {
                "with.overflow" => Some(with_overflow(opcode, sign, left, right, width)),
                "sat" if opcode != Opcode::Mul => Some(saturated(opcode, sign, left, right, width)),
                _ => None,
            }
        }
    }
}

fn order(order: Ordering) -> u128 {
    order as i8 as i128 as u128
}

fn wrapped(opcode: Opcode, left: u128, right: u128, width: u32) -> Scalar {
    Scalar::integer(
        width,
        match opcode {
            Opcode::Add => left.wrapping_add(right),
            Opcode::Sub => left.wrapping_sub(right),
            _ => left.wrapping_mul(right),
        },
    )
}

fn with_overflow(opcode: Opcode, sign: bool, left: u128, right: u128, width: u32) -> Scalar {
    let (unsigned_wrap, signed_wrap) = wraps(opcode, left, right, width);
    let wraps = if sign { signed_wrap } else { unsigned_wrap };
    Scalar::Aggregate([wrapped(opcode, left, right, width), Scalar::truth(wraps)].into())
}

fn saturated(opcode: Opcode, sign: bool, left: u128, right: u128, width: u32) -> Scalar {
    let (unsigned_wrap, signed_wrap) = wraps(opcode, left, right, width);
    let least = 1u128 << (width - 1);
    match (sign, unsigned_wrap, signed_wrap) {
        (false, true, _) => Scalar::integer(width, if opcode == Opcode::Add { mask(width) } else { 0 }),
        // The sign of the left side is that of the true result.
        (true, _, true) => Scalar::integer(width, if signed(left, width) < 0 { least } else { least - 1 }),
        _ => wrapped(opcode, left, right, width),
    }
}

/// `abs`, `ctlz`, `cttz`: the second argument promises that the first is not
/// the one that has no answer.
fn with_a_promise(family: &str, bits: u128, is_promised: bool, width: u32) -> Scalar {
    let least = 1u128 << (width - 1);
    let (is_broken, result) = match family {
        "abs" => (bits == least, signed(bits, width).unsigned_abs()),
        "ctlz" => (bits == 0, u128::from(bits.leading_zeros() - (128 - width))),
        _ => (bits == 0, u128::from(bits.trailing_zeros().min(width))),
    };
    if is_broken && is_promised { Scalar::Poison } else { Scalar::integer(width, result) }
}

fn funnel(family: &str, high: u128, low: u128, amount: u128, width: u32) -> Option<Scalar> {
    let amount = (amount % u128::from(width)) as u32;
    let (left, right) = match family {
        "fshl" => (amount, width - amount),
        "fshr" => (width - amount, amount),
        _ => return None,
    };
    let shifted = |by: u32, bits: u128, is_left: bool| match (by == width, is_left) {
        (true, _) => 0,
        (false, true) => bits << by,
        (false, false) => bits >> by,
    };
    Some(Scalar::integer(width, shifted(left, high, true) | shifted(right, low, false)))
}

/// Families of floats that every machine computes alike; none for others.
pub(crate) fn float_intrinsic(family: &str, arguments: &[Scalar]) -> Option<Scalar> {
    let is_single = matches!(arguments.first()?, Scalar::Single(_));
    let values = arguments.iter().map(crate::float::widened).collect::<Option<Vec<f64>>>()?;
    // Each is exact in double, or rounds once more without a difference.
    let result = match (family, values.as_slice()) {
        ("fabs", [value]) => value.abs(),
        ("sqrt", [value]) => value.sqrt(),
        ("floor", [value]) => value.floor(),
        ("ceil", [value]) => value.ceil(),
        ("trunc", [value]) => value.trunc(),
        ("rint" | "nearbyint" | "roundeven", [value]) => value.round_ties_even(),
        ("round", [value]) => value.round(),
        ("copysign", [value, sign]) => value.copysign(*sign),
        ("minnum", [left, right]) => left.min(*right),
        ("maxnum", [left, right]) => left.max(*right),
        _ => return None,
    };
    Some(if is_single { Scalar::Single(result as f32) } else { Scalar::Double(result) })
}
