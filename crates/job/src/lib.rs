//! What is the child that holds LLVM asked, and what does it answer?
//!
//! LLVM ends its process on fatal errors, and opcost must live to say so. So whatever needs LLVM
//! is a [`Job`] for a child process. The child answers with the [`Reply`] of the same case, or
//! with a [`Refusal`]. Both travel as JSON, in files beside each other.
//!
//! ```text
//! run_job(request) ─Job▶ FILE ─▶ opcost __work: worker ─Reply or Refusal▶ FILE.reply ─▶ answer
//! ```
//!
//! | question | file |
//! |---|---|
//! | which jobs are there, and what answers each? | [`cases`] |
//! | how is one asked, and by which program? | [`requests`](mod@requests) |
//! | how does one process do many? | [`session`] |
//! | was the same job done before? | `cached` |
//! | what is asked of a module that is built? | [`module`] |
//! | what is asked of a program that is analysed? | [`program`] |
//! | what is asked of a life? | [`life`] |
//! | which profile is wanted of a ledger? | [`profile`] |
//! | what did the program of a ledger do? | [`work`] |

mod cached;
pub mod cases;
pub mod life;
pub mod live;
pub mod module;
pub mod profile;
pub mod program;
pub mod requests;
pub mod session;
pub mod work;

pub use cases::{Job, Refusal, Reply, Request};
pub use requests::{offer_self, reply_path, run_job, worker_program};
pub use session::{JobSession, JobStopper, WORK};

/// The release of LLVM that workers hold: bitcode of a newer one cannot be read.
pub const LLVM_MAJOR: u32 = 22;
