//! Which files are installed, and below which folders?
//!
//! A tree as it lies below `/usr/local`: the tarball is unpacked there, and the Debian package has
//! the same files in Debian's folders. The programs are copied without symbols, which are two
//! thirds of them. Man pages and completions are what the program prints of itself: there is a
//! page for each page that `opcost.1` refers to. Schemas are those of the repository, of which a
//! test shows that the program has the same.

use super::manifest::Manifest;
use super::notices;
use crate::command::output_of;
use crate::failure::{Failure, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells and the files in which they look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/opcost"),
    ("zsh", "share/zsh/site-functions/_opcost"),
    ("fish", "share/fish/vendor_completions.d/opcost.fish"),
];

/// Makes the tree anew.
pub(super) fn make(tree: &Path, programs: &[PathBuf], manifest: &Manifest) -> Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree).map_err(|error| Failure::at("remove", tree, error))?;
    }
    for program in programs {
        let copy = tree.join("bin").join(program.file_name().unwrap_or_default());
        create_folder(&copy)?;
        let mut strip = Command::new("strip");
        output_of(strip.args(["--strip-all", "-o"]).arg(&copy).arg(program))?;
    }
    let opcost = tree.join("bin/opcost");
    for (shell, file) in COMPLETIONS {
        write(&tree.join(file), &printed(&opcost, &["completions", shell])?)?;
    }
    man_pages(&opcost, &tree.join("share/man/man1"))?;
    schemas(&tree.join("share/opcost/schemas"), &manifest.root)?;
    papers(&tree.join("share/doc/opcost"), manifest)
}

/// `opcost.1`, each page that it refers to, and that of `cargo opcost`.
fn man_pages(opcost: &Path, folder: &Path) -> Result<()> {
    let first = printed(opcost, &["man"])?;
    let verbs: Vec<&str> = first
        .lines()
        .filter_map(|line| line.strip_prefix("opcost\\-")?.strip_suffix("(1)"))
        .filter(|verb| *verb != "help")
        .collect();
    if verbs.is_empty() {
        return Err(Failure::new("the man page of opcost refers to no page of a verb"));
    }
    for verb in verbs {
        // A verb's name has a hyphen only where the page has a backslash before it.
        let verb = verb.replace('\\', "");
        page(&folder.join(format!("opcost-{verb}.1")), &printed(opcost, &["man", &verb])?)?;
    }
    page(&folder.join("cargo-opcost.1"), ".so man1/opcost-cargo.1\n")?;
    page(&folder.join("opcost.1"), &first)
}

/// A page as Debian wants it, compressed and without a time.
fn page(path: &Path, text: &str) -> Result<()> {
    write(path, text)?;
    output_of(Command::new("gzip").args(["-9", "-n"]).arg(path)).map(|_| ())
}

fn schemas(folder: &Path, root: &Path) -> Result<()> {
    let source = root.join("schemas");
    let entries = fs::read_dir(&source).map_err(|error| Failure::at("read", &source, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| Failure::at("read", &source, error))?;
        copy(&entry.path(), &folder.join(entry.file_name()))?;
    }
    Ok(())
}

/// Licences, what changed, and the text that Debian calls `copyright`.
fn papers(folder: &Path, manifest: &Manifest) -> Result<()> {
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        copy(&manifest.root.join(name), &folder.join(name))?;
    }
    let notices = notices::write(manifest)?;
    write(&folder.join("copyright"), &notices.copyright)?;
    page(&folder.join("THIRD-PARTY"), &notices.third_party)?;
    let changes = manifest.root.join("CHANGELOG.md");
    let text = fs::read_to_string(&changes).map_err(|error| Failure::at("read", &changes, error))?;
    page(&folder.join("changelog"), &text)
}

fn printed(opcost: &Path, words: &[&str]) -> Result<String> {
    output_of(Command::new(opcost).args(words))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    create_folder(to)?;
    fs::copy(from, to).map(|_| ()).map_err(|error| Failure::at("copy", from, error))
}

fn write(path: &Path, text: &str) -> Result<()> {
    create_folder(path)?;
    fs::write(path, text).map_err(|error| Failure::at("write", path, error))
}

fn create_folder(file: &Path) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder).map_err(|error| Failure::at("create", folder, error))
}
