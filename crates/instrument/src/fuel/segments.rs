//! What does a module spend, counted the obvious way?
//!
//! The referee of all other placements: every segment of every function is
//! charged in the cell at its own start. A segment is straight code up to an
//! instruction that a program can end at (a call, an access to memory, a division)
//! or the end of its block, so none of it is left undone once it was begun.
//! Nothing is moved, folded, handed on or asked about; a program metered so is
//! slow and never stopped, and at its end the cell says what was done.
//!
//! The one thing that it shares with the others is what belongs to what: with a call that becomes a
//! jump goes the `ret` after it (`leaving`). Cost: linear.

use opcost_index::Id;
use opcost_ir::{BalanceLocation, EditPoint, FuelEdit, Length, Metering, Module, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::bodies::is_counted;
use crate::cost::CostModel;
use crate::leaving::Leaving;

/// Charges all segments of a module.
pub(crate) fn charge_each(module: &Module, cost: &CostModel) -> Metering {
    let leaving = Leaving::compute(module);
    let mut metering = Metering::default();
    for (id, function) in module.functions.iter().filter(|(_, function)| is_counted(function)) {
        let mut writer = Writer { module, id, cost, metering: &mut metering };
        let jumps = |block: &BlockId| leaving.jump_to_return(id, function, *block).is_some();
        // While the blocks that only return are still what they were.
        function.blocks.ids().filter(jumps).for_each(|block| writer.push(FuelEdit::ReturnHere { block }));
        function.blocks.ids().for_each(|block| writer.block(block, &leaving));
    }
    metering
}

struct Writer<'a> {
    module: &'a Module,
    id: FunctionId,
    cost: &'a CostModel,
    metering: &'a mut Metering,
}

impl Writer<'_> {
    fn block(&mut self, block: BlockId, leaving: &Leaving) {
        let function = &self.module.functions[self.id];
        let jump = leaving.jump_to_return(self.id, function, block);
        let (mut start, mut work, mut is_jump) = (EditPoint::Start(block), 0, false);
        for instruction in function.instructions_of(block) {
            if let Some(length) = self.cost.length(self.module, function, instruction) {
                self.charge(start, work);
                self.charge_length(instruction, length);
                (start, work) = (EditPoint::Before(instruction), 0);
            }
            work += self.weight(instruction);
            is_jump |= leaving.is_jump(self.id, function, block, instruction);
            let can_end =
                function.call(instruction).is_some() || can_fault(function.instructions[instruction].opcode);
            if can_end && !is_jump && jump.is_none_or(|(at, _)| at != instruction) {
                self.charge(start, work);
                let next = InstructionId::new(instruction.index() + 1);
                (start, work) = (EditPoint::Before(next), 0);
            }
        }
        if let Some((_, target)) = jump {
            work += function.instructions_of(target).map(|instruction| self.weight(instruction)).sum::<i64>();
        }
        self.charge(start, work);
    }

    fn weight(&self, instruction: InstructionId) -> i64 {
        i64::from(self.cost.weight(self.module, &self.module.functions[self.id], instruction))
    }

    fn charge(&mut self, spot: EditPoint, amount: i64) {
        // Behind the last instruction of a block there is nothing.
        if amount != 0 {
            self.push(FuelEdit::Load { location: BalanceLocation::Cell, spot, advance: 0 });
            self.push(FuelEdit::Charge { spot, amount });
            self.push(FuelEdit::Store { location: BalanceLocation::Cell, spot, advance: 0 });
        }
    }

    fn charge_length(&mut self, instruction: InstructionId, length: Length) {
        let spot = EditPoint::Before(instruction);
        self.push(FuelEdit::Load { location: BalanceLocation::Cell, spot, advance: 0 });
        self.push(FuelEdit::ChargeLength { instruction, length });
        self.push(FuelEdit::Store { location: BalanceLocation::Cell, spot, advance: 0 });
    }

    fn push(&mut self, edit: FuelEdit) {
        self.metering.edits.push((self.id, edit));
    }
}

/// Whether the machine may refuse it.
fn can_fault(opcode: Opcode) -> bool {
    use Opcode::{AtomicCmpXchg, AtomicRMW, Load, SDiv, SRem, Store, UDiv, URem};
    matches!(opcode, Load | Store | AtomicCmpXchg | AtomicRMW | SDiv | SRem | UDiv | URem)
}
