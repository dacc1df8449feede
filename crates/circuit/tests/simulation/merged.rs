//! Loops of several blocks: which become one block, and do they compute what they computed?

use opcost_circuit::{Action, NodeId, StateReason, Target, check, lower, schedule};
use opcost_ir::parse_module;
use opcost_testkit::function_named;

use super::kernels::{LAYOUT, elements, kernel, pipelines};
use super::{Given, targets};

/// A filter whose sum is held at both ends, by branches.
const SATURATING: &str = "
define i32 @run(ptr %x, ptr %y, i32 %n) {
entry:
  %none = icmp slt i32 %n, 1
  br i1 %none, label %end, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %held, %latch ]
  %wide = zext i64 i32 %i
  %p = getelementptr inbounds i16, ptr %x, i64 %wide
  %a = load i16, ptr %p
  %aw = sext i32 i16 %a
  %half = ashr i32 %sum, 1
  %new = add i32 %half, %aw
  %high = icmp sgt i32 %new, 20000
  br i1 %high, label %latch, label %below
below:
  %low = icmp slt i32 %new, -20000
  br i1 %low, label %bottom, label %latch
bottom:
  br label %latch
latch:
  %held = phi i32 [ 20000, %loop ], [ -20000, %bottom ], [ %new, %below ]
  %q = getelementptr inbounds i32, ptr %y, i64 %wide
  store i32 %held, ptr %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %result = phi i32 [ 0, %entry ], [ %held, %latch ]
  ret i32 %result
}
";

/// Only what is above a threshold is counted. Where it is not, the index would be far outside.
const COUNTED: &str = "
define void @run(ptr %x, ptr %h, i8 %least) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds i8, ptr %x, i64 %i
  %v = load i8, ptr %p
  %fits = icmp ult i8 %v, 16
  br i1 %fits, label %inside, label %latch
inside:
  %enough = icmp uge i8 %v, %least
  br i1 %enough, label %count, label %latch
count:
  %at = zext i64 i8 %v
  %q = getelementptr inbounds i32, ptr %h, i64 %at
  %k = load i32, ptr %q
  %kn = add i32 %k, 1
  store i32 %kn, ptr %q
  br label %latch
latch:
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 24
  br i1 %ends, label %end, label %loop
end:
  ret void
}
";

/// Where a number is, and what was written before it was found.
const SEARCH: &str = "
define i32 @run(ptr %x, ptr %y, i16 %wanted) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %wide = zext i64 i32 %i
  %p = getelementptr inbounds i16, ptr %x, i64 %wide
  %v = load i16, ptr %p
  %is = icmp eq i16 %v, %wanted
  br i1 %is, label %here, label %other
other:
  %q = getelementptr inbounds i16, ptr %y, i64 %wide
  store i16 %v, ptr %q
  %bad = icmp eq i16 %v, -1
  br i1 %bad, label %broken, label %latch
latch:
  %next = add i32 %i, 1
  %ends = icmp eq i32 %next, 16
  br i1 %ends, label %end, label %loop
here:
  %twice = shl i32 %i, 1
  br label %end
broken:
  %v32 = sext i32 i16 %v
  %far = sub i32 %v32, %i
  br label %end
end:
  %result = phi i32 [ -7, %latch ], [ %twice, %here ], [ %far, %broken ]
  ret i32 %result
}
";

/// Only one of two stores works, and only what is not zero divides.
const EITHER: &str = "
define i32 @run(ptr %x, ptr %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %any = icmp ne i32 %v, 0
  br i1 %any, label %divide, label %nothing
divide:
  %q = udiv i32 1000, %v
  %s = sdiv i32 -2147483648, %v
  %mixed = xor i32 %q, %s
  %a = getelementptr inbounds i32, ptr %y, i64 %i
  store i32 %mixed, ptr %a
  br label %latch
nothing:
  %j = xor i64 %i, 15
  %b = getelementptr inbounds i32, ptr %y, i64 %j
  store i32 7, ptr %b
  br label %latch
latch:
  %part = phi i32 [ %q, %divide ], [ 9, %nothing ]
  %more = add i32 %sum, %part
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 16
  br i1 %ends, label %end, label %loop
end:
  ret i32 %more
}
";

/// Two stores of which one works, in each iteration.
const SHARED: &str = "
define void @run(ptr %x, ptr %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %low = and i32 %v, 1
  %odd = icmp ne i32 %low, 0
  br i1 %odd, label %same, label %other
same:
  %a = getelementptr inbounds i32, ptr %y, i64 %i
  store i32 %v, ptr %a
  br label %latch
other:
  %j = add i64 %i, 16
  %b = getelementptr inbounds i32, ptr %y, i64 %j
  store i32 7, ptr %b
  br label %latch
latch:
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 16
  br i1 %ends, label %end, label %loop
end:
  ret void
}
";

