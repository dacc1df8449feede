//! Which returns after a tail call may not have happened?
//!
//! A tail call that stays a jump takes its frame away, so its `ret` is charged with it. If what it
//! leads to is left by an exception, `longjmp` or `exit`, that `ret` never started, and no frame
//! was there to be noted. Nobody knows then how many did: this room says whether it can have
//! happened in a process ([`may_have_vanished`]), and takes the doubtful returns out of the counts
//! ([`without_returns`]), so that what is left is a lower bound.
//!
//! Method. Every frame that was left was opened by a call that did not come back. The frames of a
//! function that were left are compared with the direct calls of it that were. If all agree, and no
//! call through a pointer or into a library stayed open, no jump is between them. `main` is opened
//! from outside.
//!
//! Input: maps and counts of all modules of a process. Cost: linear. Limits: a function that was
//! opened from outside, by a thread's start or a library, and jumped straight to code that is not
//! counted, hides its return. A child of `fork` does not count the returns of jumps that its parent
//! made.

use std::collections::{BTreeMap, BTreeSet};

use opcost_index::{Id, IdMap};
use opcost_key::{
    Callee, EdgeId, EdgeKind, EdgeMap, FunctionId, FunctionMap, InstructionId, Meter, ModuleMap, SegmentId,
    SegmentMap,
};
use opcost_library::{ControlEffect, control_effect};

use crate::{FunctionCounts, ModuleCounts};

/// Whether a function leaves frames itself, and calls nothing that is counted before it does.
fn leaves(name: &str) -> bool {
    matches!(
        control_effect(name),
        Some(
            ControlEffect::EndsProcess
                | ControlEffect::EndsThread
                | ControlEffect::Throws
                | ControlEffect::Jumps
                | ControlEffect::BecomesProgram
        )
    )
}

/// What a process counted after jumps, in units of the cost model, if some of it may not have happened.
pub fn may_have_vanished(modules: &[(&ModuleMap, &ModuleCounts)]) -> Option<u128> {
    let after: u128 = modules.iter().map(|(map, counts)| after_jumps(map, counts)).sum();
    (after > 0 && has_open_ends(modules)).then_some(after)
}

/// The weight of all that [`without_returns`] takes away: the rest of the jump's block.
fn after_jumps(map: &ModuleMap, counts: &ModuleCounts) -> u128 {
    let mut sum = 0;
    for (id, edges) in jumps(map) {
        let function = &map.functions[id];
        for edge in edges.iter().map(|&edge| &function.edges[edge]) {
            let Some(from) = edge.from else { continue };
            let behind = behind_jump(function, from);
            let rest = function.instructions_of(from).filter(|at| behind.is_some_and(|behind| *at >= behind));
            let rest: u64 = rest.map(|at| u64::from(function.instructions[at].weight)).sum();
            let next = edge.to.map_or(0, |to| function.segments[to].weight);
            sum += u128::from(counts.functions[id].segments[from]) * u128::from(rest + next);
        }
    }
    sum
}

/// The edges after the jumps of each function. Their sites are not metered by left frames.
fn jumps(map: &ModuleMap) -> BTreeMap<FunctionId, BTreeSet<EdgeId>> {
    let mut jumps: BTreeMap<FunctionId, BTreeSet<EdgeId>> = BTreeMap::new();
    for &(function, edge) in map.call_sites.values() {
        if !matches!(map.functions[function].edges[edge].kind, EdgeKind::Left(_)) {
            jumps.entry(function).or_default().insert(edge);
        }
    }
    jumps
}

