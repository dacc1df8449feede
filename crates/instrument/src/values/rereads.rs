//! May memory be read once more, at another moment than the program reads it?
//!
//! Only where that cannot trap unless the program itself does: data of the module inside of its
//! size, variables of the frame once they are there, and what the first iteration of a loop
//! certainly reads before anything else happens, when that loop is entered; an address that is
//! itself so read is read again. What is read is what is there: whether that is what a claim means
//! is the claim's. Input: a load, a moment. Output: yes, or why not. Cost: the header up to the
//! load.

use opcost_analysis::memory::constant_distance;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::Id;
use opcost_ir::{ConstantValue, Flags, Function, GlobalKind, Layout, Module, Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};

use crate::claims::Moment;
use crate::unchecked::Unchecked;

/// How many `getelementptr`s, and loads, an address is followed through.
const DEEPEST: u32 = 8;

/// A loop, for whose check something is read.
#[derive(Clone, Copy)]
pub struct Rereads<'a> {
    /// The module.
    pub module: &'a Module,
    /// Sizes of its types.
    pub layout: &'a Layout,
    /// The loop's function.
    pub function: &'a Function,
    /// Its loops.
    pub forest: &'a LoopForest<BlockId>,
    /// Its dominators.
    pub dominators: &'a Dominators<BlockId>,
    /// The loop.
    pub natural: LoopId,
}

impl Rereads<'_> {
    /// Whether what a load reads can be read at a moment, without a trap that
    /// the program would not have.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, load: InstructionId, moment: Moment) -> Result<(), Unchecked> {
        self.may_reread(load, moment, DEEPEST)
    }

    pub(super) fn header(&self, natural: LoopId) -> BlockId {
        self.forest.loops[natural].header
    }

    pub(super) fn is_outside(&self, value: Value) -> bool {
        !matches!(value, Value::Instruction(id) if self.forest.contains(self.natural, self.function.block_of(id)))
    }

    /// Whether a value is known in a block, whatever the way there, from its start on.
    pub(super) fn is_known_in(&self, value: Value, block: BlockId) -> bool {
        match value {
            Value::Instruction(id) => {
                let own = self.function.block_of(id);
                let opcode = self.function.instructions[id].opcode;
                own != block && self.dominators.dominates(own, block) && opcode != Opcode::CallBr
            }
            Value::Argument(_) => true,
            _ => false,
        }
    }

    /// The block at whose start the moment is, at the latest.
    pub(super) fn block_of(&self, moment: Moment) -> BlockId {
        match moment {
            Moment::Start => BlockId::new(0),
            Moment::Block(block) | Moment::Entry(block) => block,
            Moment::Behind(id) => self.function.block_of(id),
        }
    }

    fn may_reread(&self, load: InstructionId, moment: Moment, depth: u32) -> Result<(), Unchecked> {
        let instruction = &self.function.instructions[load];
        let bits = match self.module.types[instruction.ty] {
            Type::Integer(bits @ (8 | 16 | 32 | 64)) => bits,
            Type::Pointer(0) => self.layout.pointer_bits(0),
            _ => return Err(Unchecked::NoPlainInteger),
        };
        let is_open = instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC);
        if instruction.opcode != Opcode::Load || is_open || depth == 0 {
            return Err(Unchecked::NotTwice);
        }
        let (base, offset) = self.base(self.function.operands_of(load)[0]);
        let is_inside = |size: u64| offset >= 0 && offset as u64 + u64::from(bits / 8) <= size;
        let gone = || Err(Unchecked::UncertainAddress);
        match base {
            Value::Constant(id) => match self.module.constants[id].value {
                ConstantValue::Global { global, offset: more } => {
                    let data = &self.module.globals[global];
                    let is_data = data.kind == GlobalKind::Variable && !data.is_thread_local;
                    let size = self.layout.size(data.ty).filter(|_| is_data);
                    let end = offset.checked_add(more).and_then(|at| u64::try_from(at).ok());
                    match size.zip(end) {
                        Some((size, end)) if end + u64::from(bits / 8) <= size => Ok(()),
                        _ => gone(),
                    }
                }
                _ => gone(),
            },
            Value::Instruction(id) if self.function.instructions[id].opcode == Opcode::Alloca => {
                let place = self.block_of(moment);
                let is_later = match moment {
                    Moment::Behind(at) if place.index() == 0 => at > id,
                    _ => place.index() != 0,
                };
                let is_fixed = self.function.block_of(id).index() == 0 && self.is_single(id);
                let ty = self.function.instructions[id].second_type;
                let size = ty.and_then(|ty| self.layout.size(ty)).filter(|_| is_fixed && is_later);
                if size.is_some_and(is_inside) { Ok(()) } else { gone() }
            }
            _ if moment != Moment::Entry(self.header(self.natural)) || !self.is_first_in_the_loop(load) => {
                gone()
            }
            base if self.is_known_in(base, self.header(self.natural)) && self.is_outside(base) => Ok(()),
            // The address itself is read by the loop: it is read again, too.
            Value::Instruction(id)
                if self.function.block_of(id) == self.function.block_of(load)
                    && self.function.instructions[id].opcode == Opcode::Load =>
            {
                self.may_reread(id, moment, depth - 1)
            }
            _ => gone(),
        }
    }

    /// An `alloca` of one element.
    fn is_single(&self, id: InstructionId) -> bool {
        match self.function.operands_of(id) {
            [] => true,
            [Value::Constant(count)] => &*self.module.constants[*count].text == "1",
            _ => false,
        }
    }

    /// Whether a load is made first of all when the loop is entered. It is in the header, and
    /// nothing before it writes or may not come back.
    fn is_first_in_the_loop(&self, load: InstructionId) -> bool {
        let header = self.header(self.natural);
        let is_harmless = |id: InstructionId| {
            let opcode = self.function.instructions[id].opcode;
            !opcode.is_call()
                && !matches!(
                    opcode,
                    Opcode::Store | Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW | Opcode::VAArg
                )
        };
        self.function.block_of(load) == header
            && self.function.instructions_of(header).take_while(|&id| id != load).all(is_harmless)
    }

    /// What an address starts from, and how many bytes after that it is.
    fn base(&self, address: Value) -> (Value, i64) {
        let (mut base, mut offset) = (address, 0_i64);
        for _ in 0..DEEPEST {
            let Value::Instruction(id) = base else { break };
            if self.function.instructions[id].opcode != Opcode::GetElementPtr {
                break;
            }
            let Some(more) = constant_distance(self.module, self.layout, self.function, id) else { break };
            let Some(sum) = offset.checked_add(more) else { break };
            (base, offset) = (self.function.operands_of(id)[0], sum);
        }
        (base, offset)
    }
}
