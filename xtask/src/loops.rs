//! `cargo xtask loops`: do the programs of `corpus/loops` still say what they
//! should, and do their marks hold?
//!
//! Every program is built at each level and run on its own sizes and, where
//! `corpus/loops/inputs` has files for it, on the small ones too: it must end
//! with status 0, which it does only if its checksum is the known one, and
//! print the same at all levels. Then the marked programs count the turns of
//! every marked loop themselves ([`observe`]) and what they counted is held
//! against the marks.
//!
//! What the sets are is written in no list: they are folders, and
//! `corpus/loops/frozen.sha256` pins every file in them, so that a benchmark of
//! today and one of next year are about the same loops.

mod observe;

use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use opcost_testkit::read_marks;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The levels at which everything is looked at.
pub(crate) const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// One program of the sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The name of its file, without what it ends in.
    pub(crate) name: String,
    /// Its main source.
    pub(crate) source: PathBuf,
    /// Sources of which it takes what it needs.
    pub(crate) common: Vec<PathBuf>,
    pub(crate) flags: Vec<OsString>,
    pub(crate) libraries: Vec<String>,
}

/// A folder of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) members: Vec<Member>,
}

/// Where the programs lie.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(repository()?.join("corpus/loops"))
}

/// The sets of our own programs, in the order of the pages.
pub(crate) fn sets() -> Result<Vec<Set>> {
    let folder = folder()?;
    ["fortran", "c", "kernels", "hard"].into_iter().map(|name| set(name, &folder)).collect()
}

fn set(name: &'static str, folder: &Path) -> Result<Set> {
    let own = folder.join(name);
    let common = own.join("common");
    let common = if common.is_dir() { sources(&common)? } else { Vec::new() };
    let mut flags: Vec<OsString> = vec!["-I".into(), own.clone().into_os_string()];
    if name == "fortran" {
        flags.extend(["-I".into(), own.join("common").into_os_string()]);
    }
    let libraries =
        if name == "fortran" { Vec::new() } else { ["-lm", "-pthread"].map(str::to_owned).to_vec() };
    let members = sources(&own)?.into_iter().map(|source| Member {
        name: source.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        common: common.clone(),
        flags: flags.clone(),
        libraries: if is_fortran(&source) { Vec::new() } else { libraries.clone() },
        source,
    });
    Ok(Set { name, members: members.collect() })
}

/// The sources directly in a folder, sorted.
pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| Failure::at("list", folder, error))? {
        let path = entry.map_err(|error| Failure::at("list", folder, error))?.path();
        if path.extension().is_some_and(|end| ["c", "f", "f90", "ll"].iter().any(|known| end == *known)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether flang compiles it.
pub(crate) fn is_fortran(source: &Path) -> bool {
    source.extension().is_some_and(|end| end == "f" || end == "f90")
}

/// The compiler for a source.
pub(crate) fn compiler_of(source: &Path) -> Command {
    Command::new(if is_fortran(source) { "flang-22" } else { "clang-22" })
}

/// Are the files those that were frozen?
pub(crate) fn check_frozen() -> Result<()> {
    check_frozen_in(&folder()?)
}

/// The same of any folder with such a list.
pub(crate) fn check_frozen_in(folder: &Path) -> Result<()> {
    let arguments = ["--check", "--strict", "--quiet", "frozen.sha256"];
    command::output_of(Command::new("sha256sum").args(arguments).current_dir(folder)).map(|_| ()).map_err(
        |failure| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            Failure::new(format!("the frozen list of {name} has changed: {failure}"))
        },
    )
}

/// The verb.
pub(crate) fn run(flags: &[&str]) -> Result<()> {
    let mut names = flags.to_vec();
    let marks_only = names.first() == Some(&"--marks");
    if marks_only {
        names.remove(0);
    }
    check_frozen()?;
    let scratch = repository()?.join("target/loops");
    fs::create_dir_all(&scratch).map_err(|error| Failure::at("create", &scratch, error))?;
    let (mut wrong, mut found) = (Vec::new(), 0);
    for set in sets()? {
        for member in set.members.iter().filter(|member| names.is_empty() || names.contains(&&*member.name)) {
            found += 1;
            let programs = if marks_only { Ok(()) } else { check_program(member, &scratch) };
            let words = programs.and_then(|()| check_marks(member, &scratch));
            match words {
                Ok(words) => println!("{:8} {:28} {words}", set.name, member.name),
                Err(failure) => wrong.push(format!("{} {}: {failure}", set.name, member.name)),
            }
        }
    }
    if found == 0 {
        return Err(Failure::usage(format!("corpus/loops has none of {}", names.join(", "))));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::verdict(wrong.join("\n"))) }
}

