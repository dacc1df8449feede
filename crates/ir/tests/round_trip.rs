//! Does a module come back from its text as it was?
//!
//! Random small modules are drawn from bytes, so that proptest makes failing
//! ones smaller; they hold odd names, doubled constants, every opcode shape
//! and all facts of calls. Texts that were damaged must not make the parser
//! panic, whatever else it says of them.

use std::collections::HashMap;

use opcost_index::{Id, IdMap};
use opcost_ir::{
    Access, Block, Call, CalleeRef, Constant, ConstantId, ConstantValue, Contents, Declaration,
    DeclarationId, Flags, Flow, Function, Global, GlobalId, GlobalKind, Initializer, Instruction, LatchFacts,
    Linkage, MemoryEffects, Module, Opcode, ParameterFacts, Predicate, ScalarValue, Tag, TagId, TagTypeId,
    TailKind, Type, TypeId, Value, parse_module, print_module, verify,
};
use opcost_key::{BlockId, FileId, FunctionId, InstructionId, Place, PlaceId};
use proptest::prelude::*;

/// Decisions, taken from bytes; zeros when they run out.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % bound
    }
    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }
    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

const VOID: usize = 0;
const I1: usize = 1;
const I32: usize = 2;
const PTR: usize = 3;
const LAST_VALUE_TYPE: usize = 10;
const FUNCTION: usize = 11;
const DOUBLE: usize = 15;

fn types() -> IdMap<TypeId, Type> {
    let id = TypeId::new;
    let named = Type::Struct { name: Some("struct a b".into()), fields: vec![id(I32)], packed: true };
    IdMap::from_vec(vec![
        Type::Void,
        Type::Integer(1),
        Type::Integer(32),
        Type::Pointer(0),
        Type::Float("x86_fp80"),
        Type::Pointer(5),
        Type::Array(3, id(I32)),
        Type::Vector { length: 4, scalable: true, element: id(I1) },
        Type::Struct { name: None, fields: vec![], packed: false },
        named,
        Type::Struct { name: Some("x".into()), fields: vec![id(6), id(9)], packed: false },
        Type::Function(id(I32), vec![id(I32), id(PTR)], true),
        Type::Function(id(VOID), vec![], false),
        Type::Other("metadata".into()),
        Type::Other("target(\"a\", i32)".into()),
        Type::Float("double"),
    ])
}

const LINKAGES: &[Linkage] = &[Linkage::Exact, Linkage::Local, Linkage::Replaceable, Linkage::Elsewhere];

const TEXTS: &[&str] = &[
    "0",
    "-7",
    "1.5e+00",
    "true",
    "null",
    "asm",
    "@g",
    "@f0",
    "@d 1",
    "@g+8",
    "@a ;b-8",
    "c\"a;\\\n",
    "metadata",
    "poison",
    "zeroinitializer",
];

