//! Random programs, walked: no answer may miss what happens.
//!
//! A program is drawn, walked with random turns, and every load's value and
//! the write that it came from are noted with the calls that were open. Each
//! answer is then held against it, asked with those calls and with none: a
//! constant must be the value, a list of constants must hold it, and the write
//! must be among those that the answer names, unless it says that it does not
//! know. The walk knows nothing of the resolver; it is the referee.

use rustc_hash::FxHashMap as HashMap;

use opcost_ir::{ConstantValue, Opcode};
use opcost_key::BlockId;
use proptest::prelude::*;

use super::*;
use crate::dependence::Resolution;
use crate::dependence::explanation::{Argument, ExplanationId, What};
use crate::memory::addresses::displacement::{PointerMove as Way, steps_of};

/// A value: a number or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Number(i64),
    Address(usize, i64),
    Nothing,
}

/// A load that happened.
#[derive(Clone, Debug)]
struct Happened {
    function: FunctionId,
    load: InstructionId,
    calls: Vec<InstructionSite>,
    value: Seen,
    writer: Option<InstructionSite>,
}

const MOST_STEPS: usize = 300;

struct Walk<'a> {
    module: &'a Module,
    layout: &'a Layout,
    turns: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    /// Value, width and writer by first byte.
    memory: HashMap<(usize, i64), (Seen, u64, Option<InstructionSite>)>,
    objects: usize,
    steps: usize,
    calls: Vec<InstructionSite>,
    happened: Vec<Happened>,
}

impl<'a> Walk<'a> {
    fn of(module: &'a Module, layout: &'a Layout, turns: &'a [u8]) -> Vec<Happened> {
        let mut walk = Walk {
            module,
            layout,
            turns: turns.iter().cycle(),
            memory: HashMap::default(),
            objects: module.globals.len(),
            steps: 0,
            calls: Vec::new(),
            happened: Vec::new(),
        };
        let main = function_named(module, "main");
        walk.call(main, &[Seen::Nothing, Seen::Nothing, Seen::Nothing]);
        walk.happened
    }

    fn turn(&mut self) -> usize {
        usize::from(*self.turns.next().unwrap_or(&0))
    }

    fn call(&mut self, id: FunctionId, arguments: &[Seen]) -> Option<Seen> {
        let body = &self.module.functions[id];
        let mut results: HashMap<Value, Seen> = HashMap::default();
        for (position, &argument) in (0..).zip(arguments) {
            results.insert(Value::Argument(position), argument);
        }
        let (mut block, mut from) = (BlockId::new(0), None);
        loop {
            let phis: Vec<(Value, Seen)> = body
                .instructions_of(block)
                .filter(|&at| body.instructions[at].opcode == Opcode::Phi)
                .map(|at| {
                    let mut pairs = body.operands_of(at).chunks_exact(2);
                    let pair = pairs.find(|pair| Some(pair[1]) == from.map(Value::Block)).expect("an entry");
                    (Value::Instruction(at), self.value(pair[0], &results))
                })
                .collect();
            results.extend(phis);
            for at in body.instructions_of(block).filter(|&at| body.instructions[at].opcode != Opcode::Phi) {
                self.steps += 1;
                if self.steps > MOST_STEPS {
                    return None;
                }
                match body.instructions[at].opcode {
                    Opcode::Br => {}
                    Opcode::Ret => {
                        let value = body.operands_of(at).first().copied();
                        return Some(value.map_or(Seen::Nothing, |value| self.value(value, &results)));
                    }
                    _ => {
                        let result = self.instruction(id, at, &results)?;
                        results.insert(Value::Instruction(at), result);
                    }
                }
            }
            let successors = &body.blocks[block].successors;
            from = Some(block);
            block = successors[self.turn() % successors.len()];
        }
    }

    fn value(&self, value: Value, results: &HashMap<Value, Seen>) -> Seen {
        let Value::Constant(id) = value else { return results.get(&value).copied().unwrap_or(Seen::Nothing) };
        match self.module.constants[id].value {
            ConstantValue::Global { global, offset } => Seen::Address(global.index(), offset),
            ConstantValue::Integer(number) => Seen::Number(number as i64),
            _ => Seen::Nothing,
        }
    }

