//! Was the same compiled before? What compilers make, kept in the user's cache.
//!
//! | question | file |
//! |---|---|
//! | what does clang make of files that opcost carries? | [`carried`] |
//! | what does it make of a source of the user's? | [`source`] |
//! | what does its front end make of one in a whole build? | [`front`] |
//! | what does flang's make of a source? | [`fortran`] |
//! | of which of its words is known what they change? | [`words`] |
//! | where would a header be found that is not there yet? | [`search`] |
//! | which files does a rule for `make` name? | [`rules`] |
//! | which compiler is it? | [`tool`] |
//! | which version is it? | [`version`] |

pub(crate) mod carried;
pub(crate) mod fortran;
pub(crate) mod front;
mod rules;
mod search;
pub(crate) mod source;
mod tool;
pub(crate) mod version;
pub(crate) mod words;
