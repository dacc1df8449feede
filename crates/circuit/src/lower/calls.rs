//! What does a call become? The body of the callee in its place, or an operation.
//!
//! Functions with a body are put in place. Of LLVM's intrinsics those become nodes that compute
//! integers; those that say something only to the optimiser become nothing.

use opcost_ir::{CalleeRef, Predicate, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::maker::Maker;
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
                    if self.is_pointer(frame, argument)
                        && let [memory] = self.memories_of(frame, argument, at)?[..]
                    {
                        lowered.memory = Some(memory);
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
        if stem.ends_with(".with.overflow") {
            return self.overflow(frame, block, at, stem);
        }
        let is_integer = matches!(self.module.types[frame.body.instructions[at].ty], Type::Integer(1..=128));
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
                let most = maker.constant(u128::MAX);
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

    /// An operation with two results, which instructions take apart.
    fn overflow(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        at: InstructionId,
        stem: &str,
    ) -> Result<(), CircuitRefusal> {
        let &[left, right] = frame.body.arguments_of(at) else { return Err(self.no_operation(frame, at)) };
        let ty = self.module.type_of(frame.body, left).ok_or_else(|| self.no_operation(frame, at))?;
        let bits = self.integer_bits(ty, self.location_of(frame, at).as_ref())?;
        let left = self.value(frame, left, at)?.operand;
        let right = self.value(frame, right, at)?.operand;
        let both = Maker { lowering: self, block, bits }.overflowing(stem, left, right);
        match both {
            // Parts of words of one bit are not distinguished.
            Some(both) if bits > 1 => {
                frame.overflowing.insert(at, [both.number, both.is_over]);
                Ok(())
            }
            _ => Err(self.no_operation(frame, at)),
        }
    }
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
