//! `cargo xtask dist`: what does a user install?
//!
//! A tarball and a Debian package of one tree of files (`tree`): the programs without their
//! symbols, man pages, completions, schemas and licences. `[package.metadata]` of
//! crates/cli/Cargo.toml (`manifest`) names the archives and describes the Debian package, so
//! that `cargo binstall`, `cargo deb` and this verb cannot disagree. The Debian package is made by
//! `dpkg-deb` (`deb`): it is on every Debian, while `cargo deb` would have to be built first.
//!
//! LLVM stays linked into the program. `opcost life` leads LLVM's own calls through hooks of the
//! linker (`--wrap`), which calls within a shared libLLVM do not obey.
//!
//! Input: the programs of a release build, or those given. Output: a folder with both archives,
//! `SHA256SUMS` and the tree. The same input gives the same bytes: times are those of the commit.
//! Cost: a release build, then about a minute for `xz`. Limits: Linux, on a Debian that has the
//! packages which `./x` installs; an archive of more than 35 MB is an error.

mod deb;
mod manifest;
mod notices;
mod packing;
mod tree;

use crate::command::{self, output_of};
use crate::failure::{Failure, Result};
use crate::root::repository;
use manifest::Manifest;
use packing::{PROGRAMS, Packing};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The largest archive, in bytes.
const LARGEST: u64 = 35_000_000;

struct Options {
    /// This program, and `cargo-opcost` next to it, in place of a release build.
    opcost: Option<PathBuf>,
    out: PathBuf,
    /// From 0, quick, to 9, small.
    level: String,
}

/// The verb: makes the archives and names them.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let options = Options::parse(flags)?;
    let manifest = Manifest::read(&repository()?)?;
    let programs = match &options.opcost {
        Some(path) => programs_beside(path)?,
        None => release_build()?,
    };
    fs::create_dir_all(&options.out).map_err(|error| Failure::at("create", &options.out, error))?;
    let tree = options.out.join("tree");
    tree::make(&tree, &programs, &manifest)?;
    let packing = Packing { out: &options.out, level: &options.level, time: time_of_commit()? };
    let archives = [tarball(&packing, &tree, &manifest)?, deb::make(&packing, &tree, &manifest)?];
    for name in &archives {
        let size = size_of(&options.out.join(name))?;
        println!("{:>5.1} MB  {}", megabytes(size), options.out.join(name).display());
    }
    checksums(&options.out, &archives)?;
    println!("          {}", options.out.join("SHA256SUMS").display());
    check_sizes(&options.out, &archives)?;
    println!("to install it: sudo apt-get install {}", options.out.join(&archives[1]).display());
    Ok(())
}

impl Options {
    fn parse(flags: &[&str]) -> Result<Self> {
        let mut options =
            Self { opcost: None, out: repository()?.join("target/dist"), level: "6".to_owned() };
        let mut flags = flags.iter();
        while let Some(flag) = flags.next() {
            let mut value = || {
                flags.next().copied().ok_or_else(|| Failure::usage(format!("{flag} wants a value after it")))
            };
            match *flag {
                "--opcost" => options.opcost = Some(PathBuf::from(value()?)),
                "--out" => options.out = PathBuf::from(value()?),
                "--level" => options.level = level(value()?)?,
                _ => return Err(Failure::usage(format!("dist has no flag {flag}; see `cargo xtask help`"))),
            }
        }
        options.out =
            std::path::absolute(&options.out).map_err(|error| Failure::at("find", &options.out, error))?;
        Ok(options)
    }
}

fn level(text: &str) -> Result<String> {
    match text.parse::<u8>() {
        Ok(0..=9) => Ok(text.to_owned()),
        _ => Err(Failure::usage(format!("--level wants a number from 0 to 9, not {text}"))),
    }
}

