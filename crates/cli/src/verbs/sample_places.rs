//! Where do the samples of a run lie, and what is there to say of them?
//!
//! Each image is read where it ran, or where a file of the same build is named; its
//! table leads addresses to segments. What lies elsewhere is told by share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_key::{Hash128, ModuleMap};
use opcost_recover::{Cycles, ModuleObservations, Repaired, observe};
use opcost_sample::{End, ImageSamples, Samples, USUAL_HERTZ};

use crate::error::CliError;
use crate::report::grouped;
use crate::run::SampledImage;

/// Places of samples that are named.
const NAMED: usize = 4;

/// One module of the program and what was seen of it.
pub(super) struct Seen {
    pub(super) hash: Hash128,
    pub(super) map: ModuleMap,
    pub(super) observed: ModuleObservations,
}

/// The image at `path`, or a file of `images` that is the same build.
pub(super) fn readable(
    path: &Path,
    build_id: Option<&[u8]>,
    images: &[PathBuf],
) -> Result<Option<SampledImage>, CliError> {
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

/// Modules that were built to be sampled, and hits of other images by path.
pub(super) fn placed(
    samples: &Samples,
    images: &[PathBuf],
) -> Result<(Vec<Seen>, BTreeMap<String, u64>), CliError> {
    let (mut seen, mut elsewhere) = (Vec::new(), BTreeMap::new());
    for image in &samples.images {
        let own = readable(Path::new(&image.path), image.build_id.as_deref(), images)?;
        let Some(own) = own else {
            *elsewhere.entry(image.path.clone()).or_default() += image.total();
            continue;
        };
        let hits: BTreeMap<u64, u64> = image.hits.iter().copied().collect();
        let mut rest = image.total();
        for (hash, map, code) in own.modules {
            let observed = observe(&map, &code, &hits, Cycles::Model);
            rest = rest.saturating_sub(observed.samples());
            seen.push(Seen { hash, map, observed });
        }
        if rest > 0 {
            *elsewhere.entry(format!("code of no block in {}", image.path)).or_default() += rest;
        }
    }
    Ok((seen, elsewhere))
}

pub(super) fn nothing_seen(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> CliError {
    CliError::Counters(match samples.total {
        0 => "no sample was taken: the program used hardly any processor time; let it do more work, or raise --rate"
            .to_owned(),
        total => format!(
            "none of {} samples lies in code that opcost built to be sampled{}: {}; {}",
            grouped(total),
            if samples.end == End::FileBrokenOff { ", and the file of samples breaks off" } else { "" },
            others(samples, elsewhere).unwrap_or_else(|| "nobody knows where they are".to_owned()),
            remedy(samples)
        ),
    })
}

/// What is wrong with the program that was hit most, if one was.
fn remedy(samples: &Samples) -> String {
    let is_library = |image: &&ImageSamples| image.path.contains(".so");
    let hottest = samples.images.iter().filter(|image| !is_library(image)).max_by_key(|image| image.total());
    match hottest {
        Some(ImageSamples { path, .. }) => format!("{path}: {}", SampledImage::why_not(Path::new(path))),
        None => {
            "build it with opcost sample --emit exe, and let it lie where it ran, or name it: --image FILE"
                .to_owned()
        }
    }
}

/// Where samples are that are not the program's, most first.
pub(super) fn others(samples: &Samples, elsewhere: &BTreeMap<String, u64>) -> Option<String> {
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

/// What there is to say of the samples, in lines.
pub(super) fn words(
    samples: &Samples,
    own: u64,
    elsewhere: &BTreeMap<String, u64>,
    repaired: &Repaired,
) -> Vec<String> {
    let mut lines = Vec::new();
    let percent = |part: u64| format!("{:.1} %", 100.0 * part as f64 / samples.total.max(1) as f64);
    let rate = samples.rate_reached().map_or_else(String::new, |rate| format!(" at {rate:.0} a second"));
    let expected = 100.0 / (own.max(1) as f64).sqrt();
    lines.push(format!(
        "{} samples of {}{rate}, {} of them in the program; by chance alone its total is wrong by {expected:.1} %",
        grouped(samples.total),
        samples.event,
        percent(own)
    ));
    lines.extend(others(samples, elsewhere).map(|places| format!("elsewhere: {places}")));
    if samples.lost + samples.broken > 0 {
        lines.push(format!("lost: {} samples found no room", grouped(samples.lost + samples.broken)));
    }
    if let Some(reason) = &samples.not_kept {
        lines.push(format!("not all samples were kept: {reason}"));
    }
    if samples.throttled > 0 {
        lines.push(format!("the kernel paused {} times: the rate is too high", grouped(samples.throttled)));
    }
    if samples.end == End::FileBrokenOff {
        lines.push("the file of samples breaks off; what stands before is told".to_owned());
    }
    let of_entries = |part: u128| 100.0 * part as f64 / repaired.entries.max(1) as f64;
    lines.push(format!(
        "repaired: {:.1} % of all calls go through pointers or come from elsewhere, {:.1} % do not return{}",
        of_entries(repaired.from_outside),
        of_entries(repaired.left),
        if repaired.is_optimal { "" } else { " (not the likeliest: the solver's steps were used up)" }
    ));
    if let (known, untied @ 1..) = repaired.loops {
        lines.push(format!(
            "{untied} of {known} loops do not turn as often as their code says, if samples are believed"
        ));
    }
    lines
}

/// Cycles of the processor between two samples.
pub(super) fn cycles_per_sample(samples: &Samples) -> f64 {
    (samples.seconds_per_sample() * hertz()).max(1.0)
}

/// Of the first processor, as the kernel tells.
fn hertz() -> f64 {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = processors.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(": "));
    let told = line.and_then(|(_, number)| number.trim().parse::<f64>().ok());
    told.filter(|&megahertz| megahertz > 100.0).map_or(USUAL_HERTZ, |megahertz| megahertz * 1e6)
}
