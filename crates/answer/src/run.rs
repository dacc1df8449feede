//! How a run ended, and how much its counts can be trusted.

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It exited with this status.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
}

impl Finish {
    /// Whether it ended well.
    pub fn is_success(self) -> bool {
        self == Finish::Exited(0)
    }

    /// The status a shell would show.
    pub fn shell_status(self) -> u8 {
        match self {
            Finish::Exited(status) => status as u8,
            Finish::Killed(signal) => 128u8.wrapping_add(signal as u8),
        }
    }
}

/// How good the counts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunQuality {
    /// To the digit.
    Exact,
    /// At least this much; the reasons say why not more is known.
    LowerBound(Vec<String>),
    /// About this much, by samples; what else there is to say.
    Estimate(Vec<String>),
}

impl RunQuality {
    /// Why it is not exact.
    pub fn reasons(&self) -> &[String] {
        match self {
            RunQuality::Exact => &[],
            RunQuality::LowerBound(reasons) | RunQuality::Estimate(reasons) => reasons,
        }
    }
}

/// A call stack with the samples that were taken in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallStack {
    /// Linkage names, outermost first.
    pub frames: Vec<String>,
    /// How many were taken in it.
    pub samples: u64,
}
