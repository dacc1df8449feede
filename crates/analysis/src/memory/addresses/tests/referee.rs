//! Andersen's rules on exact offsets, applied until nothing changes, on random
//! modules: what they find must be among what is found.

use std::collections::{BTreeMap, BTreeSet};

use opcost_ir::{Module, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};
use proptest::prelude::*;

use super::super::*;
use super::solved;
use crate::memory::World;

/// Object and offset, as the referee names them.
type Place = (usize, i64);

/// Arguments behind all instructions.
fn key(value: Value) -> usize {
    match value {
        Value::Instruction(id) => id.index(),
        Value::Argument(position) => 1000 + position as usize,
        _ => 2000,
    }
}

/// Andersen's rules on exact offsets, applied until nothing changes.
#[derive(Default)]
struct Naive {
    values: BTreeMap<(FunctionId, usize), BTreeSet<Place>>,
    memory: BTreeMap<Place, BTreeSet<Place>>,
    returned: BTreeMap<FunctionId, BTreeSet<Place>>,
}

impl Naive {
    fn of(&self, module: &Module, addresses: &Addresses, id: FunctionId, value: Value) -> BTreeSet<Place> {
        if let Value::Constant(_) = value
            && let Some((global, offset)) = crate::memory::contents::address(module, value)
        {
            return BTreeSet::from([(addresses.objects().of_global(global).index(), offset)]);
        }
        self.values.get(&(id, key(value))).cloned().unwrap_or_default()
    }

    fn round(&mut self, module: &Module, addresses: &Addresses) {
        for (id, function) in module.functions.iter() {
            for at in function.instructions.ids() {
                self.step(module, addresses, id, at);
            }
        }
    }

    fn step(&mut self, module: &Module, addresses: &Addresses, id: FunctionId, at: InstructionId) {
        let function = &module.functions[id];
        let opcode = function.instructions[at].opcode;
        let operands = function.operands_of(at);
        let get = |naive: &Naive, value: Value| naive.of(module, addresses, id, value);
        let mut result = BTreeSet::new();
        match opcode {
            Opcode::Alloca => {
                result.insert((addresses.objects().of_site(id, at).expect("an alloca").index(), 0));
            }
            Opcode::Phi | Opcode::Select => {
                operands.iter().for_each(|&value| result.extend(get(self, value)));
            }
            Opcode::GetElementPtr => {
                let text = match operands[1] {
                    Value::Constant(id) => &*module.constants[id].text,
                    _ => "",
                };
                let ways: Vec<i64> = match text.parse() {
                    Ok(bytes) => vec![bytes],
                    Err(_) => (-2..6).map(|index| index * 8).collect(),
                };
                for (object, offset) in get(self, operands[0]) {
                    result.extend(ways.iter().map(|way| (object, offset + way)));
                }
            }
            Opcode::Load => {
                for place in get(self, operands[0]) {
                    result.extend(self.memory.get(&place).cloned().unwrap_or_default());
                }
            }
            Opcode::Store => {
                let stored = get(self, operands[0]);
                for place in get(self, operands[1]) {
                    self.memory.entry(place).or_default().extend(&stored);
                }
            }
            Opcode::Ret => {
                let returned: BTreeSet<Place> = operands.iter().flat_map(|&value| get(self, value)).collect();
                self.returned.entry(id).or_default().extend(returned);
            }
            Opcode::Call => {
                let Some(&Value::Function(callee)) = operands.last() else { return };
                for (position, &argument) in operands[..operands.len() - 1].iter().enumerate() {
                    let passed = get(self, argument);
                    self.values.entry((callee, 1000 + position)).or_default().extend(passed);
                }
                result = self.returned.get(&callee).cloned().unwrap_or_default();
            }
            _ => return,
        }
        result.retain(|&(_, offset)| (0..32).contains(&offset));
        self.values.entry((id, at.index())).or_default().extend(result);
    }
}

/// One random instruction as text; `%vN` are the values so far.
fn line(step: &(u8, u8, u8, u8), count: usize, functions: usize) -> String {
    let &(kind, a, b, c) = step;
    let pick = |n: u8| match n as usize % (count + 3) {
        0 => "@g0".to_owned(),
        1 => "@g1+8".to_owned(),
        2 => "%p".to_owned(),
        k => format!("%v{}", k - 3),
    };
    match kind % 7 {
        0 => format!("%v{count} = alloca [4 x ptr], i32 1"),
        1 => format!("%v{count} = getelementptr i8, ptr {}, i64 {}", pick(a), i64::from(b % 4) * 8),
        2 => format!("%v{count} = getelementptr ptr, ptr {}, i64 %i", pick(a)),
        3 => format!("%v{count} = load ptr, {}", pick(a)),
        4 => format!("%v{count} = select ptr i1 %c, {}, {}", pick(a), pick(b)),
        5 => format!("store ptr {}, {}", pick(a), pick(b)),
        _ => format!("%v{count} = call ptr @f{}(ptr {}, i64 %i, i1 %c)", c as usize % functions, pick(a)),
    }
}

fn random_module(bodies: &[Vec<(u8, u8, u8, u8)>]) -> String {
    let mut text =
        "global internal @g0 type [4 x ptr] = { }\nglobal internal @g1 type [4 x ptr] = { }\n".to_owned();
    for (number, body) in bodies.iter().enumerate() {
        text += &format!("define internal ptr @f{number}(ptr %p, i64 %i, i1 %c) {{\nentry:\n");
        let mut count = 0;
        for step in body {
            let line = line(step, count, bodies.len());
            count += usize::from(line.starts_with('%'));
            text += &format!("  {line}\n");
        }
        let last = if count > 0 { format!("%v{}", count - 1) } else { "%p".to_owned() };
        text += &format!("  ret ptr {last}\n}}\n");
    }
    text + "define i32 @main(i64 %i, i1 %c) {\n  %r = call ptr @f0(ptr @g0, i64 %i, i1 %c)\n  ret i32 0\n}\n"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn everything_that_a_naive_fixpoint_finds_is_found(
        bodies in prop::collection::vec(
            prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>()), 1..9), 1..4,
        )
    ) {
        let text = random_module(&bodies);
        let (module, addresses) = solved(&text, World::Closed);
        let mut naive = Naive::default();
        loop {
            let before = (naive.values.clone(), naive.memory.clone(), naive.returned.clone());
            naive.round(&module, &addresses);
            if before == (naive.values.clone(), naive.memory.clone(), naive.returned.clone()) {
                break;
            }
        }
        for (&(id, number), places) in &naive.values {
            let value = match number {
                1000.. => Value::Argument((number - 1000) as u32),
                _ => Value::Instruction(InstructionId::new(number)),
            };
            let targets = addresses.targets(id, value);
            for &(object, offset) in places {
                let target = AddressTarget { object: ObjectId::new(object), offsets: Offsets::exact(offset) };
                let is_found = targets.known.iter().any(|known| {
                    known.object == target.object && known.offsets.contain(target.offsets)
                });
                let is_outside = targets.is_unknown && addresses.objects().is_escaped(target.object);
                prop_assert!(is_found || is_outside, "{text}\n{id} {value:?}: {offset} of {object} not in {targets:?}");
            }
        }
    }
}
