//! Where are entries, and which go when there are too many?
//!
//! Each is one file with the name of its key. It is written aside and appears by one rename, so that other
//! processes see all of it or nothing. Its time of change is that of its last use. When the entries are
//! larger than the limit together, those go that were used least recently, until four fifths are left.
//!
//! Cost of keeping: one line in a file that has the total (`total.rs`). The folder is listed only when that is
//! more than the limit. Limit: a file server whose clock is behind this machine's hides a change of evidence
//! while something is made.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::entry::{Evidence, Made, believed, written};
use crate::recipe::RecipeHash;
use crate::total::Total;

/// The folder of entries. Its name changes with their format.
const FOLDER: &str = "kept-1";

/// A folder of what was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// How many things.
    pub entries: usize,
    /// Their length together, in bytes.
    pub bytes: u64,
}

impl Cache {
    /// The cache below this folder, which is made when something is kept, of so many bytes at most.
    pub fn below(folder: &Path, limit: u64) -> Cache {
        Cache { folder: folder.join(FOLDER), limit }
    }

    /// The folder of the entries.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Of how many bytes it is at most.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What was made by this recipe, if it would be made so again.
    pub fn find(&self, key: RecipeHash) -> Option<Made> {
        if !self.is_ours() {
            return None;
        }
        let path = self.path(key);
        let made = believed(&std::fs::read(&path).ok()?)?;
        if let Ok(file) = std::fs::File::options().write(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(made)
    }

    /// Stores what was made. `begun` is from before the inputs were read: evidence that changed since may not be
    /// what was read, and then nothing is kept. None if it is not kept.
    pub fn store(&self, key: RecipeHash, made: &Made, evidence: &Evidence, begun: SystemTime) -> Option<()> {
        if evidence.read.iter().any(|path| changed_since(path, begun)) {
            return None;
        }
        let bytes = written(made, evidence)?;
        // A change between the first look and the hash is seen by the second look.
        if bytes.len() as u64 > self.limit / 2 || evidence.read.iter().any(|path| changed_since(path, begun))
        {
            return None;
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).ok()?;
        if !self.is_ours() {
            return None;
        }
        self.make_room(bytes.len() as u64);
        let mut aside = tempfile::Builder::new().prefix(ASIDE).tempfile_in(&self.folder).ok()?;
        aside.write_all(&bytes).ok()?;
        aside.persist(self.path(key)).ok()?;
        Some(())
    }

    /// What is kept.
    pub fn contents(&self) -> CacheContents {
        let files = self.files();
        let entries = files.iter().filter(|file| !file.is_aside()).count();
        CacheContents { entries, bytes: files.iter().map(|file| file.bytes).sum() }
    }

    /// Removes all that is kept.
    ///
    /// # Errors
    /// Something of it cannot be removed.
    pub fn clear(&self) -> std::io::Result<CacheContents> {
        let contents = self.contents();
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(contents),
        }
    }

    fn path(&self, key: RecipeHash) -> PathBuf {
        self.folder.join(key.to_string())
    }

    /// Whether the folder is the user's own, and nobody else may write in it.
    fn is_ours(&self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        self.folder
            .symlink_metadata()
            .is_ok_and(|about| about.is_dir() && about.uid() == own && about.mode() & 0o022 == 0)
    }

    fn files(&self) -> Vec<File> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let about = entry.metadata().ok()?;
                let used = about.modified().ok()?;
                let is_ours = about.is_file() && entry.file_name() != Total::NAME;
                is_ours.then(|| File { path: entry.path(), used, bytes: about.len() })
            })
            .collect()
    }

    /// Makes room for a file of so many bytes, if there is none.
    fn make_room(&self, bytes: u64) {
        let mut total = Total::of(&self.folder);
        let after = total.bytes().map(|before| before.saturating_add(bytes));
        total.set(after.filter(|after| *after <= self.limit).unwrap_or_else(|| self.evict(bytes) + bytes));
    }

    /// Removes what was used least recently, if what is there and a file of so many bytes are too large together.
    /// What is left, in bytes.
    fn evict(&self, wanted: u64) -> u64 {
        let mut files = self.files();
        // Who wrote them was ended meanwhile.
        let left = |file: &File| file.is_aside() && file.used.elapsed().is_ok_and(|age| age > LEFT_BEHIND);
        files.extract_if(.., |file| left(file)).for_each(|file| drop(std::fs::remove_file(file.path)));
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        if bytes + wanted <= self.limit {
            return bytes;
        }
        files.sort_by_key(|file| file.used);
        for file in files {
            if bytes + wanted <= self.limit / 5 * 4 {
                break;
            }
            if std::fs::remove_file(&file.path).is_ok() {
                bytes -= file.bytes;
            }
        }
        bytes
    }
}

/// Beginning of the names of files that are still written.
const ASIDE: &str = ".making-";

/// How old a file that is still written is at most.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

struct File {
    path: PathBuf,
    used: SystemTime,
    bytes: u64,
}

impl File {
    fn is_aside(&self) -> bool {
        self.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(ASIDE.as_bytes()))
    }
}

/// Kernels give files the time of their last tick.
const TICK_NANOSECONDS: u128 = 20_000_000;

/// Whether a file may have changed since, or is not there: by the time of change, which no program can set.
pub fn changed_since(path: &Path, begun: SystemTime) -> bool {
    let Ok(about) = path.metadata() else { return true };
    let begun = begun.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let changed = about.ctime().max(0) as u128 * 1_000_000_000 + about.ctime_nsec().max(0) as u128;
    changed + TICK_NANOSECONDS > begun
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