fn module(choices: &mut Choices<'_>) -> Module {
    let mut module = Module {
        source_name: choices.of(&["", "a \"b\".c"]).into(),
        triple: choices.of(&["", "x86_64"]).into(),
        data_layout: choices.of(&["", "e-p:32:32"]).into(),
        types: types(),
        has_module_assembly: choices.yes(),
        ..Module::default()
    };
    for position in 0..choices.below(3) {
        module.files.push(format!("file{position}.c"));
        module.places.push(Place {
            file: FileId::new(position),
            line: choices.below(9) as u32,
            column: choices.below(9) as u32,
            inlined_function: choices.yes().then(|| "f;".to_owned()),
            inlined_at: (position > 0 && choices.yes()).then(|| PlaceId::new(0)),
        });
    }
    // Declarations and data first: constants are made of them.
    for name in ["llvm.x", "d 1"] {
        module.declarations.push(declaration(choices, name));
    }
    let names = ["g", "f0", "a ;b", "g"].iter().take(choices.below(5));
    let count = names.len();
    for name in names {
        let global = global(choices, &module, name, count);
        module.globals.push(global);
    }
    for _ in 0..8 {
        let ty = TypeId::new(1 + choices.below(LAST_VALUE_TYPE));
        let value = constant_value(choices, &module.types[ty], count);
        module.constants.push(Constant { ty, text: choices.of(TEXTS).into(), value });
    }
    for name in ["int", "a \"b", "int", "root"].iter().take(choices.below(5)) {
        module.tag_types.push((*name).into());
    }
    for _ in 0..if module.tag_types.is_empty() { 0 } else { choices.below(3) } {
        let steps = 1 + choices.below(3);
        let mut step = || (TagTypeId::new(choices.below(module.tag_types.len())), choices.below(9) as u64);
        let steps: Vec<_> = (0..steps).map(|_| step()).collect();
        let access = choices.below(steps.len()) as u32;
        module.tags.push(Tag { steps, access, is_constant: choices.yes() });
    }
    for priority in 0..choices.below(3) as u32 {
        let functions = [
            None,
            Some(Value::Function(FunctionId::new(0))),
            Some(Value::Declaration(DeclarationId::new(1))),
        ];
        let function = choices.of(&functions);
        module.initializers.push(Initializer { priority, function, at_end: choices.yes() });
    }
    module.metadata = choices.of(&[vec![], vec!["llvm.ident".into()]]);
    let count = 1 + choices.below(2);
    for position in 0..count {
        let function = function(choices, &module, position, count);
        module.functions.push(function);
    }
    module
}

fn access(choices: &mut Choices<'_>) -> Access {
    Access { reads: choices.yes(), writes: choices.yes() }
}

fn effects(choices: &mut Choices<'_>) -> MemoryEffects {
    let argument = access(choices);
    let other = access(choices);
    let inaccessible = access(choices);
    choices.of(&[
        MemoryEffects::UNKNOWN,
        MemoryEffects { argument, inaccessible, errno: other, other },
        MemoryEffects { argument: other, inaccessible: other, errno: argument, other },
    ])
}

fn parameter(choices: &mut Choices<'_>) -> ParameterFacts {
    ParameterFacts {
        is_noalias: choices.yes(),
        is_nocapture: choices.yes(),
        is_readonly: choices.yes(),
        is_writeonly: choices.yes(),
        is_readnone: choices.yes(),
        is_noundef: choices.yes(),
        is_sret: choices.yes(),
        byval: choices.yes().then(|| TypeId::new(1 + choices.below(LAST_VALUE_TYPE))),
    }
}

fn declaration(choices: &mut Choices<'_>, name: &str) -> Declaration {
    let parameters = choices.below(3);
    Declaration {
        name: name.into(),
        is_intrinsic: choices.yes(),
        is_nounwind: choices.yes(),
        is_willreturn: choices.yes(),
        is_noreturn: choices.yes(),
        memory: effects(choices),
        returns_noalias: choices.yes(),
        parameter_facts: (0..parameters).map(|_| parameter(choices)).collect(),
    }
}

/// One that this type can have, of a module with so many globals.
fn constant_value(choices: &mut Choices<'_>, ty: &Type, globals: usize) -> ConstantValue {
    let own = match ty {
        Type::Integer(1) => ConstantValue::Integer(choices.below(2) as u128),
        Type::Integer(_) => ConstantValue::Integer(choices.below(9) as u128 * 0x1234_5678),
        Type::Pointer(_) if globals > 0 => {
            let global = GlobalId::new(choices.below(globals));
            ConstantValue::Global { global, offset: choices.below(5) as i64 * 8 - 16 }
        }
        Type::Pointer(_) => ConstantValue::Null,
        Type::Array(..) | Type::Vector { .. } | Type::Struct { .. } => ConstantValue::Zero,
        _ => ConstantValue::Undef,
    };
    choices.of(&[own, own, ConstantValue::Undef, ConstantValue::Poison, ConstantValue::Other])
}

