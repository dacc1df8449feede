//! How does a function of a snapshot become a kernel?
//!
//! Blocks are lowered in reverse postorder, so that operands come before their users; operands of
//! phis are filled in at the end. A call of a function with a body is put in place: the block is
//! split, and the callee's blocks come in between. Pointers are lowered as bytes within one memory
//! each; when all accesses are seen, `settle` makes elements of them.
//!
//! Input: a module whose function passed `verify`. Output: a [`Kernel`]. Cost: linear in
//! instructions, those of callees once for each call.

mod accesses;
mod calls;
mod candidate;
mod candidates;
mod maker;
mod operations;
mod overflow;
mod pointers;
mod settle;
mod structs;
mod transfer;
mod transfers;

use std::collections::{BTreeMap, HashMap};

use opcost_index::{Id, IdMap, reverse_postorder};
use opcost_ir::{ConstantValue, Function, Layout, Module, Opcode, Type, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId, PlaceId};

use crate::kernel::{
    Action, Kernel, KernelBlock, KernelLocation, KernelMemory, KernelNode, KernelOperand, MemoryId,
    MemoryKind, NodeId, NodeOrigin, Terminator, all_bits,
};
use crate::refusal::CircuitRefusal;
use settle::MemoryAccess;

/// More nodes than these are no kernel.
const MOST_NODES: usize = 1 << 15;

/// What is known besides the module.
pub struct LowerOptions<'a> {
    /// Bits of positions in memories outside.
    pub position_bits: u32,
    /// Which part of an aggregate an instruction is about; nothing where that is not known.
    pub indices: &'a dyn Fn(FunctionId, InstructionId) -> Vec<u32>,
    /// How many elements are before the one that a parameter points to.
    pub before: BTreeMap<u32, u64>,
}

/// Makes a kernel of a function; `position_bits` is how many bits positions in memories outside
/// have.
///
/// # Errors
/// It holds what cannot be a circuit.
pub fn lower(module: &Module, function: FunctionId, position_bits: u32) -> Result<Kernel, CircuitRefusal> {
    let options = LowerOptions { position_bits, indices: &|_, _| Vec::new(), before: BTreeMap::new() };
    lower_with(module, function, &options)
}

/// Makes a kernel of a function. Where accesses of a memory have several sizes, elements of the
/// smallest are tried, and the function is lowered once more.
///
/// # Errors
/// It holds what cannot be a circuit.
pub fn lower_with(
    module: &Module,
    function: FunctionId,
    options: &LowerOptions<'_>,
) -> Result<Kernel, CircuitRefusal> {
    let mut elements = BTreeMap::new();
    loop {
        let refusal = match attempt(module, function, options, &elements) {
            Ok(kernel) => return Ok(kernel),
            Err(refusal) => refusal,
        };
        match refusal.finer {
            Some((memory, bits)) if elements.get(&memory).is_none_or(|&before| bits < before) => {
                elements.insert(memory, bits);
            }
            _ => return Err(refusal),
        }
    }
}

/// Makes a kernel whose memories have elements of these sizes, where they are given.
fn attempt(
    module: &Module,
    function: FunctionId,
    options: &LowerOptions<'_>,
    elements: &BTreeMap<MemoryId, u32>,
) -> Result<Kernel, CircuitRefusal> {
    let layout = Layout::of(module);
    let mut lowering = Lowering {
        module,
        layout: &layout,
        position_bits: options.position_bits,
        indices: options.indices,
        before: &options.before,
        elements,
        nodes: IdMap::new(),
        blocks: IdMap::new(),
        memories: IdMap::new(),
        globals: HashMap::new(),
        accesses: Vec::new(),
        positions: BTreeMap::new(),
        several: HashMap::new(),
        stack: Vec::new(),
        transfers: Vec::new(),
    };
    let body = &module.functions[function];
    let entry = lowering.new_block(None);
    let (inputs, arguments) = lowering.parameters(function)?;
    let result = lowering.body(function, arguments, entry)?;
    for (block, value) in result.returns {
        lowering.blocks[block].end = Terminator::Return(value.map(|value| value.operand));
    }
    lowering.carry_out_transfers()?;
    let kernel = Kernel {
        name: name_of(body),
        location: lowering.location(body.place),
        parameters: body.parameters,
        inputs,
        result: lowering.result_bits(function)?,
        delay_bits: Vec::new(),
        nodes: lowering.nodes,
        blocks: lowering.blocks,
        memories: lowering.memories,
    };
    let kernel = settle::settle(kernel, &lowering.accesses, &lowering.positions)?;
    with_elements_before(kernel, options, elements)
}