    fn instruction(
        &mut self,
        id: FunctionId,
        at: InstructionId,
        results: &HashMap<Value, Seen>,
    ) -> Option<Seen> {
        let body = &self.module.functions[id];
        let operands = body.operands_of(at);
        let get = |walk: &Self, position: usize| walk.value(operands[position], results);
        Some(match body.instructions[at].opcode {
            Opcode::Alloca => {
                self.objects += 1;
                Seen::Address(self.objects - 1, 0)
            }
            Opcode::Load => {
                let size = self.layout.size(body.instructions[at].ty)?;
                let (value, writer) = self.load(get(self, 0), size)?;
                let calls = self.calls.clone();
                self.happened.push(Happened { function: id, load: at, calls, value, writer });
                value
            }
            Opcode::Store => {
                let size = self.layout.size(body.instructions[at].second_type?)?;
                let value = get(self, 0);
                self.store(get(self, 1), value, size, (id, at))?;
                Seen::Nothing
            }
            Opcode::GetElementPtr => {
                let Seen::Address(object, mut offset) = get(self, 0) else { return None };
                for way in steps_of(self.module, self.layout, body, at)? {
                    match way {
                        Way::Bytes(bytes) => offset += bytes,
                        Way::Index { index, stride, .. } => match self.value(index, results) {
                            Seen::Number(index) => offset += index * stride as i64,
                            _ => return None,
                        },
                    }
                }
                Seen::Address(object, offset)
            }
            Opcode::Add => match (get(self, 0), get(self, 1)) {
                (Seen::Number(a), Seen::Number(b)) => {
                    Seen::Number(i64::from((a as i32).wrapping_add(b as i32)))
                }
                _ => Seen::Nothing,
            },
            Opcode::Select => {
                let turn = self.turn();
                get(self, 1 + turn % 2)
            }
            Opcode::Call => {
                let Some(&Value::Function(callee)) = operands.last() else { return None };
                let passed: Vec<Seen> = (0..operands.len() - 1).map(|position| get(self, position)).collect();
                self.calls.push((id, at));
                let result = self.call(callee, &passed)?;
                self.calls.pop();
                result
            }
            _ => return None,
        })
    }

    /// What lies there, if it was written in one piece; the writer of its first byte.
    fn load(&self, pointer: Seen, size: u64) -> Option<(Seen, Option<InstructionSite>)> {
        let Seen::Address(object, offset) = pointer else { return None };
        if !(0..=60).contains(&offset) {
            return None;
        }
        let is_global = object < self.module.globals.len();
        let whole = self.memory.get(&(object, offset));
        let inner = (1..size as i64).any(|by| self.memory.contains_key(&(object, offset + by)));
        let outer = (1..8).any(|by| {
            self.memory.get(&(object, offset - by)).is_some_and(|&(_, width, _)| width as i64 > by)
        });
        Some(match whole {
            Some(&(value, width, writer)) if width == size && !inner && !outer => (value, writer),
            None if !inner && !outer => (if is_global { Seen::Number(0) } else { Seen::Nothing }, None),
            _ => (Seen::Nothing, None),
        })
    }

    fn store(&mut self, pointer: Seen, value: Seen, size: u64, by: InstructionSite) -> Option<()> {
        let Seen::Address(object, offset) = pointer else { return None };
        if !(0..=60).contains(&offset) {
            return None;
        }
        // What is overlapped stays as a piece that does not fit any more.
        for behind in 1..8 {
            if let Some(piece) = self.memory.get_mut(&(object, offset - behind))
                && piece.1 as i64 > behind
            {
                piece.0 = Seen::Nothing;
                piece.2 = None;
                piece.1 = behind as u64;
            }
        }
        for inner in 1..size as i64 {
            self.memory.remove(&(object, offset + inner));
        }
        self.memory.insert((object, offset), (value, size, Some(by)));
        Some(())
    }
}

