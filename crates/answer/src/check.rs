//! What limits of a program were recorded with: numbers mean something only there.

use serde::Deserialize;

/// What limits were recorded with; numbers mean something only there.
#[derive(Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    pub compiler: String,
    pub flags: Vec<String>,
    pub target: String,
    pub cost_model: String,
    /// Why the limits are what they are.
    #[serde(default)]
    pub reason: String,
}
