//! What did the user give: ledgers, or raw counters with their program?
//!
//! `.opc` files are ledgers; `.opcraw` files are the raw counters of one run,
//! and name the program that wrote them. Every verb that works with ledgers
//! takes both. A folder is what `opcost run --profile-store` wrote: the newest ledger of each module. A ledger of answers alone has no counts: what needs some says so ([`need_counts`]).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opcost_profile::formats::opc::{OpcError, load_ledger, save_ledger};
use opcost_profile::{
    Ledger, MergeError, SubtractError, average, cut_short, merge, reduce_to_blocks, subtract,
};

use opcost_answer::Failure;
use opcost_recover::join_raw;
use opcost_toolchain::input::{Input, Language};

use crate::counting::Measurement;
use crate::progress::work;

/// What was given.
#[expect(clippy::large_enum_variant, reason = "there is one, for as long as a verb runs")]
pub enum Given {
    /// A ledger, the sum of all that were named.
    Ledger(Ledger),
    /// The raw files of one run.
    Raw(Box<Measurement>),
}

/// Reads ledgers (they are added), or the raw files of one run. `program` is its program if that was moved.
///
/// # Errors
/// A file is none of these, or they are of different builds.
pub fn read(inputs: &[PathBuf], program: Option<&Path>) -> Result<Given, Failure> {
    let _working = work("reading");
    let raw = inputs.iter().filter(|path| is_raw(path)).count();
    if raw == inputs.len() {
        return Ok(Given::Raw(Box::new(Measurement::of_raw(inputs, program)?)));
    }
    if raw > 0 {
        return Err(Failure::Usage(
            "ledgers (.opc) and raw counters (.opcraw) do not mix here; make a ledger of the raw ones first: \
             opcost report *.opcraw --ledger run.opc"
                .to_owned(),
        ));
    }
    let ledgers = inputs.iter().map(|path| ledger_file(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(Given::Ledger(add(inputs, ledgers)?))
}

/// Reads one ledger, or makes one of one raw file.
///
/// # Errors
/// The file is neither.
pub fn ledger(path: &Path, program: Option<&Path>) -> Result<Ledger, Failure> {
    if !is_raw(path) {
        return ledger_file(path);
    }
    let measurement = Measurement::of_raw(&[path.to_owned()], program)?;
    measurement.ledger(&measurement.summary(), vec![path.display().to_string()])
}

/// Reads one ledger that has counts, or makes one of one raw file.
///
/// # Errors
/// The file is neither, or has answers alone.
pub fn counts(path: &Path, program: Option<&Path>) -> Result<Ledger, Failure> {
    let ledger = ledger(path, program)?;
    need_counts(path, &ledger)?;
    Ok(ledger)
}

/// Says of a ledger without counts what it is for, and where counts come from.
///
/// # Errors
/// There are none.
pub fn need_counts(path: &Path, ledger: &Ledger) -> Result<(), Failure> {
    if ledger.has_counts() {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Usage(format!(
        "{path} holds answers and no counts; they are shown by: opcost report {path}; a ledger of counts is made \
         by: opcost count --ledger run.opc …"
    )))
}

/// What who makes a profile of a ledger has to know: its runs did not get to their ends. `None` if they did.
pub fn is_partial(path: &Path, ledger: &Ledger) -> Option<String> {
    let reasons = cut_short(ledger);
    (!reasons.is_empty()).then(|| {
        let why = reasons.join("; ");
        format!(
            "{}: {why}: what had not run until then looks cold; count a run that gets to its end",
            path.display()
        )
    })
}

/// Whether all have counts, or none: a sum of both would be neither.
///
/// # Errors
/// Some have and others have not.
pub fn alike(names: &[PathBuf], ledgers: &[Ledger]) -> Result<(), Failure> {
    let find = |has_counts| {
        let mut all = names.iter().zip(ledgers);
        all.find(|(_, ledger)| ledger.has_counts() == has_counts).map(|(name, _)| name.display())
    };
    match (find(true), find(false)) {
        (Some(counts), Some(answers)) => Err(Failure::Usage(format!(
            "{counts} holds counts and {answers} holds answers and no counts, which do not add: merge either \
             with its like; keys are the same in both, so a reader of tables joins them"
        ))),
        _ => Ok(()),
    }
}

/// The sum of ledgers of one build.
pub fn add(names: &[PathBuf], ledgers: Vec<Ledger>) -> Result<Ledger, Failure> {
    if let [_] = ledgers.as_slice() {
        return Ok(ledgers.into_iter().next().expect("one is there"));
    }
    alike(names, &ledgers)?;
    merge(&ledgers).map_err(|error| unmergeable(names, error))
}

/// How ledgers of one build become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combining {
    /// Added.
    Sum,
    /// Their mean.
    Mean,
    /// The others are taken away from the first.
    Difference,
}

/// Makes one ledger of several; with `to_blocks` nothing below blocks is left.
///
/// # Errors
/// They are of several builds, or counts are wanted and not there.
pub fn combine(
    names: &[PathBuf],
    ledgers: Vec<Ledger>,
    how: Combining,
    to_blocks: bool,
) -> Result<Ledger, Failure> {
    alike(names, &ledgers)?;
    if how == Combining::Difference || to_blocks {
        names.iter().zip(&ledgers).try_for_each(|(name, ledger)| need_counts(name, ledger))?;
    }
    let made = match how {
        Combining::Sum => add(names, ledgers),
        Combining::Mean => average(&ledgers).map_err(|error| unmergeable(names, error)),
        Combining::Difference => difference(names, &ledgers),
    }?;
    if to_blocks {
        reduce_to_blocks(&made).map_err(|error| Failure::Counters(error.to_string()))
    } else {
        Ok(made)
    }
}

fn difference(names: &[PathBuf], ledgers: &[Ledger]) -> Result<Ledger, Failure> {
    let Some((whole, parts)) = ledgers.split_first().filter(|(_, parts)| !parts.is_empty()) else {
        let what = "--subtract takes the other ledgers away from the first: name two at least";
        return Err(Failure::Usage(what.to_owned()));
    };
    let parts = merge(parts).map_err(|error| unmergeable(&names[1..], error))?;
    subtract(whole, &parts).map_err(|error| match error {
        SubtractError::Merge(error) => unmergeable(names, error),
        other => Failure::Counters(other.to_string()),
    })
}

/// Why ledgers of these names do not add.
pub fn unmergeable(names: &[PathBuf], error: MergeError) -> Failure {
    match error {
        MergeError::OtherBuild { position, what } => Failure::Counters(format!(
            "{} comes from another build than {} (their {what} differ): merge runs of one build, and compare \
             builds with `opcost diff`",
            names[position].display(),
            names[0].display()
        )),
        other => Failure::Counters(other.to_string()),
    }
}

/// Writes a ledger, whole or not at all.
pub fn save(path: &Path, ledger: &Ledger) -> Result<(), Failure> {
    Ok(save_ledger(path, ledger)?)
}

/// What has the lock of a folder of `opcost run --profile-store`; another folder is none.
pub(crate) const STORE_LOCK: &str = ".lock";

fn ledger_file(path: &Path) -> Result<Ledger, Failure> {
    if holds_values(path) {
        return Err(Failure::Usage(format!(
            "{} holds recorded values, not counts; they are shown by: opcost values --read {} PROGRAM",
            path.display(),
            path.display()
        )));
    }
    if path.join(STORE_LOCK).is_file() {
        return stored(path);
    }
    load_ledger(path).map_err(|error| match error {
        OpcError::Unreadable { path, source } => Failure::file("read", path)(source),
        OpcError::CutOff { length: 0 } => Failure::Usage(format!(
            "{} is empty: no ledger was written into it; repeat the run with --ledger FILE",
            path.display()
        )),
        OpcError::NotALedger { .. } => Failure::Usage(no_ledger(path)),
        other => Failure::Counters(format!("{}: {other}", path.display())),
    })
}

/// The ledgers of samples in a folder, as one: of several builds of a module that which ran last.
fn stored(folder: &Path) -> Result<Ledger, Failure> {
    let files = std::fs::read_dir(folder).map_err(Failure::file("read", folder))?.flatten();
    let mut files: Vec<_> =
        files.filter(|file| file.path().extension().is_some_and(|end| end == "opc")).collect();
    files.sort_by_cached_key(|file| (file.metadata().and_then(|about| about.modified()).ok(), file.path()));
    let mut newest: BTreeMap<String, Ledger> = BTreeMap::new();
    for file in files {
        let ledger = ledger_file(&file.path())?;
        let names: Vec<&str> = ledger.about.modules.iter().map(|facts| facts.module.as_str()).collect();
        newest.insert(names.join(" "), ledger);
    }
    let ledgers: Vec<Ledger> = newest.into_values().collect();
    // Each module ran as often as it did.
    let runs = ledgers.iter().map(|ledger| ledger.about.runs).max().unwrap_or(1);
    let joined = join_raw(&ledgers, runs).map_err(|error| Failure::Counters(error.to_string()))?;
    joined.ok_or_else(|| {
        let folder = folder.display();
        Failure::Usage(format!("{folder} has no samples: repeat opcost run --profile-store {folder}"))
    })
}

/// What a file is that is no ledger, and how one is made of it.
fn no_ledger(path: &Path) -> String {
    let file = path.display();
    match Input::classify(path).map(|input| input.language) {
        Ok(Language::Program) => {
            format!(
                "{file} is a program, not an opcost ledger; one is made by: opcost count --ledger run.opc {file}"
            )
        }
        Ok(Language::Object) => {
            format!(
                "{file} is machine code, not an opcost ledger; name a file that opcost … --ledger FILE wrote"
            )
        }
        Ok(_) => {
            format!(
                "{file} is a source, not an opcost ledger; one is made by: opcost count --ledger run.opc {file}"
            )
        }
        Err(_) => format!("{file} is not an opcost ledger; name a file that opcost … --ledger FILE wrote"),
    }
}

/// Whether it is what `opcost values --keep` wrote: a file of values, or a folder of them.
fn holds_values(path: &Path) -> bool {
    let files = std::fs::read_dir(path).into_iter().flatten().flatten();
    is_value_file(path) || files.map(|file| file.path()).any(|file| is_value_file(&file))
}

/// Whether a file is one of recorded values, by its name.
pub fn is_value_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "opcval")
}

fn is_raw(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "opcraw")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_values_are_no_ledger() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("12-0.opcval");
        std::fs::write(&file, "values").expect("a file");
        for path in [file.as_path(), folder.path()] {
            let said = ledger_file(path).err().map(|error| error.to_string());
            assert!(said.is_some_and(|said| said.contains("opcost values --read")), "{}", path.display());
        }
        assert!(!holds_values(&folder.path().join("none")));
    }
}