/// A switch in a loop, two edges back, a counter that moves only sometimes, and values of before.
const CODES: &str = "
define i32 @run(ptr %x, ptr %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %first ], [ %nextb, %second ]
  %out = phi i64 [ 0, %entry ], [ %out, %first ], [ %outn, %second ]
  %last = phi i32 [ 5, %entry ], [ %w, %first ], [ %last, %second ]
  %p = getelementptr inbounds i8, ptr %x, i64 %i
  %v = load i8, ptr %p
  %w = zext i32 i8 %v
  %low = and i8 %v, 7
  switch i8 %low, label %rest [ i8 0, label %none i8 1, label %one i8 2, label %none i8 3, label %rest ]
none:
  %n = add i32 %w, %last
  br label %first
one:
  %m = mul i32 %w, %last
  br label %second
rest:
  %r = sub i32 %w, %last
  %big = icmp ugt i8 %v, 128
  br i1 %big, label %first, label %second
first:
  %next = add i64 %i, 1
  %ends = icmp uge i64 %next, 20
  br i1 %ends, label %end, label %loop
second:
  %put = phi i32 [ %m, %one ], [ %r, %rest ]
  %q = getelementptr inbounds i32, ptr %y, i64 %out
  store i32 %put, ptr %q
  %outn = add i64 %out, 1
  %nextb = add i64 %i, 1
  %endsb = icmp uge i64 %nextb, 20
  br i1 %endsb, label %end, label %loop
end:
  %result = phi i32 [ %last, %first ], [ %put, %second ]
  ret i32 %result
}
";

/// What is seldom takes long: as one block every iteration would take as long.
const SELDOM: &str = "
define i32 @run(ptr %x, i32 %by) {
entry:
  %odd = or i32 %by, 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 1, %entry ], [ %more, %latch ]
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %low = and i32 %v, 7
  %is = icmp eq i32 %low, 7
  br i1 %is, label %long, label %latch
long:
  %a = mul i32 %sum, %sum
  %b = mul i32 %a, %a
  %c = mul i32 %b, %odd
  %d = udiv i32 %c, %odd
  %e = urem i32 %d, %odd
  %f = udiv i32 %e, 3
  br label %latch
latch:
  %part = phi i32 [ %f, %long ], [ 3, %loop ]
  %more = add i32 %sum, %part
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 16
  br i1 %ends, label %end, label %loop
end:
  ret i32 %more
}
";

/// A circle that is entered at two places, within a loop.
const TWO_ENTRIES: &str = "
define i32 @run(i32 %n, i1 %first) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %first, label %left, label %right
left:
  %a = phi i32 [ %i, %loop ], [ %bn, %right ]
  %an = add i32 %a, 3
  %stop = icmp ugt i32 %an, 40
  br i1 %stop, label %latch, label %right
right:
  %b = phi i32 [ %i, %loop ], [ %an, %left ]
  %bn = add i32 %b, 5
  %stopb = icmp ugt i32 %bn, 50
  br i1 %stopb, label %latch, label %left
latch:
  %got = phi i32 [ %an, %left ], [ %bn, %right ]
  %next = add i32 %i, 1
  %ends = icmp eq i32 %next, 6
  br i1 %ends, label %end, label %loop
end:
  ret i32 %got
}
";

#[test]
fn a_filter_that_is_held_by_branches_is_a_pipeline() {
    let all = kernel(SATURATING, &[16, 16], |random| {
        let n = u128::from(random.below(17));
        vec![elements(random, 16, 16), elements(random, 32, 16), Given::Number(32, n)]
    });
    for made in &all {
        assert_eq!((made.schedule.states.len(), pipelines(made).len()), (0, 1));
    }
    assert!(pipelines(&all[4])[0].interval == 1, "at 25 MHz an iteration begins in each cycle");
}

#[test]
fn what_is_counted_under_a_condition_is_a_pipeline_that_reads_and_writes_only_then() {
    // Elements of 8 bits are 0, 127, 128 or 255 often: then the index would be outside.
    let all = kernel(COUNTED, &[24, 16], |random| {
        let Given::Memory(bits, mut values) = elements(random, 8, 24) else { panic!("a memory") };
        for value in &mut values {
            if random.below(2) == 0 {
                *value &= 15;
            }
        }
        let least = u128::from(random.below(12));
        vec![Given::Memory(bits, values), elements(random, 32, 16), Given::Number(8, least)]
    });
    for made in &all {
        let [pipeline] = &pipelines(made)[..] else { panic!("one loop") };
        // An iteration may count what the next one counts.
        assert!(made.schedule.states.is_empty() && pipeline.interval >= 2);
    }
}

#[test]
fn a_search_leaves_at_once_and_writes_nothing_behind() {
    let all = kernel(SEARCH, &[16, 16], |random| {
        let Given::Memory(bits, mut values) = elements(random, 16, 16) else { panic!("a memory") };
        for value in &mut values {
            if random.below(3) != 0 {
                *value = u128::from(random.below(40));
            }
        }
        let wanted = u128::from(random.below(40));
        vec![Given::Memory(bits, values), elements(random, 16, 16), Given::Number(16, wanted)]
    });
    assert!(all.iter().all(|made| made.schedule.states.is_empty()));
}

