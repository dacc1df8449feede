//! What is demanded in small modules.

use opcost_ir::{Layout, Value, parse_module};

use crate::demand::Demand;
use crate::memory::{MemoryModel, World};
use crate::propagation::Propagation;
use opcost_library::Effects;

#[track_caller]
fn says_in(world: World, text: &str, expected: &[(&str, u128)]) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, world);
    let demand = Demand::compute(&program, &Propagation::compute(&program));
    let told: Vec<(&str, u128)> = expected
        .iter()
        .map(|&(wanted, _)| {
            let found = module.functions.iter().find_map(|(id, function)| {
                let named = function.names.iter().find(|(_, name)| &***name == wanted);
                named.map(|(&value, _): (&Value, _)| (id, value))
            });
            let (id, value) = found.unwrap_or_else(|| panic!("no value {wanted}"));
            (wanted, demand.bits(id, value).expect("an integer"))
        })
        .collect();
    assert_eq!(told, expected, "{text}");
}

#[track_caller]
fn says(text: &str, expected: &[(&str, u128)]) {
    says_in(World::Open, text, expected);
}

/// x = (5x + 3) & 255: everything in the loop is of 8 bits.
#[test]
fn a_loop_that_is_masked() {
    says(
        "define i32 @f(i32 %n, i32 %start) {
entry:
  br label %loop
loop:
  %x = phi i32 [ %start, %entry ], [ %masked, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %five = mul i32 %x, 5
  %three = add i32 %five, 3
  %masked = and i32 %three, 255
  %i1 = add i32 %i, 1
  %go = icmp ult i32 %i1, %n
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %masked
}
",
        &[("x", 255), ("five", 255), ("start", 255), ("three", 255), ("n", 0xffff_ffff), ("go", 1)],
    );
}

#[test]
fn shifts_fields_and_signs() {
    says(
        "define i8 @f(i32 %x, i32 %y, i32 %s) {
  %field = lshr i32 %x, 12
  %nibble = and i32 %field, 15
  %low = and i32 %s, 3
  %by = shl i32 %y, %low
  %both = or i32 %nibble, %by
  %small = trunc i8 i32 %both
  ret i8 %small
}
",
        &[("x", 0xf000), ("field", 0xf), ("y", 0xff), ("s", 3), ("both", 0xff)],
    );
    says(
        "define i1 @f(i32 %x, i32 %y, i32 %z) {
  %less = icmp slt i32 %x, 0
  %most = icmp ult i32 %y, 4096
  %more = icmp ugt i32 %z, 7
  %one = and i1 %less, %most
  %two = and i1 %one, %more
  ret i1 %two
}
",
        &[("x", 0x8000_0000), ("y", 0xffff_f000), ("z", 0xffff_fff8)],
    );
}

const CALLS: &str = "define internal i32 @low(i32 %x, i32 %unread) {
  %h = add i32 %x, 1
  ret i32 %h
}
define i32 @main(i32 %argc) {
  %other = mul i32 %argc, 3
  %r = call i32 @low(i32 %argc, i32 %other)
  %t = and i32 %r, 7
  ret i32 %t
}
";

#[test]
fn arguments_and_results_of_local_functions() {
    says(CALLS, &[("r", 7), ("h", 7), ("x", 7), ("argc", 7), ("other", 0), ("unread", 0)]);
    // Anyone may read what an exported function returns; its body is its own.
    let exported = CALLS.replace("define internal", "define");
    let all = 0xffff_ffff;
    says(&exported, &[("r", 7), ("h", all), ("argc", all), ("other", 0)]);
    says_in(World::Closed, &exported, &[("h", 7), ("argc", 7)]);
    // What is replaced may read all that it gets.
    let replaceable = CALLS.replace("define internal", "define weak");
    says(&replaceable, &[("argc", all), ("other", all), ("unread", 0)]);
    let declared = "declare @low\n".to_owned() + CALLS.split_once("}\n").unwrap().1;
    says(&declared, &[("r", 7), ("argc", all), ("other", all)]);
}

const CELLS: &str = "global internal @a type [64 x i16] = { }
global internal @b type i16 = { }
declare @see
define void @fill(i64 %i, i16 %v, i16 %w) {
  %at = getelementptr inbounds [64 x i16] ptr @a, i64 0, i64 %i
  store i16 %v, ptr %at
  store i16 %w, ptr @b
  ret void
}
define i16 @get(i64 %j) {
  %from = getelementptr inbounds [64 x i16] ptr @a, i64 0, i64 %j
  %word = load i16, ptr %from
  %nibble = and i16 %word, 15
  %other = load i16, ptr @b
  %low = and i16 %other, 1
  %sum = add i16 %nibble, %low
  ret i16 %sum
}
";

#[test]
fn what_is_stored_is_demanded_as_far_as_it_is_loaded() {
    says(CELLS, &[("v", 15), ("w", 1), ("i", u128::from(u64::MAX))]);
    let read = |what: &str, with: &str| CELLS.replace(what, with);
    let all = 0xffff;
    // By others, in another width, as bytes of another element, by a copy.
    says(&read("global internal @a", "global @a"), &[("v", all), ("w", 1)]);
    says(&read("%low =", "%part = load i8, ptr @b\n  %low ="), &[("v", 15), ("w", all)]);
    says(&read("[64 x i16] ptr @a, i64 0, i64 %j", "i8 ptr @a, i64 %j"), &[("v", all), ("w", 1)]);
    says(&read("%low =", "%v2 = load volatile i16, ptr @b\n  %low ="), &[("v", 15), ("w", all)]);
    says(&read("%low =", "call void @see(ptr @b)\n  %low ="), &[("v", 15), ("w", all)]);
    let number = read("%low =", "%number = ptrtoint i64 ptr @a\n  %low =");
    says(&number, &[("v", all), ("w", 1)]);
}

#[test]
fn what_the_machine_or_others_see_is_demanded() {
    let all = 0xffff_ffff;
    says(
        "declare @see
define void @f(i32 %a, i32 %b, i32 %c, i32 %d, ptr %p, i32 %e, i32 %g) {
entry:
  %q = udiv i32 %a, %b
  %r = sdiv i32 %c, 7
  store i32 %d, ptr %p
  call void @see(i32 %e)
  switch i32 %g, label %x [ i32 1, label %y ]
x:
  ret void
y:
  ret void
}
",
        &[("a", 0), ("b", all), ("c", all), ("d", all), ("e", all), ("g", all), ("q", 0)],
    );
}
