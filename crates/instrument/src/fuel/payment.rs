//! Where is the work of a function paid for?
//!
//! A stretch may be paid for before it is done, or after it; the *advance* at a point is what was
//! paid and not done yet. Settling the cell needs the advance, which must therefore be the same on
//! all ways to a point: it is a potential on the stretches, and what an edge pays is the difference
//! of potentials at its ends (Ball's event counting). Zero potential is the outside: entries, calls
//! that look, returns. A spanning tree of potentials makes its own edges free of charge; the tree
//! is of maximum estimated frequency, so what is paid is paid on rare edges.
//!
//! Edges that cannot be cut pay nothing, so all targets of one terminator begin
//! with one advance, their *hub*'s. A check is a branch on the sign of the last
//! charge, and so costs no comparison if everything due is charged right before
//! it: at the end of a block all that was done, and at the start of a stretch
//! that is asked about ahead, the stretch itself.
//!
//! Input: the stretches. Output: advances and charges. Cost: E log E.

use std::collections::VecDeque;

use opcost_flow::{Countability, FlowEdge, choose_chords};
use opcost_graph::dominators::Dominators;
use opcost_graph::frequency::Frequencies;
use opcost_graph::loops::LoopForest;
use opcost_index::{Id, IdMap, IdSet, define_id};
use opcost_ir::{BalanceLocation, EditPoint, Flow, Function, Module};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::lengths::Checked;
use crate::fuel::stretch::{End, Stretch, StretchId, Stretches};
use crate::spots::{BranchSpots, Counting, SPLIT_FACTOR};
use crate::weights;

define_id!(
    /// An edge on which something may be paid.
    struct PayId, "payment edge"
);

/// How often a charge is felt right before a check, which would compare instead.
const FREE: u64 = 0;

/// Where a function pays, and what it has paid ahead at each stretch.
pub(crate) struct Payment {
    /// What is paid and not done where each stretch begins, when it has paid for itself. After the
    /// last one, the same for the nodes before them.
    advance: IdMap<StretchId, i64>,
    /// The node that the ways to a stretch lead to, if it is another.
    arrival: IdMap<StretchId, StretchId>,
    /// Charges that belong to the arrival at a stretch.
    pub(crate) on_arrival: Vec<(EditPoint, i64)>,
    /// Charges that belong to leaving one.
    pub(crate) on_leaving: Vec<(EditPoint, i64)>,
    /// Where the register is read anew, and the stretch that follows.
    loaded: Vec<(EditPoint, StretchId, BalanceLocation)>,
}

/// An edge of the payment graph; no stretch is the outside.
struct PayEdge {
    from: Option<StretchId>,
    to: Option<StretchId>,
    payability: Payability,
    frequency: u64,
}

/// What paying on an edge takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Payability {
    /// Nothing but another constant where the cell is read or written.
    Settled,
    /// A spot that is part of arriving.
    Arrival(EditPoint),
    /// A spot that is part of leaving.
    Leaving(EditPoint),
    /// It cannot be paid on.
    Nowhere,
}

impl Payment {
    /// Chooses the charges of one function with these checks.
    pub(crate) fn choose(
        module: &Module,
        id: FunctionId,
        stretches: &Stretches,
        checked: &Checked,
    ) -> Payment {
        let function = &module.functions[id];
        let edges = Edges::list(function, stretches, checked);
        let flow: IdMap<PayId, FlowEdge<StretchId>> =
            edges.list.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let countability = edges.list.values().map(countability).collect();
        let paying = choose_chords(edges.work.len(), &flow, &countability)
            .expect("each node has one fixed edge at most");
        let advance = advances(&edges.work, &edges.list, &paying);
        let mut payment = Payment {
            advance,
            arrival: edges.arrival,
            on_arrival: Vec::new(),
            on_leaving: Vec::new(),
            loaded: edges.loaded,
        };
        for edge in edges.list.values() {
            let before = edge.from.map_or(0, |from| payment.advance[from] - edges.work[from]);
            let amount = edge.to.map_or(0, |to| payment.advance[to]) - before;
            match edge.payability {
                _ if amount == 0 => {}
                Payability::Arrival(spot) => payment.on_arrival.push((spot, amount)),
                Payability::Leaving(spot) => payment.on_leaving.push((spot, amount)),
                // The constant of the load or store says it.
                Payability::Settled => {}
                Payability::Nowhere => unreachable!("fixed edges are in the tree"),
            }
        }
        payment
    }

    /// Where the register is read from the cell, with the advance there.
    pub(crate) fn loads(&self) -> Vec<(EditPoint, i64, BalanceLocation)> {
        let advance = |id| self.advance[self.arrival[id]];
        self.loaded.iter().map(|&(spot, id, keeper)| (spot, advance(id), keeper)).collect()
    }

