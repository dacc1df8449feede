//! The twelve kinds of loops that others get wrong, one test each; those in
//! which the counter is what is hard are in `counters`.

#[path = "../common/mod.rs"]
mod common;
mod counters;

use common::cells::LocalCells;
use common::{Said, solve, solve_one, solve_with};
use opcost_analysis::cells::NoCells;
use opcost_analysis::evolution::{Form, Reason, TripAnswer};

#[track_caller]
fn says(said: &Said, back_edges: &str, body: &str, assumptions: &[&str]) {
    assert_eq!((said.back_edges.as_str(), said.body.as_str()), (back_edges, body), "{said:?}");
    assert_eq!(said.assumptions, assumptions, "{said:?}");
}

/// 1. A search: the counter gives a bound, the break on data no exact count.
#[test]
fn a_search_with_a_break() {
    let said = solve_one(
        "define i32 @find(ptr %a, i32 %n, i32 %x) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %body, label %exit
body:
  %p = getelementptr inbounds i32, ptr %a, i32 %i
  %v = load i32, ptr %p
  %found = icmp eq i32 %v, %x
  br i1 %found, label %exit, label %latch
latch:
  %next = add nsw i32 %i, 1
  br label %head
exit:
  ret i32 %i
}
",
    );
    says(&said, "<= max(0, n)", "<= max(0, n)", &[]);
    let reason = said.count.reason();
    assert!(matches!(reason, Some(Reason::DependsOn(_))), "{reason:?}");
    let word = common::reason_text(&reason.expect("a reason"), "v");
    assert!(word.contains("the load %v"), "{word}");
}

/// 2. Modulo the width: `i >= 1; i -= 3` and `i != n; i += 3` without sign.
#[test]
fn wrapping_without_sign() {
    for (start, test, step) in [("%n", "uge i32 %i, 1", "-3"), ("0", "ne i32 %i, %n", "3")] {
        let said = solve_one(&format!(
            "define void @f(i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ {start}, %entry ], [ %next, %body ]
  %t = icmp {test}
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %next = add i32 %i, {step}
  br label %head
exit:
  ret void
}}
declare void @use(i32)
"
        ));
        says(&said, "(u32)(-1431655765*n)", "(u32)(-1431655765*n)", &[]);
        assert_eq!(common::evaluated(&said, &[1]), Ok(2_863_311_531));
        assert_eq!(common::evaluated(&said, &[9]), Ok(3));
    }
}

/// 3. A step that does not divide, with a call in the body.
#[test]
fn a_step_of_three() {
    let text = |flags: &str, predicate: &str| {
        format!(
            "define void @f(i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %t = icmp {predicate} i32 %i, %n
  br i1 %t, label %body, label %exit
body:
  call void @opaque(i32 %i)
  %next = add {flags}i32 %i, 3
  br label %head
exit:
  ret void
}}
declare void @opaque(i32)
"
        )
    };
    let said = solve_one(&text("nsw ", "slt"));
    says(&said, "max(0, ceil(n / 3))", "max(0, ceil(n / 3))", &["next nsw"]);
    assert_eq!(common::evaluated(&said, &[10]), Ok(4));
    let said = solve_one(&text("", "ult"));
    says(&said, "ceil((u32)n / 3)", "ceil((u32)n / 3)", &["(u32)n <= 4294967293 else differs"]);
}

/// 4. Nothing to do: no turn for `for`, one for `do`.
#[test]
fn zero_trips_and_do_while() {
    let text = |first: &str, header_exits: bool| {
        let (head, latch) = match header_exits {
            true => ("br i1 %t, label %body, label %exit", "br label %head"),
            false => ("br label %body", "br i1 %u, label %head, label %exit"),
        };
        format!(
            "define void @f(i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ {first}, %entry ], [ %next, %body ]
  %t = icmp slt i32 %i, %n
  {head}
body:
  call void @use(i32 %i)
  %next = add nsw i32 %i, 1
  %u = icmp slt i32 %next, %n
  {latch}
exit:
  ret void
}}
declare void @use(i32)
"
        )
    };
    let at_top = solve_one(&text("0", true));
    says(&at_top, "max(0, n)", "max(0, n)", &[]);
    let at_bottom = solve_one(&text("0", false));
    says(&at_bottom, "max(0, n - 1)", "max(1, n)", &[]);
    for n in [-5, 0] {
        assert_eq!(common::evaluated(&at_top, &[n]), Ok(0));
        assert_eq!(common::evaluated(&at_bottom, &[n]), Ok(0));
    }
    assert_eq!((at_top.count.form, at_bottom.count.form), (Form::TopTested, Form::BottomTested));
}

