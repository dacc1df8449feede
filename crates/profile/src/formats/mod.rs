//! Which bytes hold what? One file per format.

mod atomic;
pub mod map;
pub mod opc;

pub use atomic::{WriteError, write_whole};
