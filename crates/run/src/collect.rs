//! From raw files to counts: which file belongs to which map, which noted
//! frame to which call site, and how much the result can be trusted.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use opcost_key::{EdgeKind, Hash128, Meter, ModuleMap};
use opcost_profile::opcraw::{self, EndState, RawFile, RawFlags};
use opcost_recover::{
    LeftFrames, LostLoop, ModuleCounts, Vanished, may_have_vanished, recover_module, recover_open_module,
    vanished_frames,
};

use opcost_answer::names::{shown_name, tidy_path};
use opcost_answer::run::{Finish, RunQuality};

use crate::image::Image;
use crate::itself::{CountedImage, reads_itself};
use opcost_answer::Failure;

/// Everything that was counted in one run.
pub struct Collected {
    /// One entry per process, image and program (`exec` makes a new one).
    pub programs: Vec<CountedProgram>,
    /// Whether all counts are exact, or why they may be too low.
    pub quality: RunQuality,
}

/// What one process counted in one image.
pub struct CountedProgram {
    /// The file of raw counters that it left.
    pub raw: RawFile,
    /// Counts by module, with the hash of the module's map.
    pub modules: Vec<(Hash128, ModuleCounts)>,
    /// Whether returns after tail calls are counted that may not have happened.
    pub has_doubtful_returns: bool,
}

/// Reads all raw files of a folder. `images` holds the maps known so far, by
/// path; images met for the first time (`exec`, `dlopen`) are added.
pub fn collect(
    folder: &Path,
    images: &mut BTreeMap<PathBuf, Image>,
    finish: Finish,
) -> Result<Collected, Failure> {
    let mut reasons = BTreeSet::new();
    let mut raws = Vec::new();
    for path in raw_files(folder)? {
        let bytes = std::fs::read(&path).map_err(Failure::file("read", &path))?;
        match RawFile::parse(&bytes) {
            Ok(raw) => raws.push(raw),
            Err(opcraw::Error::NotBegun) => {
                reasons.insert("a process was killed before it began to count".to_owned());
            }
            Err(error) => return Err(Failure::Counters(format!("{}: {error}", path.display()))),
        }
    }
    for raw in &raws {
        let path = PathBuf::from(&raw.image.path);
        if !images.contains_key(&path) {
            images.insert(path.clone(), Image::read(&path)?);
        }
    }
    let mut programs = Vec::new();
    // What the open frames can hide, while that is bounded.
    let mut missing = Some(0);
    for raw in &raws {
        let image = &images[Path::new(&raw.image.path)];
        refuse_mixed_counters(raw)?;
        let doubts = doubts(raw, image, finish);
        let counted = count_program(raw, &raws, images, &doubts)?;
        missing = missing.zip(counted.missing).map(|(a, b)| a + b);
        reasons.extend(doubts);
        reasons.extend(counted.surprises);
        programs.push(counted.program);
    }
    if let Some(returns) = doubt_returns(&mut programs, images) {
        reasons.insert(
            "frames were left where a tail call may have taken others away: what comes after such calls is \
             not counted"
                .to_owned(),
        );
        missing = missing.map(|most| most + returns);
    }
    match missing {
        Some(0) => {}
        Some(most) => _ = reasons.insert(format!("at most {most} more instructions could have run")),
        None => _ = reasons.insert("any number of further instructions could have run".to_owned()),
    }
    let reasons: Vec<String> = reasons.into_iter().collect();
    let counted = programs
        .iter()
        .map(|program| CountedImage { path: Path::new(&program.raw.image.path), modules: &program.modules });
    let quality = match reads_itself(&counted.collect::<Vec<_>>(), images) {
        Some(why) => RunQuality::Estimate([vec![why], reasons].concat()),
        None if reasons.is_empty() => RunQuality::Exact,
        None => RunQuality::LowerBound(reasons),
    };
    Ok(Collected { programs, quality })
}

