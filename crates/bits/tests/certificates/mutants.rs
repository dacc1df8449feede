//! Certificates with a false claim.
//!
//! One to four claims are changed so that a word that a run has shown breaks
//! them: the word is cut off the arc, or the arc is turned away from it, or all
//! claims of a function are made to leave out what was seen, so that they hold
//! each other up (a circle). The runs are the witnesses.

use opcost_analysis::memory::World;
use opcost_certificate::{Certificate, RangeClaim, Word};
use opcost_testkit::{Random, function_named};

use crate::{
    Subject, access_subject, branch_subject, first_broken, is_accepted, loop_subject, number_from, random,
};

/// The same claim without a word.
fn without(claim: &RangeClaim, word: u128, random: &mut Random) -> RangeClaim {
    let all = if claim.width == 128 { u128::MAX } else { (1 << claim.width) - 1 };
    let ahead = word.wrapping_sub(claim.first.0) & all;
    let plain = RangeClaim {
        set: None,
        zeros: Word(0),
        ones: Word(0),
        modulus: Word(0),
        rest: Word(0),
        ..claim.clone()
    };
    match random.below(3) {
        // All but the word.
        0 => RangeClaim::arc(claim.width, word.wrapping_add(1), all - 1),
        // What lies behind it, or before it.
        1 if ahead < claim.span.0 => RangeClaim {
            first: Word(word.wrapping_add(1) & all),
            span: Word(claim.span.0 - ahead - 1),
            ..plain
        },
        _ if ahead > 0 => RangeClaim { span: Word(ahead - 1), ..plain },
        _ => RangeClaim::never(claim.width),
    }
}

/// Makes some claims false; how many.
fn mutate(subject: &Subject, certificate: &mut Certificate, random: &mut Random) -> usize {
    let is_circle = random.one_in(4);
    let mut left = if is_circle { usize::MAX } else { 1 + random.below(4) as usize };
    let mut changed = 0;
    for claims in &mut certificate.functions {
        let function = function_named(&subject.module, &claims.name).expect("it is of this module");
        for claim in &mut claims.values {
            let words = subject.seen.get(&(function, claim.value)).map_or(&[][..], Vec::as_slice);
            if words.is_empty() || left == 0 || !(is_circle || random.one_in(6)) {
                continue;
            }
            let word = match random.below(3) {
                0 => words[0],
                1 => words[words.len() - 1],
                _ => *random.of(words),
            };
            claim.range = without(&claim.range, word, random);
            (left, changed) = (left - 1, changed + 1);
        }
        if is_circle && changed > 0 {
            break;
        }
    }
    changed
}

/// Fewer turns, or less in each, than claimed: false if a value that was seen is
/// out of what then is added up.
fn understate(subject: &Subject, certificate: &mut Certificate, random: &mut Random) -> bool {
    let mut is_false = false;
    for claims in &mut certificate.functions {
        let function = function_named(&subject.module, &claims.name).expect("it is of this module");
        for sum in claims.sums.iter_mut().filter(|sum| sum.base.is_none()) {
            match random.below(3) {
                0 => sum.turns = sum.turns.saturating_sub(1 + random.below(3)),
                1 => sum.greatest -= 1,
                _ => sum.least += 1,
            }
            let result = sum.result();
            let words = subject.seen.get(&(function, sum.value)).map_or(&[][..], Vec::as_slice);
            is_false |= words.iter().any(|&word| !result.contains(word));
        }
        for turns in &mut claims.turns {
            turns.most = turns.most.saturating_sub(random.below(2));
        }
    }
    is_false
}

#[test]
fn a_thousand_false_certificates_are_rejected() {
    let wanted = number_from("MUTANTS", 1000);
    let (mut tried, mut sums, mut seed) = (0, 0, number_from("FIRST_SEED", 0));
    while tried < wanted {
        seed += 1;
        let world = if seed % 2 == 0 { World::Open } else { World::Closed };
        let subject = match seed % 4 {
            0 => Some(branch_subject(seed)),
            1 => Some(access_subject(seed)),
            _ => loop_subject(seed, world),
        };
        let Some(subject) = subject else { continue };
        let certificate = subject.certificate();
        let mut random = random(seed);
        for _ in 0..25 {
            let mut mutant = certificate.clone();
            let is_false = match random.one_in(5) {
                true => understate(&subject, &mut mutant, &mut random),
                false => mutate(&subject, &mut mutant, &mut random) > 0,
            };
            if !is_false {
                continue;
            }
            sums += usize::from(first_broken(&subject, &mutant).is_none());
            let is_accepted = is_accepted(&subject.module, &mutant);
            let broken = first_broken(&subject, &mutant);
            assert!(!is_accepted, "seed {seed}: {broken:?} was accepted of {}", subject.what);
            tried += 1;
        }
    }
    println!("{tried} rejected, {sums} of them with false sums, {seed} programs");
    assert!(sums > 3, "sums are made false, too: {sums}");
}
