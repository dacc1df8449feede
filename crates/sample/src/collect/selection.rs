//! Which processes are of the program that is asked for?
//!
//! A file of samples may be of a whole machine, and of other builds. A process is one of the
//! program while the program's file is mapped in it: from the mapping to the next `exec`, with
//! all that it forks. The file is known by its build-id where what was mapped has one, else by
//! its number if it was not changed since (as in [`crate::image`]).
//!
//! Output: whether a sample is taken; how many were left out, of how many processes, and in
//! which files. Without a selection all are taken. Cost: two look-ups for each sample.
//!
//! Limit: what a process does between `fork` or `exec` and the mapping is left out, too.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::time::SystemTime;

use crate::decode::FileMark;
use crate::image::{Image, ImageFile};
use crate::samples::LeftOut;

/// Processes of a program, at a moment; `H` says where a sample is.
pub(super) struct Selection<H> {
    programs: Vec<ImageFile>,
    until: SystemTime,
    members: HashSet<u32>,
    /// How often a process became one of the program.
    begun: u64,
    others: HashSet<u32>,
    left_out: u64,
    left_out_in: HashMap<H, u64>,
}

impl<H: Copy + Ord + Hash> Selection<H> {
    /// Of files that are the program, as they were until then.
    pub(super) fn of(programs: Vec<ImageFile>, until: SystemTime) -> Self {
        Selection {
            programs,
            until,
            members: HashSet::new(),
            begun: 0,
            others: HashSet::new(),
            left_out: 0,
            left_out_in: HashMap::new(),
        }
    }

    /// A process maps a file of this mark, which was found to be `image`.
    pub(super) fn map(&mut self, pid: u32, mark: &FileMark, image: Option<&Image>) {
        let is_same = |program: &ImageFile| {
            program.compare(mark, self.until).is_ok() || image.is_some_and(|image| program.is_build_of(image))
        };
        if self.programs.iter().any(is_same) {
            self.enter(pid);
        }
    }

    /// A process is born.
    pub(super) fn fork(&mut self, pid: u32, parent: u32) {
        self.members.remove(&pid);
        if self.members.contains(&parent) {
            self.enter(pid);
        }
    }

    /// A process becomes another program.
    pub(super) fn exec(&mut self, pid: u32) {
        self.members.remove(&pid);
    }

    fn enter(&mut self, pid: u32) {
        self.begun += u64::from(self.members.insert(pid));
    }

    /// Whether a sample is one of the program's; else it is left out.
    pub(super) fn takes(&mut self, pid: u32, home: H) -> bool {
        if self.members.contains(&pid) {
            return true;
        }
        self.left_out += 1;
        self.others.insert(pid);
        *self.left_out_in.entry(home).or_default() += 1;
        false
    }

    /// How many processes there were of the program.
    pub(super) fn processes(&self) -> u64 {
        self.begun
    }

    /// What was left out.
    pub(super) fn left_out(&self) -> LeftOut {
        LeftOut { samples: self.left_out, processes: self.others.len() as u64 }
    }

    /// Where the samples are that were left out, most first.
    pub(super) fn left_out_in(&self) -> Vec<H> {
        let mut ordered: Vec<(H, u64)> = self.left_out_in.iter().map(|(home, hits)| (*home, *hits)).collect();
        ordered.sort_by_key(|(home, hits)| (std::cmp::Reverse(*hits), *home));
        ordered.into_iter().map(|(home, _)| home).collect()
    }
}
