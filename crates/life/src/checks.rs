//! Are the bytes the same, whichever way they are made?
//!
//! Three comparisons beside those of whole builds. *Disassembly*: each recorded
//! instruction's bytes are whole instructions, say what the encoder was given
//! (the same text once the holes have the numbers that stand in the bytes), and
//! encode to the same bytes again. *Assembler*: the same code written as assembly
//! text and assembled. *Just-in-time compiler*: the code as LLJIT has it in
//! memory. The last two compare what lies outside of relocated fields.
//!
//! Everything is compared function by function, for those that have a chosen
//! instruction. The result names the first instruction that differs. Cost:
//! linear in their code.

use opcost_answer::life::Comparison;
use opcost_llvm::{MachineOperation, MachineProgram, ObjectCode, Operand};

use crate::code::{RecordedCode, RecordedFunction, hex};
use crate::relocation::clear;

/// The first difference, if there is one.
fn first(mut differences: impl Iterator<Item = String>) -> Comparison {
    differences.next().map_or(Comparison::Identical, Comparison::Different)
}

/// The object's bytes, taken apart and put together again.
pub fn disassembly(functions: &[RecordedFunction<'_>], machine: &MachineProgram) -> Comparison {
    first(functions.iter().flat_map(|function| {
        function.instructions.iter().filter_map(move |one| {
            let bytes = function.bytes_of(one);
            let words = disassembly_fault(machine, bytes, one)?;
            Some(format!("{}+{:#x} ({}): {words}", function.name, one.range.0, hex(bytes)))
        })
    }))
}

/// What is wrong with the bytes of one instruction.
fn disassembly_fault(machine: &MachineProgram, bytes: &[u8], one: &RecordedCode<'_>) -> Option<String> {
    if bytes.len() as u64 != one.range.1 - one.range.0 {
        return Some("the object ends before it".to_owned());
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(decoded) = machine.decode(&bytes[at..]) else {
            return Some(format!("the disassembler knows no instruction at byte {at}"));
        };
        let end = at + decoded.length;
        match machine.encode(&decoded.operation) {
            Some(again) if again == bytes[at..end] => {}
            Some(again) => {
                let text = machine.text(&decoded.operation);
                return Some(format!("'{text}' is encoded as {}", hex(&again)));
            }
            None => return Some(format!("'{}' cannot be encoded", machine.text(&decoded.operation))),
        }
        found.push(decoded.operation);
        at = end;
    }
    // Marks for the linker have no bytes, and the encoder makes several of one.
    let given: Vec<&MachineOperation> =
        one.operations.iter().filter(|given| has_bytes(machine, given)).collect();
    if given.len() != found.len() {
        return None;
    }
    given.into_iter().zip(&found).find_map(|(given, found)| {
        let (was, is) = (machine.text(&filled(given, found)), machine.text(found));
        let is_same = was == is || machine.encode(&filled(given, found)) == machine.encode(found);
        (!is_same).then(|| format!("the encoder was given '{was}' and the bytes say '{is}'"))
    })
}

fn has_bytes(machine: &MachineProgram, given: &MachineOperation) -> bool {
    given.operands.contains(&Operand::Symbol) || machine.encode(given).is_some()
}

/// With the numbers of another in its holes.
fn filled(given: &MachineOperation, found: &MachineOperation) -> MachineOperation {
    let mut filled = given.clone();
    if filled.operands.len() == found.operands.len() {
        for (operand, other) in filled.operands.iter_mut().zip(&found.operands) {
            if *operand == Operand::Symbol {
                *operand = *other;
            }
        }
    }
    filled
}

/// The same functions in another object, which was assembled from text.
pub fn assembler(
    functions: &[RecordedFunction<'_>],
    again: &ObjectCode,
    machine: &MachineProgram,
) -> Comparison {
    first(functions.iter().filter_map(|function| {
        let Some((section, symbol)) = again.function(function.name) else {
            return Some(format!("{} is not in the assembled object", function.name));
        };
        let end = (symbol.to as usize).min(section.bytes.len());
        let mut other = section.bytes[symbol.from as usize..end].to_vec();
        let mut own = function.bytes().to_vec();
        // What one relocates the other may have known at once: a call within a section.
        for code in [&mut own, &mut other] {
            clear(code, function.symbol.from, &function.section.relocations);
            clear(code, symbol.from, &section.relocations);
        }
        difference(function, &own, &other, "assembled again", machine)
    }))
}

/// The same functions in the memory of a just-in-time compiler, `compiled` before
/// they were linked there.
pub fn in_memory(
    functions: &[RecordedFunction<'_>],
    taken: &[(String, Vec<u8>)],
    compiled: &ObjectCode,
    machine: &MachineProgram,
) -> Comparison {
    first(functions.iter().filter_map(|function| {
        let Some((_, bytes)) = taken.iter().find(|(name, _)| *name == function.symbol.name) else {
            return Some(format!("{} is not in memory", function.name));
        };
        let (mut own, mut other) = (function.bytes().to_vec(), bytes.clone());
        for code in [&mut own, &mut other] {
            clear(code, function.symbol.from, &function.section.relocations);
            if let Some((section, symbol)) = compiled.function(function.name) {
                clear(code, symbol.from, &section.relocations);
            }
        }
        difference(function, &own, &other, "in the memory of LLJIT", machine)
    }))
}

/// The first instruction that differs.
fn difference(
    function: &RecordedFunction<'_>,
    own: &[u8],
    other: &[u8],
    way: &str,
    machine: &MachineProgram,
) -> Option<String> {
    if own == other {
        return None;
    }
    let at = own.iter().zip(other).position(|(a, b)| a != b).unwrap_or(own.len().min(other.len())) as u64;
    let one = function.instructions.iter().find(|one| (one.range.0..one.range.1).contains(&at));
    let Some(one) = one else {
        let name = function.name;
        return Some(format!("{name}: {} bytes, and {} {way}; from +{at:#x} on", own.len(), other.len()));
    };
    let (from, to) = (one.range.0 as usize, one.range.1 as usize);
    let theirs = other.get(from..to.min(other.len())).unwrap_or(&[]);
    let say = |bytes: &[u8]| {
        let text = machine.decode(bytes).map(|decoded| machine.text(&decoded.operation));
        format!("{} '{}'", hex(bytes), text.unwrap_or_default())
    };
    Some(format!(
        "{}+{:#x} is {} in the object and {} {way}",
        function.name,
        one.range.0,
        say(function.bytes_of(one)),
        say(theirs)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_llvm::{CodeSection, ObjectRelocation, ObjectSymbol, Syntax};

    /// Bendersky's function, and a call.
    const CODE: [u8; 14] = [0x89, 0xd1, 0x8d, 0x04, 0x37, 0x99, 0xf7, 0xf9, 0xe8, 0, 0, 0, 0, 0xc3];
    const ENDS: [(u64, u64); 6] = [(0, 2), (2, 5), (5, 6), (6, 8), (8, 13), (13, 14)];

    fn object(bytes: &[u8]) -> ObjectCode {
        let call = ObjectRelocation {
            offset: 9,
            kind: "R_X86_64_PLT32".into(),
            symbol: "h".into(),
            addend: Some(-4),
        };
        let section = CodeSection {
            name: ".text".into(),
            bytes: bytes.to_vec(),
            symbols: vec![ObjectSymbol { name: "foo".into(), from: 0, to: bytes.len() as u64 }],
            relocations: vec![call],
        };
        ObjectCode { sections: vec![section], ..ObjectCode::default() }
    }

    fn machine() -> MachineProgram {
        MachineProgram::new("x86_64-linux-gnu", "", Syntax::Usual).expect("a machine")
    }

    /// Compares bytes of an object with what was recorded of the true ones.
    fn with(
        bytes: &[u8],
        compare: impl Fn(&[RecordedFunction<'_>], &MachineProgram) -> Comparison,
    ) -> Comparison {
        let (machine, object) = (machine(), object(bytes));
        let mut given: Vec<Vec<MachineOperation>> = Vec::new();
        for (from, to) in ENDS {
            let decoded = machine.decode(&CODE[from as usize..to as usize]).expect("an instruction");
            let mut operation = decoded.operation;
            if from == 8 {
                operation.operands = vec![Operand::Symbol];
            }
            given.push(vec![operation]);
        }
        let section = &object.sections[0];
        let instructions = ENDS.iter().zip(&given).map(|(range, operations)| RecordedCode {
            range: *range,
            key: 1,
            is_chosen: true,
            operations,
        });
        let function = RecordedFunction {
            name: "foo",
            section,
            symbol: &section.symbols[0],
            instructions: instructions.collect(),
        };
        compare(&[function], &machine)
    }

    fn altered(at: usize, byte: u8) -> Vec<u8> {
        let mut bytes = CODE.to_vec();
        bytes[at] = byte;
        bytes
    }

    #[test]
    fn altered_bytes_are_another_disassembly() {
        assert_eq!(with(&CODE, disassembly), Comparison::Identical);
        // Another register, another length, no instruction at all, an end too early.
        let cases: [(usize, u8, &str); 4] = [
            (4, 0x3f, "foo+0x2 (8d 04 3f): the encoder was given 'leal (%rdi,%rsi), %eax' and the bytes say"),
            (1, 0x05, "foo+0x0 (89 05): the disassembler knows no instruction at byte 0"),
            (5, 0x06, "foo+0x5 (06): the disassembler knows no instruction"),
            (8, 0xe9, "foo+0x8 (e9 00 00 00 00): the encoder was given 'callq 0' and the bytes say 'jmp 0'"),
        ];
        for (at, byte, words) in cases {
            let found = with(&altered(at, byte), disassembly);
            let Comparison::Different(said) = &found else { panic!("{at}: {found:?}") };
            assert!(said.starts_with(words), "{said}");
        }
        assert!(matches!(with(&CODE[..12], disassembly), Comparison::Different(_)));
    }

    #[test]
    fn a_form_that_the_encoder_never_chooses_is_told() {
        // `idivl` of a register with a prefix that says nothing.
        let found = machine().decode(&[0x40, 0xf7, 0xf9]).expect("an instruction");
        assert_eq!(found.length, 3);
        assert_eq!(machine().encode(&found.operation), Some(vec![0xf7, 0xf9]));
    }

    #[test]
    fn altered_bytes_are_not_those_of_assembler_or_memory() {
        let in_object = |bytes: &[u8]| {
            let again = object(bytes);
            with(&CODE, |functions, machine| assembler(functions, &again, machine))
        };
        assert_eq!(in_object(&CODE), Comparison::Identical);
        assert_eq!(in_object(&altered(10, 9)), Comparison::Identical, "the linker fills it");
        let said = "foo+0x6 is f7 f9 'idivl %ecx' in the object and f7 fa 'idivl %edx' assembled again";
        assert_eq!(in_object(&altered(7, 0xfa)), Comparison::Different(said.to_owned()));
        assert!(matches!(in_object(&CODE[..13]), Comparison::Different(_)));

        let taken = |name: &str, bytes: &[u8]| {
            let taken = [(name.to_owned(), bytes.to_vec())];
            let compiled = object(&CODE);
            with(&CODE, |functions, machine| in_memory(functions, &taken, &compiled, machine))
        };
        assert_eq!(taken("foo", &altered(11, 0x7f)), Comparison::Identical);
        assert!(matches!(taken("foo", &altered(0, 0x8b)), Comparison::Different(_)));
        assert!(matches!(taken("bar", &CODE), Comparison::Different(_)));
    }
}
