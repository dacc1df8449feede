//! Does control go where it must, and are loops told as they were gone round?
//! Each case against a result computed by hand.

mod running;

use opcost_index::Id;
use opcost_ir::Value;
use opcost_key::{BlockId, InstructionId};
use opcost_testkit::{
    Ended, Interpreter, LoopEnd, LoopShape, Memory, ObservedUse, Reply, Scalar, Trap, function_named,
    natural_loops,
};
use running::{block, module, number, returned, run, trap};

#[test]
fn phis_take_their_values_at_once() {
    // Fibonacci by swapping: one after the other it would double.
    let text = "define i32 @f(i32 %n) {
entry:
  br label %head
head:
  %x = phi i32 [ 0, %entry ], [ %y, %head ]
  %y = phi i32 [ 1, %entry ], [ %s, %head ]
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %s = add i32 %x, %y
  %j = add i32 %i, 1
  %t = icmp ult i32 %j, %n
  br i1 %t, label %head, label %done
done:
  ret i32 %x
}";
    assert_eq!(number(text, &[10]), 34);
    let run = run(text, &[10]);
    let [activation] = run.activations.as_slice() else { panic!("one loop, entered once") };
    assert_eq!((activation.back_edges, activation.header_executions), (9, 10));
    assert_eq!(activation.end, LoopEnd::Exit { from: BlockId::new(1), to: BlockId::new(2) });
    // br, ten turns of three phis and four more, ret.
    assert_eq!(run.steps, 1 + 10 * 7 + 1);
}

#[test]
fn poison_may_be_carried_but_not_decide() {
    let broken = "  %p = add nsw i32 2147483647, %a\n";
    assert_eq!(returned(&block(&format!("{broken}  ret i32 %p")), &[1, 0]), Scalar::Poison);
    assert_eq!(number(&block(&format!("{broken}  ret i32 %p")), &[0, 0]), 0x7fff_ffff);
    let masked = format!("{broken}  %q = and i32 %p, 0\n  ret i32 %q");
    assert_eq!(returned(&block(&masked), &[1, 0]), Scalar::Poison);
    let frozen = format!("{broken}  %q = freeze i32 %p\n  %r = and i32 %q, 0\n  ret i32 %r");
    assert_eq!(number(&block(&frozen), &[1, 0]), 0);
    let unchosen =
        format!("{broken}  %t = icmp eq i32 %b, 0\n  %r = select i32 %t, i32 7, i32 %p\n  ret i32 %r");
    assert_eq!(number(&block(&unchosen), &[1, 0]), 7);
    assert_eq!(returned(&block(&unchosen), &[1, 1]), Scalar::Poison);
    let decides =
        format!("{broken}  %t = icmp eq i32 %p, 0\n  br i1 %t, label %x, label %x\nx:\n  ret i32 1");
    let ended = run(&block(&decides), &[1, 0]).ended;
    assert!(matches!(ended, Ended::PoisonUsed { how: ObservedUse::Branch, .. }), "{ended:?}");
    let divides = format!("{broken}  %q = udiv i32 5, %p\n  ret i32 %q");
    let ended = run(&block(&divides), &[1, 0]).ended;
    assert!(matches!(ended, Ended::PoisonUsed { how: ObservedUse::Divisor, .. }), "{ended:?}");
    assert_eq!(returned(&block("  %s = shl i32 1, %a\n  ret i32 %s"), &[32, 0]), Scalar::Poison);
}

#[test]
fn traps_are_told_apart() {
    assert_eq!(trap(&block("  %q = sdiv i32 %a, %b\n  ret i32 %q"), &[1, 0]), Trap::DivisionByZero);
    let least = [0x8000_0000, 0xffff_ffff];
    assert_eq!(trap(&block("  %q = sdiv i32 %a, %b\n  ret i32 %q"), &least), Trap::DivisionOverflow);
    assert_eq!(trap(&block("  %q = srem i32 %a, %b\n  ret i32 %q"), &least), Trap::DivisionOverflow);
    assert_eq!(number(&block("  %q = sdiv i32 %a, %b\n  ret i32 %q"), &[0xffff_fff9, 2]), 0xffff_fffd);
    assert_eq!(number(&block("  %q = srem i32 %a, %b\n  ret i32 %q"), &[0xffff_fff9, 2]), 0xffff_ffff);
    assert_eq!(trap(&block("  unreachable"), &[]), Trap::Unreachable);
    assert_eq!(trap(&block("  %v = load i32, ptr null\n  ret i32 %v"), &[]), Trap::NullAccess);
    let wide = block("  %p = alloca i16\n  %v = load i32, ptr %p\n  ret i32 %v");
    assert_eq!(trap(&wide, &[]), Trap::OutOfBounds);
    let constant = format!(
        "global @c type i32 constant = {{ 0: i32 5 }}\n{}",
        block("  store i32 1, ptr @c\n  ret i32 0")
    );
    assert_eq!(trap(&constant, &[]), Trap::ConstantWritten);
    let assumes = "declare void @llvm.assume(i1)\n\
         define i32 @f(i32 %a) {\n\
         %t = icmp eq i32 %a, 3\n\
         call void @llvm.assume(i1 %t)\n\
         ret i32 1\n\
         }";
    assert_eq!((trap(assumes, &[4]), number(assumes, &[3])), (Trap::AssumptionFalse, 1));
}

#[test]
fn switches_take_the_case_or_the_default() {
    let text = block(
        "  switch i32 %a, label %other, [5, label %five, -1, label %most, 6, label %five]
five:
  ret i32 50
most:
  ret i32 99
other:
  ret i32 0",
    );
    assert_eq!([5, 6, 0xffff_ffff, 7].map(|a| number(&text, &[a])), [50, 50, 99, 0]);
}

