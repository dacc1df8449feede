//! Where do the samples of a run lie?
//!
//! Each image is read where it ran, or where a file of the same build is named; its
//! table leads addresses to segments. What lies elsewhere is told by share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::numbers::{counted, verb};
use opcost_key::{FunctionId, Hash128, ModuleMap};
use opcost_profile::formats::code::ModuleCode;
use opcost_recover::{Cycles, ModuleObservations, RECORDED, functions_at, observe, observe_runs};
use opcost_run::image::SampledImage;
use opcost_sample::{End, ImageSamples, Samples, USUAL_HERTZ};

/// Places of samples that are named.
const NAMED: usize = 4;

/// One module of the program and what was seen of it.
pub struct ObservedModule {
    /// Hash of its map.
    pub hash: Hash128,
    /// Its map.
    pub map: ModuleMap,
    /// What samples say of its segments.
    pub observed: ModuleObservations,
    /// In which threads samples of each function were.
    pub threads: BTreeMap<FunctionId, BTreeSet<u32>>,
}

/// The image at `path`, or a file of `images` that is the same build.
pub fn readable(
    path: &Path,
    build_id: Option<&[u8]>,
    images: &[PathBuf],
) -> Result<Option<SampledImage>, Failure> {
    // Another build may lie at its path by now.
    let is_it = |path: &Path| build_id.is_none() || SampledImage::build_id(path).as_deref() == build_id;
    if is_it(path)
        && let Some(image) = SampledImage::read(path)?
    {
        return Ok(Some(image));
    }
    match images.iter().find(|image| build_id.is_some() && is_it(image)) {
        Some(image) => SampledImage::read(image),
        None => Ok(None),
    }
}

/// Where samples are.
#[derive(Default)]
pub struct Placed {
    /// Modules that were built to be sampled.
    pub modules: Vec<ObservedModule>,
    /// Samples in these.
    pub own: u64,
    /// Samples of other images, by path.
    pub elsewhere: BTreeMap<String, u64>,
    /// Instructions that records of branches describe, where there are any.
    pub recorded: Option<u64>,
}

/// Samples by address, ascending, and the threads that they were in.
pub struct ImageHits<'a> {
    /// How often each address was hit.
    pub hits: &'a BTreeMap<u64, u64>,
    /// Addresses, each with a thread.
    pub threads: &'a [(u64, u32)],
}

impl Placed {
    /// Adds what samples say of a module, by time.
    pub fn add(&mut self, hash: Hash128, map: ModuleMap, code: &ModuleCode, hits: &ImageHits<'_>) {
        let observed = observe(&map, code, hits.hits, Cycles::Model);
        self.own += observed.samples();
        let threads = threads_of(&functions_at(&map, code), hits.threads);
        self.modules.push(ObservedModule { hash, map, observed, threads });
    }
}

/// What samples say of each module, by branches if these were recorded, else by time.
pub fn placed(samples: &Samples, images: &[PathBuf]) -> Result<Placed, Failure> {
    let mut placed = Placed { recorded: samples.has_runs().then_some(0), ..Placed::default() };
    for image in &samples.images {
        let own = readable(Path::new(&image.path), image.build_id.as_deref(), images)?;
        let Some(own) = own else {
            *placed.elsewhere.entry(image.path.clone()).or_default() += image.total();
            continue;
        };
        let hits: BTreeMap<u64, u64> = image.hits.iter().copied().collect();
        let runs: Vec<_> = image.runs.iter().map(|&(run, count)| ((run.first, run.last), count)).collect();
        let before = placed.own;
        for (hash, map, code) in own.modules {
            let hits = ImageHits { hits: &hits, threads: &image.threads };
            let instructions = placed.recorded.is_some().then(|| observe_runs(&map, &code, &runs));
            placed.add(hash, map, &code, &hits);
            if let (Some(recorded), Some((observed, instructions))) = (&mut placed.recorded, instructions) {
                *recorded += instructions;
                placed.modules.last_mut().expect("it was added").observed = observed;
            }
        }
        let rest = image.total().saturating_sub(placed.own - before);
        if rest > 0 {
            *placed.elsewhere.entry(format!("code of no block in {}", image.path)).or_default() += rest;
        }
    }
    Ok(placed)
}

/// In which threads each function was sampled; both lists are by address.
fn threads_of(
    code: &[(Range<u64>, FunctionId)],
    threads: &[(u64, u32)],
) -> BTreeMap<FunctionId, BTreeSet<u32>> {
    let mut all: BTreeMap<FunctionId, BTreeSet<u32>> = BTreeMap::new();
    for (address, thread) in threads {
        let behind = code.partition_point(|(range, _)| range.start <= *address);
        if let Some((_, function)) = code[..behind].last().filter(|(range, _)| range.contains(address)) {
            all.entry(*function).or_default().insert(*thread);
        }
    }
    all
}

