//! Is there a cheaper flow of the same value? Klein's cycle cancelling.
//!
//! Klein (Management Science 14, 1967): a flow is of minimum cost exactly when
//! its residual network has no cycle of negative price. While there is one,
//! send what it can take round it. Prices are integers and every turn makes
//! the flow cheaper by one at least, so it ends.
//!
//! Cycles are found by Bellman and Ford's relaxation, in three ways less
//! dumb than the textbook's:
//!
//! - passes over the vertices in the order of their numbers and back by turns
//!   (Yen 1970), so that a long chain takes two passes and not its length;
//! - only vertices whose distance fell since they were last looked at;
//! - distances are kept when a cycle was cancelled. Any distances will do to
//!   begin with; they are as if from one more vertex with arcs so long.
//!
//! After each pass the parents are searched for cycles. A cycle of parents is
//! one of negative price, and all cycles of parents are disjoint, so all are
//! cancelled at once.
//!
//! Cost: a pass is vertices + steps out of those that fell; passes to find a
//! cycle or none at most the number of vertices; number of cycles not bounded
//! by any polynomial. With `budget`, passes in all.

use opcost_index::{Id, IdMap};

use crate::classic::network::{Network, Step, Vertex};

/// What cancelling came to.
pub(super) struct Cancelling {
    /// No cycle of negative price is left.
    pub(super) is_optimal: bool,
    /// Cycles cancelled.
    pub(super) cycles: u64,
    /// Passes over the network.
    pub(super) passes: u64,
}

/// Cancels negative cycles until there is none, or `budget` passes are spent.
/// `None` when a flow or a distance leaves 128 bits.
pub(super) fn cancel_negative_cycles(network: &mut Network, budget: Option<u64>) -> Option<Cancelling> {
    let mut relaxation = Relaxation::new(network.vertex_count());
    let mut result = Cancelling { is_optimal: false, cycles: 0, passes: 0 };
    loop {
        if relaxation.is_settled() {
            result.is_optimal = true;
            return Some(result);
        }
        if budget.is_some_and(|budget| result.passes >= budget) {
            return Some(result);
        }
        relaxation.pass(network)?;
        result.passes += 1;
        let cycles = relaxation.cycles(network);
        for cycle in &cycles {
            let amount = network.bottleneck(cycle).expect("raising alone has no negative price");
            network.send(cycle, amount)?;
        }
        if !cycles.is_empty() {
            result.cycles += cycles.len() as u64;
            relaxation.forget_parents();
        }
    }
}

struct Relaxation {
    distance: IdMap<Vertex, i128>,
    /// The step that gave a vertex its distance, since the last cancelling.
    parent: IdMap<Vertex, Option<Step>>,
    /// Its distance fell since it was last looked at.
    fell: IdMap<Vertex, bool>,
    /// How many fell.
    waiting: usize,
    /// The next pass goes from the last vertex to the first.
    backwards: bool,
}

impl Relaxation {
    fn new(vertices: usize) -> Self {
        Self {
            distance: IdMap::filled(vertices, 0),
            parent: IdMap::filled(vertices, None),
            fell: IdMap::filled(vertices, true),
            waiting: vertices,
            backwards: false,
        }
    }

    fn is_settled(&self) -> bool {
        self.waiting == 0
    }

    fn pass(&mut self, network: &Network) -> Option<()> {
        let count = network.vertex_count();
        for position in 0..count {
            let vertex = Vertex::new(if self.backwards { count - 1 - position } else { position });
            if self.fell[vertex] {
                self.fell[vertex] = false;
                self.waiting -= 1;
                self.relax_from(network, vertex)?;
            }
        }
        self.backwards = !self.backwards;
        Some(())
    }

    fn relax_from(&mut self, network: &Network, vertex: Vertex) -> Option<()> {
        for step in network.steps_from(vertex).map(|position| network.step(position)) {
            if !network.is_open(step) {
                continue;
            }
            let end = network.end(step);
            let distance = self.distance[vertex].checked_add(network.price(step))?;
            if distance < self.distance[end] {
                self.distance[end] = distance;
                self.parent[end] = Some(step);
                self.waiting += usize::from(!self.fell[end]);
                self.fell[end] = true;
            }
        }
        Some(())
    }

    /// All cycles of parents, each as its steps.
    fn cycles(&self, network: &Network) -> Vec<Vec<Step>> {
        let mut cycles = Vec::new();
        // The number of the walk, from 1, that came by a vertex first.
        let mut walked = IdMap::filled(network.vertex_count(), 0u32);
        for (number, start) in (1..).zip(self.parent.ids()) {
            let mut vertex = start;
            while walked[vertex] == 0 {
                walked[vertex] = number;
                let Some(step) = self.parent[vertex] else { break };
                vertex = network.start(step);
            }
            if walked[vertex] == number && self.parent[vertex].is_some() {
                cycles.push(self.cycle_at(network, vertex));
            }
        }
        cycles
    }

    fn cycle_at(&self, network: &Network, first: Vertex) -> Vec<Step> {
        let mut cycle = Vec::new();
        let mut vertex = first;
        loop {
            let step = self.parent[vertex].expect("on a cycle of parents");
            cycle.push(step);
            vertex = network.start(step);
            if vertex == first {
                return cycle;
            }
        }
    }

    /// After cancelling. The steps that opened need no look, since they are steps to parents. A
    /// distance is never below its parent's and the step between, so it is no shorter to go back.
    fn forget_parents(&mut self) {
        self.parent.values_mut().for_each(|parent| *parent = None);
    }
}
