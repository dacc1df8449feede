//! A program: how can it be made faster by what it does?
//!
//! The program is counted while it does its training, twice. The first counts are taken where clang's profile passes
//! read, and become the profile that the optimiser works by. There hot calls are inlined, hot joins get copies by the
//! paths of a run, and hot loops copies of their bodies by their trip counts.
//! The second counts are of what the optimiser made, and say how machine blocks and functions are placed. Each
//! step is a program of its own ([`BuiltStep`]), so that the gain of each can be measured ([`measure`]).
//!
//! A ledger may take the place of the counted runs, and so may samples ([`SampledTraining`]).
//!
//! Input: sources, what to do, a training run. Output: programs, and what was done to each function. Cost: two
//! counted builds and runs, and a code generation for each step.

mod answers;
mod built;
mod early;
mod gain;
mod measure;
mod placing;
mod profile;
mod sampled;
mod steps;
mod train;
mod training;
mod trips;
mod wish;

pub use answers::{DoneSteps, answers};
pub use built::BuiltStep;
pub use gain::gain;
pub use measure::{Judging, MeasuredVariants, measure, measure_programs};
pub use sampled::SampledTraining;
pub use steps::{Tuning, tune};
pub use train::{Training, train};
pub use wish::TuneWish;
