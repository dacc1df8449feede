//! Products of a value with itself: squares where both uses are one word, and
//! twins where they may be two.

use super::{says, says_in, told_with};
use crate::memory::World;
use crate::propagation::RangeOptions;

/// The square of what this line makes, a word of 32 bits from -4 to 3 called `x`.
fn squared(line: &str) -> String {
    format!(
        "define i32 @f(i32 %n, ptr %p) {{
entry:
  {line}
  %r = mul i32 %x, %x
  ret i32 %r
}}
"
    )
}

const SQUARE: &str = "[0, 16] 5";
const PRODUCT: &str = "[-12, 16] 6";

fn between(of: &str) -> String {
    format!("%low = and i32 {of}, 7\n  %x = sub i32 %low, 4")
}

#[test]
fn a_short_from_memory() {
    let text = squared("%v = load i16, ptr %p\n  %x = sext i32 i16 %v");
    says(&text, &[("r", "[0, 1073741824] 31")]);
    // One is below zero only, the other one not at all.
    let clamped = |test: &str| {
        text.replace(
            "  %r =",
            &format!("  %is = icmp {test} i32 %x, -7\n  br i1 %is, label %on, label %out\nout:\n  ret i32 0\non:\n  %r ="),
        )
    };
    says(&clamped("slt"), &[("r", "[64, 1073741824] 31")]);
    says(&clamped("ugt"), &[("r", "[1, 36] 6")]);
}

#[test]
fn a_word_that_may_wrap() {
    let whole = squared("%x = add i32 %n, 0");
    says(&whole, &[("r", "[-2147483648, 2147483645] 32")]);
    // 46340 is the last whose square has 31 bits.
    says(&whole.replace("mul i32 %x", "mul nsw i32 %x"), &[("r", "[0, 2147395600] 31")]);
    says(&whole.replace("mul i32 %x", "mul nuw i32 %x"), &[("r", "[0, 4294836225] 32")]);
    let even = squared("%x = shl i32 %n, 1");
    says(&even.replace("ret i32 %r", "%low = and i32 %r, 11\n  ret i32 %low"), &[("low", "[0, 0] 0")]);
    let odd = squared("%x = or i32 %n, 1");
    says(&odd.replace("ret i32 %r", "%low = and i32 %r, 7\n  ret i32 %low"), &[("low", "[1, 1] 0")]);
}

#[test]
fn what_is_one_word_at_both_uses() {
    for of in ["%n", "%v", "%frozen", "%given", "%either"] {
        let before = "%v = load i32, ptr %p
  %frozen = freeze i32 undef
  %given = call i32 @others()
  %test = icmp eq i32 %n, 5
  %either = select i32 i1 %test, i32 %v, i32 %n\n  ";
        let text = squared(&format!("{before}{}", between(of)));
        says(&format!("declare i32 @others()\n{text}"), &[("r", SQUARE)]);
    }
    says(&squared(&between("undef")), &[("r", PRODUCT)]);
    says(&squared("%x = add i32 undef, 0"), &[("r", "[-2147483648, 2147483647] 32")]);
    // One of two that are undefined, and both are asked for.
    let either = "%test = icmp eq i32 %n, 5\n  %either = select i32 i1 %test, i32 undef, i32 %n\n  ";
    says(&squared(&format!("{either}{}", between("%either"))), &[("r", PRODUCT)]);
    // Poison is no word at all.
    says(&squared(&format!("{}{}", either.replace("undef", "poison"), between("%either"))), &[("r", SQUARE)]);
    // The same twice is the same, but nobody sees that here.
    let twice = squared(&between("%n"))
        .replace("  %r = mul i32 %x, %x", "  %y = sub i32 %low, 4\n  %r = mul i32 %x, %y");
    says(&twice, &[("r", PRODUCT)]);
}

#[test]
fn what_merges() {
    let text = |first: &str| {
        format!(
            "define i32 @f(i32 %n) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ {first}, %entry ], [ %i1, %loop ]
  %x = phi i32 [ {first}, %entry ], [ %y, %loop ]
  %r = mul i32 %x, %x
  %low = and i32 %n, 7
  %mixed = xor i32 %low, %i
  %three = and i32 %mixed, 7
  %y = sub i32 %three, 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %r
}}
"
        )
    };
    says(&text("3"), &[("x", "[-4, 3] 3"), ("r", SQUARE)]);
    // It begins undefined, and goes on to be.
    let undefined = text("3").replace("%x = phi i32 [ 3,", "%x = phi i32 [ undef,");
    says(&undefined, &[("r", "[-2147483648, 2147483647] 32")]);
    let counter = text("undef").replace("%x = phi i32 [ undef,", "%x = phi i32 [ 0,");
    says(&counter, &[("x", "[-4, 3] 3"), ("r", PRODUCT)]);
}

