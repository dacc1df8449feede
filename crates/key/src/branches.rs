//! How often did branches go each way in an earlier run?
//!
//! Of each function that ran, by its name and the hash of its shape: so it serves a later version, too, in
//! which other functions are others. It chooses where counters go, and no count hangs on it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash::Hash128;
use crate::skeleton::BlockId;

/// How often each successor of a block was taken, by the block and the successor's position.
pub type Branches = BTreeMap<(BlockId, u32), u64>;

/// The branches of functions, by name and shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<OfFunction>", into = "Vec<OfFunction>")]
pub struct BranchCounts {
    functions: BTreeMap<(String, Hash128), Branches>,
}

/// As it is written: keys of JSON are texts.
#[derive(Clone, Serialize, Deserialize)]
struct OfFunction {
    name: String,
    shape: Hash128,
    branches: Vec<(BlockId, u32, u64)>,
}

impl BranchCounts {
    /// Adds what a body of this name and shape did. One that did nothing says nothing.
    pub fn add(
        &mut self,
        name: &str,
        shape: Hash128,
        branches: impl IntoIterator<Item = ((BlockId, u32), u64)>,
    ) {
        let mut taken = branches.into_iter().filter(|(_, count)| *count > 0).peekable();
        if taken.peek().is_none() {
            return;
        }
        let known = self.functions.entry((name.to_owned(), shape)).or_default();
        for (branch, count) in taken {
            let sum = known.entry(branch).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// The branches of a function, if it ran.
    pub fn of(&self, name: &str, shape: Hash128) -> Option<&Branches> {
        self.functions.get(&(name.to_owned(), shape))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}

impl From<Vec<OfFunction>> for BranchCounts {
    fn from(all: Vec<OfFunction>) -> BranchCounts {
        let mut counts = BranchCounts::default();
        for one in all {
            counts.add(
                &one.name,
                one.shape,
                one.branches.into_iter().map(|(block, slot, count)| ((block, slot), count)),
            );
        }
        counts
    }
}

impl From<BranchCounts> for Vec<OfFunction> {
    fn from(counts: BranchCounts) -> Vec<OfFunction> {
        let of = |((name, shape), branches): ((String, Hash128), Branches)| OfFunction {
            name,
            shape,
            branches: branches.into_iter().map(|((block, slot), count)| (block, slot, count)).collect(),
        };
        counts.functions.into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;

    use super::BranchCounts;
    use crate::hash::Hash128;
    use crate::skeleton::BlockId;

    #[test]
    fn bodies_of_one_name_and_shape_are_added() {
        let branch = |block, slot, count| ((BlockId::new(block), slot), count);
        let mut counts = BranchCounts::default();
        counts.add("f", Hash128(1), [branch(0, 0, 3), branch(0, 1, 0)]);
        counts.add("f", Hash128(1), [branch(0, 1, u64::MAX)]);
        counts.add("f", Hash128(1), [branch(0, 1, 9)]);
        counts.add("f", Hash128(2), [branch(0, 0, 0)]);
        let known = counts.of("f", Hash128(1)).expect("it ran");
        assert_eq!(known[&(BlockId::new(0), 0)], 3);
        assert_eq!(known[&(BlockId::new(0), 1)], u64::MAX, "a sum has an end");
        assert_eq!(counts.of("f", Hash128(2)), None, "it did nothing");
        let text = serde_json::to_string(&counts).expect("plain data");
        assert_eq!(serde_json::from_str::<BranchCounts>(&text).expect("its own words"), counts);
    }
}
