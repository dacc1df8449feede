//! Plans for recording: which values are recorded, and where.
//!
//! The iterations of each natural loop: it is entered on the edges from outside to its header,
//! iterates on each back edge, and is left on each edge out of it. An exception that leaves it,
//! caught in the same function or not, is no exit, nor is an edge that leads to a call that never
//! returns (`exit`, `longjmp`): such an activation is partial, and the runtime finds it by what is
//! recorded next. On one edge first the inner loops are left, then the outer one iterates or
//! another is entered. A loop with an edge that cannot be cut where it matters is not recorded, and
//! the reason is kept.
//!
//! Single values: what the instructions of a line compute, store and return; or
//! all integers of a function.
//!
//! Input: a snapshot, what is wanted, claims. Output: the edits, and what each
//! point means. Cost: blocks times depth of nesting. Limits: `indirectbr` and
//! `callbr` edges; values wider than 64 bits; whole vectors and aggregates.

mod chosen;
mod inputs;
mod recorded;
mod request;
mod rereads;
mod turns;

pub use recorded::{ClaimFacts, PointFacts, RecordedPoints, RecordedSubject, RefusedLoop};
pub use request::ValuesRequest;
pub use rereads::Rereads;

use opcost_index::IdMap;
use opcost_ir::{Function, Layout, Module, Recording};

use crate::bodies::is_counted;
use crate::claims::TripClaims;
use crate::leaving::Leaving;
use crate::refusal::{PlanError, refuse_uncountable};
use turns::Code;

/// The name that calls of `vfork` get.
const VFORK: &str = "opc_values_vfork";

/// Plans the recording of a module.
///
/// # Errors
/// The module has something that cannot be followed; the place is named.
pub fn record(
    module: &Module,
    request: &ValuesRequest,
    claims: &TripClaims,
) -> Result<RecordedPoints, PlanError> {
    let leaving = Leaving::compute(module);
    let layout = Layout::of(module);
    let code = Code { module, layout: &layout, leaving: &leaving };
    let mut recorded = RecordedPoints {
        recording: Recording::default(),
        points: IdMap::new(),
        refused: Vec::new(),
        irreducible: Vec::new(),
    };
    for (id, function) in module.functions.iter() {
        let is_chosen = request.names(&function.name);
        let has_copy = || request.line.is_some() && has_inlined(module, function, request);
        if !is_counted(function) || function.blocks.is_empty() || !(is_chosen || has_copy()) {
            continue;
        }
        refuse_uncountable(module, function)?;
        let mut edits = Vec::new();
        if request.turns && is_chosen {
            turns::plan(code, id, claims, &mut recorded, &mut edits);
        }
        if (request.integers || request.mantissas) && is_chosen {
            chosen::plan_widths(module, id, request, &mut recorded, &mut edits);
        }
        if request.function.is_some() && !request.integers && !(request.turns && request.line.is_none()) {
            chosen::plan(module, id, request, &mut recorded, &mut edits);
        }
        turns::sort(&mut edits);
        recorded.recording.edits.extend(edits.into_iter().map(|edit| (id, edit)));
    }
    for (id, declaration) in module.declarations.iter() {
        if declaration.name == "vfork" {
            recorded.recording.renames.push((id, VFORK.to_owned()));
        }
    }
    debug_assert_eq!(recorded.points.len(), recorded.recording.points.len());
    Ok(recorded)
}

/// Whether code of the selected function was inlined into this one.
fn has_inlined(module: &Module, function: &Function, request: &ValuesRequest) -> bool {
    let places = function.instructions.values().filter_map(|instruction| instruction.place);
    places
        .filter_map(|place| module.places[place].inlined_function.as_deref())
        .any(|written_in| request.names(written_in))
}
