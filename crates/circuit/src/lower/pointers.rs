//! Which memory does a pointer lead to, and how far into it?
//!
//! Every pointer leads to one memory: a parameter's, a local array's, data's. Which one follows
//! from the pointer that it was made of; `candidates` has what may lead to several. Until all
//! accesses are seen, positions count bytes.

use std::collections::HashSet;

use opcost_index::Id;
use opcost_ir::{ConstantValue, GlobalId, GlobalKind, Linkage, Opcode, ScalarValue, Type, TypeId, Value};
use opcost_key::{BlockId, InstructionId};

use super::candidate::Candidate;
use super::{Frame, Lowered, Lowering, name_of};
use crate::kernel::{
    Action, Factor, KernelLocation, KernelMemory, KernelOperand, MemoryCells, MemoryId, MemoryKind, signed,
};
use crate::refusal::CircuitRefusal;

/// A circuit holds no more elements of one memory.
const MOST_ELEMENTS: u64 = 1 << 16;
const ONE_MEMORY: &str = "let each pointer lead to one parameter, local array or data";

impl<'m> Lowering<'m> {
    /// The one memory that a pointer of a function leads to.
    pub(crate) fn memory_of(
        &mut self,
        frame: &mut Frame<'m>,
        pointer: Value,
        at: InstructionId,
    ) -> Result<MemoryId, CircuitRefusal> {
        match self.memories_of(frame, pointer, at)?[..] {
            [memory] => Ok(memory),
            [first, second, ..] => {
                let what = format!(
                    "one pointer may lead to {} and to {}",
                    self.memories[first].name, self.memories[second].name
                );
                Err(CircuitRefusal::new(self.location_of(frame, at), what, ONE_MEMORY))
            }
            [] => Err(self.no_operation(frame, at)),
        }
    }