/// Marks the processes in which returns after tail calls may not have happened, and adds up how
/// many instructions that is.
fn doubt_returns(programs: &mut [CountedProgram], images: &BTreeMap<PathBuf, Image>) -> Option<u128> {
    let process = |it: &CountedProgram| (it.raw.process.pid, it.raw.process.program_start_ns);
    let mut sum = None;
    for one in programs.iter().map(process).collect::<BTreeSet<_>>() {
        let own = || programs.iter().filter(|it| process(it) == one);
        let modules: Vec<(&ModuleMap, &ModuleCounts)> = own()
            .flat_map(|it| {
                let maps = &images[Path::new(&it.raw.image.path)].maps;
                let map = |hash| maps.iter().find(|(other, _)| other == hash).map(|(_, map)| map);
                it.modules.iter().filter_map(move |(hash, counts)| Some((map(hash)?, counts)))
            })
            .collect();
        let Some(returns) = may_have_vanished(&modules) else { continue };
        *sum.get_or_insert(0) += returns;
        programs.iter_mut().filter(|it| process(it) == one).for_each(|it| it.has_doubtful_returns = true);
    }
    sum
}

fn raw_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::file("read", folder))? {
        let path = entry.map_err(Failure::file("read", folder))?.path();
        if path.extension().is_some_and(|extension| extension == "opcraw") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Increments of several threads on one counter get lost, and a child that
/// counts with its parent returns from frames that it never entered. What
/// follows from such counters by conservation may even be too high.
fn refuse_mixed_counters(raw: &RawFile) -> Result<(), Failure> {
    let said = if raw.flags.contains(RawFlags::THREADS_SHARED) {
        "ran several threads, but was built to count one, so counts were lost; build it with --threads \
         (opcost cc: OPCOST_THREADS=1)"
    } else if raw.flags.contains(RawFlags::SLAB_LOST) {
        "started a thread that found no room for counters of its own, so counts were lost; make room where TMPDIR \
         leads and run it again"
    } else if raw.flags.contains(RawFlags::CLONED) {
        "made a child without fork, which counted into its parent's counters; make children by fork"
    } else {
        return Ok(());
    };
    Err(Failure::Counters(format!("{} {said}", raw.image.path)))
}

/// Why the counts of this file may be too low.
fn doubts(raw: &RawFile, image: &Image, finish: Finish) -> Vec<String> {
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
    let mut harmless = RawFlags::PRIVATE.0 | RawFlags::THREADS_SEEN.0;
    if image.counts_every_segment() {
        // Where nothing follows from frames, no frame can be missing.
        harmless |= RawFlags::UNSETTLED_JUMP.0 | RawFlags::LEFT_OVERFLOW.0 | RawFlags::CONTEXT_SWITCHED.0;
    }
    let grave = RawFlags(raw.flags.0 & !harmless);
    doubts.extend(grave.meanings().map(str::to_owned));
    doubts
}

/// The counts of one file and how good they are.
struct Counting {
    program: CountedProgram,
    /// What can have run besides; `None`: no bound is known.
    missing: Option<u128>,
    /// Frames that were left where none should be.
    surprises: Vec<String>,
}

fn count_program(
    raw: &RawFile,
    all: &[RawFile],
    images: &BTreeMap<PathBuf, Image>,
    doubts: &[String],
) -> Result<Counting, Failure> {
    let image = &images[Path::new(&raw.image.path)];
    let maps: HashMap<Hash128, &ModuleMap> = image.maps.iter().map(|(hash, map)| (*hash, map)).collect();
    let mut surprises = Vec::new();
    let left = left_frames(raw, all, images, &mut surprises);
    let none = LeftFrames::new();
    for module in &raw.modules {
        let left = left.get(&module.map_hash).unwrap_or(&none);
        if let (true, Some(map)) = (doubts.is_empty(), maps.get(&module.map_hash)) {
            let vanished = vanished_frames(map, &module.counts, left)
                .map_err(|error| Failure::Counters(error.to_string()))?;
            surprises.extend(vanished.iter().map(vanished_sentence));
        }
    }
    let is_closed = doubts.is_empty() && surprises.is_empty();
    let mut modules = Vec::new();
    let mut missing = Some(0);
    let mut lost = Vec::new();
    for module in &raw.modules {
        let map = maps.get(&module.map_hash).ok_or_else(|| {
            Failure::Counters(format!(
                "{} counted a module whose map ({}) it does not carry; it was rebuilt or stripped meanwhile: \
                 build it again and do not strip it",
                raw.image.path, module.map_hash
            ))
        })?;
        let left = left.get(&module.map_hash).unwrap_or(&none);
        let broken = |error: opcost_recover::RecoverError| Failure::Counters(error.to_string());
        let counts = if is_closed {
            recover_module(map, &module.counts, left).map_err(broken)?
        } else {
            let open = recover_open_module(map, &module.counts, left).map_err(broken)?;
            missing = missing.zip(open.missing).map(|(a, b)| a + b);
            lost.extend(open.lost);
            open.at_least
        };
        modules.push((module.map_hash, counts));
    }
    surprises.extend(lost_sentence(&lost));
    Ok(Counting {
        program: CountedProgram { raw: raw.clone(), modules, has_doubtful_returns: false },
        missing,
        surprises,
    })
}

/// How many loops are named.
const NAMED_LOOPS: usize = 3;

/// Which counts may not have been in memory when the program ended. Loops of functions that were surely open go
/// before others, and those of which nothing is in memory.
fn lost_sentence(lost: &[LostLoop]) -> Option<String> {
    let of = |one: &LostLoop| match &one.at {
        Some(at) => format!("{}:{} in {}", tidy_path(&at.file), at.line, shown_name(&one.function)),
        None => format!("one in {}", shown_name(&one.function)),
    };
    let mut ranked: Vec<(bool, bool, String)> =
        lost.iter().map(|one| (!one.is_open, !one.is_empty, of(one))).collect();
    ranked.sort();
    let mut words: Vec<String> = ranked.into_iter().map(|(.., words)| words).collect();
    words.dedup();
    let others = words.len().saturating_sub(NAMED_LOOPS);
    words.truncate(NAMED_LOOPS);
    if others > 0 {
        words.push(format!("{others} other{}", if others == 1 { "" } else { "s" }));
    }
    let all = words.join(", ");
    (!words.is_empty()).then(|| {
        format!("a loop has its counts in registers until it ends; they are not in if it was killed in one of: {all}")
    })
}

/// Why counts are too low where frames vanished.
fn vanished_sentence(vanished: &Vanished) -> String {
    let Vanished { function, frames } = vanished;
    format!(
        "{frames} frame{} of {function} neither returned nor {} seen to leave: code that is not counted (assembly, \
         a library) switched stacks or jumped",
        if *frames == 1 { "" } else { "s" },
        if *frames == 1 { "was" } else { "were" },
    )
}

/// The frames left in this image, by module and call site. A frame may have
/// been noted by another image of the same process.
fn left_frames(
    raw: &RawFile,
    all: &[RawFile],
    images: &BTreeMap<PathBuf, Image>,
    surprises: &mut Vec<String>,
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
            None => surprises.extend(unexpected(image, address)),
        }
    }
    left
}

/// A frame of a counted function that was left where the map knows no way out.
fn unexpected(image: &Image, address: u64) -> Option<String> {
    let name = image.lone_symbol_at(address.checked_sub(1)?)?;
    let is_counted = image.maps.iter().flat_map(|(_, map)| map.functions.values()).any(|function| {
        function.name == name && !function.segments.is_empty() && function.segment_counters.is_none()
    });
    is_counted.then(|| format!("a frame of {name} was left during a call that was proven to return"))
}
