//! Exits that are decided by something else than a counter and its bound.

mod common;

use common::{Said, solve, solve_one};
use opcost_analysis::expression::Symbol;

#[track_caller]
fn says(said: &Said, back_edges: &str, assumptions: &[&str]) {
    assert_eq!(said.back_edges, back_edges, "{said:?}");
    assert_eq!(said.assumptions, assumptions, "{said:?}");
}

/// A loop of a block, left where `leaves` holds.
fn with_truth(start: &str, next: &str, leaves: &str) -> String {
    format!(
        "define void @f(i1 %a, i1 %b, i32 %n) {{
entry:
  br label %head
head:
  %t = phi i1 [ {start}, %entry ], [ %u, %head ]
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  call void @use(i32 %i)
  {next}
  %j = add i32 %i, 1
  br i1 {leaves}, label %exit, label %head
exit:
  ret void
}}
declare void @use(i32)
"
    )
}

/// `do i = 1, 2`: the second turn is the last one.
#[test]
fn a_truth_value_counts_to_two() {
    let constant = "%u = or i1 true, %b";
    says(&solve_one(&with_truth("false", constant, "%t")), "1", &[]);
    says(&solve_one(&with_truth("true", constant, "%t")), "0", &[]);
    says(&solve_one(&with_truth("%a", constant, "%t")), "a == 0 ? 1 : 0", &[]);
    for opposite in ["%u = xor i1 %t, true", "%u = add i1 %t, true", "%u = sub i1 true, %t"] {
        says(&solve_one(&with_truth("false", opposite, "%t")), "1", &[]);
        says(&solve_one(&with_truth("true", opposite, "%t")), "0", &[]);
        says(&solve_one(&with_truth("%a", opposite, "%t")), "a == 0 ? 1 : 0", &[]);
    }
    // First the one, then the other, then never.
    let other = "%u = and i1 %b, true";
    says(
        &solve_one(&with_truth("%a", other, "%t")),
        "a == 0 ? 1 : 0",
        &["(a == 0 ? b : 1) != 0 else endless"],
    );
}

/// A truth value that is made of others, and one that no turn changes.
#[test]
fn a_truth_value_without_a_comparison() {
    let none = "%u = or i1 %t, %t";
    says(&solve_one(&with_truth("false", none, "%a")), "0", &["a != 0 else endless"]);
    // Frozen: a promise that it is a number, and no more.
    let frozen = "%c = icmp eq i32 %i, %n
  %u = freeze i1 %c";
    says(&solve_one(&with_truth("false", frozen, "%u")), "(u32)n", &["u not poison"]);
    let chosen = "%c = icmp uge i32 %i, 7
  %d = icmp uge i32 %i, 9
  %u = select i1 %a, i1 %c, i1 %d";
    says(&solve_one(&with_truth("false", chosen, "%u")), "a == 0 ? 9 : 7", &[]);
    let late = "%u = icmp ugt i32 %i, 7";
    says(&solve_one(&with_truth("false", late, "%t")), "9", &[]);
    says(&solve_one(&with_truth("%a", late, "%t")), "a == 0 ? 9 : 0", &[]);
}

/// What decides is the same in all turns of the loop inside, which is passed
/// in every turn of the loop around: so it is an exit of the outer one, too.
#[test]
fn left_from_inside() {
    let text = |bound: &str| {
        format!(
            "define void @f(i32 %n, i32 %m) {{
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ %m, %outer ], [ %j.next, %again ]
  %t = icmp slt i32 %i, {bound}
  br i1 %t, label %body, label %exit
body:
  %c = call i1 @draw()
  br i1 %c, label %again, label %latch
again:
  %j.next = add nsw i32 %j, 1
  br label %inner
latch:
  %i.next = add nsw i32 %i, 1
  br label %outer
exit:
  ret void
}}
declare i1 @draw()
"
        )
    };
    let said = solve(&text("%n"));
    says(&said[0], "max(0, n)", &[]);
    assert_eq!(said[1].back_edges, "?");
    assert_eq!(solve(&text("%j"))[0].back_edges, "?");
}

