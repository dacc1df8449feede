//! Repair of sampled counts by the classic method (`opcost_flow::classic`).
//!
//! The source's figures of this method did not survive in its text, so the
//! worked examples are our own, by hand (`by_hand`). Then: is the cost the
//! least (`referee`), is what must hold of any graph held (`properties`), and
//! do large graphs and large numbers end well (`size`)?

mod by_hand;
mod properties;
mod referee;
mod size;

use opcost_flow::FlowEdge;
use opcost_flow::classic::{
    FlowOptions, Islands, LevinPrices, LinearPrices, Price, Prior, Repair, RepairError, TimeModel, repair,
};
use opcost_index::{Id, IdMap};
use proptest::prelude::*;

opcost_index::define_id!(struct Node, "node");
opcost_index::define_id!(struct Edge, "edge");

/// The outside.
const OUT: usize = usize::MAX;

/// Leaves islands as the flow of minimum cost has them.
const KEEP: FlowOptions = FlowOptions { budget: None, islands: Islands::Retain };

/// A graph with what was sampled on it.
#[derive(Clone, Debug)]
struct Sampled {
    blocks: IdMap<Node, u64>,
    edges: IdMap<Edge, FlowEdge<Node>>,
    priors: IdMap<Edge, Prior>,
}

impl Sampled {
    fn new(blocks: &[u64], edges: &[(usize, usize, Prior)]) -> Self {
        let place = |position| (position != OUT).then(|| Node::new(position));
        Self {
            blocks: IdMap::from_vec(blocks.to_vec()),
            edges: edges.iter().map(|&(from, to, _)| FlowEdge { from: place(from), to: place(to) }).collect(),
            priors: edges.iter().map(|&(_, _, prior)| prior).collect(),
        }
    }

    fn repair(&self, model: &TimeModel<Node, Edge>) -> Repair<Node, Edge> {
        self.try_repair(model, KEEP).expect("a graph with an entry and small numbers")
    }

    fn try_repair(
        &self,
        model: &TimeModel<Node, Edge>,
        options: FlowOptions,
    ) -> Result<Repair<Node, Edge>, RepairError<Node, Edge>> {
        repair(&self.blocks, &self.edges, &self.priors, model, options)
    }

    /// Every node and edge at this price.
    fn all_at(&self, price: Price) -> TimeModel<Node, Edge> {
        TimeModel::Linear(LinearPrices {
            nodes: IdMap::filled(self.blocks.len(), price),
            edges: IdMap::filled(self.edges.len(), price),
            virtual_exit: price,
        })
    }
}

const fn price(raise: u64, lower: u64) -> Price {
    Price { raise, lower }
}

const LEVIN: LevinPrices = LevinPrices {
    block: price(3, 5),
    unsampled: price(2, 7),
    branch: price(1, 2),
    entry: price(4, 4),
    exit: price(6, 1),
};

fn befores<I: Id>(counts: &IdMap<I, opcost_flow::classic::Count>) -> Vec<u64> {
    counts.values().map(|count| count.before).collect()
}

fn afters<I: Id>(counts: &IdMap<I, opcost_flow::classic::Count>) -> Vec<u64> {
    counts.values().map(|count| count.after).collect()
}

/// Any graph with an entry: self-loops, parallel edges, irreducible loops,
/// unreachable parts and dead ends among them. Places past `nodes` are outside.
fn graphs(
    nodes: usize,
    edges: usize,
    weight: u64,
    prior: impl Strategy<Value = Prior> + Clone,
) -> impl Strategy<Value = Sampled> {
    (1..=nodes).prop_flat_map(move |nodes| {
        let end = move || (0..=nodes).prop_map(move |end| if end == nodes { OUT } else { end });
        let edge = (end(), end(), prior.clone());
        let entry = (Just(OUT), 0..nodes, prior.clone());
        let blocks = prop::collection::vec(0..=weight, nodes);
        (blocks, entry, prop::collection::vec(edge, 0..=edges)).prop_map(|(blocks, entry, mut edges)| {
            edges.insert(edges.len() / 2, entry);
            Sampled::new(&blocks, &edges)
        })
    })
}

fn priors(weight: u64) -> impl Strategy<Value = Prior> + Clone {
    prop_oneof![(0..=weight).prop_map(Prior::Measured), (0u64..5).prop_map(Prior::Share)]
}

/// Prices from a list of dice, used in turn.
fn linear(sampled: &Sampled, dice: &[(u64, u64)]) -> TimeModel<Node, Edge> {
    let mut dice = dice.iter().cycle().map(|&(raise, lower)| Price { raise, lower });
    let mut next = || dice.next().expect("there are dice");
    TimeModel::Linear(LinearPrices {
        nodes: sampled.blocks.values().map(|_| next()).collect(),
        edges: sampled.edges.values().map(|_| next()).collect(),
        virtual_exit: next(),
    })
}

fn dice(most: u64) -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..=most, 0..=most), 1..12)
}
