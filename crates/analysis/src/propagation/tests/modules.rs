//! Ranges across functions, and in memory.

use super::{says, says_in};
use crate::memory::World;

const TWO_CALLS: &str = "define internal i32 @half(i32 %x) {
  %h = lshr i32 %x, 1
  ret i32 %h
}
define i32 @main(i32 %argc) {
  %a = and i32 %argc, 100
  %r = call i32 @half(i32 %a)
  %s = call i32 @half(i32 20)
  %t = add i32 %r, %s
  ret i32 %t
}
";

#[test]
fn arguments_and_results_of_local_functions() {
    says(TWO_CALLS, &[("r", "[0, 50] 6"), ("t", "[0, 100] 7")]);
    let exported = TWO_CALLS.replace("define internal", "define");
    // Anyone may call it, but what it returns to us is its own.
    says(&exported, &[("r", "[0, 2147483647] 31")]);
    says_in(World::Closed, &exported, &[("r", "[0, 50] 6")]);
    let replaceable = TWO_CALLS.replace("define internal", "define weak");
    says(&replaceable, &[("r", "[-2147483648, 2147483647] 32")]);
}

/// What would be if a parameter were less; what was known stays.
#[test]
fn ranges_if_more_were_given() {
    let text = "define i32 @f(i32 %x, i8 %y) {
  %wide = zext i32 i8 %y
  %sum = add i32 %x, %wide
  ret i32 %sum
}
";
    let module = opcost_ir::parse_module(text).expect("a module");
    let (layout, effects) = (opcost_ir::Layout::of(&module), opcost_library::Effects::built_in());
    let program = crate::memory::MemoryModel::of(&module, &layout, &effects, World::Open);
    let known = super::Propagation::compute(&program);
    let (id, function) = module.functions.iter().next().expect("a function");
    let of = |name: &str| *function.names.iter().find(|(_, known)| &***known == name).expect("a value").0;
    let x = known.variable(id, of("x")).expect("a number");
    let bound = super::Range::Integer(crate::ranges::Interval::new(32, 0, 64).into());
    let given = known.given(&[(x, bound)]);
    let bits = |ranges: &super::Propagation, name: &str| {
        ranges.range(id, of(name)).and_then(|range| range.integer()).expect("an integer").needed_width().bits
    };
    assert_eq!((bits(&known, "sum"), bits(&given, "sum")), (32, 9));
    assert_eq!((bits(&given, "x"), bits(&given, "wide")), (7, 8));
    assert!(given.not_closed().is_empty());
}

/// Each byte of the array is less than 8, so a sum of 64 is at most 448.
#[test]
fn an_array_that_is_filled_with_masked_bytes() {
    let text = "global internal @a type [64 x i8] = { }
define void @fill(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %from = getelementptr i8 ptr %p, i64 %i
  %byte = load i8, ptr %from
  %low = and i8 %byte, 7
  %to = getelementptr inbounds [64 x i8] ptr @a, i64 0, i64 %i
  store i8 %low, ptr %to
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ne i64 %i1, 64
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
define i32 @sum() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %at = getelementptr inbounds [64 x i8] ptr @a, i64 0, i64 %i
  %byte = load i8, ptr %at
  %wide = zext i32 i8 %byte
  %s1 = add i32 %s, %wide
  %i1 = add nuw nsw i64 %i, 1
  %go = icmp ne i64 %i1, 64
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %s1
}
";
    says(text, &[("byte", "[0, 7] 3"), ("s1", "[0, 448] 9")]);
    // Who else can write there may have written anything.
    let exported = text.replace("global internal", "global");
    says(&exported, &[("byte", "[-128, 127] 8")]);
    let program = exported.replace(
        "define i32 @sum() {\nentry:",
        "define i32 @main(i32 %n, ptr %v) {\nentry:\n  call void @fill(ptr %v)",
    );
    says_in(World::Closed, &program, &[("byte", "[0, 7] 3")]);
    // Where nobody fills it, it is zero.
    says_in(World::Closed, &exported.replace("@sum", "@main"), &[("byte", "[0, 0] 0")]);
}

/// Only the part of a table that the index reaches counts.
#[test]
fn a_slice_of_a_constant_table() {
    let text = "global internal @t type [8 x i16] constant = { 0: i16 1000, 2: i16 3, 4: i16 9, 6: i16 5, 8: i16 -7, 10: i16 2, 12: i16 30000, 14: i16 1 }
define i16 @f(i64 %x) {
  %i = and i64 %x, 3
  %j = or disjoint i64 %i, 4
  %p = getelementptr inbounds [8 x i16] ptr @t, i64 0, i64 %i
  %a = load i16, ptr %p
  %k = add i64 %i, 1
  %q = getelementptr inbounds [8 x i16] ptr @t, i64 0, i64 %k
  %b = load i16, ptr %q
  %e = shl i64 %i, 1
  %r = getelementptr inbounds [8 x i16] ptr @t, i64 0, i64 %e
  %c = load i16, ptr %r
  ret i16 %a
}
";
    says(text, &[("a", "[3, 1000] 10"), ("b", "[-7, 9] 5"), ("c", "[-7, 30000] 16")]);
}

