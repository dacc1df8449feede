//! Kernels with memories and loops: what they compute, how often their loops begin an iteration, and
//! what is refused.

use opcost_ir::parse_module;
use opcost_testkit::{Random, function_named};

use super::{Given, Made, Runs, targets, try_all};
use opcost_circuit::{IntervalLimit, Pipeline, Target, lower};

pub(super) const LAYOUT: &str =
    "data_layout \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

/// A sum of products.
const MAC: &str = "
define i32 @run(ptr %x, ptr %h, i32 %n) {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %before
before:
  %wide = zext i64 i32 %n
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %sum = phi i32 [ 0, %before ], [ %more, %loop ]
  %px = getelementptr inbounds i16, ptr %x, i64 %i
  %a = load i16, ptr %px
  %aw = sext i32 i16 %a
  %ph = getelementptr inbounds i16, ptr %h, i64 %i
  %b = load i16, ptr %ph
  %bw = sext i32 i16 %b
  %product = mul i32 %aw, %bw
  %more = add i32 %sum, %product
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %wide
  br i1 %ends, label %end, label %loop
end:
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  ret i32 %result
}
";

/// Each element is what it was and the one before as it is now.
const RUNNING: &str = "
define void @run(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = add i64 %i, -1
  %p = getelementptr inbounds i32, ptr %x, i64 %before
  %a = load i32, ptr %p
  %q = getelementptr inbounds i32, ptr %x, i64 %i
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  store i32 %c, ptr %q
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 16
  br i1 %ends, label %end, label %loop
end:
  ret void
}
";

/// A hash: each iteration needs what the one before computed last.
const HASH: &str = "
define i32 @run(ptr %x) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %h = phi i32 [ 5381, %entry ], [ %sum, %loop ]
  %wide = zext i64 i8 %i
  %p = getelementptr inbounds i8, ptr %x, i64 %wide
  %a = load i8, ptr %p
  %w = zext i32 i8 %a
  %product = mul i32 %h, 31
  %sum = add i32 %product, %w
  %next = add i8 %i, 1
  %ends = icmp eq i8 %next, 24
  br i1 %ends, label %end, label %loop
end:
  ret i32 %sum
}
";

/// How often each value occurs, counted in an array of its own, and squares from a table.
const HISTOGRAM: &str = "
global internal @squares type [8 x i16] constant = { 2: i16 1, 4: i16 4, 6: i16 9, 8: i16 16, 10: i16 25, 12: i16 36, 14: i16 49 }
define void @run(ptr %x, ptr %y) {
entry:
  %counts = alloca [8 x i32]
  br label %clear
clear:
  %c = phi i64 [ 0, %entry ], [ %cn, %clear ]
  %pc = getelementptr inbounds i32, ptr %counts, i64 %c
  store i32 0, ptr %pc
  %cn = add i64 %c, 1
  %ce = icmp eq i64 %cn, 8
  br i1 %ce, label %count, label %clear
count:
  %i = phi i64 [ 0, %clear ], [ %in, %count ]
  %px = getelementptr inbounds i8, ptr %x, i64 %i
  %v = load i8, ptr %px
  %low = and i8 %v, 7
  %at = zext i64 i8 %low
  %pk = getelementptr inbounds [8 x i32], ptr %counts, i64 0, i64 %at
  %k = load i32, ptr %pk
  %kn = add i32 %k, 1
  store i32 %kn, ptr %pk
  %in = add i64 %i, 1
  %ie = icmp eq i64 %in, 32
  br i1 %ie, label %out, label %count
out:
  %j = phi i64 [ 0, %count ], [ %jn, %out ]
  %pj = getelementptr inbounds i32, ptr %counts, i64 %j
  %m = load i32, ptr %pj
  %bytes = shl i64 %j, 1
  %ps = getelementptr inbounds i8, ptr @squares, i64 %bytes
  %s = load i16, ptr %ps
  %sw = zext i32 i16 %s
  %r = mul i32 %m, %sw
  %py = getelementptr inbounds i32, ptr %y, i64 %j
  store i32 %r, ptr %py
  %jn = add i64 %j, 1
  %je = icmp eq i64 %jn, 8
  br i1 %je, label %end, label %out
end:
  ret void
}
";

/// Quotients, rests, and a counter that a later block uses as it was in the last iteration.
const DIVIDING: &str = "
define i32 @run(ptr %x, i32 %by) {
entry:
  %odd = or i32 %by, 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %last = phi i32 [ 7, %entry ], [ %q, %loop ]
  %older = phi i32 [ 9, %entry ], [ %last, %loop ]
  %p = getelementptr inbounds i32, ptr %x, i64 %i
  %a = load i32, ptr %p
  %q = udiv i32 %a, %odd
  %r = urem i32 %a, %odd
  %s = add i32 %r, %older
  store i32 %s, ptr %p
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 8
  br i1 %ends, label %end, label %loop
end:
  %narrow = trunc i32 i64 %i
  %result = add i32 %narrow, %older
  ret i32 %result
}
";

