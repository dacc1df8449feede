//! How did control come here? The call sites that are known to be open.
//!
//! A value of a function is another at each call of it; so a question is asked
//! under the calls that led there (call strings: Sharir and Pnueli, 1981). A
//! context lists known call sites from the innermost on; who called the
//! outermost of them is not known, and then every caller counts. So the empty
//! context is always right, and is what a recursive function or a list that
//! grows too long falls back to. Contexts are interned. Cost: constant.

use rustc_hash::FxHashMap as HashMap;

use opcost_index::{Id, IdMap, define_id};
use opcost_key::{FunctionId, InstructionId};

define_id!(
    /// Call sites that are open.
    pub struct ContextId, "context"
);

/// Longer lists are cut off.
pub(super) const DEEPEST: u32 = 16;

/// A call, and how control came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) parent: ContextId,
    pub(super) function: FunctionId,
    pub(super) call: InstructionId,
}

/// All contexts that were met.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    frames: IdMap<ContextId, (Frame, u32)>,
    known: HashMap<Frame, ContextId>,
}

impl ContextId {
    /// Nothing is known.
    pub(super) fn empty() -> Self {
        ContextId::new(0)
    }
}

impl Contexts {
    /// The innermost call that is known.
    pub(super) fn top(&self, context: ContextId) -> Option<Frame> {
        let position = context.index().checked_sub(1)?;
        Some(self.frames[ContextId::new(position)].0)
    }

    /// The context inside of a call.
    pub(super) fn enter(
        &mut self,
        parent: ContextId,
        function: FunctionId,
        call: InstructionId,
    ) -> ContextId {
        let depth = match parent.index() {
            0 => 1,
            position => self.frames[ContextId::new(position - 1)].1 + 1,
        };
        if depth > DEEPEST {
            return ContextId::empty();
        }
        let frame = Frame { parent, function, call };
        if let Some(&known) = self.known.get(&frame) {
            return known;
        }
        self.frames.push((frame, depth));
        let id = ContextId::new(self.frames.len());
        self.known.insert(frame, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_calls_are_the_same_context_and_long_lists_know_nothing() {
        let mut contexts = Contexts::default();
        let (function, call) = (FunctionId::new(1), InstructionId::new(2));
        let once = contexts.enter(ContextId::empty(), function, call);
        assert_eq!(contexts.enter(ContextId::empty(), function, call), once);
        assert_eq!(contexts.top(once).map(|frame| frame.parent), Some(ContextId::empty()));
        assert_eq!(contexts.top(ContextId::empty()), None);
        let deep = (0..DEEPEST).fold(ContextId::empty(), |at, _| contexts.enter(at, function, call));
        assert_ne!(deep, ContextId::empty());
        assert_eq!(contexts.enter(deep, function, call), ContextId::empty());
    }
}