/// Two pointers that race towards one another: each step is promised to stay in
/// the object.
#[test]
fn pointers_towards_one_another() {
    let text = |flags: &str, predicate: &str| {
        format!(
            "define void @reverse(ptr %from, ptr %to) {{
entry:
  br label %head
head:
  %a = phi ptr [ %from, %entry ], [ %a.next, %body ]
  %b = phi ptr [ %to, %entry ], [ %b.next, %body ]
  %t = icmp {predicate} ptr %a, %b
  br i1 %t, label %body, label %exit
body:
  call void @swap(ptr %a, ptr %b)
  %a.next = getelementptr {flags}i8, ptr %a, i64 16
  %b.next = getelementptr {flags}i8, ptr %b, i64 -16
  br label %head
exit:
  ret void
}}
declare void @swap(ptr, ptr)
"
        )
    };
    let said = solve_one(&text("inbounds ", "ult"));
    says(&said, "max(0, ceil((to - from) / 32))", &["a.next inbounds", "b.next inbounds"]);
    assert_eq!(solve_one(&text("", "ult")).back_edges, "?");
    assert_eq!(solve_one(&text("inbounds ", "slt")).back_edges, "?", "addresses have no sign");
}

/// A table that ends with a null: it is constant, so the loop is gone round.
#[test]
fn to_the_end_of_a_constant_table() {
    let text = |kind: &str, last: &str| {
        format!(
            "global internal @table type [4 x {{ ptr, ptr }}] {kind}= {{ 0: ptr @name, 8: ptr @a, \
16: ptr @name, 24: ptr @b, 40: ptr @b{last} }}
global internal @name type [4 x i8] constant = {{ 0: i8 97, 1: i8 98, 2: i8 99 }}
declare void @use(ptr)
define void @a() {{
entry:
  ret void
}}
define void @b() {{
entry:
  ret void
}}
define void @f() {{
entry:
  br label %head
head:
  %p = phi ptr [ @table, %entry ], [ %next, %body ]
  %q = getelementptr inbounds i8, ptr %p, i64 8
  %v = load ptr, ptr %q
  %t = icmp eq ptr %v, null
  br i1 %t, label %exit, label %body
body:
  call void @use(ptr %v)
  %next = getelementptr inbounds i8, ptr %p, i64 16
  br label %head
exit:
  ret void
}}
"
        )
    };
    let last = |text: &str| common::solve(text).pop().expect("a loop").back_edges;
    assert_eq!(last(&text("constant ", "")), "3");
    assert_eq!(last(&text("", "")), "?", "others write");
    assert_eq!(last(&text("constant ", ", 56: ptr @a")), "?", "it would go on behind the end");
    assert_eq!(last(&text("constant ", ", 56: ptr @use")), "?");
}

/// A string, by its index; and constant numbers with their ends.
#[test]
fn through_a_constant_string() {
    let text = |index: &str, compare: &str| {
        format!(
            "global internal @s type [6 x i8] constant = {{ 0: i8 97, 1: i8 98, 2: i8 99, 4: i8 7 }}
define void @f() {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  call void @use(i32 %i)
  %wide = sext i64 i32 %i
  %p = getelementptr inbounds [6 x i8], ptr @s, {index}
  %c = load i8, ptr %p
  %t = icmp {compare}
  %j = add nsw i32 %i, 1
  br i1 %t, label %exit, label %head
exit:
  ret void
}}
declare void @use(i32)
"
        )
    };
    says(&solve_one(&text("i64 0, i64 %wide", "eq i8 %c, 0")), "3", &[]);
    says(&solve_one(&text("i64 0, i64 %wide", "eq i8 %c, 7")), "4", &[]);
    assert_eq!(solve_one(&text("i64 0, i64 %wide", "eq i8 %c, 9")).back_edges, "?", "past the end");
    assert_eq!(solve_one(&text("i64 1, i64 %wide", "eq i8 %c, 0")).back_edges, "?", "past the end");
}

/// A counter that is cut to fewer bits before each step: `unsigned short i`
/// after a pass that keeps it in 32 bits.
#[test]
fn a_counter_cut_before_its_step() {
    let text = |start: u32, step: u32, bound: &str, more: &str| {
        format!(
            "define void @f(i16 %n, i32 %limit) {{
entry:
  br label %head
head:
  %i = phi i32 [ {start}, %entry ], [ %next, %latch ]
  %turns = phi i32 [ 0, %entry ], [ %more, %latch ]
  %cut = trunc i16 i32 %i
  %t = icmp eq i16 %cut, {bound}
  br i1 %t, label %exit, label %body
body:
  %low = and i32 %i, 65535
  %more = add i32 %turns, 1
  %next = add nuw nsw i32 %low, {step}
  %patient = icmp {more}
  br i1 %patient, label %latch, label %exit
latch:
  br label %head
exit:
  ret void
}}
"
        )
    };
    let said = solve_one(&text(0, 3, "%n", "ne i32 %low, 70000"));
    says(&said, "(u16)(-21845*n)", &[]);
    let said = solve_one(&text(1, 2, "8", "slt i32 %more, %limit"));
    says(&said, "max(0, limit - 1)", &[]);
}

