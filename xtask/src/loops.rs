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
//! Every file of the sets is pinned by `corpus/loops/frozen.sha256`.

pub(crate) mod frozen;
mod observe;
pub(crate) mod room;
pub(crate) mod sets;

use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use opcost_testkit::read_marks;
use room::run_in;
use sets::{LEVELS, Member, compiler_of, folder, sets};
use std::fs;
use std::path::Path;

/// Are the files those that were frozen?
pub(crate) fn check_frozen() -> Result<()> {
    frozen::check(&folder()?)
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

/// Counts the iterations of marked loops; what held, in words.
fn check_marks(member: &Member, scratch: &Path) -> Result<String> {
    let text =
        fs::read_to_string(&member.source).map_err(|error| Failure::at("read", &member.source, error))?;
    let marks = read_marks(&text).map_err(|error| Failure::new(error.to_string()))?;
    if marks.is_empty() {
        return Ok("as it should be".to_owned());
    }
    let observed = observe::run(member, &text, &marks, scratch)?;
    if observed.wrong.is_empty() {
        Ok(format!("as it should be; {} marks, {}", marks.len(), observed.words()))
    } else {
        Err(Failure::new(observed.wrong.join("\n")))
    }
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
        frozen::assert_pinned(&folder().unwrap());
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
            of(opcost_testkit::MarkQuality::Exact),
            of(opcost_testkit::MarkQuality::Bound),
            of(opcost_testkit::MarkQuality::Unknown),
        );
        assert!(counts.0 >= 80 && counts.1 >= 8 && counts.2 >= 25, "{counts:?}");
    }
}
