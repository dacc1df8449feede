//! Which functions were hit, and in which version?

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use opcost_answer::Failure;
use opcost_recover::functions_at;
use opcost_run::image::SampledImage;
use opcost_runtime::live::SUFFIX;
use opcost_sample::Samples;
use opcost_toolchain::build::LiveModule;

/// A function, by its module and its number there.
pub(super) type FunctionKey = (usize, usize);

/// Code of a program.
pub(super) struct CodeRanges {
    program: String,
    beside: String,
    first: Vec<(Range<u64>, FunctionKey)>,
    /// By where they begin; the number of the version.
    later: BTreeMap<u64, (u64, usize)>,
}

/// Samples by function of first versions, and by version of later ones.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub first: BTreeMap<FunctionKey, u64>,
    pub later: BTreeMap<usize, u64>,
}

impl CodeRanges {
    /// Those of first versions.
    pub(super) fn of(program: &Path, modules: &[LiveModule]) -> Result<CodeRanges, Failure> {
        let mut first = Vec::new();
        let image = SampledImage::read(program)?;
        for (_, map, code) in image.iter().flat_map(|image| &image.modules) {
            let Some(number) = modules.iter().position(|module| module.name == map.module) else { continue };
            let names: BTreeMap<&str, usize> = modules[number]
                .functions
                .iter()
                .enumerate()
                .map(|(at, one)| (one.name.as_str(), at))
                .collect();
            for (range, function) in functions_at(map, code) {
                if let Some(&at) = names.get(map.functions[function].name.as_str()) {
                    first.push((range, (number, at)));
                }
            }
        }
        first.sort_by_key(|(range, _)| range.start);
        let program = program.canonicalize().map_err(Failure::file("find", program))?;
        let program = program.to_string_lossy().into_owned();
        Ok(CodeRanges { beside: format!("{program}{SUFFIX}"), program, first, later: BTreeMap::new() })
    }

    /// Adds code of a version.
    pub(super) fn add(&mut self, code: Range<u64>, version: usize) {
        self.later.insert(code.start, (code.end, version));
    }

    /// Samples so far.
    pub(super) fn hits(&self, samples: &Samples) -> Hits {
        let mut hits = Hits::default();
        for &(address, count) in samples.image(&self.program).iter().flat_map(|image| &image.hits) {
            let behind = self.first.partition_point(|(range, _)| range.start <= address);
            if let Some((_, key)) = self.first[..behind].last().filter(|(range, _)| range.contains(&address))
            {
                *hits.first.entry(*key).or_default() += count;
            }
        }
        for &(address, count) in samples.image(&self.beside).iter().flat_map(|image| &image.hits) {
            if let Some((_, &(end, version))) = self.later.range(..=address).next_back()
                && address < end
            {
                *hits.later.entry(version).or_default() += count;
            }
        }
        hits
    }
}