/// A triangular nest: the inner loop goes round i times.
const NEST: &str = "declare void @tell(i32)
define i32 @f(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %t = icmp ult i32 %i, %n
  br i1 %t, label %inner, label %done
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %body ]
  %u = icmp ult i32 %k, %i
  br i1 %u, label %body, label %latch
body:
  call void @tell(i32 %k)
  %k1 = add i32 %k, 1
  br label %inner
latch:
  %i1 = add i32 %i, 1
  br label %outer
done:
  ret i32 %i
}";

#[test]
fn activations_come_in_order_with_their_parents() {
    let module = module(NEST);
    let function = function_named(&module, "f").expect("f");
    let loops = natural_loops(function, &module.functions[function]);
    let members: Vec<usize> = loops.iter().map(|shape| shape.members.len()).collect();
    assert_eq!(members, [4, 2]);
    let counters = [InstructionId::new(1), InstructionId::new(4)].map(Value::Instruction);
    let loops: Vec<LoopShape> =
        loops.into_iter().map(|shape| LoopShape { watched: counters.to_vec(), ..shape }).collect();
    let interpreter = Interpreter::new(&module).with_loops(loops);
    let mut silent = |_: &mut Memory, _: &str, _: &[Scalar]| Reply::Nothing;
    let run = interpreter.run(function, &[Scalar::integer(32, 3)], &mut silent);
    let seen: Vec<_> = run.activations.iter().map(|one| (one.shape, one.parent, one.back_edges)).collect();
    assert_eq!(seen, [(0, None, 3), (1, Some(0), 0), (1, Some(0), 1), (1, Some(0), 2)]);
    let at = |activation: usize| -> Vec<Vec<Option<u128>>> {
        let values = &run.activations[activation].watched;
        values.iter().map(|row| row.iter().map(|one| one.as_ref().and_then(Scalar::bits)).collect()).collect()
    };
    // The inner counter is that of the last time, from the outer loop's view.
    assert_eq!(at(0), [[Some(0), None], [Some(1), Some(0)], [Some(2), Some(1)], [Some(3), Some(2)]]);
    assert_eq!(at(3), [[Some(2), Some(0)], [Some(2), Some(1)], [Some(2), Some(2)]]);
    // An exception in the third turn: both are cut off.
    let mut throwing = |_: &mut Memory, _: &str, arguments: &[Scalar]| match arguments[0].bits() {
        Some(1) => Reply::Unwind,
        _ => Reply::Nothing,
    };
    let run = interpreter.run(function, &[Scalar::integer(32, 9)], &mut throwing);
    assert_eq!(run.ended, Ended::Unwound);
    let seen: Vec<_> = run.activations.iter().map(|one| (one.back_edges, one.is_complete())).collect();
    assert_eq!(seen, [(2, false), (0, true), (1, true), (1, false)]);
}

#[test]
fn a_long_jump_leaves_loops_on_its_way() {
    let text = "declare i32 @setjmp(ptr)
declare void @longjmp(ptr, i32)
define internal void @g(ptr %b, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %on ]
  %t = icmp eq i32 %i, %n
  br i1 %t, label %away, label %on
on:
  %j = add i32 %i, 1
  br label %head
away:
  call void @longjmp(ptr %b, i32 5)
  unreachable
}
define i32 @f(i32 %n) {
entry:
  %b = alloca [200 x i8]
  %r = call i32 @setjmp(ptr %b) returns_twice
  %t = icmp eq i32 %r, 0
  br i1 %t, label %head, label %done
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %j = add i32 %i, 1
  call void @g(ptr %b, i32 %n)
  br label %head
done:
  ret i32 %r
}";
    assert_eq!(number(text, &[3]), 5);
    let run = run(text, &[3]);
    let [activation] = run.activations.as_slice() else { panic!("one activation of f's loop") };
    assert_eq!((activation.back_edges, activation.end), (0, LoopEnd::Abandoned));
}

#[test]
fn exceptions_end_at_the_next_invoke() {
    let text = "declare void @throw()
define internal void @g() {\n  call void @throw()\n  ret void\n}
define i32 @f(i32 %a) {
entry:
  invoke void @g() to label %normal unwind label %pad
normal:
  ret i32 1
pad:
  ret i32 2
}";
    let module = module(text);
    let function = function_named(&module, "f").expect("f");
    let interpreter = Interpreter::new(&module);
    for (reply, expected) in [(Reply::Nothing, 1), (Reply::Unwind, 2)] {
        let run = interpreter.run(function, &[], &mut |_, _, _| reply.clone());
        assert_eq!(run.ended, Ended::Returned(Some(Scalar::integer(32, expected))));
    }
    let run = interpreter.run(function, &[], &mut |_, _, _| Reply::Stop);
    assert_eq!(run.ended, Ended::Stopped);
}

#[test]
fn runs_without_end_are_cut_off() {
    let run = run("define i32 @f() {\nentry:\n  br label %x\nx:\n  br label %x\n}", &[]);
    assert_eq!((run.ended, run.steps), (Ended::StepsUsedUp, 10_000));
    assert_eq!((run.activations[0].header_executions, run.activations[0].is_complete()), (9_999 + 1, false));
}

#[test]
fn depth_without_end_is_cut_off() {
    let ended = run("define i32 @f(i32 %a) {\n  %r = call i32 @f(i32 %a)\n  ret i32 %r\n}", &[1]).ended;
    assert_eq!(ended, Ended::RoomUsedUp);
}