/// How far elements before a pointer reach is known when their size is.
fn with_elements_before(
    kernel: Kernel,
    options: &LowerOptions<'_>,
    elements: &BTreeMap<MemoryId, u32>,
) -> Result<Kernel, CircuitRefusal> {
    for (id, memory) in kernel.memories.iter() {
        let MemoryKind::Port { parameter: Some(parameter) } = memory.kind else { continue };
        if options.before.contains_key(&parameter) && !elements.contains_key(&id) {
            let what = format!("elements before {} have no size", memory.name);
            let refusal = CircuitRefusal::new(None, what, "access it by indices of one type");
            return Err(refusal.unless_finer(id, memory.bits));
        }
    }
    Ok(kernel)
}

/// The name of a function in the source.
pub(crate) fn name_of(body: &Function) -> String {
    body.source_name.as_deref().unwrap_or(&body.name).to_owned()
}

/// A lowered value; of a pointer, bytes in which memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowered {
    pub(crate) operand: KernelOperand,
    pub(crate) memory: Option<MemoryId>,
}

/// A function that is being lowered.
pub(crate) struct Frame<'m> {
    pub(crate) id: FunctionId,
    pub(crate) body: &'m Function,
    pub(crate) arguments: Vec<Lowered>,
    pub(crate) values: HashMap<InstructionId, Lowered>,
    /// Of operations with two results the number, and whether it went over an end.
    overflowing: HashMap<InstructionId, [KernelOperand; 2]>,
    /// Memories of its local arrays.
    pub(crate) locals: HashMap<InstructionId, MemoryId>,
    /// Where each block begins and ends.
    first: HashMap<BlockId, BlockId>,
    last: HashMap<BlockId, BlockId>,
    /// Phis to be filled in.
    phis: Vec<(InstructionId, NodeId)>,
    pub(crate) candidate_phis: Vec<candidate::CandidatePhi>,
}

/// A kernel that is being made.
pub(crate) struct Lowering<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layout: &'m Layout,
    pub(crate) position_bits: u32,
    pub(crate) indices: &'m dyn Fn(FunctionId, InstructionId) -> Vec<u32>,
    pub(crate) before: &'m BTreeMap<u32, u64>,
    /// Bits of elements of memories, where they are given.
    pub(crate) elements: &'m BTreeMap<MemoryId, u32>,
    pub(crate) nodes: IdMap<NodeId, KernelNode>,
    pub(crate) blocks: IdMap<BlockId, KernelBlock>,
    pub(crate) memories: IdMap<MemoryId, KernelMemory>,
    pub(crate) globals: HashMap<opcost_ir::GlobalId, MemoryId>,
    pub(crate) accesses: Vec<MemoryAccess>,
    /// Nodes that are positions, with their memories.
    pub(crate) positions: BTreeMap<NodeId, MemoryId>,
    /// Pointers that may lead to several memories, by the nodes in place of them.
    pub(crate) several: HashMap<NodeId, Vec<candidate::Candidate>>,
    /// Functions that are being lowered, the innermost last.
    stack: Vec<FunctionId>,
    /// Memory that is filled or moved, to become loops.
    pub(crate) transfers: Vec<transfer::Transfer>,
}

/// Blocks at which a function returns, with what.
pub(crate) struct LoweredBody {
    pub(crate) returns: Vec<(BlockId, Option<Lowered>)>,
}

impl<'m> Lowering<'m> {
    /// Nodes and memories of the parameters.
    fn parameters(&mut self, function: FunctionId) -> Result<(Vec<NodeId>, Vec<Lowered>), CircuitRefusal> {
        let body = &self.module.functions[function];
        let location = self.location(body.place);
        let Type::Function(_, parameters, is_variadic) = &self.module.types[body.ty] else {
            return Err(CircuitRefusal::new(
                location,
                "it has no parameters that are seen",
                "compile it from C",
            ));
        };
        if *is_variadic {
            return Err(CircuitRefusal::new(
                location,
                format!("{} takes any number of arguments", name_of(body)),
                "a circuit has a fixed set of ports; give it a fixed set of parameters",
            ));
        }
        let (mut inputs, mut arguments) = (Vec::new(), Vec::new());
        for (position, &ty) in (0..).zip(parameters) {
            let value = Value::Argument(position);
            let name = source_name(body, value).unwrap_or_else(|| format!("p{position}"));
            if let Type::Pointer(_) = self.module.types[ty] {
                let memory = self.pointed_at(body, position, name);
                arguments.push(memory);
                continue;
            }
            let bits = self.integer_bits(ty, location.as_ref())?;
            let origin = Some(NodeOrigin { function, value });
            let node = self.nodes.push(KernelNode {
                action: Action::Input,
                operands: Vec::new(),
                bits,
                block: None,
                name,
                location: location.clone(),
                origin,
            });
            inputs.push(node);
            arguments.push(Lowered { operand: KernelOperand::Node(node), memory: None });
        }
        Ok((inputs, arguments))
    }

