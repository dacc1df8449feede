//! What is done between two looks at the cell?
//!
//! Blocks are cut into stretches after calls that may look at the fuel left, and before an
//! instruction that is charged by its length, or leads into a loop that is paid for ahead
//! (`prepaid`): there the loop's own blocks cost nothing. A stretch is straight code: once begun it
//! is done to its end. What a tail call leaves to do (the `ret`, also in a block of its own)
//! belongs to the stretch of the call, since nothing may be between the two.
//!
//! Every stretch says how it is come to and how it is left (`stretch`). Cost: linear.

use opcost_index::{Id, IdMap};
use opcost_ir::{BalanceLocation, CalleeRef, Charged, Flow, FuelEdit, Function, Module, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::fuel::around::Around;
use crate::fuel::fuel_access::{FuelAccess, fuel_access};
use crate::fuel::prepaid::Prepaid;
use crate::fuel::stretch::{End, Reached, Stretch, StretchId, Stretches};

impl Stretches {
    pub(crate) fn compute(module: &Module, id: FunctionId, around: &Around<'_>) -> Stretches {
        let function = &module.functions[id];
        let mut cutter = Cutter { module, id, function, around, prepaid: Prepaid::default() };
        cutter.prepaid = Prepaid::find(module, function, around, |block| cutter.plain_work(block));
        let entered = if around.handed.contains(id) { BalanceLocation::Hand } else { BalanceLocation::Cell };
        let mut list = IdMap::new();
        let mut first = IdMap::new();
        let mut reached = Vec::with_capacity(function.instructions.len());
        for block in function.blocks.ids() {
            first.push(list.next_id());
            cutter.cut(block, &mut list, &mut reached);
        }
        Stretches { list, first, entered, prepaid: cutter.prepaid, reached }
    }
}

struct Cutter<'a> {
    module: &'a Module,
    id: FunctionId,
    function: &'a Function,
    around: &'a Around<'a>,
    prepaid: Prepaid,
}

