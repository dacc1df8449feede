//! Which paths has a function, and how is each counted at least cost?
//!
//! Ball and Larus, "Efficient path profiling" (MICRO 29, 1996). Edges that
//! lead back are cut: there one path ends and the next begins. What is left is
//! acyclic, so from each node there is a number of ways to the end; the ways
//! through its edges are numbered behind each other, and the sum of the values
//! along a path is its number: 0 to paths - 1, each once ([`PathNumbering`],
//! section 3.2). An edge's value may be moved to other edges as long as sums
//! stay: with a potential that makes the edges of a spanning tree zero, only
//! its chords add anything ([`Increments`], section 3.3; the potential is that
//! of Ball's event counting). A cut edge is two: one to the outside that ends
//! a path, and one from the outside that begins one; beginnings at one node
//! are one.
//!
//! A function can have more paths than anyone can hold. [`cut_to_fit`] cuts
//! further edges, those behind which most paths lie, until there are few
//! enough: paths become shorter, and still add up to every edge.
//!
//! Input: a flow graph with one edge by which it is entered; edges that no path
//! follows may be left out. Cost: edges * log edges, and as much for each
//! halving in `cut_to_fit`. Referee: enumeration, in the tests.

use std::collections::BTreeMap;

use opcost_index::{Id, IdMap, IdSet};
use thiserror::Error;

use crate::graph::assert_ends_exist;
use crate::{Countability, FlowEdge, UncountableCycle, choose_chords};

opcost_index::define_id!(
    /// An edge of the graph in which every cut edge is an end and a beginning.
    struct ArcId, "arc"
);

/// A graph whose paths are wanted.
#[derive(Clone, Copy, Debug)]
pub struct PathGraph<'a, N: Id, E: Id> {
    /// How many nodes it has.
    pub nodes: usize,
    /// Its edges.
    pub edges: &'a IdMap<E, FlowEdge<N>>,
    /// The one edge from the outside at which paths begin.
    pub entry: E,
    /// Edges that no path follows.
    pub without: &'a IdSet<E>,
}

/// Why paths have no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// The edges that are not cut go round.
    #[error("the graph is not acyclic without the edges that are cut")]
    Cycle,
    /// There are more than 2^63 of them.
    #[error("there are more than 2^63 paths")]
    TooMany,
}

impl<N: Id, E: Id> PathGraph<'_, N, E> {
    /// Edges that lead back to a node on the way to them, in a depth-first traversal that takes
    /// edges in their order. Without them the graph is acyclic.
    pub fn back_edges(&self) -> IdSet<E> {
        assert_ends_exist(self.nodes, self.edges);
        let out = self.out();
        let mut back = IdSet::new();
        let (mut open, mut seen) = (IdSet::new(), IdSet::new());
        let mut stack: Vec<(N, usize)> = self.first().into_iter().map(|node| (node, 0)).collect();
        while let Some((node, at)) = stack.last_mut() {
            let node = *node;
            if *at == 0 {
                open.insert(node);
                seen.insert(node);
            }
            let Some(&edge) = out[node].get(*at) else {
                open.remove(node);
                stack.pop();
                continue;
            };
            *at += 1;
            match self.edges[edge].to {
                Some(to) if open.contains(to) => _ = back.insert(edge),
                Some(to) if !seen.contains(to) => stack.push((to, 0)),
                _ => {}
            }
        }
        back
    }

    /// The node at which the graph is entered.
    fn first(&self) -> Option<N> {
        self.edges[self.entry].to
    }

    /// The edges out of each node that paths follow.
    fn out(&self) -> IdMap<N, Vec<E>> {
        let mut out: IdMap<N, Vec<E>> = IdMap::filled(self.nodes, Vec::new());
        for (edge, ends) in self.edges.iter().filter(|(edge, _)| !self.without.contains(*edge)) {
            if let Some(from) = ends.from {
                out[from].push(edge);
            }
        }
        out
    }

    /// Nodes that can be reached, each before those that its uncut edges lead to.
    fn order(&self, out: &IdMap<N, Vec<E>>, cut: &IdSet<E>) -> Result<Vec<N>, PathError> {
        let mut reached: IdSet<N> = self.first().into_iter().collect();
        let mut todo: Vec<N> = self.first().into_iter().collect();
        let mut waiting: IdMap<N, usize> = IdMap::filled(self.nodes, 0);
        while let Some(node) = todo.pop() {
            for &edge in &out[node] {
                let Some(to) = self.edges[edge].to else { continue };
                waiting[to] += usize::from(!cut.contains(edge));
                if reached.insert(to) {
                    todo.push(to);
                }
            }
        }
        let mut order = Vec::new();
        let mut ready: Vec<N> = reached.iter().filter(|&node| waiting[node] == 0).collect();
        while let Some(node) = ready.pop() {
            order.push(node);
            for &edge in out[node].iter().filter(|&&edge| !cut.contains(edge)) {
                let Some(to) = self.edges[edge].to else { continue };
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    ready.push(to);
                }
            }
        }
        if order.len() == reached.iter().count() { Ok(order) } else { Err(PathError::Cycle) }
    }
}

