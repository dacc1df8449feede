//! From one question to the whole answer: nearest first, until nothing is
//! open, or the answer is as deep or as large as it may be.
//!
//! Every question (a value, or what a cell holds, under a context) is one node
//! of the answer, so shared terms are shared. Expanding a node opens at most
//! [`MOST_LINKS`] others. At the end links that lead back are turned into
//! [`What::Again`]. Cost: linear in the answer.

use rustc_hash::FxHashMap as HashMap;
use std::collections::VecDeque;
use std::rc::Rc;

use opcost_index::{Id, IdMap};
use opcost_ir::{Module, Opcode, Predicate, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::{ContextInstruction, MOST_LINKS};
use super::expander::Expander;
use super::explanation::{
    Argument, Explanation, ExplanationId, Link, LinkCertainty, UnknownReason, What, order,
};
use super::memory::MemoryQueries;
use super::question::{Expansion, Question};
use super::rule_set::{Limits, RuleSet};

/// An answer in the making.
pub(super) struct Builder<'s, 'a, M: MemoryQueries> {
    pub(super) expander: Expander<'s, 'a, M>,
    assumptions: Vec<&'static str>,
    nodes: IdMap<ExplanationId, Explanation>,
    depths: IdMap<ExplanationId, u32>,
    known: HashMap<Question, ExplanationId>,
    queue: VecDeque<(Question, ExplanationId)>,
    limits: Limits,
}

impl<'s, 'a, M: MemoryQueries> Builder<'s, 'a, M> {
    pub(super) fn new(expander: Expander<'s, 'a, M>, limits: Limits) -> Self {
        Builder {
            expander,
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
            if self.nodes.len() > self.limits.nodes || !self.expander.search.burn() {
                self.fill(id, &Expansion::unknown(UnknownReason::Large), depth);
            } else if depth >= self.limits.depth {
                self.fill(id, &Expansion::unknown(UnknownReason::Deep), depth);
            } else {
                let expansion = self.expansion(&question);
                self.fill(id, &expansion, depth);
            }
        }
        cut_cycles(&mut self.nodes);
        share_equal(&mut self.nodes, self.expander.search.shared.module);
        (self.nodes, self.assumptions)
    }

    /// One step back, from all answers before.
    pub(super) fn expansion(&mut self, question: &Question) -> Rc<Expansion> {
        if let Some(known) = self.expander.search.shared.expansions.borrow().get(question) {
            return known.clone();
        }
        let mut expansion = self.expander.expand(question);
        expansion.assumes = std::mem::take(&mut self.expander.noted);
        let expansion = Rc::new(expansion);
        if self.expander.search.fuel > 0 {
            self.expander.search.shared.expansions.borrow_mut().insert(question.clone(), expansion.clone());
        }
        expansion
    }

    /// What a load asks is what its cell holds, since it was last changed: all
    /// loads of one version ask the same.
    fn same(&mut self, question: Question) -> Question {
        let Question::Value(function, Value::Instruction(load), context) = question else { return question };
        let is_load =
            self.expander.search.shared.function(function).instructions[load].opcode == Opcode::Load;
        if !is_load || self.expander.rules.first() != Some(&RuleSet::MemoryAnalysis) {
            return question;
        }
        if let Some(known) = self.expander.search.shared.same.borrow().get(&question) {
            return known.clone();
        }
        let cell = self.expander.cell_of(ContextInstruction { function, id: load, context });
        let solved = |builder: &mut Self, cell: &Question| {
            builder.expander.rules.len() == 1 || builder.expansion(cell).is_solved()
        };
        let same = match cell {
            Some(cell) if solved(self, &cell) => cell,
            _ => question.clone(),
        };
        if self.expander.search.fuel > 0 {
            self.expander.search.shared.same.borrow_mut().insert(question, same.clone());
        }
        same
    }

    /// The node of a question, to be answered later if it is new.
    fn node(&mut self, question: Question, depth: u32) -> ExplanationId {
        let question = self.same(question);
        if let Some(&known) = self.known.get(&question) {
            return known;
        }
        let what = match &question {
            Question::Leaf(what, _) => what.clone(),
            _ => What::Unknown(UnknownReason::Large),
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

    fn fill(&mut self, id: ExplanationId, expansion: &Expansion, depth: u32) {
        let mut links: Vec<Link> = Vec::new();
        let is_cut = expansion.links.len() > MOST_LINKS;
        for &(ref question, argument, certainty) in expansion.links.iter().take(MOST_LINKS) {
            let to = self.node(question.clone(), depth + 1);
            links.push(Link { to, argument, certainty });
        }
        if is_cut {
            let question = Question::Leaf(What::Unknown(UnknownReason::Large), None);
            let to = self.node(question, depth + 1);
            links.push(Link { to, argument: Argument::Content, certainty: LinkCertainty::Possible });
        }
        let node = &mut self.nodes[id];
        (node.what, node.at, node.links) = (expansion.what.clone(), expansion.at, links);
        node.ty = expansion.ty;
        for assumption in &expansion.assumes {
            if !self.assumptions.contains(assumption) {
                self.assumptions.push(assumption);
            }
        }
    }
}

/// Replaces every link to a node that is still open by a link to a node that says so (depth-first
/// search with an explicit stack). Only alternatives can be referred to again: every cycle leads
/// through some. An operation that is met again is written once more.
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

/// What makes two nodes one: what is done, since when of memory, and to what.
#[derive(PartialEq, Eq, Hash)]
struct Done {
    what: What,
    opcode: Option<Opcode>,
    predicate: Option<Predicate>,
    second_type: Option<TypeId>,
    ty: Option<TypeId>,
    since: Option<(FunctionId, InstructionId)>,
    links: Vec<(ExplanationId, Argument)>,
}

/// Makes one node of operations that do the same to the same nodes, and of
/// elements of one version of an array. Other reads stay apart, unless they are
/// one node already.
fn share_equal(nodes: &mut IdMap<ExplanationId, Explanation>, module: &Module) {
    let mut first: HashMap<Done, ExplanationId> = HashMap::default();
    let mut same: IdMap<ExplanationId, ExplanationId> = nodes.ids().collect();
    for id in order(nodes) {
        for link in &mut nodes[id].links {
            link.to = same[link.to];
        }
        let node = &nodes[id];
        let instruction = node
            .at
            .filter(|_| node.what == What::Operation)
            .map(|(function, at)| &module.functions[function].instructions[at]);
        let is_element = matches!(node.what, What::Element(_)) && node.at.is_some();
        if !is_element && !instruction.is_some_and(|instruction| is_told_by_operands(instruction.opcode)) {
            continue;
        }
        let done = Done {
            what: node.what.clone(),
            opcode: instruction.map(|instruction| instruction.opcode),
            predicate: instruction.and_then(|instruction| instruction.predicate),
            second_type: instruction.and_then(|instruction| instruction.second_type),
            ty: node.ty,
            since: node.at.filter(|_| is_element),
            links: node.links.iter().map(|link| (link.to, link.argument)).collect(),
        };
        same[id] = *first.entry(done).or_insert(id);
    }
}

/// Whether an operation is the same whenever opcode, types and operands are.
fn is_told_by_operands(opcode: Opcode) -> bool {
    let is_cast = (Opcode::Trunc..=Opcode::AddrSpaceCast).contains(&opcode);
    let is_arithmetic = (Opcode::FNeg..=Opcode::Xor).contains(&opcode);
    is_cast
        || is_arithmetic
        || matches!(opcode, Opcode::GetElementPtr | Opcode::ICmp | Opcode::FCmp | Opcode::Select)
}
