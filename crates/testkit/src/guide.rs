//! Do the commands of a page of the guide print what the page shows?
//!
//! A page is read (`page`): its blocks of commands, what it shows below each, the files and packages
//! that its reader has. Its commands become one script for bash, and what the script printed is
//! compared with the page (`session`). Where the script runs is the business of a test: on this
//! machine, or on a bare one. Limits: see `page`.

mod page;
mod session;

pub use page::{GuideBlock, GuidePage, Shown};
pub use session::{compare, script_of};
