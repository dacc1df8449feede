//! Was the same made before? Products of compilers and of the worker, kept by content.
//!
//! Who makes something expensive describes it as a [`Recipe`]: the tool, its words, the contents of its
//! inputs. The recipe's [`RecipeHash`] names an entry of the user's cache. An entry holds what was made and its
//! [`Evidence`]: files that were found only while it was made (headers), with hashes of their contents,
//! paths at which nothing lay (a header there would have been taken), and folders that were looked through.
//! All of that is looked at before each use.
//!
//! ```text
//! Recipe ─finish▶ RecipeHash ─find▶ Made, if each file of its evidence is as it was
//!                     ─store(Made, Evidence)▶ one file, by one rename
//! ```
//!
//! | question | file |
//! |---|---|
//! | what decides what is made? | `recipe` |
//! | what does an entry hold, and when is it believed? | `entry` |
//! | where are entries, and which go when there are too many? | `store` |
//! | how large are all entries together, at most? | `total` |
//! | which cache does the user want? | [`choice`] |
//!
//! A damaged entry, one of another version, and a folder that others may write in are never believed: then
//! all is made anew. Hashes are SHA-256, since sources of strangers are compiled, too.
//!
//! Cost: reading the entry and its evidence. Limit: who may write in the user's own cache can forge entries.

pub mod choice;
mod entry;
mod recipe;
mod store;
mod total;

pub use entry::{Evidence, Made};
pub use recipe::{Recipe, RecipeHash};
pub use store::{Cache, CacheContents, changed_since};
