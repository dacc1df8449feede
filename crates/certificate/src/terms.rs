//! What does an operation compute? LLVM's words as terms of bit vectors.
//!
//! [`result`] is what comes out if the result is not poison; [`promises`] is
//! what then held, since the operation would have given poison, or been
//! undefined, otherwise. What has no term is any word. From LLVM's language
//! reference and SMT-LIB's definitions of bit vectors; nothing is shared with
//! the transfer functions whose results are checked.

use opcost_ir::{Flags, Opcode, Predicate, Value};

use crate::range::bits;

/// An operand: its term and bits.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) term: String,
    pub(crate) width: u32,
    /// Of a pointer: from where on the term counts bytes.
    pub(crate) base: Option<Base>,
}

/// An address that does not change while a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base {
    /// Equal names are equal addresses.
    pub(crate) name: Value,
    /// Whether it is the start of the one object that is pointed into.
    pub(crate) is_start: bool,
}

impl Operand {
    /// A number.
    pub(crate) fn number(term: String, width: u32) -> Operand {
        Operand { term, width, base: None }
    }
}

/// What an instruction computes; none of what has no term.
pub(crate) fn result(
    opcode: Opcode,
    predicate: Option<Predicate>,
    operands: &[Operand],
    width: u32,
) -> Option<String> {
    let term = |at: usize| operands.get(at).map(|operand| operand.term.as_str());
    let name = match opcode {
        Opcode::Add => "bvadd",
        Opcode::Sub => "bvsub",
        Opcode::Mul => "bvmul",
        Opcode::UDiv => "bvudiv",
        Opcode::SDiv => "bvsdiv",
        Opcode::URem => "bvurem",
        Opcode::SRem => "bvsrem",
        Opcode::Shl => "bvshl",
        Opcode::LShr => "bvlshr",
        Opcode::AShr => "bvashr",
        Opcode::And => "bvand",
        Opcode::Or => "bvor",
        Opcode::Xor => "bvxor",
        Opcode::Trunc => return Some(format!("((_ extract {} 0) {})", width - 1, term(0)?)),
        Opcode::ZExt => return Some(wider("zero_extend", operands.first()?, width)),
        Opcode::SExt => return Some(wider("sign_extend", operands.first()?, width)),
        Opcode::ICmp => {
            let bases = [operands.first()?.base, operands.get(1)?.base];
            let is_order = !matches!(predicate?, Predicate::Eq | Predicate::Ne);
            if bases[0] != bases[1] || bases[0].is_some() && is_order {
                return None;
            }
            let test = compared(predicate?, term(0)?, term(1)?)?;
            return Some(format!("(ite {test} (_ bv1 1) (_ bv0 1))"));
        }
        Opcode::Select => return Some(format!("(ite {} {} {})", holds(term(0)?), term(1)?, term(2)?)),
        _ => return None,
    };
    Some(format!("({name} {} {})", term(0)?, term(1)?))
}

fn wider(how: &str, operand: &Operand, width: u32) -> String {
    format!("((_ {how} {}) {})", width - operand.width, operand.term)
}

/// That a bit is set.
pub(crate) fn holds(term: &str) -> String {
    format!("(= {term} (_ bv1 1))")
}

fn compared(predicate: Predicate, left: &str, right: &str) -> Option<String> {
    let name = match predicate {
        Predicate::Eq => "=",
        Predicate::Ne => "distinct",
        Predicate::Ugt => "bvugt",
        Predicate::Uge => "bvuge",
        Predicate::Ult => "bvult",
        Predicate::Ule => "bvule",
        Predicate::Sgt => "bvsgt",
        Predicate::Sge => "bvsge",
        Predicate::Slt => "bvslt",
        Predicate::Sle => "bvsle",
        _ => return None,
    };
    Some(format!("({name} {left} {right})"))
}

/// What an intrinsic that computes gives; none of others.
pub(crate) fn intrinsic(name: &str, operands: &[Operand], width: u32) -> Option<String> {
    let base = name.strip_prefix("llvm.")?.rsplit_once('.')?.0;
    let one = &operands.first()?.term;
    let two = operands.get(1).map(|operand| operand.term.as_str());
    let either = |test: &str, two: &str| format!("(ite ({test} {one} {two}) {one} {two})");
    let (zero, all) = (bits(width, 0), bits(width, u128::MAX));
    Some(match base {
        "umin" => either("bvule", two?),
        "umax" => either("bvuge", two?),
        "smin" => either("bvsle", two?),
        "smax" => either("bvsge", two?),
        "abs" => format!("(ite (bvslt {one} {zero}) (bvneg {one}) {one})"),
        "uadd.sat" => format!("(ite (bvult (bvadd {one} {0}) {one}) {all} (bvadd {one} {0}))", two?),
        "usub.sat" => format!("(ite (bvult {one} {0}) {zero} (bvsub {one} {0}))", two?),
        "fshl" => funnel(operands, width, true)?,
        "fshr" => funnel(operands, width, false)?,
        "bswap" => swapped(one, width, 8),
        "bitreverse" => swapped(one, width, 1),
        "ctpop" => counted(one, width),
        "expect" => one.clone(),
        _ => return None,
    })
}