/// What is left of a shifted value is asked, not the value: digits and the
/// powers that front ends make of `**`.
#[test]
fn shifted_until_nothing_is_left() {
    let text = |start: &str, step: &str, test: &str| {
        format!(
            "define void @f(i64 %n, i1 %a) {{
entry:
  br label %head
head:
  %x = phi i64 [ {start}, %entry ], [ %next, %head ]
  call void @use(i64 %x)
  %next = {step}
  %t = icmp {test}
  br i1 %t, label %exit, label %head
exit:
  ret void
}}
declare void @use(i64)
"
        )
    };
    let said = |step: &str, test: &str| solve_one(&text("%n", step, test));
    says(&said("lshr i64 %x, 7", "eq i64 %next, 0"), "ceil(log128((u64)n / 128 + 1))", &[]);
    says(&said("lshr i64 %x, 7", "ult i64 %x, 128"), "ceil(log128((u64)n / 128 + 1))", &[]);
    // What was shifted before the loop is shifted once more in each turn.
    let shifted =
        text("%m", "lshr i64 %x, 1", "eq i64 %next, 0").replace("entry:", "entry:\n  %m = lshr i64 %n, 1");
    let shifted = solve_one(&shifted);
    for (n, back_edges) in [(0, 0), (3, 0), (4, 1), (7, 1), (8, 2), (-1, 62)] {
        assert_eq!(common::evaluated(&shifted, &[n]), Ok(back_edges), "{n}: {shifted:?}");
    }
    // Shifted without sign, asked with it.
    let power = said("lshr i64 %x, 1", "sle i64 %x, 0");
    for (n, back_edges) in
        [(0, 0), (1, 1), (5, 3), (-1, 0), (i128::from(i64::MIN), 0), (i128::from(i64::MAX), 63)]
    {
        assert_eq!(common::evaluated(&power, &[n]), Ok(back_edges), "{n}: {power:?}");
    }
    let power = said("lshr i64 %x, 2", "sle i64 %x, 4");
    for (n, back_edges) in [(4, 0), (5, 1), (19, 1), (20, 2), (-1, 0)] {
        assert_eq!(common::evaluated(&power, &[n]), Ok(back_edges), "{n}: {power:?}");
    }
    // All bits are shifted out.
    for (start, step, back_edges) in [("1", "1", "64"), ("8", "1", "61"), ("3", "5", "13")] {
        let shift = text(start, &format!("shl i64 %x, {step}"), "eq i64 %x, 0");
        says(&solve_one(&shift), back_edges, &[]);
        let other = shift
            .replace(
                "br i1 %t, label %exit, label %head",
                "br i1 %t, label %exit, label %more
more:
  br i1 %a, label %exit, label %back
back:
  br label %head",
            )
            .replace("[ %next, %head ]", "[ %next, %back ]");
        assert_eq!(solve_one(&other).back_edges, format!("a == 0 ? {back_edges} : 0"));
    }
    let quotient = said("sdiv i64 %x, 10", "eq i64 %next, 0");
    for (n, back_edges) in [(0, 0), (9, 0), (10, 1), (-9, 0), (-10, 1), (-999, 2), (-1000, 3), (1000, 3)] {
        assert_eq!(common::evaluated(&quotient, &[n]), Ok(back_edges), "{n}: {quotient:?}");
    }
    assert_eq!(quotient.assumptions, [""; 0]);
    assert_eq!(said("ashr i64 %x, 1", "eq i64 %next, 0").assumptions, ["floor(n / 2) >= 0 else differs"]);
}

