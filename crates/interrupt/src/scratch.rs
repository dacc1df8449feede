//! A folder that goes away with its value, and with its process.
//!
//! `tempfile` removes a folder when its value is dropped. A process that dies of a signal drops
//! nothing, so each folder is listed, too, and [`remove`] removes what is on the list.
//!
//! A folder that was removed must not come again: the thread that was at work may still be making
//! folders below it, with all that are missing above. So they are made under the list's lock
//! ([`make_folders`]), which an ending process never lets go.
//!
//! Cost: a lock for each folder. Limit: SIGKILL.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

/// How often removing is tried, and how long between two times: a process that ends may still
/// write.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// A folder that goes away.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new folder for temporary files, whose name begins with this.
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

    /// The folder of this process that a path is in.
    pub fn holding(path: &Path) -> Option<PathBuf> {
        list().iter().find(|folder| path.starts_with(folder)).cloned()
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
        for _ in 0..TRIES {
            if is_removed(self.0.path()) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        list.remove(self.0.path());
    }
}

/// Makes a folder and those that are missing above it. Never returns in a process that is ending.
///
/// # Errors
/// It cannot be made.
pub fn make_folders(path: &Path) -> io::Result<()> {
    let _list = list();
    std::fs::create_dir_all(path)
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

/// Holds the list: no folder can be made or go by itself while it is held.
pub(crate) fn hold_list() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    list()
}

/// Removes all folders on the list, and returns whether none is left.
pub(crate) fn remove(list: &BTreeSet<PathBuf>) -> bool {
    list.iter().filter(|folder| !is_removed(folder.as_path())).count() == 0
}

/// Removes a folder, and returns whether there is none.
fn is_removed(folder: &Path) -> bool {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scratch, hold_list, make_folders, remove};

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
    #[test]
    fn a_removed_folder_does_not_come_again() {
        let scratch = Scratch::folder("opcost-test-").unwrap();
        let inner = scratch.path().join("a/b");
        std::thread::scope(|scope| {
            // As an ending process does.
            let list = hold_list();
            assert!(remove(&list));
            let (begun, begins) = std::sync::mpsc::channel();
            let inner = &inner;
            let at_work = scope.spawn(move || {
                begun.send(()).unwrap();
                make_folders(inner)
            });
            begins.recv().unwrap();
            std::thread::sleep(super::PAUSE);
            assert!(!inner.exists() && !scratch.path().exists());
            drop(list);
            at_work.join().unwrap().unwrap();
        });
        assert!(inner.is_dir());
    }
}
