//! Does a snapshot say what LLVM's own text says? Line by line, on real modules.
//!
//! The text is that of clang, read here by looking for words: flags behind the
//! opcode, cases of a switch, `!tbaa`, what `!llvm.loop` leads to, attributes of
//! functions and parameters, constants.

use std::collections::HashMap;

use opcost_ir::{
    ConstantValue, Flags, Function, GlobalId, LatchFacts, MemoryEffects, Module, Opcode, Type, Value,
};
use opcost_key::{FunctionId, InstructionId};

/// A function as LLVM prints it.
struct Printed<'a> {
    header: &'a str,
    /// Lines of instructions; cases of a switch are joined to its line.
    lines: Vec<String>,
}

fn printed(text: &str) -> Vec<Printed<'_>> {
    let mut functions: Vec<Printed<'_>> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if line.starts_with("define ") {
            functions.push(Printed { header: line, lines: Vec::new() });
            is_inside = true;
        } else if line == "}" {
            is_inside = false;
        } else if let Some(function) = functions.last_mut().filter(|_| is_inside) {
            let is_first = line.starts_with("  ") && !line.starts_with("   ");
            if is_first && !line.starts_with("  ]") && !line.trim_start().starts_with("#dbg_") {
                function.lines.push(line.to_owned());
            } else if line.starts_with("  ")
                && !line.trim_start().starts_with("#dbg_")
                && let Some(last) = function.lines.last_mut()
            {
                last.push(' ');
                last.push_str(line.trim_start());
            }
        }
    }
    functions
}

/// The words of an instruction's line from its opcode on.
fn words(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let behind = match line.split_once(" = ") {
        Some((result, behind)) if result.starts_with('%') && !result.contains(' ') => behind,
        _ => line,
    };
    let words = behind.split_whitespace().skip_while(|word| ["tail", "musttail", "notail"].contains(word));
    words.map(|word| word.trim_end_matches(',')).collect()
}

/// Attributes by group: `#3` and what is in it.
fn groups(text: &str) -> HashMap<&str, &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("attributes "));
    lines.filter_map(|line| line.split_once(" = ")).collect()
}

/// Metadata by number, for those that stand on a line of their own.
fn metadata(text: &str) -> HashMap<&str, &str> {
    text.lines().filter(|line| line.starts_with('!')).filter_map(|line| line.split_once(" = ")).collect()
}

/// How often each kind of fact was seen; a check that never looked proves nothing.
pub(crate) type Seen = HashMap<&'static str, usize>;

/// Compares all functions of a module with its text.
pub(crate) fn compare(module: &Module, text: &str, seen: &mut Seen) {
    let printed = printed(text);
    let names: Vec<&str> = module.functions.values().map(|function| &*function.name).collect();
    assert_eq!(printed.len(), names.len());
    let (groups, metadata) = (groups(text), metadata(text));
    for (printed, function) in printed.iter().zip(module.functions.values()) {
        let quoted = [format!("@{}(", function.name), format!("@\"{}\"(", function.name)];
        assert!(quoted.iter().any(|name| printed.header.contains(name)), "{}", printed.header);
        assert_eq!(printed.lines.len(), function.instructions.len(), "{}", function.name);
        header(function, printed.header, &groups, seen);
        for (line, id) in printed.lines.iter().zip(function.instructions.ids()) {
            let words = words(line);
            let instruction = &function.instructions[id];
            assert_eq!(words[0], instruction.opcode.name(), "{line}");
            flags(instruction.opcode, instruction.flags, &words, line, seen);
            let is_access = matches!(instruction.opcode, Opcode::Load | Opcode::Store);
            let has_tag = is_access && line.contains("!tbaa !");
            assert_eq!(instruction.tag.is_some(), has_tag, "{line}");
            *seen.entry("tag").or_default() += usize::from(has_tag);
            if instruction.opcode.is_terminator() {
                latch(function, id, line, &metadata, seen);
            }
            if instruction.opcode == Opcode::Switch {
                cases(module, function, id, line, seen);
            }
        }
    }
    constants(module, seen);
}

fn flags(opcode: Opcode, found: Flags, words: &[&str], line: &str, seen: &mut Seen) {
    let known = Flags::words(opcode);
    let mut expected = Flags::implied(opcode);
    for word in words[1..].iter().skip_while(|&&word| word == "weak") {
        let Some(&(flag, name)) = known.iter().find(|(_, name)| name == word) else { break };
        expected = expected.with(flag);
        if flag == Flags::INBOUNDS {
            expected = expected.with(Flags::NSW);
        }
        *seen.entry(name).or_default() += 1;
    }
    assert_eq!(found, expected, "{line}");
}

