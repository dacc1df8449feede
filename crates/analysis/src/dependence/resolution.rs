//! What was found? An answer, and how sure it is.
//!
//! What is known of each node is settled once ([`settle`](super::settle)); this looks it
//! up. Cost: linear in the answer at most.

use rustc_hash::FxHashSet as HashSet;
use std::rc::Rc;

use opcost_index::{Id, IdMap};
use opcost_ir::Layout;

use super::evaluate::Number;
use super::explanation::{Explanation, ExplanationId, LinkCertainty, UnknownReason, What};
use super::names::Names;
use super::units::Open;

/// How sure an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolutionQuality {
    /// Every link is certain, and all ends are constants or named inputs.
    Exact,
    /// The same if these hold.
    Assuming(Vec<&'static str>),
    /// All ends are known, but some link is only possible, or was found by a
    /// rule that does not see all.
    Possible,
    /// Some end is not known.
    Unknown,
}

/// What a search comes back with.
pub(super) struct Parts {
    pub(super) nodes: IdMap<ExplanationId, Explanation>,
    pub(super) assumptions: Vec<&'static str>,
    pub(super) opens: Rc<Vec<Open>>,
}

/// An answer: a graph of explanations, the first of which is what was asked.
pub struct Resolution<'r, 'a> {
    pub(super) nodes: IdMap<ExplanationId, Explanation>,
    pub(super) assumptions: Vec<&'static str>,
    pub(super) opens: Rc<Vec<Open>>,
    pub(super) names: &'r Names<'a>,
    pub(super) layout: &'r Layout,
    pub(super) facts: Facts,
}

/// What is known of each node.
pub(super) struct Facts {
    pub(super) closed: IdMap<ExplanationId, bool>,
    pub(super) certain: IdMap<ExplanationId, bool>,
    pub(super) numbers: IdMap<ExplanationId, Option<Vec<Number>>>,
    pub(super) exact: IdMap<ExplanationId, Option<Number>>,
    /// Cells that are named inputs.
    pub(super) named: IdMap<ExplanationId, bool>,
    /// Nodes, each after those that it links to.
    pub(super) order: Vec<ExplanationId>,
}

impl Resolution<'_, '_> {
    /// What was asked.
    pub fn root(&self) -> ExplanationId {
        ExplanationId::new(0)
    }

    /// All nodes; some may not be linked to any more.
    pub fn nodes(&self) -> &IdMap<ExplanationId, Explanation> {
        &self.nodes
    }

    /// Through nodes that are the same as their only link.
    pub(super) fn only_end(&self, mut id: ExplanationId) -> ExplanationId {
        while !self.facts.named[id]
            && self.nodes[id].is_one_of_its_links()
            && let [only] = self.nodes[id].links.as_slice()
            && only.certainty != LinkCertainty::Possible
            && !matches!(self.nodes[only.to].what, What::Unknown(_))
        {
            id = only.to;
        }
        id
    }

    /// Whether all ends are constants and named inputs.
    pub fn is_closed(&self) -> bool {
        self.facts.closed[self.root()]
    }

    /// How sure the answer is.
    pub fn quality(&self) -> ResolutionQuality {
        match (self.is_closed(), self.facts.certain[self.root()]) {
            (false, _) => ResolutionQuality::Unknown,
            (true, false) => ResolutionQuality::Possible,
            (true, true) if self.assumptions.is_empty() => ResolutionQuality::Exact,
            (true, true) => ResolutionQuality::Assuming(self.assumptions.clone()),
        }
    }

    /// The number that the value certainly is: a truth value as 0 or 1, all else signed.
    pub fn as_constant(&self) -> Option<i128> {
        self.facts.exact[self.root()].map(Number::by_convention)
    }

    /// The numbers that it can be, if it can be nothing else, as [`Resolution::as_constant`] has them; sorted.
    pub fn constants(&self) -> Option<Vec<i128>> {
        let mut all: Vec<i128> =
            self.facts.numbers[self.root()].as_ref()?.iter().map(|number| number.by_convention()).collect();
        all.sort();
        Some(all)
    }

    /// The number that a node certainly is.
    pub(super) fn number_at(&self, id: ExplanationId) -> Option<Number> {
        self.facts.exact[id]
    }

    /// Whether a node has a name of its own: what it comes from is reported with it.
    pub(super) fn is_input(&self, id: ExplanationId) -> bool {
        match self.nodes[id].what {
            What::Input(_) => true,
            What::Foreign => self.facts.closed[id],
            _ => self.facts.named[id],
        }
    }

    /// Where the search was cut off: as deep, or as large, as it may be.
    pub fn is_cut(&self) -> bool {
        let is_limit =
            |what: &What| matches!(what, What::Unknown(UnknownReason::Deep | UnknownReason::Large));
        self.reached(false).into_iter().any(|id| is_limit(&self.nodes[id].what))
    }

    /// Nodes from the root on, nearest first; `stops` at named inputs.
    pub(super) fn reached(&self, stops: bool) -> Vec<ExplanationId> {
        let mut seen: HashSet<ExplanationId> = HashSet::from_iter([self.root()]);
        let mut order = vec![self.root()];
        let mut position = 0;
        while let Some(&id) = order.get(position) {
            position += 1;
            if stops && self.is_input(id) {
                continue;
            }
            for link in &self.nodes[id].links {
                if seen.insert(link.to) {
                    order.push(link.to);
                }
            }
        }
        order
    }

    /// A load that was left to its address.
    pub(super) fn is_read(&self, node: &Explanation) -> bool {
        node.at.is_some_and(|(function, at)| {
            self.names.module.functions[function].instructions[at].opcode == opcost_ir::Opcode::Load
        })
    }
}

/// What names of inputs ask of the text of an answer that they are in.
pub(super) trait Express {
    /// A part of the answer, without terms.
    fn expression_at(&self, id: ExplanationId) -> String;

    /// A part of the answer, in which a node has a name.
    fn expression_in(&self, id: ExplanationId, named: ExplanationId, name: &str) -> String;
}
