//! Which fields has which document?
//!
//! The schemas are made from the very structs that are written (schemars),
//! lie in `schemas/` for everyone to read, and a test holds both together and
//! validates real output against them. A change that a reader would notice
//! raises the number in the document's name.

use opcost_certificate::Certificate;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use super::{
    BitsCheckJson, BitsJson, BitsNarrowJson, CheckJson, CountJson, DiffJson, ExplainJson, FuelCheckJson,
    FuelJson, LifeJson, ListJson, LoopsJson, OverlapJson, RepairJson, ValuesJson, WidthJson,
};
use crate::error::CliError;

/// The document that stands in place of another when opcost failed, so that a
/// reader never takes an old document for the new one. Wrong use that the
/// command line itself shows (status 2 before anything is read) writes none.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.error/1")]
struct ErrorJson {
    /// Always `opcost.error/1`.
    #[schemars(extend("const" = "opcost.error/1"))]
    schema: &'static str,
    /// What happened.
    error: Failure,
}

#[derive(Serialize, JsonSchema)]
struct Failure {
    /// What happened, where, and what to do next.
    message: String,
    /// The exit status: 1 opcost failed, 2 usage.
    status: u8,
}

/// The document of a failure.
pub(crate) fn error_json(error: &CliError) -> String {
    super::document(&ErrorJson {
        schema: "opcost.error/1",
        error: Failure { message: error.to_string(), status: error.status().number() },
    })
}

/// A document's short name, and what makes its schema.
type Document = (&'static str, fn() -> Schema);

/// Every document that opcost writes.
const DOCUMENTS: [Document; 18] = [
    ("count", || schema_for!(CountJson)),
    ("fuel", || schema_for!(FuelJson)),
    ("fuel-check", || schema_for!(FuelCheckJson)),
    ("life", || schema_for!(LifeJson)),
    ("loops", || schema_for!(LoopsJson<'_>)),
    ("explain", || schema_for!(ExplainJson<'_>)),
    ("explain-width", || schema_for!(WidthJson<'_>)),
    ("bits", || schema_for!(BitsJson<'_>)),
    ("bits-check", || schema_for!(BitsCheckJson<'_>)),
    ("bits-narrow", || schema_for!(BitsNarrowJson<'_>)),
    ("certificate", || schema_for!(Certificate)),
    ("overlap", || schema_for!(OverlapJson)),
    ("repair", || schema_for!(RepairJson)),
    ("list", || schema_for!(ListJson)),
    ("values", || schema_for!(ValuesJson)),
    ("diff", || schema_for!(DiffJson)),
    ("check", || schema_for!(CheckJson)),
    ("error", || schema_for!(ErrorJson)),
];

/// The short names of all documents.
pub(crate) fn document_names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name)
}

/// The schema of a document by its short name.
pub(crate) fn schema_of(name: &str) -> Option<Schema> {
    DOCUMENTS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
