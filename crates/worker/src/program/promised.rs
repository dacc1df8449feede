//! Does a contract promise what a certificate takes as given of a parameter?
//!
//! A certificate may be from anyone. What it takes as given must have been promised to who checks
//! it, by `--assume`, too: the same range, or one with fewer words. What was not is listed with the
//! flag that would promise it.
//! Input: a certificate and contracts. Cost: a look-up for each range that is given.

use opcost_analysis::memory::MemoryModel;
use opcost_analysis::propagation::Contract;
use opcost_analysis::ranges::ValueRange;
use opcost_bits::certified::claim;
use opcost_certificate::{Certificate, FunctionClaims, GivenBy, GivenClaim, RangeClaim};
use opcost_ir::Value;

use opcost_answer::certificate::NotGiven;
use opcost_answer::contract::PortContract;
use opcost_answer::terminal::one_line;

use super::contracts::{called, resolve};
use crate::error::WorkError;

/// What a certificate takes as given of parameters and no contract promises.
///
/// # Errors
/// A contract names nothing, or does not fit its port.
pub(crate) fn unpromised(
    program: &MemoryModel<'_>,
    certificate: &Certificate,
    written: &[PortContract],
) -> Result<Vec<NotGiven>, WorkError> {
    let mut contracts = Vec::new();
    for one in written {
        contracts.extend(resolve(program, one)?);
    }
    let module = program.module;
    let mut missing = Vec::new();
    for (claims, given) in contracts_of(certificate) {
        let mut named = module.functions.iter().filter(|(_, function)| function.name == claims.name);
        // Of several of one name the checker says that they cannot be told apart.
        let Some((id, function)) = named.next_back() else { continue };
        let is_same = |contract: &Contract| {
            contract.function == id && Value::Argument(contract.position) == given.value.value()
        };
        let all = contracts.iter().map(|resolved| &resolved.contract).filter(|contract| is_same(contract));
        let promised = all.filter_map(|contract| contract.range.integer().cloned());
        // Of several for one port all hold.
        let promised = promised.reduce(|one, other| one.meet(&other));
        if promised.is_some_and(|range| promises(&range, &given.range)) {
            continue;
        }
        let (name, range) = (one_line(&claims.name).into_owned(), &given.range);
        let flag = match given.value.value() {
            Value::Argument(position) if position < function.parameters => {
                let port = one_line(&called(module, function, position)).into_owned();
                numbers_of(range).map(|numbers| format!("--assume '{name}.{port}={numbers}'"))
            }
            _ => None,
        };
        missing.push(NotGiven { what: format!("{name}:{} is {range} (a contract)", given.value), flag });
    }
    Ok(missing)
}

/// Whether a promised range has only words that are taken as given.
fn promises(promised: &ValueRange, given: &RangeClaim) -> bool {
    if promised.type_width() != given.width || promised.is_empty() {
        return false;
    }
    if claim(promised) == *given {
        return true;
    }
    if let Some(set) = promised.set() {
        return set.values().iter().all(|&word| given.contains(word));
    }
    let Some(((first, _), span)) = promised.interval().ends().zip(promised.interval().span()) else {
        return false;
    };
    // An arc and nothing else holds all that lies between two of its words.
    let is_arc = RangeClaim::arc(given.width, given.first.0, given.span.0) == *given;
    let ahead = first.wrapping_sub(given.first.0) & (u128::MAX >> (128 - given.width));
    is_arc && ahead.checked_add(span).is_some_and(|last| last <= given.span.0)
}

/// A range as a contract writes it; none of what no contract says.
fn numbers_of(range: &RangeClaim) -> Option<String> {
    if let Some(set) = &range.set {
        let words: Vec<String> = set.iter().map(|word| word.0.to_string()).collect();
        return (!words.is_empty()).then(|| words.join(","));
    }
    let is_arc = RangeClaim::arc(range.width, range.first.0, range.span.0) == *range;
    let shift = 128 - range.width;
    let signed = |word: u128| ((word << shift) as i128) >> shift;
    let last = range.first.0.wrapping_add(range.span.0) & (u128::MAX >> shift);
    let (low, high) = (range.first.0, last);
    match (low <= high, signed(low) <= signed(last)) {
        _ if !is_arc => None,
        (true, _) => Some(format!("{low}..{high}")),
        (false, true) => Some(format!("{}..{}", signed(low), signed(last))),
        (false, false) => None,
    }
}

/// Ranges of parameters that a certificate takes as given, with who they are of.
fn contracts_of(certificate: &Certificate) -> impl Iterator<Item = (&FunctionClaims, &GivenClaim)> {
    let all = certificate.functions.iter();
    let all = all.flat_map(|claims| claims.given.iter().map(move |given| (claims, given)));
    all.filter(|(_, given)| given.by == GivenBy::Contract)
}