/// A nest with a switch, and a helper that is put in place.
const NEST: &str = "
define internal i32 @clip(i32 %v) {
entry:
  %low = icmp slt i32 %v, -100
  br i1 %low, label %small, label %rest
small:
  ret i32 -100
rest:
  ret i32 %v
}
define i32 @run(ptr %x, i8 %kind) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %in, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %kept, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %jn, %inner ]
  %part = phi i32 [ %sum, %outer ], [ %more, %inner ]
  %row = shl i64 %i, 2
  %at = add i64 %row, %j
  %p = getelementptr inbounds i16, ptr %x, i64 %at
  %a = load i16, ptr %p
  %w = sext i32 i16 %a
  %more = add i32 %part, %w
  %jn = add i64 %j, 1
  %je = icmp eq i64 %jn, 4
  br i1 %je, label %choose, label %inner
choose:
  switch i8 %kind, label %plain [ i8 1, label %twice i8 2, label %clipped i8 3, label %twice ]
twice:
  %double = shl i32 %more, 1
  br label %latch
clipped:
  %held = call i32 @clip(i32 %more)
  br label %latch
plain:
  br label %latch
latch:
  %kept = phi i32 [ %double, %twice ], [ %held, %clipped ], [ %more, %plain ]
  %in = add i64 %i, 1
  %ie = icmp eq i64 %in, 4
  br i1 %ie, label %end, label %outer
end:
  ret i32 %kept
}
";

pub(super) fn elements(random: &mut Random, bits: u32, count: usize) -> Given {
    let ends = [0, (1 << (bits - 1)) - 1, 1 << (bits - 1), (1 << bits) - 1];
    let one = |random: &mut Random| match random.below(5) {
        0 => *random.of(&ends),
        _ => u128::from(random.number()) & ((1 << bits) - 1),
    };
    Given::Memory(bits, (0..count).map(|_| one(random)).collect())
}

/// Runs and simulates a kernel; `given` makes the inputs of one run.
pub(super) fn kernel(text: &str, lengths: &[u64], given: impl Fn(&mut Random) -> Vec<Given>) -> Vec<Made> {
    let text = format!("{LAYOUT}{text}");
    let module = parse_module(&text).expect("a module");
    let function = function_named(&module, "run").expect("run");
    let mut random = Random::new(3);
    let mut runs = Runs::default();
    for _ in 0..12 {
        let given = given(&mut random);
        runs.run(&module, function, &given);
    }
    assert!(runs.count > 6, "only {} runs are defined", runs.count);
    try_all(&text, &runs, lengths, true)
}

pub(super) fn pipelines(made: &Made) -> Vec<Pipeline> {
    made.schedule.blocks.values().filter_map(|block| block.pipeline.clone()).collect()
}

#[test]
fn a_sum_of_products_begins_an_iteration_each_cycle() {
    let all = kernel(MAC, &[20, 20], |random| {
        let n = u128::from(random.below(21));
        vec![elements(random, 16, 20), elements(random, 16, 20), Given::Number(32, n)]
    });
    let [pipeline] = &pipelines(&all[0])[..] else { panic!("one loop") };
    assert_eq!((pipeline.interval, pipeline.bound), (1, 1));
    assert_eq!(pipeline.limited_by, IntervalLimit::Nothing);
}

#[test]
fn what_is_written_waits_for_what_is_read_of_it() {
    let all = kernel(RUNNING, &[16], |random| vec![elements(random, 32, 16)]);
    // The element that an iteration writes is read by the next one, so no two can be closer.
    assert_eq!(pipelines(&all[0]).len(), 1);
    assert!(all.iter().flat_map(pipelines).all(|pipeline| pipeline.interval >= 2));
}

#[test]
fn what_an_iteration_needs_of_the_one_before_limits_the_interval() {
    let all = kernel(HASH, &[24], |random| vec![elements(random, 8, 24)]);
    // At the second target, product and sum take a cycle each.
    let [pipeline] = &pipelines(&all[2])[..] else { panic!("one loop") };
    assert_eq!((pipeline.interval, pipeline.bound), (2, 2));
    assert_eq!(pipeline.limited_by, IntervalLimit::Recurrence);
}

