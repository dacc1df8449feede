//! Which joins get a copy for each way in?
//!
//! A join has several ways in and several ways out. If it is hot and small, each hot way in but the hottest gets a
//! copy of it, so that what came before decides what comes after. Where counts of paths are known, a copy is made only if
//! its way in does decide that: else it costs code and gains nothing. Copies can make new joins of what follows;
//! these are looked at in the next pass.
//!
//! Left alone are the entry and the targets of edges back, since a loop with two headers is none to the optimiser.
//!
//! Input: a body, counts of it with the copies that it has, limits. Output: further copies.
//! Cost: nodes × their ways in.

use std::collections::{BTreeMap, BTreeSet};

use opcost_index::Id as _;

use crate::copies::body::{Body, BodyNodeId, CopiedBody};
use crate::copies::routes::{InEdge, InEdgeCounts, RouteCounts};

/// What is worth a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitLimits {
    /// A join runs at least so often.
    pub executions: u64,
    /// It has at most so many instructions.
    pub size: u32,
    /// A way in gets a copy if at least one in so many executions comes by it.
    pub share: u64,
    /// It has at most so many sources.
    pub sources: usize,
    /// A copy pays if at least one in so many of its executions then follows the branch that it usually takes, and did
    /// not before.
    pub decided: u64,
}

impl Default for SplitLimits {
    fn default() -> SplitLimits {
        SplitLimits { executions: 100, size: 30, share: 10, sources: 8, decided: 10 }
    }
}

/// Joins that can have copies.
#[derive(Clone, Debug)]
pub struct Joins<'a> {
    body: &'a Body,
    nodes: Vec<BodyNodeId>,
    limits: SplitLimits,
}

impl<'a> Joins<'a> {
    /// Of a body.
    pub fn new(body: &'a Body, limits: SplitLimits) -> Joins<'a> {
        let headers = headers(body);
        let may_copy = |node: &BodyNodeId| {
            let of = &body.nodes[*node];
            let is_bound = node.index() == 0 || headers.contains(node);
            of.can_copy && !is_bound && of.size <= limits.size && of.successors.len() > 1
        };
        Joins { body, nodes: body.nodes.ids().filter(may_copy).collect(), limits }
    }

    /// Adds a copy of each hot join for each hot way in; `counts` are those of the body with the copies that it has.
    /// With counts by `in_edges`, a copy is made only if its way in decides more about the way out than the join's own counts.
    /// Whether there was one. Copies make new joins of what follows, so a second pass may add more.
    pub fn split(
        &self,
        copied: &mut CopiedBody,
        counts: &RouteCounts,
        in_edges: Option<&InEdgeCounts>,
    ) -> bool {
        let before = copied.copies.len();
        let sources = sources(copied, counts);
        // Their counts are others now, so what follows them waits for the next pass.
        let mut divided = BTreeSet::new();
        for &join in self.nodes.iter().filter(|&&join| counts.nodes[join] >= self.limits.executions) {
            let Some(from_each) = sources.get(&join) else { continue };
            let mut left = counts.branches[join].clone();
            for from in sources_to_copy(from_each, counts.nodes[join], self.limits) {
                if divided.contains(&from) {
                    continue;
                }
                let pays = in_edges.is_none_or(|in_edges| {
                    in_edges
                        .get(&InEdge { node: join, from })
                        .is_some_and(|in_edge| self.decides(&mut left, in_edge))
                });
                if pays && self.body.nodes[copied.nodes[from].of].can_lead_elsewhere {
                    copied.copy(join, from);
                    divided.insert(join);
                }
            }
        }
        copied.copies.len() > before
    }
}

impl Joins<'_> {
    /// Whether a way in, taken out of what is `left` of a join, decides enough. If so it is taken out.
    fn decides(&self, left: &mut Vec<u64>, in_edge: &[u64]) -> bool {
        let rest: Vec<u64> = left.iter().zip(in_edge).map(|(all, own)| all.saturating_sub(*own)).collect();
        let before = rare(left);
        let after = rare(in_edge) + rare(&rest);
        let pays = before.saturating_sub(after).saturating_mul(self.limits.decided) >= in_edge.iter().sum();
        if pays {
            *left = rest;
        }
        pays
    }
}

/// How often another branch than the most frequent one was taken.
fn rare(branches: &[u64]) -> u64 {
    branches.iter().sum::<u64>() - branches.iter().max().copied().unwrap_or(0)
}

