//! A folder that goes away with its value, and with its process.
//!
//! `tempfile` removes a folder when its value is dropped. A process that dies of a signal drops
//! nothing, so each folder is listed, too, and [`remove_all`] removes what is on the list.
//!
//! Cost: a lock for each folder. Limit: SIGKILL.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempDir;

/// How often removing is tried: a process that is being ended may still write.
const TRIES: usize = 5;

/// A folder that goes away.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new folder where temporary files lie, whose name begins with this.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder(prefix: &str) -> io::Result<Scratch> {
        listed(|| tempfile::Builder::new().prefix(prefix).tempdir())
    }

    /// A new folder in this one.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder_in(parent: &Path, prefix: &str) -> io::Result<Scratch> {
        listed(|| tempfile::Builder::new().prefix(prefix).tempdir_in(parent))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Both under one lock: a signal finds the folder on the list, or gone. What cannot be
        // removed is left to `tempfile`, which tries once more and says nothing.
        let mut list = list();
        let _ = std::fs::remove_dir_all(self.0.path());
        list.remove(self.0.path());
    }
}

/// Makes and lists a folder under one lock: a signal in between would not find it.
fn listed(make: impl FnOnce() -> io::Result<TempDir>) -> io::Result<Scratch> {
    let mut list = list();
    let folder = make()?;
    list.insert(folder.path().to_owned());
    Ok(Scratch(folder))
}

fn list() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    static LIST: OnceLock<Mutex<BTreeSet<PathBuf>>> = OnceLock::new();
    LIST.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all folders on the list. No folder can be made or go while this runs, nor behind it:
/// the process ends.
pub(crate) fn remove_all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    let list = list();
    for folder in list.iter() {
        for _ in 0..TRIES {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                _ => break,
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn a_folder_goes_with_its_value() {
        let scratch = Scratch::folder("opcost-test-").unwrap();
        let inner = Scratch::folder_in(scratch.path(), "inner-").unwrap();
        let paths = [scratch.path().to_owned(), inner.path().to_owned()];
        assert!(paths.iter().all(|path| path.is_dir()));
        drop(inner);
        assert!(!paths[1].exists());
        drop(scratch);
        assert!(!paths[0].exists());
    }
}