/// The edges to cut so that there are at most `most` paths: those that lead
/// back, and more where needed, of those that `may_cut`. `None` when even
/// cutting all leaves too many.
pub fn cut_to_fit<N: Id, E: Id>(
    graph: &PathGraph<'_, N, E>,
    most: u64,
    may_cut: impl Fn(E) -> bool,
) -> Option<IdSet<E>> {
    let back = graph.back_edges();
    let out = graph.out();
    let order = graph.order(&out, &back).ok()?;
    let mut cutting = Cutting { graph, out: &out, may_cut, most };
    loop {
        let mut cut = back.clone();
        let mut paths: IdMap<N, u64> = IdMap::filled(graph.nodes, 0);
        for &node in order.iter().rev() {
            paths[node] = cutting.cut_at(node, &paths, &mut cut);
        }
        if total(graph, &cut, &paths) <= most {
            return Some(cut);
        }
        if cutting.most <= 1 {
            return None;
        }
        cutting.most /= 2;
    }
}

/// Which edges may be cut, and until when.
struct Cutting<'a, N: Id, E: Id, F> {
    graph: &'a PathGraph<'a, N, E>,
    /// The edges out of each node that paths follow.
    out: &'a IdMap<N, Vec<E>>,
    may_cut: F,
    /// So many paths may begin at a node.
    most: u64,
}

impl<N: Id, E: Id, F: Fn(E) -> bool> Cutting<'_, N, E, F> {
    /// Cuts edges of one node until no more paths begin at it than may; returns how many do.
    fn cut_at(&self, node: N, paths: &IdMap<N, u64>, cut: &mut IdSet<E>) -> u64 {
        let behind = |edge: E, cut: &IdSet<E>| match self.graph.edges[edge].to {
            Some(to) if !cut.contains(edge) => paths[to],
            _ => 1,
        };
        let out = &self.out[node];
        let sum = |cut: &IdSet<E>| out.iter().fold(0u64, |sum, &edge| sum.saturating_add(behind(edge, cut)));
        let mut heaviest: Vec<E> = out.clone();
        heaviest.sort_by_key(|&edge| std::cmp::Reverse(behind(edge, cut)));
        for edge in heaviest {
            if sum(cut) <= self.most {
                break;
            }
            if behind(edge, cut) > 1 && (self.may_cut)(edge) {
                cut.insert(edge);
            }
        }
        sum(cut)
    }
}

/// All paths: those that begin at the entry and those that begin at cut edges.
fn total<N: Id, E: Id>(graph: &PathGraph<'_, N, E>, cut: &IdSet<E>, paths: &IdMap<N, u64>) -> u64 {
    let starts: IdSet<N> = cut.iter().filter_map(|edge| graph.edges[edge].to).collect();
    let first = graph.first().into_iter();
    first.chain(starts.iter()).fold(0u64, |sum, node| sum.saturating_add(paths[node]))
}

/// The numbers of all paths.
#[derive(Clone, Debug)]
pub struct PathNumbering<N: Id, E: Id> {
    count: u64,
    /// Nodes in an order in which paths go.
    order: Vec<N>,
    out: IdMap<N, Vec<E>>,
    ends: IdMap<E, FlowEdge<N>>,
    entry: E,
    cut: IdSet<E>,
    /// Paths from a node to an end.
    paths: IdMap<N, u64>,
    /// What an edge adds to the number; a cut one as an end.
    values: IdMap<E, u64>,
    /// What a path has that begins after a cut edge.
    starts: BTreeMap<N, u64>,
}