/// Whether frames that were left and calls that stayed open do not agree one by one.
fn has_open_ends(modules: &[(&ModuleMap, &ModuleCounts)]) -> bool {
    let mut open: BTreeMap<(usize, FunctionId), i128> = BTreeMap::new();
    let homes: BTreeMap<&str, (usize, FunctionId)> = modules
        .iter()
        .enumerate()
        .flat_map(|(at, (map, _))| map.functions.iter().map(move |(id, function)| (at, id, function)))
        .filter(|(_, _, function)| !function.is_local && !function.segments.is_empty())
        .map(|(at, id, function)| (&*function.name, (at, id)))
        .collect();
    for (at, (map, counts)) in modules.iter().enumerate() {
        for (id, function) in map.functions.iter().filter(|(_, function)| !function.segments.is_empty()) {
            for (segment, left, is_in_frame) in ends(function, &counts.functions[id]) {
                let callee = match callee_behind(function, segment) {
                    Some(Callee::Defined(callee)) => Some((at, *callee)),
                    Some(Callee::Declared(name)) if leaves(name) => None,
                    Some(Callee::Declared(name)) if homes.contains_key(&**name) => Some(homes[&**name]),
                    _ => return true,
                };
                if let Some(callee) = callee {
                    *open.entry(callee).or_default() += left;
                }
                if is_in_frame {
                    *open.entry((at, id)).or_default() -= left;
                }
            }
        }
    }
    let is_main = |(at, id): &(usize, FunctionId)| {
        matches!(&*modules[*at].0.functions[*id].name, "main" | "_QQmain" | "MAIN__")
    };
    open.iter()
        .any(|(function, &calls)| if is_main(function) { !(-1..=0).contains(&calls) } else { calls != 0 })
}

/// The calls of a function that did not come back: the segment of each, how often, and whether its
/// frame was left by that. A frame with a landing pad goes on.
fn ends(function: &FunctionMap, counts: &FunctionCounts) -> Vec<(SegmentId, i128, bool)> {
    let mut ends = Vec::new();
    for (id, edge) in function.edges.iter() {
        let Some(from) = edge.from else { continue };
        let is_left = matches!(edge.kind, EdgeKind::Left(_));
        let is_landing =
            matches!(edge.kind, EdgeKind::Branch { slot: 1, .. }) && callee_behind(function, from).is_some();
        let count = match &counts.edges {
            Some(edges) if is_left || is_landing => i128::from(edges[id]),
            None if is_left => lost(function, counts, from),
            None if is_landing => edge.to.map_or(0, |to| i128::from(counts.segments[to])),
            _ => 0,
        };
        if count > 0 {
            ends.push((from, count, is_left));
        }
    }
    ends
}

/// How much more often a segment ran than what its call comes back to.
fn lost(function: &FunctionMap, counts: &FunctionCounts, from: SegmentId) -> i128 {
    let ways = function.edges.values().filter(|edge| edge.from == Some(from));
    let next = ways.filter_map(|edge| edge.to).map(|to| i128::from(counts.segments[to])).sum::<i128>();
    i128::from(counts.segments[from]) - next
}

/// What the last instruction of a segment calls, if it is a call.
fn callee_behind(function: &FunctionMap, segment: SegmentId) -> Option<&Callee> {
    let last = function.instructions_of(segment).last()?;
    function.calls.iter().find(|call| call.instruction == last).map(|call| &call.callee)
}

/// A map whose jumps end segments of their own: after each is a segment with the rest of its
/// block. `None` if the module has no jump.
pub fn split_at_jumps(map: &ModuleMap) -> Option<ModuleMap> {
    let jumps = jumps(map);
    let mut split = map.clone();
    for (function, edges) in &jumps {
        let old = &map.functions[*function];
        split.functions[*function] = Split::of(old, edges).map(old);
    }
    (!jumps.is_empty()).then_some(split)
}

/// The counts for [`split_at_jumps`] of a map. If the returns are in doubt, none is counted.
pub fn without_returns(map: &ModuleMap, counts: &ModuleCounts, is_doubtful: bool) -> ModuleCounts {
    let mut split = counts.clone();
    for (function, edges) in &jumps(map) {
        let old = &map.functions[*function];
        split.functions[*function] =
            Split::of(old, edges).counts(old, &counts.functions[*function], edges, is_doubtful);
    }
    split
}

/// Where the segments of a function go.
struct Split {
    /// The first part of each, and where its last part begins if it has two.
    parts: IdMap<SegmentId, (SegmentId, Option<InstructionId>)>,
}