/// By node, how often control came from each other node.
fn sources(copied: &CopiedBody, counts: &RouteCounts) -> BTreeMap<BodyNodeId, BTreeMap<BodyNodeId, u64>> {
    let mut sources: BTreeMap<BodyNodeId, BTreeMap<BodyNodeId, u64>> = BTreeMap::new();
    for (from, node) in copied.nodes.iter() {
        for (&to, &taken) in node.successors.iter().zip(&counts.branches[from]) {
            *sources.entry(to).or_default().entry(from).or_default() += taken;
        }
    }
    sources
}

/// The ways in that get a copy, the most frequent one first. The most frequent of all keeps the node.
fn sources_to_copy(
    from_each: &BTreeMap<BodyNodeId, u64>,
    executions: u64,
    limits: SplitLimits,
) -> Vec<BodyNodeId> {
    if from_each.len() > limits.sources {
        return Vec::new();
    }
    let mut sorted: Vec<(BodyNodeId, u64)> = from_each.iter().map(|(&from, &taken)| (from, taken)).collect();
    sorted.sort_by_key(|&(from, taken)| (std::cmp::Reverse(taken), from));
    let is_hot = |&&(_, taken): &&(BodyNodeId, u64)| taken.saturating_mul(limits.share) >= executions;
    sorted.iter().skip(1).take_while(is_hot).map(|&(from, _)| from).collect()
}

