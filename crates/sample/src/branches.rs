//! Which code ran in a row, as the processor's own records of branches say?
//!
//! Some processors keep the last branches that were taken (LBR, 8 to 32 of them), and the
//! kernel puts them into each sample, the newest first. Between the target of one and the
//! source of the next no branch was taken: all instructions there ran, once each, one after
//! the other. So a sample tells of some dozens of such *runs*, and these say how often code
//! ran and not how long it took.
//!
//! Source: `struct perf_branch_entry` in `include/uapi/linux/perf_event.h`; Chen et al.,
//! "AutoFDO" (2016), section 4. What leads in from the kernel or out to it has no address
//! there, so a run on that side is not known. Cost: linear in records.

/// A branch that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The instruction.
    pub from: u64,
    /// Where it led.
    pub to: u64,
}

/// Instructions that ran one after the other, from the first to the last, a branch that
/// was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchRun {
    /// Address of the first instruction.
    pub first: u64,
    /// Address of the last one.
    pub last: u64,
}

/// Longer ones are no runs: records between them were lost.
const LONGEST: u64 = 1 << 16;

/// The runs between branches, the newest first; `None` where two do not belong together.
pub(crate) fn runs(branches: &[Branch]) -> impl Iterator<Item = Option<BranchRun>> {
    let is_known = |branch: &&Branch| branch.from != 0 && branch.to != 0;
    let known = branches.iter().take_while(is_known).count();
    branches[..known].array_windows().map(|&[newer, older]| {
        let run = BranchRun { first: older.to, last: newer.from };
        (run.first <= run.last && run.last - run.first <= LONGEST).then_some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_stands_between_two_branches() {
        let branch = |from, to| Branch { from, to };
        // A loop of 0x10 to 0x1c went round twice, and was left for 0x40.
        let all = [branch(0x1c, 0x40), branch(0x1c, 0x10), branch(0x1c, 0x10), branch(0x8, 0x10)];
        let run = Some(BranchRun { first: 0x10, last: 0x1c });
        assert_eq!(runs(&all).collect::<Vec<_>>(), [run; 3]);
        // Backwards without a branch, or far too long: something is missing.
        let torn = [branch(0x1c, 0x40), branch(0x8, 0x20), branch(0x4, 0x8), branch(1 << 20, 2)];
        let found: Vec<_> = runs(&torn).collect();
        assert_eq!(
            found,
            [None, Some(BranchRun { first: 8, last: 8 }), Some(BranchRun { first: 2, last: 4 })]
        );
        let far = [branch(2 << 20, 0x40), branch(0x8, 0x10)];
        assert_eq!(runs(&far).collect::<Vec<_>>(), [None]);
        // The kernel leaves what it does not tell empty.
        let ended = [branch(0x1c, 0x40), branch(0, 0), branch(0x8, 0x10)];
        assert_eq!(runs(&ended).count(), 0);
        assert_eq!(runs(&[]).count() + runs(&all[..1]).count(), 0);
    }
}
