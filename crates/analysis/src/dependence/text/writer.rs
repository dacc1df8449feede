//! What is known while an answer is written as text?
//!
//! Terms with their names, alternatives that are open, and how tightly what was printed
//! binds. Cost: constant.

use opcost_index::IdSet;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::dependence::explanation::{ExplanationId, Link};
use crate::dependence::resolution::Resolution;

/// How tightly an expression binds, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Alternatives,
    Choice,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Postfix,
    Atom,
}

pub(super) struct Printed {
    pub(super) text: String,
    pub(super) binding: Binding,
}

impl Printed {
    pub(super) fn atom(text: impl Into<String>) -> Printed {
        Printed { text: text.into(), binding: Binding::Atom }
    }

    /// In parentheses if it binds less than that.
    pub(super) fn within(self, binding: Binding) -> String {
        match self.binding {
            Binding::Alternatives if binding > Binding::Alternatives => format!("{{{}}}", self.text),
            own if own < binding => format!("({})", self.text),
            _ => self.text,
        }
    }
}

pub(super) struct Writer<'w, 'r, 'a> {
    pub(super) answer: &'w Resolution<'r, 'a>,
    pub(super) named: &'w HashSet<ExplanationId>,
    pub(super) names: HashMap<ExplanationId, String>,
    /// Terms in the order in which they were met.
    pub(super) order: Vec<ExplanationId>,
    /// Alternatives that are open, from the outermost on; those that are
    /// printed as another are listed with it.
    pub(super) scopes: Vec<ExplanationId>,
    pub(super) aliases: HashMap<ExplanationId, ExplanationId>,
    /// Alternatives right around, with nothing done in between.
    pub(super) chain: Vec<ExplanationId>,
    /// Terms that need a name.
    pub(super) missing: HashSet<ExplanationId>,
    /// Nodes that lead back to each alternative that is referred to again.
    pub(super) back_edge_sources: HashMap<ExplanationId, IdSet<ExplanationId>>,
    pub(super) depth: u32,
}

impl<'w, 'r, 'a> Writer<'w, 'r, 'a> {
    pub(super) fn new(answer: &'w Resolution<'r, 'a>, named: &'w HashSet<ExplanationId>) -> Self {
        Writer {
            answer,
            named,
            names: HashMap::default(),
            order: Vec::new(),
            scopes: Vec::new(),
            aliases: HashMap::default(),
            chain: Vec::new(),
            missing: HashSet::default(),
            back_edge_sources: HashMap::default(),
            depth: 0,
        }
    }

    /// The name of a term.
    pub(super) fn name_of(&mut self, id: ExplanationId) -> String {
        let next = self.names.len() + 1;
        let order = &mut self.order;
        let name = self.names.entry(id).or_insert_with(|| {
            order.push(id);
            format!("t{next}")
        });
        name.clone()
    }
}

/// What operations ask of the text around them: what they are done to.
pub(super) trait Terms {
    /// Something that an operation is done to: alternatives around it are not
    /// right around any more.
    fn operand(&mut self, id: ExplanationId) -> Printed;

    /// A link that is not an alternative, marked if it is only possible.
    fn linked(&mut self, link: &Link) -> Printed;
}
