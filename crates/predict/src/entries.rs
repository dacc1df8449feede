//! How often is a function entered, and how is that known?

use opcost_graph::loops::LoopId;

use crate::evaluate::LoopGrade;
use crate::fraction::Fraction;
use crate::model::FunctionModel;
use crate::prediction::Class;

/// How often, and how that is known.
#[derive(Clone, Debug)]
pub(crate) struct Entries {
    pub(crate) times: Fraction,
    pub(crate) class: Class,
    /// Why it is unknown, or who is to blame.
    pub(crate) reason: Option<String>,
    pub(crate) is_exact: bool,
}

/// The class of what is in a loop, and why it is none better.
pub(crate) fn class_of_loop(
    model: &FunctionModel,
    id: LoopId,
    grade: Option<LoopGrade>,
) -> (Class, Option<String>) {
    let why = || model.loops[id].reason.clone();
    match grade {
        Some(LoopGrade::Constant) | None => (Class::Constant, None),
        Some(LoopGrade::Formula) => (Class::Formula, None),
        Some(LoopGrade::Run) => (Class::Run, why()),
        Some(LoopGrade::Bound) => (Class::Bound, why()),
        Some(LoopGrade::Static) => (Class::StaticLoop, why()),
        Some(LoopGrade::Open) => (Class::Open, why()),
        Some(LoopGrade::Averaged) => {
            (Class::Unknown, Some("a sum of too many terms: some represent all".to_owned()))
        }
    }
}
