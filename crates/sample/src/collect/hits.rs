//! What was hit so far?
//!
//! Hits are told by files, not by mappings: one file that was seen under two marks is one
//! image, and what is told of it does not depend on the order in which it was mapped.
//!
//! Output: [`Hits`], sorted. Cost: that of sorting what was hit.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use opcost_index::{Id, IdMap};

use super::{Collector, Home, ImageId, MappedImage, NowhereId};
use crate::LostReason;
use crate::branches::BranchRun;
use crate::decode::FileMark;
use crate::samples::{CallFrame, Homeless, ImageSamples, MappedFile, ProcessSamples, Stack};

/// The part of the result that comes from records.
pub(crate) struct Hits {
    pub(crate) images: Vec<ImageSamples>,
    pub(crate) mapped: Vec<MappedFile>,
    pub(crate) homeless: Vec<Homeless>,
    pub(crate) stacks: Vec<Stack>,
    pub(crate) by_process: Vec<ProcessSamples>,
}

/// Path and build-id of an image.
type Name<'a> = (&'a str, Option<&'a [u8]>);

/// What was seen of an image under all its marks.
#[derive(Default)]
struct Merged {
    hits: BTreeMap<u64, u64>,
    threads: BTreeSet<(u64, u32)>,
    runs: BTreeMap<BranchRun, u64>,
}

impl MappedImage {
    fn name(&self) -> Name<'_> {
        (&self.path, self.image.build_id.as_deref())
    }
}

impl Collector {
    /// What was hit so far, in a fixed order. One file that was seen under
    /// two marks is one image.
    pub(crate) fn hits(&self) -> Hits {
        let with_stacks = !self.stacks.is_empty();
        let is_hit = |known: &&MappedImage| with_stacks || !known.hits.is_empty() || !known.runs.is_empty();
        let mut merged: BTreeMap<Name<'_>, Merged> = BTreeMap::new();
        for known in self.images.values().filter(is_hit) {
            let Merged { hits, threads, runs } = merged.entry(known.name()).or_default();
            known.hits.iter().for_each(|(address, count)| *hits.entry(*address).or_default() += count);
            threads.extend(known.threads.iter().map(|(address, thread)| (*address, thread.index() as u32)));
            known.runs.iter().for_each(|(run, count)| *runs.entry(*run).or_default() += count);
        }
        let names: Vec<Name<'_>> = merged.keys().copied().collect();
        let position = |known: &MappedImage| names.binary_search(&known.name()).ok();
        let stacks = self.stacks(&IdMap::from_vec(self.images.values().map(position).collect()));
        let image = |(name, seen): (Name<'_>, Merged)| ImageSamples {
            path: name.0.to_owned(),
            build_id: name.1.map(<[u8]>::to_vec),
            hits: seen.hits.into_iter().collect(),
            threads: seen.threads.into_iter().collect(),
            runs: seen.runs.into_iter().collect(),
        };
        let images = merged.into_iter().map(image).collect();
        let (homeless, by_process) = (self.homeless(), self.tasks.samples());
        Hits { images, mapped: self.mapped(), homeless, stacks, by_process }
    }

    /// Every file that was mapped, by path.
    fn mapped(&self) -> Vec<MappedFile> {
        let file = |((path, mark), home): (&(String, FileMark), &Home)| MappedFile {
            path: path.clone(),
            build_id: match (mark, home) {
                (FileMark::BuildId(ran), _) => Some(ran.clone()),
                (_, Home::Image(image)) => self.images[*image].image.build_id.clone(),
                (_, Home::Nowhere(_)) => None,
            },
        };
        let mut mapped: Vec<MappedFile> = self.opened.iter().map(file).collect();
        mapped.sort();
        mapped.dedup();
        mapped
    }

    fn homeless(&self) -> Vec<Homeless> {
        let homeless = |((reason, path), id): (&(LostReason, Option<String>), &NowhereId)| Homeless {
            reason: reason.clone(),
            path: path.clone(),
            hits: self.nowhere[*id],
        };
        let mut all: Vec<Homeless> = self.reasons.iter().map(homeless).collect();
        all.retain(|homeless| homeless.hits > 0);
        all.sort_by(|a, b| (&a.reason, &a.path).cmp(&(&b.reason, &b.path)));
        all
    }

    fn stacks(&self, positions: &IdMap<ImageId, Option<usize>>) -> Vec<Stack> {
        let frame = |frame: &Option<(ImageId, u64)>| -> CallFrame {
            frame.and_then(|(image, address)| positions[image].map(|image| (image, address)))
        };
        let mut merged: HashMap<Vec<CallFrame>, u64> = HashMap::new();
        self.stacks.iter().for_each(|(frames, hits)| {
            *merged.entry(frames.iter().map(frame).collect()).or_default() += hits;
        });
        let mut stacks: Vec<Stack> =
            merged.into_iter().map(|(frames, hits)| Stack { frames, hits }).collect();
        stacks.sort_by(|a, b| b.hits.cmp(&a.hits).then_with(|| a.frames.cmp(&b.frames)));
        stacks
    }
}
