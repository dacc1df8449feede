//! What becomes of an instruction: text, page and graphs.

pub mod code;
pub mod graph;
pub mod noise;
pub mod page;
pub mod text;
