//! Do real builds come out counted, and do their errors stay their own?
//!
//! `driver`: one command line against clang's own doing; `projects`: make,
//! autotools, CMake, Meson; `languages`: Fortran, Rust, mixed, cargo, cost
//! files; `crates`: which program of a package or a workspace;
//! `meant`: statuses, editions, words that are no files, runs that differ; `errors`: what goes wrong, with words and status; `faults`: every kind
//! of fault in every verb, with one status; `messages`: whose fault, where, what
//! next, and no control characters of input; `tune`, `tune_builds`, `tune_cargo`: programs,
//! whole builds and crates, placed by counts. One binary,
//! because linking LLVM's tests is dear; tools that a machine lacks fail the
//! test with the package to install, never skip it.

mod crates;
mod driver;
mod errors;
mod faults;
mod languages;
mod meant;
mod messages;
mod projects;
mod support;
mod tune;
mod tune_builds;
mod tune_cargo;
mod tune_inline;
mod tune_sampled;
mod tune_split;
mod tune_unroll;
