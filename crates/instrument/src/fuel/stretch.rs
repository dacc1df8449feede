//! What is a stretch of a function, how is it come to and how is it left?
//!
//! `stretches` cuts functions into them; `payment` and `lengths` look at nothing else.

use opcost_index::{Id, IdMap, define_id};
use opcost_ir::{BalanceLocation, Charged, EditPoint, FuelEdit, Function, Opcode};
use opcost_key::{BlockId, InstructionId};

use crate::fuel::prepaid::Prepaid;

define_id!(
    /// A stretch of a function.
    pub struct StretchId, "stretch"
);

/// Straight code between two looks at the cell.
pub(crate) struct Stretch {
    pub(crate) block: BlockId,
    pub(crate) first: InstructionId,
    /// Its last instruction.
    pub(crate) last: InstructionId,
    /// The weight of all of it.
    pub(crate) work: u64,
    /// The weight of what comes before anything can be put into its block:
    /// phis, the landing pad, the frame's own memory.
    pub(crate) head: u64,
    /// What is charged when the program runs, by the length of an instruction or the iterations of
    /// a loop. It comes before the first instruction after the head.
    pub(crate) measured: Option<FuelEdit>,
    pub(crate) end: End,
    /// Who has what is left at its end, if the register is settled there, and
    /// when its call has returned.
    pub(crate) balance_location: BalanceLocation,
}

/// How a stretch is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By a call that looks; the next stretch goes on after it, if it returns.
    Call(InstructionId),
    /// By what comes next, whose length is charged before it.
    Measured,
    /// By such a call that never returns.
    NoReturn(InstructionId),
    /// By a call that becomes a jump.
    Jump(InstructionId),
    /// By a call with two ways on: a block, or a landing pad.
    Invoke(InstructionId),
    /// By `ret` or `resume`.
    Return(InstructionId),
    /// By edges that can be cut.
    Branch,
    /// By edges that cannot (`indirectbr`, `callbr`).
    Unsplittable,
    /// Not at all: `unreachable`.
    Nowhere,
}

/// How much of its stretch is done when an instruction has begun.
pub(crate) struct Reached {
    pub(crate) instruction: InstructionId,
    pub(crate) stretch: StretchId,
    /// The weight of the stretch up to the instruction, which counts; what its callee does comes
    /// after it.
    pub(crate) done: u64,
    pub(crate) charged: Charged,
}

/// The stretches of one function.
pub(crate) struct Stretches {
    pub(crate) list: IdMap<StretchId, Stretch>,
    /// The first of each block.
    pub(crate) first: IdMap<BlockId, StretchId>,
    /// Who has what is left when the function begins.
    pub(crate) entered: BalanceLocation,
    /// Loops that are paid for where they are entered.
    pub(crate) prepaid: Prepaid,
    /// How far into its stretch each instruction is.
    pub(crate) reached: Vec<Reached>,
}

impl Stretches {
    /// Whether it is the first of its block.
    pub(crate) fn starts_block(&self, id: StretchId) -> bool {
        self.first[self.list[id].block] == id
    }

    /// Where it begins.
    pub(crate) fn start_of(&self, id: StretchId) -> EditPoint {
        start_spot(self.starts_block(id), &self.list[id])
    }

    /// The stretch after a call in the middle of a block.
    pub(crate) fn behind(&self, id: StretchId) -> StretchId {
        StretchId::new(id.index() + 1)
    }

    /// The last stretch of a block.
    pub(crate) fn last_of(&self, block: BlockId, function: &Function) -> StretchId {
        let mut stretch = self.first[block];
        while self.list[stretch].last != function.terminator_of(block) {
            stretch = self.behind(stretch);
        }
        stretch
    }

    /// Where control may go from it inside the function, with the slot of the terminator, or none
    /// after a call.
    pub(crate) fn ways_on(&self, function: &Function, id: StretchId) -> Vec<(Option<u32>, StretchId)> {
        let stretch = &self.list[id];
        match stretch.end {
            End::Call(_) | End::Measured => vec![(None, self.behind(id))],
            End::NoReturn(_) | End::Jump(_) | End::Return(_) | End::Nowhere => Vec::new(),
            End::Invoke(_) | End::Branch | End::Unsplittable => {
                let successors = function.blocks[stretch.block].successors.iter().enumerate();
                successors.map(|(slot, &block)| (Some(slot as u32), self.first[block])).collect()
            }
        }
    }

    /// Blocks that end in a jump whose `ret` is in another block.
    pub(crate) fn returns_here(&self, function: &Function) -> Vec<BlockId> {
        let is_apart = |stretch: &&Stretch| {
            matches!(stretch.end, End::Jump(_)) && function.instructions[stretch.last].opcode == Opcode::Br
        };
        self.list.values().filter(is_apart).map(|stretch| stretch.block).collect()
    }
}

/// Where a stretch begins.
fn start_spot(is_block_start: bool, stretch: &Stretch) -> EditPoint {
    if is_block_start { EditPoint::Start(stretch.block) } else { EditPoint::Before(stretch.first) }
}
