//! What is the flow graph of a function?
//!
//! Blocks are cut into segments after calls that may leave; edges are listed per segment in program
//! order: entry, falls and branches, left frames, second returns. Parallel edges of an `indirectbr`
//! or `callbr` to one block cannot be distinguished by anything the program does, so they are one
//! edge. Cost: linear.

use opcost_index::{Id, IdMap};
use opcost_ir::{Flow, Function, Module, Opcode};
use opcost_key::{BlockId, EdgeId, FunctionId, InstructionId, SegmentId};

use crate::leaving::{Leaving, is_unknown};

/// A function's flow graph, before anything is placed on it.
pub(crate) struct Skeleton {
    pub(crate) first_segments: IdMap<BlockId, SegmentId>,
    pub(crate) segments: IdMap<SegmentId, Segment>,
    pub(crate) edges: IdMap<EdgeId, PlacedEdge>,
}

pub(crate) struct Segment {
    pub(crate) block: BlockId,
    pub(crate) first: InstructionId,
    /// Its last instruction.
    pub(crate) last: InstructionId,
}

pub(crate) struct PlacedEdge {
    pub(crate) from: Option<SegmentId>,
    pub(crate) to: Option<SegmentId>,
    pub(crate) kind: Way,
}

/// Which way an edge is; call sites are numbered later, per module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Enter,
    Branch {
        block: BlockId,
        slot: u32,
    },
    Fall,
    Return,
    /// The frame is left at this call; it can also come back.
    Left(InstructionId),
    /// The call is `noreturn`: control does not come back.
    NoReturn(InstructionId),
    /// The `returns_twice` call returned again.
    Again(InstructionId),
}

/// What a call comes back to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Code,
    /// It is `noreturn`.
    Nothing,
    /// It is `noreturn`, and of what it calls nothing is known: its frames are left
    /// when they are noted, or else they vanished.
    NothingNoted,
}

/// How a segment ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// At a call that may leave, in the middle of a block.
    Call { behind: Behind, twice: bool },
    /// At the block's terminator.
    Terminator,
}

impl Skeleton {
    /// Cuts a function into segments and lists the edges between them.
    pub(crate) fn compute(module: &Module, id: FunctionId, leaving: &Leaving) -> Skeleton {
        let function = &module.functions[id];
        let mut skeleton =
            Skeleton { first_segments: IdMap::new(), segments: IdMap::new(), edges: IdMap::new() };
        let mut ends = Vec::new();
        for block in function.blocks.ids() {
            let start = skeleton.segments.next_id();
            skeleton.first_segments.push(start);
            ends.extend(skeleton.cut_block(module, id, block, leaving));
        }
        if !function.blocks.is_empty() {
            skeleton.add_edge(None, Some(SegmentId::new(0)), Way::Enter);
        }
        for segment in skeleton.segments.ids() {
            match ends[segment.index()] {
                End::Call { behind, twice } => skeleton.edges_behind_call(segment, behind, twice),
                End::Terminator => skeleton.edges_behind_block(module, function, segment, leaving),
            }
        }
        skeleton
    }

    /// The segments of a block; how each ends.
    fn cut_block(&mut self, module: &Module, id: FunctionId, block: BlockId, leaving: &Leaving) -> Vec<End> {
        let function = &module.functions[id];
        let mut ends = Vec::new();
        let terminator = function.terminator_of(block);
        let mut first = InstructionId::new(function.blocks[block].instructions.start as usize);
        for instruction in function.instructions_of(block) {
            let end = if instruction == terminator {
                End::Terminator
            } else {
                let Some(call) = function.call(instruction) else { continue };
                let cut = call.returns_twice
                    || (leaving.may_leave(module, call)
                        && !leaving.is_jump(id, function, block, instruction));
                if !cut {
                    continue;
                }
                let behind = match call.is_noreturn {
                    false => Behind::Code,
                    true if is_unknown(module, call) => Behind::NothingNoted,
                    true => Behind::Nothing,
                };
                End::Call { behind, twice: call.returns_twice }
            };
            self.segments.push(Segment { block, first, last: instruction });
            ends.push(end);
            first = InstructionId::new(instruction.index() + 1);
        }
        ends
    }

    fn edges_behind_call(&mut self, segment: SegmentId, behind: Behind, twice: bool) {
        let call = self.segments[segment].last;
        let next = SegmentId::new(segment.index() + 1);
        match behind {
            Behind::Nothing => _ = self.add_edge(Some(segment), None, Way::NoReturn(call)),
            Behind::NothingNoted => _ = self.add_edge(Some(segment), None, Way::Left(call)),
            Behind::Code => _ = self.add_edge(Some(segment), Some(next), Way::Fall),
        }
        if behind != Behind::Code {
            return;
        }
        self.add_edge(Some(segment), None, Way::Left(call));
        if twice {
            self.add_edge(None, Some(next), Way::Again(call));
        }
    }

    fn edges_behind_block(
        &mut self,
        module: &Module,
        function: &Function,
        segment: SegmentId,
        leaving: &Leaving,
    ) {
        let Segment { block, last, .. } = self.segments[segment];
        let source = &function.blocks[block];
        if source.flow == Flow::None {
            self.add_edge(Some(segment), None, Way::Return);
            return;
        }
        let opcode = function.instructions[last].opcode;
        for (slot, &successor) in source.successors.iter().enumerate() {
            let repeated = matches!(opcode, Opcode::IndirectBr | Opcode::CallBr)
                && source.successors[..slot].contains(&successor);
            if !repeated {
                let target = self.first_segments[successor];
                self.add_edge(Some(segment), Some(target), Way::Branch { block, slot: slot as u32 });
            }
        }
        if function.call(last).is_some_and(|call| leaving.may_leave(module, call)) {
            self.add_edge(Some(segment), None, Way::Left(last));
        }
    }

    fn add_edge(&mut self, from: Option<SegmentId>, to: Option<SegmentId>, kind: Way) -> EdgeId {
        self.edges.push(PlacedEdge { from, to, kind })
    }
}
