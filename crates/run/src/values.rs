//! Running a program that records values, and collecting what it recorded.
//!
//! The program writes a file for each process and image into a folder of ours.
//! A file belongs to the program if its modules are those that the program
//! lists, by their hashes; all processes are then added, point by point.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use opcost_instrument::{NoResult, evaluate};
use opcost_profile::opcval::{self, PointRecord, ValueFile};
use opcost_runtime::values::VARIABLE;

use crate::start::{Launch, Streams, run_program};
use opcost_answer::Failure;
use opcost_answer::points::{PointList, PointText, RefusedText, VALUES_SECTION};
use opcost_answer::run::Finish;

/// Extension of the files.
const EXTENSION: &str = "opcval";

/// How values are recorded.
#[derive(Clone, Copy, Debug)]
pub struct Recorder {
    /// Bytes that runs and tables may take, for each process.
    pub memory: u64,
    /// Every how many values one is recorded.
    pub sample: u64,
}

/// What all processes recorded.
pub struct Observed {
    /// All points of the program.
    pub points: Vec<ObservedPoint>,
    /// Loops that are not recorded.
    pub refused: Vec<RefusedText>,
    /// Why something may be missing.
    pub remarks: Vec<String>,
    /// How many processes recorded.
    pub processes: usize,
    /// The greatest memory that one of them took for runs and tables, in bytes, and might.
    pub memory: (u64, u64),
    /// Every how many values one was recorded.
    pub sample: u64,
}

/// A point and what was recorded there.
pub struct ObservedPoint {
    /// Name of the module that holds the point.
    pub module: String,
    /// What the point means, as the program says.
    pub what: PointText,
    /// What all processes recorded there, added up.
    pub record: PointRecord,
    /// How the check went for activations that were open at the end: not more,
    /// more, more under assumptions.
    pub open_checks: OpenChecks,
}

/// What a program says it records.
///
/// # Errors
/// It cannot be read, or records nothing.
pub fn point_lists(program: &Path) -> Result<Vec<PointList>, Failure> {
    let bytes = std::fs::read(program).map_err(Failure::file("read", program))?;
    let not_ours = || {
        Failure::Usage(format!(
            "{} records no values; give its sources, or build it with: opcost values --emit exe",
            program.display()
        ))
    };
    let file = object::File::parse(&*bytes).map_err(|_| not_ours())?;
    let section = file.section_by_name(VALUES_SECTION).ok_or_else(not_ours)?;
    let data = section.data().map_err(|_| not_ours())?;
    let lines = data.split(|byte| matches!(byte, b'\n' | 0)).filter(|line| !line.is_empty());
    let lists = lines.map(|line| serde_json::from_slice(line).ok()).collect::<Option<Vec<PointList>>>();
    lists.filter(|lists| !lists.is_empty()).ok_or_else(not_ours)
}

/// Runs a program to its end, recording into `folder`.
///
/// # Errors
/// It cannot be started, or its files cannot be read or are not its own.
pub fn record_run(
    program: &Path,
    arguments: &[OsString],
    recorder: Recorder,
    streams: &Streams,
    folder: &Path,
) -> Result<(Finish, Vec<PathBuf>), Failure> {
    let folder = std::path::absolute(folder).map_err(Failure::file("find", folder))?;
    let mut wish = OsString::from(format!("{}:{}:", recorder.memory, recorder.sample));
    wish.push(&folder);
    let before = value_files(&folder)?;
    let finish = run_program(Launch {
        program,
        arguments,
        variable: VARIABLE,
        writes: Path::new(&wish),
        streams,
        world: None,
        starter: None,
        watched_page: None,
    })?;
    let mut files = value_files(&folder)?;
    files.retain(|file| !before.contains(file));
    if files.is_empty() {
        return Err(Failure::Counters(format!(
            "{} recorded nothing: it ended before its runtime began, or could not write to {}",
            program.display(),
            folder.display()
        )));
    }
    Ok((finish, files))
}

