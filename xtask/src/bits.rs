//! `cargo xtask bits`: do the programs of `corpus/bits` still say what they
//! should, and do their marks hold?
//!
//! Every program is built at -O0 and -O2 with the sanitizers of addresses and
//! of undefined behaviour, which end it at the first trouble, and run with the
//! seed that is built in and with another: it must end with status 0, which it
//! does only if a second implementation in the same file, or known vectors, say
//! the same, and print the same at both levels. Then its marked values are
//! observed ([`observe`]). A twin has to be its program but for a few lines.
//!
//! What there is is written in no list: the programs are the files of three
//! folders, and `corpus/bits/frozen.sha256` pins them.

mod observe;

use crate::command;
use crate::failure::{Failure, Result};
use crate::loops::{frozen, sets};
use crate::root::repository;
use opcost_testkit::read_widths;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folders, with the names of the sets.
const SETS: [(&str, &str); 3] = [("programs", ""), ("twins", "twins"), ("hard", "hard")];

const SANITIZERS: [&str; 2] = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"];

/// Lines in which a twin may differ: the fact, what says so, and what shows it.
const MOST_DIFFERENT: usize = 40;

/// One program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) set: &'static str,
    pub(crate) name: String,
    pub(crate) source: PathBuf,
}

/// Where the programs are.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(repository()?.join("corpus/bits"))
}

/// All programs, set by set, sorted.
pub(crate) fn members() -> Result<Vec<Member>> {
    let mut all = Vec::new();
    for (set, place) in SETS {
        for source in sets::sources(&folder()?.join(place))? {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all.push(Member { set, name, source });
        }
    }
    Ok(all)
}

/// Are the files those that were frozen?
pub(crate) fn check_frozen() -> Result<()> {
    frozen::check(&folder()?)
}

/// The verb.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    check_frozen()?;
    let mut chosen = members()?;
    chosen.retain(|member| names.is_empty() || names.contains(&&*member.name));
    if chosen.is_empty() {
        return Err(Failure::usage(format!("corpus/bits has none of {}", names.join(", "))));
    }
    let mut wrong = Vec::new();
    for (member, outcome) in chosen.iter().zip(check_all(&chosen)?) {
        match outcome {
            Ok(words) => println!("{:8} {:28} {words}", member.set, member.name),
            Err(failure) => wrong.push(format!("{} {}: {failure}", member.set, member.name)),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::verdict(wrong.join("\n"))) }
}

