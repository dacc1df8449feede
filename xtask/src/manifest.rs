//! The list of programs, as written and as resolved.
//!
//! `corpus/programs.toml` (and `training.toml`, `tuned.toml` next to it) names programs by
//! paths with placeholders ([`Manifest`]); a resolved [`Program`] has absolute
//! paths only and is what `corpus.json` holds. Between the two lies
//! [`Manifest::resolve`], which touches the file system only to expand a `*` in
//! the last part of a path.

use crate::failure::{Failure, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the form of `corpus.json`.
pub(crate) const CORPUS_SCHEMA: &str = "opcost.corpus/1";

/// `corpus/programs.toml`, `corpus/training.toml` or `corpus/tuned.toml`, read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The crates that carry sources, by name.
    pub(crate) crates: BTreeMap<String, Pin>,
    /// The programs in the order of the file.
    #[serde(rename = "program")]
    pub(crate) programs: Vec<Entry>,
}

/// One crate at one version with the hash of its package file.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// The exact version, build metadata included.
    pub(crate) version: String,
    /// SHA-256 of the `.crate` file, as in a `Cargo.lock`.
    pub(crate) sha256: String,
}

/// One program as written, placeholders unresolved.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) name: String,
    about: String,
    language: Language,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    libraries: Vec<String>,
    manifest: Option<String>,
    bin: Option<String>,
    #[serde(default)]
    arguments: Vec<String>,
    long: Option<Vec<String>>,
    small: Vec<String>,
    #[serde(default = "always")]
    same_count: bool,
    #[serde(default)]
    bench: bool,
}

fn always() -> bool {
    true
}

/// What makes a program of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    /// clang
    C,
    /// clang++
    #[serde(rename = "c++")]
    Cpp,
    /// flang
    Fortran,
    /// rustc
    Rust,
    /// cargo, from a manifest
    Cargo,
}

/// One program with absolute paths: an entry of `corpus.json`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Program {
    /// A short name, unique in the corpus.
    pub(crate) name: String,
    /// One line for people.
    pub(crate) about: String,
    /// What builds it.
    pub(crate) language: Language,
    /// Every source file; empty for a cargo package.
    pub(crate) sources: Vec<PathBuf>,
    /// Flags of the compiler: definitions and include folders.
    pub(crate) flags: Vec<String>,
    /// Flags of the linker, after the sources.
    pub(crate) libraries: Vec<String>,
    /// The manifest of a cargo package.
    pub(crate) manifest: Option<PathBuf>,
    /// Which binary of the cargo package.
    pub(crate) bin: Option<String>,
    /// About 0.2 s of work.
    pub(crate) arguments: Vec<String>,
    /// About 0.4 s of work, for timing; the same as `arguments` when the
    /// manifest says nothing.
    pub(crate) long: Vec<String>,
    /// Little work, for slow observers.
    pub(crate) small: Vec<String>,
    /// Whether two runs execute the same instructions.
    pub(crate) same_count: bool,
    /// Whether it is one of the programs of the benchmark.
    pub(crate) bench: bool,
    /// The pinned crates whose files it uses.
    pub(crate) crates: BTreeMap<String, Pin>,
}

impl Manifest {
    /// Reads the manifest and checks that names are unique and each crate
    /// that a program mentions is pinned.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::at("read", path, error))?;
        let manifest: Self = toml::from_str(&text).map_err(|error| Failure::at("understand", path, error))?;
        for (position, entry) in manifest.programs.iter().enumerate() {
            if manifest.programs[..position].iter().any(|other| other.name == entry.name) {
                return Err(Failure::at("use", path, format!("program {} is there twice", entry.name)));
            }
        }
        Ok(manifest)
    }

    /// The entries with these names, all of them when none is given.
    pub(crate) fn select(&self, names: &[&str]) -> Result<Vec<&Entry>> {
        if names.is_empty() {
            return Ok(self.programs.iter().collect());
        }
        names
            .iter()
            .map(|name| {
                self.programs.iter().find(|entry| entry.name == *name).ok_or_else(|| {
                    let known: Vec<&str> = self.programs.iter().map(|entry| entry.name.as_str()).collect();
                    Failure::usage(format!("no program is called {name}; there are {}", known.join(", ")))
                })
            })
            .collect()
    }

    /// The pinned crates that an entry mentions.
    pub(crate) fn crates_of(&self, entry: &Entry) -> BTreeMap<String, Pin> {
        let mentioned = |name: &str| {
            let placeholder = format!("{{{name}}}");
            entry.texts().any(|text| text.contains(&placeholder))
        };
        self.crates
            .iter()
            .filter(|(name, _)| mentioned(name))
            .map(|(name, pin)| (name.clone(), pin.clone()))
            .collect()
    }

    /// The program with every placeholder replaced by a folder: `{corpus}` by
    /// `own`, `{NAME}` by `crates/NAME`. The crates must be there already.
    pub(crate) fn resolve(&self, entry: &Entry, own: &Path, crates: &Path) -> Result<Program> {
        let placeholders =
            Placeholders { own, crates, names: self.crates.keys().map(String::as_str).collect() };
        let fill =
            |texts: &[String]| texts.iter().map(|text| placeholders.fill(text)).collect::<Result<Vec<_>>>();
        let mut sources = Vec::new();
        for text in fill(&entry.sources)? {
            sources.extend(expand_star(Path::new(&text))?);
        }
        let arguments = fill(&entry.arguments)?;
        Ok(Program {
            name: entry.name.clone(),
            about: entry.about.clone(),
            language: entry.language,
            sources,
            flags: fill(&entry.flags)?,
            libraries: fill(&entry.libraries)?,
            manifest: entry
                .manifest
                .as_deref()
                .map(|text| placeholders.fill(text))
                .transpose()?
                .map(PathBuf::from),
            bin: entry.bin.clone(),
            long: entry.long.as_deref().map(fill).transpose()?.unwrap_or_else(|| arguments.clone()),
            small: fill(&entry.small)?,
            arguments,
            same_count: entry.same_count,
            bench: entry.bench,
            crates: self.crates_of(entry),
        })
    }
}

