//! Whose is a source file, how is its path written short, and where is the source of Rust's library?
//!
//! Debug information names files relative to where the program was built, or absolutely. Own are
//! those of the user: relative ones, those below the working folder, and others that do not lie
//! where systems and package managers put what they bring. Short is a path that says which file it
//! is and no more: `bits/stl_algo.h` of the standard library, `regex-1.10.2/src/lib.rs` of a crate.
//!
//! Rust's library is built elsewhere: its files are named `/rustc/COMMIT/library/…`. A toolchain
//! that rustup installed with its sources has them; that it is of this commit, its manifest says.
//! Another version's lines would stand beside counts that are not theirs, so they are not shown.
//!
//! Cost: one look at each toolchain's manifest for each file of Rust. Limits: paths are compared by
//! their letters; a user's own file below /usr is not known as such, unless one works there.

use std::path::{Path, PathBuf};

use opcost_answer::names::tidy_path;

/// Where systems keep what they bring.
const SYSTEM: [&str; 5] = ["/usr/", "/opt/", "/lib/", "/nix/", "/rustc/"];
/// Folders of package managers, wherever they are.
const PACKAGES: [&str; 4] = ["/.cargo/registry/", "/.cargo/git/", "/.rustup/", "/rustlib/"];
/// Folders of headers, of which a path needs no more than what follows.
const HEADERS: [&str; 3] = ["/usr/local/include/", "/usr/include/c++/", "/usr/include/"];

/// Whether a file is the user's own.
pub fn is_own(file: &str) -> bool {
    is_own_in(file, std::env::current_dir().ok().as_deref())
}

fn is_own_in(file: &str, working: Option<&Path>) -> bool {
    let file = tidy_path(file);
    if PACKAGES.iter().any(|folder| file.contains(folder)) {
        return false;
    }
    let is_here =
        working.is_some_and(|working| working != Path::new("/") && Path::new(&file).starts_with(working));
    is_here || !SYSTEM.iter().any(|folder| file.starts_with(folder))
}

/// A path that says which file it is, and no more.
pub fn short_path(file: &str) -> String {
    short_path_in(file, std::env::current_dir().ok().as_deref())
}

fn short_path_in(file: &str, working: Option<&Path>) -> String {
    let file = tidy_path(file);
    let below = |folder: &str| file.split_once(folder).map(|(_, rest)| rest);
    // Behind the folder of headers stands the version, behind that of crates the registry.
    let of_library = || file.strip_prefix("/usr/include/c++/")?.split_once('/').map(|(_, rest)| rest);
    let of_crate = || below("/.cargo/registry/src/")?.split_once('/').map(|(_, rest)| rest);
    let of_rust =
        || below("/rustlib/src/rust/library/").or_else(|| rust_path(&file)?.1.strip_prefix("library/"));
    let of_header = || HEADERS.iter().find_map(|folder| file.strip_prefix(folder));
    let here = || Path::new(&file).strip_prefix(working?).ok()?.to_str();
    let short = here().or_else(of_library).or_else(of_crate).or_else(of_rust).or_else(of_header);
    short.unwrap_or(&file).to_owned()
}

/// The commit and the rest of `/rustc/COMMIT/library/core/src/lib.rs`.
fn rust_path(file: &str) -> Option<(&str, &str)> {
    file.strip_prefix("/rustc/")?.split_once('/')
}

/// Whether a file is one of Rust's library, named as where Rust itself was built.
pub fn is_of_rust(file: &str) -> bool {
    rust_path(file).is_some()
}

/// Where the toolchains of rustup are.
pub fn toolchains() -> Option<PathBuf> {
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")))?;
    Some(home.join("toolchains"))
}

/// A file of Rust's library in one of the toolchains: of the same commit.
pub fn rust_source(file: &str, toolchains: &Path) -> Option<PathBuf> {
    let (commit, rest) = rust_path(file)?;
    if commit.len() < 40 || Path::new(rest).components().any(|part| part.as_os_str() == "..") {
        return None;
    }
    let folders = std::fs::read_dir(toolchains).ok()?.flatten().map(|entry| entry.path().join("lib/rustlib"));
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    folders.into_iter().find_map(|folder| {
        let path = folder.join("src/rust").join(rest);
        let manifest = || std::fs::read_to_string(folder.join("multirust-channel-manifest.toml")).ok();
        (path.is_file() && manifest()?.contains(commit)).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_own_in, rust_source, short_path_in};

    const COMMIT: &str = "59807616e1fa2540724bfbac14d7976d7e4a3860";

    #[test]
    fn own_is_what_no_system_and_no_package_manager_brought() {
        let working = Some(Path::new("/home/me/game"));
        for own in ["a.cpp", "src/../a.cpp", "../lib/b.c", "/home/me/game/c.rs", "/tmp/d.c", "/usrlocal/e.c"]
        {
            assert!(is_own_in(own, working), "{own}");
        }
        for foreign in [
            "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector",
            "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/lib.rs",
            "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/regex-1.10.2/src/lib.rs",
            "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/io/mod.rs",
        ] {
            assert!(!is_own_in(foreign, working), "{foreign}");
        }
        // One works there.
        assert!(is_own_in("/usr/src/mine/a.c", Some(Path::new("/usr/src/mine"))));
        assert!(!is_own_in("/usr/include/stdio.h", Some(Path::new("/"))));
    }

    #[test]
    fn short_paths_say_which_file_it_is() {
        let working = Some(Path::new("/home/me/game"));
        for (file, short) in [
            ("src/a.cpp", "src/a.cpp"),
            ("/home/me/game/src/a.cpp", "src/a.cpp"),
            ("/home/me/other/a.cpp", "/home/me/other/a.cpp"),
            (
                "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/stl_algo.h",
                "bits/stl_algo.h",
            ),
            ("/usr/include/stdio.h", "stdio.h"),
            (
                "/home/me/.cargo/registry/src/index.crates.io-1949cf8c/regex-1.10.2/src/lib.rs",
                "regex-1.10.2/src/lib.rs",
            ),
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/lib.rs", "core/src/lib.rs"),
            (
                "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/lib.rs",
                "std/src/lib.rs",
            ),
        ] {
            assert_eq!(short_path_in(file, working), short);
        }
    }

    #[test]
    fn the_source_of_rust_is_that_of_its_commit_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = format!("/rustc/{COMMIT}/library/core/src/lib.rs");
        let rustlib = folder.path().join("stable/lib/rustlib");
        let source = rustlib.join("src/rust/library/core/src");
        std::fs::create_dir_all(&source).expect("folders");
        std::fs::write(source.join("lib.rs"), "mod a;\n").expect("a source");
        let manifest = rustlib.join("multirust-channel-manifest.toml");
        assert_eq!(rust_source(&file, folder.path()), None, "nobody says of which commit it is");
        std::fs::write(&manifest, "git_commit_hash = \"0000\"\n").expect("a manifest");
        assert_eq!(rust_source(&file, folder.path()), None, "it is of another commit");
        std::fs::write(&manifest, format!("git_commit_hash = \"{COMMIT}\"\n")).expect("a manifest");
        assert_eq!(rust_source(&file, folder.path()), Some(source.join("lib.rs")));
        for other in ["/rustc/library/core/src/lib.rs", "/usr/include/stdio.h", "a.rs"] {
            assert_eq!(rust_source(other, folder.path()), None, "{other}");
        }
        let outside = format!("/rustc/{COMMIT}/library/../../../multirust-channel-manifest.toml");
        assert_eq!(rust_source(&outside, folder.path()), None, "no file outside of the sources");
    }
}