impl<N: Id, E: Id> PathNumbering<N, E> {
    /// Numbers the paths between cut edges.
    ///
    /// # Errors
    /// The cut edges leave a cycle, or there are too many paths.
    pub fn compute(graph: &PathGraph<'_, N, E>, cut: &IdSet<E>) -> Result<Self, PathError> {
        let out = graph.out();
        let order = graph.order(&out, cut)?;
        let mut paths: IdMap<N, u64> = IdMap::filled(graph.nodes, 0);
        let mut values: IdMap<E, u64> = IdMap::filled(graph.edges.len(), 0);
        for &node in order.iter().rev() {
            let mut sum = 0u64;
            for &edge in &out[node] {
                values[edge] = sum;
                let behind = match graph.edges[edge].to {
                    Some(to) if !cut.contains(edge) => paths[to],
                    _ => 1,
                };
                sum = sum.checked_add(behind).ok_or(PathError::TooMany)?;
            }
            paths[node] = sum;
        }
        let mut count = graph.first().map_or(0, |node| paths[node]);
        let mut starts = BTreeMap::new();
        let begun: IdSet<N> = cut.iter().filter_map(|edge| graph.edges[edge].to).collect();
        for node in begun.iter() {
            starts.insert(node, count);
            count = count.checked_add(paths[node]).ok_or(PathError::TooMany)?;
        }
        if count > 1 << 63 {
            return Err(PathError::TooMany);
        }
        let (ends, entry, cut) = (graph.edges.clone(), graph.entry, cut.clone());
        Ok(Self { count, order, out, ends, entry, cut, paths, values, starts })
    }

    /// How many paths there are; their numbers are below it.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Edges at which paths end and begin.
    pub fn cut(&self) -> &IdSet<E> {
        &self.cut
    }

    /// The edges of all nodes in an order in which paths go, the entry first.
    pub fn edges_in_order(&self) -> impl Iterator<Item = E> + '_ {
        let behind = self.order.iter().flat_map(|&node| self.out[node].iter().copied());
        std::iter::once(self.entry).chain(behind)
    }

    /// The edges along a path: the entry first, if it begins there; a cut edge
    /// last, if it ends at one.
    ///
    /// # Panics
    /// When no path has the number.
    pub fn edges_of(&self, number: u64) -> Vec<E> {
        assert!(number < self.count, "path {number} of {}", self.count);
        let first = self.ends[self.entry].to;
        let at_entry = first.map_or(0, |node| self.paths[node]);
        let (mut edges, mut node, mut rest) = if number < at_entry {
            (vec![self.entry], first, number)
        } else {
            // Of beginnings with equal values all but the last have no paths.
            let start = self
                .starts
                .iter()
                .rfind(|(node, start)| **start <= number && number - **start < self.paths[**node]);
            let (&node, &start) = start.expect("a number belongs to a beginning");
            (Vec::new(), Some(node), number - start)
        };
        while let Some(at) = node {
            let taken = self.out[at]
                .iter()
                .copied()
                .rfind(|&edge| self.values[edge] <= rest && rest - self.values[edge] < self.behind(edge));
            let edge = taken.expect("a number belongs to an edge");
            rest -= self.values[edge];
            edges.push(edge);
            node = if self.cut.contains(edge) { None } else { self.ends[edge].to };
        }
        edges
    }

    fn behind(&self, edge: E) -> u64 {
        match self.ends[edge].to {
            Some(to) if !self.cut.contains(edge) => self.paths[to],
            _ => 1,
        }
    }

    /// Increments that add up to each path's number, on few and light edges. `weights` say how
    /// often edges are taken. Nothing is added on an edge that is in `fixed`, unless it is the
    /// entry, leads out or is cut. There something must be done anyway.
    ///
    /// # Errors
    /// The fixed edges close a cycle.
    pub fn increments(
        &self,
        weights: &IdMap<E, u64>,
        fixed: &IdSet<E>,
    ) -> Result<Increments<N, E>, UncountableCycle<E>> {
        let mut arcs = Arcs::default();
        for edge in self.edges_in_order() {
            let ends = self.ends[edge];
            let is_cut = self.cut.contains(edge);
            let to = if is_cut { None } else { ends.to };
            let is_free = ends.from.is_none() || to.is_none();
            let countability = match fixed.contains(edge) {
                _ if is_free => Countability::Countable { weight: 0 },
                true => Countability::Uncountable,
                false => Countability::Countable { weight: weights[edge].saturating_add(1) },
            };
            arcs.push(FlowEdge { from: ends.from, to }, self.values[edge], countability, Some(edge));
        }
        for (&node, &start) in &self.starts {
            let free = Countability::Countable { weight: 0 };
            arcs.push(FlowEdge { from: None, to: Some(node) }, start, free, None);
        }
        arcs.increments(self.paths.len())
    }
}

