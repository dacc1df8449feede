//! Packs the C++ library's headers for portable programs.
//!
//! They are libstdc++ 12's as Debian 12 has them for the reference machine, found on
//! the machine that builds opcost: their licence (GPL with the runtime exception) is
//! not this repository's, so only their hash stands here. Headers that hash otherwise
//! are not packed, and the program says so when it is given C++.
//!
//! Packed are all headers that can work in a portable program: not the parallel
//! algorithms, the debugging containers and what is experimental, but for the files of
//! them that others include. The layout of the archive: of each file its name, its
//! length and its content, a line each; all of it one LZ4 block with its size before.

use std::path::{Path, PathBuf};

use crate::digest;

/// What opcost was made for: hash and package.
const PINNED: &str = include_str!("../src/c/portable/libstdcxx.sha256");

/// Where headers lie: all machines' and the reference machine's. Behind Debian's own
/// places on such a machine come those of its packages for other machines.
const PLACES: [[&str; 2]; 2] = [
    ["/usr/include/c++/12", "/usr/include/x86_64-linux-gnu/c++/12"],
    ["/usr/x86_64-linux-gnu/include/c++/12", "/usr/x86_64-linux-gnu/include/c++/12/x86_64-linux-gnu"],
];

/// Folders of which everything is packed.
const FOLDERS: [&str; 4] = ["backward", "bits", "ext", "tr1"];

/// What others include of folders that are not packed.
const SINGLE: [&str; 7] = [
    "debug/assertions.h",
    "debug/debug.h",
    "pstl/execution_defs.h",
    "pstl/glue_algorithm_defs.h",
    "pstl/glue_memory_defs.h",
    "pstl/glue_numeric_defs.h",
    "pstl/pstl_config.h",
];

/// Writes the archive to `out`, empty if it cannot be made, and which hash was found, empty if none.
pub(crate) fn pack(out: &Path) {
    println!("cargo:rerun-if-changed=build/cxx_library.rs");
    println!("cargo:rerun-if-changed=src/c/portable/libstdcxx.sha256");
    println!("cargo:rerun-if-changed=src/digest.rs");
    let mut files = Vec::new();
    let mut is_sought = true;
    for place in PLACES {
        // A folder that is not there is looked for again at the next build.
        if is_sought {
            place.iter().for_each(|folder| println!("cargo:rerun-if-changed={folder}"));
        }
        if is_sought && place.iter().all(|folder| Path::new(folder).join("bits").is_dir()) {
            place.iter().for_each(|folder| collect(Path::new(folder), &mut files));
            is_sought = false;
        }
    }
    files.sort();
    let found = if files.is_empty() {
        String::new()
    } else {
        digest::of_files(files.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
    };
    let expected = PINNED.split_whitespace().next().expect("a hash");
    let mut archive = Vec::new();
    if found == expected {
        archive = lz4_flex::block::compress_prepend_size(&concatenated(&files));
    } else {
        let what =
            if found.is_empty() { "none".to_owned() } else { format!("headers with the hash {found}") };
        println!(
            "cargo:warning=opcost will not build portable C++ programs: it needs the headers of {} \
             and found {what}",
            PINNED.trim().split_once("  ").map_or(PINNED, |(_, package)| package)
        );
    }
    write(&out.join("libstdcxx.lz4"), &archive);
    write(&out.join("libstdcxx.found"), found.as_bytes());
}

fn concatenated(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, content) in files {
        all.extend(format!("{name}\n{}\n", content.len()).bytes());
        all.extend(content);
    }
    all
}

/// Takes the files of `root` that are packed, by their names below it.
fn collect(root: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let mut paths: Vec<PathBuf> = entries(root).into_iter().filter(|path| path.is_file()).collect();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        let (below, here): (Vec<_>, Vec<_>) = entries(&folder).into_iter().partition(|path| path.is_dir());
        folders.extend(below);
        paths.extend(here);
    }
    paths.extend(SINGLE.iter().map(|name| root.join(name)).filter(|path| path.is_file()));
    for path in paths {
        let name = path.strip_prefix(root).expect("below it").to_str().expect("its names are ASCII");
        let content = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        files.push((name.to_owned(), content));
    }
}

/// What lies in a folder; nothing if it is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .collect()
}

fn write(path: &Path, content: &[u8]) {
    std::fs::write(path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