fn contents(choices: &mut Choices<'_>, module: &Module, globals: usize) -> Contents {
    let scalars = (0..choices.below(3) as u64).map(|position| {
        let ty = TypeId::new(choices.of(&[I1, I32, PTR, DOUBLE]));
        let value = match (&module.types[ty], choices.below(3)) {
            (Type::Pointer(_), 0) => ScalarValue::Function(Value::Function(FunctionId::new(0))),
            (Type::Pointer(_), 1) => ScalarValue::Function(Value::Declaration(DeclarationId::new(1))),
            (Type::Float(_), _) => ScalarValue::Constant(ConstantValue::Float(f64::to_bits(-1.5))),
            (ty, _) => ScalarValue::Constant(constant_value(choices, ty, globals)),
        };
        (position * 8, ty, value)
    });
    Contents { scalars: scalars.collect(), is_complete: choices.yes() }
}

fn global(choices: &mut Choices<'_>, module: &Module, name: &str, globals: usize) -> Global {
    let kinds = [GlobalKind::Variable, GlobalKind::Alias, GlobalKind::Resolver];
    Global {
        name: name.into(),
        kind: choices.of(&kinds),
        linkage: choices.of(LINKAGES),
        section: choices.yes().then(|| "a \"b".into()),
        place: place(choices, module),
        leads_into_code: choices.yes(),
        gives_away_blocks: choices.yes(),
        ty: TypeId::new(1 + choices.below(LAST_VALUE_TYPE)),
        is_constant: choices.yes(),
        is_thread_local: choices.yes(),
        is_declared: choices.yes(),
        contents: choices.yes().then(|| contents(choices, module, globals)),
        source_name: choices.yes().then(|| "a \"b".into()),
        members: choices.of(&[vec![], vec![(0, "first".into()), (8, "a \"b".into())]]),
    }
}

fn function(choices: &mut Choices<'_>, module: &Module, position: usize, functions: usize) -> Function {
    let ty = FUNCTION + choices.below(2);
    let parameters = if ty == FUNCTION { 2 } else { 0 };
    let mut function = Function {
        name: format!("f{position}"),
        linkage: choices.of(LINKAGES),
        ty: TypeId::new(ty),
        place: place(choices, module),
        is_nounwind: choices.yes(),
        is_naked: choices.yes(),
        is_coroutine: choices.yes(),
        is_cold: choices.yes(),
        is_must_progress: choices.yes(),
        is_willreturn: choices.yes(),
        memory: effects(choices),
        is_address_taken: choices.yes(),
        is_called_oddly: choices.yes(),
        section: choices.yes().then(|| ".text.a".into()),
        marks: choices.of(&[vec![], vec!["frame-pointer".into(), "a \"b\"".into()]]),
        parameters,
        parameter_facts: (0..parameters).map(|_| parameter(choices)).collect(),
        blocks: IdMap::new(),
        instructions: IdMap::new(),
        calls: Vec::new(),
        operands: Vec::new(),
        names: HashMap::new(),
        source_names: HashMap::new(),
        source_name: choices.yes().then(|| "f \"0".into()),
    };
    if parameters > 0 && choices.yes() {
        function.source_names.insert(Value::Argument(1), "a \"b".into());
    }
    let blocks = 1 + choices.below(4);
    let mut values: Vec<Value> = (0..function.parameters).map(Value::Argument).collect();
    values.extend((0..8).map(|id| Value::Constant(ConstantId::new(id))));
    values.extend((0..functions).map(|id| Value::Function(FunctionId::new(id))));
    values.push(Value::Declaration(opcost_ir::DeclarationId::new(1)));
    for block in 0..blocks {
        let start = function.instructions.len() as u32;
        for opcode in body(choices) {
            instruction(choices, module, &mut function, &mut values, opcode, blocks);
        }
        let last = &function.instructions.values().next_back().expect("a terminator was made");
        let operands = last.operands.start as usize..last.operands.end as usize;
        let targets = function.operands[operands].iter();
        let successors: Vec<BlockId> = targets
            .filter_map(|value| if let Value::Block(target) = value { Some(*target) } else { None })
            .collect();
        let weights = choices.yes().then(|| successors.iter().map(|_| choices.below(9) as u32).collect());
        let flow = Flow::of(last.opcode);
        let end = function.instructions.len() as u32;
        function.blocks.push(Block {
            instructions: start..end,
            successors,
            flow,
            weights,
            latch: latch(choices),
        });
        if choices.yes() {
            function.names.insert(Value::Block(BlockId::new(block)), format!("block {block}").into());
        }
    }
    function
}

