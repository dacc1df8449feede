//! What can be said of the unknown edges when frames are still open?
//!
//! A program that is killed leaves frames behind. At node v an unknown number
//! open(v) >= 0 of them came in and did not go out, so that only
//!
//! ```text
//! inflow(v) = outflow(v) + open(v) >= outflow(v)
//! ```
//!
//! holds; the outside, which has no such equation, gives and takes anything.
//! Let e = (u, v) be an edge of the forest of unknown edges. Taking it out
//! splits its tree into the side of u and the side of v, which constrain e
//! independently of each other:
//!
//! - v cannot send on more than it received: the rest of v's outflow, at its
//!   least, minus the rest of its inflow, at its most, came over e;
//! - u cannot send more than it received: e carries at most the rest of u's
//!   inflow, at its most, minus the rest of its outflow, at its least.
//!
//! So the head says a lower bound (0 or more) and the tail an upper one, each
//! from what the other edges at it have said. In a tree all of them are known
//! after one pass from the leaves and one back. They are the tightest: the two
//! sides share nothing but e, so a flow that attains a bound on its own side
//! and any possible flow on the other make one that attains it.
//!
//! Input: exact counts of the known edges. Output: an interval for every edge.
//! Cost: nodes + edges. Limit: the premise open >= 0. A child of `fork` that
//! is killed holds frames it never entered; its counts must not come here
//! without those frames among the known edges.

use opcost_index::{Id, IdMap};

use crate::graph::PlaceMap;
use crate::reconstruct::leaves_of_unknown;
use crate::{FlowEdge, FlowError};

/// An interval that holds the count of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// It was taken at least so often.
    pub lower: i128,
    /// It was taken at most so often; `None`: nothing says.
    pub upper: Option<i128>,
}

/// The tightest interval for each edge that follows from the known counts when
/// any number of frames may still be open at any node. A known edge has both
/// its bounds equal.
///
/// # Errors
/// [`FlowError::Undetermined`] when unknown edges form a cycle. [`FlowError::Contradiction`] at a
/// node where more must go out than can have come in. [`FlowError::Overflow`] when a sum leaves 128
/// bits.
///
/// # Panics
/// When the maps differ in length or an edge ends at a node past `nodes`.
pub fn bounds<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    known: &IdMap<E, Option<i128>>,
) -> Result<IdMap<E, Bounds>, FlowError<N, E>> {
    let order = leaves_of_unknown(nodes, edges, known)?;
    let mut state = Propagation::new(nodes, edges, known)?;
    for &(leaf, edge) in &order {
        state.speak(leaf, edge).ok_or(FlowError::Overflow { edge })?;
    }
    for &(leaf, edge) in order.iter().rev() {
        state.speak(edges[edge].other_end(leaf), edge).ok_or(FlowError::Overflow { edge })?;
    }
    match state.contradiction() {
        Some(error) => Err(error),
        None => Ok(state.bounds),
    }
}

/// What the edges at a place have said so far.
#[derive(Clone, Copy, Default)]
struct Slack {
    /// Sum of the upper bounds of the edges into it, where they have one.
    inflow: i128,
    /// How many edges into it have none.
    unbounded: u32,
    /// Sum of the lower bounds of the edges out of it.
    outflow: i128,
}

impl Slack {
    fn add_inflow(&mut self, upper: Option<i128>) -> Option<()> {
        match upper {
            Some(count) => self.inflow = self.inflow.checked_add(count)?,
            None => self.unbounded += 1,
        }
        Some(())
    }

    fn remove_inflow(&mut self, upper: Option<i128>) -> Option<()> {
        match upper {
            Some(count) => self.inflow = self.inflow.checked_sub(count)?,
            None => self.unbounded -= 1,
        }
        Some(())
    }

    fn add_outflow(&mut self, lower: i128) -> Option<()> {
        self.outflow = self.outflow.checked_add(lower)?;
        Some(())
    }

    fn remove_outflow(&mut self, lower: i128) -> Option<()> {
        self.outflow = self.outflow.checked_sub(lower)?;
        Some(())
    }
}

struct Propagation<'a, N: Id, E: Id> {
    edges: &'a IdMap<E, FlowEdge<N>>,
    at: PlaceMap<N, Slack>,
    bounds: IdMap<E, Bounds>,
}

impl<'a, N: Id, E: Id> Propagation<'a, N, E> {
    /// Unknown edges begin with all that can be said of any edge: 0 or more.
    fn new(
        nodes: usize,
        edges: &'a IdMap<E, FlowEdge<N>>,
        known: &IdMap<E, Option<i128>>,
    ) -> Result<Self, FlowError<N, E>> {
        let mut at = PlaceMap::filled(nodes, Slack::default());
        // The outside gives whatever is asked of it.
        at[None].unbounded = 1;
        let bounds: IdMap<E, Bounds> =
            known.values().map(|&count| Bounds { lower: count.unwrap_or(0), upper: count }).collect();
        for (edge, ends) in edges.iter() {
            at[ends.from].add_outflow(bounds[edge].lower).ok_or(FlowError::Overflow { edge })?;
            at[ends.to].add_inflow(bounds[edge].upper).ok_or(FlowError::Overflow { edge })?;
        }
        Ok(Self { edges, at, bounds })
    }

    /// `place` says what it knows of `edge` from its other edges, and the
    /// other end takes note. `None` when a sum overflows.
    fn speak(&mut self, place: Option<N>, edge: E) -> Option<()> {
        let FlowEdge { from, to } = self.edges[edge];
        let said = self.bounds[edge];
        let mut rest = self.at[place];
        if place == to {
            rest.remove_inflow(said.upper)?;
            let lower = least_missing(rest)?;
            self.at[from].remove_outflow(said.lower)?;
            self.at[from].add_outflow(lower)?;
            self.bounds[edge].lower = lower;
        } else {
            rest.remove_outflow(said.lower)?;
            let upper = most_available(rest)?;
            self.at[to].remove_inflow(said.upper)?;
            self.at[to].add_inflow(upper)?;
            self.bounds[edge].upper = upper;
        }
        Some(())
    }

    /// A node that, whatever the open frames, sends on more than it receives.
    fn contradiction(&self) -> Option<FlowError<N, E>> {
        let fails = |slack: &Slack| slack.unbounded == 0 && slack.inflow < slack.outflow;
        let node = self.at.places().find(|&place| fails(&self.at[place]))?;
        let Slack { inflow, outflow, .. } = self.at[node];
        Some(FlowError::Contradiction { node, inflow, outflow })
    }
}

/// What must have come in besides: nothing, if inflow is unbounded.
fn least_missing(rest: Slack) -> Option<i128> {
    if rest.unbounded > 0 { Some(0) } else { Some(rest.outflow.checked_sub(rest.inflow)?.max(0)) }
}

/// What can go out besides; `Some(None)` when inflow is unbounded.
fn most_available(rest: Slack) -> Option<Option<i128>> {
    if rest.unbounded > 0 { Some(None) } else { rest.inflow.checked_sub(rest.outflow).map(Some) }
}
