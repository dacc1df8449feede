//! Does what is computed without LLVM agree with LLVM? Sizes of types, the rule
//! of alias tags, and bytes of data.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol};
use opcost_index::Id;
use opcost_ir::{
    ConstantValue, Contents, Global, GlobalKind, Layout, Module, Opcode, ScalarValue, TagId, Type,
};
use opcost_key::{FunctionId, InstructionId};
use opcost_llvm::{LlvmSizes, Maker, Session};

/// Data layouts of clang's targets.
const LAYOUTS: [(&str, &str); 8] = [
    ("x86_64", "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"),
    ("aarch64", "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"),
    ("riscv64", "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"),
    ("wasm32", "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"),
    ("i386", "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"),
    ("arm", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"),
    ("msp430", "e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16"),
    ("nothing said", ""),
];

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

fn scalar(numbers: &mut Numbers) -> String {
    const NAMED: [&str; 10] = [
        "half",
        "bfloat",
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "ppc_fp128",
        "ptr",
        "ptr addrspace(270)",
        "ptr addrspace(3)",
    ];
    match numbers.below(2) {
        0 => format!("i{}", [1, 7, 8, 16, 24, 32, 33, 48, 64, 65, 100, 128, 129, 200][numbers.below(14)]),
        _ => NAMED[numbers.below(NAMED.len())].to_owned(),
    }
}

fn ty(numbers: &mut Numbers, depth: usize) -> String {
    match numbers.below(if depth > 3 { 2 } else { 6 }) {
        0 => scalar(numbers),
        1 => format!("<{} x {}>", 1 + numbers.below(9), scalar(numbers)),
        2 => format!("[{} x {}]", numbers.below(5), ty(numbers, depth + 1)),
        kind => {
            let fields: Vec<String> = (0..numbers.below(5)).map(|_| ty(numbers, depth + 1)).collect();
            let fields = fields.join(", ");
            if kind == 5 { format!("<{{ {fields} }}>") } else { format!("{{ {fields} }}") }
        }
    }
}

#[test]
fn sizes_are_llvms_on_every_kind_of_target() {
    let folder = crate::scratch();
    let mut fields = 0;
    for (target, layout) in LAYOUTS {
        let mut numbers = Numbers(7);
        let mut text = format!("target datalayout = \"{layout}\"\ndefine void @f() {{\n");
        for _ in 0..600 {
            writeln!(text, "  alloca {}", ty(&mut numbers, 0)).expect("a string");
        }
        text.push_str("  alloca <vscale x 4 x i32>\n  ret void\n}\n");
        let path = folder.path().join("types.ll");
        std::fs::write(&path, text).expect("a file");
        let mut session = Session::read(&path, Maker::Anyone).expect("types are well-formed");
        let module = session.snapshot();
        let layout = Layout::of(&module);
        let id = FunctionId::new(0);
        let function = &module.functions[id];
        for (alloca, instruction) in function.instructions.iter() {
            let Some(ty) = instruction.second_type else { continue };
            let ours = layout.size(ty).map(|size| LlvmSizes {
                size,
                stride: layout.stride(ty).expect("a stride"),
                bits: layout.bits(ty).expect("bits"),
                alignment: layout.alignment(ty).expect("an alignment"),
            });
            let said = format!("{target}: {}", module.type_text(ty));
            assert_eq!(ours, session.referee_sizes(id, alloca), "{said}");
            let Type::Struct { fields: parts, .. } = &module.types[ty] else { continue };
            for field in 0..parts.len() {
                let theirs = session.referee_field(id, alloca, field as u32);
                assert_eq!(layout.field_offset(ty, field), Some(theirs), "{said}, field {field}");
                fields += 1;
            }
        }
    }
    assert!(fields > 3000, "{fields}");
}

/// Compares all pairs of tags that meet in one function; how many may overlap
/// and how many may not.
pub(crate) fn compare_tags(module: &Module, session: &Session) -> (usize, usize) {
    let mut known: HashSet<(TagId, TagId)> = HashSet::new();
    let (mut overlapping, mut apart) = (0, 0);
    for (id, function) in module.functions.iter() {
        let mut first: HashMap<TagId, InstructionId> = HashMap::new();
        for (access, instruction) in function.instructions.iter() {
            if let Some(tag) = instruction.tag {
                first.entry(tag).or_insert(access);
            }
        }
        let mut tags: Vec<_> = first.into_iter().collect();
        tags.sort();
        for &(left, left_access) in &tags {
            for &(right, right_access) in &tags {
                if left > right || !known.insert((left, right)) {
                    continue;
                }
                let ours = module.may_overlap_by_type(left, right);
                assert_eq!(ours, module.may_overlap_by_type(right, left));
                let theirs = session.referee_overlap(id, left_access, right_access);
                assert_eq!(
                    ours, theirs,
                    "{}: {:?} and {:?}",
                    function.name, module.tags[left], module.tags[right]
                );
                *(if ours { &mut overlapping } else { &mut apart }) += 1;
            }
        }
    }
    (overlapping, apart)
}

/// A type that tags tell of, of random structs: its fields by offset.
struct Made {
    size: usize,
    fields: Vec<(usize, usize)>,
}

/// A module of one function with accesses to random parts of random structs.
fn random_tags(numbers: &mut Numbers) -> String {
    let mut text = "!0 = !{!\"root\"}\n!1 = !{!\"char\", !0, i64 0}\n!2 = !{!\"other root\"}\n".to_owned();
    let mut types: Vec<Option<Made>> = vec![None, Some(Made { size: 1, fields: vec![] }), None];
    for _ in 0..5 {
        let number = types.len();
        let scalars: Vec<usize> =
            (1..number).filter(|&at| types[at].as_ref().is_none_or(|made| made.fields.is_empty())).collect();
        let parent = scalars[numbers.below(scalars.len())];
        writeln!(text, "!{number} = !{{!\"s{number}\", !{parent}, i64 0}}").expect("a string");
        types.push(Some(Made { size: 4, fields: vec![] }));
    }
    for _ in 0..6 {
        let number = types.len();
        let mut made = Made { size: 0, fields: vec![] };
        write!(text, "!{number} = !{{!\"S\"").expect("a string");
        for _ in 0..1 + numbers.below(4) {
            let field = loop {
                let field = 1 + numbers.below(number - 1);
                if types[field].is_some() {
                    break field;
                }
            };
            made.fields.push((made.size, field));
            write!(text, ", !{field}, i64 {}", made.size).expect("a string");
            made.size += types[field].as_ref().map_or(0, |field| field.size).next_multiple_of(4);
        }
        text.push_str("}\n");
        types.push(Some(made));
    }
    let body = random_accesses(&types, numbers, &mut text);
    format!("define void @f(ptr %p) {{\n{body}  ret void\n}}\n{text}")
}

/// Accesses to parts of these types, their tags behind `text`.
fn random_accesses(types: &[Option<Made>], numbers: &mut Numbers, text: &mut String) -> String {
    let mut body = String::new();
    for access in 0..40 {
        let (mut ty, mut offset) = (3 + numbers.below(types.len() - 3), 0);
        let base = ty;
        while let Some(made) = types[ty].as_ref().filter(|made| !made.fields.is_empty()) {
            let (at, field) = made.fields[numbers.below(made.fields.len())];
            (ty, offset) = (field, offset + at);
        }
        let number = types.len() + access;
        writeln!(text, "!{number} = !{{!{base}, !{ty}, i64 {offset}}}").expect("a string");
        writeln!(body, "  store i32 0, ptr %p, !tbaa !{number}").expect("a string");
    }
    body
}

#[test]
fn random_alias_tags_overlap_as_llvm_says() {
    let folder = crate::scratch();
    let path = folder.path().join("tags.ll");
    let (mut overlapping, mut apart) = (0, 0);
    for seed in 0..40 {
        std::fs::write(&path, random_tags(&mut Numbers(seed))).expect("a file");
        let mut session = Session::read(&path, Maker::Anyone).expect("tags are well-formed");
        let module = session.snapshot_in_detail();
        let tags = module.functions[FunctionId::new(0)].instructions.values().filter(|one| one.tag.is_some());
        assert_eq!(tags.count(), 40);
        let found = compare_tags(&module, &session);
        (overlapping, apart) = (overlapping + found.0, apart + found.1);
    }
    assert!(overlapping > 2_500 && apart > 2_500, "{overlapping} and {apart}");
}

/// Compares what data holds with the bytes of the object that it became: how
/// many pieces of data, and of how many scalars.
pub(crate) fn compare_contents(module: &Module, object: &Path) -> (usize, usize) {
    let bytes = std::fs::read(object).expect("an object");
    let file = object::File::parse(&*bytes).expect("ELF");
    let layout = Layout::of(module);
    let symbols: HashMap<&str, _> =
        file.symbols().filter_map(|symbol| Some((symbol.name().ok()?, symbol))).collect();
    let (mut compared, mut scalars) = (0, 0);
    for global in module.globals.values() {
        let Some((contents, symbol)) = global.contents.as_ref().zip(symbols.get(&*global.name)) else {
            continue;
        };
        let Some(section) = symbol.section_index().and_then(|index| file.section_by_index(index).ok()) else {
            continue;
        };
        let data = section.data().expect("bytes of a section");
        let Some(size) = layout.size(global.ty).filter(|_| contents.is_complete) else { continue };
        let start = symbol.address() as usize;
        let theirs = match data.is_empty() {
            true => vec![0; size as usize],
            false => data[start..start + size as usize].to_vec(),
        };
        let Some(ours) = bytes_of(global, contents, &layout, module, &theirs) else { continue };
        assert!(ours == theirs, "{}: {:?}", global.name, first_difference(&ours, &theirs));
        compared += 1;
        scalars += contents.scalars.len();
    }
    (compared, scalars)
}

fn first_difference(ours: &[u8], theirs: &[u8]) -> Option<(usize, u8, u8)> {
    let mut pairs = ours.iter().zip(theirs).enumerate();
    pairs.find(|(_, (left, right))| left != right).map(|(at, (&left, &right))| (at, left, right))
}

/// Bytes of data by what is said of it; addresses are the linker's.
fn bytes_of(
    global: &Global,
    contents: &Contents,
    layout: &Layout,
    module: &Module,
    theirs: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = vec![0; layout.size(global.ty)? as usize];
    for &(offset, ty, value) in &contents.scalars {
        let offset = offset as usize;
        let room = offset..offset + layout.size(ty)? as usize;
        let value = match (value, &module.types[ty]) {
            (ScalarValue::Function(_) | ScalarValue::Constant(ConstantValue::Global { .. }), _) => {
                bytes[room.clone()].copy_from_slice(&theirs[room]);
                continue;
            }
            (ScalarValue::Constant(ConstantValue::Integer(value)), _) => value.to_le_bytes(),
            (ScalarValue::Constant(ConstantValue::Float(bits)), Type::Float("double")) => {
                u128::from(bits).to_le_bytes()
            }
            (ScalarValue::Constant(ConstantValue::Float(bits)), Type::Float("float")) => {
                u128::from((f64::from_bits(bits) as f32).to_bits()).to_le_bytes()
            }
            _ => return None,
        };
        let length = room.len();
        bytes[room].copy_from_slice(&value[..length]);
    }
    Some(bytes)
}

/// Accesses of a module that have a tag, and its data that has contents.
pub(crate) fn has_details(module: &Module) -> (bool, bool) {
    let mut instructions = module.functions.values().flat_map(|function| function.instructions.values());
    let is_access = |opcode: Opcode| matches!(opcode, Opcode::Load | Opcode::Store);
    let tagged = instructions.any(|instruction| is_access(instruction.opcode) && instruction.tag.is_some());
    let mut variables = module.globals.values().filter(|global| global.kind == GlobalKind::Variable);
    (tagged, variables.any(|global| global.contents.is_some()))
}
