//! Locals that are surely written before they are read, and their twins that
//! differ in one thing, where what is read is anything.

use super::{says, says_in};
use crate::memory::World;

const FULL: &str = "[-2147483648, 2147483647] 32";
const MARKERS: &str =
    "declare void @llvm.lifetime.start.p0(ptr) nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr) nounwind willreturn memory(argmem: readwrite)
";

/// An array is filled by a loop, and one element is read.
fn filled(size: u32, turns: u32) -> String {
    format!(
        "define i32 @f(i64 %n, i32 %x) {{
entry:
  %a = alloca [{size} x i32]
  %low = and i32 %x, 7
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr inbounds [{size} x i32] ptr %a, i64 0, i64 %i
  store i32 %low, ptr %p
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ne i64 %i1, {turns}
  br i1 %go, label %loop, label %exit
exit:
  %q = getelementptr inbounds [{size} x i32] ptr %a, i64 0, i64 %n
  %r = load i32, ptr %q
  ret i32 %r
}}
"
    )
}

#[test]
fn a_loop_that_writes_every_element() {
    says(&filled(16, 16), &[("r", "[0, 7] 3")]);
    // One turn too few.
    says(&filled(16, 15), &[("r", FULL)]);
    // Every other element only.
    let odd = filled(16, 16).replace("nsw i64 %i, 1", "nsw i64 %i, 2");
    says(&odd, &[("r", FULL)]);
    // Downwards, to the last.
    let down = filled(16, 16)
        .replace("[ 0, %entry ]", "[ 15, %entry ]")
        .replace("add nuw nsw i64 %i, 1", "add i64 %i, -1")
        .replace("icmp ne i64 %i1, 16", "icmp ne i64 %i, 0");
    says(&down, &[("r", "[0, 7] 3")]);
    says(&down.replace("icmp ne i64 %i, 0", "icmp ne i64 %i, 1"), &[("r", FULL)]);
    // As many turns as somebody says.
    says(&filled(16, 16).replace("icmp ne i64 %i1, 16", "icmp ult i64 %i1, %n"), &[("r", FULL)]);
}

#[test]
fn a_loop_that_may_skip_or_leave() {
    let skips = filled(16, 16)
        .replace("  store i32 %low, ptr %p\n", "  %odd = icmp eq i32 %x, 3\n  br i1 %odd, label %put, label %next\nput:\n  store i32 %low, ptr %p\n  br label %next\nnext:\n")
        .replace("[ %i1, %loop ]", "[ %i1, %next ]");
    says(&skips, &[("r", FULL)]);
    let leaves = filled(16, 16)
        .replace(
            "  %i1 =",
            "  %odd = icmp eq i32 %x, 3\n  br i1 %odd, label %exit, label %next\nnext:\n  %i1 =",
        )
        .replace("[ %i1, %loop ]", "[ %i1, %next ]");
    says(&leaves, &[("r", FULL)]);
    // Tested before the first store, a loop writes in all turns but the last.
    let early = filled(16, 16)
        .replace(
            "  %p = get",
            "  %go = icmp ne i64 %i, 16\n  br i1 %go, label %next, label %exit\nnext:\n  %p = get",
        )
        .replace("  %go = icmp ne i64 %i1, 16\n  br i1 %go, label %loop, label %exit\n", "  br label %loop\n")
        .replace("[ %i1, %loop ]", "[ %i1, %next ]");
    says(&early, &[("r", "[0, 7] 3")]);
    says(&early.replace("icmp ne i64 %i, 16", "icmp ne i64 %i, 15"), &[("r", FULL)]);
}

#[test]
fn one_path_reads_before_it_writes() {
    let around = filled(16, 16).replace(
        "  br label %loop\nloop:",
        "  %skip = icmp eq i32 %x, 9\n  br i1 %skip, label %exit, label %loop\nloop:",
    );
    says(&around, &[("r", FULL)]);
}

