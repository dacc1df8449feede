//! How does a program do itself what needs LLVM, or a process of its own?
//!
//! opcost starts a program for three things: jobs of LLVM (`__work`), walls around a program that
//! nobody trusts (`__sandbox`), and as the linker that rustc calls. A `main` that begins with
//! [`offer`] is that program.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use opcost_answer::{Failure, Status};
use opcost_job::{WORK, offer_self};
use opcost_run::sandbox::{Entry, SANDBOX, enter};
use opcost_toolchain::build::{is_rust_linker, link_rust};

/// Lets this very program do what needs LLVM or a process of its own: to be called as the first
/// thing in `main`.
///
/// In a process that opcost started, the work is done and the process ends here. In all others
/// opcost starts this program from now on.
pub fn offer() {
    let line: Vec<OsString> = std::env::args_os().collect();
    if let Some(ended) = serve(&line) {
        let status = ended.unwrap_or_else(|error| {
            opcost_answer::tell!("opcost: {error}");
            error.status()
        });
        std::process::exit(i32::from(status.number()));
    }
    offer_self();
}

/// Does what the command line asks for; none if it is no request of opcost.
fn serve(line: &[OsString]) -> Option<Result<Status, Failure>> {
    let (program, rest) = line.split_first()?;
    if is_rust_linker(program) {
        // Its folders go with it, as those of the command do. Without signals it still links.
        let _ = opcost_interrupt::begin();
        return Some(link_rust(program, rest).map(Status::Own));
    }
    let (verb, rest) = rest.split_first()?;
    let file =
        || rest.first().map(Path::new).ok_or_else(|| Failure::Usage("a request is missing".to_owned()));
    if verb == OsStr::new(WORK) {
        return Some(opcost_worker::serve().map(|()| Status::Fine));
    }
    if verb == OsStr::new(SANDBOX) {
        return Some(file().and_then(|file| sandbox(file, &rest[1..])));
    }
    None
}

/// Puts up the walls and becomes the program.
fn sandbox(file: &Path, rest: &[OsString]) -> Result<Status, Failure> {
    let text = std::fs::read(file).map_err(Failure::file("read", file))?;
    let entry: Entry = serde_json::from_slice(&text)
        .map_err(|error| Failure::Usage(format!("{} is no request of opcost: {error}", file.display())))?;
    let arguments = rest.strip_prefix(&[OsString::from("--")]).unwrap_or(rest);
    match enter(&entry, arguments)? {}
}
