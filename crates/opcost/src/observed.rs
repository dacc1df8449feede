//! What were the values really? The other side of `opcost bits`.
//!
//! The program is built once more, so that it records the least and greatest
//! of every integer and how many bits each mantissa needs, and run. A value of
//! the run is one of the analysis if both have the same key and the same text;
//! all code is the same when there is one
//! input. What was observed outside of what is proven was poison, which is
//! allowed where a promise of the code may be broken; elsewhere one of the two
//! is wrong, and that is the verdict.

use std::collections::HashMap;
use std::ffi::OsString;

use opcost_interrupt::Scratch;
use opcost_key::Key;

use opcost_answer::Failure;
use opcost_answer::bits::{BitsAnswers, BitsFloatObserved, BitsObserved, BitsValue};
use opcost_answer::run::Finish;
use opcost_job::module::ValuesWish;
use opcost_run::start::Streams;
use opcost_run::values::{ObservedPoint, Recorder, observe as read, point_lists, record_run};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::options::CompileOptions;

use crate::progress::work;

/// Memory for tables and runs of values: only ends are looked at.
const MEMORY: u64 = 1 << 20;

/// A run that is observed.
#[derive(Clone, Debug)]
pub struct ObservedRun<'a> {
    /// What the program is made of.
    pub inputs: &'a [Input],
    /// How it is compiled.
    pub options: &'a CompileOptions,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// What it reads and writes.
    pub streams: &'a Streams,
}

/// How an observed run ended.
#[derive(Clone, Copy, Debug)]
pub struct ObservedEnd {
    /// The program's end.
    pub finish: Finish,
    /// Whether a value was what it cannot be.
    pub is_wrong: bool,
}

/// Runs the program and notes with each value what it was.
///
/// # Errors
/// It cannot be built or run, or recorded nothing.
pub fn observe(run: &ObservedRun<'_>, answers: &mut BitsAnswers) -> Result<ObservedEnd, Failure> {
    let mut build = Build::new(run.options, Purpose::Values)?;
    build.values = Some(ValuesWish::widths());
    let program = build.path("made");
    let building = work("building the program that records");
    build.program(run.inputs, &program)?;
    drop(building);
    let lists = point_lists(&program)?;
    let folder = Scratch::folder("opcost-values-");
    let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let recorder = Recorder { memory: MEMORY, sample: 1 };
    let (finish, files) = record_run(&program, run.arguments, recorder, run.streams, folder.path())?;
    let observed = read(&program, lists, &files)?;
    Ok(ObservedEnd { finish, is_wrong: note(answers, &observed.points) })
}

/// Notes what was observed; whether a value was what it cannot be.
fn note(answers: &mut BitsAnswers, points: &[ObservedPoint]) -> bool {
    let by_key = by_key(points);
    let mut is_wrong = false;
    for value in answers.functions.iter_mut().flat_map(|function| &mut function.values) {
        let Some(point) = by_key.get(&value.key).filter(|point| point.what.text == value.text) else {
            continue;
        };
        let Some((least, greatest)) = point.record.range else { continue };
        let observed = observation(value, least, greatest, point.record.entries);
        is_wrong |= observed.is_outside && !value.may_be_poison;
        value.observed = Some(observed);
    }
    for float in answers.functions.iter_mut().flat_map(|function| &mut function.floats) {
        let Some(point) = by_key.get(&float.key).filter(|point| point.what.text == float.text) else {
            continue;
        };
        let Some((_, greatest)) = point.record.range else { continue };
        let needed = u32::try_from(greatest).unwrap_or(float.declared);
        let is_outside = needed > float.needed;
        is_wrong |= is_outside && !float.may_be_poison;
        float.observed = Some(BitsFloatObserved { times: point.record.entries, needed, is_outside });
    }
    is_wrong
}

/// Points by their keys. Two modules of one name have the same keys for what is local to them: such keys say
/// nothing.
fn by_key(points: &[ObservedPoint]) -> HashMap<&Key, &ObservedPoint> {
    let mut found: HashMap<&Key, Option<&ObservedPoint>> = HashMap::new();
    for point in points.iter().filter(|point| matches!(point.what.key, Key::Part(..))) {
        found.entry(&point.what.key).and_modify(|one| *one = None).or_insert(Some(point));
    }
    found.into_iter().filter_map(|(key, point)| Some((key, point?))).collect()
}

fn observation(value: &BitsValue, least: i64, greatest: i64, times: u64) -> BitsObserved {
    let (least, greatest) = as_signed(value.declared, least, greatest);
    let signed_bits = |number: i64| 65 - if number < 0 { !number } else { number }.leading_zeros();
    let (width, signed) = match (least, greatest) {
        _ if least == greatest => (0, false),
        (0.., _) => ((64 - greatest.leading_zeros()).max(1), false),
        // Without a sign what is below zero needs all bits.
        _ => (signed_bits(least).max(signed_bits(greatest)).min(value.declared), true),
    };
    let range = if least == greatest { least.to_string() } else { format!("{least}..{greatest}") };
    let is_inside =
        value.least.is_some_and(|low| low <= least) && value.greatest.is_some_and(|high| greatest <= high);
    BitsObserved { times, width, signed, range, is_outside: !is_inside }
}

/// One bit is recorded as 0 and 1, which in two's complement are 0 and -1.
fn as_signed(declared: u32, least: i64, greatest: i64) -> (i64, i64) {
    match declared {
        1 => (-greatest, -least),
        _ => (least, greatest),
    }
}

#[cfg(test)]
mod tests {
    use super::{BitsValue, observation};

    #[test]
    fn what_was_seen_has_the_narrower_width() {
        let value = |declared, least, greatest| BitsValue {
            declared,
            least: Some(least),
            greatest: Some(greatest),
            ..BitsValue::unknown("@f:i0".parse().expect("a key"))
        };
        let wide = value(32, -100, 1000);
        let width = |least, greatest| {
            let observed = observation(&wide, least, greatest, 1);
            (observed.width, observed.signed, observed.is_outside)
        };
        assert_eq!(width(7, 7), (0, false, false));
        assert_eq!(width(0, 1), (1, false, false));
        assert_eq!(width(3, 255), (8, false, false));
        assert_eq!(width(-1, 0), (1, true, false));
        assert_eq!(width(-1, 127), (8, true, false));
        assert_eq!(width(-101, 0), (8, true, true));
        let bit = observation(&value(1, -1, 0), 0, 1, 1);
        assert_eq!((bit.width, bit.is_outside), (1, false));
    }
}
