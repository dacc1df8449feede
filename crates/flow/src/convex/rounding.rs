//! Which whole counts lie nearest to fractional ones and still add up?
//!
//! A flow on a graph can be rounded so that each edge carries its fractional
//! count rounded up or down and everything is conserved: the equations of a
//! graph are totally unimodular (Hoffman and Kruskal 1956). So each edge is
//! first rounded to the nearest; what then is too much at some places and too
//! little at others is sent from those to these, one unit per edge at most and
//! only where the count stays between floor and ceiling. Sending is a maximum
//! flow (Dinic 1970; with unit capacities E sqrt(E), Even and Tarjan 1975).
//!
//! Counts from a solver are not conserved exactly, least of all large ones.
//! What is left over is sent without upper limit, but never below 0; then the
//! promise of floor or ceiling is not kept for the edges it goes over.
//!
//! The count of one edge, the entry of a function, may be prescribed: all are
//! scaled by the same factor before. So a caller that goes from callers to
//! callees makes every entry the exact sum of its call sites.
//!
//! Limit: a loop whose entry is rounded down to 0 may keep its turns. Prescribe
//! the entry where this matters.
//!
//! Output: counts below 2^63; the same for the same input. Cost: as a maximum
//! flow, in practice a few passes over the edges.

use opcost_index::{Id, IdMap};

use crate::graph::assert_ends_exist;
use crate::{FlowEdge, FlowError};

/// Counts nearer to an integer than this share of themselves are taken for it.
const ROUNDING: f64 = 1e-9;

/// Counts from here on cannot be represented.
const LIMIT: f64 = 9.2e18;

/// Whole counts near `flow` that are conserved at every place, the outside
/// included. With `prescribed`, this edge carries exactly this count.
///
/// # Errors
/// [`FlowError::Contradiction`] at a place that cannot get rid of what is prescribed (or of what
/// came in, where `flow` was not conserved). [`FlowError::Overflow`] for a count of 9.2e18 or more.
///
/// # Panics
/// When a count is negative or not a number, the maps differ in length, or an
/// edge ends at a node past `nodes`.
pub fn round_flow<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    flow: &IdMap<E, f64>,
    prescribed: Option<(E, u64)>,
) -> Result<IdMap<E, u64>, FlowError<N, E>> {
    assert_ends_exist(nodes, edges);
    assert_eq!(edges.len(), flow.len(), "one count per edge");
    let mut network = Network::new(nodes, edges, flow, prescribed)?;
    network.send();
    network.lift_limits(prescribed.map(|(edge, _)| edge));
    network.send();
    network.finished()
}

struct Network<'a, N: Id, E: Id> {
    nodes: usize,
    edges: &'a IdMap<E, FlowEdge<N>>,
    counts: IdMap<E, u64>,
    /// By how much each count may still rise and fall.
    up: IdMap<E, u64>,
    down: IdMap<E, u64>,
    /// What comes into each place and does not go out; the outside is the last.
    excess: Vec<i128>,
    /// Where the edges of each place begin in `incident`, and the end.
    starts: Vec<usize>,
    incident: Vec<E>,
    level: Vec<u32>,
    /// How many edges of each place were tried in this phase.
    tried: Vec<usize>,
}

/// Not reached.
const FAR: u32 = u32::MAX;

impl<'a, N: Id, E: Id> Network<'a, N, E> {
    fn new(
        nodes: usize,
        edges: &'a IdMap<E, FlowEdge<N>>,
        flow: &IdMap<E, f64>,
        prescribed: Option<(E, u64)>,
    ) -> Result<Self, FlowError<N, E>> {
        let factor = match prescribed {
            Some((edge, count)) if flow[edge] > 0.0 => count as f64 / flow[edge],
            _ => 1.0,
        };
        let (starts, incident) = incidence(nodes, edges);
        let mut network = Self {
            nodes,
            edges,
            counts: IdMap::new(),
            up: IdMap::new(),
            down: IdMap::new(),
            excess: vec![0; nodes + 1],
            starts,
            incident,
            level: vec![FAR; nodes + 1],
            tried: vec![0; nodes + 1],
        };
        for (edge, &fraction) in flow.iter() {
            assert!(fraction >= 0.0, "{edge} was taken {fraction} times");
            let exact = fraction * factor;
            if exact.is_nan() || exact >= LIMIT {
                return Err(FlowError::Overflow { edge });
            }
            let nearest = exact.round();
            let is_whole = (exact - nearest).abs() <= ROUNDING * exact.max(1.0);
            let fixed = prescribed.filter(|&(chosen, _)| chosen == edge);
            let count = fixed.map_or(nearest as u64, |(_, count)| count);
            let free = !is_whole && fixed.is_none();
            network.counts.push(count);
            network.up.push(u64::from(free && nearest < exact));
            network.down.push(u64::from(free && nearest > exact));
            let ends = edges[edge];
            let (from, to) = (network.position(ends.from), network.position(ends.to));
            network.excess[from] -= i128::from(count);
            network.excess[to] += i128::from(count);
        }
        Ok(network)
    }

    fn position(&self, place: Option<N>) -> usize {
        place.map_or(self.nodes, N::index)
    }

