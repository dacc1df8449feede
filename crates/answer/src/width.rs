//! Why integers are as wide as they are, and which one fact more would make them narrower.

use opcost_key::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::define_document;

define_document!(
    /// The document of `opcost explain --width`.
    pub struct WidthDocument = "opcost.explain-width/2"
);

/// The document of `opcost explain --width`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "opcost.explain-width/2")]
pub struct WidthAnswers {
    /// Always `opcost.explain-width/2`.
    pub schema: WidthDocument,
    /// `open`: exported functions may be called by anyone; `closed`: it begins at main.
    pub world: String,
    /// What the widths rest on besides the code.
    pub assumes: Vec<String>,
    /// In the order of the module.
    pub values: Vec<WidthExplained>,
}

/// An integer, and why it is as wide as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WidthExplained {
    /// What is explained.
    pub value: WidthStep,
    /// Bits of its type.
    pub declared: u32,
    /// What forces it: from the value back to where most of its bits come from.
    pub chain: Vec<WidthStep>,
    /// What ends the chain, in words.
    pub reason: String,
    /// Facts each of which alone would make it narrower, what helps most first.
    pub would_help: Vec<WidthHelp>,
}

/// A value of the program, with its width.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WidthStep {
    /// Function, and number of the parameter (`argument0`) or instruction (`i5`) in it; of a constant none.
    #[schemars(with = "Option<String>")]
    pub key: Option<Key>,
    /// Its name in the source, or else in the text of the module.
    pub name: String,
    /// Linkage name of its function.
    pub function: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
    /// The instruction as text; of a parameter its name.
    pub text: String,
    /// Bits that an `iN` needs that holds it.
    pub width: u32,
    /// Whether those are two's complement.
    pub signed: bool,
    /// Its values.
    pub range: String,
}

/// What would be if one input were in a range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WidthHelp {
    /// The input's name.
    pub input: String,
    /// Linkage name of its function.
    pub function: String,
    /// Where it is computed; of a parameter where its function begins.
    pub line: Option<u32>,
    /// The range that it is given: `0..64`.
    pub given: String,
    /// The same of a parameter as a contract: what --assume takes.
    pub contract: Option<String>,
    /// Bits that the value would need.
    pub width: u32,
    /// Whether those would be two's complement.
    pub signed: bool,
}