/// Checks the programs, as many at once as the machine has processors.
fn check_all(members: &[Member]) -> Result<Vec<Result<String>>> {
    let scratch = repository()?.join("target/bits");
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<(usize, Result<String>)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(member) = members.get(place) else { return };
                    let room = scratch.join(format!("{}-{}", member.set, member.name));
                    let outcome = check(member, &room);
                    outcomes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((place, outcome));
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcomes.sort_by_key(|(place, _)| *place);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

fn check(member: &Member, room: &Path) -> Result<String> {
    fs::create_dir_all(room).map_err(|error| Failure::at("create", room, error))?;
    if member.set == "twins" {
        check_twin(member)?;
    }
    check_program(member, room)?;
    let text =
        fs::read_to_string(&member.source).map_err(|error| Failure::at("read", &member.source, error))?;
    let marks = read_widths(&text).map_err(|error| Failure::new(error.to_string()))?;
    if marks.is_empty() {
        return Err(Failure::new("it has no marks"));
    }
    let wrong = observe::run(&member.source, &text, &marks, room)?;
    if wrong.is_empty() {
        let claims: usize = marks.iter().map(|mark| mark.claims.len()).sum();
        Ok(format!("as it should be; {claims} widths"))
    } else {
        Err(Failure::new(wrong.join("\n")))
    }
}

/// Builds with sanitizers at both levels, and compares what is printed.
fn check_program(member: &Member, room: &Path) -> Result<()> {
    let mut expected: Vec<Option<String>> = vec![None, None];
    for level in ["-O0", "-O2"] {
        let executable = room.join("program");
        let mut compiler = Command::new("clang-22");
        compiler
            .args([level, "-fuse-ld=lld", "-Wall", "-Wextra", "-Werror"])
            .args(SANITIZERS)
            .arg(&member.source);
        command::output_of(compiler.arg("-o").arg(&executable).arg("-lm"))?;
        for (seed, known) in [None, Some("20261123")].into_iter().zip(&mut expected) {
            let printed = command::output_of(Command::new(&executable).args(seed))
                .map_err(|failure| Failure::new(format!("at {level}, seed {seed:?}: {failure}")))?;
            match known {
                Some(known) if *known != printed => {
                    return Err(Failure::new(format!("at {level} it prints something else than at -O0")));
                }
                _ => *known = Some(printed),
            }
        }
    }
    Ok(())
}

/// A twin is its program but for few lines.
fn check_twin(member: &Member) -> Result<()> {
    let original = folder()?.join(format!("{}.c", member.name));
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| Failure::at("read", path, error));
    let (twin, original) = (read(&member.source)?, read(&original)?);
    match differing_lines(&original, &twin) {
        0 => Err(Failure::new("it is the program itself")),
        lines if lines > MOST_DIFFERENT => {
            Err(Failure::new(format!("{lines} lines are others than its program's")))
        }
        _ => Ok(()),
    }
}

/// How many lines of the twin are not in the original, in order. The original's
/// lines are passed over as far as needed to find the next common one nearby.
fn differing_lines(original: &str, twin: &str) -> usize {
    const NEARBY: usize = 40;
    let original: Vec<&str> = original.lines().collect();
    let (mut at, mut different) = (0, 0);
    for line in twin.lines() {
        let ahead = original[at..].iter().take(NEARBY).position(|known| *known == line);
        // Short lines are everywhere: they must be the very next.
        match ahead {
            Some(0) => at += 1,
            Some(distance) if line.trim().len() > 12 => at += distance + 1,
            _ => different += 1,
        }
    }
    different
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_frozen() {
        check_frozen().unwrap();
    }

    #[test]
    fn every_file_is_pinned() {
        frozen::assert_pinned(&folder().unwrap());
    }

    #[test]
    fn every_program_has_a_twin() {
        let all = members().unwrap();
        let names = |set: &str| -> BTreeSet<&str> {
            all.iter().filter(|member| member.set == set).map(|member| &*member.name).collect()
        };
        assert_eq!(names("programs"), names("twins"));
        for name in ["idct", "jacobi", "luma", "chroma", "deblock", "adpcm", "gsm", "sha256", "aes"] {
            assert!(names("programs").contains(name), "{name}");
        }
        for name in ["blowfish", "softdouble", "huffman", "motion", "mips", "loops"] {
            assert!(names("programs").contains(name), "{name}");
        }
        assert!(names("hard").len() >= 8, "{:?}", names("hard"));
    }

    #[test]
    fn lines_of_a_twin_are_counted() {
        let original = "first line of it all\n{\n}\nsecond line of it all\n";
        assert_eq!(differing_lines(original, original), 0);
        assert_eq!(differing_lines(original, "first line of it all\n}\nsecond line of it all\n"), 1);
        assert_eq!(differing_lines(original, "new\nfirst line of it all\n{\n}\nsecond line, changed\n"), 2);
    }

    #[test]
    fn programs_are_free_of_undefined_behaviour_and_their_marks_hold() {
        let members = members().unwrap();
        let outcomes = check_all(&members).unwrap();
        assert_eq!(outcomes.len(), members.len());
        let wrong: Vec<String> = members
            .iter()
            .zip(outcomes)
            .filter_map(|(member, outcome)| {
                Some(format!("{} {}: {}", member.set, member.name, outcome.err()?))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
