//! `opcost predict`: how often every block runs, as text and as a document.

pub mod folders;
pub mod json;
pub mod text;
