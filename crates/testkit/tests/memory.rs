//! Does memory hold what was put there, and is it known by whom? Addresses,
//! accesses, calls, floats; each case against a result computed by hand.

mod running;

use opcost_index::Id;
use opcost_testkit::{
    Ended, Interpreter, Memory, ObservedUse, ObservedWriter, Reply, Scalar, Trap, function_named,
    nothing_known,
};
use running::{block, module, number, returned, run, trap};

#[test]
fn what_was_never_written_is_undefined() {
    let text = block("  %p = alloca i32\n  %v = load i32, ptr %p\n  %w = add i32 %v, 1\n  ret i32 %w");
    assert_eq!(returned(&text, &[]), Scalar::Undefined);
    let text = block(
        "  %p = alloca i32\n\
             %v = load i32, ptr %p\n\
             switch i32 %v, label %x, [1, label %x]\n\
             x:\n\
             ret i32 0",
    );
    let ended = run(&text, &[]).ended;
    assert!(matches!(ended, Ended::UndefinedUsed { how: ObservedUse::Branch, .. }), "{ended:?}");
}

#[test]
fn addresses_follow_the_layout() {
    let text = "data_layout \"e-i64:64\"
global @g type { i8, [4 x { i16, i64 }], ptr } = { 8: i16 -2, 16: i64 77, 56: i16 9, 72: ptr @g +16 }
define i64 @f(i32 %i) {
  %p = getelementptr inbounds { i8, [4 x { i16, i64 }], ptr }, ptr @g, i64 0, i32 1, i32 %i, i32 1
  %a = load i64, ptr %p
  %q = getelementptr inbounds { i8, [4 x { i16, i64 }], ptr }, ptr @g, i64 0, i32 2
  %r = load ptr, ptr %q
  %b = load i64, ptr %r
  %s = getelementptr i16, ptr %r, i64 -4
  %c = load i16, ptr %s
  %d = sext i64 i16 %c
  %x = add i64 %a, %b
  %y = add i64 %x, %d
  %t = getelementptr i8, ptr @g, i64 56
  %e = load i16, ptr %t
  %w = zext i64 i16 %e
  %z = mul i64 %y, %w
  ret i64 %z
}";
    assert_eq!(number(text, &[0]), (77 + 77 - 2) * 9);
    assert_eq!(number(text, &[1]), (77 - 2) * 9);
    // Behind the end of the data by more than nothing: `inbounds` is broken.
    let ended = run(text, &[5]).ended;
    assert!(matches!(ended, Ended::PoisonUsed { how: ObservedUse::Address, .. }), "{ended:?}");
}

#[test]
fn promises_of_addresses_are_kept_or_poison() {
    let at = |flags: &str, index: &str| {
        let lines = format!(
            "  %p = alloca [4 x i32]\n\
                 %q = getelementptr {flags} i32, ptr %p, i64 {index}\n\
                 %t = icmp uge ptr %q, %p\n\
                 %w = zext i32 i1 %t\n\
                 ret i32 %w"
        );
        returned(&block(&lines), &[])
    };
    assert_eq!(at("inbounds", "4"), Scalar::integer(32, 1));
    assert_eq!(at("inbounds", "5"), Scalar::Poison);
    assert_eq!(at("inbounds", "-1"), Scalar::Poison);
    assert_eq!(at("", "5"), Scalar::integer(32, 1));
    assert_eq!(at("", "-1"), Scalar::integer(32, 0));
    assert_eq!(at("nuw", "-1"), Scalar::Poison);
    assert_eq!(at("nusw", "-1"), Scalar::integer(32, 0));
    assert_eq!(at("nusw", "4611686018427387904"), Scalar::Poison);
    assert_eq!(at("nusw", "-4611686018427387904"), Scalar::Poison);
}

#[test]
fn pointers_survive_memory_and_numbers() {
    let text = block(
        "  %x = alloca i32
  %p = alloca ptr
  store ptr %x, ptr %p
  store i32 41, ptr %x
  %q = load ptr, ptr %p
  %n = ptrtoint i64 %q
  %m = add i64 %n, 0
  %r = inttoptr ptr %m
  %v = load i32, ptr %r
  %w = add i32 %v, 1
  ret i32 %w",
    );
    assert_eq!(number(&text, &[]), 42);
    let parts = block(
        "  %x = alloca i32
  store i32 287454020, ptr %x
  %p = getelementptr i8, ptr %x, i64 1
  %v = load i16, ptr %p
  %w = zext i32 i16 %v
  ret i32 %w",
    );
    // 0x11223344, little-endian.
    assert_eq!(number(&parts, &[]), 0x2233);
}

