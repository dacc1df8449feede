//! Running a metered program on a given amount of fuel.
//!
//! The program finds its fuel in a page that is a file of ours, mapped; what
//! is left there is read after its end, whatever the end was.

use std::ffi::OsString;
use std::path::Path;

use object::{Object, ObjectSection};
use opcost_interrupt::Scratch;
use opcost_runtime::fuel::{FILE_VARIABLE, Page, keyed_page};

use crate::deterministic::FixedWorld;
use crate::limit::NO_LIMIT;
use crate::start::{Launch, RunEnd, Streams, run_to_end};
use crate::wasm;
use opcost_answer::Failure;
use opcost_answer::fuel::{Engine, FUEL_SECTION, FUEL_SECTION_WINDOWS, Promise, Spending};

/// The promises of a metered program's modules.
///
/// # Errors
/// It cannot be read, or is no metered program.
pub fn is_metered(program: &Path) -> Result<Vec<Promise>, Failure> {
    let bytes = std::fs::read(program).map_err(Failure::file("read", program))?;
    let not_metered = || {
        Failure::Usage(format!(
            "{} is not metered, so nothing could stop it; build it with: opcost fuel --emit exe",
            program.display()
        ))
    };
    if wasm::is_wasm(&bytes) {
        return promises(wasm::custom_section(&bytes, FUEL_SECTION).unwrap_or_default())
            .ok_or_else(not_metered);
    }
    let file = object::File::parse(&*bytes).map_err(|_| not_metered())?;
    let section = file.section_by_name(FUEL_SECTION).or_else(|| file.section_by_name(FUEL_SECTION_WINDOWS));
    let section = section.ok_or_else(not_metered)?;
    let data = section.data().map_err(|_| not_metered())?;
    // Sections of Windows are filled up with zeros.
    let data = data.split(|byte| *byte == 0).next().unwrap_or_default();
    promises(data).ok_or_else(not_metered)
}

/// A line of JSON each, and at least one.
fn promises(data: &[u8]) -> Option<Vec<Promise>> {
    let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let promises = lines.map(|line| serde_json::from_slice(line).ok()).collect::<Option<Vec<Promise>>>()?;
    (!promises.is_empty()).then_some(promises)
}

/// A number that nobody knows before: the key under which a program keeps its
/// counter a second time.
fn drawn() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// A metered run.
pub struct FuelRun<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// What it may use; without it, what it uses is only counted.
    pub limit: Option<u64>,
    /// Where its streams go.
    pub streams: &'a Streams,
}

/// Runs a metered program to its end, in a world of its own if one is given.
///
/// # Errors
/// The program cannot be started, or what runs it is not there; or it never took the fuel it was given.
pub fn spend(
    run: &FuelRun<'_>,
    world: Option<&FixedWorld>,
    engine: Option<Engine>,
) -> Result<Spending, Failure> {
    let FuelRun { program, arguments, limit, streams } = *run;
    let folder = Scratch::folder("opcost-fuel-");
    let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let file = folder.path().join("fuel");
    let limit = limit.map_or(NO_LIMIT, |limit| i64::try_from(limit).unwrap_or(NO_LIMIT).min(NO_LIMIT));
    std::fs::write(&file, keyed_page(limit, drawn())).map_err(Failure::file("write", &file))?;
    let engine = wasm::engine(program, engine)?;
    let starter = engine.map(|engine| wasm::starter(engine, folder.path())).transpose()?;
    // Engines of WebAssembly have no signals for the program.
    let watched_page = engine.is_none().then_some(file.as_path());
    let RunEnd { finish, interrupted } = run_to_end(Launch {
        program,
        arguments,
        variable: FILE_VARIABLE,
        writes: &file,
        streams,
        world,
        starter,
        watched_page,
    })?;
    let bytes = std::fs::read(&file).map_err(Failure::file("read", &file))?;
    let page = Page::read(&bytes).ok_or_else(|| match interrupted {
        Some(signal) => Failure::Interrupted(signal),
        None => Failure::Counters(format!(
            "{} ended before it took its fuel, so what it used is not known; does it start without the C library?",
            program.display()
        )),
    })?;
    let spent = u64::try_from(i128::from(limit) - i128::from(page.left)).unwrap_or(0);
    Ok(Spending { finish, interrupted, spent, page, engine, is_deterministic: world.is_some(), walls: None })
}
