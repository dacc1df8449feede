//! Where is a loop entered, turned and left?

use opcost_graph::dominators::Dominators;
use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::{Loop, LoopForest, LoopId};
use opcost_index::{Graph, Id, IdMap, reverse};
use opcost_ir::{
    Check, CheckStep, EditPoint, Flow, Function, Layout, Module, Opcode, PointId, PointKind, RecordEdit,
    RecordPoint,
};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::inputs::{Inputs, Noted, Where};
use super::recorded::{ClaimFacts, PointFacts, RecordedPoints, RecordedSubject, RefusedLoop};
use super::rereads::Rereads;
use crate::claims::{Claimed, TripClaim, TripClaims, compile};
use crate::leaving::Leaving;
use crate::spots::{BranchSpots, Counting};
use crate::unchecked::Unchecked;

/// A module, and what is known of all of it.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) module: &'a Module,
    pub(super) layout: &'a Layout,
    pub(super) leaving: &'a Leaving,
}

/// Edits for the loops of one function.
pub(super) fn plan(
    code: Code<'_>,
    id: FunctionId,
    claims: &TripClaims,
    recorded: &mut RecordedPoints,
    edits: &mut Vec<RecordEdit>,
) {
    let Code { module, layout, leaving } = code;
    let function = &module.functions[id];
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    for members in &forest.irreducible {
        recorded.irreducible.push((id, members[0]));
    }
    if forest.loops.is_empty() {
        return;
    }
    let spots = BranchSpots::new(function);
    let mut planner = Planner {
        module,
        layout,
        id,
        function,
        forest: &forest,
        dominators: &dominators,
        spots,
        points: IdMap::filled(forest.loops.len(), None),
        inputs: IdMap::filled(forest.loops.len(), Vec::new()),
        held: Inputs::default(),
        may_leave: IdMap::filled(forest.loops.len(), false),
        doomed: doomed(function),
        comes_out: IdMap::filled(forest.loops.len(), false),
    };
    for (natural, facts) in forest.loops.iter() {
        planner.comes_out[natural] = facts.exits.iter().any(|edge| !planner.doomed[edge.to]);
    }
    planner.find_calls(leaving);
    for (natural, _) in forest.loops.iter() {
        planner.admit(natural, claims, recorded);
    }
    planner.write(edits);
}

/// What is at the start of a block was there before what is before its end, also where both are one
/// instruction. On one spot the order stays.
pub(super) fn sort(edits: &mut [RecordEdit]) {
    edits.sort_by_key(|edit| match edit.spot() {
        EditPoint::Start(_) => 0,
        EditPoint::Edge(..) => 1,
        EditPoint::Before(_) => 2,
    });
}

/// Blocks that reach an `unreachable` and no end of the function.
fn doomed(function: &Function) -> IdMap<BlockId, bool> {
    let before = reverse(function);
    let reaching = |ends: &dyn Fn(Opcode) -> bool| {
        let mut reaches = IdMap::filled(function.blocks.len(), false);
        let mut work: Vec<BlockId> = function.blocks.ids().collect();
        work.retain(|&block| {
            let end = function.instructions[function.terminator_of(block)].opcode;
            function.blocks[block].successors.is_empty() && ends(end)
        });
        work.iter().for_each(|&block| reaches[block] = true);
        while let Some(block) = work.pop() {
            for from in before.successors(block) {
                if !std::mem::replace(&mut reaches[from], true) {
                    work.push(from);
                }
            }
        }
        reaches
    };
    let comes_back = reaching(&|opcode| opcode != Opcode::Unreachable);
    let ends = reaching(&|opcode| opcode == Opcode::Unreachable);
    function.blocks.ids().map(|block| ends[block] && !comes_back[block]).collect()
}