fn latch(choices: &mut Choices<'_>) -> LatchFacts {
    LatchFacts { must_progress: choices.yes(), is_vectorized: choices.yes(), is_unrolled: choices.yes() }
}

fn flags(choices: &mut Choices<'_>, opcode: Opcode) -> Flags {
    let mut flags = Flags::implied(opcode);
    for &(flag, _) in Flags::words(opcode) {
        if choices.yes() {
            flags = flags.with(flag);
        }
    }
    if flags.has(Flags::INBOUNDS) { flags.with(Flags::NSW) } else { flags }
}

fn place(choices: &mut Choices<'_>, module: &Module) -> Option<PlaceId> {
    (!module.places.is_empty() && choices.yes()).then(|| PlaceId::new(choices.below(module.places.len())))
}

/// Opcodes of a block: phis, others, a terminator.
fn body(choices: &mut Choices<'_>) -> Vec<Opcode> {
    let all = |is_wanted: fn(Opcode) -> bool| -> Vec<Opcode> {
        Opcode::ALL.iter().copied().filter(|&opcode| is_wanted(opcode)).collect()
    };
    let mut opcodes = vec![Opcode::Phi; choices.below(2)];
    for _ in 0..choices.below(3) {
        opcodes.push(choices.of(&all(|opcode| !opcode.is_terminator() && opcode != Opcode::Phi)));
        if choices.yes() {
            opcodes.push(Opcode::Call);
        }
    }
    opcodes.push(choices.of(&all(Opcode::is_terminator)));
    opcodes
}

fn instruction(
    choices: &mut Choices<'_>,
    module: &Module,
    function: &mut Function,
    values: &mut Vec<Value>,
    opcode: Opcode,
    blocks: usize,
) {
    use Opcode::*;
    let id = function.instructions.next_id();
    let start = function.operands.len() as u32;
    // The entry has no predecessors; with one block there are no branches.
    let target = |choices: &mut Choices<'_>| Value::Block(BlockId::new(1 + choices.below(blocks.max(2) - 1)));
    let opcode = match opcode {
        _ if blocks > 1 || !opcode.is_terminator() => opcode,
        _ => Ret,
    };
    let count = choices.below(3);
    match opcode {
        Phi => {
            for _ in 0..count {
                let value = choices.of(values);
                let from = Value::Block(BlockId::new(choices.below(blocks)));
                function.operands.extend([value, from]);
            }
        }
        _ => function.operands.extend((0..count).map(|_| choices.of(values))),
    }
    let successors = match opcode {
        Br => 1 + choices.below(2),
        Switch | CallBr | CatchRet => 1 + choices.below(3),
        Invoke => 2,
        IndirectBr | CatchSwitch | CleanupRet => choices.below(3),
        _ => 0,
    };
    function.operands.extend((0..successors).map(|_| target(choices)));
    if opcode.is_call() {
        let callee = choices.of(values);
        function.operands.push(callee);
        function.calls.push((id, call(choices, opcode)));
    }
    let operands = start..function.operands.len() as u32;
    let second = match opcode {
        Ret => !operands.is_empty(),
        _ => matches!(opcode, Alloca | GetElementPtr | ICmp | FCmp | Store | Switch),
    };
    let is_void = matches!(opcode, Br | IndirectBr | Resume | Unreachable | CleanupRet | CatchRet | Fence)
        || (opcode == Ret && !second);
    let ty = if is_void { VOID } else { choices.of(&[VOID, I1, PTR, 6, LAST_VALUE_TYPE]) };
    let integer = || Predicate::ALL.iter().copied().filter(|one| !one.is_float()).collect::<Vec<_>>();
    let float = || Predicate::ALL.iter().copied().filter(|one| one.is_float()).collect::<Vec<_>>();
    let predicate = match opcode {
        ICmp => Some(choices.of(&integer())),
        FCmp => Some(choices.of(&float())),
        _ => None,
    };
    function.instructions.push(Instruction {
        opcode,
        predicate,
        ty: TypeId::new(ty),
        second_type: second.then(|| TypeId::new(1 + choices.below(LAST_VALUE_TYPE))),
        operands,
        flags: flags(choices, opcode),
        tag: (matches!(opcode, Load | Store) && !module.tags.is_empty() && choices.yes())
            .then(|| TagId::new(choices.below(module.tags.len()))),
        place: place(choices, module),
    });
    if ty != VOID {
        values.push(Value::Instruction(id));
        if choices.yes() {
            // As a struct is called too, and as a number would be.
            let name = if id.index() == 2 { "x".to_owned() } else { id.index().to_string() };
            function.names.insert(Value::Instruction(id), name.into());
        }
        if choices.yes() {
            function.source_names.insert(Value::Instruction(id), "a b".into());
        }
    }
}

