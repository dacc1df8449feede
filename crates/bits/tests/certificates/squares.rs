//! Products of a value with itself: certified as squares where both uses are one
//! word. Where they may be two, each claim of a square must be refused.

use opcost_analysis::memory::World;
use opcost_certificate::{RangeClaim, ValueClaim, ValueName, Word};
use opcost_ir::parse_module;
use opcost_testkit::random_undefined;

use crate::relations::{module_of, only, range_of};
use crate::{certificate_of, is_accepted, number_from};

/// All words that undefined operands let a value be are claimed; a claim without
/// one of them is refused.
#[test]
fn undefined_words_are_certified_as_what_they_may_be() {
    let cases = number_from("PROPTEST_CASES", 150);
    let (mut claims, mut false_ones, mut squares) = (0, 0, 0);
    for seed in 0..cases {
        let case = random_undefined(seed);
        let module = module_of(&case.text);
        let certificate = certificate_of(&module, World::Open);
        assert!(is_accepted(&module, &certificate), "seed {seed}\n{}", case.text);
        for ((function, number), words) in case.words() {
            let place = certificate.functions.iter().position(|claims| claims.name == function);
            let place = place.expect("it is there");
            let value = ValueName::Result(number as u32);
            let own = certificate.functions[place].values.iter().position(|claim| claim.value == value);
            if let Some(own) = own {
                let range = &certificate.functions[place].values[own].range;
                let outside = words.iter().find(|&&word| !range.contains(word));
                assert_eq!(outside, None, "seed {seed}: {function}:i{number} is {range}\n{}", case.text);
                claims += 1;
                squares += u64::from(range.zeros.0 & 2 != 0);
            }
            // That the second bit is 0, as it is of squares.
            let Some(width) = product_of_one(&module, function, number) else { continue };
            if words.iter().all(|word| word & 2 == 0) {
                continue;
            }
            let mut forged = certificate.clone();
            let range = RangeClaim { zeros: Word(2), ..RangeClaim::anything(width) };
            let values = &mut forged.functions[place].values;
            match own {
                Some(own) => values[own].range = range,
                None => values.push(ValueClaim { value, range }),
            }
            false_ones += 1;
            assert!(!is_accepted(&module, &forged.sealed()), "seed {seed}: i{number}\n{}", case.text);
        }
    }
    println!("{claims} claims, {squares} of squares, {false_ones} false ones");
    assert!(claims > 2 * cases && squares > cases / 4 && false_ones > cases / 4);
}

/// Bits of what multiplies one value with itself.
fn product_of_one(module: &opcost_ir::Module, function: &str, number: usize) -> Option<u32> {
    let body = module.functions.values().find(|body| body.name == function)?;
    let (at, instruction) = body.instructions.iter().nth(number)?;
    let operands = body.operands_of(at);
    match module.types[instruction.ty] {
        opcost_ir::Type::Integer(width)
            if instruction.opcode == opcost_ir::Opcode::Mul && operands[0] == operands[1] =>
        {
            Some(width)
        }
        _ => None,
    }
}

const SHORT: &str = "
define i64 @run(ptr %p, i32 %n) {
entry:
  %v = load i16, ptr %p
  %x = sext i64 i16 %v
  %r = mul nsw i64 %x, %x
  %s = mul i32 %n, %n
  ret i64 %r
}
";

#[test]
fn a_short_squared_is_certified() {
    let module = module_of(SHORT);
    let certificate = certificate_of(&module, World::Open);
    assert!(is_accepted(&module, &certificate));
    let short = range_of(&certificate, 2).expect("it is claimed").clone();
    assert_eq!((short.first.0, short.span.0, short.zeros.0), (0, 1 << 30, 2));
    // Of a whole word only the second bit.
    assert_eq!(range_of(&certificate, 3).map(|range| range.zeros.0), Some(2));
    let root = (1, RangeClaim::arc(64, 0u128.wrapping_sub(1 << 15), (1 << 16) - 1));
    let accepted =
        |range: RangeClaim| is_accepted(&module, &only(&module, &[root.clone(), (2, range)], Vec::new()));
    assert!(accepted(RangeClaim::arc(64, 0, 1 << 30)));
    // The greatest one, the second bit, and what is no remainder by eight.
    assert!(!accepted(RangeClaim::arc(64, 0, (1 << 30) - 1)));
    assert!(!accepted(RangeClaim::arc(64, 1, (1 << 30) - 1)));
    assert!(!accepted(RangeClaim { ones: Word(2), ..RangeClaim::arc(64, 0, 1 << 30) }));
    assert!(!accepted(RangeClaim { zeros: Word(4), ..RangeClaim::arc(64, 0, 1 << 30) }));
}

/// Each use of what was perhaps never written may be another word; that it is one
/// is an assumption that a certificate lists.
#[test]
fn a_square_of_what_is_read_rests_on_one_word() {
    let module = parse_module(SHORT).expect("a module");
    let mut certificate = certificate_of(&module, World::Open);
    assert!(certificate.one_word);
    certificate.one_word = false;
    assert!(!is_accepted(&module, &certificate.clone().sealed()));
    // A promise or a freeze makes it one.
    let one = RangeClaim { zeros: Word(2), ..RangeClaim::anything(32) };
    for (text, is_one) in [
        (SHORT.to_owned(), false),
        (SHORT.replace("i32 %n)", "i32 noundef %n)"), true),
        (SHORT.replace("mul i32 %n, %n", "freeze i32 %n\n  %t = mul i32 %s, %s"), true),
        (SHORT.replace("mul i32 %n, %n", "add i32 %n, 1\n  %t = mul i32 %s, %s"), false),
    ] {
        let module = module_of(&text);
        let at = if text.contains("%t") { 4 } else { 3 };
        let mut certificate = only(&module, &[(at, one.clone())], Vec::new());
        assert!(is_accepted(&module, &certificate), "{text}");
        certificate.one_word = false;
        assert_eq!(is_accepted(&module, &certificate.sealed()), is_one, "{text}");
    }
}

/// The low bits of a square of more of them.
#[test]
fn a_truncated_square_is_certified() {
    let text = "
define i32 @run(i32 noundef %n) {
entry:
  %low = and i32 %n, 15
  %x = sub i32 %low, 8
  %wide = zext i64 i32 %x
  %all = mul i64 %wide, %wide
  %r = trunc i32 i64 %all
  ret i32 %r
}
";
    let module = module_of(text);
    let certificate = certificate_of(&module, World::Open);
    assert!(is_accepted(&module, &certificate));
    let range = range_of(&certificate, 4).expect("it is claimed");
    assert_eq!((range.first.0, range.span.0), (0, 64));
    // Two that are not the same.
    let twin = text
        .replace("%r = trunc", "%y = zext i64 i32 %n\n  %r = trunc")
        .replace("and i32 %n", "and i32 undef");
    let module = module_of(&twin);
    let product = RangeClaim::arc(32, 0, 64);
    let at_trunc = 5;
    assert!(!is_accepted(&module, &only(&module, &[(at_trunc, product)], Vec::new())));
}
