//! What does a build under make take: from nothing, from nothing again, and after one file changed?
//!
//! Lua's sources are copied into a folder with a makefile of one rule, and built by clang and by `opcost cc` in
//! turns. The change is a comment at the end of one source, another one in each round, so that no compiler
//! has seen it. Output: wall seconds, medians, and how many sources were compiled after the change. Cost: a
//! minute for three rounds.

use super::wall::timed;
use crate::bench::{figures, setup};
use crate::failure::{Failure, Result};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source that changes.
const CHANGED: &str = "ltable.c";

/// How a compiler did.
pub(super) struct Made {
    compiler: &'static str,
    /// From nothing, from nothing again, after a change.
    seconds: [f64; 3],
    /// How many sources were compiled after the change.
    compiled: usize,
    /// How many there are.
    sources: usize,
}

/// Builds it by each compiler, `rounds` times, one after the other.
pub(super) fn measure(opcost: &Path, folder: &Path, rounds: usize) -> Result<Vec<Made>> {
    let program = setup::program("lua")?;
    let build = folder.join("made");
    let _ = fs::remove_dir_all(&build);
    fs::create_dir_all(&build).map_err(|error| Failure::at("create", &build, error))?;
    let mut names = Vec::new();
    for source in &program.sources {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        copy(source, &build.join(&name))?;
        names.push(name);
    }
    let headers = setup::source(&program, "lvm.c")?.parent().unwrap_or(Path::new("/")).to_owned();
    for entry in fs::read_dir(&headers).map_err(|error| Failure::at("read", &headers, error))? {
        let path = entry.map_err(|error| Failure::at("read", &headers, error))?.path();
        if path.extension().is_some_and(|extension| extension == "h") {
            copy(&path, &build.join(path.file_name().unwrap_or_default()))?;
        }
    }
    let flags: Vec<&String> = program.flags.iter().filter(|flag| !flag.starts_with("-I")).collect();
    let flags: Vec<String> = flags.iter().map(|flag| format!("'{flag}'")).collect();
    let objects: Vec<String> = names.iter().map(|name| name.replace(".c", ".o")).collect();
    let makefile = format!(
        "lua: {objects}\n\t$(CC) -O2 -o $@ {objects} {libraries}\n%.o: %.c\n\t$(CC) -O2 {flags} -c -o $@ $<\n",
        objects = objects.join(" "),
        libraries = program.libraries.join(" "),
        flags = flags.join(" "),
    );
    let path = build.join("Makefile");
    fs::write(&path, makefile).map_err(|error| Failure::at("write", &path, error))?;
    let compilers = [("clang-22", "clang-22".to_owned()), ("opcost cc", format!("{} cc", opcost.display()))];
    let made = Build { build, cache: folder.join("cache of make") };
    let mut seconds: [[Vec<f64>; 3]; 2] = Default::default();
    let mut compiled = [0; 2];
    for round in 0..rounds {
        eprintln!("bench: a build under make, round {} of {rounds}", round + 1);
        let _ = fs::remove_dir_all(&made.cache);
        for (at, (_, compiler)) in compilers.iter().enumerate() {
            for way in &mut seconds[at][..2] {
                made.clean(&objects)?;
                way.push(made.make(compiler)?.0);
            }
            made.change(&format!("{round}.{at}"))?;
            let (took, said) = made.make(compiler)?;
            seconds[at][2].push(took);
            compiled[at] = said.lines().filter(|line| line.contains(" -c ")).count();
        }
    }
    Ok((0..2)
        .map(|at| Made {
            compiler: compilers[at].0,
            seconds: seconds[at].each_ref().map(|all| figures::median(all).unwrap_or(0.0)),
            compiled: compiled[at],
            sources: names.len(),
        })
        .collect())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(|error| Failure::at("copy", from, error))
}

/// Where it is built.
struct Build {
    build: PathBuf,
    cache: PathBuf,
}

impl Build {
    fn clean(&self, objects: &[String]) -> Result<()> {
        for object in objects.iter().map(String::as_str).chain(["lua"]) {
            let path = self.build.join(object);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Failure::at("remove", &path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn change(&self, what: &str) -> Result<()> {
        let path = self.build.join(CHANGED);
        let mut text = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
        let _ = writeln!(text, "/* {what} */");
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))
    }

    /// Wall seconds, and what make printed.
    fn make(&self, compiler: &str) -> Result<(f64, String)> {
        let mut make = Command::new("make");
        make.arg(format!("CC={compiler}")).current_dir(&self.build).env("OPCOST_CACHE", &self.cache);
        let (said, took) = timed(&mut make)?;
        Ok((took, String::from_utf8_lossy(&said).into_owned()))
    }
}

/// The part of the page.
pub(super) fn page(all: &[Made], rounds: usize) -> String {
    let mut page = format!(
        "\n## A build under make\n\n\
         Lua's sources, by `make` without `-j`. Wall seconds, medians of {rounds} interleaved rounds. After the change \
         of one source, a new comment in `{CHANGED}`, `make` compiles and links.\n\n\
         | | from nothing | from nothing again | one source changed | sources compiled then |\n|---|---:|---:|---:|---:|\n"
    );
    for Made { compiler, seconds: [first, again, changed], compiled, sources } in all {
        let _ = writeln!(
            page,
            "| `{compiler}` | {first:.2} | {again:.2} | {changed:.2} | {compiled} of {sources} |"
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::{Made, page};

    #[test]
    fn each_compiler_has_a_line() {
        let made = Made { compiler: "opcost cc", seconds: [9.0, 4.0, 0.5], compiled: 1, sources: 33 };
        let page = page(&[made], 3);
        assert!(page.contains("| `opcost cc` | 9.00 | 4.00 | 0.50 | 1 of 33 |"), "{page}");
    }
}
