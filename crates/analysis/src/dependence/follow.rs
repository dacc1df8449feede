//! What do places, numbers and stores say of each other? Each question once.
//!
//! These three rest on each other without end: the place of a pointer on the number of
//! an index, a number on the only store that a load reads, and that on the places of
//! stores. So each answer is kept, a place that is asked for while it is looked for is
//! [`Placed::Several`], and a search that ran out of fuel keeps nothing.
//! Cost: a look-up, or that of `places`, `numbers` and `reaching`.

use std::rc::Rc;

use opcost_ir::Value;
use opcost_key::FunctionId;

use super::asked::{Asked, Definition, Definitions, Origin, Point};
use super::contexts::ContextId;
use super::evaluate::Number;
use super::memory::MemoryQueries;
use super::placed::Placed;
use super::search::{Ask, Search};

/// How deep ways back may be nested.
const DEEPEST: u32 = 6;

impl<M: MemoryQueries> Ask for Search<'_, '_, M> {
    fn place(&mut self, function: FunctionId, value: Value, context: ContextId) -> Placed {
        let key = (function, value, context);
        if let Some(known) = self.shared.placed.borrow().get(&key) {
            return known.clone();
        }
        if self.nesting >= DEEPEST {
            return Placed::Several;
        }
        self.nesting += 1;
        self.shared.placed.borrow_mut().insert(key, Placed::Several);
        let found = self.way_back(function, value, context);
        self.nesting -= 1;
        match self.fuel {
            // Cut off: another search may find more.
            0 => _ = self.shared.placed.borrow_mut().remove(&key),
            _ => _ = self.shared.placed.borrow_mut().insert(key, found.clone()),
        }
        found
    }

    fn number(&mut self, function: FunctionId, value: Value, context: ContextId) -> Option<i128> {
        self.whole(function, value, context, 0).map(Number::signed)
    }

    fn definitions(&mut self, point: Point, asked: Asked) -> Rc<Definitions> {
        let key = (point, asked);
        if let Some(known) = self.shared.defined.borrow().get(&key) {
            return known.clone();
        }
        let history = self.shared.history(asked.cell);
        if history.is_too_many {
            let lost = Definition { origin: Origin::Lost, context: point.context, is_possible: true };
            return Rc::new(Definitions { list: vec![lost], trusts_types: false });
        }
        let trusted = std::mem::take(&mut self.trusts_types);
        let list = self.all_definitions(point, asked, history);
        let found = Rc::new(Definitions { list, trusts_types: self.trusts_types });
        self.trusts_types = trusted;
        if self.fuel > 0 {
            self.shared.defined.borrow_mut().insert(key, found.clone());
        }
        found
    }
}