    /// What is paid and not done where a stretch begins.
    pub(crate) fn at_start(&self, id: StretchId) -> i64 {
        self.advance[id]
    }

    /// What is paid and not done at the check before a stretch.
    pub(crate) fn at_check(&self, stretches: &Stretches, checked: &Checked, id: StretchId) -> i64 {
        // What is paid for is as good as done: nothing keeps it from being done.
        if checked.ahead.contains(id) { 0 } else { self.behind_head(stretches, id) }
    }

    /// What is paid and not done after the head of a stretch. A fault may keep it from being done.
    pub(crate) fn behind_head(&self, stretches: &Stretches, id: StretchId) -> i64 {
        self.advance[id] - stretches.list[id].head as i64
    }

    /// Where the cell is settled, with the advance there: all of the stretch
    /// counts as done.
    pub(crate) fn stores(&self, stretches: &Stretches) -> Vec<(EditPoint, i64, BalanceLocation)> {
        let settled = |(id, stretch): (StretchId, &Stretch)| match stretch.end {
            End::Call(at) | End::NoReturn(at) | End::Jump(at) | End::Invoke(at) | End::Return(at) => {
                Some((EditPoint::Before(at), self.behind(stretches, id), stretch.balance_location))
            }
            End::Measured | End::Branch | End::Unsplittable | End::Nowhere => None,
        };
        stretches.list.iter().filter_map(settled).collect()
    }

    /// The advance after a stretch.
    fn behind(&self, stretches: &Stretches, id: StretchId) -> i64 {
        self.advance[id] - stretches.list[id].work as i64
    }
}

fn countability(edge: &PayEdge) -> Countability {
    match edge.payability {
        Payability::Nowhere => Countability::Uncountable,
        Payability::Arrival(EditPoint::Edge(..)) => {
            Countability::Countable { weight: edge.frequency.saturating_mul(SPLIT_FACTOR) }
        }
        _ => Countability::Countable { weight: edge.frequency },
    }
}

/// Potentials along the edges that pay nothing, from the outside and then
/// from every stretch that is still without one.
fn advances(
    work: &IdMap<StretchId, i64>,
    edges: &IdMap<PayId, PayEdge>,
    paying: &IdSet<PayId>,
) -> IdMap<StretchId, i64> {
    let count = work.len();
    let outside = count;
    let node = |stretch: Option<StretchId>| stretch.map_or(outside, StretchId::index);
    let mut neighbours: Vec<Vec<PayId>> = vec![Vec::new(); count + 1];
    for (id, edge) in edges.iter().filter(|(id, _)| !paying.contains(*id)) {
        neighbours[node(edge.from)].push(id);
        neighbours[node(edge.to)].push(id);
    }
    let work = |at: usize| if at == outside { 0 } else { work[StretchId::new(at)] };
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
    checked: &'a Checked,
    branches: BranchSpots<'a>,
    frequencies: Frequencies<BlockId>,
    list: IdMap<PayId, PayEdge>,
    /// The work of each node: the stretches, then what leads to some of them.
    work: IdMap<StretchId, i64>,
    /// The node that the ways to a stretch lead to.
    arrival: IdMap<StretchId, StretchId>,
    loaded: Vec<(EditPoint, StretchId, BalanceLocation)>,
    /// Landing pads, which are read at once for all that lead to them.
    pads: IdSet<StretchId>,
    /// Nodes that begin with nothing paid ahead.
    fixed: IdSet<StretchId>,
}

