//! What does a flow network consist of? Arcs, and steps over them.
//!
//! An [`Arc`] has a price per unit, a capacity that may be unbounded, and the
//! flow it carries. The residual network is not a second graph but two *steps*
//! over each arc: forwards as long as there is capacity, back as long as there
//! is flow to take away, for the price negated. Arcs have names, so nothing
//! rests on there being one between two vertices (GCC searches for an edge by
//! its ends, and so must not have two).
//!
//! Steps are kept by vertex in one array (compressed sparse rows). Cost of
//! building it: vertices + arcs; of everything else: constant.

use std::ops::Range;

use opcost_index::{Id, IdMap, define_id};

define_id!(
    /// A vertex of the network.
    pub(super) struct Vertex, "vertex"
);
define_id!(
    /// The name of an arc.
    pub(super) struct ArcId, "arc"
);

/// A directed arc and its flow.
#[derive(Clone, Debug)]
pub(super) struct Arc {
    pub(super) tail: Vertex,
    pub(super) head: Vertex,
    /// Per unit of flow.
    pub(super) price: u64,
    /// `None` is unbounded.
    pub(super) capacity: Option<u128>,
    pub(super) flow: u128,
}

/// One direction of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) arc: ArcId,
    /// Against the arc, taking flow away.
    pub(super) back: bool,
}

/// Arcs between vertices.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) arcs: IdMap<ArcId, Arc>,
    /// The steps out of each vertex, vertex by vertex.
    steps: Vec<Step>,
    /// Where those of each vertex begin, and the end.
    first: Vec<u32>,
}

impl Network {
    /// The network of these arcs.
    pub(super) fn new(vertices: usize, arcs: IdMap<ArcId, Arc>) -> Self {
        let mut first = vec![0u32; vertices + 1];
        for arc in arcs.values() {
            first[arc.tail.index() + 1] += 1;
            first[arc.head.index() + 1] += 1;
        }
        for vertex in 0..vertices {
            first[vertex + 1] += first[vertex];
        }
        let mut free = first.clone();
        let nowhere = Step { arc: ArcId::new(0), back: false };
        let mut steps = vec![nowhere; 2 * arcs.len()];
        for (id, arc) in arcs.iter() {
            for (vertex, back) in [(arc.tail, false), (arc.head, true)] {
                let slot = &mut free[vertex.index()];
                steps[*slot as usize] = Step { arc: id, back };
                *slot += 1;
            }
        }
        Self { arcs, steps, first }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The positions of the steps out of `vertex`, for [`step`](Self::step).
    pub(super) fn steps_from(&self, vertex: Vertex) -> Range<usize> {
        self.first[vertex.index()] as usize..self.first[vertex.index() + 1] as usize
    }

    pub(super) fn step(&self, position: usize) -> Step {
        self.steps[position]
    }

    pub(super) fn start(&self, step: Step) -> Vertex {
        let arc = &self.arcs[step.arc];
        if step.back { arc.head } else { arc.tail }
    }

    pub(super) fn end(&self, step: Step) -> Vertex {
        let arc = &self.arcs[step.arc];
        if step.back { arc.tail } else { arc.head }
    }

    /// What a unit more over this step adds to the cost.
    pub(super) fn price(&self, step: Step) -> i128 {
        let price = i128::from(self.arcs[step.arc].price);
        if step.back { -price } else { price }
    }

    /// How much can still go over it; `None`: any amount.
    pub(super) fn residual(&self, step: Step) -> Option<u128> {
        let arc = &self.arcs[step.arc];
        if step.back { Some(arc.flow) } else { arc.capacity.map(|capacity| capacity - arc.flow) }
    }

    pub(super) fn is_open(&self, step: Step) -> bool {
        self.residual(step) != Some(0)
    }

    /// The most that can go over all of these steps.
    pub(super) fn bottleneck(&self, steps: &[Step]) -> Option<u128> {
        steps.iter().filter_map(|&step| self.residual(step)).min()
    }

    /// Sends `amount`, at most the bottleneck, over each of these steps.
    /// `None` when a flow leaves 128 bits.
    pub(super) fn send(&mut self, steps: &[Step], amount: u128) -> Option<()> {
        for step in steps {
            let flow = &mut self.arcs[step.arc].flow;
            *flow = if step.back { *flow - amount } else { flow.checked_add(amount)? };
        }
        Some(())
    }
}
