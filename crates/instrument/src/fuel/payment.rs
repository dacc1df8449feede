//! Where is the work of a function paid for?
//!
//! A stretch may be paid for before it is done, or behind it; the *advance* at
//! a point is what was paid and not done yet. Settling the cell needs the
//! advance, which must therefore be the same on all ways to a point: it is a
//! potential on the stretches, and what an edge pays is the difference of
//! potentials at its ends (Ball's event counting). Zero potential is the
//! outside: entries, calls that look, returns. A spanning tree of potentials
//! makes its own edges free of charge; the tree is of maximum estimated
//! frequency, so what is paid is paid on rare edges.
//!
//! Edges that cannot be cut are taken apart, and so are those behind a check:
//! what leads to them pays before its terminator, and their targets start with
//! nothing in advance.
//!
//! Input: the stretches. Output: advances and charges. Cost: E log E.

use std::collections::VecDeque;

use opcost_analysis::dominators::Dominators;
use opcost_analysis::frequency::Frequencies;
use opcost_analysis::loops::LoopForest;
use opcost_flow::{Countability, FlowEdge, choose_chords};
use opcost_index::{Id, IdMap, IdSet, define_id};
use opcost_ir::{Function, Keeper, Module, Spot};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::stretches::{End, StretchId, Stretches};
use crate::spots::{BranchSpots, Counting, SPLIT_FACTOR};
use crate::weights;

define_id!(
    /// An edge on which something may be paid.
    struct PayId, "payment edge"
);

/// Where a function pays, and what it has paid ahead at each stretch.
pub(crate) struct Payment {
    /// What is paid and not done where each stretch begins.
    pub(crate) advance: IdMap<StretchId, i64>,
    /// Charges that belong to the arrival at a stretch.
    pub(crate) on_arrival: Vec<(Spot, i64)>,
    /// Charges that belong to leaving one.
    pub(crate) on_leaving: Vec<(Spot, i64)>,
    /// Where the register is read anew, and the stretch that follows.
    loaded: Vec<(Spot, StretchId, Keeper)>,
}

/// An edge of the payment graph; no stretch is the outside.
struct PayEdge {
    from: Option<StretchId>,
    to: Option<StretchId>,
    place: Place,
    frequency: u64,
}

/// What paying on an edge takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing but another constant where the cell is read or written.
    Settled,
    /// A spot that is part of arriving.
    Arrival(Spot),
    /// A spot that is part of leaving.
    Leaving(Spot),
    /// It cannot be paid on.
    Nowhere,
}

impl Payment {
    /// Chooses the charges of one function. Blocks that are `checked` at their
    /// end pay there all that is due: then the last thing before the check is
    /// a charge, and asking costs no comparison.
    pub(crate) fn choose(
        module: &Module,
        id: FunctionId,
        stretches: &Stretches,
        checked: &IdSet<BlockId>,
    ) -> Payment {
        let function = &module.functions[id];
        let edges = Edges::list(function, stretches, checked);
        let flow: IdMap<PayId, FlowEdge<StretchId>> =
            edges.list.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let countability = edges.list.values().map(countability).collect();
        let paying = choose_chords(stretches.list.len(), &flow, &countability)
            .expect("each stretch has one fixed edge at most");
        let advance = advances(stretches, &edges.list, &paying);
        let mut payment =
            Payment { advance, on_arrival: Vec::new(), on_leaving: Vec::new(), loaded: edges.loaded };
        for edge in edges.list.values() {
            let before = edge.from.map_or(0, |from| payment.behind(stretches, from));
            let amount = edge.to.map_or(0, |to| payment.advance[to]) - before;
            match edge.place {
                _ if amount == 0 => {}
                Place::Arrival(spot) => payment.on_arrival.push((spot, amount)),
                Place::Leaving(spot) => payment.on_leaving.push((spot, amount)),
                // The constant of the load or store says it.
                Place::Settled => {}
                Place::Nowhere => unreachable!("fixed edges are in the tree"),
            }
        }
        payment
    }