struct Planner<'a> {
    module: &'a Module,
    layout: &'a Layout,
    id: FunctionId,
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
    dominators: &'a Dominators<BlockId>,
    spots: BranchSpots<'a>,
    /// The points of loops that are recorded.
    points: IdMap<LoopId, Option<PointId>>,
    /// What their checks need.
    inputs: IdMap<LoopId, Vec<Noted>>,
    /// What is kept for them.
    held: Inputs,
    /// Loops with a call that may never come back.
    may_leave: IdMap<LoopId, bool>,
    /// Blocks from which the function's end is not reached, but the end of all.
    doomed: IdMap<BlockId, bool>,
    /// Loops with an exit to a block that is not doomed.
    comes_out: IdMap<LoopId, bool>,
}

impl Planner<'_> {
    fn find_calls(&mut self, leaving: &Leaving) {
        for (at, call) in &self.function.calls {
            if leaving.may_leave(self.module, call) {
                let innermost = self.forest.innermost[self.function.block_of(*at)];
                let around: Vec<LoopId> = self.forest.chain(innermost).collect();
                around.into_iter().for_each(|natural| self.may_leave[natural] = true);
            }
        }
    }

    fn admit(&mut self, id: LoopId, claims: &TripClaims, recorded: &mut RecordedPoints) {
        let natural = &self.forest.loops[id];
        if let Some(reason) = self.refusal(id, natural) {
            recorded.refused.push(RefusedLoop { function: self.id, header: natural.header, reason });
            return;
        }
        let is_meant = |claim: &&TripClaim| claim.function == self.id && claim.loop_header == natural.header;
        let claimed = claims.list.iter().find(is_meant);
        let claimed = claimed.map(|claim| self.compiled(id, claim));
        let (claim, inputs) = claimed.map_or((None, Vec::new()), |(claim, inputs)| (Some(claim), inputs));
        self.inputs[id] = inputs;
        let check = claim.as_ref().and_then(|claim| {
            let steps = claim.check.as_ref().ok()?.clone();
            let is_exact = claim.what == Claimed::BackEdges;
            Some(Check { is_exact, has_assumptions: !claim.assumes.is_empty(), steps })
        });
        self.points[id] =
            Some(recorded.recording.points.push(RecordPoint { kind: PointKind::BackEdges, check }));
        recorded.points.push(PointFacts {
            function: self.id,
            subject: RecordedSubject::Loop {
                header: natural.header,
                parent: natural.parent.map(|parent| self.forest.loops[parent].header),
                depth: natural.depth,
                placed_by: self.placed_by(natural),
                claim,
            },
        });
    }

    fn refusal(&self, id: LoopId, natural: &Loop<BlockId>) -> Option<&'static str> {
        let is_cut = |edge: &Edge<BlockId>| self.spot_of(edge).is_some();
        if !self.entries(id, natural).iter().all(is_cut) {
            return Some(
                "it is entered by an edge on which nothing can be inserted (an indirect branch or a landing pad)",
            );
        }
        if !natural.back_edges.iter().all(is_cut) {
            return Some(
                "it is repeated by an edge on which nothing can be inserted (an indirect branch or a landing pad)",
            );
        }
        let is_exit_known =
            |edge: &Edge<BlockId>| self.is_unwinding(edge) || self.is_deserted(id, edge) || is_cut(edge);
        if !natural.exits.iter().all(is_exit_known) {
            return Some("it is left by an edge on which nothing can be inserted (an indirect branch)");
        }
        None
    }

    /// The claim's check and what it needs, if each of its values is known where the loop is entered.
    fn compiled(&mut self, id: LoopId, claim: &TripClaim) -> (ClaimFacts, Vec<Noted>) {
        let (check, inputs) = match self.check(id, claim) {
            Ok((steps, inputs)) => (Ok(steps), inputs),
            Err(reason) => (Err(reason), Vec::new()),
        };
        let facts =
            ClaimFacts { what: claim.what, text: claim.text.clone(), assumes: claim.assumes.clone(), check };
        (facts, inputs)
    }

    fn check(&mut self, id: LoopId, claim: &TripClaim) -> Result<(Vec<CheckStep>, Vec<Noted>), Unchecked> {
        let program = claim.program.as_ref().map_err(Unchecked::clone)?;
        let (steps, wanted) = compile(self.module, self.function, program)?;
        let rereads = Rereads {
            module: self.module,
            layout: self.layout,
            function: self.function,
            forest: self.forest,
            dominators: self.dominators,
            natural: id,
        };
        let place = Where { rereads, spots: &self.spots, points: &self.points };
        let before = self.held.len();
        let held = &mut self.held;
        let noted: Result<Vec<Noted>, Unchecked> =
            wanted.into_iter().map(|wanted| held.noted(&place, wanted)).collect();
        if noted.is_err() {
            held.forget(before);
        }
        Ok((steps, noted?))
    }

    /// The latch's branch carries the line of the loop's head; else the header does.
    fn placed_by(&self, natural: &Loop<BlockId>) -> InstructionId {
        let has_line = |id: &InstructionId| {
            let place = self.function.instructions[*id].place;
            place.is_some_and(|place| self.module.places[place].line > 0)
        };
        let latches = natural.back_edges.iter().map(|edge| self.function.terminator_of(edge.from));
        let header = self.function.instructions_of(natural.header);
        latches.chain(header).find(has_line).unwrap_or_else(|| first_of(self.module, self.id, natural.header))
    }

    fn entries(&self, id: LoopId, natural: &Loop<BlockId>) -> Vec<Edge<BlockId>> {
        let before = self.spots.predecessors_of(natural.header);
        let outside =
            before.filter(|&block| !self.forest.contains(id, block) && self.dominators.is_reachable(block));
        let edges = |block| edges_from(self.function, block).filter(|edge| edge.to == natural.header);
        outside.flat_map(edges).collect()
    }

    /// An exception takes this edge.
    fn is_unwinding(&self, edge: &Edge<BlockId>) -> bool {
        self.function.blocks[edge.from].flow == Flow::Invoke && edge.slot == 1
    }

    /// The edge leads to a call that never returns (`exit`, `longjmp`, a throw), while the loop has
    /// an exit that goes on. So it is left in the middle. A loop all of whose exits end so is one
    /// after which the program ends.
    fn is_deserted(&self, id: LoopId, edge: &Edge<BlockId>) -> bool {
        self.doomed[edge.to] && self.comes_out[id]
    }

    fn spot_of(&self, edge: &Edge<BlockId>) -> Option<EditPoint> {
        if self.is_unwinding(edge) {
            return None;
        }
        match self.spots.of_branch(edge.from, edge.slot) {
            Counting::At(spot) => Some(spot),
            _ => None,
        }
    }

    /// Edge by edge: what is left from the inside out, then what iterates, then what is entered. An
    /// edge enters one loop at most, since a header heads one.
    fn write(&self, edits: &mut Vec<RecordEdit>) {
        // What is kept on a spot is there for what is noted on it.
        edits.extend(self.held.edits());
        for block in self.function.blocks.ids().filter(|&block| self.dominators.is_reachable(block)) {
            for edge in edges_from(self.function, block) {
                let Some(spot) = self.spot_of(&edge) else { continue };
                for id in self.forest.chain(self.forest.innermost[block]) {
                    let is_left = !self.forest.contains(id, edge.to) && !self.is_deserted(id, &edge);
                    if let Some(point) = self.points[id].filter(|_| is_left) {
                        edits.push(RecordEdit::Leave { spot, point });
                    }
                }
                let Some(id) = self.forest.loop_with_header(edge.to) else { continue };
                let Some(point) = self.points[id] else { continue };
                if self.forest.contains(id, block) {
                    edits.push(RecordEdit::Iteration { spot, point, may_leave: self.may_leave[id] });
                } else {
                    edits.push(RecordEdit::Enter { spot, point });
                    for (position, noted) in (0..).zip(&self.inputs[id]) {
                        let Some(input) = noted.on(&edge) else { continue };
                        edits.push(RecordEdit::Note { spot, point, position, input });
                    }
                }
            }
        }
    }
}

/// The first instruction of a block.
fn first_of(module: &Module, function: FunctionId, block: BlockId) -> InstructionId {
    InstructionId::new(module.functions[function].blocks[block].instructions.start as usize)
}