/// Two words side by side, shifted by the third modulo the width.
fn funnel(operands: &[Operand], width: u32, is_left: bool) -> Option<String> {
    let [high, low, by] = operands else { return None };
    let by = format!("((_ zero_extend {width}) (bvurem {} {}))", by.term, bits(width, width.into()));
    let both = format!("(concat {} {})", high.term, low.term);
    Some(match is_left {
        true => format!("((_ extract {} {width}) (bvshl {both} {by}))", 2 * width - 1),
        false => format!("((_ extract {} 0) (bvlshr {both} {by}))", width - 1),
    })
}

/// Parts of so many bits in reverse.
fn swapped(term: &str, width: u32, part: u32) -> String {
    let parts: Vec<String> = (0..width / part)
        .map(|at| format!("((_ extract {} {}) {term})", at * part + part - 1, at * part))
        .collect();
    match &parts[..] {
        [only] => only.clone(),
        _ => format!("(concat {})", parts.join(" ")),
    }
}

fn counted(term: &str, width: u32) -> String {
    let each: Vec<String> = (0..width)
        .map(|at| match width {
            1 => term.to_owned(),
            _ => format!("((_ zero_extend {}) ((_ extract {at} {at}) {term}))", width - 1),
        })
        .collect();
    each.into_iter().reduce(|sum, bit| format!("(bvadd {sum} {bit})")).unwrap_or_else(|| term.to_owned())
}

/// What held of an operation whose result is not poison; `result` is its term.
pub(crate) fn promises(
    opcode: Opcode,
    flags: Flags,
    operands: &[Operand],
    result: &str,
    width: u32,
) -> Vec<String> {
    let mut all = Vec::new();
    let one = operands.first().map_or("", |operand| &operand.term);
    let two = operands.get(1).map_or("", |operand| &operand.term);
    let from = operands.first().map_or(width, |operand| operand.width);
    let mut wide = |how: &str, name: &str, more: u32| {
        let extended = |term: &str| format!("((_ {how} {more}) {term})");
        all.push(format!("(= ({name} {} {}) {})", extended(one), extended(two), extended(result)));
    };
    match opcode {
        Opcode::Add | Opcode::Sub => {
            let name = if opcode == Opcode::Add { "bvadd" } else { "bvsub" };
            if flags.has(Flags::NSW) {
                wide("sign_extend", name, 1);
            }
            if flags.has(Flags::NUW) {
                wide("zero_extend", name, 1);
            }
        }
        Opcode::Mul => {
            if flags.has(Flags::NSW) {
                wide("sign_extend", "bvmul", width);
            }
            if flags.has(Flags::NUW) {
                wide("zero_extend", "bvmul", width);
            }
        }
        Opcode::Shl => {
            all.push(format!("(bvult {two} {})", bits(width, width.into())));
            if flags.has(Flags::NSW) {
                all.push(format!("(= (bvashr {result} {two}) {one})"));
            }
            if flags.has(Flags::NUW) {
                all.push(format!("(= (bvlshr {result} {two}) {one})"));
            }
        }
        Opcode::LShr | Opcode::AShr => {
            all.push(format!("(bvult {two} {})", bits(width, width.into())));
            if flags.has(Flags::EXACT) {
                all.push(format!("(= (bvshl {result} {two}) {one})"));
            }
        }
        Opcode::UDiv | Opcode::SDiv if flags.has(Flags::EXACT) => {
            all.push(format!("(= (bvmul {result} {two}) {one})"));
        }
        Opcode::Or if flags.has(Flags::DISJOINT) => {
            all.push(format!("(= (bvand {one} {two}) {})", bits(width, 0)));
        }
        Opcode::ZExt if flags.has(Flags::NNEG) => {
            all.push(format!("(bvsge {one} {})", bits(from, 0)));
        }
        Opcode::Trunc if width < from => {
            let more = from - width;
            if flags.has(Flags::NSW) {
                all.push(format!("(= ((_ sign_extend {more}) {result}) {one})"));
            }
            if flags.has(Flags::NUW) {
                all.push(format!("(= ((_ zero_extend {more}) {result}) {one})"));
            }
        }
        Opcode::ICmp if flags.has(Flags::SAMESIGN) => {
            let negative = |term: &str| format!("(bvslt {term} {})", bits(from, 0));
            all.push(format!("(= {} {})", negative(one), negative(two)));
        }
        _ => {}
    }
    // A division that was carried out was defined.
    if matches!(opcode, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem) {
        all.push(format!("(distinct {two} {})", bits(width, 0)));
    }
    if matches!(opcode, Opcode::SDiv | Opcode::SRem) {
        let least = bits(width, 1 << (width - 1));
        all.push(format!("(not (and (= {one} {least}) (= {two} {})))", bits(width, u128::MAX)));
    }
    all
}