/// Whether an answer allows what happened.
fn allows(answer: &Resolution<'_, '_>, happened: &Happened) -> Result<(), String> {
    if let Seen::Number(number) = happened.value {
        let number = i128::from(number);
        if answer.as_constant().is_some_and(|constant| constant != number) {
            return Err(format!("is {number}, not {:?}", answer.as_constant()));
        }
        if answer.constants().is_some_and(|all| !all.contains(&number)) {
            return Err(format!("is {number}, none of {:?}", answer.constants()));
        }
    }
    let Some((function, at)) = happened.writer else { return Ok(()) };
    match names_writer(answer, Argument::Written(function, at)) {
        true => Ok(()),
        false => Err(format!("was written at {at:?} in {function:?}: {}", answer.expression())),
    }
}

/// Whether a write is among the alternatives of what was asked, or something
/// there is not known.
fn names_writer(answer: &Resolution<'_, '_>, writer: Argument) -> bool {
    let mut work = vec![answer.root()];
    let mut seen: Vec<ExplanationId> = Vec::new();
    while let Some(id) = work.pop() {
        let node = &answer.nodes()[id];
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        if matches!(node.what, What::Unknown(_)) || node.links.iter().any(|link| link.argument == writer) {
            return true;
        }
        // Only what stands for the load itself.
        let is_load = id == answer.root() || matches!(node.what, What::Choice | What::Cell(_));
        if is_load {
            work.extend(
                node.links
                    .iter()
                    .filter(|link| !matches!(link.argument, Argument::Written(..)))
                    .map(|link| link.to),
            );
        }
    }
    false
}

fn hold(text: &str, turns: &[u8]) -> Result<(), String> {
    let text = format!("data_layout \"e-m:e-i64:64-i128:128-n8:16:32:64-S128\"\n{text}");
    let module = parse_module(&text).map_err(|error| format!("{error:?}\n{text}"))?;
    let layout = Layout::of(&module);
    let effects = Effects::built_in();
    let whole = MemoryModel::of(&module, &layout, &effects, World::Closed);
    let writers = Writers::compute(&whole);
    let memory = ModuleMemory::new(&whole, &writers);
    let resolver = Resolver::new(&module, &memory);
    for happened in Walk::of(&module, &layout, turns) {
        for calls in [&happened.calls[..], &[]] {
            let value = Value::Instruction(happened.load);
            let answer = resolver.resolve(&Use { function: happened.function, value, calls });
            allows(&answer, &happened).map_err(|error| {
                let name = &module.functions[happened.function].name;
                format!("{:?} in {name} under {calls:?} {error}\n{text}", happened.load)
            })?;
        }
    }
    Ok(())
}

/// One instruction: its kind and three choices.
type Step = (u8, u8, u8, u8);

