//! At which state of the module was identity given, and where do counters sit?

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The state of a module at which its instructions get their identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// As the front end left it, before any optimisation.
    Source,
    /// Simplified in a short time, as first code of `opcost run` is.
    Simplified,
    /// Where clang's profile passes read and write.
    Pgo,
    /// After clang's own pipeline, before code generation. The default for sources.
    Optimized,
    /// A `.bc` or `.ll` as given. The default for those.
    File,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Anchor::Source => "source",
            Anchor::Simplified => "simplified",
            Anchor::Pgo => "pgo",
            Anchor::Optimized => "optimized",
            Anchor::File => "file",
        })
    }
}

/// A name that no anchor has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no anchor is called '{0}'; there are source, simplified, pgo, optimized and file")]
pub struct UnknownAnchor(pub String);

impl FromStr for Anchor {
    type Err = UnknownAnchor;
    fn from_str(text: &str) -> Result<Self, UnknownAnchor> {
        match text {
            "source" => Ok(Anchor::Source),
            "simplified" => Ok(Anchor::Simplified),
            "pgo" => Ok(Anchor::Pgo),
            "optimized" => Ok(Anchor::Optimized),
            "file" => Ok(Anchor::File),
            other => Err(UnknownAnchor(other.to_owned())),
        }
    }
}

/// Where counters are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// On the chords of a maximum-weight spanning tree (Knuth; Ball and Larus).
    Chords,
    /// On the first instruction of every segment: slow, obviously right, the referee.
    EverySegment,
    /// As `Chords`, and besides a counter for each path through a function.
    Paths,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Placement::Chords => "chords",
            Placement::EverySegment => "every-segment",
            Placement::Paths => "paths",
        })
    }
}

/// A name that no placement has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no placement is called '{0}'; there are chords, paths and every-segment")]
pub struct UnknownPlacement(pub String);

impl FromStr for Placement {
    type Err = UnknownPlacement;
    fn from_str(text: &str) -> Result<Self, UnknownPlacement> {
        match text {
            "chords" => Ok(Placement::Chords),
            "every-segment" => Ok(Placement::EverySegment),
            "paths" => Ok(Placement::Paths),
            other => Err(UnknownPlacement(other.to_owned())),
        }
    }
}