impl Split {
    fn of(function: &FunctionMap, jumps: &BTreeSet<EdgeId>) -> Split {
        let sources: BTreeSet<SegmentId> =
            jumps.iter().filter_map(|&edge| function.edges[edge].from).collect();
        let mut next = 0;
        let parts = function.segments.ids().map(|segment| {
            let behind = sources.contains(&segment).then(|| behind_jump(function, segment)).flatten();
            let first = SegmentId::new(next);
            next += 1 + usize::from(behind.is_some());
            (first, behind)
        });
        Split { parts: parts.collect() }
    }

    fn first(&self, segment: SegmentId) -> SegmentId {
        self.parts[segment].0
    }

    fn last(&self, segment: SegmentId) -> SegmentId {
        let (first, behind) = self.parts[segment];
        SegmentId::new(first.index() + usize::from(behind.is_some()))
    }

    fn map(&self, old: &FunctionMap) -> FunctionMap {
        let mut new = old.clone();
        new.segments = IdMap::new();
        for (id, segment) in old.segments.iter() {
            let Some(behind) = self.parts[id].1 else {
                new.segments.push(segment.clone());
                continue;
            };
            let rest = old.instructions_of(id).filter(|&instruction| instruction >= behind);
            let weight = rest.map(|instruction| u64::from(old.instructions[instruction].weight)).sum();
            let (block, first_instruction) = (segment.block, segment.first_instruction);
            new.segments.push(SegmentMap { block, first_instruction, weight: segment.weight - weight });
            new.segments.push(SegmentMap { block, first_instruction: behind, weight });
        }
        new.blocks.values_mut().for_each(|block| block.first_segment = self.first(block.first_segment));
        for edge in new.edges.values_mut() {
            edge.from = edge.from.map(|segment| self.last(segment));
            edge.to = edge.to.map(|segment| self.first(segment));
        }
        for (first, behind) in self.parts.values() {
            if behind.is_some() {
                let (from, to) = (Some(*first), Some(SegmentId::new(first.index() + 1)));
                new.edges.push(EdgeMap { from, to, kind: EdgeKind::Fall, meter: Meter::Derived });
            }
        }
        new
    }

    fn counts(
        &self,
        old: &FunctionMap,
        counts: &FunctionCounts,
        jumps: &BTreeSet<EdgeId>,
        is_doubtful: bool,
    ) -> FunctionCounts {
        let mut segments = counts.segments.clone();
        let mut edges = counts.edges.clone();
        let mut fallen = Vec::new();
        let mut gone = 0;
        for (id, _) in self.parts.iter().filter(|(_, (_, behind))| behind.is_some()) {
            fallen.push(if is_doubtful { 0 } else { counts.segments[id] });
        }
        for &jump in jumps.iter().filter(|_| is_doubtful) {
            let edge = &old.edges[jump];
            let count = edge.from.map_or(0, |from| counts.segments[from]);
            gone += count;
            let behind = edge.to.map(|to| (to, old.edges.iter().find(|(_, way)| way.from == Some(to))));
            if let Some((to, _)) = behind {
                segments[to] = segments[to].saturating_sub(count);
            }
            let ways = std::iter::once(jump).chain(behind.and_then(|(_, way)| way).map(|(id, _)| id));
            for way in ways {
                if let Some(edges) = &mut edges {
                    edges[way] = edges[way].saturating_sub(count.cast_signed());
                }
            }
        }
        let mut new = FunctionCounts { segments: IdMap::new(), ..counts.clone() };
        let mut behind = fallen.iter();
        for (id, part) in self.parts.iter() {
            new.segments.push(segments[id]);
            if part.1.is_some() {
                new.segments.push(behind.next().copied().unwrap_or(0));
            }
        }
        if let Some(edges) = &mut edges {
            fallen.iter().for_each(|count| _ = edges.push(count.cast_signed()));
        }
        new.edges = edges;
        new.returns = counts.returns.map(|returns| returns.saturating_sub(gone));
        new
    }
}

/// The instruction after the jump of a segment, which is its last call.
fn behind_jump(function: &FunctionMap, segment: SegmentId) -> Option<InstructionId> {
    let own: Vec<InstructionId> = function.instructions_of(segment).collect();
    let calls = function.calls.iter().map(|call| call.instruction);
    let jump = calls.filter(|call| own.contains(call)).max()?;
    own.iter().copied().find(|&instruction| instruction > jump)
}