fn header(function: &Function, line: &str, groups: &HashMap<&str, &str>, seen: &mut Seen) {
    let group = line.split_whitespace().find(|word| word.starts_with('#')).and_then(|name| groups.get(name));
    let attributes = group.map_or("", |group| group);
    let has = |word: &str| attributes.split_whitespace().any(|one| one == word);
    assert_eq!(function.is_nounwind, has("nounwind"), "{line}");
    assert_eq!(function.is_willreturn, has("willreturn"), "{line}");
    assert_eq!(function.is_must_progress, has("mustprogress"), "{line}");
    let memory = attributes.split_once("memory(").and_then(|(_, rest)| rest.split_once(')'));
    let expected = memory.map_or(MemoryEffects::UNKNOWN, |(inside, _)| effects(inside));
    assert_eq!(function.memory, expected, "{line}: {attributes}");
    *seen.entry("memory").or_default() += usize::from(memory.is_some());
    let parameters = line.split_once('@').map_or("", |(_, rest)| rest);
    let facts = &function.parameter_facts;
    let counts = [
        ("noalias", facts.iter().filter(|facts| facts.is_noalias).count()),
        ("captures(none)", facts.iter().filter(|facts| facts.is_nocapture).count()),
        ("readonly", facts.iter().filter(|facts| facts.is_readonly).count()),
        ("writeonly", facts.iter().filter(|facts| facts.is_writeonly).count()),
        ("readnone", facts.iter().filter(|facts| facts.is_readnone).count()),
        ("noundef", facts.iter().filter(|facts| facts.is_noundef).count()),
        ("sret(", facts.iter().filter(|facts| facts.is_sret).count()),
        ("byval(", facts.iter().filter(|facts| facts.byval.is_some()).count()),
    ];
    for (word, count) in counts {
        assert_eq!(count, parameters.matches(&format!(" {word}")).count(), "{word}: {line}");
        *seen.entry(word).or_default() += count;
    }
}

/// What `memory(…)` says, read by our own text form.
fn effects(inside: &str) -> MemoryEffects {
    let module = opcost_ir::parse_module(&format!("declare @f memory({inside})")).expect(inside);
    module.declarations.values().next().expect("a declaration").memory
}

fn latch(
    function: &Function,
    id: InstructionId,
    line: &str,
    metadata: &HashMap<&str, &str>,
    seen: &mut Seen,
) {
    let mut expected = LatchFacts::default();
    if let Some((_, behind)) = line.split_once("!llvm.loop ") {
        let node = behind.split([',', ' ']).next().expect("a node");
        for part in metadata[node].trim_matches(|c| "distinct !{}".contains(c)).split(", ") {
            let property = metadata.get(format!("!{}", part.trim_start_matches('!')).as_str()).unwrap_or(&"");
            expected.must_progress |= property.contains("\"llvm.loop.mustprogress\"");
            expected.is_vectorized |= property.contains("\"llvm.loop.isvectorized\", i32 1");
            expected.is_unrolled |= property.contains("\"llvm.loop.unroll.disable\"");
        }
        *seen.entry("latch").or_default() += 1;
    }
    assert_eq!(function.blocks[function.block_of(id)].latch, expected, "{line}");
}

/// `[ i32 1, label %b i32 2, label %c ]` behind the default block.
fn cases(module: &Module, function: &Function, id: InstructionId, line: &str, seen: &mut Seen) {
    let inside = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect(line).0;
    let words: Vec<&str> = inside.split_whitespace().collect();
    let expected: Vec<&str> = words.chunks(4).map(|case| case[1].trim_end_matches(',')).collect();
    let operands = function.operands_of(id);
    assert!(matches!(operands[1], Value::Block(_)), "{line}");
    let found: Vec<&str> = operands[2..]
        .chunks(2)
        .map(|case| match case {
            [Value::Constant(value), Value::Block(_)] => &*module.constants[*value].text,
            _ => panic!("no case: {case:?} in {line}"),
        })
        .collect();
    assert_eq!(found, expected, "{line}");
    *seen.entry("case").or_default() += found.len();
}

/// Values of constants by their texts.
fn constants(module: &Module, seen: &mut Seen) {
    for constant in module.constants.values() {
        let kind = match (&module.types[constant.ty], constant.value) {
            (Type::Integer(bits @ 2..=64), ConstantValue::Integer(value)) => {
                let text: i64 = constant.text.parse().expect("a number");
                assert_eq!(value, text as u64 as u128 & ((1u128 << bits) - 1));
                "integer"
            }
            (Type::Float("double"), ConstantValue::Float(bits)) => {
                let text = &*constant.text;
                let expected = match text.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16).expect("bits"),
                    None => text.parse::<f64>().expect("a number").to_bits(),
                };
                assert_eq!(bits, expected, "{text}");
                "double"
            }
            (Type::Pointer(_), ConstantValue::Global { global, offset }) => {
                address(module, &constant.text, global, offset)
            }
            (Type::Pointer(_), ConstantValue::Null) => {
                assert_eq!(&*constant.text, "null");
                "null"
            }
            (ty, value) => {
                let is_number = matches!(ty, Type::Integer(2..=64) | Type::Float("double"));
                let is_undefined = matches!(value, ConstantValue::Undef | ConstantValue::Poison);
                assert!(!is_number || is_undefined || constant.text.contains('('), "{constant:?}");
                "other"
            }
        };
        *seen.entry(kind).or_default() += 1;
    }
}

/// `@name` and `getelementptr … (i8, ptr @name, i64 8)`; other forms are not read here.
fn address(module: &Module, text: &str, global: GlobalId, offset: i64) -> &'static str {
    let name = &module.globals[global].name;
    if text == format!("@{name}") || text == format!("@\"{name}\"") {
        assert_eq!(offset, 0);
        return "address";
    }
    let Some((_, inside)) = text.split_once("(i8, ptr @") else { return "address of another form" };
    let (base, bytes) = inside.split_once(", i64 ").expect(text);
    assert_eq!(base.trim_matches('"'), name);
    assert_eq!(bytes.trim_end_matches(')').parse(), Ok(offset), "{text}");
    "address and bytes"
}

/// What a function does to memory at its calls, by name of what is called.
pub(crate) fn call_effects(module: &Module, function: FunctionId) -> Vec<MemoryEffects> {
    module.functions[function].calls.iter().map(|(_, call)| call.memory).collect()
}