fn value_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::file("read", folder))? {
        let path = entry.map_err(Failure::file("read", folder))?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads the files of a run of this program.
///
/// # Errors
/// A file is none, damaged, or of another build.
pub fn observe(program: &Path, lists: Vec<PointList>, files: &[PathBuf]) -> Result<Observed, Failure> {
    let mut records: Vec<Vec<PointRecord>> =
        lists.iter().map(|list| vec![PointRecord::default(); list.points.len()]).collect();
    let by_hash: BTreeMap<&str, usize> =
        (0..).zip(&lists).map(|(at, list)| (list.hash.as_str(), at)).collect();
    let mut observed = Observed {
        points: Vec::new(),
        refused: Vec::new(),
        remarks: Vec::new(),
        processes: 0,
        memory: (0, 0),
        sample: 1,
    };
    let mut read = Vec::new();
    for path in files {
        let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
        match ValueFile::parse(&bytes) {
            Ok(file) => read.push((path, file)),
            Err(opcval::Error::NotBegun) if files.len() > 1 => {
                observed.remarks.push("a process was killed before it began to record".to_owned());
            }
            Err(error) => return Err(Failure::Counters(format!("{}: {error}", path.display()))),
        }
    }
    read.sort_by_key(|(_, file)| file.start_ns);
    for (path, file) in read {
        observed.add_facts(path, &file);
        for module in file.modules {
            let Some(&at) = by_hash.get(module.hash.to_string().as_str()) else {
                return Err(Failure::Counters(format!(
                    "{} was recorded by another build of {} (module {} is not in it); give the program that recorded \
                     it, or record it again",
                    path.display(),
                    program.display(),
                    module.hash
                )));
            };
            for (known, found) in records[at].iter_mut().zip(module.points) {
                if let Some(found) = found {
                    known.add(&found);
                }
            }
        }
    }
    drop(by_hash);
    for (list, records) in lists.into_iter().zip(records) {
        observed.refused.extend(list.refused);
        for (what, record) in list.points.into_iter().zip(records) {
            let open_checks = check_open(&what, &record);
            observed.points.push(ObservedPoint { module: list.module.clone(), what, record, open_checks });
        }
    }
    observed.remarks.sort();
    observed.remarks.dedup();
    Ok(observed)
}

impl Observed {
    fn add_facts(&mut self, path: &Path, file: &ValueFile) {
        self.processes += 1;
        self.sample = file.sample;
        self.memory = (self.memory.0.max(file.memory.1), file.memory.0);
        self.remarks.extend(file.remarks.iter().cloned());
        if file.is_cut {
            self.remarks.push(format!(
                "{} is cut off: what comes after the cut is missing, so numbers may be too low",
                path.display()
            ));
        }
    }
}

/// How checks of activations that were open at the end went.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenChecks {
    /// Held, wrong, wrong under assumptions.
    pub counts: (u64, u64, u64),
    /// Without a result.
    pub unchecked: u64,
    /// Too long to hold.
    pub too_long: u64,
}

/// What the runtime could not check: it was not asked when these ended.
fn check_open(what: &PointText, record: &PointRecord) -> OpenChecks {
    let mut checks = OpenChecks::default();
    let Some(claim) = &what.claim else { return checks };
    let Some(steps) = claim.check().filter(|steps| !steps.is_empty()) else { return checks };
    for open in &record.open {
        let place = match evaluate(&steps, &open.inputs) {
            Err(NoResult::NoNumber) => &mut checks.unchecked,
            Err(NoResult::TooLong) => &mut checks.too_long,
            Ok(claimed) => match (i128::from(open.iterations) <= claimed, claim.assumes.is_empty()) {
                (true, _) => &mut checks.counts.0,
                (false, true) => &mut checks.counts.1,
                (false, false) => &mut checks.counts.2,
            },
        };
        *place += 1;
    }
    checks
}
