//! Whose work is in the programs, and under which licence?
//!
//! Crates come from `cargo metadata`: all that `opcost-cli` is linked with on the target, by
//! their own licence files. LLVM and libstdc++'s headers come from Debian, with Debian's texts.
//! A text that several crates share stands once. A crate that names no licence is an error.
//!
//! Output: the file `copyright` in Debian's form, and all texts. Limits: crates that only run
//! while others are compiled (derive macros) are listed too; texts are not compared with the
//! licence that a crate names.

use super::manifest::{Manifest, TARGET};
use crate::command::output_of;
use crate::failure::{Failure, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Debian packages whose parts are in `opcost`: what, package, where its text is.
const OF_DEBIAN: [(&str, &str, &str); 2] = [
    ("LLVM 22, linked into opcost", "llvm-22-dev", "/usr/share/doc/llvm-22-dev/copyright"),
    (
        "libstdc++ 12's headers, packed into opcost for portable programs",
        "libstdc++-12-dev",
        "/usr/share/doc/libstdc++-12-dev/copyright",
    ),
];

/// Names of files that hold a licence begin so, in capitals.
const BEGINNINGS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];

/// What is installed next to the programs.
pub(super) struct Notices {
    pub(super) copyright: String,
    pub(super) third_party: String,
}

/// One crate that is linked.
struct Linked {
    title: String,
    licence: String,
    folder: PathBuf,
}

/// Writes both texts.
pub(super) fn write(manifest: &Manifest) -> Result<Notices> {
    Ok(Notices { copyright: copyright(manifest)?, third_party: third_party(&manifest.root)? })
}

fn copyright(manifest: &Manifest) -> Result<String> {
    let path = manifest.root.join("LICENSE-MIT");
    let licence = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
    Ok(format!(
        "opcost {}: {}\nSource: {}\n\n\
         Licence: MIT or Apache-2.0, as you like. The texts: /usr/share/doc/opcost/LICENSE-MIT\n\
         and LICENSE-APACHE (the same as /usr/share/common-licenses/Apache-2.0).\n\n\
         The program holds work of others, each under its own licence. It has LLVM 22 (Apache-2.0 with\n\
         the LLVM exceptions), libstdc++ 12's headers (GPL 3 with the GCC Runtime Library Exception)\n\
         and crates. Names and texts of all: /usr/share/doc/opcost/THIRD-PARTY.gz\n\n{licence}",
        manifest.version, manifest.description, manifest.repository
    ))
}

fn third_party(root: &Path) -> Result<String> {
    let crates = linked(root)?;
    let mut text = String::from(
        "Work of others in opcost, and its licences.\n\nRust's standard library: MIT OR Apache-2.0\n",
    );
    let mut texts: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (what, package, path) in OF_DEBIAN {
        let _ = writeln!(text, "{what}: the text of Debian's package {package}");
        let own = fs::read_to_string(path).map_err(|error| {
            Failure::new(format!("cannot read {path}: {error}; ./x setup installs {package}"))
        })?;
        texts.entry(own).or_default().insert(what);
    }
    for one in &crates {
        let _ = writeln!(text, "{}: {}", one.title, one.licence);
        for own in texts_of(&one.folder)? {
            texts.entry(own).or_default().insert(&one.title);
        }
    }
    for (own, titles) in &texts {
        let titles: Vec<&str> = titles.iter().copied().collect();
        let _ = write!(text, "\n{}\nOf {}\n\n{}\n", "-".repeat(78), titles.join(", "), own.trim_end());
    }
    Ok(text)
}

/// The crates of others that `opcost-cli` is linked with, sorted.
fn linked(root: &Path) -> Result<Vec<Linked>> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(["metadata", "--format-version=1", "--locked", "--filter-platform", TARGET]);
    let text = output_of(cargo.current_dir(root))?;
    let metadata: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("cargo metadata prints no JSON: {error}")))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap_or_default().to_owned(), node))
        .collect();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (package["id"].as_str().unwrap_or_default().to_owned(), package))
        .collect();
    let own = packages.iter().find(|(_, package)| package["name"] == "opcost-cli");
    let (first, _) = own.ok_or_else(|| Failure::new("cargo metadata has no opcost-cli"))?;
    let mut reached = BTreeSet::from([first.clone()]);
    let mut open = vec![first.clone()];
    while let Some(id) = open.pop() {
        for edge in nodes.get(&id).map(|node| list(&node["deps"])).unwrap_or_default() {
            let is_linked = list(&edge["dep_kinds"]).iter().any(|one| one["kind"].is_null());
            let id = edge["pkg"].as_str().unwrap_or_default().to_owned();
            if is_linked && reached.insert(id.clone()) {
                open.push(id);
            }
        }
    }
    let others = reached.iter().filter_map(|id| packages.get(id)).filter(|one| !one["source"].is_null());
    let mut crates: Vec<Linked> = others.map(read).collect::<Result<_>>()?;
    crates.sort_by(|one, other| one.title.cmp(&other.title));
    Ok(crates)
}

fn read(package: &Value) -> Result<Linked> {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    let title = format!("{} {}", text("name").unwrap_or_default(), text("version").unwrap_or_default());
    let licence = text("license").ok_or_else(|| {
        Failure::new(format!("{title} names no licence; opcost cannot be handed on with it"))
    })?;
    let manifest = PathBuf::from(text("manifest_path").unwrap_or_default());
    let folder = manifest.parent().map(Path::to_owned).unwrap_or_default();
    Ok(Linked { title, licence, folder })
}

/// The texts of the licence files of a crate.
fn texts_of(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::at("read", folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file() && BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    let texts = paths.into_iter().filter(is_licence);
    texts.map(|path| fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))).collect()
}
