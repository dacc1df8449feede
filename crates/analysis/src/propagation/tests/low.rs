//! Sums in more bits than are asked for, of which only the low ones are.

use super::says;

/// What LLVM makes of `for (i = 0; i < n; i++) s += i, q += s`, n at most 100.
const SUM: &str = "define i32 @f(i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %there, label %exit
there:
  %most = call i32 @llvm.umin.i32(i32 %n, i32 100)
  %one = add nsw i32 %most, -1
  %wide = zext nneg i33 i32 %one
  %two = add nsw i32 %most, -2
  %other = zext i33 i32 %two
  %product = mul i33 %wide, %other
  %low = trunc i32 i33 %product
  ret i32 %low
exit:
  ret i32 0
}
declare i32 @llvm.umin.i32(i32, i32)
";

#[test]
fn the_low_bits_of_a_product_are_the_product_of_low_bits() {
    says(SUM, &[("one", "[0, 99] 7"), ("two", "[-1, 98] 8"), ("low", "[-99, 9702] 15")]);
}

#[test]
fn what_does_not_commute_with_truncation_says_nothing_of_low_bits() {
    for (from, to) in [("mul i33", "udiv i33"), ("= zext i33 i32 %two", "= shl i33 %wide, 32")] {
        let text = SUM.replace(from, to);
        assert_ne!(text, SUM);
        let told = super::told(&text, crate::memory::World::Open, &["low"]);
        assert_ne!(told, ["[-99, 9702] 15"], "{text}");
    }
}

#[test]
fn promises_of_the_wide_operation_are_not_those_of_the_low_bits() {
    // 200 + 100 does not wrap in 16 bits, and is 44 in 8.
    let text = "define i8 @f(i1 %c) {
  %x = select i8 i1 %c, 200, 201
  %wide = zext i16 i8 %x
  %sum = add nuw nsw i16 %wide, 100
  %low = trunc i8 i16 %sum
  ret i8 %low
}
";
    says(text, &[("sum", "[300, 301] 9"), ("low", "[44, 45] 6")]);
}
