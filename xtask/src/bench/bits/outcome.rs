//! What is known of one program's values, from all sides together.
//!
//! The bench gathers it, and page, sums and lists of contradictions read it; so it lies
//! below them all and computes nothing.

use super::modules::World;
use super::observed::Observed;
use super::own::{Certified, Own};
use super::peer::Row;
use crate::bench::timed::Taken;

/// One value.
pub(super) struct Value {
    pub(super) row: Row,
    /// What was seen of it, if it was ever computed.
    pub(super) observed: Option<Observed>,
    /// What opcost says of it with a certificate: what a checker believes.
    pub(super) own: Option<Own>,
    /// What it says without.
    pub(super) uncertified: Option<Own>,
}

/// One program in one world.
pub(super) struct Outcome {
    pub(super) set: &'static str,
    pub(super) name: String,
    pub(super) world: World,
    pub(super) values: Vec<Value>,
    /// What opcost took.
    pub(super) taken: Taken,
    pub(super) certificate: Certified,
}

impl Outcome {
    /// Its name in a table: a twin has its program's.
    pub(super) fn title(&self) -> String {
        if self.set == "programs" { self.name.clone() } else { format!("{}/{}", self.set, self.name) }
    }
}
