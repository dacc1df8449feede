//! What LLVM's model of a processor says of machine blocks, and that asking it changes no code.

use opcost_llvm::{Emission, Maker, Scheduled, Session};

use super::scratch;

/// Two loops in functions of their own: additions that wait for each other, and one addition of each
/// of eight numbers.
const LOOPS: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
target triple = \"x86_64-pc-linux-gnu\"\n\
define double @chain(double %step, i64 %n) {\n\
start:\n  br label %loop\n\
loop:\n  %i = phi i64 [ 0, %start ], [ %next, %loop ]\n  %sum = phi double [ 0.0, %start ], [ %more, %loop ]\n\
  %more = fadd double %sum, %step\n  %next = add i64 %i, 1\n  %done = icmp eq i64 %next, %n\n\
  br i1 %done, label %end, label %loop\n\
end:\n  ret double %more\n}\n\
define i64 @edge(i1 %a, i1 %b, i64 %n) {\n\
start:\n  br i1 %a, label %join, label %other\n\
other:\n  br i1 %b, label %join, label %last\n\
join:\n  %x = phi i64 [ 1311768467463790320, %start ], [ %n, %other ]\n  br label %last\n\
last:\n  %y = phi i64 [ %x, %join ], [ 7, %other ]\n  ret i64 %y\n}\n";

fn scheduled(processor: &str, counts: &[u64]) -> Scheduled {
    scheduled_text(LOOPS, processor, counts)
}

fn scheduled_text(text: &str, processor: &str, counts: &[u64]) -> Scheduled {
    let folder = scratch();
    let path = folder.path().join("loops.ll");
    std::fs::write(&path, text).expect("a file");
    let mut session = Session::read(&path, Maker::Anyone).expect("a module");
    session.snapshot();
    let how = Emission { level: 2, ..Emission::default() };
    session.schedule(how, processor, counts, &[32768]).expect("a processor that LLVM knows")
}

/// A loop that adds to one number of an array and stores the sum in the next one; it goes to `to`.
const STORES: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
target triple = \"x86_64-pc-linux-gnu\"\n\
define void @store(ptr %from, ptr %to, double %step, i64 %n) {\n\
start:\n  br label %loop\n\
loop:\n  %i = phi i64 [ 0, %start ], [ %next, %loop ]\n  %next = add i64 %i, 1\n\
  %here = getelementptr double, ptr %from, i64 %i\n  %there = getelementptr double, ptr TO, i64 %next\n\
  %one = load double, ptr %here\n  %sum = fadd double %one, %step\n  store double %sum, ptr %there\n\
  %done = icmp eq i64 %next, %n\n  br i1 %done, label %end, label %loop\n\
end:\n  ret void\n}\n";

/// start, loop, end; start, other, join, last.
const COUNTS: [u64; 7] = [1, 1000, 1, 100, 60, 70, 100];

#[test]
fn what_one_iteration_needs_of_the_one_before_is_waited_for() {
    let found = scheduled("znver4", &COUNTS);
    let hottest = found.blocks.iter().find(|block| block.block == Some(1)).expect("the loop");
    assert_eq!(hottest.executions, 1000.0);
    // An addition of doubles has a latency of 3.
    assert!((hottest.cycles - 3.0).abs() < 0.1, "{hottest:?}");
    assert_eq!(hottest.rare, 1.0, "the loop is left once");
}

/// A switch over eight cases, which becomes a table of addresses, and a conditional branch behind it.
const SWITCH: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
target triple = \"x86_64-pc-linux-gnu\"\n\
declare void @work(i64)\n\
define void @choose(i64 %n, i1 %again) {\n\
start:\n  switch i64 %n, label %last [ i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d \
i64 4, label %e i64 5, label %f i64 6, label %g ]\n\
a:\n  call void @work(i64 11)\n  br label %last\nb:\n  call void @work(i64 23)\n  br label %last\n\
c:\n  call void @work(i64 37)\n  br label %last\nd:\n  call void @work(i64 41)\n  br label %last\n\
e:\n  call void @work(i64 59)\n  br label %last\nf:\n  call void @work(i64 61)\n  br label %last\n\
g:\n  call void @work(i64 73)\n  br label %last\n\
last:\n  br i1 %again, label %more, label %end\n\
more:\n  call void @work(i64 97)\n  br label %end\n\
end:\n  ret void\n}\n";

#[test]
fn the_target_of_an_indirect_jump_is_predicted() {
    let found = scheduled_text(SWITCH, "znver4", &[80, 10, 10, 10, 10, 10, 10, 10, 80, 30, 80]);
    // Of 80 calls ten are out of the table's range, and thirty do more at the end.
    let rare: Vec<f64> = found.blocks.iter().map(|block| block.rare).filter(|rare| *rare > 0.0).collect();
    assert_eq!(rare, [10.0, 30.0], "{:?}", found.blocks);
}

