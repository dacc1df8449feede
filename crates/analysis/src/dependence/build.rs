//! From one question to the whole answer: nearest first, until nothing is
//! open, or the answer is as deep or as large as it may be.
//!
//! Every question (a value, or what a cell holds, under a context) is one node
//! of the answer, so shared terms are shared. Expanding a node opens at most
//! [`MOST_LINKS`] others. At the end links that lead back are turned into
//! [`What::Again`]. Cost: linear in the answer.

use std::collections::{HashMap, VecDeque};

use opcost_index::{Id, IdMap};
use opcost_ir::{TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::contexts::ContextId;
use super::explanation::{Argument, Certainty, Explanation, ExplanationId, Input, Link, Reason, What};
use super::memory::{Cell, Memory};
use super::reaching::Point;
use super::search::Search;
use super::{Limits, RuleSet, Tables};

/// The most links of one node.
pub(super) const MOST_LINKS: usize = 64;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// A value of a function.
    Value(FunctionId, Value, ContextId),
    /// What a cell holds at a point, as this type.
    Cell(Point, Cell, bool, TypeId),
    /// What a call reads into memory from outside.
    Read(Input, ContextId, TypeId),
    /// Nothing any more: a node without links.
    Leaf(What, Option<TypeId>),
}

/// A node that is not linked yet.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) what: What,
    pub(super) ty: Option<TypeId>,
    pub(super) at: Option<(FunctionId, InstructionId)>,
    pub(super) links: Vec<(Question, Argument, Certainty)>,
}

impl Expansion {
    pub(super) fn leaf(what: What) -> Self {
        Expansion { what, ty: None, at: None, links: Vec::new() }
    }

    pub(super) fn unknown(reason: Reason) -> Self {
        Self::leaf(What::Unknown(reason))
    }
}

/// An answer in the making.
pub(super) struct Builder<'s, 'a, M: Memory> {
    pub(super) search: Search<'s, 'a, M>,
    pub(super) rules: &'s [RuleSet],
    pub(super) tables: &'s Tables<'a>,
    pub(super) assumptions: Vec<&'static str>,
    nodes: IdMap<ExplanationId, Explanation>,
    depths: IdMap<ExplanationId, u32>,
    known: HashMap<Question, ExplanationId>,
    queue: VecDeque<(Question, ExplanationId)>,
    limits: Limits,
}

impl<'s, 'a, M: Memory> Builder<'s, 'a, M> {
    pub(super) fn new(
        search: Search<'s, 'a, M>,
        rules: &'s [RuleSet],
        tables: &'s Tables<'a>,
        limits: Limits,
    ) -> Self {
        Builder {
            search,
            rules,
            tables,
            assumptions: Vec::new(),
            nodes: IdMap::new(),
            depths: IdMap::new(),
            known: HashMap::default(),
            queue: VecDeque::new(),
            limits,
        }
    }

    /// Answers; the first node is what was asked.
    pub(super) fn answer(
        mut self,
        question: Question,
    ) -> (IdMap<ExplanationId, Explanation>, Vec<&'static str>) {
        self.node(question, 0);
        while let Some((question, id)) = self.queue.pop_front() {
            let depth = self.depths[id];
            let expansion = match self.nodes.len() > self.limits.nodes || !self.search.burn() {
                true => Expansion::unknown(Reason::Large),
                false if depth >= self.limits.depth => Expansion::unknown(Reason::Deep),
                false => self.expand(&question),
            };
            self.fill(id, expansion, depth);
        }
        cut_cycles(&mut self.nodes);
        (self.nodes, self.assumptions)
    }

    /// The node of a question, to be answered later if it is new.
    fn node(&mut self, question: Question, depth: u32) -> ExplanationId {
        if let Some(&known) = self.known.get(&question) {
            return known;
        }
        let what = match &question {
            Question::Leaf(what, _) => what.clone(),
            _ => What::Unknown(Reason::Large),
        };
        let id = self.nodes.push(Explanation::leaf(what, None));
        self.depths.push(depth);
        self.known.insert(question.clone(), id);
        match question {
            Question::Leaf(_, ty) => self.nodes[id].ty = ty,
            question => self.queue.push_back((question, id)),
        }
        id
    }

    fn fill(&mut self, id: ExplanationId, expansion: Expansion, depth: u32) {
        let mut links: Vec<Link> = Vec::new();
        let is_cut = expansion.links.len() > MOST_LINKS;
        for (question, argument, certainty) in expansion.links.into_iter().take(MOST_LINKS) {
            let to = self.node(question, depth + 1);
            links.push(Link { to, argument, certainty });
        }
        if is_cut {
            let question = Question::Leaf(What::Unknown(Reason::Large), None);
            let to = self.node(question, depth + 1);
            links.push(Link { to, argument: Argument::Content, certainty: Certainty::Possible });
        }
        let node = &mut self.nodes[id];
        (node.what, node.at, node.links) = (expansion.what, expansion.at, links);
        node.ty = expansion.ty;
    }

    /// The type of a value.
    pub(super) fn type_of(&self, function: FunctionId, value: Value) -> Option<TypeId> {
        match value {
            Value::Instruction(id) => Some(self.search.shared.function(function).instructions[id].ty),
            Value::Constant(id) => Some(self.search.shared.module.constants[id].ty),
            _ => None,
        }
    }

    /// Notes what the answer rests on.
    pub(super) fn assume(&mut self, what: &'static str) {
        if !self.assumptions.contains(&what) {
            self.assumptions.push(what);
        }
    }
}

/// Turns every link that leads to a node that is still open into one to a node
/// that says so (depth-first search with an explicit stack). Only alternatives
/// can be meant once more: every cycle leads through some. An operation that
/// is met again before is written once more.
fn cut_cycles(nodes: &mut IdMap<ExplanationId, Explanation>) {
    let root = ExplanationId::new(0);
    let original: Vec<Vec<Link>> = nodes.values().map(|node| node.links.clone()).collect();
    let mut states = IdMap::filled(nodes.len(), State::New);
    let mut again: HashMap<ExplanationId, ExplanationId> = HashMap::default();
    let mut copies: HashMap<ExplanationId, ExplanationId> = HashMap::default();
    let mut stack = vec![(root, 0usize)];
    states[root] = State::Open;
    while let Some((node, position)) = stack.pop() {
        let Some(link) = nodes[node].links.get(position).copied() else {
            states[node] = State::Done;
            continue;
        };
        stack.push((node, position + 1));
        let mut to = link.to;
        if states[to] == State::Open && !is_scope(&nodes[to].what) {
            let source = to;
            to = *copies.entry(to).or_insert_with(|| {
                let links = original.get(source.index()).cloned().unwrap_or_default();
                states.push(State::New);
                nodes.push(Explanation { links, ..nodes[source].clone() })
            });
        }
        match states[to] {
            State::New => {
                states[to] = State::Open;
                stack.push((to, 0));
            }
            State::Open => {
                let (meant, ty) = (to, nodes[to].ty);
                to = *again.entry(meant).or_insert_with(|| {
                    states.push(State::Done);
                    nodes.push(Explanation::leaf(What::Again(meant), ty))
                });
            }
            State::Done => {}
        }
        nodes[node].links[position].to = to;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Whether a node can be what an inner one means by itself.
fn is_scope(what: &What) -> bool {
    matches!(
        what,
        What::Choice
            | What::Parameter(..)
            | What::Returned(_)
            | What::Cell(_)
            | What::Loaded(_)
            | What::Element(_)
            | What::Again(_)
    )
}
