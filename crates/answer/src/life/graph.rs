//! The graph of a block behind a phase of selection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The graph of a block after a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LifeGraph {
    /// The phase.
    pub pass: String,
    /// Phases after it that left the graph as it is.
    pub also: Vec<String>,
    /// Linkage name.
    pub function: String,
    /// Which of the function's graphs that hold a chosen node, from 1.
    pub block: u32,
    /// Each after those that it works on.
    pub nodes: Vec<Node>,
    /// By user, in the order of its operands.
    pub edges: Vec<GraphEdge>,
    /// Nodes that were cut off.
    pub left_out: usize,
    /// If some were: those kept are within so many edges of a chosen one.
    pub reach: usize,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// `sdiv`, `IDIV32r`
    pub operation: String,
    /// What else describes it: flags, and operands that are registers or constants.
    pub details: String,
    /// Types of its results: `i32`, `ch`, `glue`.
    pub types: Vec<String>,
    /// Number of the instruction that it comes from; 0 if that is not known.
    pub key: u32,
    /// Whether that was asked for.
    pub is_chosen: bool,
}

/// One works on a result of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// Position of the node whose result it is.
    pub from: usize,
    /// Which result, from 0.
    pub result: u16,
    /// Position of the node that works on it.
    pub to: usize,
    /// What the result is.
    pub kind: GraphEdgeKind,
}

/// What goes along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GraphEdgeKind {
    /// A value.
    Data,
    /// Nothing: one comes before the other.
    Chain,
    /// Nothing may come between them.
    Glue,
}
