//! What decides a value or a loop, as a graph that ends in constants and named inputs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::define_document;

define_document!(
    /// The document of `opcost explain`.
    pub struct ExplainDocument = "opcost.explain/1"
);

/// The document of `opcost explain`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "opcost.explain/1")]
pub struct ExplainAnswers {
    /// Always `opcost.explain/1`.
    pub schema: ExplainDocument,
    /// `open`: exported functions may be called by anyone; `closed`: it begins at main.
    pub world: String,
    /// In the order of the code.
    pub things: Vec<Explained>,
}

/// A value or a loop, and what decides it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// `i`, `how often the loop turns`, `the result`.
    pub what: String,
    /// Linkage name of the function.
    pub function: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
    /// Its column there, from 1.
    pub column: Option<u32>,
    /// The instruction, or the loop's header, in the text of the module.
    pub text: String,
    /// Of a loop: how often its body runs, as `opcost loops` has it.
    pub iterations: Option<String>,
    /// What it is, as in C; terms that occur several times are named in lines before.
    pub expression: String,
    /// `definite`, `definite, assuming …`, `possible` (other writers may come in between) or `outside`
    /// (it cannot all be seen).
    pub quality: String,
    /// Named inputs that it ends in, as `name: what is known of it`.
    pub inputs: Vec<String>,
    /// What is in the way of a full answer: unknown calls, pointers that are not understood.
    pub blockers: Vec<String>,
    /// The graph: what it is made of.
    pub nodes: Vec<DependenceNode>,
    /// From what is made to what it is made of.
    pub edges: Vec<DependenceEdge>,
}

/// A node of the graph of dependences; the first is the thing itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DependenceNode {
    /// `+`, `n`, `64`, `READ of inputbt.data`.
    pub label: String,
    /// `operation`, `constant`, `input`, `alternatives`, `again` (the value itself, one iteration before),
    /// `unknown`.
    pub kind: String,
}

/// An edge of the graph of dependences.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DependenceEdge {
    /// Position of the node that is made, among the nodes.
    pub from: u32,
    /// Position of the node that it is made of.
    pub to: u32,
    /// Which operand, argument or writer.
    pub argument: String,
    /// `definite`, `possible` or `outside`.
    pub quality: String,
}