/// The columns of an array of structs are told apart.
#[test]
fn fields_of_structs_in_an_array() {
    let text = "global internal @s type [10 x { i32, i32 }] = { }
define void @main(i64 %n, i32 %x) {
  %low = and i32 %x, 15
  %p = getelementptr inbounds [10 x { i32, i32 }] ptr @s, i64 0, i64 %n, i32 0
  store i32 %low, ptr %p
  %q = getelementptr inbounds [10 x { i32, i32 }] ptr @s, i64 0, i64 %n, i32 1
  store i32 1000, ptr %q
  %m = add i64 %n, 1
  %p1 = getelementptr inbounds [10 x { i32, i32 }] ptr @s, i64 0, i64 %m, i32 0
  %a = load i32, ptr %p1
  %q1 = getelementptr inbounds [10 x { i32, i32 }] ptr @s, i64 0, i64 %m, i32 1
  %b = load i32, ptr %q1
  ret void
}
";
    says_in(World::Closed, text, &[("a", "[0, 15] 4"), ("b", "[0, 1000] 10")]);
    // A store of another width into the same bytes spoils it.
    let narrow = text.replace("  ret void\n", "  store i8 77, ptr %p\n  ret void\n");
    says_in(World::Closed, &narrow, &[("a", "[-2147483648, 2147483647] 32"), ("b", "[0, 1000] 10")]);
}

#[test]
fn results_of_library_functions() {
    let text = "declare i32 @fgetc(ptr)
declare i64 @strlen(ptr)
declare i32 @unknown(ptr)
define void @f(ptr %p) {
  %c = call i32 @fgetc(ptr %p)
  %n = call i64 @strlen(ptr %p)
  %u = call i32 @unknown(ptr %p)
  ret void
}
";
    says(
        text,
        &[("c", "[-1, 255] 9"), ("n", "[0, 9223372036854775807] 63"), ("u", "[-2147483648, 2147483647] 32")],
    );
}

/// A local that is read before it is written holds anything.
#[test]
fn what_was_never_written_is_anything() {
    let text = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1) nounwind willreturn memory(argmem: write)
define i32 @f(i64 %n, i32 %x) {
entry:
  %a = alloca [16 x i32]
  %low = and i32 %x, 7
  %p = getelementptr inbounds [16 x i32] ptr %a, i64 0, i64 %n
  store i32 %low, ptr %p
  %q = getelementptr inbounds [16 x i32] ptr %a, i64 0, i64 3
  %r = load i32, ptr %q
  ret i32 %r
}
";
    says(text, &[("r", "[-2147483648, 2147483647] 32")]);
    let options = crate::propagation::RangeOptions { memory_is_written_first: true, ..Default::default() };
    assert_eq!(super::told_with(text, World::Open, options, &["r"]), ["[0, 7] 3"]);
    let filled =
        text.replace("  %low =", "  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 64, i1 false)\n  %low =");
    says(&filled, &[("r", "[0, 7] 3")]);
}

/// What is known of nothing says why, and what ranges rest on is listed.
#[test]
fn limits_and_facts_are_told() {
    use crate::memory::MemoryModel;
    use crate::propagation::{EdgeFact, Limit, Propagation};
    use opcost_ir::{Layout, Value, parse_module};
    use opcost_library::Effects;

    let text = "global internal @g type i32 = { }
declare i32 @unknown()
define internal i32 @add(i32 %x) {
  %old = load i32, ptr @g
  %u = call i32 @unknown()
  %sum = add i32 %x, %u
  store i32 7, ptr @g
  %z = and i32 %old, 3
  ret i32 %z
}
define i32 @main() {
  %r = call i32 @add(i32 1)
  ret i32 %r
}
";
    let module = parse_module(text).expect("a module");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Closed);
    let ranges = Propagation::compute(&program);
    let (id, function) = module.functions.iter().next().expect("a function");
    let named = |wanted: &str| -> Value {
        *function.names.iter().find(|(_, name)| &***name == wanted).expect("a name").0
    };
    let limits = |name: &str| -> Vec<Limit> {
        let variable = ranges.variable(id, named(name)).expect("a number");
        ranges.why(variable).into_iter().map(|(_, limit)| limit).collect()
    };
    assert_eq!(limits("sum"), [Limit::Call]);
    assert_eq!(limits("z"), []);
    assert!(ranges.facts().any(|fact| *fact == EdgeFact::ArgumentsComplete(id)));
    assert!(ranges.facts().any(|fact| matches!(fact, EdgeFact::ObjectContained(_))));
    assert_eq!((ranges.given_up, ranges.not_closed()), (0, vec![]));
    says_in(World::Closed, text, &[("r", "[0, 3] 2")]);
}

/// A second name may lead to any data, or to a function that is referred to.
#[test]
fn second_names_are_not_overlooked() {
    let text = "global internal @g type i32 = { 0: i32 5 }
define void @main() {
  %a = load i32, ptr @g
  ret void
}
";
    says_in(World::Closed, text, &[("a", "[5, 5] 0")]);
    let named = text.replace("define void", "alias @h\ndefine void");
    says_in(World::Closed, &named, &[("a", "[-2147483648, 2147483647] 32")]);
}

/// Integers go through floating point numbers and come back, refined on the way.
#[test]
fn integers_in_floating_point_numbers() {
    let text = "define i32 @f(i8 %x) {
entry:
  %d = sitofp double i8 %x
  %less = fcmp olt double %d, 10.0
  br i1 %less, label %yes, label %no
yes:
  %i = fptosi i32 double %d
  ret i32 %i
no:
  %j = fptosi i32 double %d
  ret i32 %j
}
";
    // An arc of numbers below 10 ends below it, and its integers at 9.
    says(text, &[("i", "[-128, 9] 8"), ("j", "[10, 127] 7")]);
}
