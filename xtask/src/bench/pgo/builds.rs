//! How is each build of SQLite made?
//!
//! A build has a profile of the training, made in its own way, and is compiled with it.
//! Input: the workshop. Output: a column for each build; one that cannot be built says why.
//! Cost: a training and a compilation for each.

use super::columns::{COLUMNS, Column, PLAIN};
use super::peer;
use super::workshop::Workshop;
use crate::command;
use crate::failure::{Failure, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// All builds; what cannot be built says why.
pub(super) fn columns(workshop: &Workshop) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    for (title, file) in COLUMNS {
        let program = workshop.folder.join(file);
        let is_there = columns.iter().any(|column: &Column| column.program == program);
        eprintln!("bench: building {title}");
        let built = if is_there || workshop.is_built { Ok(()) } else { build(workshop, file) };
        let missing = built.err().map(|failure| failure.to_string());
        columns.push(Column { title, program, missing, seconds: Vec::new() });
    }
    match &columns[PLAIN].missing {
        Some(why) => Err(Failure::new(why.clone())),
        None => Ok(columns),
    }
}

fn build(workshop: &Workshop, file: &str) -> Result<()> {
    let (sqlite, object) = (workshop.sqlite.display().to_string(), workshop.path(&format!("{file}.o")));
    let with = |flag: &str| workshop.clang(&[flag, "-c", &sqlite, "-o", &object]);
    match file {
        "plain" => with("-w"),
        _ if file.starts_with("counters") => {
            with(&format!("-fprofile-use={}", clangs_profile(workshop, &sqlite, file)?))
        }
        "profi" => {
            let flag = format!("-fprofile-sample-use={}", peer::profile(workshop)?);
            let lines = ["-gline-tables-only", "-fdebug-info-for-profiling"];
            let loader = ["-mllvm", "-sample-profile-use-profi", &flag, "-c", &sqlite, "-o", &object];
            workshop.clang(&[&lines[..], &loader].concat())
        }
        "counted-profdata" => {
            let profile = exported(workshop, "count", &["--anchor", "pgo"], "profdata", file)?;
            with(&format!("-fprofile-use={profile}"))
        }
        _ if file.starts_with("sampled-profdata") => {
            let profile = exported(workshop, "sample", &["--anchor", "pgo"], "profdata", file)?;
            with(&format!("-fprofile-use={profile}"))
        }
        "optimised-profdata" => {
            let how = ["--anchor", "pgo", "--optimised"];
            let profile = exported(workshop, "sample", &how, "profdata", file)?;
            with(&format!("-fprofile-use={profile}"))
        }
        "sampled-bitcode" => {
            let bitcode = exported(workshop, "sample", &[], "bitcode", file)?;
            workshop.clang(&["-Xclang", "-disable-llvm-passes", "-c", "-x", "ir", &bitcode, "-o", &object])
        }
        "sampled-lines" => {
            let profile = exported(workshop, "sample", &[], "llvm-sample", file)?;
            let (lines, profile) = ("-gline-tables-only", format!("-fprofile-sample-use={profile}"));
            let words = [lines, "-fdebug-info-for-profiling", &profile, "-c", &sqlite, "-o", &object];
            workshop.clang(&words)
        }
        other => Err(Failure::new(format!("nobody knows how to build {other}"))),
    }?;
    let (driver, program) = (workshop.driver.display().to_string(), workshop.path(file));
    workshop.clang(&[&object, &driver, "-lm", "-o", &program]).map(drop)
}

/// A profile by clang's own counters, of the training, or of somewhat less or more of it.
fn clangs_profile(workshop: &Workshop, sqlite: &str, file: &str) -> Result<String> {
    let (program, raw, profile) =
        (workshop.path("train"), workshop.path("train.profraw"), workshop.path("train.profdata"));
    let training = workshop.training.display().to_string();
    workshop.clang(&["-fprofile-generate", sqlite, &training, "-lm", "-o", &program])?;
    let tenths = match file {
        "counters-less" => 9,
        "counters-more" => 11,
        _ => 10,
    };
    let rows = (workshop.rows * tenths / 10).to_string();
    let _ = fs::remove_file(&raw);
    command::output_of(Command::new(&program).arg(rows).env("LLVM_PROFILE_FILE", &raw))?;
    command::output_of(Command::new("llvm-profdata-22").args(["merge", "-o", &profile, &raw]))?;
    Ok(profile)
}

/// A profile by opcost, of the training, exported.
fn exported(workshop: &Workshop, verb: &str, how: &[&str], format: &str, file: &str) -> Result<String> {
    let (ledger, profile) =
        (workshop.path(&format!("{file}.opc")), workshop.path(&format!("{file}.{format}")));
    let (sqlite, training) = (workshop.sqlite.display().to_string(), workshop.training.display().to_string());
    // Two exports of one training share its ledger; the first makes it.
    let shared = workshop.path(&format!("{verb}{}.opc", how.concat()));
    if format != "llvm-sample" || !Path::new(&shared).exists() {
        let flags: Vec<String> = workshop.flags.iter().map(|flag| format!("--cflag={flag}")).collect();
        let mut words = vec![verb, "-l", "m", "--ledger", &ledger];
        words.extend(how);
        if verb == "sample" {
            words.extend(["--rate", &workshop.rate]);
        }
        words.extend(flags.iter().map(String::as_str));
        let rows = workshop.rows.to_string();
        words.extend([&sqlite, &training, "--", &rows]);
        workshop.opcost(&words)?;
        fs::rename(&ledger, &shared).map_err(|error| Failure::at("rename", Path::new(&ledger), error))?;
    }
    workshop.opcost(&["export", "--to", format, &shared, &sqlite, "-o", &profile])?;
    Ok(profile)
}
