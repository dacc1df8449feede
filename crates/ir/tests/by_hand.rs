//! Does a text that people write mean what they mean?
//!
//! Without tables, with LLVM's own punctuation where it helps; and errors name
//! the line and what should stand there.

use opcost_index::Id;
use opcost_ir::{
    Access, ConstantValue, Contents, DeclarationId, Flags, GlobalId, LatchFacts, Linkage, MemoryEffects,
    ScalarValue, TailKind, Value, parse_module, print_module,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

const BY_HAND: &str = r#"
; As people write it: no tables, LLVM's own punctuation where it helps.
declare @puts
define internal i32 @count(i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  tail call i32 @puts(ptr @text) nounwind
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done !weights 9 1 ; mostly stays
done:
  switch i32 %n, label %a [ i32 1, label %b  2, label %b ]
a:
  %r = invoke i32 @puts(ptr null) to label %b unwind label %b
b:
  ret i32 0
}
"#;

#[test]
fn a_text_by_hand_reads_and_prints() {
    let module = parse_module(BY_HAND).expect("it is well-formed");
    let function = &module.functions[FunctionId::new(0)];
    assert_eq!(function.linkage, Linkage::Local);
    assert_eq!(function.blocks[BlockId::new(2)].successors.len(), 3);
    assert_eq!(function.blocks[BlockId::new(1)].weights, Some(vec![9, 1]));
    let (call, facts) = function.calls[0];
    assert_eq!(call, InstructionId::new(3));
    assert_eq!((facts.tail, facts.is_nounwind, facts.is_willreturn), (TailKind::Tail, true, false));
    let printed = print_module(&module);
    assert_eq!(parse_module(&printed), Ok(module));
    assert!(printed.contains("  br %more, label %loop, label %done !weights 9 1\n"), "{printed}");
    assert!(printed.contains("  switch i32 %n, label %a, 1, label %b, 2, label %b\n"), "{printed}");
}

#[test]
fn errors_name_line_and_what_was_expected() {
    let error = |text: &str| parse_module(text).expect_err("it is not well-formed").to_string();
    let body = |line: &str| error(&format!("define void @f() {{\nentry:\n  {line}\n}}\n"));
    assert_eq!(body("fro"), "line 3: expected an opcode, found 'fro'");
    assert_eq!(body("br label %nowhere"), "line 3: expected a value of this function, found '%nowhere'");
    assert_eq!(
        body("call void @g()"),
        "line 3: expected a function that is defined or declared (or ptr c\"@name\"), found '@g'"
    );
    assert_eq!(body("br label %entry"), "line 3: expected no branch to the entry, found block0");
    assert_eq!(body("fence"), "line 3: expected one terminator, at the end of the block, found fence");
    assert_eq!(
        error("define void @f() {"),
        "line 1: expected a line '}' after the function, found the end of the line"
    );
    assert_eq!(
        error("\nfoo"),
        "line 2: expected 'define', 'declare', 'global', 'alias', 'ifunc', 'constructor', 'destructor', 'metadata', 'type', \
         'constant', 'place', 'producer', 'file', 'source', 'triple', 'data_layout', 'tag_type', 'tag' or 'assembly', found 'foo'"
    );
}

const FACTS: &str = r#"
; Everything that is said of instructions, calls, functions, data and types.
data_layout "e-p:64:64-i64:64"
tag "int", "char", "C"
tag "S" 8, "int" access, "char", "C" constant
global internal @x type { i32, ptr, ptr } constant = { 0: i32 -5, 8: ptr @y +4, 16: ptr @f }
global @y type [4 x i32] thread_local = { } incomplete !name "grid" !member 0 "nx" !member 8 "ny"
global external @z type i32
declare noalias ptr @malloc(i64 noundef) nounwind willreturn memory(inaccessiblemem: readwrite)
declare @peek(readonly nocapture, _, byval(i64)) memory(argmem: read)
declare @far memory(argmem: read, target_mem0: write)
define i32 @f(ptr noalias noundef %p !name "a", i32 %n) nounwind mustprogress willreturn memory(read, argmem: none) !name "kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ] !name "i"
  %at = getelementptr inbounds nuw i32, ptr %p, i32 %i
  %v = load volatile i32, ptr %at !tag 1
  %w = load atomic i32, ptr %at
  %wide = zext nneg i64 %v
  %half = lshr exact i32 %v, 1
  %both = or disjoint i32 %v, 1
  store i32 7, ptr @y+8 !tag 0
  call void @peek(ptr %p, i32 1, ptr %p)
  call void @peek(ptr %p, i32 1, ptr %p) nounwind memory(none)
  %next = add nuw nsw i32 %i, 1
  %more = icmp samesign ult i32 %next, %n
  br i1 %more, label %loop, label %done !weights 9 1 !loop mustprogress unrolled
done:
  ret i32 %v
}
"#;