/// 5. A pointer that walks; a string that ends where it ends.
#[test]
fn pointers() {
    let said = solve_one(
        "define void @f(ptr %b, ptr %e) {
entry:
  br label %head
head:
  %p = phi ptr [ %b, %entry ], [ %next, %body ]
  %t = icmp ult ptr %p, %e
  br i1 %t, label %body, label %exit
body:
  call void @use(ptr %p)
  %next = getelementptr inbounds i32, ptr %p, i64 2
  br label %head
exit:
  ret void
}
declare void @use(ptr)
",
    );
    says(&said, "max(0, ceil((e - b) / 8))", "max(0, ceil((e - b) / 8))", &["next inbounds"]);
    let said = solve_one(
        "define ptr @end(ptr %s) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %s, %entry ], [ %next, %loop ]
  %c = load i8, ptr %p
  %next = getelementptr inbounds i8, ptr %p, i64 1
  %t = icmp eq i8 %c, 0
  br i1 %t, label %exit, label %loop
exit:
  ret ptr %p
}
",
    );
    assert!(matches!(&said.count.back_edges, TripAnswer::Unknown(Reason::DependsOn(_))), "{said:?}");
    let text = common::reason_text(&said.count.reason().expect("a reason"), "c");
    assert_eq!(text, "data-dependent: depends on the load %c");
}

/// 6. A triangle: j from i to n.
#[test]
fn a_triangle() {
    let said = solve(
        "define void @f(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %inner, label %exit
inner:
  %j = phi i32 [ %i, %outer ], [ %j.next, %work ]
  %u = icmp slt i32 %j, %n
  br i1 %u, label %work, label %latch
work:
  call void @use(i32 %j)
  %j.next = add nsw i32 %j, 1
  br label %inner
latch:
  %i.next = add nsw i32 %i, 1
  br label %outer
exit:
  ret void
}
declare void @use(i32)
",
    );
    assert_eq!(
        (said[1].back_edges.as_str(), said[1].total.as_str()),
        ("n - h0", "n <= 0 ? 0 : (n + n*n) / 2")
    );
}

/// Number 7: a Fortran DO by reference: the count is fixed on entry, whatever the body
/// does to m.
#[test]
fn a_do_loop_fixed_on_entry() {
    let text = "define void @f(ptr %m) {
entry:
  %count = load i32, ptr %m
  %trips = sext i64 i32 %count
  br label %head
head:
  %left = phi i64 [ %trips, %entry ], [ %less, %body ]
  %t = icmp sgt i64 %left, 0
  br i1 %t, label %body, label %exit
body:
  call void @clobber(ptr %m)
  %less = sub i64 %left, 1
  br label %head
exit:
  ret void
}
declare void @clobber(ptr)
";
    let said = solve_with(text, |_, _| Box::new(NoCells));
    says(&said[0], "max(0, count)", "max(0, count)", &[]);
}

