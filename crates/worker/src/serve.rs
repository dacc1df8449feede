//! How does one process do many jobs?
//!
//! It reads names of files from its standard input, each with a zero byte behind it. The job of a file is done
//! in a copy of this process ([`in_fork`]), which writes the reply beside the file. How the copy ended is a line
//! on standard output: the system's number for it. So a fatal error of LLVM ends one job, no job sees what
//! another one left, and all memory of a job is free again when it ends.
//!
//! Cost: a job that reads what two jobs before it read finds it read already ([`Modules`]).

use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use opcost_answer::Failure;
use opcost_job::{Job, reply_path};
use opcost_llvm::in_fork;
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::carry_out;
use crate::modules::Modules;

/// Does jobs until nobody asks any more.
///
/// # Errors
/// A file holds no job of this version, or the system has no room for another process. A job that is refused
/// has a reply that says so.
pub fn serve() -> Result<(), Failure> {
    end_with_parent();
    let mut requests = std::io::stdin().lock();
    let mut modules = Modules::default();
    let mut name = Vec::new();
    loop {
        name.clear();
        requests.read_until(0, &mut name).map_err(Failure::file("read", "the list of jobs"))?;
        if name.pop() != Some(0) {
            return Ok(());
        }
        let file = Path::new(OsStr::from_bytes(&name));
        let job = read_job(file)?;
        modules.prepare(&job);
        let ended = in_fork(|| do_in_copy(&job, file, &mut modules))
            .map_err(Failure::file("copy", "the process that holds LLVM"))?;
        let mut ends = std::io::stdout().lock();
        let written = writeln!(ends, "{}", ended.into_raw()).and_then(|()| ends.flush());
        written.map_err(Failure::file("write", "how a job ended"))?;
    }
}

fn read_job(file: &Path) -> Result<Job, Failure> {
    let text = std::fs::read(file).map_err(Failure::file("read", file))?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::Usage(format!("{} is no job of opcost: {error}", file.display())))
}

/// The whole life of a copy: the job, its reply, and the status.
fn do_in_copy(job: &Job, file: &Path, modules: &mut Modules) -> u8 {
    end_with_parent();
    let reply = carry_out(job, modules);
    let text = serde_json::to_vec(&reply).expect("plain data");
    let path = reply_path(file);
    match std::fs::write(&path, text).map_err(Failure::file("write", &path)) {
        Ok(()) => 0,
        Err(failure) => {
            opcost_answer::tell!("opcost: {failure}");
            failure.status().number()
        }
    }
}

/// Without a parent nobody would read the reply.
fn end_with_parent() {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}
