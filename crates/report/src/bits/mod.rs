//! Bits that values need: table, page, what became narrower, certificates, and why a value is wide.

pub mod certificate;
pub mod floats;
pub mod narrow;
pub mod page;
pub mod text;
pub mod width;
