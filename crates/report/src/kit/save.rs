//! Where does a report go, and what if it cannot?
//!
//! Files appear whole or not at all (`write_whole`); `-` is stdout. Colours
//! stay only where they are wanted: anstream looks at the terminal,
//! `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`. Control characters of input never reach a stream
//! ([`harmless`]). A reader that went away (`| head`) is no error.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::adapter::strip_str;
use opcost_profile::formats::write_whole;
use serde::Serialize;

use opcost_answer::Failure;
use opcost_answer::terminal::{Styles, harmless};

/// Writes styled text to a file, without its styles, or to a stream.
pub fn save_text(path: Option<&Path>, text: &str, stream: Stream) -> Result<(), Failure> {
    match (path, stream) {
        (Some(path), _) if path == Path::new("-") => to_stdout(text),
        (Some(path), _) => Ok(write_whole(path, strip_str(text).to_string().as_bytes())?),
        (None, Stream::Stdout) => to_stdout(text),
        (None, Stream::Stderr) => {
            forgive(anstream::stderr().write_all(harmless(text, Styles::Ours).as_bytes()), "stderr")
        }
    }
}

/// Where a report goes when no file is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The report is the answer.
    Stdout,
    /// Stdout belongs to the measured program.
    Stderr,
}

/// Whether stdout has its document: a second one after it could not be read.
static HAS_DOCUMENT: AtomicBool = AtomicBool::new(false);

/// Writes a document to a file, or for `-` to stdout.
pub fn save_json(path: &Path, document: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        HAS_DOCUMENT.store(true, Ordering::Relaxed);
        let mut stdout = std::io::stdout().lock();
        return forgive(stdout.write_all(document.as_bytes()).and_then(|()| stdout.flush()), "stdout");
    }
    Ok(write_whole(path, document.as_bytes())?)
}

/// Writes a document about a failure, in place of an older one. Stdout keeps the document that was
/// written before, if there is one.
pub fn save_failure(path: &Path, document: &str) -> Result<(), Failure> {
    if path == Path::new("-") && HAS_DOCUMENT.load(Ordering::Relaxed) {
        return Ok(());
    }
    save_json(path, document)
}

/// The text of a document.
pub fn document(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect("a document is plain data with text keys") + "\n"
}

fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout();
    let text = harmless(text, Styles::Ours);
    forgive(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()), "stdout")
}

fn forgive(written: std::io::Result<()>, name: &'static str) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::file("write", name)(error)),
        _ => Ok(()),
    }
}