#[test]
fn a_loop_in_a_loop() {
    let text = "define i32 @f(i64 %n, i32 %x) {
entry:
  %a = alloca [4 x [8 x i32]]
  %low = and i32 %x, 7
  br label %outer
outer:
  %y = phi i64 [ 0, %entry ], [ %y1, %latch ]
  br label %loop
loop:
  %i = phi i64 [ 0, %outer ], [ %i1, %loop ]
  %p = getelementptr inbounds [4 x [8 x i32]] ptr %a, i64 0, i64 %y, i64 %i
  store i32 %low, ptr %p
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ult i64 %i1, 8
  br i1 %go, label %loop, label %latch
latch:
  %y1 = add nuw nsw i64 %y, 1
  %more = icmp ult i64 %y1, 4
  br i1 %more, label %outer, label %exit
exit:
  %q = getelementptr inbounds [4 x [8 x i32]] ptr %a, i64 0, i64 0, i64 %n
  %r = load i32, ptr %q
  ret i32 %r
}
";
    says(text, &[("r", "[0, 7] 3")]);
    // Without the last row, or a triangle only.
    says(&text.replace("icmp ult i64 %y1, 4", "icmp ult i64 %y1, 3"), &[("r", FULL)]);
    says(&text.replace("icmp ult i64 %i1, 8", "icmp ule i64 %i1, %y"), &[("r", FULL)]);
}

/// A nest that fills an array; `before` and `after` stand around the store of each
/// turn of the inner loop, which ends where the label `on` is, and `beside` are
/// blocks of their own.
fn nest(before: &str, after: &str, beside: &str) -> String {
    format!(
        "declare void @stop() noreturn
declare void @perhaps()
define i32 @f(i64 %n, i32 %x) {{
entry:
  %a = alloca [4 x [8 x i32]]
  %low = and i32 %x, 7
  %odd = icmp eq i32 %x, 3
  br label %outer
outer:
  %y = phi i64 [ 0, %entry ], [ %y1, %latch ]
  br label %loop
loop:
  %i = phi i64 [ 0, %outer ], [ %i1, %on ]
{before}  %p = getelementptr inbounds [4 x [8 x i32]] ptr %a, i64 0, i64 %y, i64 %i
  store i32 %low, ptr %p
{after}  br label %on
on:
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ult i64 %i1, 8
  br i1 %go, label %loop, label %latch
latch:
  %y1 = add nuw nsw i64 %y, 1
  %more = icmp ult i64 %y1, 4
  br i1 %more, label %outer, label %exit
exit:
  %q = getelementptr inbounds [4 x [8 x i32]] ptr %a, i64 0, i64 0, i64 %n
  %r = load i32, ptr %q
  ret i32 %r
{beside}}}
"
    )
}

/// Control that leaves the inner loop and never comes to the read.
#[test]
fn a_loop_in_a_loop_that_may_stop() {
    let first = "  br i1 %odd, label %dead, label %next\nnext:\n";
    let behind = "  br i1 %odd, label %dead, label %wrote\nwrote:\n";
    let ends = [
        "dead:\n  call void @stop()\n  unreachable\n",
        "dead:\n  unreachable\n",
        "dead:\n  call void @perhaps()\n  br label %dead\n",
        "dead:\n  ret i32 0\n",
        "dead:\n  br i1 %odd, label %deeper, label %other\ndeeper:\n  call void @stop()\n  unreachable\nother:\n  ret i32 1\n",
    ];
    for end in ends {
        for (before, after) in [(first, ""), ("", behind), (first, behind)] {
            says(&nest(before, after, end), &[("r", "[0, 7] 3")]);
        }
        // The array is still not filled where it is not.
        let text = nest(first, behind, end);
        for (whole, less) in [
            ("ult i64 %y1, 4", "ult i64 %y1, 3"),
            ("ult i64 %i1, 8", "ult i64 %i1, 7"),
            ("nsw i64 %i, 1", "nsw i64 %i, 2"),
            ("nsw i64 %y, 1", "nsw i64 %y, 2"),
            ("[ 0, %outer ]", "[ 1, %outer ]"),
            ("[ 0, %outer ]", "[ %n, %outer ]"),
        ] {
            says(&text.replace(whole, less), &[("r", FULL)]);
        }
    }
    // In the outer loop, too, and in both.
    let dead = ends[0];
    let around = nest("", "", dead)
        .replace(
            "%latch ]\n  br label %loop",
            "%latch ]\n  br i1 %odd, label %dead, label %into\ninto:\n  br label %loop",
        )
        .replace("[ 0, %outer ]", "[ 0, %into ]");
    says(&around, &[("r", "[0, 7] 3")]);
    // The call is said to come back: control goes on without the rest of the row.
    let back = "dead:\n  call void @perhaps()\n  br label %latch\n";
    says(&nest(first, "", back), &[("r", FULL)]);
    says(&nest("", behind, back), &[("r", FULL)]);
}

