//! Running a counted program and collecting what it counted.
//!
//! The program's three streams pass through untouched. It writes one raw file
//! per process and image into a folder of ours, named by an environment
//! variable; afterwards the files are read, whatever the program's end was.

mod collect;
mod fuel;
mod image;
mod start;

pub(crate) use collect::{Collected, Quality, collect};
pub(crate) use fuel::{Spending, is_metered, spend};
pub(crate) use image::Image;
pub(crate) use start::{Finish, Streams, run_program};
