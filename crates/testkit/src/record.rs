//! Which loops are being gone round, and how often?
//!
//! Each call of a function has a stack of the activations that control is
//! inside of. Every edge that is taken closes those that it leaves, and then its
//! target, where it is a header, gets a back edge (if its loop is still open) or
//! a new activation. Nothing else is told of loops, so members may be any set
//! of blocks. Cost of an edge: the open activations of the call.

use opcost_index::{Id, IdMap};
use opcost_ir::Module;
use opcost_key::{BlockId, FunctionId};

use crate::outcome::{Activation, FrameId, LoopEnd, LoopShape};
use crate::scalar::Scalar;

/// The loops that are looked at, ready to be asked.
pub(crate) struct Shapes {
    pub(crate) shapes: Vec<LoopShape>,
    /// By shape: whether a block is a member.
    members: Vec<IdMap<BlockId, bool>>,
    /// By function: shapes by header; empty where there are none.
    by_header: IdMap<FunctionId, IdMap<BlockId, Vec<usize>>>,
}

impl Shapes {
    pub(crate) fn new(module: &Module, shapes: Vec<LoopShape>) -> Self {
        let mut by_header = IdMap::filled(module.functions.len(), IdMap::new());
        let mut members = Vec::new();
        for (position, shape) in shapes.iter().enumerate() {
            let blocks = module.functions[shape.function].blocks.len();
            if by_header[shape.function].is_empty() {
                by_header[shape.function] = IdMap::filled(blocks, Vec::new());
            }
            by_header[shape.function][shape.header].push(position);
            let mut is_member = IdMap::filled(blocks, false);
            shape.members.iter().for_each(|&block| is_member[block] = true);
            members.push(is_member);
        }
        Self { shapes, members, by_header }
    }

    pub(crate) fn contains(&self, shape: usize, block: BlockId) -> bool {
        self.members[shape][block]
    }

    fn loops_with_header(&self, function: FunctionId, block: BlockId) -> &[usize] {
        self.by_header[function].get(block).map_or(&[], Vec::as_slice)
    }
}

/// An activation that control is inside of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) shape: usize,
    activation: usize,
    /// Instructions executed before it was entered.
    pub(crate) step: u64,
}

/// An edge that a call went along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) frame: FrameId,
    pub(crate) function: FunctionId,
    pub(crate) from: BlockId,
    pub(crate) to: BlockId,
    /// Instructions executed before.
    pub(crate) step: u64,
}

/// All activations of a run.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) activations: Vec<Activation>,
}

impl Recorder {
    /// Notes an edge of a call; `open` are its activations, the innermost last.
    pub(crate) fn edge(&mut self, shapes: &Shapes, open: &mut Vec<Open>, passed: Passed) {
        let Passed { frame, function, from, to, step } = passed;
        let activations = &mut self.activations;
        open.retain(|one| {
            let stays = shapes.contains(one.shape, to);
            if !stays {
                activations[one.activation].end = LoopEnd::Exit { from, to };
            }
            stays
        });
        for &shape in shapes.loops_with_header(function, to) {
            if let Some(one) = open.iter().find(|one| one.shape == shape) {
                activations[one.activation].back_edges += 1;
                activations[one.activation].header_executions += 1;
                continue;
            }
            let parent = open.last().map(|around| around.activation);
            let turns_around =
                open.iter().map(|around| (around.shape, activations[around.activation].back_edges)).collect();
            open.push(Open { shape, activation: activations.len(), step });
            activations.push(Activation {
                shape,
                frame,
                parent,
                outer_back_edges: turns_around,
                entered_from: from,
                back_edges: 0,
                header_executions: 1,
                end: LoopEnd::Abandoned,
                watched: Vec::new(),
            });
        }
    }

    /// Notes the watched values of the loops whose header this is.
    pub(crate) fn note_watched(
        &mut self,
        shapes: &Shapes,
        open: &[Open],
        header: BlockId,
        value: impl Fn(opcost_ir::Value) -> Option<Scalar>,
    ) {
        for one in open.iter().filter(|one| shapes.shapes[one.shape].header == header) {
            let watched = &shapes.shapes[one.shape].watched;
            if !watched.is_empty() {
                let values = watched.iter().map(|&watched| value(watched)).collect();
                self.activations[one.activation].watched.push(values);
            }
        }
    }
}

/// The natural loops of a function, found the slow way. A back edge leads to a block without which
/// its source cannot be reached. The members are what reaches such a source without passing the
/// header. Outer loops come before those inside them; nothing is watched. Cost: blocks times edges.
pub fn natural_loops(function: FunctionId, body: &opcost_ir::Function) -> Vec<LoopShape> {
    let entry = BlockId::new(0);
    let successors = |block: BlockId| body.blocks[block].successors.clone();
    let predecessors = |block: BlockId| -> Vec<BlockId> {
        body.blocks.ids().filter(|&before| body.blocks[before].successors.contains(&block)).collect()
    };
    let reachable = reach(entry, None, &successors);
    let mut shapes = Vec::new();
    for &header in &reachable {
        let without = reach(entry, Some(header), &successors);
        let latches: Vec<BlockId> = predecessors(header)
            .into_iter()
            .filter(|latch| reachable.contains(latch) && !without.contains(latch))
            .collect();
        if latches.is_empty() {
            continue;
        }
        let mut members = vec![header];
        for latch in latches {
            let found = reach(latch, Some(header), &predecessors);
            members.extend(found.into_iter().filter(|block| reachable.contains(block)));
        }
        members.sort_unstable();
        members.dedup();
        shapes.push(LoopShape { function, header, members, watched: Vec::new() });
    }
    shapes.sort_by_key(|shape| (std::cmp::Reverse(shape.members.len()), shape.header));
    shapes
}

/// What is reached from a block without entering another one.
fn reach(from: BlockId, without: Option<BlockId>, next: &impl Fn(BlockId) -> Vec<BlockId>) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = if without == Some(from) { Vec::new() } else { vec![from] };
    let mut position = 0;
    while let Some(&block) = found.get(position) {
        position += 1;
        for after in next(block) {
            if without != Some(after) && !found.contains(&after) {
                found.push(after);
            }
        }
    }
    found
}
