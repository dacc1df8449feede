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

/// With this the reason begins why the count of a run is of the counted program alone.
pub const READS_ITSELF: &str = "counted code reads its own program";

/// How good the counts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunQuality {
    /// To the digit.
    Exact,
    /// At least this much; the reasons say why not more is known.
    LowerBound(Vec<String>),
    /// About this much: by samples, or by a run of a program that reads itself ([`READS_ITSELF`]); what
    /// else there is to say.
    Estimate(Vec<String>),
}

impl RunQuality {
    /// In a word or two.
    pub fn words(&self) -> &'static str {
        match self {
            RunQuality::Exact => "exact",
            RunQuality::LowerBound(_) => "at least",
            RunQuality::Estimate(_) if self.is_of_run() => "about",
            RunQuality::Estimate(_) => "about, by samples",
        }
    }

    /// Whether it is an estimate by a run, whose program reads itself.
    pub fn is_of_run(&self) -> bool {
        matches!(self, RunQuality::Estimate(words) if words.iter().any(|word| word.starts_with(READS_ITSELF)))
    }

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
