//! Which bytes hold what? One file per format.

mod atomic;
pub mod code;
pub mod llvm_sample;
pub mod map;
pub mod opc;
pub mod pprof;
pub mod stacks;

pub use atomic::{WriteError, write_whole};
