//! What was done to make a program faster, as text and as JSON.

pub mod json;
pub mod text;
