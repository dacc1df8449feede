//! A program: how can it be made faster by what it does?
//!
//! The program is counted while it does its training, twice. The first counts are taken where clang's profile passes
//! read, and become the profile that the optimiser works by. There hot calls are inlined, hot joins get copies by the
//! paths of a run, and hot loops copies of their bodies by their trip counts.
//! The second counts are of what the optimiser made, and say how machine blocks and functions are placed. Each
//! step is a program of its own, so that the gain of each can be measured.
//!
//! A ledger may take the place of the counted runs, and so may samples.
//!
//! Input: sources, what to do, a training run. Output: programs, and what was done to each function. Cost: two
//! counted builds and runs, and a code generation for each step.
//!
//! ```
//! use opcost::tune::{Input, Judging, TuneRequest, TuneWish, make_faster};
//! use opcost::CompileOptions;
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-tune-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("tune.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let inputs = [Input::classify(&source)?];
//! let options = CompileOptions::default();
//! let tuned = make_faster(&TuneRequest {
//!     wish: TuneWish::of(&inputs, &options),
//!     sample: None,
//!     judging: Judging { inputs: &inputs, arguments: &[], stdin: None, runs: 0, links: 1, simulated_links: 0 },
//!     output: &folder.join("faster"),
//!     save: None,
//! })?;
//! assert!(folder.join("faster").exists() && tuned.outputs_equal.is_none());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod answers;
mod built;
mod early;
mod gain;
mod input;
mod measure;
mod placing;
mod profile;
mod request;
mod rust;
mod sampled;
mod steps;
mod train;
mod training;
mod trips;

pub use gain::gain;
pub use input::TuneWish;
pub use measure::Judging;
pub use opcost_toolchain::input::Input;
pub use request::{TuneRequest, make_faster};
pub use rust::{PlacedRust, finish_rust, given_ledger, rust_tuning, train_rust};