#[test]
fn arrays_inside_and_tables_are_memories_of_the_circuit() {
    let all = kernel(HISTOGRAM, &[32, 8], |random| vec![elements(random, 8, 32), elements(random, 32, 8)]);
    let report = &all[1].design.report;
    let table = report.memories.iter().find(|memory| memory.is_table).expect("a table");
    // The greatest square is 49.
    assert_eq!((table.length, table.bits), (8, 6));
    let counts = report.memories.iter().find(|memory| !memory.is_table).expect("counts");
    assert!(counts.bits <= 6, "no value occurs more than 32 times, and {} bits are there", counts.bits);
    assert_eq!(all[0].design.report.memories.iter().map(|memory| memory.bits).max(), Some(32));
}

#[test]
fn dividers_are_shared_and_values_of_the_last_iteration_stay() {
    let all = kernel(DIVIDING, &[8], |random| {
        let by = u128::from(random.number() as u32 >> random.below(32));
        vec![elements(random, 32, 8), Given::Number(32, by)]
    });
    assert!(pipelines(&all[0]).iter().all(|pipeline| pipeline.interval >= 2), "two divisions share one");
}

#[test]
fn nests_switches_and_calls_are_states() {
    kernel(NEST, &[16], |random| {
        let kind = u128::from(random.below(5));
        vec![elements(random, 16, 16), Given::Number(8, kind)]
    });
}

#[test]
fn what_cannot_be_a_circuit_is_refused_with_a_way_out() {
    let cases = [
        ("define i32 @run(i32 %n) {\nentry:\n  %r = call i32 @run(i32 %n)\n  ret i32 %r\n}", "calls itself"),
        (
            "declare i32 @puts(ptr)\ndefine i32 @run(ptr %s) {\nentry:\n  %r = call i32 @puts(ptr %s)\n  ret i32 %r\n}",
            "puts is called",
        ),
        ("define i32 @run(ptr %f) {\nentry:\n  %r = call i32 %f()\n  ret i32 %r\n}", "through a pointer"),
        ("define double @run(double %a) {\nentry:\n  ret double %a\n}", "type double"),
        ("define i32 @run(i256 %a) {\nentry:\n  ret i32 0\n}", "256 bits"),
        (
            "define i1 @run(ptr %p, ptr %q, i1 %c) {\nentry:\n  %r = select ptr i1 %c, ptr %p, ptr %q\n  %v = icmp eq i1 ptr %r, ptr %p\n  ret i1 %v\n}",
            "may lead to",
        ),
        (
            "define i128 @run(i128 %a, i128 %b) {\nentry:\n  %r = udiv i128 i128 %a, i128 %b\n  ret i128 %r\n}",
            "128 bits is divided",
        ),
        (
            "define i32 @run(ptr %p) {\nentry:\n  %q = load ptr, ptr %p\n  %a = load i32, ptr %q\n  ret i32 %a\n}",
            "pointer is kept in memory",
        ),
        ("define i32 @run(ptr %p) {\nentry:\n  %a = load volatile i32, ptr %p\n  ret i32 %a\n}", "volatile"),
    ];
    for (text, expected) in cases {
        let module =
            parse_module(&format!("{LAYOUT}{text}\n")).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = function_named(&module, "run").expect("run");
        let refusal = lower(&module, function, 16).expect_err(text);
        let words = refusal.to_string();
        assert!(words.contains(expected) && !refusal.remedy.is_empty(), "{words}");
    }
}

#[test]
fn a_wrong_schedule_is_noticed() {
    let module = parse_module(&format!("{LAYOUT}{RUNNING}")).expect("a module");
    let function = function_named(&module, "run").expect("run");
    let target: Target = targets().remove(0);
    let mut kernel = lower(&module, function, 16).expect("a kernel");
    let right = opcost_circuit::schedule(&mut kernel, &target, true);
    assert_eq!(opcost_circuit::check(&kernel, &target, &right), []);
    let mut noticed = 0;
    for node in kernel.nodes.ids() {
        for earlier in [true, false] {
            let mut wrong = right.clone();
            let Some(slot) = &mut wrong.slots[node] else { continue };
            if earlier && slot.cycle == 0 {
                continue;
            }
            let by = if earlier { u32::MAX } else { 1 };
            slot.cycle = slot.cycle.wrapping_add(by);
            slot.ready_cycle = slot.ready_cycle.wrapping_add(by);
            noticed += usize::from(!opcost_circuit::check(&kernel, &target, &wrong).is_empty());
        }
    }
    assert!(noticed >= 6, "{noticed} of the wrong schedules were noticed");
    let mut wrong = right.clone();
    for block in wrong.blocks.values_mut() {
        if let Some(pipeline) = &mut block.pipeline {
            pipeline.interval -= 1;
        }
    }
    assert_ne!(opcost_circuit::check(&kernel, &target, &wrong), []);
}