fn call(choices: &mut Choices<'_>, opcode: Opcode) -> Call {
    let callees = [
        CalleeRef::Function(FunctionId::new(0)),
        CalleeRef::Declaration(opcost_ir::DeclarationId::new(1)),
        CalleeRef::Indirect,
        CalleeRef::Assembly,
    ];
    let tails = [TailKind::None, TailKind::Tail, TailKind::MustTail, TailKind::NoTail];
    Call {
        callee: choices.of(&callees),
        is_nounwind: choices.yes(),
        is_willreturn: choices.yes(),
        is_noreturn: choices.yes(),
        returns_twice: choices.yes(),
        tail: if opcode == Opcode::Call { choices.of(&tails) } else { TailKind::None },
        is_empty_assembly: choices.yes(),
        copied_bytes: choices.below(3) as u64,
        memory: effects(choices),
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..800)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back_as_it_was(bytes in bytes()) {
        let module = module(&mut Choices(bytes.iter()));
        prop_assert_eq!(verify(&module), Ok(()));
        let text = print_module(&module);
        match parse_module(&text) {
            Ok(read) => prop_assert_eq!(read, module, "{}", text),
            Err(error) => prop_assert!(false, "{error} in\n{text}"),
        }
    }

    #[test]
    fn damaged_texts_are_refused_or_read_but_never_panic(
        bytes in bytes(),
        damages in proptest::collection::vec((any::<u16>(), 0usize..6, any::<u8>()), 1..6),
    ) {
        let mut text = print_module(&module(&mut Choices(bytes.iter()))).into_bytes();
        for (at, length, put) in damages {
            let at = usize::from(at) % text.len();
            let end = (at + length).min(text.len());
            text.splice(at..end, [put % 128]);
            if text.is_empty() {
                break;
            }
        }
        if let Ok(read) = parse_module(&String::from_utf8_lossy(&text)) {
            let again = parse_module(&print_module(&read));
            prop_assert_eq!(again, Ok(read));
        }
    }
}

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
        "line 1: expected a line '}' behind the function, found the end of the line"
    );
    assert_eq!(
        error("\nfoo"),
        "line 2: expected 'define', 'declare', 'global', 'alias', 'ifunc', 'constructor', 'destructor', 'metadata', 'type', \
         'constant', 'place', 'file', 'source', 'triple', 'data_layout', 'tag_type', 'tag' or 'assembly', found 'foo'"
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
        let find = |(value, known): (&Value, &Box<str>)| match value {
            Value::Instruction(id) if **known == *name => Some(*id),
            _ => None,
        };
        let id = function.names.iter().find_map(find).expect("a named result");
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
    assert_eq!(wrong("global @x type i32 = { 4: i8 1, 0: i8 1 }"), "scalars one behind the other");
    assert_eq!(wrong("global @x type i32 = { 0: ptr global 7 }"), "data of the table");
    assert_eq!(wrong("tag 4"), "types of the tags' table");
    assert_eq!(wrong("declare @f memory(read, other: none)"), "'argmem', 'inaccessiblemem' or 'errnomem'");
    assert_eq!(body("fence !tag 0"), "'!at' or '!name'");
}