impl Entry {
    /// Every text in which a placeholder may be.
    fn texts(&self) -> impl Iterator<Item = &String> {
        let long = self.long.iter().flatten();
        let lists = [&self.sources, &self.flags, &self.libraries, &self.arguments, &self.small];
        lists.into_iter().flatten().chain(long).chain(self.manifest.iter())
    }
}

/// What replaces each placeholder.
struct Placeholders<'a> {
    own: &'a Path,
    crates: &'a Path,
    names: Vec<&'a str>,
}

impl Placeholders<'_> {
    fn fill(&self, text: &str) -> Result<String> {
        let mut filled = text.replace("{corpus}", &self.own.to_string_lossy());
        for name in &self.names {
            filled = filled.replace(&format!("{{{name}}}"), &self.crates.join(name).to_string_lossy());
        }
        match filled.find('{') {
            Some(_) => Err(Failure::new(format!("a list in corpus/: `{text}` has an unknown placeholder"))),
            None => Ok(filled),
        }
    }
}

/// The files that a path with at most one `*` in its last part names, sorted; the path itself when
/// it has none. No file is an error.
fn expand_star(path: &Path) -> Result<Vec<PathBuf>> {
    let pattern = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((front, back)) = pattern.split_once('*') else {
        return if path.is_file() { Ok(vec![path.to_owned()]) } else { Err(missing(path)) };
    };
    let folder = path.parent().ok_or_else(|| missing(path))?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| Failure::at("list", folder, error))? {
        let entry = entry.map_err(|error| Failure::at("list", folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.len() >= front.len() + back.len() && name.starts_with(front) && name.ends_with(back) {
            found.push(entry.path());
        }
    }
    found.sort();
    if found.is_empty() { Err(missing(path)) } else { Ok(found) }
}

fn missing(path: &Path) -> Failure {
    Failure::new(format!("the corpus lacks {}; run `cargo xtask corpus`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real() -> (Manifest, PathBuf) {
        let own = crate::root::repository().unwrap().join("corpus");
        (Manifest::read(&own.join("programs.toml")).unwrap(), own)
    }

    #[test]
    fn our_own_programs_resolve() {
        let (manifest, own) = real();
        for entry in manifest.programs.iter().filter(|entry| manifest.crates_of(entry).is_empty()) {
            let program = manifest.resolve(entry, &own, Path::new("/nowhere")).unwrap();
            assert!(!program.sources.is_empty(), "{}", program.name);
            assert!(program.sources.iter().all(|source| source.is_file()), "{}", program.name);
        }
    }

    #[test]
    fn four_programs_are_measured() {
        let (manifest, _) = real();
        let names: Vec<&str> =
            manifest.programs.iter().filter(|entry| entry.bench).map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["kernel", "lua", "zstd", "sqlite"]);
    }

    /// None of them is measured with constants that were fit on it.
    #[test]
    fn no_program_is_in_two_lists() {
        let (_, own) = real();
        let lists = ["programs.toml", "training.toml", "tuned.toml"];
        let lists = lists.map(|list| Manifest::read(&own.join(list)).unwrap());
        for (number, list) in lists.iter().enumerate() {
            let others =
                || lists.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, other)| other);
            for entry in &list.programs {
                assert!(others().flat_map(|other| &other.programs).all(|other| other.name != entry.name));
                let crates = list.crates_of(entry);
                assert!(crates.keys().all(|name| others().all(|other| !other.crates.contains_key(name))));
                let ours = entry.sources.iter().filter_map(|source| source.strip_prefix("{corpus}/"));
                let mut ours = ours.filter(|source| !source.contains('*')).map(|source| own.join(source));
                assert!(ours.all(|source| source.is_file()), "{}", entry.name);
            }
        }
    }

    /// Another input would be no judge.
    #[test]
    fn training_is_another_run_than_the_one_that_judges() {
        let (_, own) = real();
        let tuned = Manifest::read(&own.join("tuned.toml")).unwrap();
        for entry in &tuned.programs {
            assert!(entry.long.as_ref().is_some_and(|long| *long != entry.arguments), "{}", entry.name);
        }
    }

    #[test]
    fn a_star_gives_sorted_files_and_nothing_is_an_error() {
        let own = crate::root::repository().unwrap().join("corpus/fortran");
        let names: Vec<String> = expand_star(&own.join("*.f90"))
            .unwrap()
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["heat.f90", "matmul.f90", "strings.f90"]);
        assert!(expand_star(&own.join("*.none")).is_err());
        assert!(expand_star(&own.join("none.f90")).is_err());
    }

    #[test]
    fn an_unknown_placeholder_is_refused() {
        let placeholders =
            Placeholders { own: Path::new("/own"), crates: Path::new("/crates"), names: vec!["a"] };
        assert_eq!(placeholders.fill("-I{a}/x").unwrap(), "-I/crates/a/x");
        assert!(placeholders.fill("{b}/x").is_err());
    }
}
