//! What does a call become? The body of the callee in its place, or an operation.
//!
//! Functions with a body are put in place. Of LLVM's intrinsics those become nodes that compute
//! integers; those that say something only to the optimiser become nothing.

use opcost_ir::{CalleeRef, Predicate, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::transfers::is_transfer;
use super::{Frame, Lowered, Lowering};
use crate::kernel::{Action, KernelOperand, Terminator};
use crate::refusal::CircuitRefusal;

/// Intrinsics without an effect on what is computed.
const SILENT: [&str; 6] = [
    "llvm.lifetime.",
    "llvm.dbg.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.donothing",
    "llvm.sideeffect",
];

impl<'m> Lowering<'m> {
    /// Lowers a call; the block that goes on after it.
    pub(crate) fn call(
        &mut self,
        frame: &mut Frame<'m>,
        current: BlockId,
        at: InstructionId,
    ) -> Result<BlockId, CircuitRefusal> {
        let callee = frame.body.call(at).map(|call| call.callee);
        let location = self.location_of(frame, at);
        match callee {
            Some(CalleeRef::Function(function)) => {
                if self.module.functions[function].linkage == opcost_ir::Linkage::Replaceable {
                    let what =
                        format!("{} may be replaced by another definition", self.function_name(function));
                    return Err(CircuitRefusal::new(location, what, "make it static"));
                }
                let mut arguments = Vec::new();
                for &argument in frame.body.arguments_of(at) {
                    let mut lowered = self.value(frame, argument, at)?;
                    if self.is_pointer(frame, argument) {
                        lowered.memory = Some(self.memory_of(frame, argument, at)?);
                    }
                    arguments.push(lowered);
                }
                self.inline_body(frame, current, at, arguments)
            }
            Some(CalleeRef::Declaration(id)) => {
                let declaration = &self.module.declarations[id];
                if !declaration.is_intrinsic {
                    let what = format!("{} is called, whose body is not seen", declaration.name);
                    return Err(CircuitRefusal::new(
                        location,
                        what,
                        "give the file that defines it, or leave the call out",
                    ));
                }
                let name = declaration.name.clone();
                if is_transfer(&name) {
                    return self.note_transfer(frame, current, at, &name);
                }
                self.intrinsic(frame, current, at, &name)?;
                Ok(current)
            }
            Some(CalleeRef::Indirect) => Err(CircuitRefusal::new(
                location,
                "a function is called through a pointer",
                "a circuit has no function pointers; call the function by its name",
            )),
            _ => Err(CircuitRefusal::new(location, "assembly is called", "write it in C")),
        }
    }

    fn is_pointer(&self, frame: &Frame<'m>, value: Value) -> bool {
        let ty = self.module.type_of(frame.body, value);
        ty.is_some_and(|ty| matches!(self.module.types[ty], Type::Pointer(_)))
    }

    fn inline_body(
        &mut self,
        frame: &mut Frame<'m>,
        current: BlockId,
        at: InstructionId,
        arguments: Vec<Lowered>,
    ) -> Result<BlockId, CircuitRefusal> {
        let Some(CalleeRef::Function(function)) = frame.body.call(at).map(|call| call.callee) else {
            return Err(self.no_operation(frame, at));
        };
        let location = self.location_of(frame, at);
        let entry = self.new_block(location.clone());
        let behind = self.new_block(location);
        self.blocks[current].end = Terminator::Jump(entry);
        let result = self.body(function, arguments, entry)?;
        let (mut blocks, mut operands) = (Vec::new(), Vec::new());
        for (block, value) in result.returns {
            self.blocks[block].end = Terminator::Jump(behind);
            if let Some(value) = value {
                blocks.push(block);
                operands.push(value.operand);
            }
        }
        let ty = frame.body.instructions[at].ty;
        if self.module.types[ty] != Type::Void && !operands.is_empty() {
            let bits = self.integer_bits(ty, self.location_of(frame, at).as_ref())?;
            let node = self.node(behind, Action::Phi(blocks), operands, bits);
            self.label(frame, at, node);
            let operand = KernelOperand::Node(node);
            frame.values.insert(at, Lowered { operand, memory: None });
        }
        Ok(behind)
    }

    fn intrinsic(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
        name: &str,
    ) -> Result<(), CircuitRefusal> {
        if SILENT.iter().any(|silent| name.starts_with(silent)) {
            return Ok(());
        }
        let stem = name.trim_start_matches("llvm.");
        let stem = without_types(stem);
        let refusal = || {
            let what = format!("the operation {stem} has no circuit");
            CircuitRefusal::new(
                self.location_of(frame, at),
                what,
                "write it with operators, arrays and loops",
            )
        };
        let is_integer = matches!(self.module.types[frame.body.instructions[at].ty], Type::Integer(1..=64));
        if !is_integer {
            return Err(refusal());
        }
        let refusal = refusal();
        let bits = self.integer_bits(frame.body.instructions[at].ty, refusal.location.as_ref())?;
        let mut operands = Vec::new();
        for &argument in frame.body.arguments_of(at) {
            operands.push(self.value(frame, argument, at)?.operand);
        }
        let mut maker = Maker { lowering: self, block, bits };
        let node = match (stem, &operands[..]) {
            ("smax" | "smin" | "umax" | "umin", &[left, right]) => {
                let (signed, greatest) = (stem.starts_with('s'), stem.ends_with("max"));
                maker.node(Action::Extreme { signed, greatest }, &[left, right])
            }
            ("abs", &[value, _]) => maker.node(Action::Absolute, &[value]),
            ("fshl" | "fshr", &[high, low, by]) => maker.funnel(high, low, by, stem == "fshl"),
            ("usub.sat", &[left, right]) => {
                let less = maker.node(Action::Sub, &[left, right]);
                let zero = maker.constant(0);
                let is_above = maker.compare(Predicate::Ugt, left, right);
                maker.node(Action::Select, &[is_above, less, zero])
            }
            ("uadd.sat", &[left, right]) => {
                let sum = maker.node(Action::Add, &[left, right]);
                let most = maker.constant(u64::MAX);
                let wraps = maker.compare(Predicate::Ult, sum, left);
                maker.node(Action::Select, &[wraps, most, sum])
            }
            ("sadd.sat" | "ssub.sat", &[left, right]) => maker.saturated(left, right, stem == "sadd.sat"),
            ("ushl.sat" | "sshl.sat", &[value, by]) => maker.shifted(value, by, stem == "sshl.sat"),
            ("ucmp" | "scmp", &[left, right]) => maker.three_ordered(left, right, stem == "scmp"),
            ("bswap", &[value]) => maker.reversed(value, 8),
            ("bitreverse", &[value]) if bits.is_power_of_two() => maker.reversed(value, 1),
            ("bitreverse", &[value]) => maker.reversed_bit_by_bit(value),
            ("ctpop", &[value]) => maker.population(value),
            ("ctlz", &[value, _]) => maker.leading_zeros(value),
            ("cttz", &[value, _]) => maker.trailing_zeros(value),
            ("expect" | "expect.with.probability", &[value, ..]) => maker.node(Action::Copy, &[value]),
            _ => return Err(refusal),
        };
        let KernelOperand::Node(id) = node else { return Err(refusal) };
        self.label(frame, at, id);
        frame.values.insert(at, Lowered { operand: node, memory: None });
        Ok(())
    }
}

/// Adds nodes of one width to a block.
struct Maker<'l, 'm> {
    lowering: &'l mut Lowering<'m>,
    block: BlockId,
    bits: u32,
}

impl Maker<'_, '_> {
    fn node(&mut self, action: Action, operands: &[KernelOperand]) -> KernelOperand {
        KernelOperand::Node(self.lowering.node(self.block, action, operands.to_vec(), self.bits))
    }

    fn compare(&mut self, predicate: Predicate, left: KernelOperand, right: KernelOperand) -> KernelOperand {
        let action = Action::Compare(predicate);
        KernelOperand::Node(self.lowering.node(self.block, action, vec![left, right], 1))
    }

    fn constant(&self, value: u64) -> KernelOperand {
        KernelOperand::Constant { bits: self.bits, value: value & (u64::MAX >> (64 - self.bits)) }
    }

    /// Both words side by side, moved.
    fn funnel(
        &mut self,
        high: KernelOperand,
        low: KernelOperand,
        by: KernelOperand,
        left: bool,
    ) -> KernelOperand {
        // A word of one bit is moved by no bit.
        if self.bits == 1 {
            return self.node(Action::Copy, &[if left { high } else { low }]);
        }
        let last = self.constant(u64::from(self.bits) - 1);
        let one = self.constant(1);
        let (by, rest) = match self.bits.is_power_of_two() {
            true => (self.node(Action::And, &[by, last]), self.node(Action::Xor, &[by, last])),
            false => {
                let bits = self.constant(self.bits.into());
                let by = self.node(Action::Rem { signed: false }, &[by, bits]);
                (by, self.node(Action::Sub, &[last, by]))
            }
        };
        let (first, second) = match left {
            true => {
                let half = self.node(Action::LShr, &[low, one]);
                (self.node(Action::Shl, &[high, by]), self.node(Action::LShr, &[half, rest]))
            }
            false => {
                let double = self.node(Action::Shl, &[high, one]);
                (self.node(Action::LShr, &[low, by]), self.node(Action::Shl, &[double, rest]))
            }
        };
        self.node(Action::Or, &[first, second])
    }

    /// A sum or difference, with the sign, held at the ends of its type. It went over an end where
    /// its sign is neither that of the sum's parts, nor what the difference's parts allow.
    fn saturated(&mut self, left: KernelOperand, right: KernelOperand, adds: bool) -> KernelOperand {
        let result = self.node(if adds { Action::Add } else { Action::Sub }, &[left, right]);
        let differs = self.node(Action::Xor, &[left, result]);
        let other = self.node(Action::Xor, &[right, if adds { result } else { left }]);
        let both = self.node(Action::And, &[differs, other]);
        let zero = self.constant(0);
        let is_over = self.compare(Predicate::Slt, both, zero);
        let end = self.end_of(left);
        self.node(Action::Select, &[is_over, end, result])
    }

    /// The end of the type on the side of a number with sign.
    fn end_of(&mut self, value: KernelOperand) -> KernelOperand {
        let zero = self.constant(0);
        let (least, most) = (self.constant(1 << (self.bits - 1)), self.constant((1 << (self.bits - 1)) - 1));
        let is_negative = self.compare(Predicate::Slt, value, zero);
        self.node(Action::Select, &[is_negative, least, most])
    }

    /// A shift to the left that is held at the end where bits get lost.
    fn shifted(&mut self, value: KernelOperand, by: KernelOperand, signed: bool) -> KernelOperand {
        let result = self.node(Action::Shl, &[value, by]);
        let back = self.node(if signed { Action::AShr } else { Action::LShr }, &[result, by]);
        let is_over = self.compare(Predicate::Ne, back, value);
        let end = if signed { self.end_of(value) } else { self.constant(u64::MAX) };
        self.node(Action::Select, &[is_over, end, result])
    }

    /// Minus one, zero or one.
    fn three_ordered(&mut self, left: KernelOperand, right: KernelOperand, signed: bool) -> KernelOperand {
        let (less, greater) =
            if signed { (Predicate::Slt, Predicate::Sgt) } else { (Predicate::Ult, Predicate::Ugt) };
        let (is_less, is_greater) = (self.compare(less, left, right), self.compare(greater, left, right));
        let [below, same, above] = [u64::MAX, 0, 1].map(|value| self.constant(value));
        let rest = self.node(Action::Select, &[is_greater, above, same]);
        self.node(Action::Select, &[is_less, below, rest])
    }

    /// The bits of which each group of so many changes places with its neighbour.
    fn swapped(&mut self, value: KernelOperand, by: u32) -> KernelOperand {
        let (low, by) = (self.constant(groups(by)), self.constant(by.into()));
        let right = self.node(Action::LShr, &[value, by]);
        let right = self.node(Action::And, &[right, low]);
        let left = self.node(Action::And, &[value, low]);
        let left = self.node(Action::Shl, &[left, by]);
        self.node(Action::Or, &[left, right])
    }

    /// Groups of so many bits in the other order; their number is a power of two.
    fn reversed(&mut self, value: KernelOperand, group: u32) -> KernelOperand {
        let mut value = self.node(Action::Copy, &[value]);
        // Words of 48 bits have three pairs of bytes.
        if !(self.bits / group).is_power_of_two() {
            return self.reversed_group_by_group(value, group);
        }
        let mut by = group;
        while by < self.bits {
            value = self.swapped(value, by);
            by *= 2;
        }
        value
    }

    fn reversed_bit_by_bit(&mut self, value: KernelOperand) -> KernelOperand {
        self.reversed_group_by_group(value, 1)
    }

    fn reversed_group_by_group(&mut self, value: KernelOperand, group: u32) -> KernelOperand {
        let mask = self.constant((1 << group) - 1);
        let mut all = self.constant(0);
        for at in (0..self.bits).step_by(group as usize) {
            let (from, to) = (self.constant(at.into()), self.constant((self.bits - group - at).into()));
            let one = self.node(Action::LShr, &[value, from]);
            let one = self.node(Action::And, &[one, mask]);
            let one = self.node(Action::Shl, &[one, to]);
            all = self.node(Action::Or, &[all, one]);
        }
        all
    }

    /// How many bits are one: sums of neighbours, then of their sums.
    fn population(&mut self, value: KernelOperand) -> KernelOperand {
        let mut sum = self.node(Action::Copy, &[value]);
        let mut by = 1;
        while by < self.bits {
            let (low, shift) = (self.constant(groups(by)), self.constant(by.into()));
            let even = self.node(Action::And, &[sum, low]);
            let odd = self.node(Action::LShr, &[sum, shift]);
            let odd = self.node(Action::And, &[odd, low]);
            sum = self.node(Action::Add, &[even, odd]);
            by *= 2;
        }
        sum
    }

    /// Ones fill what is below the first; what stays zero is counted.
    fn leading_zeros(&mut self, value: KernelOperand) -> KernelOperand {
        let mut filled = self.node(Action::Copy, &[value]);
        let mut by = 1;
        while by < self.bits {
            let shift = self.constant(by.into());
            let below = self.node(Action::LShr, &[filled, shift]);
            filled = self.node(Action::Or, &[filled, below]);
            by *= 2;
        }
        let zeros = self.inverted(filled);
        self.population(zeros)
    }

    /// The bits below the last one are counted.
    fn trailing_zeros(&mut self, value: KernelOperand) -> KernelOperand {
        let one = self.constant(1);
        let below = self.node(Action::Sub, &[value, one]);
        let others = self.inverted(value);
        let zeros = self.node(Action::And, &[below, others]);
        self.population(zeros)
    }

    fn inverted(&mut self, value: KernelOperand) -> KernelOperand {
        let ones = self.constant(u64::MAX);
        self.node(Action::Xor, &[value, ones])
    }
}

/// Ones in every second group of so many bits, from the lowest on.
fn groups(by: u32) -> u64 {
    (0..64u32).filter(|bit| (bit / by).is_multiple_of(2)).fold(0, |all, bit| all | 1 << bit)
}

/// `bswap.i32` and `ucmp.i8.i32` without their types.
fn without_types(name: &str) -> &str {
    let is_type = |end: &str| {
        end.strip_prefix('i').is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|c| c.is_ascii_digit()))
    };
    match name.rsplit_once('.') {
        Some((stem, end)) if is_type(end) => without_types(stem),
        _ => name,
    }
}
