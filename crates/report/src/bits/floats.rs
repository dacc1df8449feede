//! `opcost bits`: the mantissas of floating point numbers.
//!
//! One line of all of them below the head, and of functions that were asked for
//! their values one by one, those that need fewest of their bits first. Input:
//! the answers. Cost: linear, and sorting.

use std::fmt::Write;

use crate::kit::numbers::{counted, grouped, noun, verb};
use crate::kit::style::{BAD, DIM, cut, padded, paint, printable, screen_width};
use opcost_answer::bits::{BitsFloat, BitsFunction};

/// What all mantissas need, and what a run showed; nothing if there are none.
pub fn mantissas(text: &mut String, functions: &[BitsFunction]) {
    let all = || functions.iter().flat_map(|function| &function.floats);
    let sum = |bits: fn(&BitsFloat) -> u32| all().map(|float| u64::from(bits(float))).sum::<u64>();
    let count = all().count();
    if count == 0 {
        return;
    }
    let _ = writeln!(
        text,
        "the {} of {} {} {} and {} {}",
        noun(count, "mantissa"),
        counted(count, "floating point number"),
        verb(count, "has", "have"),
        counted(sum(|float| float.declared), "bit"),
        verb(count, "needs", "need"),
        grouped(sum(|float| float.needed)),
    );
    let ran = || all().filter_map(|float| Some((float, float.observed.as_ref()?)));
    if ran().count() > 0 {
        let of_ran =
            |bits: fn(&BitsFloat) -> u32| ran().map(|(float, _)| u64::from(bits(float))).sum::<u64>();
        let seen: u64 = ran().map(|(_, observed)| u64::from(observed.needed)).sum();
        let _ = writeln!(
            text,
            "in this run {} of them {} defined: {} of mantissas declared, {} proven, {} observed",
            grouped(ran().count() as u64),
            verb(ran().count(), "was", "were"),
            counted(of_ran(|float| float.declared), "bit"),
            grouped(of_ran(|float| float.needed)),
            grouped(seen),
        );
    }
    for (float, observed) in ran().filter(|(float, observed)| observed.is_outside && !float.may_be_poison) {
        let _ = writeln!(
            text,
            "{} {} needed {} of its mantissa, which it cannot ({})",
            paint(BAD, "wrong:"),
            float.key,
            counted(observed.needed, "bit"),
            float.needed,
        );
    }
}

/// The floating point numbers of a function, one by one.
pub fn floats(text: &mut String, function: &BitsFunction, most: usize) {
    if function.floats.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}", paint(DIM, "  mantissas"));
    let mut order: Vec<&BitsFloat> = function.floats.iter().collect();
    order.sort_by_key(|float| std::cmp::Reverse(float.declared.saturating_sub(float.needed)));
    let count = if most == 0 { order.len() } else { most.min(order.len()) };
    let room = screen_width().saturating_sub(66).max(24);
    for float in &order[..count] {
        let line = float.line.map_or_else(String::new, |line| format!("line {line}"));
        let seen = float.observed.as_ref().map_or_else(String::new, |observed| {
            format!("seen {} in {}", observed.needed, counted(observed.times, "time"))
        });
        let _ = writeln!(
            text,
            "  {} {} {} {:>4} → {}  {}  {}",
            padded(&cut(&printable(&float.name), 16), 16),
            padded(&line, 9),
            padded(&cut(&float.opcode, 10), 10),
            float.declared,
            padded(&float.needed.to_string(), 4),
            padded(&cut(&float.range, 22), 22),
            paint(DIM, cut(&seen, room)),
        );
    }
    if count < order.len() {
        let words = format!("  … {} more (--top 0 shows all)", grouped((order.len() - count) as u64));
        let _ = writeln!(text, "{}", paint(DIM, words));
    }
}
