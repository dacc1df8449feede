//! Flow on a graph: which edges must be counted, and what the others carry.
//!
//! A flow graph has nodes, one extra place called the *outside* (written
//! `None`), and edges between places. What flows into a place flows out of it.
//! That is one equation per place, so most counts follow from a few:
//!
//! 1. [`choose_chords`] puts the heavy edges into a spanning forest and names
//!    the remaining ones, the chords, which are to be counted;
//! 2. [`reconstruct`] turns the counts of the chords into those of all edges;
//! 3. [`check_conservation`] trusts neither and sums at every place;
//! 4. [`bounds`] says what can still be said when frames are open, as after a
//!    kill, and the equations do not hold.
//!
//! [`paths`] numbers the acyclic paths of a graph, so that a sum along each tells it.
//!
//! Counts that were sampled do not balance at all: [`classic`] moves those of one
//! graph until they do, as little as a price allows; [`convex`] finds the
//! likeliest consistent counts of a whole program.
//!
//! Methods: Knuth and Stevenson, "Optimal measurement points for program
//! frequency counts" (BIT 13, 1973); Ball and Larus, "Optimally profiling and
//! tracing programs" (TOPLAS 16, 1994). The first count nodes, the second show
//! that counting edges is never worse; edges are counted here.
//!
//! Everything is generic over the caller's ids. This room knows nothing of
//! instructions, counters or files; the caller must see to it that its graph
//! is closed under flow, that is, has an edge for each way into and out of it.

mod bounds;
mod chords;
pub mod classic;
mod conservation;
pub mod convex;
mod error;
mod forest;
mod graph;
pub mod paths;
mod reconstruct;

pub use bounds::{Bounds, bounds};
pub use chords::{Countability, UncountableCycle, choose_chords};
pub use conservation::check_conservation;
pub use error::FlowError;
pub use graph::FlowEdge;
pub use reconstruct::{reconstruct, solve};
