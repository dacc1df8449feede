//! Loops at their true width, where other tools tell the width of the type.

use super::says;

/// A loop of so many turns around a body of phis and what they become.
fn counted(turns: u32, phis: &str, body: &str) -> String {
    format!(
        "define void @f(i8 %a, ptr %p) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
{phis}{body}  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, {turns}
  br i1 %done, label %exit, label %loop
exit:
  ret void
}}
"
    )
}

#[test]
fn sums_of_sums() {
    let text = counted(
        100,
        "  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]\n  %q = phi i32 [ 0, %entry ], [ %q1, %loop ]\n",
        "  %s1 = add nsw i32 %s, %i\n  %q1 = add nsw i32 %q, %s1\n",
    );
    says(
        &text,
        &[
            ("i", "[0, 99] 7"),
            ("next", "[1, 100] 7"),
            ("s", "[0, 4851] 13"),
            ("s1", "[0, 4950] 13"),
            ("q", "[0, 161700] 18"),
            ("q1", "[0, 166650] 18"),
        ],
    );
    // No promise is needed.
    says(&text.replace("nsw ", ""), &[("s1", "[0, 4950] 13"), ("q1", "[0, 166650] 18")]);
}

#[test]
fn sums_of_squares() {
    let text = counted(
        100,
        "  %c = phi i32 [ 0, %entry ], [ %c1, %loop ]\n",
        "  %square = mul i32 %i, %i\n  %c1 = add i32 %c, %square\n",
    );
    says(&text, &[("square", "[0, 9801] 14"), ("c", "[0, 318549] 19"), ("c1", "[0, 328350] 19")]);
}

#[test]
fn powers_of_three() {
    let text = counted(12, "  %g = phi i32 [ 1, %entry ], [ %g1, %loop ]\n", "  %g1 = mul i32 %g, 3\n");
    says(&text, &[("g", "[1, 177147] 18"), ("g1", "[3, 531441] 20")]);
    // Of forty turns the product wraps.
    let wraps = counted(40, "  %g = phi i32 [ 1, %entry ], [ %g1, %loop ]\n", "  %g1 = mul i32 %g, 3\n");
    let told = super::told(&wraps, crate::memory::World::Open, &["g1"]);
    assert!(told[0].ends_with(" 32"), "{told:?}");
}

#[test]
fn a_congruential_generator() {
    let text = counted(
        1000,
        "  %x = phi i32 [ 1, %entry ], [ %x1, %loop ]\n",
        "  %five = mul i32 %x, 5\n  %more = add i32 %five, 3\n  %x1 = and i32 %more, 255\n",
    );
    says(&text, &[("x", "[0, 255] 8"), ("more", "[3, 1278] 11"), ("x1", "[0, 255] 8")]);
}

#[test]
fn a_sum_that_saturates() {
    let text = "declare i32 @input()
define void @f() {
entry:
  br label %loop
loop:
  %x = phi i32 [ 0, %entry ], [ %held, %loop ]
  %d = call i32 @input()
  %byte = and i32 %d, 15
  %up = add i32 %x, %byte
  %much = icmp sgt i32 %up, 88
  %held = select i32 i1 %much, 88, %up
  %go = icmp ne i32 %d, 0
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
";
    says(text, &[("x", "[0, 88] 7"), ("up", "[0, 103] 7"), ("held", "[0, 88] 7")]);
}

#[test]
fn the_greatest_common_divisor() {
    let text = "define i32 @f(i32 %a, i32 %b) {
entry:
  %a0 = and i32 %a, 1023
  %b0 = and i32 %b, 1023
  br label %head
head:
  %x = phi i32 [ %a0, %entry ], [ %y, %body ]
  %y = phi i32 [ %b0, %entry ], [ %rest, %body ]
  %end = icmp eq i32 %y, 0
  br i1 %end, label %exit, label %body
body:
  %rest = urem i32 %x, %y
  br label %head
exit:
  ret i32 %x
}
";
    says(text, &[("x", "[0, 1023] 10"), ("y", "[0, 1023] 10"), ("rest", "[0, 1022] 10")]);
}

/// 16 squares of bytes: 16 · 255² = 1040400, 20 bits.
#[test]
fn squares_of_bytes() {
    let text = counted(
        16,
        "  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]\n",
        "  %at = getelementptr i8 ptr %p, i32 %i\n  %byte = load i8, ptr %at\n  %wide = zext i32 i8 %byte\n  %square = mul i32 %wide, %wide\n  %s1 = add i32 %s, %square\n",
    );
    says(&text, &[("square", "[0, 65025] 16"), ("s", "[0, 975375] 20"), ("s1", "[0, 1040400] 20")]);
}

/// What is added in some turns only, and in a loop inside.
#[test]
fn sums_under_conditions_and_in_loops_inside() {
    let text = "define i32 @f(ptr %p) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %s = phi i32 [ 0, %entry ], [ %t, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %both ]
  %u = phi i32 [ %s, %outer ], [ %v, %both ]
  %byte = load i8, ptr %p
  %odd = trunc i1 i8 %byte
  br i1 %odd, label %add, label %both
add:
  %wide = zext i32 i8 %byte
  %w = add i32 %u, %wide
  br label %both
both:
  %v = phi i32 [ %w, %add ], [ %u, %inner ]
  %j1 = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j1, 10
  br i1 %again, label %inner, label %latch
latch:
  %t = phi i32 [ %v, %both ]
  %i1 = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i1, 20
  br i1 %more, label %outer, label %exit
exit:
  ret i32 %t
}
";
    // The last sum is at most 20 · 10 · 255 = 51000.
    says(text, &[("i", "[0, 19] 5"), ("s", "[0, 48450] 16"), ("u", "[0, 50745] 16"), ("t", "[0, 51000] 16")]);
}

