//! What a native program costs, one instruction at a time: the library.

#[cfg(feature = "worker")]
mod offer;

#[cfg(feature = "worker")]
pub use offer::offer;
