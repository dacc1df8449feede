//! The promise of linear work, counted in steps, not seconds.
//!
//! Every access to anything kept per node or edge goes through `Id::index`, so
//! an id that counts its own uses counts the work.

use std::cell::Cell;
use std::fmt;

use opcost_flow::{Bounds, Countability, FlowEdge, bounds, check_conservation, choose_chords, reconstruct};
use opcost_index::{Id, IdMap};

thread_local!(static STEPS: Cell<u64> = const { Cell::new(0) });

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Counted(u32);

impl Id for Counted {
    fn new(position: usize) -> Self {
        Self(u32::try_from(position).expect("small"))
    }
    fn index(self) -> usize {
        STEPS.with(|steps| steps.set(steps.get() + 1));
        self.0 as usize
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

type Edges = IdMap<Counted, FlowEdge<Counted>>;

/// Enters at the first node, leaves at the last; a way back from each node to the one before.
fn ladder(nodes: usize) -> Edges {
    let node = |position: usize| (position < nodes).then(|| Counted::new(position));
    let rung = |n: usize| {
        let down = FlowEdge { from: if n == 0 { None } else { node(n - 1) }, to: node(n) };
        let up = FlowEdge { from: node(n), to: if n == 0 { None } else { node(n - 1) } };
        [down, up]
    };
    (0..nodes).flat_map(rung).collect()
}

fn steps(work: impl FnOnce()) -> u64 {
    STEPS.with(|steps| steps.set(0));
    work();
    STEPS.with(Cell::get)
}

/// Five flows down, three up, over every rung.
fn run(nodes: usize, reversed: bool) -> u64 {
    let edges = ladder(nodes);
    let weight = |n: usize| if reversed { n as u64 } else { (2 * nodes - n) as u64 };
    let countability = (0..edges.len()).map(|n| Countability::Countable { weight: weight(n) }).collect();
    let counts: IdMap<Counted, i128> = (0..edges.len()).map(|_| 5).collect();
    steps(|| {
        let chords = choose_chords(nodes, &edges, &countability).unwrap();
        let known = edges.ids().map(|edge| chords.contains(edge).then(|| counts[edge])).collect();
        assert_eq!(reconstruct(nodes, &edges, &known).unwrap(), counts);
        check_conservation(nodes, &edges, &counts).unwrap();
        let found = bounds(nodes, &edges, &known).unwrap();
        assert!(found.values().all(|&Bounds { lower, upper }| lower <= 5 && upper.is_none_or(|u| u >= 5)));
    })
}

#[test]
fn a_long_chain_neither_overflows_nor_takes_quadratic_work() {
    for reversed in [false, true] {
        let (small, large) = (run(20_000, reversed), run(200_000, reversed));
        assert!(large < 11 * small, "ten times the nodes: {small} steps became {large}");
        assert!(large < 200 * 200_000, "{large} steps");
    }
}