/// Fewer samples in a program make no table. From here on the root of their number says how far chance moves it. (Twice
/// that holds 93 % of draws or more.) It says nothing of what waiting adds.
pub const LEAST_SAMPLES: u64 = 30;

/// Of a program that was hit too rarely for a report.
pub fn too_few(own: u64) -> Failure {
    Failure::Counters(format!(
        "only {} {} in the program, and below {LEAST_SAMPLES} counts are chance: let it do more work, sample it for \
         longer, or raise --rate",
        counted(own, "sample"),
        verb(own, "is", "are")
    ))
}

/// Of samples of which none is in code that was built to be sampled: why, and what to do.
/// `images` are builds that can be read, the program that was started among them.
pub fn nothing_observed(samples: &Samples, elsewhere: &BTreeMap<String, u64>, images: &[PathBuf]) -> Failure {
    if samples.total == 0 {
        let words = "no sample was taken: the program used hardly any processor time; let it do more work, or raise \
                     --rate";
        return Failure::Counters(words.to_owned());
    }
    let is_library = |image: &&ImageSamples| image.path.contains(".so");
    let hottest = samples.images.iter().filter(|image| !is_library(image)).max_by_key(|image| image.total());
    let where_else = others(samples, elsewhere).unwrap_or_else(|| "nobody knows where they are".to_owned());
    let broken = if samples.end == End::FileBrokenOff { ", and the file of samples breaks off" } else { "" };
    let total = counted(samples.total, "sample");
    let words = format!("none of {total} is in code that opcost built to be sampled{broken}: {where_else}");
    match hottest {
        Some(ImageSamples { path, .. }) => {
            Failure::Usage(format!("{words}; {path}: {}", SampledImage::why_not(Path::new(path))))
        }
        None if !images.is_empty() => Failure::Counters(format!(
            "{words}; the program did too little to be hit: let it do more work, sample it for longer, or raise --rate"
        )),
        None => Failure::Usage(format!(
            "{words}; build it with opcost sample --emit exe, and leave it where it ran, or name it: --image FILE"
        )),
    }
}

/// Where samples are that are not the program's, most first.
pub fn others(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> Option<String> {
    let mut others: Vec<(String, u64)> = elsewhere.iter().map(|(path, hits)| (path.clone(), *hits)).collect();
    others.extend(samples.homeless.iter().map(|one| {
        let path = one.path.as_ref().map_or_else(String::new, |path| format!(" ({path})"));
        (format!("{}{path}", one.reason), one.hits)
    }));
    others.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let share = |hits: u64| 100.0 * hits as f64 / samples.total.max(1) as f64;
    let named: Vec<String> =
        others.iter().take(NAMED).map(|(name, hits)| format!("{:.1} % {name}", share(*hits))).collect();
    (!named.is_empty()).then(|| named.join(" · "))
}

/// Cycles of the processor between two samples. Of `recorded` instructions it is the cycles that
/// count as one execution, for each that there was, at an instruction a cycle. How many it does at
/// a time is not known.
pub fn cycles_per_sample(samples: &Samples, recorded: Option<u64>) -> f64 {
    let between = (samples.seconds_per_sample() * hertz()).max(1.0);
    match recorded {
        None => between,
        Some(recorded) => {
            let all = between * samples.total as f64;
            RECORDED * (all / recorded.max(1) as f64).max(1.0)
        }
    }
}

/// Of the first processor, as the kernel reports.
fn hertz() -> f64 {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = processors.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(": "));
    let told = line.and_then(|(_, number)| number.trim().parse::<f64>().ok());
    told.filter(|&megahertz| megahertz > 100.0).map_or(USUAL_HERTZ, |megahertz| megahertz * 1e6)
}

#[cfg(test)]
mod tests {
    use super::LEAST_SAMPLES;

    /// How probable it is that a mean is within twice the root of what is drawn of it.
    fn held(mean: f64) -> f64 {
        let (mut probability, mut held) = ((-mean).exp(), 0.0);
        for drawn in 0..(mean as u32 * 4 + 50) {
            let drawn = f64::from(drawn);
            if (drawn - mean).abs() <= 1.96 * drawn.sqrt() {
                held += probability;
            }
            probability *= mean / (drawn + 1.0);
        }
        held
    }

    #[test]
    fn chance_is_known_from_the_least_number_on() {
        let from_least = (0..400).map(|step| LEAST_SAMPLES as f64 + f64::from(step) / 4.0);
        assert!(from_least.map(held).all(|held| held >= 0.93));
        // Not so of a handful.
        assert!(held(5.0) < 0.88 && held(1.0) < 0.65);
    }
}