/// Control that leaves the inner loop and comes to the read all the same.
#[test]
fn a_loop_in_a_loop_that_may_be_left() {
    let first = "  br i1 %odd, label %out, label %next\nnext:\n";
    let behind = "  br i1 %odd, label %out, label %wrote\nwrote:\n";
    for to in ["exit", "latch", "on"] {
        says(&nest(first, "", &format!("out:\n  br label %{to}\n")), &[("r", FULL)]);
    }
    // Behind the store the turn may as well be over, but no other loop.
    says(&nest("", behind, "out:\n  br label %on\n"), &[("r", "[0, 7] 3")]);
    for to in ["exit", "latch"] {
        says(&nest("", behind, &format!("out:\n  br label %{to}\n")), &[("r", FULL)]);
    }
    // To the end of the row, by a second test of the same bound.
    let last = "  %whole = icmp eq i64 %i, 7\n  br i1 %whole, label %out, label %wrote\nwrote:\n";
    let out = "out:\n  br label %latch\n";
    says(&nest("", &last.replace("eq i64 %i, 7", "eq i64 %i, 6"), out), &[("r", FULL)]);
    // By which of the two it is left does not matter, nor that one never is.
    let early = nest("", last, out);
    says(&early, &[("r", "[0, 7] 3")]);
    says(&early.replace("icmp ult i64 %i1, 8", "icmp ult i64 %i1, 9"), &[("r", "[0, 7] 3")]);
    says(&early.replace("icmp ult i64 %i1, 8", "icmp ult i64 %i1, 7"), &[("r", FULL)]);
    // By way of code that comes back only sometimes.
    let sometimes =
        "out:\n  br i1 %odd, label %gone, label %latch\ngone:\n  call void @stop()\n  unreachable\n";
    says(&nest(first, "", sometimes), &[("r", FULL)]);
    // A row of no elements.
    let none = nest("", "", "")
        .replace(
            "  %p = get",
            "  %some = icmp ult i64 %i, 0\n  br i1 %some, label %put, label %latch\nput:\n  %p = get",
        )
        .replace("br i1 %go, label %loop, label %latch", "br label %loop");
    says(&none, &[("r", FULL)]);
    says(&none.replace("ult i64 %i, 0", "ult i64 %i, 8"), &[("r", "[0, 7] 3")]);
}

/// What an exception brings back, what is shown before it is written.
#[test]
fn a_loop_in_a_loop_that_calls() {
    let invoke = "  invoke void @perhaps() to label %next unwind label %pad\nnext:\n";
    let pad = |then: &str| "pad:\n  %e = landingpad { ptr, i32 } cleanup\n".to_owned() + then;
    says(&nest(invoke, "", &pad("  ret i32 0\n")), &[("r", "[0, 7] 3")]);
    for to in ["exit", "latch"] {
        says(&nest(invoke, "", &pad(&format!("  br label %{to}\n"))), &[("r", FULL)]);
    }
    // Who ends the program looks at the array before: there something is read
    // that was not written.
    let first = "  br i1 %odd, label %dead, label %next\nnext:\n";
    let dead = "dead:\n  call void @report(ptr %a)\n  unreachable\n";
    let report = "define internal void @report(ptr %t) {
entry:
  %all = load i32, ptr %t
  unreachable
}
";
    let reported = nest(first, "", dead).replace("define i32 @f", &format!("{report}define i32 @f"));
    says(&reported, &[("r", FULL)]);
    says(&reported.replace("  %all = load i32, ptr %t\n", ""), &[("r", "[0, 7] 3")]);
    // Nobody knows what others do with it.
    let shown = nest(first, "", dead).replace("@perhaps()", "@report(ptr)");
    says(&shown, &[("r", FULL)]);
    // A second return into the nest.
    let stopping = nest(first, "", "dead:\n  call void @stop()\n  unreachable\n");
    let called =
        |what: &str| stopping.replace("  %odd =", &format!("  call void @perhaps(){what}\n  %odd ="));
    says(&called(""), &[("r", "[0, 7] 3")]);
    says(&called(" returns_twice"), &[("r", FULL)]);
}