/// Targets of edges back, in a depth-first traversal from the entry.
pub fn headers(body: &Body) -> BTreeSet<BodyNodeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut headers = BTreeSet::new();
    let mut states = opcost_index::IdMap::filled(body.nodes.len(), State::New);
    let mut stack: Vec<(BodyNodeId, usize)> = body.nodes.ids().take(1).map(|entry| (entry, 0)).collect();
    while let Some((node, at)) = stack.last_mut() {
        let node = *node;
        states[node] = State::Open;
        let Some(&to) = body.nodes[node].successors.get(*at) else {
            states[node] = State::Done;
            stack.pop();
            continue;
        };
        *at += 1;
        match states[to] {
            State::Open => _ = headers.insert(to),
            State::New => stack.push((to, 0)),
            State::Done => {}
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::body::BodyNode;
    use crate::copies::check::check_split;
    use crate::copies::routes::{Route, count_in_edges, count_routes};

    fn id(number: usize) -> BodyNodeId {
        BodyNodeId::new(number)
    }

    fn body(successors: &[&[usize]]) -> Body {
        let node = |ends: &&[usize]| BodyNode {
            size: 4,
            can_copy: true,
            can_lead_elsewhere: true,
            successors: ends.iter().map(|&end| id(end)).collect(),
        };
        Body { nodes: successors.iter().map(node).collect() }
    }

    fn route(start: usize, branches: &[u32], count: u64) -> Route {
        Route { start: id(start), branches: branches.to_vec(), count }
    }

    struct Passes {
        passes: usize,
        by_in_edges: bool,
    }

    /// The body after some passes.
    fn split(body: &Body, routes: &[Route], executions: u64, passes: usize) -> CopiedBody {
        split_by(
            body,
            routes,
            SplitLimits { executions, ..SplitLimits::default() },
            Passes { passes, by_in_edges: true },
        )
    }

    fn split_by(
        body: &Body,
        routes: &[Route],
        limits: SplitLimits,
        Passes { passes, by_in_edges }: Passes,
    ) -> CopiedBody {
        let joins = Joins::new(body, limits);
        let mut copied = CopiedBody::new(body);
        for _ in 0..passes {
            let counts = count_routes(&copied, routes).expect("routes fit");
            let in_edges = by_in_edges.then(|| count_in_edges(&copied, routes));
            if !joins.split(&mut copied, &counts, in_edges.as_ref()) {
                break;
            }
        }
        copied
    }

    /// Two ways into 3, and two out of it; which one is taken hangs on the way in.
    fn correlated() -> (Body, Vec<Route>) {
        let body = body(&[&[1, 2], &[3], &[3], &[4, 5], &[], &[]]);
        (body, vec![route(0, &[0, 0, 0], 700), route(0, &[1, 0, 1], 300)])
    }

    #[test]
    fn a_copy_has_the_counts_of_its_way_in() {
        let (body, routes) = correlated();
        let copied = split(&body, &routes, 100, 1);
        let [one] = copied.copies[..] else { panic!("{copied:?}") };
        assert_eq!((one.of, one.from), (id(3), id(2)));
        let counts = count_routes(&copied, &routes).expect("routes fit");
        assert_eq!((counts.nodes[id(3)], counts.nodes[one.copy]), (700, 300));
        // Divided by edges each would part as 70 to 30.
        assert_eq!((&*counts.branches[id(3)], &*counts.branches[one.copy]), (&[700, 0][..], &[0, 300][..]));
        let before = count_routes(&CopiedBody::new(&body), &routes).expect("routes fit");
        check_split(&body, &before, &copied, &counts).expect("conserved");
    }

    #[test]
    fn headers_of_loops_large_and_cold_joins_stay() {
        let (mut body, routes) = correlated();
        let copies = |body: &Body, routes: &[Route]| split(body, routes, 100, 1).copies.len();
        body.nodes[id(3)].size = 31;
        assert_eq!(copies(&body, &routes), 0);
        body.nodes[id(3)].size = 30;
        assert_eq!(copies(&body, &routes), 1);
        assert_eq!(copies(&body, &[route(0, &[0, 0, 0], 50), route(0, &[1, 0, 1], 49)]), 0);
        // A way in that decides nothing: both ways in part alike.
        let alike = [
            route(0, &[0, 0, 0], 500),
            route(0, &[0, 0, 1], 200),
            route(0, &[1, 0, 0], 220),
            route(0, &[1, 0, 1], 80),
        ];
        assert_eq!(copies(&body, &alike), 0);
        // A way in by which less than one in ten comes.
        assert_eq!(copies(&body, &[route(0, &[0, 0, 0], 920), route(0, &[1, 0, 1], 80)]), 0);
        body.nodes[id(2)].can_lead_elsewhere = false;
        assert_eq!(copies(&body, &routes), 0);
        // 1 is the header of the loop 1 → 2 → 1.
        let looped = self::body(&[&[1], &[2, 3], &[1], &[]]);
        assert_eq!(
            copies(&looped, &[route(0, &[0, 0, 0], 100), route(1, &[0, 0], 900), route(1, &[1], 100)]),
            0
        );
    }

    mod random {
        use super::*;
        use proptest::prelude::*;

        /// Bodies, and one run of control through each, cut at edges back.
        fn runs() -> impl Strategy<Value = (Body, Vec<Vec<u32>>)> {
            let ends = prop::collection::vec(prop::collection::vec(1usize..12, 0..4), 2..12);
            let steps = prop::collection::vec(prop::collection::vec(0u32..4, 1..60), 1..30);
            (ends, steps).prop_map(|(ends, steps)| {
                let count = ends.len();
                let nodes = ends.into_iter().map(|ends| BodyNode {
                    size: 3,
                    can_copy: true,
                    can_lead_elsewhere: true,
                    successors: ends.into_iter().map(|end| id(1 + end % (count - 1))).collect(),
                });
                (Body { nodes: nodes.collect() }, steps)
            })
        }

        /// One run as branches, until it ends or has no more steps; then it is cut where it is.
        fn taken(body: &Body, steps: &[u32]) -> Vec<(BodyNodeId, u32)> {
            let mut node = id(0);
            let mut taken = Vec::new();
            for step in steps {
                let ends = &body.nodes[node].successors;
                let Some(count) = u32::try_from(ends.len()).ok().filter(|&count| count > 0) else { break };
                taken.push((node, step % count));
                node = ends[(step % count) as usize];
            }
            taken
        }

        proptest! {
            /// A referee that steps through the copied body itself counts what the routes add up to.
            #[test]
            fn counts_of_copies_are_those_of_a_run((body, runs) in runs(), passes in 1usize..4, by_in_edges in any::<bool>()) {
                let headers = headers(&body);
                let mut routes = Vec::new();
                for steps in &runs {
                    let mut route = Route { start: id(0), branches: Vec::new(), count: 1 };
                    for (node, branch) in taken(&body, steps) {
                        route.branches.push(branch);
                        let to = body.nodes[node].successors[branch as usize];
                        if headers.contains(&to) {
                            let next = Route { start: to, branches: Vec::new(), count: 1 };
                            routes.push(std::mem::replace(&mut route, next));
                        }
                    }
                    routes.push(route);
                }
                let limits = SplitLimits { executions: 1, ..SplitLimits::default() };
                let copied = split_by(&body, &routes, limits, Passes { passes, by_in_edges });
                let counts = count_routes(&copied, &routes).expect("routes fit");
                let mut nodes = opcost_index::IdMap::filled(copied.nodes.len(), 0);
                for steps in &runs {
                    let mut node = id(0);
                    nodes[node] += 1;
                    for (_, branch) in taken(&body, steps) {
                        node = copied.nodes[node].successors[branch as usize];
                        nodes[node] += 1;
                    }
                }
                prop_assert_eq!(&counts.nodes, &nodes);
                let before = count_routes(&CopiedBody::new(&body), &routes).expect("routes fit");
                prop_assert_eq!(check_split(&body, &before, &copied, &counts), Ok(()));
            }
        }
    }
}
