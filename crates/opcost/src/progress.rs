//! Who is told that work goes on?
//!
//! The library prints nothing. A program with a terminal names a function here; it is called
//! where work begins that may take longer than a second, and what it gives lives until the
//! work is done.

use std::any::Any;
use std::sync::OnceLock;

/// Called with the name of work; what it gives is dropped when the work is done.
pub type Watcher = fn(&str) -> Box<dyn Any>;

static WATCHER: OnceLock<Watcher> = OnceLock::new();

/// Names the function that is informed of work; the first one that is named stays.
pub fn watch_work(watcher: Watcher) {
    let _ = WATCHER.set(watcher);
}

/// Work begins.
pub(crate) fn work(name: &str) -> Option<Box<dyn Any>> {
    WATCHER.get().map(|watcher| watcher(name))
}
