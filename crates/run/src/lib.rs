//! Running a counted program and collecting what it counted.
//!
//! The program's three streams pass through untouched. It writes one raw file
//! per process and image into a folder of ours, named by an environment
//! variable; afterwards the files are read, whatever the program's end was.

pub mod collect;
pub mod deterministic;
mod emulator;
pub mod end;
pub mod frames;
pub mod fuel;
mod fuel_watch;
pub mod image;
mod itself;
mod limit;
pub mod missing;
pub mod sandbox;
pub mod slice;
pub mod start;
pub mod timed;
pub mod values;
mod walls;
pub mod wasm;
