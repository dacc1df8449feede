//! Nests: counts that depend on turns around, and their sums.

mod common;

use common::{Said, solve};

/// `for (i = 0; i < n; i++) for (j = START; j PREDICATE BOUND; j++)`
fn nest(start: &str, predicate: &str, bound: &str) -> Vec<Said> {
    solve(&format!(
        "define void @f(i32 %n, i32 %m) {{
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %inner, label %exit
inner:
  %j = phi i32 [ {start}, %outer ], [ %j.next, %inner.body ]
  %u = icmp {predicate} i32 %j, {bound}
  br i1 %u, label %inner.body, label %latch
inner.body:
  call void @use(i32 %j)
  %j.next = add nsw i32 %j, 1
  br label %inner
latch:
  %i.next = add nsw i32 %i, 1
  br label %outer
exit:
  ret void
}}
declare void @use(i32)
"
    ))
}

#[test]
fn a_triangle_is_half_a_square_and_not_a_mean() {
    let said = nest("%i", "slt", "%n");
    assert_eq!(said[1].back_edges, "n - h0");
    assert_eq!(said[1].total, "n <= 0 ? 0 : (n + n*n) / 2");
    let said = nest("0", "slt", "%i");
    assert_eq!(said[1].back_edges, "h0");
    assert_eq!(said[1].total, "n <= 0 ? 0 : (n*n - n) / 2");
}

#[test]
fn a_rectangle() {
    let said = nest("0", "slt", "%m");
    assert_eq!(said[1].back_edges, "max(0, m)");
    assert_eq!(said[1].total, "max(0, m)*max(0, n)");
}

/// As clang -O1 leaves it: rotated, the inner loop behind a guard.
#[test]
fn a_triangle_with_guards() {
    let said = solve(
        "define void @f(i32 %n) {
entry:
  %guard = icmp sgt i32 %n, 0
  br i1 %guard, label %outer, label %exit
outer:
  %i = phi i32 [ %i.next, %latch ], [ 0, %entry ]
  %c = icmp eq i32 %i, 0
  br i1 %c, label %latch, label %inner
inner:
  %j = phi i32 [ %j.next, %inner ], [ 0, %outer ]
  call void @use(i32 %j)
  %j.next = add nuw nsw i32 %j, 1
  %u = icmp eq i32 %j.next, %i
  br i1 %u, label %latch, label %inner
latch:
  %i.next = add nuw nsw i32 %i, 1
  %t = icmp eq i32 %i.next, %n
  br i1 %t, label %exit, label %outer
exit:
  ret void
}
declare void @use(i32)
",
    );
    assert_eq!((said[0].back_edges.as_str(), said[0].body.as_str()), ("n - 1", "n"));
    assert_eq!(said[1].body, "h0");
    assert_eq!(said[1].total, "(n*n - n) / 2");
}