/// `opcost` and `cargo-opcost`, built for users.
fn release_build() -> Result<Vec<PathBuf>> {
    let root = repository()?;
    eprintln!("dist: building opcost (release; about ten minutes)");
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(["build", "--release", "--locked", "--package", "opcost-cli", "--bins"]).current_dir(&root);
    let status = cargo.status().map_err(|error| Failure::new(format!("`cargo` does not start: {error}")))?;
    if !status.success() {
        return Err(Failure::new("opcost does not build; cargo says above why"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    programs_beside(&root.join(target).join("release/opcost"))
}

fn programs_beside(opcost: &Path) -> Result<Vec<PathBuf>> {
    let opcost = std::path::absolute(opcost).map_err(|error| Failure::at("find", opcost, error))?;
    let programs: Vec<PathBuf> = PROGRAMS.iter().map(|name| opcost.with_file_name(name)).collect();
    match programs.iter().find(|path| !path.is_file()) {
        Some(missing) => Err(Failure::new(format!("there is no program {}", missing.display()))),
        None => Ok(programs),
    }
}

/// When the commit was made, or what SOURCE_DATE_EPOCH says: packages do not show when they were packed.
fn time_of_commit() -> Result<String> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(time);
    }
    let mut git = Command::new("git");
    let time = output_of(git.args(["log", "-1", "--format=%ct"]).current_dir(repository()?));
    let time = time.map_err(|failure| {
        Failure::new(format!("{failure}\nOutside of a clone, set SOURCE_DATE_EPOCH to a time in seconds."))
    })?;
    Ok(time.trim().to_owned())
}

/// The tree under one folder that carries the name of the archive.
fn tarball(packing: &Packing, tree: &Path, manifest: &Manifest) -> Result<String> {
    let (name, folder) = (manifest.tarball(), manifest.folder());
    let path = packing.out.join(&name);
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=u-w"]);
    tar.arg(format!("--mtime=@{}", packing.time)).arg(format!("--transform=s,^\\.,{folder},"));
    tar.arg(format!("--use-compress-program=xz -T2 -{}", packing.level));
    output_of(tar.arg("--file").arg(&path).arg("--directory").arg(tree).arg("."))?;
    Ok(name)
}

fn checksums(out: &Path, archives: &[String]) -> Result<()> {
    let sums = command::output_of(Command::new("sha256sum").args(archives).current_dir(out))?;
    let path = out.join("SHA256SUMS");
    fs::write(&path, sums).map_err(|error| Failure::at("write", &path, error))
}

fn check_sizes(out: &Path, archives: &[String]) -> Result<()> {
    for name in archives {
        let size = size_of(&out.join(name))?;
        if size > LARGEST {
            return Err(Failure::verdict(format!(
                "{name} has {:.1} MB, and at most {:.0} are allowed; --level 9 makes it smaller",
                megabytes(size),
                megabytes(LARGEST)
            )));
        }
    }
    Ok(())
}

fn size_of(path: &Path) -> Result<u64> {
    fs::metadata(path).map(|facts| facts.len()).map_err(|error| Failure::at("read", path, error))
}

#[allow(clippy::cast_precision_loss, reason = "sizes are shown with one digit after the point")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_archive_is_refused_with_its_size() {
        let folder = std::env::temp_dir().join(format!("opcost-dist-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let archive = fs::File::create(folder.join("a.deb")).unwrap();
        archive.set_len(LARGEST).unwrap();
        assert_eq!(check_sizes(&folder, &["a.deb".to_owned()]), Ok(()));
        archive.set_len(LARGEST + 1).unwrap();
        let failure = check_sizes(&folder, &["a.deb".to_owned()]).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(failure.status(), 3);
        assert!(failure.to_string().starts_with("a.deb has 35.0 MB"), "{failure}");
    }

    #[test]
    fn programs_that_are_not_there_are_named() {
        let failure = programs_beside(Path::new("/nowhere/opcost")).unwrap_err();
        assert_eq!(failure.to_string(), "there is no program /nowhere/opcost");
    }

    #[test]
    fn wrong_flags_are_refused() {
        for flags in [&["--level", "10"][..], &["--level", "best"], &["--level"], &["--fast"]] {
            assert_eq!(run(flags).unwrap_err().status(), 2, "{flags:?}");
        }
    }
}
