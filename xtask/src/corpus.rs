//! `cargo xtask corpus`: the real programs, ready to be built.
//!
//! Fetches the pinned crates that the wanted programs use and writes
//! `corpus.json` (schema `opcost.corpus/1`) beside them: every program of
//! `corpus/programs.toml` whose crates are there, with absolute paths. The
//! folder is `target/corpus`, or the one that OPCOST_CORPUS names, so that
//! several checkouts can share one. Running it again costs milliseconds.

use crate::failure::{Failure, Result};
use crate::manifest::{CORPUS_SCHEMA, Manifest, Program};
use crate::pins;
use crate::root::repository;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct CorpusFile<'a> {
    schema: &'static str,
    programs: &'a [Program],
}

/// The verb: makes sure of the named programs, or of all.
pub(crate) fn prepare(names: &[&str]) -> Result<()> {
    let programs = programs(names)?;
    println!(
        "corpus: {} programs ready, described in {}",
        programs.len(),
        folder()?.join("corpus.json").display()
    );
    Ok(())
}

/// Fetches what the named programs need (all programs when none is named),
/// writes `corpus.json`, and returns every program that is ready.
pub(crate) fn programs(names: &[&str]) -> Result<Vec<Program>> {
    let programs = listed("programs.toml", names)?;
    write(&folder()?.join("corpus.json"), &CorpusFile { schema: CORPUS_SCHEMA, programs: &programs })?;
    Ok(programs)
}

/// The same of the programs of `corpus/training.toml`, which only one benchmark needs;
/// `corpus.json` does not list them.
pub(crate) fn training(names: &[&str]) -> Result<Vec<Program>> {
    listed("training.toml", names)
}

/// A program of any list that `bench tune` and `bench run` measure: `corpus/tuned.toml`, then `programs.toml`. Nothing
/// else is fetched, and `corpus.json` does not list the former.
pub(crate) fn tuned(name: &str) -> Result<Option<Program>> {
    let own = Manifest::read(&repository()?.join("corpus/tuned.toml"))?;
    let is_own = own.programs.iter().any(|entry| entry.name == name);
    let programs = if is_own { listed("tuned.toml", &[name])? } else { programs(&[name])? };
    Ok(programs.into_iter().find(|program| program.name == name))
}

fn listed(list: &str, names: &[&str]) -> Result<Vec<Program>> {
    let own = repository()?.join("corpus");
    let manifest = Manifest::read(&own.join(list))?;
    let folder = folder()?;
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let mut crates = std::collections::BTreeMap::new();
    for entry in manifest.select(names)? {
        crates.extend(manifest.crates_of(entry));
    }
    for (name, pin) in &crates {
        if pins::ensure(name, pin, &folder)? {
            println!("corpus: fetched {name} {}", pin.version);
        }
    }
    let ready = |entry: &&crate::manifest::Entry| {
        manifest.crates_of(entry).keys().all(|name| folder.join(name).join("Cargo.toml").is_file())
    };
    manifest.programs.iter().filter(ready).map(|entry| manifest.resolve(entry, &own, &folder)).collect()
}

/// Where the corpus is, absolute.
fn folder() -> Result<PathBuf> {
    let folder = match std::env::var_os("OPCOST_CORPUS") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => repository()?.join("target/corpus"),
    };
    std::path::absolute(&folder).map_err(|error| Failure::at("find", &folder, error))
}

/// Replaces the file in one step: a reader sees the old one or the new one.
fn write(path: &Path, corpus: &CorpusFile<'_>) -> Result<()> {
    let text = serde_json::to_string_pretty(corpus).map_err(|error| Failure::at("describe", path, error))?;
    let draft = path.with_extension(format!("json.{}", std::process::id()));
    fs::write(&draft, text + "\n").map_err(|error| Failure::at("write", &draft, error))?;
    fs::rename(&draft, path).map_err(|error| Failure::at("write", path, error))
}
