//! Does a module come back from its text as it was?
//!
//! Random small modules are drawn from bytes, so that proptest makes failing
//! ones smaller; they hold odd names, doubled constants, every opcode shape
//! and all facts of calls. Texts that were damaged must not make the parser
//! panic, whatever else it says of them.

#[path = "round_trip/facts.rs"]
mod facts;

use std::collections::HashMap;

use opcost_index::{Id, IdMap};
use opcost_ir::{
    Block, Constant, ConstantId, DeclarationId, Flow, Function, Initializer, Instruction, Linkage, Module,
    Opcode, Predicate, Tag, TagId, TagTypeId, Type, TypeId, Value, parse_module, print_module, verify,
};
use opcost_key::{BlockId, FileId, FunctionId, Place, PlaceId};
use proptest::prelude::*;

use facts::{call, constant_value, declaration, effects, flags, global, latch, parameter};

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
    module.module_assembly_has_code = module.has_module_assembly && choices.yes();
    module.module_assembly_may_round = module.has_module_assembly && choices.yes();
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
    module.assembly_names = choices.of(&[vec![], vec!["a word".into(), "f".into()]]);
    let count = 1 + choices.below(2);
    for position in 0..count {
        let function = function(choices, &module, position, count);
        module.functions.push(function);
    }
    module
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