    /// Where the register is read from the cell, with the advance there.
    pub(crate) fn loads(&self) -> Vec<(Spot, i64, Keeper)> {
        self.loaded.iter().map(|&(spot, id, keeper)| (spot, self.advance[id], keeper)).collect()
    }

    /// Where the cell is settled, with the advance there: all of the stretch
    /// counts as done.
    pub(crate) fn stores(&self, stretches: &Stretches) -> Vec<(Spot, i64, Keeper)> {
        let settled = |(id, stretch): (StretchId, &crate::fuel::stretches::Stretch)| match stretch.end {
            End::Call(at) | End::Gone(at) | End::Jump(at) | End::Invoke(at) | End::Return(at) => {
                Some((Spot::Before(at), self.behind(stretches, id), stretch.keeper))
            }
            End::Measured | End::Branch | End::Unsplittable | End::Nowhere => None,
        };
        stretches.list.iter().filter_map(settled).collect()
    }

    /// The advance behind a stretch.
    fn behind(&self, stretches: &Stretches, id: StretchId) -> i64 {
        self.advance[id] - stretches.list[id].work as i64
    }
}

fn countability(edge: &PayEdge) -> Countability {
    match edge.place {
        Place::Nowhere => Countability::Uncountable,
        Place::Arrival(Spot::Edge(..)) => {
            Countability::Countable { weight: edge.frequency.saturating_mul(SPLIT_FACTOR) }
        }
        _ => Countability::Countable { weight: edge.frequency },
    }
}

/// Potentials along the edges that pay nothing, from the outside and then
/// from every stretch that is still without one.
fn advances(
    stretches: &Stretches,
    edges: &IdMap<PayId, PayEdge>,
    paying: &IdSet<PayId>,
) -> IdMap<StretchId, i64> {
    let count = stretches.list.len();
    let outside = count;
    let node = |stretch: Option<StretchId>| stretch.map_or(outside, StretchId::index);
    let mut neighbours: Vec<Vec<PayId>> = vec![Vec::new(); count + 1];
    for (id, edge) in edges.iter().filter(|(id, _)| !paying.contains(*id)) {
        neighbours[node(edge.from)].push(id);
        neighbours[node(edge.to)].push(id);
    }
    let work = |at: usize| if at == outside { 0 } else { stretches.list[StretchId::new(at)].work as i64 };
    let mut known: Vec<Option<i64>> = vec![None; count + 1];
    for root in std::iter::once(outside).chain(0..count) {
        if known[root].is_some() {
            continue;
        }
        known[root] = Some(0);
        let mut queue = VecDeque::from([root]);
        while let Some(at) = queue.pop_front() {
            let here = known[at].expect("queued nodes are known");
            for &id in &neighbours[at] {
                let (from, to) = (node(edges[id].from), node(edges[id].to));
                if from == at && known[to].is_none() {
                    known[to] = Some(here - work(from));
                    queue.push_back(to);
                } else if to == at && known[from].is_none() {
                    known[from] = Some(here + work(from));
                    queue.push_back(from);
                }
            }
        }
    }
    known.into_iter().take(count).map(|advance| advance.unwrap_or(0)).collect()
}

/// The payment graph of a function.
struct Edges<'a> {
    function: &'a Function,
    stretches: &'a Stretches,
    checked: &'a IdSet<BlockId>,
    branches: BranchSpots<'a>,
    frequencies: Frequencies<BlockId>,
    list: IdMap<PayId, PayEdge>,
    loaded: Vec<(Spot, StretchId, Keeper)>,
    /// Landing pads, which are read at once for all that lead to them.
    pads: IdSet<StretchId>,
    /// Stretches that begin with nothing paid ahead.
    fixed: IdSet<StretchId>,
}

