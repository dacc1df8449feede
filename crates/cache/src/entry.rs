//! What does an entry hold, and when is it believed?
//!
//! ```text
//! SHA-256 of all behind it, 64 letters │ length of the head, 16 letters │ head, JSON │ products, one behind another
//! ```
//!
//! It is believed if its hash is right, and its evidence is as it was: each file has the hash that is
//! written, each folder the same names, and nothing lies where nothing lay.
//!
//! Limit: paths that are no UTF-8 cannot be evidence; what has such is not kept.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::recipe::hash;

/// What was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// CacheContents of the files that were written, in the order of who asks.
    pub products: Vec<Vec<u8>>,
    /// Messages, or an answer.
    pub report: Vec<u8>,
}

/// What was found while it was made, and decided about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Files that were read.
    pub read: Vec<PathBuf>,
    /// Paths of no file. A file there would have been read.
    pub absent: Vec<PathBuf>,
    /// Folders whose names were looked through.
    pub listed: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct EntryHeader {
    /// Path and hash of the contents.
    read: Vec<(String, String)>,
    absent: Vec<String>,
    /// Path of a folder and hash of its names.
    listed: Vec<(String, String)>,
    /// Lengths of the products and of the report.
    products: Vec<usize>,
    report: usize,
}

const HASH: usize = 64;
const LENGTH: usize = 16;

/// The bytes of an entry; none if the evidence cannot be read or written down.
pub(crate) fn written(made: &Made, evidence: &Evidence) -> Option<Vec<u8>> {
    let text = |path: &PathBuf| Some(path.to_str()?.to_owned());
    let read = |path: &PathBuf| Some((text(path)?, hash(&std::fs::read(path).ok()?)));
    let header = EntryHeader {
        read: evidence.read.iter().map(read).collect::<Option<_>>()?,
        absent: evidence.absent.iter().map(text).collect::<Option<_>>()?,
        listed: evidence
            .listed
            .iter()
            .map(|path| Some((text(path)?, names_in(path)?)))
            .collect::<Option<_>>()?,
        products: made.products.iter().map(Vec::len).collect(),
        report: made.report.len(),
    };
    let header = serde_json::to_vec(&header).expect("plain data");
    let mut rest = format!("{:016x}", header.len()).into_bytes();
    rest.extend(header);
    made.products.iter().for_each(|product| rest.extend_from_slice(product));
    rest.extend_from_slice(&made.report);
    Some([hash(&rest).into_bytes(), rest].concat())
}

/// What the bytes of an entry say was made; none if they are not to be believed.
pub(crate) fn believed(bytes: &[u8]) -> Option<Made> {
    let (header, mut rest) = split(bytes)?;
    let is_same = |(path, wanted): &(String, String)| {
        std::fs::read(path).is_ok_and(|content| hash(&content) == *wanted)
    };
    let is_absent = |path: &String| Path::new(path).symlink_metadata().is_err();
    let lists_same = |(path, wanted): &(String, String)| names_in(Path::new(path)).as_ref() == Some(wanted);
    if !(header.absent.iter().all(is_absent)
        && header.listed.iter().all(lists_same)
        && header.read.iter().all(is_same))
    {
        return None;
    }
    let mut next = |length: usize| {
        let (part, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(part.to_vec())
    };
    let products = header.products.iter().map(|&length| next(length)).collect::<Option<_>>()?;
    let report = next(header.report)?;
    rest.is_empty().then_some(Made { products, report })
}

/// The hash of the names in a folder.
fn names_in(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<_> = entries.map(|entry| Some(entry.ok()?.file_name())).collect::<Option<_>>()?;
    names.sort_unstable();
    Some(hash(format!("{names:?}").as_bytes()))
}

fn split(bytes: &[u8]) -> Option<(EntryHeader, &[u8])> {
    let (wanted, rest) = bytes.split_at_checked(HASH)?;
    if hash(rest).as_bytes() != wanted {
        return None;
    }
    let (length, rest) = rest.split_at_checked(LENGTH)?;
    let length = usize::from_str_radix(std::str::from_utf8(length).ok()?, 16).ok()?;
    let (header, products) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(header).ok()?, products))
}
