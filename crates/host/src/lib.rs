//! Running metered plug-ins from a Rust program.
//!
//! A plug-in is made by `opcost fuel --emit shared bot.cpp -o bot.so`. Each load
//! is an instance of its own: its own globals, heap and stack. It is given fuel
//! for a turn, a function of it is called, and there is a verdict:
//!
//! ```no_run
//! use opcost_host::{Instance, EndKind, InstanceOptions, Turn};
//!
//! #[derive(Clone, Copy, bytemuck::AnyBitPattern)]
//! #[repr(C)]
//! struct Board {
//!     cells: [i32; 64],
//!     choice: i32,
//! }
//!
//! let board = Board { cells: [0; 64], choice: 0 };
//! // SAFETY: bot.so was built from code that does not attack this process.
//! let mut bot = unsafe { Instance::load("bot.so", &InstanceOptions::default(), board) }?;
//! let think = bot.find("think").expect("the bot thinks");
//! let turn = Turn { fuel: 5_000_000, deadline: Some(std::time::Duration::from_millis(50)) };
//! let verdict = bot.run(think, turn);
//! if verdict.kind == EndKind::UsedUp {
//!     bot.resume(turn); // more fuel; or drop it, whatever it is in the middle of
//! }
//! println!("{} {}", verdict.spent, bot.shared().choice);
//! # Ok::<(), opcost_host::Rejected>(())
//! ```
//!
//! The work is done in C: [`HEADER`] is a whole host library for C and C++, and
//! this crate is its safe face. Its essay says what holds for signals and
//! threads; an [`Instance`] may move between threads and runs on one at a time.
//!
//! **A plug-in is native code in this process**: it can write anywhere, its own
//! fuel too. The limits hold for bots that are endless, greedy or broken, and
//! are no boundary against one that attacks. That is why loading is unsafe.

mod ffi;
mod instance;
mod verdict;

pub use instance::{Instance, InstanceOptions, MeteredFunction, Rejected, Turn};
pub use verdict::{EndKind, FaultLocation, Verdict};

/// The C header, one file: declarations for C11 and C++, and with
/// `OPCOST_HOST_IMPLEMENTATION` defined the code itself.
pub const HEADER: &str = include_str!(concat!(env!("OUT_DIR"), "/opcost_host.h"));

/// The C header that finds what was left at an interrupted instruction: for the
/// runtime of metered programs, which have the same table as plug-ins.
pub const TOLD: (&str, &str) = ("told.h", include_str!("../c/told.h"));
