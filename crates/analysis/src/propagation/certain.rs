//! Which values lead to nothing undefined? Ranges that certain accesses demand.
//!
//! Backwards through each function, with what each value must be from there on so that nothing
//! undefined is done: an access keeps its pointer within the objects that it may point to; steps
//! lead that back to what the pointer is made of ([`back`]); where control splits, a value must be
//! what either way demands of it, as far as the branch lets it go that way; where it joins, a phi's
//! demand is that of what comes in. So an access demands something only if nothing is between that
//! perhaps does not come back: calls that do not promise it, volatile and atomic accesses, and
//! loops, since nothing is known of where an edge leads back to.
//!
//! What is demanded holds at the definition, in executions that do nothing
//! undefined *at all*, not only before: what is undefined later may have been
//! seen earlier. Other operands are taken with the ranges that hold without this.
//!
//! Input: ranges of a module. Output: [`Demanded`]. Cost: linear in the
//! instructions, with at most [`MOST_VALUES`] values followed at a time.

mod accesses;
mod walk;

use opcost_index::{Id, IdMap, postorder};
use opcost_ir::{CalleeRef, Flags, Function, Instruction, Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::edges::{opposite, turned};
use super::found::Propagation;
use super::options::RangeOptions;
use crate::memory::MemoryModel;
use crate::ranges::back;
use crate::ranges::{Operation, RangeStep, ValueRange};
use opcost_library::effect::ResultKind;
use walk::{Demanded, MOST_VALUES, State, Walk};

/// What all certain accesses demand.
pub(super) fn demanded(program: &MemoryModel<'_>, ranges: &Propagation, options: RangeOptions) -> Demanded {
    let mut all = Demanded::default();
    let allocates_once = !moves_memory(program);
    for (id, function) in program.module.functions.iter() {
        let comes_again = function.calls.iter().any(|(_, call)| call.returns_twice);
        if function.blocks.is_empty() || function.is_naked || function.is_coroutine || comes_again {
            continue;
        }
        let state = State::default();
        Walk { program, ranges, options, allocates_once, id, function, state, all: &mut all }.walk();
    }
    all
}

impl Walk<'_> {
    fn walk(&mut self) {
        let entry = BlockId::new(0);
        let mut before: IdMap<BlockId, Option<State>> = IdMap::filled(self.function.blocks.len(), None);
        for block in postorder(self.function, entry) {
            self.state = self.at_end(block, &before);
            for at in self.function.instructions_of(block).rev() {
                self.step(at);
            }
            before[block] = Some(std::mem::take(&mut self.state));
        }
        for (&value, range) in before[entry].iter().flatten() {
            if let Value::Argument(_) = value {
                self.all.ranges.push((self.id, value, range.clone()));
            }
        }
    }

    /// What must hold where a block ends.
    fn at_end(&self, block: BlockId, before: &IdMap<BlockId, Option<State>>) -> State {
        let mut successors = self.function.blocks[block].successors.clone();
        successors.sort_unstable();
        successors.dedup();
        let edges: Vec<State> = successors
            .iter()
            .map(|&to| {
                before[to].as_ref().map_or_else(State::default, |state| self.on_edge(block, to, state))
            })
            .collect();
        let mut all = State::default();
        for (&value, _) in edges.iter().flatten() {
            let Some(known) = self.known(value).filter(|_| !all.contains_key(&value)) else { continue };
            let empty = ValueRange::empty(known.type_width());
            let joined = successors.iter().zip(&edges).fold(empty, |joined, (&to, edge)| {
                let own = edge.get(&value).unwrap_or(&known);
                joined.join(&self.on_branch(block, to, value, own))
            });
            let joined = joined.meet(&known);
            if !joined.contains_all(&known) && all.len() < MOST_VALUES {
                all.insert(value, joined);
            }
        }
        all
    }

    /// What must hold where control goes from one block to another.
    #[allow(clippy::iter_over_hash_type, reason = "demands of one value are met in any order")]
    fn on_edge(&self, from: BlockId, to: BlockId, state: &State) -> State {
        let mut edge = State::default();
        for (&value, range) in state {
            let source = match value {
                Value::Instruction(at) if self.is_phi_of(at, to) => {
                    let pairs = self.function.operands_of(at).chunks_exact(2);
                    pairs.into_iter().find(|pair| pair[1] == Value::Block(from)).map(|pair| pair[0])
                }
                other => Some(other),
            };
            let Some(source) = source.filter(|&source| !matches!(source, Value::Constant(_))) else {
                continue;
            };
            let Some(known) = self.known(source) else { continue };
            let own = edge.entry(source).or_insert(known);
            *own = own.meet(range);
        }
        edge
    }

    fn is_phi_of(&self, at: InstructionId, block: BlockId) -> bool {
        let instruction = &self.function.instructions[at];
        instruction.opcode == Opcode::Phi && self.function.block_of(at) == block
    }

    /// What a value can be, of a range, where a branch goes there.
    fn on_branch(&self, from: BlockId, to: BlockId, value: Value, range: &ValueRange) -> ValueRange {
        let terminator = self.function.terminator_of(from);
        let operands = self.function.operands_of(terminator);
        let (Opcode::Br, &[Value::Instruction(test), Value::Block(yes), Value::Block(no)]) =
            (self.function.instructions[terminator].opcode, operands)
        else {
            return range.clone();
        };
        let instruction = &self.function.instructions[test];
        let (Opcode::ICmp, Some(predicate)) = (instruction.opcode, instruction.predicate) else {
            return range.clone();
        };
        let is_number = |value: Value| self.is_integer(value);
        let &[left, right] = self.function.operands_of(test) else { return range.clone() };
        if yes == no || !is_number(left) || !is_number(right) {
            return range.clone();
        }
        let predicate = if to == yes { predicate } else { opposite(predicate) };
        let mut refined = range.clone();
        for (one, other, predicate) in [(left, right, predicate), (right, left, turned(predicate))] {
            if one == value
                && let Some(other) = self.known(other)
            {
                refined = refined.refine(predicate, &other, instruction.flags);
            }
        }
        refined
    }

    fn is_integer(&self, value: Value) -> bool {
        let module = self.program.module;
        let ty = match value {
            Value::Instruction(at) => self.function.instructions[at].ty,
            Value::Constant(id) => module.constants[id].ty,
            Value::Argument(position) => match &module.types[self.function.ty] {
                Type::Function(_, parameters, _) => parameters[position as usize],
                _ => return false,
            },
            _ => return false,
        };
        matches!(module.types[ty], Type::Integer(1..=128))
    }

    /// From after an instruction to before it.
    fn step(&mut self, at: InstructionId) {
        let value = Value::Instruction(at);
        let instruction = &self.function.instructions[at];
        let is_phi = instruction.opcode == Opcode::Phi;
        // The blocks before still ask for a phi.
        let own = if is_phi { self.state.get(&value).cloned() } else { self.state.remove(&value) };
        if let Some(own) = &own {
            self.all.ranges.push((self.id, value, own.clone()));
        }
        if is_phi {
            return;
        }
        if !self.comes_back(at, instruction) {
            return self.state.clear();
        }
        match (instruction.opcode, self.function.operands_of(at)) {
            (Opcode::Load, &[pointer, ..]) => self.access(at, pointer, Some(instruction.ty)),
            (Opcode::Store, &[_, pointer, ..]) => self.access(at, pointer, instruction.second_type),
            (Opcode::GetElementPtr, _) => {
                if let Some(own) = own {
                    self.element(at, &own);
                }
            }
            _ => {
                if let Some(own) = own {
                    self.operands(at, instruction, &own);
                }
            }
        }
    }

    /// Whether what is after an instruction certainly follows it.
    fn comes_back(&self, at: InstructionId, instruction: &Instruction) -> bool {
        use Opcode::*;
        match instruction.opcode {
            Load | Store => !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC),
            Call => {
                let Some(call) = self.function.call(at) else { return false };
                let name = self.program.module.intrinsic_name(call.callee).unwrap_or("");
                let is_marker = ["llvm.lifetime.", "llvm.dbg.", "llvm.assume"];
                is_marker.iter().any(|start| name.starts_with(start))
                    || Operation::of_intrinsic(name, false).is_some()
                    || call.is_willreturn && call.is_nounwind && !call.is_noreturn
            }
            Br | Switch | GetElementPtr | Phi | Select | ICmp | FCmp | Freeze | Alloca => true,
            Trunc | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt | PtrToInt
            | IntToPtr | BitCast | AddrSpaceCast => true,
            FNeg | Add | FAdd | Sub | FSub | Mul | FMul | UDiv | SDiv | FDiv | URem | SRem | FRem | Shl
            | LShr | AShr | And | Or | Xor => true,
            ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue => true,
            _ => false,
        }
    }

    /// What the operands of a step must be.
    fn operands(&mut self, at: InstructionId, instruction: &Instruction, own: &ValueRange) {
        let operands = self.function.operands_of(at);
        if !self.is_integer(Value::Instruction(at)) || !operands.iter().all(|&one| self.is_integer(one)) {
            return;
        }
        let flags = self.options.flags(instruction.opcode, instruction.flags);
        let width = own.type_width();
        let Some(step) = RangeStep::of_opcode(instruction.opcode, instruction.predicate, flags, width) else {
            return;
        };
        let ranges: Option<Vec<ValueRange>> = operands.iter().map(|&value| self.known(value)).collect();
        let Some(ranges) = ranges else { return };
        let ranges: Vec<&ValueRange> = ranges.iter().collect();
        for (position, &operand) in operands.iter().enumerate() {
            self.need(operand, &back::operand(&step, &ranges, position, own));
        }
    }
}

/// Whether any call may give an object another size.
fn moves_memory(program: &MemoryModel<'_>) -> bool {
    let module = program.module;
    let by_name = module.declarations.values().any(|declared| declared.name.contains("realloc"));
    let moves = |function: &Function, &(at, ref call): &(InstructionId, opcost_ir::Call)| match call.callee {
        CalleeRef::Declaration(declared) => {
            matches!(program.externals.effect(function, at, declared).result, ResultKind::Moved(_))
        }
        _ => false,
    };
    by_name || module.functions.values().any(|body| body.calls.iter().any(|call| moves(body, call)))
}
