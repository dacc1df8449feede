//! Counters that alias, race, double, halve, have roots or a point.

use opcost_analysis::evolution::Reason;

use crate::common::{evaluated, solve_one};
use crate::says;

/// 9. Aliases with equal arms; two counters that race.
#[test]
fn aliases_and_races() {
    let said = solve_one(
        "define void @f(i32 %n, i1 %c) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  br i1 %c, label %left, label %right
left:
  %a = add nsw i32 %i, 1
  br label %latch
right:
  %b = add i32 %i, 1
  br label %latch
latch:
  %next = phi i32 [ %a, %left ], [ %b, %right ]
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
    );
    says(&said, "max(0, n)", "max(0, n)", &[]);
    // i up by 1, j down by 2, while both hold.
    let said = solve_one(
        "define void @f(i32 %n, i32 %m) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %j = phi i32 [ %m, %entry ], [ %j.next, %body ]
  %t = icmp slt i32 %i, %n
  %u = icmp sgt i32 %j, 0
  %both = and i1 %t, %u
  br i1 %both, label %body, label %exit
body:
  call void @use(i32 %i)
  %i.next = add nsw i32 %i, 1
  %j.next = add nsw i32 %j, -2
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
    );
    assert_eq!(said.back_edges, "min(max(0, n), max(0, ceil(m / 2)))");
    // while (i < j): i up by 1, j down by 2.
    let said = solve_one(
        "define void @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %j = phi i32 [ %n, %entry ], [ %j.next, %body ]
  %t = icmp slt i32 %i, %j
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %i.next = add nsw i32 %i, 1
  %j.next = add nsw i32 %j, -2
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
    );
    says(&said, "max(0, ceil(n / 3))", "max(0, ceil(n / 3))", &["i.next nsw", "j.next nsw"]);
}

/// `for (i = START; i PREDICATE n; i = NEXT)`
fn stepped(start: &str, predicate: &str, bound: &str, next: &str) -> String {
    format!(
        "define void @f(i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ {start}, %entry ], [ %next, %body ]
  %square = mul nsw i32 %i, %i
  %t = icmp {predicate}, {bound}
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %next = {next}
  br label %head
exit:
  ret void
}}
declare void @use(i32)
"
    )
}

/// Halving, tested behind the body: x is n / 2^h and its half is asked.
#[test]
fn halving_tested_last() {
    let text = "define void @f(i32 %n) {
entry:
  %guard = icmp sgt i32 %n, 0
  br i1 %guard, label %body, label %exit
body:
  %i = phi i32 [ %n, %entry ], [ %next, %body ]
  call void @use(i32 %i)
  %next = lshr i32 %i, 1
  %t = icmp eq i32 %next, 0
  br i1 %t, label %exit, label %body
exit:
  ret void
}
declare void @use(i32)
";
    for (code, counts) in [
        (text.to_owned(), [(1, 0), (2, 1), (3, 1), (4, 2), (1023, 9), (i128::from(i32::MAX), 30)]),
        (
            text.replace("lshr i32 %i, 1", "sdiv i32 %i, 10"),
            [(1, 0), (9, 0), (10, 1), (99, 1), (100, 2), (i128::from(i32::MAX), 9)],
        ),
        (
            text.replace("eq i32 %next, 0", "ult i32 %next, 5"),
            [(1, 0), (9, 0), (10, 1), (19, 1), (20, 2), (i128::from(i32::MAX), 28)],
        ),
        (
            // What is left of a power by an integer: the first half is taken before.
            text.replace(
                "  %guard = icmp sgt i32 %n, 0",
                "  %h = lshr i32 %n, 1\n  %guard = icmp ne i32 %h, 0",
            )
            .replace("[ %n, %entry ]", "[ %h, %entry ]"),
            [(2, 0), (3, 0), (4, 1), (7, 1), (8, 2), (-1, 30)],
        ),
    ] {
        let said = solve_one(&code);
        for (n, count) in counts {
            assert_eq!(evaluated(&said, &[n]), Ok(count), "{n}: {said:?}\n{code}");
        }
    }
}

/// 10. Doubling, halving, squares.
#[test]
fn geometric_and_root() {
    let said = solve_one(&stepped("1", "slt i32 %i", "%n", "mul nsw i32 %i, 2"));
    says(&said, "ceil(log2(n))", "ceil(log2(n))", &["next nsw"]);
    for (n, count) in [(-3, 0), (1, 0), (2, 1), (3, 2), (1024, 10), (1025, 11)] {
        assert_eq!(evaluated(&said, &[n]), Ok(count), "{n}");
    }
    let said = solve_one(&stepped("1", "ult i32 %i", "%n", "shl i32 %i, 1"));
    assert_eq!(said.back_edges, "ceil(log2((u32)n))");
    // Behind 2^31 the next is 0, for ever.
    assert_eq!(said.assumptions.len(), 1, "{said:?}");
    let said = solve_one(&stepped("%n", "ne i32 %i", "0", "lshr i32 %i, 1"));
    says(&said, "bit_length((u32)n)", "bit_length((u32)n)", &[]);
    assert_eq!(evaluated(&said, &[-1]), Ok(32));
    let said = solve_one(&stepped("%n", "sgt i32 %i", "0", "sdiv i32 %i, 10"));
    assert_eq!(said.back_edges, "ceil(log10(n + 1))");
    assert_eq!(evaluated(&said, &[9_999]), Ok(4));
    let said = solve_one(&stepped("0", "slt i32 %square", "%n", "add nsw i32 %i, 1"));
    assert_eq!(said.back_edges, "ceil(sqrt(n))", "{said:?}");
    assert_eq!(evaluated(&said, &[17]), Ok(5));
    let said = solve_one(&stepped("2", "sle i32 %square", "%n", "add nsw i32 %i, 1"));
    assert_eq!(said.back_edges, "max(0, ceil(sqrt(n + 1)) - 2)", "{said:?}");
    assert_eq!(evaluated(&said, &[25]), Ok(4));
}

/// 11. A counter with a point: ten times a tenth is less than one.
#[test]
fn counters_with_a_point() {
    let text = |ty: &str, tenth: &str| {
        format!(
            "define void @f() {{
entry:
  br label %head
head:
  %x = phi {ty} [ 0.0, %entry ], [ %next, %body ]
  %t = fcmp olt {ty} %x, 1.0
  br i1 %t, label %body, label %exit
body:
  call void @use({ty} %x)
  %next = fadd {ty} %x, {tenth}
  br label %head
exit:
  ret void
}}
declare void @use({ty})
"
        )
    };
    let said = solve_one(&text("double", "0.1"));
    says(&said, "11", "11", &["ieee"]);
    let said = solve_one(&text("float", "0.1"));
    says(&said, "10", "10", &["ieee"]);
    let residual = solve_one(
        "define void @f(i32 %most) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %r = call double @residual()
  %small = fcmp olt double %r, 0.001
  br i1 %small, label %exit, label %latch
latch:
  %next = add nsw i32 %i, 1
  %t = icmp slt i32 %next, %most
  br i1 %t, label %head, label %exit
exit:
  ret void
}
declare double @residual()
",
    );
    assert_eq!(residual.back_edges, "<= max(0, most - 1)");
    assert!(matches!(residual.count.reason(), Some(Reason::FloatingComparison(_))), "{residual:?}");
}
