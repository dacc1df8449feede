//! Which bytes hold what? One file per format.

mod atomic;
pub mod code;
pub mod map;
pub mod opc;

pub use atomic::{WriteError, write_whole};
