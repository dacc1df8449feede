//! Which text shapes a portable program besides its own?
//!
//! The headers that it is compiled with and the library that is linked into it. All of
//! it is in this crate and named by one hash, so that two reports tell at a glance
//! whether they come from the same. clang's own headers are not in it: they come with
//! the compiler, whose release the code's hash shows.
//!
//! The C++ library's headers are libstdc++'s, packed by the build script, and
//! only if they are those that were pinned; see `build/cxx_library.rs`.

use std::sync::OnceLock;

use super::{CXX_HEADERS, HEADERS, SOURCES, TEMPLATES};
use crate::digest;

/// Hash and package of the C++ library's headers.
const PINNED: &str = include_str!("../c/portable/libstdcxx.sha256");
/// The headers; empty if others were found, or none.
static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libstdcxx.lz4"));
/// The hash of the headers that were found, or nothing.
const FOUND: &str = include_str!(concat!(env!("OUT_DIR"), "/libstdcxx.found"));

/// Headers of the C++ library, unpacked.
#[derive(Debug)]
pub struct CxxLibrary {
    all: Vec<u8>,
}

impl CxxLibrary {
    /// The hash of the files.
    pub fn hash() -> &'static str {
        pinned().0
    }

    /// The files by their names, which may have folders.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut rest = self.all.as_slice();
        std::iter::from_fn(move || {
            let name = line(&mut rest)?;
            let length = line(&mut rest).and_then(|text| text.parse().ok()).expect("a length");
            let (content, others) = rest.split_at(length);
            rest = others;
            Some((name, content))
        })
    }
}

fn line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(&rest[..end]).expect("names are ASCII");
    *rest = &rest[end + 1..];
    Some(text)
}

/// Why there are no headers of the C++ library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCxxLibrary {
    /// The hash that they should have.
    pub expected: &'static str,
    /// The package that has them, with its version.
    pub package: &'static str,
    /// The hash of those that the building machine had; none if it had none.
    pub actual: Option<&'static str>,
}

/// The headers of the C++ library.
///
/// # Errors
/// opcost was built where they were not, or were others.
pub fn cxx_library() -> Result<CxxLibrary, NoCxxLibrary> {
    if ARCHIVE.is_empty() {
        let (expected, package) = pinned();
        return Err(NoCxxLibrary {
            expected,
            package,
            actual: Some(FOUND).filter(|found| !found.is_empty()),
        });
    }
    let all = lz4_flex::block::decompress_size_prepended(ARCHIVE).expect("the build script packed it");
    Ok(CxxLibrary { all })
}

fn pinned() -> (&'static str, &'static str) {
    PINNED.trim().split_once("  ").expect("a hash and a package")
}

/// The hash of all that shapes a portable program besides its own text.
///
/// The C++ library is in it by the hash that was pinned, whether it was found or not. Without it no
/// C++ program is built, and a C program does not depend on it.
pub fn sysroot() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        // libm's source is pinned by Cargo.lock; what C calls it is ours.
        let single = [
            TEMPLATES,
            ("libstdc++", pinned().0),
            ("libm", env!("OPCOST_LIBM")),
            ("math.rs", include_str!("../math.rs")),
        ];
        let folders: [(&str, &[(&str, &str)]); 4] =
            [("c", HEADERS), ("c++", CXX_HEADERS), ("library", SOURCES), ("single", &single)];
        let named = |(folder, files): (&str, &[(&'static str, &'static str)])| {
            let folder = folder.to_owned();
            files.iter().map(move |(name, text)| (format!("{folder}/{name}"), *text)).collect::<Vec<_>>()
        };
        let mut files: Vec<(String, &str)> = folders.into_iter().flat_map(named).collect();
        files.sort();
        digest::of_files(files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_what_was_pinned() {
        let library = cxx_library().unwrap_or_else(|why| panic!("install libstdc++-12-dev: {why:?}"));
        let files: Vec<(&str, &[u8])> = library.files().collect();
        assert!(files.is_sorted(), "names come in order");
        assert_eq!(digest::of_files(files.iter().copied()), pinned().0);
        for needed in ["bits/stdc++.h", "bits/c++config.h", "ext/pb_ds/assoc_container.hpp", "vector"] {
            assert!(files.iter().any(|(name, _)| *name == needed), "{needed}");
        }
        assert!(!files.iter().any(|(name, _)| name.starts_with("parallel/")));
    }

    /// Names, lengths and contents are told apart.
    #[test]
    fn a_hash_is_of_names_and_contents() {
        let hash = |files: &[(&str, &str)]| {
            digest::of_files(files.iter().map(|(name, text)| (*name, text.as_bytes())))
        };
        // By Python's hashlib.
        let known = "09133bb45a92ac43621a2943bf292df5d5cad714b9d2b2fdf7672917d0ffccc2";
        assert_eq!(hash(&[("a", "text")]), known);
        let others = [&[("b", "text")] as &[_], &[("a", "texts")], &[("a", ""), ("b", "text")], &[]];
        assert!(others.into_iter().all(|other| hash(other) != known));
    }

    /// Every file of the C library's headers is carried.
    #[test]
    fn no_header_is_forgotten() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/c/portable");
        for (folder, carried) in [("include", HEADERS), ("include/sys", HEADERS), ("cxx", CXX_HEADERS)] {
            let prefix = folder.strip_prefix("include/").map(|rest| format!("{rest}/")).unwrap_or_default();
            for entry in
                std::fs::read_dir(root.join(folder)).expect("a folder").map(|it| it.expect("an entry"))
            {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                let is_carried = carried.iter().any(|(carried, _)| *carried == name);
                assert!(is_carried || entry.path().is_dir(), "{folder}/{name}");
            }
        }
    }
}
