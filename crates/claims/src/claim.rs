//! What is said of one loop? The answer as documents have it, and the same for programs.
//!
//! Cost: constant.

use opcost_answer::loops::{AnswerKind, EntryAnswer, LoopAnswer, LoopFormulas, LoopNumbers};
use opcost_index::Id;
use opcost_ir::Module;
use opcost_key::{BlockId, FunctionId, Part, PlaceId};

/// What is said of one loop: counts are those of one activation that leaves by
/// one of the loop's own exits.
#[derive(Clone, Debug)]
pub(super) struct LoopClaim {
    /// For people and documents.
    pub(super) answer: LoopAnswer,
    /// What of it is a number, so that a run can be held against it.
    pub(super) numbers: LoopNumbers,
    /// The same as it is kept, for readers that are programs.
    pub(super) written: LoopFormulas,
}

impl LoopClaim {
    /// A loop at the top of its function of which nothing is known but its header.
    pub(super) fn unknown(
        module: &Module,
        function: FunctionId,
        header: BlockId,
        label: String,
    ) -> LoopClaim {
        let answer = LoopAnswer {
            key: module.key(function).part(Part::Loop(header)),
            function: module.key(function).name.into(),
            header: number_of(header),
            label,
            file: None,
            line: None,
            depth: 1,
            parent: None,
            form: String::new(),
            entered_if: EntryAnswer::default(),
            kind: AnswerKind::Unknown,
            back_edges: None,
            body_iterations: None,
            expression: None,
            total: None,
            inputs: Vec::new(),
            bound: None,
            assumes: Vec::new(),
            reason: None,
            vectorised: None,
            unrolled: None,
            remainder_of: None,
        };
        LoopClaim { answer, numbers: LoopNumbers::default(), written: LoopFormulas::default() }
    }

    /// The same loop with no count of its own, and why.
    pub(super) fn uncounted(self, reason: Option<String>) -> LoopClaim {
        let answer = LoopAnswer {
            kind: AnswerKind::Unknown,
            back_edges: None,
            body_iterations: None,
            total: None,
            inputs: Vec::new(),
            bound: None,
            assumes: Vec::new(),
            reason,
            ..self.answer
        };
        let written = LoopFormulas { entered: self.written.entered, ..LoopFormulas::default() };
        LoopClaim { answer, numbers: LoopNumbers::default(), written }
    }
}

/// A block's number among those of its function.
pub(super) fn number_of(block: BlockId) -> u32 {
    block.index() as u32
}

/// The file and the line of a place.
pub(super) fn source_line(module: &Module, place: Option<PlaceId>) -> (Option<String>, Option<u32>) {
    let place = place.map(|place| &module.places[place]);
    (place.map(|place| module.files[place.file].clone()), place.map(|place| place.line))
}
