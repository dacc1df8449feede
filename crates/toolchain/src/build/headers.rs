//! With which headers is a portable program compiled?
//!
//! With those that opcost carries, and clang's own; a header of the system's is
//! not found, or the machine at hand would shape the program. For C++ in this
//! order: ours in place of streams and what else would need the library's compiled
//! part, libstdc++'s, ours of the C library, clang's. Ours are written into the build's
//! folder. libstdc++'s are many files, which takes a second on some disks, so they are kept
//! in the user's cache under their hash, and compared with what opcost carries before
//! each use (about 50 ms). Where there is no cache, the build's folder takes them, too.
//! The code does not show where any of them lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_interrupt::Scratch;
use opcost_runtime::portable::{CXX_HEADERS, CxxLibrary, HEADERS, NoCxxLibrary, TEMPLATES, cxx_library};

use super::state::Build;
use crate::runtime::{write_all, write_each};
use opcost_answer::Failure;

/// By which clang finds headers that no flag names.
const PATHS: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

impl Build {
    /// Has C's headers found, and none of the system's. Comes after those of C++.
    pub(crate) fn include_c(&self, command: &mut Command) -> Result<(), Failure> {
        let folder = self.path("portable-include");
        if !folder.exists() {
            write_all(&folder, HEADERS)?;
        }
        command.args(["-nostdlibinc", "--no-default-config", "-isystem"]).arg(folder);
        PATHS.iter().for_each(|name| {
            command.env_remove(name);
        });
        hide(command, &self.path(""));
        Ok(())
    }

    /// Has C++'s headers found, of which one is included first.
    pub(crate) fn include_cxx(&self, command: &mut Command) -> Result<(), Failure> {
        let ours = self.path("portable-headers");
        if !ours.exists() {
            write_all(&ours, CXX_HEADERS)?;
            write_all(&ours, &[TEMPLATES])?;
        }
        let library = match self.cxx_library.get() {
            Some(folder) => folder,
            None => {
                let folder = self.unpacked()?;
                self.cxx_library.get_or_init(|| folder)
            }
        };
        command.arg("-nostdinc++");
        for folder in [&ours, library, &library.join("backward")] {
            command.arg("-isystem").arg(folder);
        }
        hide(command, library);
        command.arg("-include").arg(ours.join(TEMPLATES.0));
        Ok(())
    }

    /// The folder of the C++ library's headers: in the cache, or else in the build's.
    fn unpacked(&self) -> Result<PathBuf, Failure> {
        let library = cxx_library().map_err(|why| missing(&why))?;
        if let Some(folder) = opcost_cache::choice::folder().and_then(|cache| cached(&library, &cache)) {
            return Ok(folder);
        }
        let folder = self.path("libstdc++");
        write_each(&folder, library.files())?;
        Ok(folder)
    }
}

/// Where headers are must not matter.
fn hide(command: &mut Command, folder: &Path) {
    command.arg(format!("-ffile-prefix-map={}=opcost-headers", folder.display()));
}

/// The library's folder in the cache, written if it is not there; none if that fails.
fn cached(library: &CxxLibrary, cache: &Path) -> Option<PathBuf> {
    let folder = cache.join(format!("libstdc++-{}", CxxLibrary::hash()));
    if holds(&folder, library) {
        return Some(folder);
    }
    // Appears by one rename, so that no other build sees a half; one that appeared meanwhile stays.
    std::fs::create_dir_all(cache).ok()?;
    let aside = Scratch::folder_in(cache, ".making-").ok()?;
    let made = aside.path().join("made");
    write_each(&made, library.files()).ok()?;
    if std::fs::rename(&made, &folder).is_err() && !holds(&folder, library) {
        std::fs::rename(&folder, aside.path().join("spoiled")).ok()?;
        std::fs::rename(&made, &folder).ok()?;
    }
    holds(&folder, library).then_some(folder)
}

/// Whether a folder has the library's files as they are carried, and no others, which clang might find.
fn holds(folder: &Path, library: &CxxLibrary) -> bool {
    let mut wanted = 0;
    let is_there = |(name, content): (&str, &[u8])| {
        wanted += 1;
        std::fs::read(folder.join(name)).is_ok_and(|found| found == content)
    };
    library.files().all(is_there) && files_in(folder) == Some(wanted)
}

fn files_in(folder: &Path) -> Option<usize> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        count += if entry.file_type().ok()?.is_dir() { files_in(&entry.path())? } else { 1 };
    }
    Some(count)
}

/// Whose fault it is that there are no headers of C++, and what to do.
fn missing(why: &NoCxxLibrary) -> Failure {
    let built = match why.actual {
        None => "this opcost was built on a machine without them".to_owned(),
        Some(found) => format!("this opcost was built on a machine that has others (SHA-256 {found})"),
    };
    Failure::ToolMissing {
        tool: format!("what portable C++ programs are compiled with, the headers of {},", why.package),
        remedy: format!(
            "{built}, so the fault is not the program's; they have the SHA-256 {}. Where opcost is built, on Debian 12: \
             apt-get install libstdc++-12-dev, then build opcost again. C programs need none of it",
            why.expected
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_headers_are_said_with_hashes_and_a_remedy() {
        let why = NoCxxLibrary { expected: "aa11", package: "libstdc++-12-dev 12.2.0", actual: Some("bb22") };
        let text = missing(&why).to_string();
        for part in
            ["libstdc++-12-dev 12.2.0", "others (SHA-256 bb22)", "have the SHA-256 aa11", "apt-get install"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let none = missing(&NoCxxLibrary { actual: None, ..why }).to_string();
        assert!(none.contains("without them") && none.contains("aa11"), "{none}");
    }

    /// Whoever changes it, or puts a header beside, changes no program.
    #[test]
    fn a_cache_that_was_changed_is_made_again() {
        let library = cxx_library().unwrap_or_else(|why| panic!("install libstdc++-12-dev: {why:?}"));
        let cache = tempfile::tempdir().expect("a folder");
        let folder = cached(&library, cache.path()).expect("it is written");
        let spoil: [&dyn Fn(); 3] = [
            &|| std::fs::write(folder.join("vector"), "spoiled").expect("written"),
            &|| std::fs::write(folder.join("bits/stdio.h"), "another").expect("written"),
            &|| std::fs::remove_file(folder.join("bits/stdc++.h")).expect("removed"),
        ];
        for spoil in spoil {
            spoil();
            assert!(!holds(&folder, &library));
            assert_eq!(cached(&library, cache.path()).as_ref(), Some(&folder));
            assert!(holds(&folder, &library));
        }
        let left = std::fs::read_dir(cache.path()).expect("a folder").count();
        assert_eq!(left, 1, "nothing lies beside");
        std::fs::write(cache.path().join("file"), "").expect("written");
        assert_eq!(cached(&library, &cache.path().join("file")), None);
    }
}