#[test]
fn facts_by_hand_read_as_they_are_meant() {
    let module = parse_module(FACTS).expect("it is well-formed");
    let function = &module.functions[FunctionId::new(0)];
    let flags = |name: &str| {
        let named = function.names.iter().filter(|(_, known)| ***known == *name);
        let results = named.filter_map(|(value, _)| match value {
            Value::Instruction(id) => Some(*id),
            _ => None,
        });
        let id = results.last().expect("a named result");
        function.instructions[id].flags
    };
    let inbounds = Flags::INBOUNDS.with(Flags::NSW).with(Flags::NUW);
    assert_eq!((flags("at"), flags("next")), (inbounds, Flags::NUW.with(Flags::NSW)));
    assert_eq!((flags("v"), flags("w")), (Flags::VOLATILE, Flags::ATOMIC));
    assert_eq!((flags("wide"), flags("half"), flags("both")), (Flags::NNEG, Flags::EXACT, Flags::DISJOINT));
    assert_eq!((flags("more"), flags("i")), (Flags::SAMESIGN, Flags::NONE));
    let (by_callee, by_site) = (function.calls[0].1.memory, function.calls[1].1.memory);
    assert_eq!(by_callee, MemoryEffects { argument: Access::READ, ..MemoryEffects::NONE });
    assert_eq!(by_site, MemoryEffects::NONE);
    assert_eq!(function.memory.argument, Access::NONE);
    assert_eq!(function.memory.other, Access::READ);
    let latch = LatchFacts { must_progress: true, is_vectorized: false, is_unrolled: true };
    assert_eq!(function.blocks[BlockId::new(1)].latch, latch);
    assert_eq!(function.source_names[&Value::Argument(0)], "a".into());
    assert!(function.parameter_facts[0].is_noalias && !function.parameter_facts[1].is_noalias);
    let malloc = &module.declarations[DeclarationId::new(0)];
    assert!(malloc.returns_noalias && malloc.is_willreturn && !malloc.memory.other.reads);
    let far = module.declarations[DeclarationId::new(2)].memory;
    assert_eq!((far.argument, far.inaccessible, far.other), (Access::READ, Access::NONE, Access::WRITE));
    let peek = &module.declarations[DeclarationId::new(1)].parameter_facts;
    assert!(peek[0].is_readonly && peek[0].is_nocapture && peek[2].byval.is_some() && peek.len() == 3);
}

#[test]
fn data_by_hand_reads_as_it_is_meant() {
    let module = parse_module(FACTS).expect("it is well-formed");
    let [x, y, z] = [0, 1, 2].map(|position| &module.globals[GlobalId::new(position)]);
    let values: Vec<ScalarValue> =
        x.contents.as_ref().expect("contents").scalars.iter().map(|&(_, _, value)| value).collect();
    let y_and_four = ConstantValue::Global { global: GlobalId::new(1), offset: 4 };
    assert_eq!(
        values,
        [
            ScalarValue::Constant(ConstantValue::Integer(0xffff_fffb)),
            ScalarValue::Constant(y_and_four),
            ScalarValue::Function(Value::Function(FunctionId::new(0))),
        ]
    );
    assert_eq!(y.contents, Some(Contents { scalars: vec![], is_complete: false }));
    assert!(x.is_constant && y.is_thread_local && z.is_declared && !x.is_declared);
    assert_eq!((y.source_name.as_deref(), y.members.len()), (Some("grid"), 2));
    let store = module.constants.values().find(|constant| &*constant.text == "@y+8").expect("an operand");
    assert_eq!(store.value, ConstantValue::Global { global: GlobalId::new(1), offset: 8 });
    assert_eq!(parse_module(&print_module(&module)), Ok(module));
}

#[test]
fn a_module_that_promises_what_cannot_be_is_refused() {
    let wrong = |line: &str| parse_module(line).expect_err(line).expected;
    let body = |line: &str| wrong(&format!("define void @f(ptr %p) {{\na:\n  {line}\n  ret void\n}}\n"));
    assert_eq!(body("%v = load i32, ptr %p !tag 3"), "a tag of the table, at an access");
    assert_eq!(wrong("global @x type i32 = { 0: i8 256 }"), "a value of this type");
    assert_eq!(wrong("global @x type i32 = { 4: i8 1, 0: i8 1 }"), "scalars one after the other");
    assert_eq!(wrong("global @x type i32 = { 0: ptr global 7 }"), "data of the table");
    assert_eq!(wrong("tag 4"), "types of the tags' table");
    assert_eq!(wrong("declare @f memory(read, other: none)"), "'argmem', 'inaccessiblemem' or 'errnomem'");
    assert_eq!(body("fence !tag 0"), "'!at' or '!name'");
}