    /// The start of the memory that a parameter leads to, or as far in it as is said.
    fn pointed_at(&mut self, body: &Function, position: u32, name: String) -> Lowered {
        let kind = MemoryKind::Port { parameter: Some(position) };
        let facts = body.parameter_facts.get(position as usize);
        let length = facts.and_then(|facts| self.layout.size(facts.byval?));
        let before = self.before.get(&position).copied().unwrap_or(0);
        let memory = self.memories.push(KernelMemory {
            name,
            kind,
            bits: 0,
            length,
            position_bits: self.position_bits,
            is_split: false,
            before,
        });
        match self.elements.get(&memory) {
            Some(&bits) if before > 0 => {
                self.position(BlockId::new(0), memory, (before * u64::from(bits / 8)) as i64)
            }
            _ => Lowered { operand: zero_position(), memory: Some(memory) },
        }
    }

    fn result_bits(&self, function: FunctionId) -> Result<Option<u32>, CircuitRefusal> {
        let body = &self.module.functions[function];
        match &self.module.types[body.ty] {
            Type::Function(result, ..) if self.module.types[*result] == Type::Void => Ok(None),
            Type::Function(result, ..) => {
                self.integer_bits(*result, self.location(body.place).as_ref()).map(Some)
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn new_block(&mut self, location: Option<KernelLocation>) -> BlockId {
        self.blocks.push(KernelBlock { nodes: Vec::new(), end: Terminator::Never, location })
    }

    /// Lowers all blocks of a function; the first of them continues `entry`.
    pub(crate) fn body(
        &mut self,
        id: FunctionId,
        arguments: Vec<Lowered>,
        entry: BlockId,
    ) -> Result<LoweredBody, CircuitRefusal> {
        let body = &self.module.functions[id];
        if self.stack.contains(&id) {
            return Err(CircuitRefusal::new(
                self.location(body.place),
                format!("{} calls itself", name_of(body)),
                "a circuit has no stack; write it as a loop",
            ));
        }
        if body.is_naked || body.is_coroutine || body.is_called_oddly {
            return Err(CircuitRefusal::new(
                self.location(body.place),
                format!("{} is no plain C function", name_of(body)),
                "write it without assembly, coroutines and variable arguments",
            ));
        }
        self.stack.push(id);
        let order = reverse_postorder(body, BlockId::new(0));
        let mut frame = Frame {
            id,
            body,
            arguments,
            values: HashMap::new(),
            overflowing: HashMap::new(),
            locals: HashMap::new(),
            first: HashMap::new(),
            last: HashMap::new(),
            phis: Vec::new(),
            candidate_phis: Vec::new(),
        };
        for (position, &block) in order.iter().enumerate() {
            let location = self.location(body.instructions[body.terminator_of(block)].place);
            let first = if position == 0 { entry } else { self.new_block(location) };
            frame.first.insert(block, first);
        }
        let mut returns = Vec::new();
        for &block in &order {
            self.block(&mut frame, block, &mut returns)?;
        }
        self.fill_phis(&mut frame)?;
        self.fill_candidate_phis(&mut frame)?;
        self.stack.pop();
        Ok(LoweredBody { returns })
    }

    fn block(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        returns: &mut Vec<(BlockId, Option<Lowered>)>,
    ) -> Result<(), CircuitRefusal> {
        let mut current = frame.first[&block];
        for at in frame.body.instructions_of(block) {
            let opcode = frame.body.instructions[at].opcode;
            match opcode {
                _ if opcode.is_terminator() => self.terminator(frame, current, at, returns)?,
                Opcode::Call => current = self.call(frame, current, at)?,
                _ => self.operation(frame, current, at)?,
            }
            if self.nodes.len() > MOST_NODES {
                let what = format!("it has more than {MOST_NODES} operations");
                return Err(CircuitRefusal::new(
                    self.location_of(frame, at),
                    what,
                    "make a circuit of a smaller function",
                ));
            }
        }
        frame.last.insert(block, current);
        Ok(())
    }

    fn terminator(
        &mut self,
        frame: &Frame<'m>,
        current: BlockId,
        at: InstructionId,
        returns: &mut Vec<(BlockId, Option<Lowered>)>,
    ) -> Result<(), CircuitRefusal> {
        let operands = frame.body.operands_of(at);
        let to = |value: Value| match value {
            Value::Block(block) => frame.first[&block],
            _ => unreachable!("a verified terminator leads to blocks"),
        };
        let instruction = &frame.body.instructions[at];
        let end = match (instruction.opcode, operands) {
            (Opcode::Br, &[next]) => Terminator::Jump(to(next)),
            (Opcode::Br, &[condition, ..]) => {
                let successors = &frame.body.blocks[frame.body.block_of(at)].successors;
                let [then, otherwise] = successors[..] else {
                    return Err(self.no_operation(frame, at));
                };
                Terminator::Branch {
                    condition: self.value(frame, condition, at)?.operand,
                    then: frame.first[&then],
                    otherwise: frame.first[&otherwise],
                }
            }
            (Opcode::Switch, &[on, otherwise, ref cases @ ..]) => {
                let mut list = Vec::new();
                for case in cases.chunks(2) {
                    let KernelOperand::Constant { value, .. } = self.value(frame, case[0], at)?.operand
                    else {
                        return Err(self.no_operation(frame, at));
                    };
                    list.push((value, to(case[1])));
                }
                Terminator::Switch {
                    on: self.value(frame, on, at)?.operand,
                    cases: list,
                    otherwise: to(otherwise),
                }
            }
            (Opcode::Ret, &[]) => {
                returns.push((current, None));
                Terminator::Return(None)
            }
            (Opcode::Ret, &[value]) => {
                let value = self.value(frame, value, at)?;
                returns.push((current, Some(value)));
                Terminator::Return(Some(value.operand))
            }
            (Opcode::Unreachable, _) => Terminator::Never,
            _ => return Err(self.no_operation(frame, at)),
        };
        self.blocks[current].end = end;
        Ok(())
    }

    fn fill_phis(&mut self, frame: &mut Frame<'m>) -> Result<(), CircuitRefusal> {
        for (at, node) in std::mem::take(&mut frame.phis) {
            let (mut blocks, mut operands) = (Vec::new(), Vec::new());
            for pair in frame.body.operands_of(at).chunks(2) {
                let Value::Block(from) = pair[1] else { continue };
                // A block that control never comes to is not lowered.
                let Some(&from) = frame.last.get(&from) else { continue };
                blocks.push(from);
                operands.push(self.value(frame, pair[0], at)?.operand);
            }
            self.nodes[node].action = Action::Phi(blocks);
            self.nodes[node].operands = operands;
        }
        Ok(())
    }

    /// A value of a function, as it was lowered.
    pub(crate) fn value(
        &mut self,
        frame: &Frame<'m>,
        value: Value,
        at: InstructionId,
    ) -> Result<Lowered, CircuitRefusal> {
        match value {
            Value::Instruction(id) => {
                frame.values.get(&id).copied().ok_or_else(|| self.no_operation(frame, id))
            }
            Value::Argument(position) => Ok(frame.arguments[position as usize]),
            Value::Constant(id) => {
                let constant = &self.module.constants[id];
                let is_pointer = matches!(self.module.types[constant.ty], Type::Pointer(_));
                match constant.value {
                    ConstantValue::Global { global, offset } => {
                        let memory = self.global(global, self.location_of(frame, at))?;
                        let current = self.current_block(frame, at);
                        Ok(self.position(current, memory, offset))
                    }
                    _ if is_pointer => Err(CircuitRefusal::new(
                        self.location_of(frame, at),
                        format!("the pointer {} leads to no memory that is seen", constant.text),
                        "let every pointer lead to a parameter, a local array or data",
                    )),
                    value => {
                        let bits = self.integer_bits(constant.ty, self.location_of(frame, at).as_ref())?;
                        if self.is_aggregate(frame, Value::Constant(id)) {
                            let known = self.aggregate_constant(constant.ty, value, &constant.text);
                            let value = known.ok_or_else(|| self.no_operation(frame, at))?;
                            let operand = KernelOperand::Constant { bits, value };
                            return Ok(Lowered { operand, memory: None });
                        }
                        let value = match value {
                            ConstantValue::Integer(value) => value & all_bits(bits),
                            // Any value will do.
                            ConstantValue::Undef | ConstantValue::Poison => 0,
                            _ => return Err(self.no_operation(frame, at)),
                        };
                        Ok(Lowered { operand: KernelOperand::Constant { bits, value }, memory: None })
                    }
                }
            }
            Value::Function(_) | Value::Declaration(_) => Err(CircuitRefusal::new(
                self.location_of(frame, at),
                "a pointer to a function is used as a value",
                "a circuit has no function pointers; call the function by its name",
            )),
            Value::Block(_) => Err(self.no_operation(frame, at)),
        }
    }

    /// The block in which a constant position that `at` uses is made. Of a phi it is the block that
    /// control comes from. So the entry will do, which is before all.
    fn current_block(&self, frame: &Frame<'m>, at: InstructionId) -> BlockId {
        match frame.body.instructions[at].opcode {
            Opcode::Phi => BlockId::new(0),
            _ => frame.first[&frame.body.block_of(at)],
        }
    }

    /// Bits of an integer of at most 128 bits.
    pub(crate) fn integer_bits(
        &self,
        ty: TypeId,
        location: Option<&KernelLocation>,
    ) -> Result<u32, CircuitRefusal> {
        let refuse = |what: String, remedy: &str| Err(CircuitRefusal::new(location.cloned(), what, remedy));
        match &self.module.types[ty] {
            Type::Integer(bits @ 1..=128) => Ok(*bits),
            Type::Integer(bits) => refuse(
                format!("an integer of {bits} bits is computed"),
                "circuits are made of integers of at most 128 bits",
            ),
            Type::Float(name) => refuse(
                format!("a number of type {name} is computed"),
                "circuits are made of integers; write it in fixed point",
            ),
            Type::Vector { .. } => refuse(
                "a vector is computed".to_owned(),
                "compile it without vectors (-fno-vectorize -fno-slp-vectorize)",
            ),
            Type::Struct { .. } | Type::Array(..) => self.aggregate_bits(ty, location),
            Type::Pointer(_) => refuse(
                "a pointer is kept in memory, or returned".to_owned(),
                "compile it with -O1 or more, and let pointers be parameters and locals",
            ),
            _ => refuse(
                "a value is computed that is no integer".to_owned(),
                "circuits are made of integers of at most 128 bits",
            ),
        }
    }

    pub(crate) fn location(&self, location: Option<PlaceId>) -> Option<KernelLocation> {
        let location = &self.module.places[location?];
        (location.line > 0)
            .then(|| KernelLocation { file: self.module.files[location.file].clone(), line: location.line })
    }

    /// Where an instruction is written, or else its function.
    pub(crate) fn location_of(&self, frame: &Frame<'m>, at: InstructionId) -> Option<KernelLocation> {
        self.location(frame.body.instructions[at].place).or_else(|| self.location(frame.body.place))
    }

    pub(crate) fn no_operation(&self, frame: &Frame<'m>, at: InstructionId) -> CircuitRefusal {
        let opcode = frame.body.instructions[at].opcode;
        CircuitRefusal::new(
            self.location_of(frame, at),
            format!("the operation {opcode} has no circuit"),
            "write it with integers, arrays and loops",
        )
    }

    /// Adds a node to a block.
    pub(crate) fn node(
        &mut self,
        block: BlockId,
        action: Action,
        operands: Vec<KernelOperand>,
        bits: u32,
    ) -> NodeId {
        let node = KernelNode {
            action,
            operands,
            bits,
            block: Some(block),
            name: String::new(),
            location: None,
            origin: None,
        };
        let id = self.nodes.push(node);
        self.blocks[block].nodes.push(id);
        id
    }

    /// Notes which value of the module a node is.
    pub(crate) fn label(&mut self, frame: &Frame<'m>, at: InstructionId, node: NodeId) {
        let value = Value::Instruction(at);
        let location = self.location(frame.body.instructions[at].place);
        let node = &mut self.nodes[node];
        node.name = source_name(frame.body, value).unwrap_or_default();
        node.location = location;
        node.origin = Some(NodeOrigin { function: frame.id, value });
    }
}

/// The variable of the source that a value is.
fn source_name(body: &Function, value: Value) -> Option<String> {
    let name = body.source_names.get(&value).or_else(|| body.names.get(&value))?;
    Some(name.to_string())
}

/// The first byte of a memory.
pub(crate) fn zero_position() -> KernelOperand {
    KernelOperand::Constant { bits: 64, value: 0 }
}