/// 8. Down-counting and post-decrement.
#[test]
fn downwards() {
    // while (n-- > 0)
    let said = solve_one(
        "define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ %n, %entry ], [ %less, %body ]
  %less = add nsw i32 %i, -1
  %t = icmp sgt i32 %i, 0
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %less)
  br label %head
exit:
  ret i32 %less
}
declare void @use(i32)
",
    );
    says(&said, "max(0, n)", "max(0, n)", &[]);
    // for (i = n - 1; i >= 0; i--)
    let said = solve_one(
        "define void @f(i32 %n) {
entry:
  %first = add nsw i32 %n, -1
  br label %head
head:
  %i = phi i32 [ %first, %entry ], [ %less, %body ]
  %t = icmp sge i32 %i, 0
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %less = add nsw i32 %i, -1
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
    );
    // The least n makes n - 1 the greatest: its flag, or the wrap, says which.
    assert_eq!(said.back_edges, "max(0, (i32)(n - 1) + 1)");
    assert_eq!(common::evaluated(&said, &[7]), Ok(7));
    assert_eq!(common::evaluated(&said, &[-7]), Ok(0));
}

/// Number 12: a step that is not known, an end that may never come, a list, a goto into
/// the middle.
#[test]
fn steps_lists_and_gotos() {
    let stepped = |guard: &str| {
        format!(
            "define void @f(i32 %n, i32 %s) {{
entry:
  {guard}
pre:
  br label %head
head:
  %i = phi i32 [ 0, %pre ], [ %next, %body ]
  %t = icmp slt i32 %i, %n
  br i1 %t, label %body, label %exit
body:
  call void @use(i32 %i)
  %next = add nsw i32 %i, %s
  br label %head
exit:
  ret void
}}
declare void @use(i32)
"
        )
    };
    let unknown = solve_one(&stepped("br label %pre"));
    says(&unknown, "max(0, ceil(n / s))", "max(0, ceil(n / s))", &["next nsw", "s > 0 else differs"]);
    let text = stepped("%g = icmp sgt i32 %s, 0\n  br i1 %g, label %pre, label %exit");
    says(&solve_one(&text), "max(0, ceil(n / s))", "max(0, ceil(n / s))", &["next nsw"]);
    let up_to = |words: &str| {
        solve_one(&format!(
            "define void @f(i32 %n) {words} {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %t = icmp ule i32 %i, %n
  br i1 %t, label %body, label %exit
body:
  %next = add i32 %i, 1
  br label %head
exit:
  ret void
}}
"
        ))
    };
    let ends = "(u32)n <= 4294967294 else endless";
    says(&up_to(""), "(u32)n + 1", "(u32)n + 1", &[ends]);
    says(&up_to("mustprogress"), "(u32)n + 1", "(u32)n + 1", &[ends, "mustprogress"]);
    let list = solve_one(
        "define i32 @length(ptr %first) {
entry:
  br label %head
head:
  %p = phi ptr [ %first, %entry ], [ %next, %body ]
  %t = icmp eq ptr %p, null
  br i1 %t, label %exit, label %body
body:
  %next = load ptr, ptr %p
  br label %head
exit:
  ret i32 0
}
",
    );
    assert!(matches!(&list.count.back_edges, TripAnswer::Unknown(Reason::DependsOn(_))), "{list:?}");
    let middle = solve(
        "define void @f(i1 %c, i32 %n) {
entry:
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %t = icmp eq i32 %n, 0
  br i1 %t, label %exit, label %left
exit:
  ret void
}
",
    );
    assert_eq!(middle.len(), 0, "no natural loop; the forest lists the blocks as irreducible");
}

/// Counters at -O0 lie in memory.
#[test]
fn a_counter_in_memory() {
    let said = solve_with(
        "define void @f(i32 %n) {
entry:
  %n.addr = alloca i32
  %i = alloca i32
  store i32 %n, ptr %n.addr
  store i32 0, ptr %i
  br label %head
head:
  %0 = load i32, ptr %i
  %1 = load i32, ptr %n.addr
  %t = icmp slt i32 %0, %1
  br i1 %t, label %body, label %exit
body:
  %2 = load i32, ptr %i
  call void @use(i32 %2)
  br label %inc
inc:
  %3 = load i32, ptr %i
  %next = add nsw i32 %3, 1
  store i32 %next, ptr %i
  br label %head
exit:
  ret void
}
declare void @use(i32)
",
        |module, function| Box::new(LocalCells::new(module, function)),
    );
    says(&said[0], "max(0, n)", "max(0, n)", &[]);
}
