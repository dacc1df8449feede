//! What was done to make a program faster, as text and as JSON.

mod copies;
pub mod json;
mod report;
pub mod text;