/// A bound that a branch holds: how often it turns is known by the counter alone.
#[test]
fn a_bound_that_is_held_by_a_branch() {
    let text = "define i32 @f(i32 %n, ptr %p) {
entry:
  %much = icmp ugt i32 %n, 50
  br i1 %much, label %exit, label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi i32 [ 0, %entry ], [ %s1, %body ]
  %go = icmp ult i32 %i, %n
  br i1 %go, label %body, label %exit
body:
  %at = getelementptr i8 ptr %p, i32 %i
  %byte = load i8, ptr %at
  %wide = zext i32 i8 %byte
  %s1 = add i32 %s, %wide
  %i1 = add i32 %i, 1
  br label %head
exit:
  %r = phi i32 [ 0, %entry ], [ %s, %head ]
  ret i32 %r
}
";
    says(text, &[("i", "[0, 50] 6"), ("i1", "[1, 50] 6"), ("s", "[0, 12750] 14"), ("s1", "[0, 13005] 14")]);
}

/// The first of the hardest cases: sums of sums, and only a branch bounds the turns.
#[test]
fn sums_of_sums_of_an_argument_that_is_held() {
    let text = "define i32 @f(i32 %n) {
entry:
  %much = icmp ugt i32 %n, 100
  %none = icmp eq i32 %n, 0
  %out = or i1 %much, %none
  br i1 %out, label %exit, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %q = phi i32 [ 0, %entry ], [ %q1, %loop ]
  %s1 = add nsw i32 %s, %i
  %q1 = add nsw i32 %q, %s1
  %i1 = add nuw nsw i32 %i, 1
  %go = icmp ult i32 %i1, %n
  br i1 %go, label %loop, label %exit
exit:
  %r = phi i32 [ 0, %entry ], [ %q1, %loop ]
  ret i32 %r
}
";
    says(
        text,
        &[("i", "[0, 99] 7"), ("s1", "[0, 4950] 13"), ("q1", "[0, 166650] 18"), ("r", "[0, 166650] 18")],
    );
}

/// A poisoned counter that nobody looks at counts nothing.
#[test]
fn a_counter_that_no_exit_looks_at_bounds_nothing() {
    let text = "declare i1 @more()
define void @f() {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %s1 = add i32 %s, 1
  %i1 = add nsw i8 %i, 1
  %go = call i1 @more()
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
";
    says(text, &[("i", "[0, 127] 7"), ("s", "[-2147483648, 2147483647] 32")]);
}

/// A counter that meets a bound from somewhere else: by one it meets it, and by
/// two it may jump over it.
#[test]
fn a_bound_that_is_met_by_equality() {
    let text = "define internal i64 @count(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i64 [ 0, %entry ], [ %s1, %loop ]
  %s1 = add i64 %s, 3
  %i1 = add i64 %i, 1
  %done = icmp eq i64 %i1, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %s
}
define i64 @main(i64 %x) {
entry:
  %low = and i64 %x, 7
  %some = add i64 %low, 1
  %r = call i64 @count(i64 %some)
  ret i64 %r
}
";
    let count = |text: &str| {
        // What is asked about is the last function.
        let (count, main) = text.split_once("define i64 @main").expect("two functions");
        format!("define i64 @main{main}{count}")
    };
    let says = |text: &str, expected: &[(&str, &str)]| super::says(&count(text), expected);
    says(text, &[("i", "[0, 7] 3"), ("i1", "[1, 8] 4"), ("s", "[0, 21] 5")]);
    // 0 is met when the counter has gone all the way round.
    let none = text.replace("%some = add i64 %low, 1", "%some = add i64 %low, 0");
    let told = super::told(&count(&none), crate::memory::World::Open, &["i"]);
    assert_eq!(told, ["[-9223372036854775808, 9223372036854775807] 64"]);
    // Unless a branch before the loop says that it is not 0.
    let guarded = none.replace(
        "entry:\n  br label %loop",
        "entry:\n  %go = icmp sgt i64 %n, 0\n  br i1 %go, label %loop, label %none\nnone:\n  ret i64 0",
    );
    says(&guarded, &[("i", "[0, 6] 3"), ("i1", "[1, 7] 3"), ("s", "[0, 18] 5")]);
    // A branch that says so of another way into the loop says nothing.
    let beside = guarded
        .replace("label %none\nnone:\n  ret i64 0", "label %none\nnone:\n  br label %loop")
        .replace("[ 0, %entry ]", "[ 0, %entry ], [ 0, %none ]");
    let told = super::told(&count(&beside), crate::memory::World::Open, &["i"]);
    assert_eq!(told, ["[-9223372036854775808, 9223372036854775807] 64"]);
    let two = text.replace("add i64 %i, 1", "add i64 %i, 2");
    let told = super::told(&count(&two), crate::memory::World::Open, &["i"]);
    assert!(told[0].ends_with(" 64") || told[0].ends_with(" 63"), "{told:?}");
    // Downwards from the bound, and looked at before it is changed.
    let down = text
        .replace("[ 0, %entry ], [ %i1", "[ %n, %entry ], [ %i1")
        .replace("add i64 %i, 1", "add i64 %i, -1")
        .replace("icmp eq i64 %i1, %n", "icmp eq i64 %i, 0");
    says(&down, &[("i", "[0, 8] 4"), ("s", "[0, 24] 5")]);
    // A bound that grows in the loop is none.
    let runs = text.replace("icmp eq i64 %i1, %n", "icmp eq i64 %i1, %s");
    let told = super::told(&count(&runs), crate::memory::World::Open, &["s"]);
    assert!(told[0].ends_with(" 64") || told[0].ends_with(" 63"), "{told:?}");
}
