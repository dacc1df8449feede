//! A walk through a small program that knows which bytes are where.
//!
//! Branches go where the turns say, whatever their condition is, so that every
//! path is walked sometime. While the walk is in the function that claims are
//! about, it keeps for each version what it is known to hold, by the words of
//! [`Cells`] alone: a store gives it its operand, a merge what came in, a load
//! what was read. A second reading of the same version that differs is wrong.

use std::collections::HashMap;

use opcost_index::Id;
use opcost_ir::{ConstantValue, Function, Layout, Module, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::cells::{CellDefinition, CellVersion, Cells};
use crate::memory::addresses::displacement::{PointerMove, steps_of};

/// A value: a number, an address, or bytes of several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Seen {
    Number(i64),
    Pointer(usize, i64),
    Bytes(Vec<Byte>),
}

/// One byte of what was stored: of which store, and which of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Byte {
    number: u64,
    index: u64,
}

/// Steps of one walk.
const MOST_STEPS: usize = 400;

pub(super) struct Evaluator<'a> {
    module: &'a Module,
    layout: &'a Layout,
    turns: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    memory: HashMap<(usize, i64), Byte>,
    /// What each store stored, and its size.
    stored: Vec<(Seen, u64)>,
    objects: usize,
    steps: usize,
    wrong: Option<String>,
}

/// What is known of the versions in one activation.
type Known = HashMap<CellVersion, Seen>;

/// A function that is being run.
#[derive(Clone, Copy)]
struct Frame<'f> {
    body: &'f Function,
    arguments: &'f [Seen],
    results: &'f HashMap<InstructionId, Seen>,
}

