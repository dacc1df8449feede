//! What is known of the values of a circuit, by the kind of widths that was asked for?
//!
//! Declared widths need nothing. Proven ones are ranges and what is looked at, as `opcost bits` has
//! them; certified ones are ranges alone, of a certificate that its checker has followed. LLVM's are
//! those of its own analyses, which are told the same contracts: what proven widths are compared with.
//!
//! Input: the program, contracts. Output: claims by value, and what they rest on.

use std::collections::HashMap;

use opcost_analysis::demand::Demand;
use opcost_analysis::memory::MemoryModel;
use opcost_analysis::propagation::RangeOptions;
use opcost_analysis::ranges::{Sign, ValueRange};
use opcost_bits::widths::CertifiedRanges;
use opcost_bits::{Widths, text};
use opcost_circuit::{Claim, Design, Pieces, ScalarPort};
use opcost_ir::{Function, Module, Type, Value};
use opcost_key::FunctionId;
use opcost_llvm::{LlvmBits, ParameterPromise, Session};

use opcost_answer::bits::Assumptions;
use opcost_answer::contract::{ContractPiece, PortContract};
use opcost_job::program::{HdlJob, HdlWidths};

use super::assumed::assumed;
use super::contracts::{self, Under, ranges_under};
use crate::error::WorkError;

/// Claims of values, and what they rest on.
pub(crate) struct Claimed {
    pub(crate) of: HashMap<(FunctionId, Value), Claim>,
    pub(crate) assumes: Vec<String>,
    /// The certificate that they are of, if they are of one, as JSON.
    pub(crate) certificate: Option<String>,
}

/// All claims.
///
/// # Errors
/// A contract names nothing or contradicts the code; there is no solver for a certificate.
pub(crate) fn claimed(
    program: &MemoryModel<'_>,
    session: &mut Session,
    job: &HdlJob,
) -> Result<Claimed, WorkError> {
    let module = program.module;
    // Contracts are looked at in any case, so that a wrong one is refused.
    let Under { ranges, unproven } = ranges_under(program, RangeOptions::default(), &job.wish.contracts)?;
    let mut assumes: Vec<String> =
        unproven.into_iter().map(|finding| format!("{}: {}", finding.key, finding.text)).collect();
    let mut of = HashMap::new();
    let mut certificate = None;
    match job.wish.widths {
        HdlWidths::Declared => {}
        HdlWidths::Llvm => of = by_llvm(module, session, &job.wish.contracts),
        HdlWidths::Proven => {
            assumes.extend(ranges.facts().filter_map(assumed).map(str::to_owned));
            let demand = Demand::compute(program, &ranges);
            for function in Widths::of(module, &ranges, &demand).functions {
                for value in function.values {
                    let claim = claim(&value.range, value.demanded);
                    of.extend(claim.map(|claim| ((function.function, value.value), claim)));
                }
            }
        }
        HdlWidths::Certified => {
            let certified =
                super::certificate::certify(program, Assumptions::default(), &job.wish.contracts)?;
            assumes.extend(super::certificate::assumed(module, &certified.certificate));
            let text = serde_json::to_string_pretty(&certified.certificate).expect("plain data");
            certificate = Some(text + "\n");
            let ranges = CertifiedRanges::of(module, &certified.certificate).of.into_iter();
            // What is looked at is not certified.
            of.extend(ranges.filter_map(|(value, range)| Some((value, claim(&range, range.type_width())?))));
        }
    }
    assumes.extend(contracts::assumed(&job.wish.contracts));
    assumes.push("pointer parameters lead to memories apart from each other, as with restrict".to_owned());
    assumes.sort();
    assumes.dedup();
    Ok(Claimed { of, assumes, certificate })
}

/// What is known of a value, for its wire; nothing of one that never comes to be.
fn claim(range: &ValueRange, demanded: u32) -> Option<Claim> {
    let (least, most) = range.signed_range()?;
    let needed = range.needed_width();
    let (bits, signed, demanded) = match least == most {
        // A constant needs no bits to be told from others, and nobody has to look at it. A wire that
        // carries it has them.
        true => {
            let plain = 128 - range.unsigned_range()?.0.leading_zeros();
            let with_sign = 129 - if least < 0 { !least } else { least }.leading_zeros();
            (plain.min(with_sign), with_sign < plain, range.type_width())
        }
        false => (needed.bits, needed.sign == Sign::Signed, demanded),
    };
    Some(Claim { bits: bits.max(1), signed, demanded, words: text::range(range) })
}

/// What LLVM knows, under the same contracts.
fn by_llvm(
    module: &Module,
    session: &mut Session,
    contracts: &[PortContract],
) -> HashMap<(FunctionId, Value), Claim> {
    let mut all = HashMap::new();
    for (function, body) in module.functions.iter().filter(|(_, body)| !body.blocks.is_empty()) {
        for position in 0..body.parameters {
            let pieces = integers(body, position, contracts);
            let low = pieces.iter().map(|piece| piece.0).min();
            // A promise has 64 bits.
            if let Some((low, high)) =
                low.filter(|_| is_word(module, body, position)).zip(pieces.iter().map(|piece| piece.1).max())
            {
                session.promise(ParameterPromise { function, position, low: low as u64, high: high as u64 });
            }
        }
        for (value, LlvmBits { width, has_sign, demanded }) in session.bits(function, body.parameters) {
            let words = format!("LLVM knows {width} bits, and that {demanded} of them are looked at");
            all.insert((function, value), Claim { bits: width, signed: has_sign, demanded, words });
        }
    }
    all
}

fn is_word(module: &Module, body: &Function, position: u32) -> bool {
    let Type::Function(_, parameters, _) = &module.types[body.ty] else { return false };
    parameters.get(position as usize).is_some_and(|&ty| matches!(module.types[ty], Type::Integer(..=64)))
}

/// Whole numbers that contracts allow for a parameter.
fn integers(body: &Function, position: u32, contracts: &[PortContract]) -> Pieces {
    let value = Value::Argument(position);
    let name = body.source_names.get(&value).or_else(|| body.names.get(&value));
    // Of a part of a parameter the port has a point, too.
    let called = [Some(&*body.name), body.source_name.as_deref()].into_iter().flatten();
    let called =
        called.zip(std::iter::repeat(name)).filter_map(|(own, name)| Some(format!("{own}.{}", name?)));
    let called: Vec<String> = called.collect();
    let is_of =
        |contract: &&PortContract| called.contains(&format!("{}.{}", contract.function, contract.port));
    let pieces = contracts.iter().filter(is_of).flat_map(|contract| &contract.pieces);
    let pieces = pieces.filter_map(|piece| match *piece {
        ContractPiece::Integers(low, high) => Some((low, high)),
        ContractPiece::Numbers(..) => None,
    });
    pieces.collect()
}

/// What each scalar of a circuit may be, by contracts.
pub(crate) fn pieces(design: &Design, body: &Function, contracts: &[PortContract]) -> Vec<Pieces> {
    let of_one = |scalar: &ScalarPort| integers(body, scalar.parameter, contracts);
    design.scalars.iter().map(of_one).collect()
}