impl Cutter<'_> {
    fn cut(&self, block: BlockId, list: &mut IdMap<StretchId, Stretch>, reached: &mut Vec<Reached>) {
        let terminator = self.function.terminator_of(block);
        let (mut first, mut work, mut head, mut measured) = (None, 0, 0, None);
        let mut is_head = true;
        for instruction in self.function.instructions_of(block) {
            if let Some(found) = self.measured(block, instruction) {
                if let Some(first) = first.take_if(|_| !is_head) {
                    let last = InstructionId::new(instruction.index() - 1);
                    let (end, keeper) = (End::Measured, BalanceLocation::Cell);
                    list.push(Stretch {
                        block,
                        first,
                        last,
                        work,
                        head,
                        measured,
                        end,
                        balance_location: keeper,
                    });
                    (work, head) = (0, 0);
                }
                measured = Some(found);
            }
            let start = *first.get_or_insert(instruction);
            let weight = self.weight(block, instruction);
            work += weight;
            let callee = self.folded_into(instruction);
            let charged = match self.is_prepaid(block) {
                true => Charged::Ahead,
                false if callee.is_some() => Charged::WithCallee,
                false => Charged::InPlace,
            };
            reached.push(Reached { instruction, stretch: list.next_id(), done: work, charged });
            work += callee.filter(|_| charged != Charged::Ahead).unwrap_or(0);
            is_head &= self.stands_first(block, instruction);
            if is_head {
                head += weight;
            }
            let end = if instruction == terminator {
                work += self.prepaid.entered_by(block).map_or(0, |loop_| loop_.at_entry);
                self.end_of_block(block, terminator, &mut work)
            } else {
                match self.end_at_call(block, instruction) {
                    Some(end) => end,
                    None => continue,
                }
            };
            let keeper = self.balance_location(end);
            list.push(Stretch {
                block,
                first: start,
                last: instruction,
                work,
                head,
                measured,
                end,
                balance_location: keeper,
            });
            (first, work, head, measured) = (None, 0, 0, None);
        }
    }

    fn is_prepaid(&self, block: BlockId) -> bool {
        self.prepaid.blocks.contains(block)
    }

    fn weight(&self, block: BlockId, instruction: InstructionId) -> u64 {
        let is_paid = self.is_prepaid(block);
        if is_paid { 0 } else { u64::from(self.around.cost.weight(self.module, self.function, instruction)) }
    }

    /// What is charged before the instruction when the program runs.
    fn measured(&self, block: BlockId, instruction: InstructionId) -> Option<FuelEdit> {
        if let Some(length) = self.around.cost.length(self.module, self.function, instruction) {
            return Some(FuelEdit::ChargeLength { instruction, length });
        }
        let entered = self.prepaid.entered_by(block)?;
        let trips = entered.trips.filter(|_| instruction == self.function.terminator_of(block))?;
        Some(FuelEdit::ChargeTrips { instruction, trips, cost: entered.cost })
    }

    /// The weight of a block in which nobody looks and nothing is measured, and
    /// that goes on to other blocks.
    fn plain_work(&self, block: BlockId) -> Option<u64> {
        let terminator = self.function.terminator_of(block);
        let mut work = 0;
        for instruction in self.function.instructions_of(block) {
            let is_measured = self.around.cost.length(self.module, self.function, instruction).is_some();
            if is_measured || (instruction != terminator && self.end_at_call(block, instruction).is_some()) {
                return None;
            }
            work += self.weight(block, instruction) + self.folded_into(instruction).unwrap_or(0);
        }
        (self.end_of_block(block, terminator, &mut 0) == End::Branch).then_some(work)
    }

    /// Whether nothing can be put into the block before it.
    fn stands_first(&self, block: BlockId, instruction: InstructionId) -> bool {
        match self.function.instructions[instruction].opcode {
            Opcode::Phi | Opcode::LandingPad => true,
            Opcode::Alloca => {
                let elements = self.function.operands_of(instruction).first();
                block.index() == 0 && matches!(elements, None | Some(Value::Constant(_)))
            }
            _ => false,
        }
    }

    /// What the callee of this call does, if it is paid for with the call.
    fn folded_into(&self, instruction: InstructionId) -> Option<u64> {
        match self.function.call(instruction)?.callee {
            CalleeRef::Function(callee) => self.around.folded[callee],
            _ => None,
        }
    }

    fn balance_location(&self, end: End) -> BalanceLocation {
        let is_handed = match end {
            End::Call(at) | End::NoReturn(at) | End::Invoke(at) => match self.function.call(at) {
                Some(call) => {
                    matches!(call.callee, CalleeRef::Function(id) if self.around.handed.contains(id))
                }
                None => false,
            },
            // An exception finds what is left in the cell.
            End::Return(at) => {
                self.around.handed.contains(self.id) && self.function.instructions[at].opcode == Opcode::Ret
            }
            _ => false,
        };
        if is_handed { BalanceLocation::Hand } else { BalanceLocation::Cell }
    }

    fn end_at_call(&self, block: BlockId, instruction: InstructionId) -> Option<End> {
        let call = self.function.call(instruction)?;
        if self.around.leaving.is_jump(self.id, self.function, block, instruction) {
            return None;
        }
        match fuel_access(self.module, call, self.around.own_in_calls) {
            _ if self.folded_into(instruction).is_some() => None,
            FuelAccess::Never if !call.is_noreturn && !call.returns_twice => None,
            _ if call.is_noreturn => Some(End::NoReturn(instruction)),
            _ => Some(End::Call(instruction)),
        }
    }

    fn end_of_block(&self, block: BlockId, terminator: InstructionId, work: &mut u64) -> End {
        if let Some((call, target)) = self.around.leaving.jump_to_return(self.id, self.function, block) {
            let there = self.function.instructions_of(target);
            *work += there
                .map(|id| u64::from(self.around.cost.weight(self.module, self.function, id)))
                .sum::<u64>();
            return End::Jump(call);
        }
        match self.function.instructions[terminator].opcode {
            Opcode::Ret => self.jump_before(block).map_or(End::Return(terminator), End::Jump),
            Opcode::Resume => End::Return(terminator),
            Opcode::Unreachable => End::Nowhere,
            Opcode::Invoke => End::Invoke(terminator),
            _ if self.function.blocks[block].flow == Flow::Unsplittable => End::Unsplittable,
            _ => End::Branch,
        }
    }

    /// The call that becomes a jump with the `ret` of this block; a `musttail`
    /// may have one cast between the two.
    fn jump_before(&self, block: BlockId) -> Option<InstructionId> {
        let before = self.function.instructions_of(block).rev().skip(1).take(2);
        before.into_iter().find(|&call| {
            self.function.instructions[call].opcode == Opcode::Call
                && self.around.leaving.is_jump(self.id, self.function, block, call)
        })
    }
}
