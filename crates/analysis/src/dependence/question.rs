//! What is one step of an answer? A question, and what it is expanded to.

use opcost_ir::{TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::{Asked, Point};
use super::contexts::ContextId;
use super::explanation::{Argument, LinkCertainty, OutsideInput, UnknownReason, What};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// A value of a function.
    Value(FunctionId, Value, ContextId),
    /// What a cell holds at a point, as this type; and whether that is the
    /// point only because types of the source language differ.
    Cell(Point, Asked, TypeId, bool),
    /// What a call reads into memory from outside.
    Read(OutsideInput, ContextId, TypeId),
    /// Nothing any more: a node without links.
    Leaf(What, Option<TypeId>),
}

/// A node that is not linked yet.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) what: What,
    pub(super) ty: Option<TypeId>,
    pub(super) at: Option<(FunctionId, InstructionId)>,
    pub(super) links: Vec<(Question, Argument, LinkCertainty)>,
    /// What it rests on.
    pub(super) assumes: Vec<&'static str>,
}

impl Expansion {
    pub(super) fn leaf(what: What) -> Self {
        Expansion { what, ty: None, at: None, links: Vec::new(), assumes: Vec::new() }
    }

    /// One with links.
    pub(super) fn of(
        what: What,
        at: Option<(FunctionId, InstructionId)>,
        links: Vec<(Question, Argument, LinkCertainty)>,
    ) -> Self {
        Expansion { what, ty: None, at, links, assumes: Vec::new() }
    }

    /// Whether every link leads on.
    pub(super) fn is_solved(&self) -> bool {
        let is_unknown = |question: &Question| matches!(question, Question::Leaf(What::Unknown(_), _));
        !matches!(self.what, What::Unknown(_))
            && !self.links.iter().any(|(question, ..)| is_unknown(question))
    }

    pub(super) fn unknown(reason: UnknownReason) -> Self {
        Self::leaf(What::Unknown(reason))
    }
}