    /// The memories that a pointer of a function may lead to.
    pub(crate) fn memories_of(
        &mut self,
        frame: &mut Frame<'m>,
        pointer: Value,
        at: InstructionId,
    ) -> Result<Vec<MemoryId>, CircuitRefusal> {
        let mut memories = HashSet::new();
        let mut seen = HashSet::new();
        let mut open = vec![pointer];
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            match value {
                Value::Argument(position) => {
                    let Lowered { operand, memory } = frame.arguments[position as usize];
                    memories.extend(memory);
                    let candidates = operand.node().and_then(|node| self.several.get(&node));
                    memories.extend(candidates.into_iter().flatten().map(|candidate| candidate.memory));
                }
                Value::Constant(id) => match self.module.constants[id].value {
                    ConstantValue::Global { global, .. } => {
                        memories.insert(self.global(global, self.location_of(frame, at))?);
                    }
                    _ => {
                        self.value(frame, value, at)?;
                    }
                },
                Value::Instruction(id) => {
                    let operands = frame.body.operands_of(id);
                    match frame.body.instructions[id].opcode {
                        Opcode::Alloca => {
                            memories.insert(self.local(frame, id)?);
                        }
                        Opcode::GetElementPtr | Opcode::Freeze => open.push(operands[0]),
                        Opcode::Select => open.extend(&operands[1..]),
                        Opcode::Phi => open.extend(operands.iter().step_by(2)),
                        opcode => {
                            let what =
                                format!("the pointer that {opcode} gives leads to a memory that is not seen");
                            return Err(CircuitRefusal::new(self.location_of(frame, id), what, ONE_MEMORY));
                        }
                    }
                }
                _ => return Err(self.no_operation(frame, at)),
            }
        }
        let mut memories: Vec<MemoryId> = memories.into_iter().collect();
        memories.sort_unstable();
        match memories.is_empty() {
            true => Err(self.no_operation(frame, at)),
            false => Ok(memories),
        }
    }

    /// The memory of a local array.
    fn local(&mut self, frame: &mut Frame<'m>, at: InstructionId) -> Result<MemoryId, CircuitRefusal> {
        if let Some(&memory) = frame.locals.get(&at) {
            return Ok(memory);
        }
        let instruction = &frame.body.instructions[at];
        let location = self.location_of(frame, at);
        let count = match frame.body.operands_of(at).first() {
            Some(&Value::Constant(id)) => match self.module.constants[id].value {
                ConstantValue::Integer(count) => u64::try_from(count).ok(),
                _ => None,
            },
            None => Some(1),
            _ => None,
        };
        let stride = instruction.second_type.and_then(|ty| self.layout.stride(ty));
        let Some(bytes) = count.zip(stride).and_then(|(count, stride)| count.checked_mul(stride)) else {
            return Err(CircuitRefusal::new(
                location,
                "a local array has a size that is known only at run time",
                "give it a constant size",
            ));
        };
        let name =
            super::source_name(frame.body, Value::Instruction(at)).unwrap_or_else(|| "local".to_owned());
        let memory = self.memories.push(KernelMemory {
            name,
            kind: MemoryKind::Inside(None),
            bits: 0,
            length: Some(bytes),
            position_bits: 0,
            is_split: false,
            before: 0,
        });
        frame.locals.insert(at, memory);
        Ok(memory)
    }

    /// The memory of data: a table, or inside if nobody else can see it, or a port.
    pub(crate) fn global(
        &mut self,
        global: GlobalId,
        location: Option<KernelLocation>,
    ) -> Result<MemoryId, CircuitRefusal> {
        if let Some(&memory) = self.globals.get(&global) {
            return Ok(memory);
        }
        let data = &self.module.globals[global];
        let name = data.source_name.as_deref().unwrap_or(&data.name).to_owned();
        if data.kind != GlobalKind::Variable || data.is_thread_local {
            let what = format!("{name} is no plain data");
            return Err(CircuitRefusal::new(location, what, "use an array or a variable of the program"));
        }
        let bytes = self.layout.size(data.ty);
        let is_own = matches!(data.linkage, Linkage::Local | Linkage::Exact);
        let kind = match &data.contents {
            Some(contents) if data.is_constant && is_own && contents.is_complete => {
                MemoryKind::Table(self.cells(global, location.as_ref())?)
            }
            Some(contents)
                if data.linkage == Linkage::Local && contents.is_complete && self.is_private(global) =>
            {
                MemoryKind::Inside(Some(self.cells(global, location.as_ref())?))
            }
            _ => MemoryKind::Port { parameter: None },
        };
        let position_bits = self.position_bits;
        let memory = self.memories.push(KernelMemory {
            name,
            kind,
            bits: 0,
            length: bytes,
            position_bits,
            is_split: false,
            before: 0,
        });
        self.globals.insert(global, memory);
        Ok(memory)
    }

    /// Its bytes at the start.
    fn cells(
        &self,
        global: GlobalId,
        location: Option<&KernelLocation>,
    ) -> Result<MemoryCells, CircuitRefusal> {
        let data = &self.module.globals[global];
        let refuse = |what: &str, remedy: &str| {
            let name = data.source_name.as_deref().unwrap_or(&data.name);
            CircuitRefusal::new(location.cloned(), format!("{name} {what}"), remedy)
        };
        let bytes = self
            .layout
            .size(data.ty)
            .filter(|&bytes| bytes <= 8 * MOST_ELEMENTS)
            .ok_or_else(|| refuse("is too large for a circuit", "pass a pointer to it as a parameter"))?;
        let mut cells = vec![0u64; bytes as usize];
        let contents = data.contents.as_ref().expect("the caller looked");
        for &(offset, ty, value) in &contents.scalars {
            let (ScalarValue::Constant(ConstantValue::Integer(number)), Type::Integer(_)) =
                (value, &self.module.types[ty])
            else {
                // What is undefined may be zero.
                if matches!(value, ScalarValue::Constant(ConstantValue::Undef | ConstantValue::Poison)) {
                    continue;
                }
                return Err(refuse("holds more than integers", "tables of circuits hold integers"));
            };
            let size = self.layout.size(ty).unwrap_or(0);
            for (byte, cell) in (0..size).zip(&mut cells[offset as usize..]) {
                *cell = (number >> (8 * byte)) as u64 & 0xff;
            }
        }
        Ok(MemoryCells(cells))
    }

    /// Whether only functions that are being made a circuit of can see data: no other function and no
    /// other data leads to it.
    fn is_private(&self, global: GlobalId) -> bool {
        let names_it = |value: &Value| match *value {
            Value::Constant(id) => {
                let constant = &self.module.constants[id];
                match constant.value {
                    ConstantValue::Global { global: one, .. } => one == global,
                    // What is only text may name anything.
                    ConstantValue::Other => constant.text.contains(&*self.module.globals[global].name),
                    _ => false,
                }
            }
            _ => false,
        };
        let elsewhere = self.module.functions.iter().any(|(id, function)| {
            self.stack.first().is_none_or(|&top| top != id) && function.operands.iter().any(names_it)
        });
        let in_data = self.module.globals.values().any(|data| {
            data.contents.as_ref().is_some_and(|contents| {
                contents.scalars.iter().any(|&(_, _, value)| match value {
                    ScalarValue::Constant(ConstantValue::Global { global: one, .. }) => one == global,
                    ScalarValue::Constant(ConstantValue::Other) => true,
                    _ => false,
                })
            })
        });
        !elsewhere && !in_data
    }

    /// A position so many bytes into a memory.
    pub(crate) fn position(&mut self, block: BlockId, memory: MemoryId, offset: i64) -> Lowered {
        let action = Action::Address { has_base: false, offset, factors: Vec::new() };
        let node = self.node(block, action, Vec::new(), 64);
        self.positions.insert(node, memory);
        Lowered { operand: KernelOperand::Node(node), memory: Some(memory) }
    }

    /// `getelementptr`: a base, bytes, and indices times sizes.
    pub(crate) fn element(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        let operands = frame.body.operands_of(at);
        let candidates = self.candidates(frame, operands[0], at)?;
        let mut ty = frame.body.instructions[at].second_type.ok_or_else(|| self.no_operation(frame, at))?;
        let (mut list, mut factors, mut offset) = (Vec::new(), Vec::new(), 0i64);
        for (position, &index) in operands[1..].iter().enumerate() {
            let inner = if position == 0 { Some((ty, None)) } else { self.inner(ty, index) };
            let Some((element, field)) = inner else { return Err(self.no_operation(frame, at)) };
            ty = element;
            if let Some(field) = field {
                offset = offset.wrapping_add(field as i64);
                continue;
            }
            let Some(stride) = self.layout.stride(element) else {
                return Err(self.no_operation(frame, at));
            };
            match self.value(frame, index, at)?.operand {
                KernelOperand::Constant { bits, value } => {
                    offset = offset.wrapping_add((signed(value, bits) as i64).wrapping_mul(stride as i64));
                }
                operand => {
                    list.push(operand);
                    factors.push(Factor { times: stride as i64, shift: 0 });
                }
            }
        }
        let action = Action::Address { has_base: true, offset, factors };
        let mut moved = Vec::new();
        for candidate in candidates {
            let operands = [candidate.position].into_iter().chain(list.iter().copied()).collect();
            let node = self.node(block, action.clone(), operands, 64);
            self.label(frame, at, node);
            self.positions.insert(node, candidate.memory);
            moved.push(Candidate { position: node.into(), ..candidate });
        }
        match moved[..] {
            [Candidate { memory, position, .. }] => Ok(Lowered { operand: position, memory: Some(memory) }),
            _ => Ok(self.with_candidates(block, moved)),
        }
    }

    /// The part of a type that an index leads to, and its place if it is a field.
    fn inner(&self, ty: TypeId, index: Value) -> Option<(TypeId, Option<u64>)> {
        match &self.module.types[ty] {
            Type::Array(_, element) => Some((*element, None)),
            Type::Struct { fields, .. } => {
                let Value::Constant(id) = index else { return None };
                let ConstantValue::Integer(field) = self.module.constants[id].value else { return None };
                let field = usize::try_from(field).ok()?;
                Some((*fields.get(field)?, Some(self.layout.field_offset(ty, field)?)))
            }
            _ => None,
        }
    }

    /// A function's name, for messages.
    pub(crate) fn function_name(&self, id: opcost_key::FunctionId) -> String {
        debug_assert!(id.index() < self.module.functions.len());
        name_of(&self.module.functions[id])
    }
}
