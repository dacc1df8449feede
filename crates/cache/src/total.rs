//! How large are all entries together, at most?
//!
//! A listing of a folder of 20,000 entries takes longer than the rest of keeping one. So the sum is in a file
//! of its own, to which each adds what it is about to write. An entry that takes another one's place counts twice, and
//! one that somebody removed still counts: the sum is too large then, and the next listing puts it right.
//!
//! Who adds has a lock on the file. Where another has it, or the file is damaged, the sum is not known, and
//! the file is removed: who comes next lists the folder.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The sum, while nobody else may change it.
pub(crate) struct Total {
    path: PathBuf,
    /// None where another process has the lock.
    file: Option<File>,
}

impl Total {
    /// The file's name, in the folder of the entries.
    pub(crate) const NAME: &'static str = ".total";

    /// That of the entries in a folder.
    pub(crate) fn of(folder: &Path) -> Total {
        let path = folder.join(Total::NAME);
        let open = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open.ok().filter(|file| file.try_lock().is_ok());
        if file.is_none() {
            let _ = std::fs::remove_file(&path);
        }
        Total { path, file }
    }

    /// In bytes; none if it is not known.
    pub(crate) fn bytes(&mut self) -> Option<u64> {
        let mut text = String::new();
        self.file.as_mut()?.read_to_string(&mut text).ok()?;
        text.strip_suffix('\n')?.parse().ok()
    }

    /// Writes it down, for who comes next.
    pub(crate) fn set(self, bytes: u64) {
        let Some(mut file) = self.file else { return };
        let written = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(format!("{bytes}\n").as_bytes()))
            .and_then(|()| file.stream_position())
            .and_then(|end| file.set_len(end));
        if written.is_err() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
