//! From raw files to counts: which file belongs to which map, which noted
//! frame to which call site, and how much the result can be trusted.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use opcost_key::{EdgeKind, Hash128, Meter, ModuleMap};
use opcost_profile::opcraw::{self, EndState, Flags, RawFile};
use opcost_recover::{LeftFrames, ModuleCounts, recover_module};

use super::{Finish, Image};
use crate::error::CliError;

/// How good the counts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// To the digit.
    Exact,
    /// At least this much; the reasons say why not more is known.
    LowerBound(Vec<String>),
}

/// Everything that was counted in one run.
pub(crate) struct Collected {
    /// One entry per process, image and program (`exec` makes a new one).
    pub(crate) programs: Vec<CountedProgram>,
    pub(crate) quality: Quality,
}

/// What one process counted in one image.
pub(crate) struct CountedProgram {
    pub(crate) raw: RawFile,
    /// Counts by module, with the hash of the module's map.
    pub(crate) modules: Vec<(Hash128, ModuleCounts)>,
}

/// Reads all raw files of a folder. `images` holds the maps known so far, by
/// path; images met for the first time (`exec`, `dlopen`) are added.
pub(crate) fn collect(
    folder: &Path,
    images: &mut BTreeMap<PathBuf, Image>,
    finish: Finish,
) -> Result<Collected, CliError> {
    let mut reasons = BTreeSet::new();
    let mut raws = Vec::new();
    for path in raw_files(folder)? {
        let bytes = std::fs::read(&path).map_err(CliError::file("read", &path))?;
        match RawFile::parse(&bytes) {
            Ok(raw) => raws.push(raw),
            Err(opcraw::Error::NotBegun) => {
                reasons.insert("a process was killed before it began to count".to_owned());
            }
            Err(error) => return Err(CliError::Counters(format!("{}: {error}", path.display()))),
        }
    }
    for raw in &raws {
        let path = PathBuf::from(&raw.image.path);
        if !images.contains_key(&path) {
            images.insert(path.clone(), Image::read(&path)?);
        }
        reasons.extend(doubts(raw, finish));
    }
    let mut programs = Vec::new();
    for raw in &raws {
        programs.push(count_program(raw, &raws, images, &mut reasons)?);
    }
    let quality =
        if reasons.is_empty() { Quality::Exact } else { Quality::LowerBound(reasons.into_iter().collect()) };
    Ok(Collected { programs, quality })
}

fn raw_files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(CliError::file("read", folder))? {
        let path = entry.map_err(CliError::file("read", folder))?.path();
        if path.extension().is_some_and(|extension| extension == "opcraw") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Why the counts of this file may be too low.
fn doubts(raw: &RawFile, finish: Finish) -> Vec<String> {
    let mut doubts = Vec::new();
    if raw.end == EndState::None {
        doubts.push(match finish {
            Finish::Killed(signal) => {
                format!("signal {signal} ended process {} without notice", raw.process.pid)
            }
            Finish::Exited(_) => {
                format!("process {} was still running, or ended without notice", raw.process.pid)
            }
        });
    }
    let harmless = Flags(Flags::PRIVATE.0 | Flags::THREADS_SEEN.0);
    let grave = Flags(raw.flags.0 & !harmless.0);
    doubts.extend(grave.meanings().map(str::to_owned));
    doubts
}

fn count_program(
    raw: &RawFile,
    all: &[RawFile],
    images: &BTreeMap<PathBuf, Image>,
    reasons: &mut BTreeSet<String>,
) -> Result<CountedProgram, CliError> {
    let image = &images[Path::new(&raw.image.path)];
    let maps: HashMap<Hash128, &ModuleMap> = image.maps.iter().map(|(hash, map)| (*hash, map)).collect();
    let left = left_frames(raw, all, images, reasons);
    let none = LeftFrames::new();
    let mut modules = Vec::new();
    for module in &raw.modules {
        let map = maps.get(&module.map_hash).ok_or_else(|| {
            CliError::Counters(format!(
                "{} counted a module whose map ({}) it does not carry; it was rebuilt or stripped meanwhile: \
                 build it again and do not strip it",
                raw.image.path, module.map_hash
            ))
        })?;
        let counts = recover_module(map, &module.counts, left.get(&module.map_hash).unwrap_or(&none))
            .map_err(|error| CliError::Counters(error.to_string()))?;
        modules.push((module.map_hash, counts));
    }
    Ok(CountedProgram { raw: raw.clone(), modules })
}

/// The frames left in this image, by module and call site. A frame may have
/// been noted by another image of the same process.
fn left_frames(
    raw: &RawFile,
    all: &[RawFile],
    images: &BTreeMap<PathBuf, Image>,
    reasons: &mut BTreeSet<String>,
) -> HashMap<Hash128, LeftFrames> {
    let image = &images[Path::new(&raw.image.path)];
    let maps: HashMap<Hash128, &ModuleMap> = image.maps.iter().map(|(hash, map)| (*hash, map)).collect();
    let mut left: HashMap<Hash128, LeftFrames> = HashMap::new();
    let same_process = all.iter().filter(|other| {
        other.process.pid == raw.process.pid && other.process.program_start_ns == raw.process.program_start_ns
    });
    for frame in same_process.flat_map(|other| &other.left) {
        if frame.pc < raw.image.start || frame.pc >= raw.image.end {
            continue;
        }
        let address = raw.image.address_in_file(frame.pc);
        match image.calls.get(&address) {
            Some((_, None)) => {}
            Some((hash, Some(site))) => {
                // A site whose edge is not metered by left frames was noted for
                // nothing: a call that never returns, or one that is a jump.
                let map = maps[hash];
                let (function, edge) = map.call_sites[*site];
                let edge = &map.functions[function].edges[edge];
                if edge.meter == Meter::LeftFrames && edge.kind == EdgeKind::Left(*site) {
                    *left.entry(*hash).or_default().entry(*site).or_default() += frame.count;
                }
            }
            None => reasons.extend(unexpected(image, address)),
        }
    }
    left
}

/// A frame of a counted function that was left where the map knows no way out.
fn unexpected(image: &Image, address: u64) -> Option<String> {
    let name = image.symbol_at(address.checked_sub(1)?)?;
    let is_counted = image.maps.iter().flat_map(|(_, map)| map.functions.values()).any(|function| {
        function.name == name && !function.segments.is_empty() && function.segment_counters.is_none()
    });
    is_counted.then(|| format!("a frame of {name} was left during a call that was proven to return"))
}