/// Functions that call each other, one pointer and one number each.
fn program(functions: &[Vec<(Vec<Step>, u8, u8)>]) -> String {
    let mut text =
        "global internal @g type [8 x i32] = { }\nglobal internal @k type ptr = { 0: ptr @g }\n".to_owned();
    let count = functions.len();
    for (number, blocks) in functions.iter().enumerate() {
        let (name, head) = match number + 1 == count {
            true => (
                "main".to_owned(),
                "define i32 @main(i32 %n, ptr %argv) {\nentry:\n  %p = getelementptr i8, ptr @g, i64 4\n"
                    .to_owned(),
            ),
            false => {
                (format!("f{number}"), format!("define internal i32 @f{number}(i32 %n, ptr %p) {{\nentry:\n"))
            }
        };
        let _ = name;
        text += &head;
        text += "  %a = alloca [8 x i32], i32 1\n  %s = alloca ptr, i32 1\n  store ptr %a, %s\n  store i32 11, %a\n  br label %b0\n";
        for (position, (steps, left, right)) in blocks.iter().enumerate() {
            text += &format!("b{position}:\n");
            let mut pointers = ["%a", "%p", "@g", "@g+4"].map(str::to_owned).to_vec();
            let mut numbers = ["1", "2", "3", "%n"].map(str::to_owned).to_vec();
            for (at, &(kind, a, b, c)) in steps.iter().enumerate() {
                let pick = |list: &[String], choice: u8| list[usize::from(choice) % list.len()].clone();
                let value = format!("%v{position}_{at}");
                let line = match kind % 10 {
                    0 | 1 => format!("store i32 {}, {}", pick(&numbers, a), pick(&pointers, b)),
                    2 | 3 => {
                        numbers.push(value.clone());
                        format!("{value} = load i32, {}", pick(&pointers, b))
                    }
                    4 => {
                        let line =
                            format!("{value} = getelementptr i32, ptr {}, i64 {}", pick(&pointers, a), b % 3);
                        pointers.push(value.clone());
                        line
                    }
                    5 => {
                        let line = format!("{value} = add i32 {}, {}", pick(&numbers, a), pick(&numbers, b));
                        numbers.push(value.clone());
                        line
                    }
                    6 => {
                        format!("store ptr {}, {}", pick(&pointers, a), if b % 2 == 0 { "%s" } else { "@k" })
                    }
                    7 => {
                        pointers.push(value.clone());
                        format!("{value} = load ptr, {}", if b % 2 == 0 { "%s" } else { "@k" })
                    }
                    8 if a % 4 == 0 => format!("store i16 5, {}", pick(&pointers, b)),
                    _ => {
                        // Functions may call those before them, or themselves.
                        let callee = if number + 1 == count {
                            usize::from(c) % number.max(1)
                        } else {
                            usize::from(c) % (number + 1)
                        };
                        let line = format!(
                            "{value} = call i32 @f{callee}(i32 {}, ptr {})",
                            pick(&numbers, a),
                            pick(&pointers, b)
                        );
                        numbers.push(value.clone());
                        line
                    }
                };
                text += &format!("  {line}\n");
            }
            let target = |choice: u8| match usize::from(choice) % (blocks.len() + 1) {
                to if to == blocks.len() => "out".to_owned(),
                to => format!("b{to}"),
            };
            text += &format!("  br i1 undef, label %{}, label %{}\n", target(*left), target(*right));
        }
        text += "out:\n  %result = load i32, %a\n  ret i32 %result\n}\n";
    }
    text
}

fn functions() -> impl Strategy<Value = Vec<Vec<(Vec<Step>, u8, u8)>>> {
    let step = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>());
    let block = (prop::collection::vec(step, 0..6), any::<u8>(), any::<u8>());
    prop::collection::vec(prop::collection::vec(block, 1..4), 2..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2000, ..ProptestConfig::default() })]
    #[test]
    fn no_answer_misses_what_happens(functions in functions(), turns in prop::collection::vec(any::<u8>(), 1..40)) {
        let text = program(&functions);
        if let Err(error) = hold(&text, &turns) {
            prop_assert!(false, "{error}");
        }
    }
}

/// The referee itself: with a wrong claim it must object.
#[test]
fn the_walk_objects_to_a_missing_writer() {
    let text = "
global internal @g type i32 = { }
define i32 @main() {
  store i32 1, @g
  %v = load i32, @g
  store i32 2, @g
  ret i32 %v
}
";
    let module = parse_module(text).expect("a module");
    let layout = Layout::of(&module);
    let mut happened = Walk::of(&module, &layout, &[0]);
    assert_eq!((happened[0].value, happened[0].writer.map(|w| w.1.index())), (Seen::Number(1), Some(0)));
    let effects = Effects::built_in();
    let whole = MemoryModel::of(&module, &layout, &effects, World::Closed);
    let writers = Writers::compute(&whole);
    let memory = ModuleMemory::new(&whole, &writers);
    let resolver = Resolver::new(&module, &memory);
    let answer = resolver.resolve(&Use {
        function: FunctionId::new(0),
        value: Value::Instruction(InstructionId::new(1)),
        calls: &[],
    });
    assert_eq!(allows(&answer, &happened[0]), Ok(()));
    happened[0].value = Seen::Number(7);
    assert!(allows(&answer, &happened[0]).is_err());
    happened[0].value = Seen::Number(1);
    happened[0].writer = Some((FunctionId::new(0), InstructionId::new(2)));
    assert!(allows(&answer, &happened[0]).is_err());
}
