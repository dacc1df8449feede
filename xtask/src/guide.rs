//! `cargo xtask guide`: the guide as a book of HTML pages, with every link checked.
//!
//! mdBook makes the pages. It is installed once, below `target/tools`, at one version and with the
//! versions of its dependencies that its own release names (`--locked`). It is built without
//! optimisation and without its server: that is half of the compiler's time, and the book is small.
//! As a dependency of this crate it would be built before `./x demo` shows anything, and again
//! by clippy and by cargo doc. All that mdBook warns of is an error here.
//!
//! Then each link of each page is followed (`links`). Cost: a minute once, then a second.

mod links;

use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook that the guide is written for.
const VERSION: &str = "0.5.4";

/// The verb.
pub(crate) fn build() -> Result<()> {
    let root = repository()?;
    let mdbook = installed(&root.join("target/tools"))?;
    let book = root.join("target/guide");
    let mut command = Command::new(&mdbook);
    command.arg("build").arg(root.join("guide")).arg("--dest-dir").arg(&book);
    let output = command.output().map_err(|error| Failure::at("start", &mdbook, error))?;
    let words = String::from_utf8_lossy(&output.stderr);
    let objections: Vec<&str> = words.lines().filter(|line| !line.trim_start().starts_with("INFO")).collect();
    if !output.status.success() || !objections.is_empty() {
        return Err(Failure::new(format!("mdbook: {}\n{}", output.status, objections.join("\n"))));
    }
    let count = links::check(&book)?;
    println!("guide: {count} links lead somewhere; {}", book.join("index.html").display());
    Ok(())
}

/// The program, installed if it is not there.
fn installed(folder: &Path) -> Result<PathBuf> {
    let mdbook = folder.join("bin/mdbook");
    if command::first_line_of(Command::new(&mdbook).arg("--version")) == format!("mdbook v{VERSION}") {
        return Ok(mdbook);
    }
    println!("guide: installing mdbook {VERSION} in {}", folder.display());
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["install", "mdbook", "--version", VERSION, "--locked", "--debug", "--force"]);
    command.args(["--no-default-features", "--features", "search", "--root"]).arg(folder);
    command.env("CARGO_PROFILE_DEV_DEBUG", "false");
    command::output_of(&mut command)?;
    Ok(mdbook)
}
