//! The Debian package: the tree in Debian's folders, with a control file.
//!
//! Files go where the assets in crates/cli/Cargo.toml say. `$auto` in the dependencies becomes
//! what `dpkg-shlibdeps` says of the programs, as `cargo deb` does it. `dpkg-deb` packs.

use super::manifest::Manifest;
use super::packing::{PROGRAMS, Packing};
use crate::command::output_of;
use crate::failure::{Failure, Result};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The machine, as Debian calls it.
const MACHINE: &str = "amd64";

/// Makes the package; its name.
pub(super) fn make(packing: &Packing, tree: &Path, manifest: &Manifest) -> Result<String> {
    let staged = packing.out.join("deb");
    if staged.exists() {
        fs::remove_dir_all(&staged).map_err(|error| Failure::at("remove", &staged, error))?;
    }
    for [source, target, mode] in &manifest.deb.assets {
        let files = files_of(source, tree, manifest)?;
        for file in &files {
            install(file, &staged.join(target), target.ends_with('/'), mode)?;
        }
    }
    let control = control(&staged, manifest)?;
    let folder = staged.join("DEBIAN");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    let path = folder.join("control");
    fs::write(&path, control).map_err(|error| Failure::at("write", &path, error))?;
    let sums = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums";
    output_of(Command::new("sh").args(["-ec", sums]).current_dir(&staged))?;
    // Debian's folders are open to everybody, whatever the umask here is.
    output_of(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&staged))?;
    let name = format!("{}_{}_{MACHINE}.deb", manifest.deb.name, version(manifest));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", &format!("-z{}", packing.level), "--build"]);
    pack.env("SOURCE_DATE_EPOCH", &packing.time).arg(&staged).arg(packing.out.join(&name));
    output_of(&mut pack)?;
    fs::remove_dir_all(&staged).map_err(|error| Failure::at("remove", &staged, error))?;
    Ok(name)
}

fn version(manifest: &Manifest) -> String {
    match manifest.deb.revision.as_str() {
        "" => manifest.version.clone(),
        revision => format!("{}-{revision}", manifest.version),
    }
}

/// The files that an asset names. `cargo deb` builds what it finds in `target/release`; here these
/// are the programs in the tree. All other assets are in `target/dist/tree`.
fn files_of(source: &str, tree: &Path, manifest: &Manifest) -> Result<Vec<PathBuf>> {
    let path = match (source.strip_prefix("target/release/"), source.strip_prefix("../../target/dist/tree/"))
    {
        (Some(program), _) => tree.join("bin").join(program),
        (None, Some(file)) => tree.join(file),
        (None, None) => manifest.root.join("crates/cli").join(source),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((before, behind)) = name.split_once('*') else { return Ok(vec![path]) };
    let folder = path.parent().unwrap_or(&path);
    let entries = fs::read_dir(folder).map_err(|error| Failure::at("read", folder, error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_matching = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.len() >= before.len() + behind.len() && name.starts_with(before) && name.ends_with(behind)
    };
    let files: Vec<PathBuf> = paths.filter(is_matching).collect();
    match files.is_empty() {
        true => {
            Err(Failure::new(format!("no file is {source}, which crates/cli/Cargo.toml has as an asset")))
        }
        false => Ok(files),
    }
}

fn install(file: &Path, target: &Path, is_folder: bool, mode: &str) -> Result<()> {
    let path = if is_folder { target.join(file.file_name().unwrap_or_default()) } else { target.to_owned() };
    let folder = path.parent().unwrap_or(target);
    fs::create_dir_all(folder).map_err(|error| Failure::at("create", folder, error))?;
    fs::copy(file, &path).map_err(|error| Failure::at("copy", file, error))?;
    let bits = u32::from_str_radix(mode, 8)
        .map_err(|error| Failure::new(format!("the mode {mode} of an asset is no octal number: {error}")))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(bits))
        .map_err(|error| Failure::at("change", &path, error))
}

fn control(staged: &Path, manifest: &Manifest) -> Result<String> {
    let deb = &manifest.deb;
    let depends = deb.depends.replace("$auto", &libraries(staged)?);
    let size = output_of(Command::new("du").args(["-sk", "--apparent-size"]).arg(staged))?;
    let size = size.split_whitespace().next().unwrap_or_default().to_owned();
    let mut text = String::new();
    let fields = [
        ("Package", deb.name.as_str()),
        ("Version", &version(manifest)),
        ("Architecture", MACHINE),
        ("Maintainer", &deb.maintainer),
        ("Installed-Size", &size),
        ("Depends", &depends),
        ("Suggests", &deb.suggests),
        ("Section", &deb.section),
        ("Priority", &deb.priority),
        ("Homepage", &manifest.repository),
        ("Description", &manifest.description),
    ];
    for (field, value) in fields {
        let _ = writeln!(text, "{field}: {value}");
    }
    for line in deb.extended_description.trim().lines() {
        let line = if line.trim().is_empty() { "." } else { line };
        let _ = writeln!(text, " {line}");
    }
    Ok(text)
}

/// The packages of the shared libraries that the programs load, in the versions they need.
fn libraries(staged: &Path) -> Result<String> {
    // The tool reads a source package's control file, of which it needs the name alone.
    let folder = staged.join("debian");
    let path = folder.join("control");
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    fs::write(&path, "Source: opcost\n").map_err(|error| Failure::at("write", &path, error))?;
    let mut tool = Command::new("dpkg-shlibdeps");
    tool.arg("-O").args(PROGRAMS.map(|name| format!("usr/bin/{name}"))).current_dir(staged);
    let output = output_of(&mut tool)?;
    fs::remove_dir_all(&folder).map_err(|error| Failure::at("remove", &folder, error))?;
    let line = output.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    line.map(str::to_owned).ok_or_else(|| Failure::new(format!("dpkg-shlibdeps names no library: {output}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::repository;

    #[test]
    fn assets_are_those_of_the_tree_or_an_error() {
        let manifest = Manifest::read(&repository().unwrap()).unwrap();
        let tree = std::env::temp_dir().join(format!("opcost-assets-{}", std::process::id()));
        fs::create_dir_all(tree.join("share")).unwrap();
        for name in ["a.json", "b.json", "c.txt", ".json"] {
            fs::write(tree.join("share").join(name), "").unwrap();
        }
        let all = |pattern: &str| files_of(&format!("../../target/dist/tree/{pattern}"), &tree, &manifest);
        let mut json = all("share/*.json").unwrap();
        json.sort();
        assert_eq!(json, [".json", "a.json", "b.json"].map(|name| tree.join("share").join(name)));
        assert!(all("share/*.html").unwrap_err().to_string().contains("share/*.html"));
        assert!(all("absent/*").is_err());
        let program = files_of("target/release/opcost", &tree, &manifest).unwrap();
        fs::remove_dir_all(&tree).unwrap();
        assert_eq!(program, [tree.join("bin/opcost")]);
    }
}