/// The array begins anew in each turn of a loop around.
#[test]
fn a_lifetime_that_begins_again() {
    let text = |first: &str, second: &str| {
        format!(
            "{MARKERS}define i32 @f(i64 %n, i32 %x) {{
entry:
  %a = alloca [4 x i32]
  %low = and i32 %x, 7
{first}  br label %again
again:
  %k = phi i64 [ 0, %entry ], [ %k1, %done ]
{second}  %q = getelementptr inbounds [4 x i32] ptr %a, i64 0, i64 %n
  %early = icmp eq i64 %k, 0
  br i1 %early, label %loop, label %read
loop:
  %i = phi i64 [ 0, %again ], [ %i1, %loop ]
  %p = getelementptr inbounds [4 x i32] ptr %a, i64 0, i64 %i
  store i32 %low, ptr %p
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ne i64 %i1, 4
  br i1 %go, label %loop, label %done
read:
  %r = load i32, ptr %q
  br label %done
done:
  %k1 = add nuw nsw i64 %k, 1
  %more = icmp ne i64 %k1, 4
  br i1 %more, label %again, label %exit
exit:
  ret i32 0
}}
"
        )
    };
    let start = "  call void @llvm.lifetime.start.p0(ptr %a)\n";
    // That the first turn writes is not known by the ways alone.
    says(&text(start, ""), &[("r", FULL)]);
    says(&text("", start), &[("r", FULL)]);
    let straight = |first: &str, second: &str| {
        text(first, second)
            .replace("label %loop, label %read\nloop", "label %loop, label %loop\nloop")
            .replace("label %loop, label %done\nread", "label %loop, label %read\nread")
            .replace("br i1 %early, label %loop, label %loop", "br label %loop")
    };
    says(&straight(start, ""), &[("r", "[0, 7] 3")]);
    says(&straight("", start), &[("r", "[0, 7] 3")]);
    let late = straight("", "").replace("read:\n", &format!("read:\n{start}"));
    says(&late, &[("r", FULL)]);
    // In the loop that fills it: only the last element is left.
    let inside = straight("", "").replace("  store i32", &format!("{start}  store i32"));
    says(&inside, &[("r", FULL)]);
}

#[test]
fn a_struct_that_is_written_in_part() {
    let text = "define i32 @f(i32 %x) {
entry:
  %a = alloca { i32, i32 }
  %low = and i32 %x, 7
  %p = getelementptr inbounds { i32, i32 } ptr %a, i64 0, i32 0
  %q = getelementptr inbounds { i32, i32 } ptr %a, i64 0, i32 1
  store i32 %low, ptr %p
  store i32 9, ptr %q
  %r = call i32 @g(ptr %a)
  ret i32 %r
}
define internal i32 @g(ptr %s) {
entry:
  %q = getelementptr inbounds { i32, i32 } ptr %s, i64 0, i32 1
  %one = load i32, ptr %s
  %two = load i32, ptr %q
  %sum = add i32 %one, %two
  ret i32 %sum
}
";
    says(text, &[("one", "[0, 7] 3"), ("two", "[9, 9] 0")]);
    says(&text.replace("  store i32 9, ptr %q\n", ""), &[("two", FULL)]);
}

/// A callee fills the array, or leaves before.
#[test]
fn a_callee_that_fills() {
    let text = "define internal void @fill(ptr %to, i32 %x) {
entry:
  %low = and i32 %x, 7
  %odd = icmp eq i32 %x, 3
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr inbounds i32 ptr %to, i64 %i
  store i32 %low, ptr %p
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ne i64 %i1, 4
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
define i32 @main(i32 %n, ptr %v) {
entry:
  %a = alloca [4 x i32]
  %wide = sext i64 i32 %n
  call void @fill(ptr %a, i32 %n)
  %q = getelementptr inbounds [4 x i32] ptr %a, i64 0, i64 %wide
  %r = load i32, ptr %q
  ret i32 %r
}
";
    for world in [World::Open, World::Closed] {
        says_in(world, text, &[("r", "[0, 7] 3")]);
        let early = text.replace(
            "%odd = icmp eq i32 %x, 3\n  br label %loop",
            "%odd = icmp eq i32 %x, 3\n  br i1 %odd, label %exit, label %loop",
        );
        says_in(world, &early, &[("r", FULL)]);
        says_in(
            world,
            &text.replace(
                "call void @fill(ptr %a,",
                "%b = getelementptr i32 ptr %a, i64 1\n  call void @fill(ptr %b,",
            ),
            &[("r", FULL)],
        );
        let reads = text.replace(
            "  store i32 %low, ptr %p\n",
            "  %old = load i32, ptr %p\n  %new = xor i32 %old, %low\n  store i32 %new, ptr %p\n",
        );
        says_in(world, &reads, &[("r", FULL)]);
    }
    // Another definition may take its place.
    says(&text.replace("define internal", "define weak"), &[("r", FULL)]);
}