/// No operator fails where the program would not have divided.
#[test]
fn what_divides_under_a_condition_is_computed_in_any_case() {
    let all = kernel(EITHER, &[16, 16], |random| {
        let Given::Memory(bits, mut values) = elements(random, 32, 16) else { panic!("a memory") };
        for value in &mut values {
            if random.below(3) == 0 {
                *value &= 3;
            }
            // The smallest number divided by -1 is no number.
            if *value == u128::from(u32::MAX) {
                *value = 0;
            }
        }
        vec![Given::Memory(bits, values), elements(random, 32, 16)]
    });
    assert!(all.iter().any(|made| made.schedule.states.is_empty()));
}

/// There is one port that writes, and an iteration in each cycle.
#[test]
fn of_two_stores_only_one_works_so_they_share_a_port() {
    let all = kernel(SHARED, &[16, 32], |random| vec![elements(random, 32, 16), elements(random, 32, 32)]);
    assert_eq!((pipelines(&all[4])[0].interval, pipelines(&all[4])[0].bound), (1, 1));
    let module = parse_module(&format!("{LAYOUT}{SHARED}")).expect("a module");
    let function = function_named(&module, "run").expect("run");
    let target = targets().remove(2);
    let mut kernel = lower(&module, function, 16).expect("a kernel");
    let right = schedule(&mut kernel, &target, true);
    assert_eq!(check(&kernel, &target, &right), []);
    let stores = kernel.nodes.iter().filter(|(_, node)| matches!(node.action, Action::Store(_)));
    let stores: Vec<NodeId> = stores.map(|(id, _)| id).collect();
    let [first, second] = stores[..] else { panic!("two stores") };
    // With predicates that may both be one, or with none, the checker does not let them.
    let mut wrong = kernel.clone();
    wrong.nodes[second].operands[2] = wrong.nodes[first].operands[2];
    assert_ne!(check(&wrong, &target, &right), []);
    let mut wrong = kernel.clone();
    wrong.nodes[second].operands.pop();
    assert_ne!(check(&wrong, &target, &right), []);
    // Those of different iterations do not exclude each other, whatever their predicates are.
    let mut wrong = right.clone();
    let Some(slot) = &mut wrong.slots[second] else { panic!("it has a slot") };
    (slot.cycle, slot.ready_cycle) = (slot.cycle + 1, slot.ready_cycle + 1);
    for block in wrong.blocks.values_mut() {
        block.length += 1;
    }
    assert_ne!(check(&kernel, &target, &wrong), []);
}

#[test]
fn a_switch_and_two_edges_back_are_one_block() {
    let all = kernel(CODES, &[20, 20], |random| vec![elements(random, 8, 20), elements(random, 32, 20)]);
    assert!(all.iter().all(|made| made.schedule.states.is_empty()));
}

#[test]
fn what_is_seldom_and_long_stays_states() {
    let all = kernel(SELDOM, &[16], |random| {
        let by = u128::from(random.number() as u32 >> random.below(32));
        vec![elements(random, 32, 16), Given::Number(32, by)]
    });
    for made in &all {
        let [states] = &made.schedule.states[..] else { panic!("one loop") };
        let (StateReason::Slower(cycles), Some(shortest)) = (states.reason, states.shortest) else {
            panic!("{states:?}");
        };
        assert!(cycles > shortest && states.longest >= Some(shortest), "{states:?}");
        assert!(pipelines(made).is_empty());
    }
}

#[test]
fn a_circle_with_two_entries_stays_states() {
    let all = kernel(TWO_ENTRIES, &[], |random| {
        vec![Given::Number(32, u128::from(random.below(50))), Given::Number(1, u128::from(random.below(2)))]
    });
    for made in &all {
        let reasons: Vec<StateReason> = made.schedule.states.iter().map(|one| one.reason).collect();
        assert_eq!(reasons, [StateReason::Entries]);
    }
}

/// An access that loses its predicate, or has it too early, is noticed.
#[test]
fn a_predicate_is_there_before_its_access() {
    let module = parse_module(&format!("{LAYOUT}{COUNTED}")).expect("a module");
    let function = function_named(&module, "run").expect("run");
    let target: Target = targets().remove(1);
    let mut kernel = lower(&module, function, 16).expect("a kernel");
    let right = schedule(&mut kernel, &target, true);
    assert_eq!(check(&kernel, &target, &right), []);
    let predicated: Vec<NodeId> =
        kernel.nodes.ids().filter(|&node| kernel.predicate(node).is_some()).collect();
    assert_eq!(predicated.len(), 2, "a load and a store");
    let mut noticed = 0;
    for node in predicated {
        let predicate = kernel.predicate(node).and_then(|operand| operand.node()).expect("a node");
        let mut late = right.clone();
        let Some(slot) = &mut late.slots[predicate] else { panic!("it has a slot") };
        slot.ready_cycle += 9;
        slot.cycle += 9;
        noticed += usize::from(!check(&kernel, &target, &late).is_empty());
    }
    assert_eq!(noticed, 2);
}
