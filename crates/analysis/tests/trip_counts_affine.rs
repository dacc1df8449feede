//! Counters that move by one number: all comparisons, widths, places of tests.

mod common;

use common::{solve, solve_one};

/// `for (i = start; i PREDICATE bound; i += step)` tested at the top.
fn top(flags: &str, start: &str, predicate: &str, bound: &str, step: &str) -> String {
    format!(
        "define void @f(i32 %n, i32 %m) {{
entry:
  br label %head
head:
  %i = phi i32 [ {start}, %entry ], [ %next, %body ]
  %t = icmp {predicate} i32 %i, {bound}
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %next = add {flags} i32 %i, {step}
  br label %head
exit:
  ret void
}}
declare void @use(i32)
"
    )
}

#[track_caller]
fn check(text: &str, back_edges: &str, body: &str, assumptions: &[&str]) {
    let said = solve_one(text);
    assert_eq!((said.back_edges.as_str(), said.body.as_str()), (back_edges, body), "{said:?}");
    assert_eq!(said.assumptions, assumptions, "{said:?}");
}

#[test]
fn up_to_a_bound() {
    check(&top("", "0", "slt", "%n", "1"), "max(0, n)", "max(0, n)", &[]);
    check(&top("nsw", "0", "slt", "%n", "1"), "max(0, n)", "max(0, n)", &[]);
    check(&top("", "0", "ult", "%n", "1"), "(u32)n", "(u32)n", &[]);
    check(&top("", "%m", "slt", "%n", "1"), "max(0, n - m)", "max(0, n - m)", &[]);
    check(&top("", "0", "slt", "10", "1"), "10", "10", &[]);
}

#[test]
fn a_step_that_does_not_divide() {
    check(&top("nsw", "0", "slt", "%n", "3"), "max(0, ceil(n / 3))", "max(0, ceil(n / 3))", &["next nsw"]);
    let unsigned = top("", "0", "ult", "%n", "3");
    check(&unsigned, "ceil((u32)n / 3)", "ceil((u32)n / 3)", &["(u32)n <= 4294967293 else differs"]);
    check(&top("", "0", "slt", "10", "3"), "4", "4", &[]);
}

#[test]
fn the_bound_itself() {
    check(&top("nsw", "1", "sle", "%n", "1"), "max(0, n)", "max(0, n)", &["next nsw"]);
    check(
        &top("", "0", "ule", "%n", "1"),
        "(u32)n + 1",
        "(u32)n + 1",
        &["(u32)n <= 4294967294 else endless"],
    );
}

#[test]
fn down() {
    check(&top("", "%n", "sgt", "0", "-1"), "max(0, n)", "max(0, n)", &[]);
    check(&top("", "%n", "sge", "1", "-1"), "max(0, n)", "max(0, n)", &[]);
    check(&top("", "%n", "ne", "0", "-1"), "(u32)n", "(u32)n", &[]);
    // for (i = n - 1; i < n; --i) without sign: round to the top and out.
    check(&top("", "5", "ult", "10", "-1"), "6", "6", &[]);
}

#[test]
fn modulo_the_width() {
    // i >= 1; i -= 3: only 0 leaves.
    let three = "(u32)(-1431655765*n)";
    check(&top("", "%n", "uge", "1", "-3"), three, three, &[]);
    check(&top("", "0", "ne", "%n", "3"), three, three, &[]);
    let promised = ["next nsw", "n >= 0 else endless", "n % 3 == 0 else endless"];
    check(&top("nsw", "0", "ne", "%n", "3"), "n / 3", "n / 3", &promised);
}

#[test]
fn tested_at_the_bottom() {
    let text = "define void @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nsw i32 %i, 1
  %t = icmp slt i32 %next, %n
  br i1 %t, label %loop, label %exit
exit:
  ret void
}
";
    check(text, "max(0, n - 1)", "max(1, n)", &[]);
}

#[test]
fn a_guard_removes_the_greatest() {
    let text = "define void @f(i32 %n) {
entry:
  %guard = icmp sgt i32 %n, 0
  br i1 %guard, label %pre, label %exit
pre:
  %wide = zext i64 %n
  br label %loop
loop:
  %i = phi i64 [ 0, %pre ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %t = icmp eq i64 %next, %wide
  br i1 %t, label %exit, label %loop
exit:
  ret void
}
";
    check(text, "n - 1", "n", &[]);
}

#[test]
fn inner_loops_and_outer_turns() {
    let text = "define void @f(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %inner, label %exit
inner:
  %j = phi i32 [ %i, %outer ], [ %j.next, %inner.body ]
  %u = icmp slt i32 %j, %n
  br i1 %u, label %inner.body, label %latch
inner.body:
  call void @use(i32 %j)
  %j.next = add i32 %j, 1
  br label %inner
latch:
  %i.next = add i32 %i, 1
  br label %outer
exit:
  ret void
}
declare void @use(i32)
";
    let said = solve(text);
    assert_eq!(said[0].back_edges, "max(0, n)");
    assert_eq!(said[1].back_edges, "n - h0");
}
