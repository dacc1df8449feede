//! Running a counted program and collecting what it counted.
//!
//! The program's three streams pass through untouched. It writes one raw file
//! per process and image into a folder of ours, named by an environment
//! variable; afterwards the files are read, whatever the program's end was.

mod collect;
mod deterministic;
mod emulator;
mod frames;
mod fuel;
mod image;
mod looks;
mod sandbox;
mod start;
mod values;
mod walls;
mod wasm;

pub(crate) use collect::{Collected, Quality, collect};
pub(crate) use deterministic::FixedWorld;
pub(crate) use frames::{CallStack, call_stacks, collapsed, hit_functions};
pub(crate) use fuel::{Spending, is_metered, spend};
pub(crate) use image::{Image, SampledImage};
pub(crate) use sandbox::{Ending, Entry, LONGEST_OUTPUT, Landlock, Room, Walled, enter, spend_walled};
pub(crate) use start::{Finish, Streams, run_program};
pub(crate) use values::{Observed, ObservedPoint, Recorder, observe, point_lists, record_run};
pub(crate) use walls::call_name;
pub(crate) use wasm::Engine;
