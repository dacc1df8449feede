//! Loops of few turns without a closed form, one turn after the other.

use super::{says, told};
use crate::memory::World;

/// `x` in `0..=3`, then three times `x * x + 1`.
const SQUARES: &str = "define i32 @f(i32 %x) {
entry:
  %start = and i32 %x, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %y = phi i32 [ %start, %entry ], [ %more, %loop ]
  %square = mul i32 %y, %y
  %more = add i32 %square, 1
  %i.next = add nuw nsw i32 %i, 1
  %go = icmp ult i32 %i, 2
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %more
}
";

#[test]
fn what_has_no_closed_form_is_followed_turn_by_turn() {
    says(SQUARES, &[("y", "[0, 101] 7"), ("square", "[0, 10201] 14"), ("more", "[1, 10202] 14")]);
    let twice = SQUARES.replace("ult i32 %i, 2", "ult i32 %i, 1");
    says(&twice, &[("y", "[0, 10] 4"), ("more", "[1, 101] 7")]);
}

#[test]
fn too_many_turns_are_not_followed() {
    let many = SQUARES.replace("ult i32 %i, 2", "ult i32 %i, 64");
    assert_eq!(told(&many, World::Open, &["more"]), ["[-2147483648, 2147483647] 32"]);
}

/// A filter of six taps over bytes.
const TAPS: &str = "global internal @taps type [6 x i32] constant = { 0: i32 1, 4: i32 -5, 8: i32 20, 12: i32 20, 16: i32 -5, 20: i32 1 }
define i32 @f(ptr %in) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %from = getelementptr inbounds i8 ptr %in, i64 %i
  %byte = load i8, ptr %from
  %wide = zext i32 i8 %byte
  %of = getelementptr inbounds [6 x i32] ptr @taps, i64 0, i64 %i
  %tap = load i32, ptr %of
  %product = mul nsw i32 %wide, %tap
  %more = add nsw i32 %sum, %product
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, 6
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %more
}
";

#[test]
fn a_sum_with_weights_from_a_table_takes_each_weight_once() {
    // 255 * (1 + 20 + 20 + 1) and 255 * (-5 - 5).
    says(TAPS, &[("more", "[-2550, 10710] 15")]);
}

#[test]
fn floating_point_numbers_are_followed_too() {
    let text = "define i32 @f(i8 %x) {
entry:
  %start = uitofp double i8 %x
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %y = phi double [ %start, %entry ], [ %more, %loop ]
  %twice = fmul double %y, 2.0e+00
  %more = fadd double %twice, 1.0e+00
  %i.next = add nuw nsw i32 %i, 1
  %go = icmp ult i32 %i, 3
  br i1 %go, label %loop, label %exit
exit:
  %whole = fptosi i32 double %more
  ret i32 %whole
}
";
    // 16 * 255 + 15; the least is that of the first turn.
    says(text, &[("whole", "[1, 4095] 12")]);
}

/// The squares as clang writes them without optimisation.
const IN_MEMORY: &str = "define i32 @f(i32 %x) {
entry:
  %i = alloca i32
  %y = alloca i32
  %start = and i32 %x, 3
  store i32 0, ptr %i
  store i32 %start, ptr %y
  br label %head
head:
  %now = load i32, ptr %i
  %go = icmp slt i32 %now, 3
  br i1 %go, label %body, label %exit
body:
  %before = load i32, ptr %y
  %again = load i32, ptr %y
  %square = mul nsw i32 %before, %again
  %more = add nsw i32 %square, 1
  store i32 %more, ptr %y
  %counted = load i32, ptr %i
  %next = add nsw i32 %counted, 1
  store i32 %next, ptr %i
  br label %head
exit:
  %result = load i32, ptr %y
  ret i32 %result
}
";

#[test]
fn locals_in_memory_are_followed_from_turn_to_turn() {
    // The last one comes to the head, where the loop is left.
    says(IN_MEMORY, &[("before", "[0, 10202] 14"), ("result", "[0, 10202] 14")]);
}

#[test]
fn what_the_turn_before_stored_is_not_of_this_turn() {
    // `last` is what `i` was before: a copy of the same turn would be one ahead.
    let text = "define i32 @f() {
entry:
  %last = alloca i32
  store i32 9, ptr %last
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %y = phi i32 [ 1, %entry ], [ %more, %loop ]
  %old = load i32, ptr %last
  store i32 %i, ptr %last
  %product = mul i32 %y, %old
  %more = add i32 %product, 1
  %i.next = add nuw nsw i32 %i, 1
  %go = icmp ult i32 %i, 2
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %more
}
";
    // 1 -> 1 * 9 + 1 = 10 -> 10 * 0 + 1 = 1 -> 1 * 1 + 1 = 2.
    let text = told(text, World::Open, &["old", "y", "more"]).join(", ");
    assert!(text.starts_with("[0, 9] 4, [1, 10] 4, "), "{text}");
}
