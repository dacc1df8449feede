//! Which bytes hold what? One file per format.

pub mod map;