/// What is compared with changes in a way that nobody knows, but it is narrow.
#[test]
fn bounded_by_what_a_byte_can_hold() {
    let text = |load: &str, widen: &str, test: &str| {
        format!(
            "define void @f(ptr %p) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = load {load}, ptr %p
  %x = {widen}
  %t = icmp {test}
  br i1 %t, label %body, label %exit
body:
  call void @use(ptr %p)
  %next = add nsw i32 %i, 1
  br label %head
exit:
  ret void
}}
declare void @use(ptr)
"
        )
    };
    let said = |load, widen, test| solve_one(&text(load, widen, test)).back_edges;
    assert_eq!(said("i8", "zext i32 i8 %v", "slt i32 %i, %x"), "<= 255");
    assert_eq!(said("i8", "sext i32 i8 %v", "slt i32 %i, %x"), "<= 127");
    assert_eq!(said("i16", "zext i32 i16 %v", "ule i32 %i, %x"), "<= 65536");
    assert_eq!(said("i16", "zext i32 i16 %v", "sgt i32 %x, %i"), "<= 65535");
    assert_eq!(said("i16", "sext i32 i16 %v", "ult i32 %i, %x"), "?", "read without sign it is large");
    assert_eq!(said("i32", "add i32 %v, 0", "slt i32 %i, %x"), "?", "no better than the type");
    assert_eq!(said("i8", "zext i32 i8 %v", "ne i32 %i, %x"), "?", "it may be missed");
    assert_eq!(said("i8", "zext i32 i8 %v", "sgt i32 %i, %x"), "<= 0");
}

/// A counter of one bit more than a machine has, as compilers make them.
#[test]
fn a_counter_of_65_bits() {
    let text = "define void @f(i32 %n) {
entry:
  %some = icmp sgt i32 %n, 1
  br i1 %some, label %before, label %exit
before:
  %wide = zext i65 %n
  %even = and i65 %wide, 2147483646
  br label %head
head:
  %i = phi i65 [ 0, %before ], [ %next, %head ]
  call void @use(i65 %i)
  %next = add nuw i65 %i, 2
  %done = icmp eq i65 %next, %even
  br i1 %done, label %exit, label %head
exit:
  ret void
}
declare void @use(i65)
";
    let said = solve_one(text);
    for (n, back_edges) in [(2, 0), (3, 0), (4, 1), (101, 49), (2147483647, 1073741822)] {
        assert_eq!(common::evaluated(&said, &[n]), Ok(back_edges), "{n}: {said:?}");
    }
}

/// The sieve of Eratosthenes: the counter begins at the square of the one
/// around it, and that is its step; it is asked without sign.
#[test]
fn a_step_that_is_the_counter_around_and_is_never_below_two() {
    let text = |flags: &str| {
        format!(
            "define void @f(i64 %n) {{
entry:
  %few = icmp ult i64 %n, 2
  br i1 %few, label %exit, label %head
head:
  %i = phi i64 [ 2, %entry ], [ %i.next, %latch ]
  %square = mul {flags} i64 %i, %i
  %none = icmp ugt i64 %square, %n
  br i1 %none, label %latch, label %inner
inner:
  %j = phi i64 [ %square, %head ], [ %j.next, %inner ]
  call void @use(i64 %j)
  %j.next = add {flags} i64 %j, %i
  %past = icmp ugt i64 %j.next, %n
  br i1 %past, label %latch, label %inner
latch:
  %i.next = add {flags} i64 %i, 1
  %last = icmp ugt i64 %i.next, %n
  br i1 %last, label %exit, label %head
exit:
  ret void
}}
declare void @use(i64)
"
        )
    };
    let all = solve(&text("nuw nsw"));
    let inner = all.iter().find(|said| said.back_edges.contains("h0")).expect("the inner loop");
    let turns = "max(0, ceil(((u64)n - 5*h0 - h0*h0 - 5) / (h0 + 2)))";
    says(inner, turns, &["j.next nsw", "square nsw", "i.next nsw"]);
    let total = inner.count.total.as_ref().expect("a sum").body_iterations;
    for n in 2..200_i128 {
        let crossed: i128 = (2..=n).filter(|i| i * i <= n).map(|i| (n - i * i) / i + 1).sum();
        let argument = |symbol: &Symbol| matches!(symbol, Symbol::Argument(0)).then_some(n);
        assert_eq!(inner.table.evaluate(total, &argument), Ok(crossed), "{n}");
    }
    // Without the promises each of the three may wrap.
    for said in solve(&text("")) {
        assert!(said.back_edges == "?" || !said.assumptions.is_empty(), "{said:?}");
        assert!(!said.back_edges.contains("h0"), "{said:?}");
    }
}
