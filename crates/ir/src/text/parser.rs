//! What has been read of a text so far?
//!
//! The module as far as it goes, names that may be spoken of ahead, and types
//! and constants that are interned where they occur. Every reader of a part
//! adds to it.

use std::collections::HashMap;

use opcost_key::FunctionId;

use super::cursor::{Cursor, Parsed};
use super::lex::Token;
use super::parse_type::Interner;
use crate::{ConstantId, ConstantValue, GlobalId, Module, TagTypeId, Type, TypeId, Value};

/// The tokens of a line that has some.
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) tokens: Vec<Token>,
}

impl Line {
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.number, &self.tokens)
    }
}

/// What has been read so far.
#[derive(Default)]
pub(crate) struct Parser {
    pub(crate) module: Module,
    pub(crate) interner: Interner,
    /// Functions and declarations by name.
    pub(crate) globals: HashMap<String, Value>,
    /// Data and second names by name; of several, the first.
    pub(super) data: HashMap<String, GlobalId>,
    /// Types of tags by name; of several, the first.
    pub(super) tag_types: HashMap<String, TagTypeId>,
    /// Calls of functions that say nothing of memory.
    pub(super) unsaid_effects: Vec<(FunctionId, usize)>,
    /// Where each function and each of its instructions is written.
    pub(crate) lines: Vec<(usize, Vec<usize>)>,
}

impl Parser {
    /// The value that a text has unless it is said.
    pub(super) fn value_of(&self, ty: TypeId, text: &str) -> ConstantValue {
        ConstantValue::of_text(&self.module.types[ty], text, |name| self.data.get(name).copied())
    }

    pub(crate) fn ty(&mut self, cursor: &mut Cursor<'_>) -> Parsed<TypeId> {
        self.interner.parse(&mut self.module, cursor)
    }

    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        self.interner.ty(&mut self.module, ty)
    }

    pub(crate) fn constant(&mut self, ty: TypeId, text: &str) -> ConstantId {
        match self.interner.constant(ty, text) {
            Some(known) => known,
            None => {
                let value = self.value_of(ty, text);
                self.interner.new_constant(&mut self.module, ty, text, value)
            }
        }
    }
}