#[test]
fn a_load_waits_for_the_store_of_the_iteration_before() {
    let cycles = |to: &str| {
        let found = scheduled_text(&STORES.replace("TO", to), "znver4", &[1, 1000, 1]);
        found.blocks.iter().find(|block| block.block == Some(1)).expect("the loop").cycles
    };
    // A load of a double takes 7 cycles and the addition 3; the store adds its own.
    let (waits, apart) = (cycles("%from"), cycles("%to"));
    assert!((10.0..16.0).contains(&waits), "{waits}");
    assert!(apart < 3.0, "{apart}: an array that is not read again");
}

#[test]
fn the_processor_reaches_no_code() {
    let (one, other) = (scheduled("znver4", &COUNTS), scheduled("atom", &COUNTS));
    let code = |found: &Scheduled| -> Vec<_> {
        found.blocks.iter().map(|block| (block.function, block.block, block.instructions)).collect()
    };
    assert_eq!(code(&one), code(&other));
    let cycles =
        |found: &Scheduled| found.blocks.iter().map(|block| block.cycles * block.executions).sum::<f64>();
    assert!(cycles(&one) < cycles(&other), "an Atom is slower");
    let error = {
        let folder = scratch();
        let path = folder.path().join("loops.ll");
        std::fs::write(&path, LOOPS).expect("a file");
        let mut session = Session::read(&path, Maker::Anyone).expect("a module");
        session.snapshot();
        session
            .schedule(Emission::default(), "znver99", &COUNTS, &[])
            .expect_err("no such processor")
            .to_string()
    };
    assert!(error.contains("LLVM has no processor znver99 for x86_64"), "{error}");
}

#[test]
fn flow_is_kept_and_code_on_an_edge_has_the_count_of_its_edge() {
    let found = scheduled("znver4", &COUNTS);
    let blocks = found.blocks.iter().filter(|block| opcost_index::Id::index(block.function) == 1);
    let all: Vec<_> = blocks.collect();
    for block in &all {
        assert!(!block.is_guess, "{block:?}");
        match block.block {
            Some(3) | Some(6) => assert_eq!(block.executions, 100.0),
            Some(4) => assert_eq!(block.executions, 60.0),
            Some(5) => assert_eq!(block.executions, 70.0),
            // On the edges: 40 from the start to the join, 30 from the other to it or to the end.
            None => assert!([40.0, 30.0].contains(&block.executions), "{block:?}"),
            Some(other) => panic!("block {other} is another function's"),
        }
    }
    assert!(all.len() >= 2, "{all:?}");
}

#[test]
fn what_never_ran_is_not_told() {
    assert_eq!(scheduled("znver4", &[0; 7]), Scheduled::default());
}

/// Reads an array of `LENGTH` doubles ten times, every `STEP`th of them.
const SWEEP: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
target triple = \"x86_64-pc-linux-gnu\"\n\
@a = global [1048576 x double] zeroinitializer\n\
define double @sweep() {\n\
start:\n  br label %again\n\
again:\n  %k = phi i64 [ 0, %start ], [ %kk, %next ]\n  %s = phi double [ 0.0, %start ], [ %t, %next ]\n  br label %loop\n\
loop:\n  %i = phi i64 [ 0, %again ], [ %ii, %loop ]\n  %r = phi double [ %s, %again ], [ %t, %loop ]\n\
  %p = getelementptr inbounds double, ptr @a, i64 %i\n  %v = load double, ptr %p\n  %t = fadd double %r, %v\n\
  %ii = add nuw nsw i64 %i, STEP\n  %c = icmp ult i64 %ii, LENGTH\n  br i1 %c, label %loop, label %next\n\
next:\n  %kk = add nuw nsw i64 %k, 1\n  %d = icmp ult i64 %kk, 10\n  br i1 %d, label %again, label %end\n\
end:\n  ret double %t\n}\n";

/// Lines that are fetched from beyond 32 kB: in a row, and far from each other.
fn swept(length: u64, step: u64) -> (f64, f64) {
    let folder = scratch();
    let path = folder.path().join("sweep.ll");
    let text = SWEEP.replace("LENGTH", &length.to_string()).replace("STEP", &step.to_string());
    std::fs::write(&path, text).expect("a file");
    let mut session = Session::read(&path, Maker::Anyone).expect("a module");
    session.snapshot();
    let counts = [1, 10, 10 * length / step, 10, 1];
    let how = Emission { level: 2, ..Emission::default() };
    let found = session.schedule(how, "znver4", &counts, &[32768]).expect("a processor that LLVM knows");
    found.lines.first().map_or((0.0, 0.0), |lines| (lines.near, lines.far))
}

#[test]
fn lines_are_fetched_once_for_each_time_that_they_were_lost() {
    let (near, far) = swept(1 << 20, 1);
    assert!((near / (10.0 * f64::from(1 << 17)) - 1.0).abs() < 0.01 && far == 0.0, "{near} {far}");
    assert_eq!(swept(1000, 1), (0.0, 0.0), "what fits stays");
    // A line in each 4 kB: 2048 of them do not fit, and no prefetcher follows.
    assert_eq!(swept(1 << 20, 512), (0.0, 20480.0));
}