/// Builds at each level and compares what is printed.
fn check_program(member: &Member, scratch: &Path) -> Result<()> {
    let mut expected: Vec<Vec<u8>> = Vec::new();
    for level in LEVELS {
        let executable = scratch.join("program");
        build(member, level, &executable, scratch)?;
        for (place, inputs) in [None, Some(folder()?.join("inputs"))].into_iter().enumerate() {
            let printed = run_in(&executable, inputs.as_deref(), scratch)
                .map_err(|failure| Failure::new(format!("at {level}: {failure}")))?;
            match expected.get(place) {
                None => expected.push(printed),
                Some(known) if *known != printed => {
                    return Err(Failure::new(format!("at {level} it prints something else than at -O0")));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

fn build(member: &Member, level: &str, executable: &Path, scratch: &Path) -> Result<()> {
    let mut command = compiler_of(&member.source);
    // The text form of IR names a target of its own.
    command.args([level, "-w"]).args(&member.flags).arg(&member.source).args(&member.common);
    command.arg("-o").arg(executable).args(&member.libraries);
    command::output_of(command.current_dir(scratch)).map(|_| ())
}

/// Runs it in a folder of its own, with or without input files; what it
/// printed.
pub(crate) fn run_in(executable: &Path, inputs: Option<&Path>, scratch: &Path) -> Result<Vec<u8>> {
    let room = furnished_room(inputs, scratch)?;
    let output = Command::new(executable)
        .current_dir(&room)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::at("start", executable, error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(Failure::new(format!("it ended with {}: {}", output.status, String::from_utf8_lossy(&said).trim())))
}

/// An empty folder, or one that holds copies of the inputs.
pub(crate) fn furnished_room(inputs: Option<&Path>, scratch: &Path) -> Result<PathBuf> {
    let room = scratch.join("room");
    if room.exists() {
        fs::remove_dir_all(&room).map_err(|error| Failure::at("empty", &room, error))?;
    }
    fs::create_dir_all(&room).map_err(|error| Failure::at("create", &room, error))?;
    if let Some(inputs) = inputs {
        for entry in fs::read_dir(inputs).map_err(|error| Failure::at("list", inputs, error))? {
            let path = entry.map_err(|error| Failure::at("list", inputs, error))?.path();
            let copy = room.join(path.file_name().unwrap_or_default());
            fs::copy(&path, &copy).map_err(|error| Failure::at("copy", &path, error))?;
        }
    }
    Ok(room)
}

/// Counts the turns of marked loops; what held, in words.
fn check_marks(member: &Member, scratch: &Path) -> Result<String> {
    let text =
        fs::read_to_string(&member.source).map_err(|error| Failure::at("read", &member.source, error))?;
    let marks = read_marks(&text).map_err(Failure::new)?;
    if marks.is_empty() {
        return Ok("as it should be".to_owned());
    }
    let seen = observe::run(member, &text, &marks, scratch)?;
    if seen.wrong.is_empty() {
        Ok(format!("as it should be; {} marks, {}", marks.len(), seen.words()))
    } else {
        Err(Failure::new(seen.wrong.join("\n")))
    }
}

/// Every file of the folder but two stands in its list.
#[cfg(test)]
pub(crate) fn assert_pinned(folder: &Path) {
    use std::collections::BTreeSet;
    let pinned = fs::read_to_string(folder.join("frozen.sha256")).unwrap();
    let pinned: BTreeSet<&str> =
        pinned.lines().filter_map(|line| line.split_once("  ")).map(|row| row.1).collect();
    let mut there = BTreeSet::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                there.insert(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    for words in ["README.md", "frozen.sha256"] {
        assert!(there.remove(words), "{words}");
    }
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    assert_eq!(pinned, there, "the folder's README.md says how to freeze again");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_frozen() {
        check_frozen().unwrap();
    }

    #[test]
    fn every_file_of_the_sets_is_pinned() {
        assert_pinned(&folder().unwrap());
    }

    #[test]
    fn the_sets_are_what_they_are_called() {
        let sets = sets().unwrap();
        let names = |place: usize| -> Vec<&str> {
            sets[place].members.iter().map(|member| member.name.as_str()).collect()
        };
        let programs = ["adi", "cg", "fft", "mesh", "mg", "penta", "rng", "sort", "ssor", "stencil"];
        assert_eq!(names(0), programs);
        assert_eq!(names(1), programs);
        assert_eq!(names(2).len(), 12);
        assert!(names(3).contains(&"assertions") && names(3).contains(&"hostile_longjmp"));
        assert!(sets[0].members.iter().all(|member| is_fortran(&member.source) && member.common.len() == 3));
    }

    #[test]
    fn the_files_are_full_of_marks() {
        let folder = folder().unwrap().join("hard");
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let marks = read_marks(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            if !path.ends_with("hard.h") {
                assert!(!marks.is_empty(), "{} has no mark", path.display());
            }
            all.extend(marks.into_iter().flat_map(|mark| mark.claims));
        }
        let of = |quality| all.iter().filter(|claim| claim.quality == quality).count();
        let counts = (
            of(opcost_testkit::Quality::Exact),
            of(opcost_testkit::Quality::Bound),
            of(opcost_testkit::Quality::Unknown),
        );
        assert!(counts.0 >= 80 && counts.1 >= 8 && counts.2 >= 25, "{counts:?}");
    }
}
