//! Where do a plan's edits stand, and may they stand there?

use std::collections::HashMap;

use opcost_index::Id;
use opcost_ir::{Edit, EditPoint, Flow, Function, Opcode, Value};
use opcost_key::{BlockId, CounterId, InstructionId};

/// The edits of a function by where they stand, each list in the plan's order.
#[derive(Clone, Default)]
pub(crate) struct FunctionEdits<'a> {
    pub(crate) before: HashMap<InstructionId, Vec<&'a Edit>>,
    pub(crate) on_edge: HashMap<(BlockId, u32), Vec<&'a Edit>>,
    pub(crate) by_predecessor: HashMap<BlockId, Vec<(BlockId, CounterId)>>,
    pub(crate) again: HashMap<InstructionId, Vec<CounterId>>,
    pub(crate) kept: Vec<InstructionId>,
    /// Of each induction variable the header and the latch of its loop.
    pub(crate) variables: HashMap<InstructionId, (BlockId, BlockId)>,
    pub(crate) returns_here: Vec<BlockId>,
}

impl<'a> FunctionEdits<'a> {
    pub(crate) fn add(&mut self, function: &Function, edit: &'a Edit) {
        if let Edit::CountIterations { phi, next, .. } = edit {
            let mut ways = function.operands_of(*phi).chunks_exact(2);
            let way = ways.find(|way| way[0] == Value::Instruction(*next)).expect("the step comes round");
            let Value::Block(latch) = way[1] else { unreachable!("operands of a phi") };
            self.variables.insert(*phi, (function.block_of(*phi), latch));
        }
        match edit {
            Edit::Count { spot, .. }
            | Edit::CountInRegister { spot, .. }
            | Edit::Clear { spot, .. }
            | Edit::BeginPath { spot, .. }
            | Edit::AddToPath { spot, .. }
            | Edit::CountPath { spot, .. }
            | Edit::CountIterations { exit: spot, .. }
            | Edit::Flush { spot, .. } => match *spot {
                EditPoint::Start(block) => {
                    self.before.entry(start_of(function, block)).or_default().push(edit)
                }
                EditPoint::Before(instruction) => {
                    assert_ne!(
                        function.instructions[instruction].opcode,
                        Opcode::Phi,
                        "{edit:?} before a phi"
                    );
                    self.before.entry(instruction).or_default().push(edit);
                }
                EditPoint::Edge(block, slot) => {
                    let flow = function.blocks[block].flow;
                    let can_be_cut = flow == Flow::Splittable || (flow == Flow::Invoke && slot == 0);
                    assert!(can_be_cut, "{edit:?} on an edge that cannot be cut");
                    self.on_edge.entry((block, slot)).or_default().push(edit);
                }
            },
            Edit::AddLength { instruction, .. } => self.before.entry(*instruction).or_default().push(edit),
            Edit::CountByPredecessor { target, sources } => {
                assert!(!self.by_predecessor.contains_key(target), "two edits of one target");
                self.by_predecessor.insert(*target, sources.clone());
            }
            Edit::CountAgain { call, counter } => self.again.entry(*call).or_default().push(*counter),
            Edit::PreserveFrame { call } => self.kept.push(*call),
            Edit::ReturnHere { block } => self.returns_here.push(*block),
        }
    }
}

/// Behind phis and landing pad; in the entry behind the allocas too.
fn start_of(function: &Function, block: BlockId) -> InstructionId {
    let is_head = |opcode| {
        matches!(opcode, Opcode::Phi | Opcode::LandingPad) || (opcode == Opcode::Alloca && block.index() == 0)
    };
    let mut instructions = function.instructions_of(block);
    instructions.find(|&id| !is_head(function.instructions[id].opcode)).expect("a block has a terminator")
}