#[test]
fn what_is_given_and_returned() {
    let text = |given: &str, promise: &str| {
        format!(
            "define internal i32 @low(i32 {promise}%n) {{
entry:
  {}
  %r = mul i32 %x, %x
  ret i32 %r
}}
define internal i32 @made(i32 %n) {{
entry:
  {}
  ret i32 %x
}}
define i32 @f(i32 %n) {{
entry:
  %r = call i32 @low(i32 {given})
  %x = call i32 @made(i32 {given})
  %s = mul i32 %x, %x
  ret i32 %s
}}
",
            between("%n"),
            between("%n")
        )
    };
    for world in [World::Open, World::Closed] {
        let main = |given: &str, promise: &str| text(given, promise).replace("@f(", "@main(");
        says_in(world, &main("%n", ""), &[("r", SQUARE), ("s", SQUARE)]);
        says_in(world, &main("undef", ""), &[("r", PRODUCT), ("s", PRODUCT)]);
        // That would have been undefined: nobody gets there.
        says_in(world, &main("undef", "noundef "), &[("r", SQUARE), ("s", PRODUCT)]);
    }
}

#[test]
fn parts_of_it() {
    // The first result of the intrinsic.
    let text = squared(&between("%n")).replace(
        "%r = mul i32 %x, %x",
        "%both = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %x, i32 %x)\n  %r = extractvalue i32 { i32, i1 } %both, 0",
    );
    let declared =
        "declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32) nounwind willreturn memory(none)\n";
    says(&format!("{declared}{text}"), &[("r", SQUARE)]);
    // The low bits of a square in more of them.
    let wide = "%low = and i32 %n, 15
  %less = sub i32 %low, 8
  %x = zext i64 i32 %less
  %all = mul i64 %x, %x";
    let text = squared(wide).replace("%r = mul i32 %x, %x", "%r = trunc i32 i64 %all");
    says(&text, &[("r", "[0, 64] 7")]);
    says(&text.replace("and i32 %n", "and i32 undef"), &[("r", "[-56, 64] 8")]);
    // Of an arm of a choice more is known than of the value.
    let chosen = squared("%v = load i16, ptr %p\n  %x = sext i32 i16 %v").replace(
        "ret i32 %r",
        "%few = icmp ult i32 %x, 10\n  %s = select i32 i1 %few, i32 %r, i32 0\n  ret i32 %s",
    );
    says(&chosen, &[("s", "[0, 81] 7")]);
}

/// What a front end makes of it: a local that is read twice.
#[test]
fn what_two_loads_read() {
    let text = |between: &str| {
        let stored =
            "%c = alloca i32\n  %v = load i16, ptr %p\n  %w = sext i32 i16 %v\n  store i32 %w, ptr %c";
        squared(&format!("{stored}\n  %x = load i32, ptr %c{between}\n  %y = load i32, ptr %c"))
            .replace("mul i32 %x, %x", "mul i32 %x, %y")
    };
    let (square, product) = ("[0, 1073741824] 31", "[-1073709056, 1073741824] 32");
    says(&text(""), &[("r", square)]);
    // Another word of the same range.
    let again = "\n  %o = load i16, ptr %p\n  %wo = sext i32 i16 %o\n  store i32 %wo, ptr %c";
    says(&text(again), &[("r", product)]);
    // A claim of a certificate speaks of one load only.
    let stepwise = RangeOptions { stepwise: true, ..RangeOptions::default() };
    assert_eq!(told_with(&text(""), World::Open, stepwise, &["r"]), [product]);
    // A short that is made wider at each use, once without its sign.
    let short = squared(
        "%c = alloca i16\n  %v = load i16, ptr %p\n  store i16 %v, ptr %c
  %a = load i16, ptr %c\n  %b = load i16, ptr %c\n  %x = sext i32 i16 %a\n  %y = sext i32 i16 %b",
    )
    .replace("mul i32 %x, %x", "mul i32 %x, %y");
    says(&short, &[("r", square)]);
    says(&short.replace("%y = sext", "%y = zext"), &[("r", "[-2147450880, 2147385345] 32")]);
    // Two loads of what nobody wrote, of what is undefined, of what is watched, of two
    // places.
    let few = between("%n").replace("%x", "%w");
    let local = |first: &str| {
        let lines = "%c = alloca i32\n  %d = alloca i32";
        let loads =
            "%a = load i32, ptr %c\n  %b = load i32, ptr %c\n  %x = and i32 %a, 1\n  %y = and i32 %b, 1";
        squared(&format!("{few}\n  {lines}\n  {first}{loads}")).replace("mul i32 %x, %x", "mul i32 %a, %b")
    };
    let any = "[-2147483648, 2147483647] 32";
    says(&local(""), &[("r", any)]);
    says(&local("store i32 undef, ptr %c\n  "), &[("r", any)]);
    let stored = local("store i32 %w, ptr %c\n  store i32 %w, ptr %d\n  ");
    says(&stored, &[("r", SQUARE)]);
    says(&stored.replace("%b = load i32, ptr %c", "%b = load i32, ptr %d"), &[("r", PRODUCT)]);
    says(&stored.replace("%b = load i32", "%b = load volatile i32"), &[("r", any)]);
    let loads_of_others = squared("%x = load i32, ptr %p\n  %y = load i32, ptr %p")
        .replace("mul i32 %x, %x", "mul nsw i32 %x, %y");
    says(&loads_of_others, &[("r", any)]);
}