#[test]
fn floats_are_of_their_width() {
    let sum = |ty: &str, step: &str| {
        format!(
            "define i32 @f(i32 %n) {{
entry:
  br label %head
head:
  %x = phi {ty} [ 0.0, %entry ], [ %y, %head ]
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %y = fadd {ty} %x, {step}
  %j = add i32 %i, 1
  %t = fcmp olt {ty} %y, 1.0
  br i1 %t, label %head, label %done
done:
  ret i32 %j
}}"
        )
    };
    // Ten tenths are less than one as doubles, and more as floats.
    assert_eq!((number(&sum("double", "0.1"), &[0]), number(&sum("float", "0.1"), &[0])), (11, 10));
    let cast = |word: &str, value: &str| {
        returned(
            &block(&format!(
                "  %x = fadd double {value}, 0.0\n\
                     %r = {word} i8 %x\n\
                     %w = sext i32 i8 %r\n\
                     ret i32 %w"
            )),
            &[],
        )
    };
    assert_eq!(cast("fptosi", "-128.9"), Scalar::integer(32, 0xffff_ff80));
    assert_eq!(cast("fptosi", "-129.0"), Scalar::Poison);
    assert_eq!(cast("fptosi", "128.0"), Scalar::Poison);
    assert_eq!(cast("fptoui", "255.5"), Scalar::integer(32, 0xffff_ffff));
    assert_eq!(cast("fptoui", "-0.5"), Scalar::integer(32, 0));
    assert_eq!(cast("fptoui", "-1.0"), Scalar::Poison);
    assert_eq!(cast("fptosi", "0x7FF8000000000000"), Scalar::Poison);
}

const CALLS: &str = "
global @g type i32 = { 0: i32 3 }
declare i32 @outside(i32)
define internal i32 @square(i32 %x) {
  %y = mul i32 %x, %x
  store i32 %y, ptr @g
  ret i32 %y
}
define i32 @f(i32 %a, i32 %b) {
entry:
  %before = load i32, ptr @g
  %s = call i32 @square(i32 %a)
  %one = load i32, ptr @g
  store i32 %b, ptr @g
  %two = load i32, ptr @g
  %p = select ptr true, ptr @square, ptr null
  %i = call i32 %p(i32 5)
  %o = call i32 @outside(i32 %i)
  %x = add i32 %before, %one
  %y = add i32 %x, %two
  %z = add i32 %y, %o
  ret i32 %z
}";

#[test]
fn calls_lead_inside_and_outside() {
    let module = module(CALLS);
    let interpreter = Interpreter::new(&module).with_loads();
    let function = function_named(&module, "f").expect("f");
    let arguments = [Scalar::integer(32, 4), Scalar::integer(32, 100)];
    let mut outside = |memory: &mut Memory, name: &str, arguments: &[Scalar]| {
        assert_eq!((name, arguments), ("outside", [Scalar::integer(32, 25)].as_slice()));
        let global = memory.global(Id::new(0));
        Reply::Value(Scalar::integer(32, 1000 + memory.load_integer(global, 32).expect("written")))
    };
    let run = interpreter.run(function, &arguments, &mut outside);
    assert_eq!(run.ended, Ended::Returned(Some(Scalar::integer(32, 3 + 16 + 100 + 1025))));
    let own = run.loads[0].frame;
    let writers: Vec<_> =
        run.loads.iter().map(|load| run.writer_in(own, load.writers[0]).map(Id::index)).collect();
    // The data's own contents; the call; the store.
    assert_eq!(writers, [None, Some(1), Some(3)]);
    assert_eq!(run.loads[0].writers, [ObservedWriter::Initial; 4]);
    assert_eq!(run.frames.len(), 3);
    let unknown = interpreter.run(function, &arguments, &mut nothing_known).ended;
    assert!(matches!(unknown, Ended::Unsupported { .. }), "{unknown:?}");
}

#[test]
fn memory_of_a_function_ends_with_it() {
    let text = "define internal ptr @g() {\n  %p = alloca i32\n  store i32 1, ptr %p\n  ret ptr %p\n}
declare ptr @malloc(i64)
declare void @free(ptr)
define i32 @f(i32 %a) {
  %t = icmp eq i32 %a, 0
  br i1 %t, label %own, label %heap
own:
  %p = call ptr @g()
  %v = load i32, ptr %p
  ret i32 %v
heap:
  %q = call ptr @malloc(i64 4)
  store i32 7, ptr %q
  %w = load i32, ptr %q
  call void @free(ptr %q)
  %u = icmp eq i32 %a, 1
  br i1 %u, label %good, label %bad
good:
  ret i32 %w
bad:
  %x = load i32, ptr %q
  ret i32 %x
}";
    assert_eq!(
        (trap(text, &[0]), number(text, &[1]), trap(text, &[2])),
        (Trap::DeadObject, 7, Trap::DeadObject)
    );
}

#[test]
fn copies_and_fills_know_their_writer() {
    let text = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @f(i32 %a) {
  %x = alloca [8 x i8]
  %y = alloca [8 x i8]
  call void @llvm.memset.p0.i64(ptr %x, i8 1, i64 8, i1 false)
  store i8 9, ptr %x
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 2, i1 false)
  %p = getelementptr i8, ptr %y, i64 2
  store i16 0, ptr %p
  %v = load i32, ptr %y
  ret i32 %v
}";
    let run = run(text, &[0]);
    assert_eq!(run.ended, Ended::Returned(Some(Scalar::integer(32, 0x0109))));
    let frame = run.loads[0].frame;
    let writers: Vec<_> =
        run.loads[0].writers.iter().map(|&one| run.writer_in(frame, one).map(Id::index)).collect();
    assert_eq!(writers, [Some(4), Some(4), Some(6), Some(6)]);
}