impl<'a> Edges<'a> {
    fn list(function: &'a Function, stretches: &'a Stretches, checked: &'a Checked) -> Edges<'a> {
        let dominators = Dominators::compute(function, BlockId::new(0));
        let loops = LoopForest::compute(function, &dominators);
        let mut edges = Edges {
            function,
            stretches,
            checked,
            branches: BranchSpots::new(function),
            frequencies: weights::frequencies(function, &loops),
            list: IdMap::new(),
            work: stretches.list.values().map(|stretch| stretch.work as i64).collect(),
            arrival: stretches.list.ids().collect(),
            loaded: Vec::new(),
            pads: IdSet::new(),
            fixed: IdSet::new(),
        };
        edges.join_hubs();
        edges.pay_ahead();
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
                self.push(Some(id), Some(next), Payability::Arrival(spot), frequency);
            }
            End::Call(_) => {
                self.push(Some(id), None, Payability::Settled, frequency);
                let next = self.stretches.behind(id);
                self.load(self.stretches.start_of(next), next, stretch.balance_location);
            }
            End::NoReturn(_) | End::Jump(_) | End::Return(_) => {
                self.push(Some(id), None, Payability::Settled, frequency);
            }
            End::Invoke(_) => {
                self.push(Some(id), None, Payability::Settled, frequency);
                self.load_behind_invoke(block, stretch.balance_location);
            }
            End::Branch if self.checked.ends.contains(block) => {
                self.push(Some(id), None, Payability::Leaving(EditPoint::Before(stretch.last)), FREE);
                self.branches_of(block, None);
            }
            End::Branch => self.branches_of(block, Some(id)),
            End::Unsplittable => {
                let hub = self.function.blocks[block].successors.first();
                let hub = hub.map(|&successor| self.arrival[self.stretches.first[successor]]);
                self.push(Some(id), hub, Payability::Leaving(EditPoint::Before(stretch.last)), frequency);
            }
        }
    }

    /// Gives all targets of a terminator whose edges cannot be cut one hub.
    fn join_hubs(&mut self) {
        for block in self.function.blocks.values().filter(|block| block.flow == Flow::Unsplittable) {
            let targets: Vec<StretchId> =
                block.successors.iter().map(|&block| self.stretches.first[block]).collect();
            let hub = self.work.push(0);
            for &target in &targets {
                let known = self.arrival[target];
                let is_joined = |other: &&mut StretchId| **other == known;
                if known == target {
                    self.arrival[target] = hub;
                } else {
                    self.arrival.values_mut().filter(is_joined).for_each(|other| *other = hub);
                }
            }
        }
        for id in self.stretches.list.ids() {
            if self.arrival[id] != id && !self.checked.ahead.contains(id) {
                self.push(Some(self.arrival[id]), Some(id), Payability::Nowhere, 0);
            }
        }
    }

    /// Stretches that pay for themselves before their check.
    fn pay_ahead(&mut self) {
        for id in self.checked.ahead.iter() {
            if self.arrival[id] == id {
                self.arrival[id] = self.work.push(0);
            }
            let spot = self.stretches.start_of(id);
            self.push(Some(self.arrival[id]), Some(id), Payability::Arrival(spot), FREE);
            // All of it is paid, and nothing else.
            self.push(Some(id), None, Payability::Nowhere, 0);
        }
    }

    /// The branches of a block, whose last stretch is `from` or has paid.
    fn branches_of(&mut self, block: BlockId, from: Option<StretchId>) {
        for (slot, &successor) in self.function.blocks[block].successors.iter().enumerate() {
            let spot = match self.branches.of_branch(block, slot as u32) {
                Counting::At(spot) => spot,
                _ => unreachable!("edges of br and switch can be cut"),
            };
            let to = self.arrival[self.stretches.first[successor]];
            let place = match spot {
                // Nothing comes behind the check.
                EditPoint::Before(_) if from.is_none() => {
                    self.fix(to);
                    continue;
                }
                EditPoint::Before(_) => Payability::Leaving(spot),
                _ => Payability::Arrival(spot),
            };
            // Inside a loop that is paid for ahead nothing is paid.
            let is_inside = self.stretches.prepaid.goes_on_inside(block, successor);
            let guess = self.frequencies.edges[block].get(slot).copied().unwrap_or(0);
            self.push(from, Some(to), place, if is_inside { u64::MAX } else { guess });
        }
    }

    fn load_behind_invoke(&mut self, block: BlockId, keeper: BalanceLocation) {
        let &[normal, pad] = &self.function.blocks[block].successors[..] else {
            unreachable!("an invoke has two ways on")
        };
        let (normal, pad) = (self.stretches.first[normal], self.stretches.first[pad]);
        let Counting::At(spot) = self.branches.of_branch(block, 0) else {
            unreachable!("the normal way out of an invoke can be cut")
        };
        // Nothing else may stand before a terminator that calls.
        let spot = if matches!(spot, EditPoint::Before(_)) { EditPoint::Edge(block, 0) } else { spot };
        self.load(spot, normal, keeper);
        if self.pads.insert(pad) {
            self.load(self.stretches.start_of(pad), pad, BalanceLocation::Cell);
        }
    }

    fn load(&mut self, spot: EditPoint, stretch: StretchId, keeper: BalanceLocation) {
        let frequency = self.frequencies.nodes[self.stretches.list[stretch].block];
        self.loaded.push((spot, stretch, keeper));
        self.push(None, Some(self.arrival[stretch]), Payability::Settled, frequency);
    }

    /// Nothing is paid ahead at this node.
    fn fix(&mut self, target: StretchId) {
        if self.fixed.insert(target) {
            self.push(None, Some(target), Payability::Nowhere, 0);
        }
    }

    fn push(&mut self, from: Option<StretchId>, to: Option<StretchId>, place: Payability, frequency: u64) {
        self.list.push(PayEdge { from, to, payability: place, frequency });
    }
}