/// An instruction that was run.
struct Ran<'r> {
    at: InstructionId,
    result: &'r Seen,
    /// What it stored in the versions that it defines.
    defined: Vec<(CellVersion, Seen)>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(module: &'a Module, layout: &'a Layout, turns: &'a [u8]) -> Self {
        Self {
            module,
            layout,
            turns: turns.iter().cycle(),
            memory: HashMap::new(),
            stored: Vec::new(),
            objects: module.globals.len(),
            steps: 0,
            wrong: None,
        }
    }

    /// The first claim about a function that does not hold.
    pub(super) fn hold(mut self, about: FunctionId, cells: &impl Cells) -> Option<String> {
        let main = self.module.functions.iter().find(|(_, function)| function.name == "main")?.0;
        let arguments = (0..self.module.functions[main].parameters).map(|_| Seen::Number(0)).collect();
        self.call(main, arguments, about, cells);
        self.wrong
    }

    fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<Seen>,
        about: FunctionId,
        cells: &impl Cells,
    ) -> Option<Seen> {
        let body = &self.module.functions[id];
        let mut results: HashMap<InstructionId, Seen> = HashMap::new();
        let mut known = Known::new();
        let (mut block, mut from) = (BlockId::new(0), None);
        loop {
            if id == about {
                enter(body, cells, block, from, &mut known);
            }
            let phis: Vec<_> = body
                .instructions_of(block)
                .take_while(|&at| body.instructions[at].opcode == Opcode::Phi)
                .map(|at| (at, self.phi(Frame { body, arguments: &arguments, results: &results }, at, from)))
                .collect();
            results.extend(phis);
            for at in body.instructions_of(block).filter(|&at| body.instructions[at].opcode != Opcode::Phi) {
                self.steps += 1;
                if self.steps > MOST_STEPS || self.wrong.is_some() {
                    return None;
                }
                if body.instructions[at].opcode == Opcode::Ret {
                    let returned = body.operands_of(at).first();
                    return Some(
                        returned.map_or(Seen::Number(0), |&value| self.value(value, &arguments, &results)),
                    );
                }
                if body.instructions[at].opcode == Opcode::Br {
                    continue;
                }
                let frame = Frame { body, arguments: &arguments, results: &results };
                let result = self.instruction(frame, at, about, cells)?;
                if id == about {
                    let defined = self.defined(frame, at, cells);
                    self.judge(body, Ran { at, result: &result, defined }, cells, &mut known);
                }
                results.insert(at, result);
            }
            let successors = &body.blocks[block].successors;
            let turn = usize::from(*self.turns.next()?);
            from = Some(block);
            block = successors[turn % successors.len()];
        }
    }

    fn phi(
        &self,
        Frame { body, arguments, results }: Frame<'_>,
        at: InstructionId,
        from: Option<BlockId>,
    ) -> Seen {
        let pairs = body.operands_of(at).chunks_exact(2);
        let mut taken = pairs.filter(|pair| Some(pair[1]) == from.map(Value::Block));
        self.value(taken.next().expect("a value for each predecessor")[0], arguments, results)
    }

    fn value(&self, value: Value, arguments: &[Seen], results: &HashMap<InstructionId, Seen>) -> Seen {
        match value {
            Value::Instruction(id) => results[&id].clone(),
            Value::Argument(position) => arguments[position as usize].clone(),
            Value::Constant(id) => match self.module.constants[id].value {
                ConstantValue::Global { global, offset } => Seen::Pointer(global.index(), offset),
                ConstantValue::Integer(number) => Seen::Number(number as i64),
                _ => Seen::Number(0),
            },
            _ => Seen::Number(0),
        }
    }

    /// The result, after memory has changed; none where the walk ends.
    fn instruction(
        &mut self,
        Frame { body, arguments, results }: Frame<'_>,
        at: InstructionId,
        about: FunctionId,
        cells: &impl Cells,
    ) -> Option<Seen> {
        let operands = body.operands_of(at);
        let get = |evaluator: &Self, value: Value| evaluator.value(value, arguments, results);
        Some(match body.instructions[at].opcode {
            Opcode::Alloca => {
                self.objects += 1;
                Seen::Pointer(self.objects - 1, 0)
            }
            Opcode::Load => {
                let size = self.layout.size(body.instructions[at].ty)?;
                self.load(get(self, operands[0]), size)?
            }
            Opcode::Store => {
                let size = self.layout.size(body.instructions[at].second_type?)?;
                let value = get(self, operands[0]);
                self.store(get(self, operands[1]), value, size)?;
                Seen::Number(0)
            }
            Opcode::GetElementPtr => {
                let Seen::Pointer(object, mut offset) = get(self, operands[0]) else { return None };
                for step in steps_of(self.module, self.layout, body, at)? {
                    match step {
                        PointerMove::Bytes(bytes) => offset += bytes,
                        PointerMove::Index { index, stride, .. } => match get(self, index) {
                            Seen::Number(index) => offset += index * stride as i64,
                            _ => return None,
                        },
                    }
                }
                Seen::Pointer(object, offset)
            }
            Opcode::Add => match (get(self, operands[0]), get(self, operands[1])) {
                // Small, so that accesses stay inside.
                (Seen::Number(a), Seen::Number(b)) => Seen::Number((a + b).rem_euclid(4)),
                _ => Seen::Number(1),
            },
            Opcode::Select => {
                let turn = usize::from(*self.turns.next()?);
                get(self, operands[1 + turn % 2])
            }
            Opcode::Call => {
                let Some(&Value::Function(callee)) = operands.last() else { return None };
                let passed = operands[..operands.len() - 1].iter().map(|&value| get(self, value)).collect();
                self.call(callee, passed, about, cells)?
            }
            _ => return None,
        })
    }

    fn load(&self, pointer: Seen, size: u64) -> Option<Seen> {
        let Seen::Pointer(object, offset) = pointer else { return None };
        if !(0..64).contains(&offset) {
            return None;
        }
        let byte = |index: u64| {
            // What was never written is different everywhere.
            let fresh = Byte { number: u64::MAX - (object as u64 * 1000 + offset as u64 + index), index: 0 };
            self.memory.get(&(object, offset + index as i64)).cloned().unwrap_or(fresh)
        };
        let bytes: Vec<Byte> = (0..size).map(byte).collect();
        let whole = self.stored.get(bytes[0].number as usize).filter(|(_, stored)| *stored == size);
        let is_whole =
            bytes.iter().zip(0..).all(|(byte, index)| byte.number == bytes[0].number && byte.index == index);
        Some(match whole {
            Some((value, _)) if is_whole => value.clone(),
            _ => Seen::Bytes(bytes),
        })
    }

    fn store(&mut self, pointer: Seen, value: Seen, size: u64) -> Option<()> {
        let Seen::Pointer(object, offset) = pointer else { return None };
        if !(0..64).contains(&offset) {
            return None;
        }
        let number = self.stored.len() as u64;
        self.stored.push((value, size));
        for index in 0..size {
            self.memory.insert((object, offset + index as i64), Byte { number, index });
        }
        Some(())
    }

    /// What a store puts into the versions that it defines.
    fn defined(&self, frame: Frame<'_>, at: InstructionId, cells: &impl Cells) -> Vec<(CellVersion, Seen)> {
        let stored = |version| match cells.definition(version) {
            CellDefinition::Stored { store, value } if store == at => {
                Some((version, self.value(value, frame.arguments, frame.results)))
            }
            _ => None,
        };
        all_versions(frame.body, cells).into_iter().filter_map(stored).collect()
    }

    /// Holds a load against what is known, and lets a write define versions.
    fn judge(
        &mut self,
        body: &Function,
        Ran { at, result, defined }: Ran<'_>,
        cells: &impl Cells,
        known: &mut Known,
    ) {
        known.extend(defined);
        for version in all_versions(body, cells) {
            match cells.definition(version) {
                CellDefinition::Changed(by) if by == at => _ = known.remove(&version),
                CellDefinition::Undefined if body.instructions[at].opcode == Opcode::Alloca => {
                    known.remove(&version);
                }
                _ => {}
            }
        }
        if body.instructions[at].opcode != Opcode::Load {
            return;
        }
        let Some(version) = cells.read_by(at) else { return };
        match known.get(&version) {
            Some(expected) if expected != result => {
                self.wrong = Some(format!("{at} reads {result:?}, but {version} holds {expected:?}"));
            }
            _ => _ = known.insert(version, result.clone()),
        }
    }
}

