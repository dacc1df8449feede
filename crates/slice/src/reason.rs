//! Why does an instruction stay? A link to what needs it, and so a chain.

use opcost_analysis::memory::calls::CallSite;

use crate::marks::LoopNumber;
use crate::site::SliceSite;

/// Why an instruction stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Because {
    /// How.
    pub how: How,
    /// What needs it; none at the end of the chain.
    pub of: Option<SliceSite>,
}

/// In which way an instruction is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It decides when this loop is entered or goes round.
    Loop(LoopNumber),
    /// It is on the line that was asked for.
    Line,
    /// It calls a function of the program.
    Call,
    /// It calls a function whose entries are counted, as nothing else says how many there are.
    Counted,
    /// It calls what is outside of the program, and that may do more than compute.
    Library,
    /// It calls what is outside of the program, and nothing says what that does.
    Unknown,
    /// It is `volatile` or atomic.
    Observed,
    /// It is part of an exception's way.
    Exception,
    /// It decides the exit status.
    Status,
    /// It is on a cycle with several entries.
    Cycle,
    /// The whole control flow was asked for.
    Level,
    /// It decides whether that runs.
    Decides,
    /// That uses its result.
    Operand,
    /// It writes where that reads.
    Writes,
    /// It passes an argument that decides that.
    Argument,
    /// Its value is returned to that.
    Returned,
    /// It frees what that allocates, or shares a state of the library with it.
    Shared,
}

impl Because {
    /// The end of a chain.
    pub(crate) fn root(how: How) -> Because {
        Because { how, of: None }
    }

    /// A link of a chain.
    pub(crate) fn of(how: How, of: SliceSite) -> Because {
        Because { how, of: Some(of) }
    }
}

impl From<CallSite> for SliceSite {
    fn from(call: CallSite) -> SliceSite {
        SliceSite { function: call.function, instruction: call.call }
    }
}