impl<'a> Edges<'a> {
    fn list(function: &'a Function, stretches: &'a Stretches, checked: &'a IdSet<BlockId>) -> Edges<'a> {
        let dominators = Dominators::compute(function, BlockId::new(0));
        let loops = LoopForest::compute(function, &dominators);
        let mut edges = Edges {
            function,
            stretches,
            checked,
            branches: BranchSpots::new(function),
            frequencies: weights::frequencies(function, &loops),
            list: IdMap::new(),
            loaded: Vec::new(),
            pads: IdSet::new(),
            fixed: IdSet::new(),
        };
        edges.load(stretches.start_of(StretchId::new(0)), StretchId::new(0), stretches.entered);
        for id in stretches.list.ids() {
            edges.behind(id);
        }
        edges
    }

    fn behind(&mut self, id: StretchId) {
        let stretch = &self.stretches.list[id];
        let block = stretch.block;
        let frequency = self.frequencies.nodes[block];
        match stretch.end {
            End::Nowhere => {}
            End::Measured => {
                let next = self.stretches.behind(id);
                let spot = self.stretches.start_of(next);
                self.push(Some(id), Some(next), Place::Arrival(spot), frequency);
            }
            End::Call(_) => {
                self.push(Some(id), None, Place::Settled, frequency);
                let next = self.stretches.behind(id);
                self.load(self.stretches.start_of(next), next, stretch.keeper);
            }
            End::Gone(_) | End::Jump(_) | End::Return(_) => {
                self.push(Some(id), None, Place::Settled, frequency);
            }
            End::Invoke(_) => {
                self.push(Some(id), None, Place::Settled, frequency);
                self.load_behind_invoke(block, stretch.keeper);
            }
            End::Branch if !self.checked.contains(block) => self.branches_of(id),
            End::Branch | End::Unsplittable => {
                // A charge before a check is its comparison, and so free.
                let frequency = if stretch.end == End::Branch { 0 } else { frequency };
                self.push(Some(id), None, Place::Leaving(Spot::Before(stretch.last)), frequency);
                for &successor in &self.function.blocks[block].successors {
                    self.fix(self.stretches.first[successor]);
                }
            }
        }
    }

    fn branches_of(&mut self, id: StretchId) {
        let block = self.stretches.list[id].block;
        for (slot, &successor) in self.function.blocks[block].successors.iter().enumerate() {
            let spot = match self.branches.of_branch(block, slot as u32) {
                Counting::At(spot) => spot,
                _ => unreachable!("edges of br and switch can be cut"),
            };
            let place = match spot {
                Spot::Before(_) => Place::Leaving(spot),
                _ => Place::Arrival(spot),
            };
            let frequency = self.frequencies.edges[block].get(slot).copied().unwrap_or(0);
            self.push(Some(id), Some(self.stretches.first[successor]), place, frequency);
        }
    }

    fn load_behind_invoke(&mut self, block: BlockId, keeper: Keeper) {
        let &[normal, pad] = &self.function.blocks[block].successors[..] else {
            unreachable!("an invoke has two ways on")
        };
        let (normal, pad) = (self.stretches.first[normal], self.stretches.first[pad]);
        let Counting::At(spot) = self.branches.of_branch(block, 0) else {
            unreachable!("the normal way out of an invoke can be cut")
        };
        // Nothing else may stand before a terminator that calls.
        let spot = if matches!(spot, Spot::Before(_)) { Spot::Edge(block, 0) } else { spot };
        self.load(spot, normal, keeper);
        if self.pads.insert(pad) {
            self.load(self.stretches.start_of(pad), pad, Keeper::Cell);
        }
    }

    fn load(&mut self, spot: Spot, stretch: StretchId, keeper: Keeper) {
        let frequency = self.frequencies.nodes[self.stretches.list[stretch].block];
        self.loaded.push((spot, stretch, keeper));
        self.push(None, Some(stretch), Place::Settled, frequency);
    }

    /// Nothing is paid ahead at this stretch.
    fn fix(&mut self, target: StretchId) {
        if self.fixed.insert(target) {
            self.push(None, Some(target), Place::Nowhere, 0);
        }
    }

    fn push(&mut self, from: Option<StretchId>, to: Option<StretchId>, place: Place, frequency: u64) {
        self.list.push(PayEdge { from, to, place, frequency });
    }
}