/// What happens to versions at the head of a block.
fn enter(body: &Function, cells: &impl Cells, block: BlockId, from: Option<BlockId>, known: &mut Known) {
    let before = known.clone();
    for version in all_versions(body, cells) {
        match cells.definition(version) {
            CellDefinition::Merge { block: at, incoming } if at == block => {
                let taken = incoming.iter().find(|&&(before, _)| Some(before) == from);
                match taken.and_then(|(_, version)| before.get(version)) {
                    Some(value) => _ = known.insert(version, value.clone()),
                    None => _ = known.remove(&version),
                }
            }
            // A phi that names the place, or a merge that was too much work.
            CellDefinition::Changed(by)
                if body.block_of(by) == block && body.instructions[by].opcode == Opcode::Phi =>
            {
                known.remove(&version);
            }
            _ => {}
        }
    }
}

/// The versions that loads read, and those behind them.
fn all_versions(body: &Function, cells: &impl Cells) -> Vec<CellVersion> {
    let mut work: Vec<CellVersion> = body.instructions.ids().filter_map(|at| cells.read_by(at)).collect();
    let mut all = Vec::new();
    while let Some(version) = work.pop() {
        if all.contains(&version) {
            continue;
        }
        all.push(version);
        if let CellDefinition::Merge { incoming, .. } = cells.definition(version) {
            work.extend(incoming.iter().map(|&(_, version)| version));
        }
    }
    all
}