    /// Any count may rise as far as it can be represented, and fall to 0.
    fn lift_limits(&mut self, except: Option<E>) {
        for edge in self.counts.ids().filter(|&edge| Some(edge) != except) {
            self.up[edge] = (LIMIT as u64).saturating_sub(self.counts[edge]);
            self.down[edge] = self.counts[edge];
        }
    }

    /// Sends as much as possible from places with too much to others.
    fn send(&mut self) {
        while self.set_levels() {
            self.tried.fill(0);
            for source in 0..=self.nodes {
                while self.excess[source] > 0 && self.send_along_path(source) {}
            }
        }
    }

    /// The place that excess of `place` comes to by way of `edge`, and how much
    /// may go there.
    fn residual_step(&self, place: usize, edge: E) -> (usize, u64) {
        let ends = self.edges[edge];
        let (from, to) = (self.position(ends.from), self.position(ends.to));
        // More goes out over the edge, or less comes in.
        if from == place { (to, self.up[edge]) } else { (from, self.down[edge]) }
    }

    /// Distances from the places with too much; whether one with too little is
    /// reached.
    fn set_levels(&mut self) -> bool {
        self.level.fill(FAR);
        let mut queue: Vec<usize> = (0..=self.nodes).filter(|&place| self.excess[place] > 0).collect();
        queue.iter().for_each(|&place| self.level[place] = 0);
        let (mut next, mut reached) = (0, false);
        while let Some(&place) = queue.get(next) {
            next += 1;
            for entry in self.starts[place]..self.starts[place + 1] {
                let (other, room) = self.residual_step(place, self.incident[entry]);
                if room > 0 && self.level[other] == FAR {
                    self.level[other] = self.level[place] + 1;
                    reached |= self.excess[other] < 0;
                    queue.push(other);
                }
            }
        }
        reached
    }

    /// Sends along one path of rising levels; false when there is none left.
    fn send_along_path(&mut self, source: usize) -> bool {
        let mut path: Vec<(usize, E)> = Vec::new();
        let mut place = source;
        while self.excess[place] >= 0 {
            let start = self.starts[place];
            if start + self.tried[place] == self.starts[place + 1] {
                // A dead end: step back and never come here again.
                let Some((before, _)) = path.pop() else { return false };
                self.tried[before] += 1;
                place = before;
                continue;
            }
            let edge = self.incident[start + self.tried[place]];
            let (other, room) = self.residual_step(place, edge);
            if room > 0 && self.level[other] == self.level[place] + 1 {
                path.push((place, edge));
                place = other;
            } else {
                self.tried[place] += 1;
            }
        }
        let narrowest = path.iter().map(|&(from, edge)| self.residual_step(from, edge).1).min().unwrap_or(0);
        let wanted = self.excess[source].min(-self.excess[place]);
        let amount = u64::try_from(wanted).unwrap_or(u64::MAX).min(narrowest);
        for &(from, edge) in &path {
            self.change(from, edge, amount);
        }
        self.excess[source] -= i128::from(amount);
        self.excess[place] += i128::from(amount);
        true
    }

    fn change(&mut self, from: usize, edge: E, amount: u64) {
        let rises = self.position(self.edges[edge].from) == from;
        let (less, more) =
            if rises { (&mut self.up, &mut self.down) } else { (&mut self.down, &mut self.up) };
        less[edge] -= amount;
        more[edge] += amount;
        if rises {
            self.counts[edge] += amount;
        } else {
            self.counts[edge] -= amount;
        }
    }

    fn finished(self) -> Result<IdMap<E, u64>, FlowError<N, E>> {
        let Some(place) = (0..=self.nodes).find(|&place| self.excess[place] != 0) else {
            return Ok(self.counts);
        };
        let sum = |at: fn(&FlowEdge<N>) -> Option<N>| -> i128 {
            (self.edges.iter().filter(|(_, ends)| self.position(at(ends)) == place))
                .map(|(edge, _)| i128::from(self.counts[edge]))
                .sum()
        };
        Err(FlowError::Contradiction {
            node: (place < self.nodes).then(|| N::new(place)),
            inflow: sum(|ends| ends.to),
            outflow: sum(|ends| ends.from),
        })
    }
}

/// The edges at each place; self-loops, over which nothing can be sent, not.
fn incidence<N: Id, E: Id>(nodes: usize, edges: &IdMap<E, FlowEdge<N>>) -> (Vec<usize>, Vec<E>) {
    let position = |place: Option<N>| place.map_or(nodes, N::index);
    let ends = |edge: E| {
        let ends = edges[edge];
        let loops = ends.from == ends.to;
        [ends.from, ends.to].map(position).into_iter().filter(move |_| !loops)
    };
    let mut starts = vec![0; nodes + 2];
    for edge in edges.ids() {
        ends(edge).for_each(|place| starts[place + 1] += 1);
    }
    for place in 0..=nodes {
        starts[place + 1] += starts[place];
    }
    let mut next = starts.clone();
    let mut incident = vec![E::new(0); starts[nodes + 1]];
    for edge in edges.ids() {
        for place in ends(edge) {
            incident[next[place]] = edge;
            next[place] += 1;
        }
    }
    (starts, incident)
}
