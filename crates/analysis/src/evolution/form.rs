//! Where is a loop left: before its body, after it, or in the middle?
//!
//! A test at the top is a block that every iteration comes to first, that leaves the loop or goes
//! on, and that does nothing else: it may compute, load, and do what its own test needs (the call
//! in `while (next(&x))`, the store of the counter in `while (n-- > 0)`). Several blocks before it
//! may do the same if they only lead to it (`while (a && b)`). The body begins after it. A head
//! that works and then leaves is no such test: its iteration has begun. Cost: the blocks at the
//! top, at most [`MOST_BLOCKS`].

use opcost_ir::{CalleeRef, Flags, Opcode, Value};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::FxHashSet as HashSet;

use super::answer::Form;
use super::solver::Solver;
use opcost_graph::loops::LoopId;

/// How many blocks a test at the top may have.
const MOST_BLOCKS: usize = 8;

/// Where a loop is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) form: Form,
    /// The block of the test at the top.
    pub(super) top: Option<BlockId>,
}

impl Solver<'_, '_> {
    pub(super) fn shape(&self, id: LoopId) -> Shape {
        let natural = &self.source.forest.loops[id];
        let latches = natural.latches();
        let top = self.top_test(id).filter(|top| !latches.contains(top));
        let form = match (natural.exits.is_empty(), top) {
            (true, _) => Form::Endless,
            (false, Some(_)) => Form::TopTested,
            (false, None) if natural.exits.iter().all(|exit| latches.contains(&exit.from)) => {
                Form::BottomTested
            }
            (false, None) => Form::MiddleTested,
        };
        Shape { form, top }
    }

    /// The block that tests before the body.
    fn top_test(&self, id: LoopId) -> Option<BlockId> {
        let natural = &self.source.forest.loops[id];
        let mut region = vec![natural.header];
        let leaves = |block: BlockId| natural.exits.iter().any(|exit| exit.from == block);
        let mut test = natural.header;
        while !leaves(test) {
            if region.len() > MOST_BLOCKS {
                return None;
            }
            // The next block that only what was seen leads to.
            let next = region
                .iter()
                .flat_map(|&block| self.source.function.blocks[block].successors.iter().copied())
                .find(|&next| {
                    let before = &self.state.predecessors[next];
                    !region.contains(&next) && before.iter().all(|from| region.contains(from))
                })?;
            if self.source.forest.innermost[next] != Some(id) {
                return None;
            }
            region.push(next);
            test = next;
        }
        let leads_to_test = region.iter().filter(|&&block| block != test).all(|&block| {
            let successors = &self.source.function.blocks[block].successors;
            successors.iter().all(|next| region.contains(next) && *next != natural.header)
        });
        (leads_to_test && self.only_tests(&region, test)).then_some(test)
    }

    /// Whether blocks only compute and do what their test needs.
    fn only_tests(&self, region: &[BlockId], test: BlockId) -> bool {
        let needed = self.needed_by(region, test);
        region.iter().flat_map(|&block| self.source.function.instructions_of(block)).all(|id| {
            let instruction = &self.source.function.instructions[id];
            match instruction.opcode {
                Opcode::Store => {
                    let value = self.source.function.operands_of(id)[0];
                    self.is_made_of(value, &needed)
                }
                Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW | Opcode::VAArg => {
                    needed.contains(&id)
                }
                opcode if opcode.is_call() => needed.contains(&id) || self.is_idle_call(id),
                _ => true,
            }
        })
    }

    /// The instructions of a region that its test is made of.
    fn needed_by(&self, region: &[BlockId], test: BlockId) -> HashSet<InstructionId> {
        let mut needed = HashSet::default();
        let mut work: Vec<InstructionId> =
            region.iter().map(|&block| self.source.function.terminator_of(block)).collect();
        work.push(self.source.function.terminator_of(test));
        while let Some(id) = work.pop() {
            if !region.contains(&self.state.blocks[id]) || !needed.insert(id) {
                continue;
            }
            work.extend(self.source.function.operands_of(id).iter().filter_map(|operand| match operand {
                Value::Instruction(id) => Some(*id),
                _ => None,
            }));
        }
        needed
    }

    /// Whether a value is needed, or one step from what is.
    fn is_made_of(&self, value: Value, needed: &HashSet<InstructionId>) -> bool {
        let Value::Instruction(id) = value else { return false };
        let operands = self.source.function.operands_of(id).iter();
        let mut parts = operands.filter_map(|operand| match operand {
            Value::Instruction(id) => Some(*id),
            _ => None,
        });
        needed.contains(&id) || parts.any(|part| needed.contains(&part))
    }

    /// A call that a body would not begin with: marks for the compiler, and
    /// functions that only compute.
    fn is_idle_call(&self, id: InstructionId) -> bool {
        let Some(call) = self.source.function.call(id) else { return false };
        let is_mark = match call.callee {
            CalleeRef::Declaration(_) => self.source.module.intrinsic_name(call.callee).is_some_and(|name| {
                ["llvm.dbg", "llvm.lifetime", "llvm.assume", "llvm.invariant", "llvm.experimental.noalias"]
                    .iter()
                    .any(|mark| name.starts_with(mark))
            }),
            _ => false,
        };
        is_mark || (!call.memory.may_write() && call.is_willreturn && call.is_nounwind)
    }

    /// Whether the language promises that the loop ends: it is `mustprogress`,
    /// and does nothing that is seen from outside.
    pub(super) fn is_promised_to_end(&self, id: LoopId) -> bool {
        let (function, natural) = (self.source.function, &self.source.forest.loops[id]);
        let latches = natural.latches();
        let is_promised = function.is_must_progress
            || latches.iter().all(|&latch| function.blocks[latch].latch.must_progress);
        is_promised
            && natural.members.iter().flat_map(|&block| function.instructions_of(block)).all(|at| {
                let instruction = &function.instructions[at];
                let is_seen = instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC);
                let comes_back = !instruction.opcode.is_call() || self.is_idle_call(at);
                !is_seen && comes_back
            })
    }
}
