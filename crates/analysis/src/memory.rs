//! What is in memory, and who writes it?
//!
//! One question a file, each resting on those above it:
//!
//! | question | file |
//! |---|---|
//! | what may a call do whose callee is not here? | [`external`] |
//! | who runs a module's functions? | [`world`] |
//! | what may a pointer point to? | [`addresses`] |
//! | who calls whom? | [`calls`] |
//! | what may a function read and write? | [`summaries`] |
//! | which addresses are the same? | [`forms`] |
//! | may `argv` change? | [`arguments`] |
//! | what in a function may write? | `writes` |
//! | does this write to that place? | [`verdicts`] |
//! | who writes to an object? | [`writers`] |
//! | what is a version of a place? | `version` |
//! | where does one begin? | `web` |
//! | which version of a place is there? | `webs` |
//! | which version does a load read? | [`versions`] |
//!
//! What is known of a library function is in the room `library`. The two that recurrences and dependences ask are `versions` (through
//! [`Cells`](crate::cells::Cells)) and `addresses`.

pub mod addresses;
pub mod arguments;
pub mod calls;
pub(crate) mod contents;
pub mod external;
pub mod forms;
pub mod summaries;
pub mod verdicts;
mod version;
pub mod versions;
mod web;
mod webs;
pub mod whole;
pub mod world;
pub mod writers;
mod writes;

pub use addresses::displacement::constant_distance;
pub use addresses::{AddressTarget, Addresses, Apart, ObjectId, ObjectKind, Targets, TargetsId};
pub use external::Externals;
pub use verdicts::MEMORY_WORDS;
pub use versions::MemoryVersions;
pub use whole::MemoryModel;
pub use world::{Roots, World};
pub use writers::{CellCoverage, Writer, Writers, Written};
