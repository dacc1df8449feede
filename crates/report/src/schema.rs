//! Which fields has which document?
//!
//! The schemas are made from the very structs that are written (schemars),
//! lie in `schemas/` for everyone to read, and a test holds both together and
//! validates real output against them. A change that a reader would notice
//! raises the number in the document's name.

use opcost_certificate::Certificate;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use crate::answers::json::AnswersJson;
use crate::bits::narrow::BitsNarrowJson;
use crate::bits::text::BitsJson;
use crate::check::CheckJson;
use crate::count::json::CountJson;
use crate::fuel::check::FuelCheckJson;
use crate::fuel::run::FuelJson;
use crate::ledger::diff_json::DiffJson;
use crate::ledger::overlap::OverlapJson;
use crate::life::text::LifeJson;
use crate::loops::table::LoopsJson;
use crate::predict::json::PredictJson;
use crate::slice::json::SliceJson;
use crate::tune::json::TuneJson;
use crate::values::json::ValuesJson;
use opcost_answer::Failure;
use opcost_answer::certificate::CheckAnswers;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::hdl::HdlDocument;
use opcost_answer::list::List;
use opcost_answer::live::LiveAnswers;
use opcost_answer::repair::RepairAnswers;
use opcost_answer::width::WidthAnswers;

/// The document that replaces another when opcost failed, so that a reader never takes an old
/// document for the new one. Wrong use that the command line itself shows (status 2 before anything
/// is read) writes none.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.error/1")]
struct ErrorJson {
    /// Always `opcost.error/1`.
    #[schemars(extend("const" = "opcost.error/1"))]
    schema: &'static str,
    /// What happened.
    error: FailureJson,
}

#[derive(Serialize, JsonSchema)]
struct FailureJson {
    /// What happened, where, and what to do next.
    message: String,
    /// The exit status: 1 opcost failed, 2 usage.
    status: u8,
}

/// The document of a failure.
pub fn error_json(error: &Failure) -> String {
    crate::kit::save::document(&ErrorJson {
        schema: "opcost.error/1",
        error: FailureJson { message: error.to_string(), status: error.status().number() },
    })
}

/// A document's short name, and what makes its schema.
type Document = (&'static str, fn() -> Schema);

/// Every document that opcost writes.
const DOCUMENTS: [Document; 24] = [
    ("answers", || schema_for!(AnswersJson<'_>)),
    ("count", || schema_for!(CountJson)),
    ("fuel", || schema_for!(FuelJson)),
    ("fuel-check", || schema_for!(FuelCheckJson)),
    ("life", || schema_for!(LifeJson)),
    ("loops", || schema_for!(LoopsJson<'_>)),
    ("predict", || schema_for!(PredictJson<'_>)),
    ("slice", || schema_for!(SliceJson<'_>)),
    ("tune", || schema_for!(TuneJson<'_>)),
    ("run", || schema_for!(LiveAnswers)),
    ("explain", || schema_for!(ExplainAnswers)),
    ("explain-width", || schema_for!(WidthAnswers)),
    ("bits", || schema_for!(BitsJson<'_>)),
    ("bits-check", || schema_for!(CheckAnswers)),
    ("bits-narrow", || schema_for!(BitsNarrowJson<'_>)),
    ("certificate", || schema_for!(Certificate)),
    ("hdl", || schema_for!(HdlDocument)),
    ("overlap", || schema_for!(OverlapJson<'_>)),
    ("repair", || schema_for!(RepairAnswers)),
    ("list", || schema_for!(List)),
    ("values", || schema_for!(ValuesJson)),
    ("diff", || schema_for!(DiffJson<'_>)),
    ("check", || schema_for!(CheckJson)),
    ("error", || schema_for!(ErrorJson)),
];

/// The short names of all documents.
pub fn document_names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name)
}

/// The schema of a document by its short name.
pub fn schema_of(name: &str) -> Option<Schema> {
    DOCUMENTS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
