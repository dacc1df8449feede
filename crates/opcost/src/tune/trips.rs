//! How often does each loop go on? The trip counts of a training run, activation by activation.
//!
//! A build of the same modules records them as `opcost values --trip-counts` does. Cost: that of recording, which is
//! several times that of the program. Limits: activations that end by `exit` or `longjmp` are not among them; a loop
//! with more distinct trip counts than there is memory has the rest in ranges, which count as their lower end.

use std::collections::BTreeMap;
use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::points::Meaning;
use opcost_index::Id as _;
use opcost_job::module::ValuesWish;
use opcost_key::{Key, Part};
use opcost_optimise::TrainedLoop;
use opcost_profile::opcval::layout::bucket_range;
use opcost_run::start::Streams;
use opcost_run::values::{ObservedPoint, Recorder, observe, point_lists, record_run};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::options::CompileOptions;

use super::input::TuneWish;
use super::train::check_training;
use crate::progress::work;

/// Memory for trip counts, in bytes.
const MEMORY: u64 = 64 << 20;

/// The loops of a program, each with the name of its module.
pub(super) fn trained_loops(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
) -> Result<Vec<(String, TrainedLoop)>, Failure> {
    let mut build = Build::new(options, Purpose::Values)?;
    build.values = Some(ValuesWish::trip_counts());
    let program = build.path("recording");
    {
        let _working = work("building it with trip counts");
        build.program(wish.inputs, &program)?;
    }
    let _working = work("training, for trip counts");
    let lists = point_lists(&program)?;
    let streams = Streams {
        stdin: Some(wish.stdin.unwrap_or(Path::new("/dev/null")).to_owned()),
        stdout: Some(build.path("recording.out")),
        stdout_to_stderr: false,
        stderr: None,
    };
    let recorder = Recorder { memory: MEMORY, sample: 1 };
    let (finish, files) = record_run(&program, wish.arguments, recorder, &streams, build.folder())?;
    check_training(finish, wish.ignores_status)?;
    let observed = observe(&program, lists, &files)?;
    Ok(observed.points.iter().filter_map(trained_loop).collect())
}

/// A loop that was entered.
fn trained_loop(point: &ObservedPoint) -> Option<(String, TrainedLoop)> {
    let (what, record) = (&point.what, &point.record);
    let Key::Part(_, Part::Loop(header)) = what.key else { return None };
    if what.kind != Meaning::BackEdges || record.entries == 0 {
        return None;
    }
    let mut activations: BTreeMap<u64, u64> = BTreeMap::new();
    let exact = record.values.iter().map(|(&iterations, &times)| (iterations, times));
    let rough = record.rough.iter().map(|(&bucket, &times)| (bucket_range(bucket, false).0, times));
    for (iterations, times) in exact.chain(rough) {
        *activations.entry(u64::try_from(iterations).unwrap_or(0)).or_default() += times;
    }
    let location = what.file.as_ref().filter(|_| what.line > 0).map(|file| format!("{file}:{}", what.line));
    let header = header.index() as u32;
    Some((
        point.module.clone(),
        TrainedLoop { function: what.function.clone(), header, location, activations },
    ))
}
