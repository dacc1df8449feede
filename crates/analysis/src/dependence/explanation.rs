//! What decides a value? The answer: a graph of what was found on the way.
//!
//! A node says what is done ([`What`]) and its links lead to what it is done
//! with. Terms are shared: a value that two nodes need is one node. What leads
//! back to itself ends in a node [`What::Again`], so the graph has no cycles.
//! Every link says which argument it is, and how sure it is.

use opcost_index::{IdMap, define_id};
use opcost_ir::{TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::memory::{Cell, Object};
use super::rule_set::RuleSet;

define_id!(
    /// A node of an answer.
    pub struct ExplanationId, "x"
);

/// One step of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What is done.
    pub what: What,
    /// Type of the value, where it has one.
    pub ty: Option<TypeId>,
    /// The instruction that does it, if it is one.
    pub at: Option<(FunctionId, InstructionId)>,
    /// What it is done with.
    pub links: Vec<Link>,
}

/// A dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// On what.
    pub to: ExplanationId,
    /// As what.
    pub argument: Argument,
    /// How sure.
    pub certainty: LinkCertainty,
}

/// How sure a dependence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkCertainty {
    /// It is there. Of alternatives: this one or another that is listed.
    Definite,
    /// It may be there.
    Possible,
    /// It comes from outside of the module.
    Outside,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// An integer of so many bits, zero-extended.
    Integer {
        /// The value.
        value: u128,
        /// Its width.
        bits: u32,
    },
    /// A floating-point number: the bits of it as a `double`.
    Float(u64),
    /// The null pointer.
    Null,
    /// Any value: undefined, or memory that nothing was written to.
    Undefined,
    /// A constant that is kept as text only.
    Text(Box<str>),
    /// The address of a byte of an object.
    Address(Object, i64),
    /// The address of code.
    Code(Value),
    /// What the instruction at [`Explanation::at`] computes of its links.
    Operation,
    /// What a library function gives that looks at its arguments only.
    Library(Box<str>),
    /// One of the links: where ways of control meet.
    Choice,
    /// The same as its only link, or one of them: a parameter, whose arguments
    /// they are.
    Parameter(FunctionId, u32),
    /// The same: what a function of the module gives.
    Returned(FunctionId),
    /// What memory holds: what one of the links wrote.
    Cell(Cell),
    /// What memory holds, as a weaker rule found it: what one of the links
    /// wrote, or something else.
    Loaded(RuleSet),
    /// An element of an array in memory, by index: the link `Index`; what may
    /// have been written there are the others.
    Element(Elements),
    /// What is in memory of others, at the address of its link.
    Foreign,
    /// Comes in from outside, under this name.
    Input(OutsideInput),
    /// The node that this one is in.
    Again(ExplanationId),
    /// Not known.
    Unknown(UnknownReason),
}

/// Elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Elements {
    /// The object.
    pub object: Object,
    /// Where element 0 begins.
    pub offset: i64,
    /// Bytes from one to the next.
    pub stride: u64,
    /// Bytes of one.
    pub size: u64,
}

/// What comes in from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutsideInput {
    /// What is read here: the call, and which argument receives it (`None`:
    /// what the call gives). Links of the node: where it comes from.
    Read {
        /// The function around it.
        function: FunctionId,
        /// The call.
        call: InstructionId,
        /// The argument.
        argument: Option<u32>,
    },
    /// A parameter of a function that others call.
    Parameter(FunctionId, u32),
}

/// Why nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnknownReason {
    /// The access is volatile or atomic.
    Volatile,
    /// A call of this instruction may have changed it.
    Call(FunctionId, InstructionId),
    /// This write covers a part of it, or it in an unknown way.
    Overwritten(FunctionId, InstructionId),
    /// Code that is not seen may have changed it.
    Unseen(Object),
    /// The address is not followed.
    Address(FunctionId, InstructionId),
    /// No caller of this function is known.
    Callers(FunctionId),
    /// The instruction is not followed.
    Instruction(FunctionId, InstructionId),
    /// What memory holds was not asked for (uses only, full dependence).
    Memory(FunctionId, InstructionId),
    /// Stopped here: as deep as it was to go.
    Deep,
    /// Stopped here: as large as it was to be.
    Large,
}

/// As what something is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Argument {
    /// An operand, by position.
    Operand(u32),
    /// An argument of a call.
    Argument(u32),
    /// What comes along from this block, of a `phi`.
    From(opcost_key::BlockId),
    /// What is passed at this call.
    Passed(FunctionId, InstructionId),
    /// What is given back here.
    Returned(FunctionId, InstructionId),
    /// What is written here.
    Written(FunctionId, InstructionId),
    /// What was there at the start.
    Initial,
    /// An index, by position.
    Index(u32),
    /// The address.
    Address,
    /// What is there.
    Content,
    /// The unit or stream that is read from.
    Source,
    /// Where in the array it is written here: an index.
    StoredAt(FunctionId, InstructionId),
}

impl Explanation {
    /// A node without links.
    pub(super) fn leaf(what: What, ty: Option<TypeId>) -> Self {
        Explanation { what, ty, at: None, links: Vec::new() }
    }

    /// Whether the node represents one of its links.
    pub fn is_one_of_its_links(&self) -> bool {
        matches!(
            self.what,
            What::Choice | What::Parameter(..) | What::Returned(_) | What::Cell(_) | What::Loaded(_)
        )
    }
}

/// Each node after those that it links to (there are no cycles).
pub(super) fn order(nodes: &IdMap<ExplanationId, Explanation>) -> Vec<ExplanationId> {
    let mut order = Vec::new();
    let mut seen: IdMap<ExplanationId, bool> = IdMap::filled(nodes.len(), false);
    for root in nodes.ids() {
        let mut stack = vec![(root, 0usize)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((id, position)) = stack.pop() {
            match nodes[id].links.get(position) {
                Some(link) => {
                    stack.push((id, position + 1));
                    if !std::mem::replace(&mut seen[link.to], true) {
                        stack.push((link.to, 0));
                    }
                }
                None => order.push(id),
            }
        }
    }
    order
}
