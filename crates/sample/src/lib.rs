//! Sampling: at which addresses of which images does a program spend its time?
//!
//! A counter of the kernel's, mostly the processor's clock, interrupts the
//! program thousands of times a second and notes where it is. Nothing is
//! built, changed or preloaded. The answer is a histogram per image, in the
//! image's own numbering, so that whoever has the image can lead an address
//! further:
//!
//! ```no_run
//! use opcost_sample::{SessionOptions, Sampler};
//!
//! let mut sampler = Sampler::start(std::process::Command::new("./prog"), &SessionOptions::default())?;
//! sampler.wait(None)?;
//! let samples = sampler.finish()?;
//! for image in &samples.images {
//!     println!("{}: {} hits", image.path, image.total());
//! }
//! # Ok::<(), opcost_sample::Error>(())
//! ```
//!
//! The way of a sample: `sys` opens events and empties rings, `opening`
//! says which and asks for less where the machine grants less, [`decode`]
//! reads bytes, `order` sorts what several processors wrote, `collect`
//! folds it with `mappings`, `image` and `tasks` into [`Samples`]. [`perfdata`]
//! feeds the same fold from a file, `keep` writes one.
//!
//! Where the kernel refuses its counters ([`Error::NotPermitted`]), a
//! [`TimerSampler`] samples a program by a timer in its own process, more
//! slowly.
//!
//! Samples that lead nowhere are counted under a [`LostReason`]; lost ones are
//! counted too. Hits are time, not counts: a slow instruction is hit more
//! often, and an interrupt may land one instruction late.

mod branches;
mod collect;
pub mod decode;
mod error;
mod event;
mod floor;
mod fold;
mod image;
mod keep;
pub mod malformed;
mod mappings;
mod opening;
mod order;
mod pace;
pub mod perfdata;
mod ready;
mod reason;
mod running;
mod samples;
mod session;
mod sys;
mod tasks;
mod timer;

pub use branches::{Branch, BranchRun};
pub use error::Error;
pub use event::Event;
pub use floor::{processor_time, run_under_bare_event};
pub use pace::Pace;
pub use perfdata::{read_perf_data, read_perf_data_of, read_perf_data_with};
pub use ready::ReadyKernel;
pub use reason::LostReason;
pub use samples::{
    CallFrame, End, Homeless, ImageSamples, LeftOut, MappedFile, ProcessSamples, Rate, Samples, Stack,
    ThreadSamples, USUAL_HERTZ,
};
pub use session::{Sampler, SessionOptions, SessionProgress};
pub use sys::parent::end_with_this_process;
pub use sys::signal::fail_in_background;
pub use timer::TimerSampler;
