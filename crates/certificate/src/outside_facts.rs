//! What does whoever checks know of the module from elsewhere, and not from the certificate?

use std::collections::{HashMap, HashSet};

use opcost_key::{FunctionId, InstructionId};

use crate::range::RangeClaim;

/// What the one who checks knows of the module from elsewhere, and not from the certificate.
#[derive(Clone, Debug, Default)]
pub struct OutsideFacts {
    /// What a call of a library function gives.
    pub results: HashMap<(FunctionId, InstructionId), RangeClaim>,
    /// Locals of which nothing is read before it is written.
    pub written_first: HashSet<(FunctionId, InstructionId)>,
    /// Calls that give memory that holds zeros.
    pub zeroed: HashSet<(FunctionId, InstructionId)>,
}
