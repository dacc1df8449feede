//! Is this set of edges a forest, and in which order does it fall apart?
//!
//! Two classical tools on undirected edges between places. [`Trees`] is
//! union-find by size with path halving (Tarjan and van Leeuwen 1984): it says
//! whether an edge joins two trees or closes a cycle, in nearly constant time.
//! [`peel`] takes off leaves until none is left; what remains is the 2-core,
//! empty exactly for a forest. Cost of peeling: nodes + edges, no recursion,
//! and no adjacency lists: each place keeps the exclusive or of the edges
//! still at it, which is the edge itself when one is left.

use opcost_index::{Id, IdMap, IdSet};

use crate::FlowEdge;
use crate::graph::PlaceMap;

/// Places merged into trees.
pub(crate) struct Trees<N: Id> {
    /// Nearer to the tree's representative, which is its own parent.
    parent: PlaceMap<N, Option<N>>,
    size: PlaceMap<N, u32>,
}

impl<N: Id> Trees<N> {
    /// Every place a tree of its own.
    pub(crate) fn new(nodes: usize) -> Self {
        let mut parent = PlaceMap::filled(nodes, None);
        for place in parent.places() {
            parent[place] = place;
        }
        Self { parent, size: PlaceMap::filled(nodes, 1) }
    }

    /// Joins the trees of both ends; false when they are one tree already and
    /// the edge would close a cycle.
    pub(crate) fn join(&mut self, edge: FlowEdge<N>) -> bool {
        let (a, b) = (self.representative(edge.from), self.representative(edge.to));
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
        true
    }

    /// The place that represents all of this place's tree.
    pub(crate) fn representative(&mut self, mut place: Option<N>) -> Option<N> {
        while self.parent[place] != place {
            let grandparent = self.parent[self.parent[place]];
            self.parent[place] = grandparent;
            place = grandparent;
        }
        place
    }
}

/// A place at which one edge is left, and this edge.
pub(crate) type Leaf<N, E> = (Option<N>, E);

/// A set of edges taken apart from its leaves.
pub(crate) struct Peeling<N: Id, E: Id> {
    /// The leaves as they fell, children before parents.
    pub(crate) order: Vec<Leaf<N, E>>,
    /// The edges that are on cycles or between them; empty for a forest.
    pub(crate) core: IdSet<E>,
}

#[derive(Clone, Copy, Default)]
struct Incidence {
    degree: u32,
    /// Exclusive or of the positions of the edges still here.
    edges: usize,
}

impl Incidence {
    fn attach(&mut self, edge: impl Id) {
        self.degree += 1;
        self.edges ^= edge.index();
    }

    fn detach(&mut self, edge: impl Id) {
        self.degree -= 1;
        self.edges ^= edge.index();
    }
}

/// Takes leaf after leaf off the graph made of the edges in `set`.
pub(crate) fn peel<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    set: &IdSet<E>,
) -> Peeling<N, E> {
    let mut at = PlaceMap::filled(nodes, Incidence::default());
    for edge in set.iter() {
        at[edges[edge].from].attach(edge);
        at[edges[edge].to].attach(edge);
    }
    let mut leaves: Vec<_> = at.places().filter(|&place| at[place].degree == 1).collect();
    let mut peeling = Peeling { order: Vec::new(), core: set.clone() };
    while let Some(leaf) = leaves.pop() {
        // Of a tree's last two places, one takes the edge and the other is left bare.
        if at[leaf].degree != 1 {
            continue;
        }
        let edge = E::new(at[leaf].edges);
        let neighbour = edges[edge].other_end(leaf);
        at[leaf].detach(edge);
        at[neighbour].detach(edge);
        peeling.core.remove(edge);
        peeling.order.push((leaf, edge));
        if at[neighbour].degree == 1 {
            leaves.push(neighbour);
        }
    }
    peeling
}

/// The edges of one cycle among those in `set` (directions ignored), in order
/// of their ids; `None` when the set is a forest.
pub(crate) fn find_cycle<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    set: &IdSet<E>,
) -> Option<Vec<E>> {
    let mut trees = Trees::new(nodes);
    let mut prefix = IdSet::new();
    for edge in set.iter() {
        prefix.insert(edge);
        if !trees.join(edges[edge]) {
            // A forest and one edge more has a single cycle: its 2-core.
            return Some(peel(nodes, edges, &prefix).core.iter().collect());
        }
    }
    None
}
