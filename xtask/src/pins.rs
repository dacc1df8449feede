//! Fetching the sources of one pinned crate.
//!
//! Cargo's own client does it: a throw-away package that depends on exactly
//! one version is vendored, the wanted folder moved out, the rest removed.
//! Cargo checks the package against its registry; we check what cargo notes
//! (`.cargo-checksum.json`) against the hash in the list in `corpus/`. The
//! folder appears by one rename, so a half-fetched crate is never seen, and
//! its presence with the right hash is all that a second run looks at. Files
//! changed by hand afterwards go unnoticed: delete the folder to mend that.

use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Pin;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes `folder/NAME` hold the crate; says whether it had to be fetched.
pub(crate) fn ensure(name: &str, pin: &Pin, folder: &Path) -> Result<bool> {
    let place = folder.join(name);
    if noted_hash(&place).is_some_and(|hash| hash == pin.sha256) {
        return Ok(false);
    }
    let workshop = folder.join(format!(".fetch-{name}-{}", std::process::id()));
    let outcome = fetch(name, pin, &workshop, &place);
    let _ = fs::remove_dir_all(&workshop);
    outcome.map(|()| true)
}

/// The hash of the package file from which cargo made this folder.
fn noted_hash(crate_folder: &Path) -> Option<String> {
    let text = fs::read_to_string(crate_folder.join(".cargo-checksum.json")).ok()?;
    let note: serde_json::Value = serde_json::from_str(&text).ok()?;
    note.get("package")?.as_str().map(str::to_owned)
}

fn fetch(name: &str, pin: &Pin, workshop: &Path, place: &Path) -> Result<()> {
    write_throwaway_package(name, pin, workshop)?;
    vendor(workshop).map_err(|failure| {
        Failure::new(format!(
            "cannot fetch the crate {name} {}: {failure}\nThe corpus needs crates.io once; \
             after that it works offline.",
            pin.version
        ))
    })?;
    let fetched = workshop.join("vendor").join(format!("{name}-{}", pin.version));
    let hash = noted_hash(&fetched)
        .ok_or_else(|| Failure::new(format!("cargo vendored no {name} {} with a checksum", pin.version)))?;
    if hash != pin.sha256 {
        return Err(Failure::new(format!(
            "{name} {} has the SHA-256 {hash}, but the list in corpus/ pins {}",
            pin.version, pin.sha256
        )));
    }
    stand_alone(&fetched)?;
    if place.exists() {
        fs::remove_dir_all(place).map_err(|error| Failure::at("remove", place, error))?;
    }
    fs::rename(&fetched, place).map_err(|error| Failure::at("create", place, error))
}

fn write_throwaway_package(name: &str, pin: &Pin, workshop: &Path) -> Result<()> {
    let version = pin.version.split('+').next().unwrap_or_default();
    let text = format!(
        "[package]\nname = \"throwaway\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n"
    );
    let source = workshop.join("src");
    fs::create_dir_all(&source).map_err(|error| Failure::at("create", &source, error))?;
    for (path, text) in [(workshop.join("Cargo.toml"), text.as_str()), (source.join("lib.rs"), "")] {
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    Ok(())
}

/// A crate with only a binary is vendored like any other; cargo's warning
/// that it cannot be depended on is not shown.
fn vendor(workshop: &Path) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["vendor", "--versioned-dirs", "vendor"]).current_dir(workshop);
    command::output_of(&mut command).map(|_| ())
}

/// Makes a package under this repository's folder a workspace of its own, or
/// cargo would look for it in ours.
fn stand_alone(package: &Path) -> Result<()> {
    let path = package.join("Cargo.toml");
    let mut text = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
    if !text.lines().any(|line| line.trim() == "[workspace]") {
        text.push_str("\n[workspace]\n");
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    Ok(())
}