/// What is added where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Increments<N: Id, E: Id> {
    /// On an edge; on one that is cut or leads out: before the path is counted.
    /// Edges that no path follows are absent.
    pub on: BTreeMap<E, i64>,
    /// What a path starts with after a cut edge to this node.
    pub starts: BTreeMap<N, i64>,
}

struct Arcs<N: Id, E: Id> {
    ends: IdMap<ArcId, FlowEdge<N>>,
    values: Vec<u64>,
    countability: IdMap<ArcId, Countability>,
    /// The edge; a beginning has none.
    edges: Vec<Option<E>>,
}

impl<N: Id, E: Id> Default for Arcs<N, E> {
    fn default() -> Self {
        Self { ends: IdMap::new(), values: Vec::new(), countability: IdMap::new(), edges: Vec::new() }
    }
}

impl<N: Id, E: Id> Arcs<N, E> {
    fn push(&mut self, ends: FlowEdge<N>, value: u64, countability: Countability, edge: Option<E>) {
        self.ends.push(ends);
        self.values.push(value);
        self.countability.push(countability);
        self.edges.push(edge);
    }

    fn increments(&self, nodes: usize) -> Result<Increments<N, E>, UncountableCycle<E>> {
        let chords = choose_chords(nodes, &self.ends, &self.countability).map_err(|cycle| {
            let edges = cycle.edges.iter().filter_map(|arc| self.edges[arc.index()]);
            UncountableCycle { edges: edges.collect() }
        })?;
        let potential = self.potentials(nodes, &chords);
        let of = |place: Option<N>| place.map_or(0, |node| potential[node]);
        let mut increments = Increments { on: BTreeMap::new(), starts: BTreeMap::new() };
        for (arc, ends) in self.ends.iter() {
            let value = self.values[arc.index()].cast_signed();
            let amount = value.wrapping_add(of(ends.from)).wrapping_sub(of(ends.to));
            match (self.edges[arc.index()], ends.to) {
                (Some(edge), _) => _ = increments.on.insert(edge, amount),
                (None, Some(node)) => _ = increments.starts.insert(node, amount),
                (None, None) => unreachable!("a beginning leads to a node"),
            }
        }
        Ok(increments)
    }

    /// The sum of values along the tree from the outside, which is 0, to each
    /// node. A part of the graph without a way to it has a zero of its own.
    fn potentials(&self, nodes: usize, chords: &IdSet<ArcId>) -> IdMap<N, i64> {
        let mut at_node: IdMap<N, Vec<ArcId>> = IdMap::filled(nodes, Vec::new());
        let mut at_outside = Vec::new();
        for (arc, ends) in self.ends.iter().filter(|(arc, _)| !chords.contains(*arc)) {
            for place in [ends.from, ends.to] {
                place.map_or(&mut at_outside, |node| &mut at_node[node]).push(arc);
            }
        }
        let mut potential: IdMap<N, i64> = IdMap::filled(nodes, 0);
        let (mut seen, mut todo) = (IdSet::new(), vec![None]);
        for root in std::iter::once(None).chain(potential.ids().map(Some).collect::<Vec<_>>()) {
            if root.is_some_and(|node| seen.insert(node)) {
                todo.push(root);
            }
            while let Some(place) = todo.pop() {
                let here = place.map_or(0, |node| potential[node]);
                let arcs = place.map_or(&at_outside, |node| &at_node[node]);
                for &arc in arcs {
                    let (ends, value) = (self.ends[arc], self.values[arc.index()].cast_signed());
                    let (other, amount) = if ends.from == place {
                        (ends.to, here.wrapping_add(value))
                    } else {
                        (ends.from, here.wrapping_sub(value))
                    };
                    if let Some(node) = other
                        && seen.insert(node)
                    {
                        potential[node] = amount;
                        todo.push(other);
                    }
                }
            }
        }
        potential
    }
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
