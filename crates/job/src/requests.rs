//! How is a job asked, and which program does it?
//!
//! The job is written to a file, a program that holds LLVM does it ([`JobSession`]), and its reply is read
//! from a file beside it. That program is, in this order: this very program, if it has offered
//! itself ([`offer_self`]); the one that `OPCOST` names; `opcost` beside this program or in the
//! folders above, up to two; `opcost` in PATH.
//!
//! Cost: JSON both ways; of a session's first job, a start of the program (about 10 ms); of a job that was done
//! before, hashes of what it reads (`cached.rs`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use opcost_answer::Failure;
use opcost_answer::files::behind_name;
use opcost_answer::names::shown_name;

use crate::cached::CachedJob;
use crate::cases::{Refusal, Reply, Request};
use crate::session::JobSession;

/// Whether this very program does jobs.
static OFFERED: AtomicBool = AtomicBool::new(false);

/// From now on this very program is started for jobs: its `main` must serve [`WORK`](crate::WORK).
pub fn offer_self() {
    OFFERED.store(true, Ordering::Relaxed);
}

/// Where the reply to the job of a file is written.
pub fn reply_path(job: &Path) -> PathBuf {
    job.with_added_extension("reply")
}

/// Has one job done by a process of its own, or takes what it came to before: see [`JobSession::request`].
///
/// # Errors
/// As there.
pub fn run_job<R: Request>(request: R, file: &Path, about: &str) -> Result<R::Answer, Failure> {
    JobSession::default().request(request, file, about)
}

impl JobSession {
    /// Starts who does jobs, so that the first one need not wait for it.
    pub fn start(&self) {
        if let Ok(program) = worker_program() {
            self.begin(&program);
        }
    }

    /// Has a job done, or takes what it came to before. It is written to `file`; `about` names what it is about,
    /// for messages.
    ///
    /// # Errors
    /// No program does jobs; it refused, or LLVM ended it.
    pub fn request<R: Request>(&self, request: R, file: &Path, about: &str) -> Result<R::Answer, Failure> {
        let job = request.job();
        let text = serde_json::to_string(&job).expect("a job is plain data");
        let program = worker_program()?;
        let cached = CachedJob::of(&job, &text, file, &program);
        if let Some(answer) =
            cached.as_ref().and_then(|cached| R::answer(parse(&cached.taken()?).ok()?.ok()?))
        {
            return Ok(answer);
        }
        let (reply, text) = self.done(&program, &text, file, about)?;
        if let Some(cached) = cached {
            cached.store(&reply, &text);
        }
        R::answer(reply).ok_or_else(|| strange(&program, about))
    }

    /// Has a job done, whether it was done before or not: how long it takes is asked, too.
    ///
    /// # Errors
    /// No program does jobs; it refused, or LLVM ended it.
    pub fn request_anew<R: Request>(
        &self,
        request: R,
        file: &Path,
        about: &str,
    ) -> Result<R::Answer, Failure> {
        let text = serde_json::to_string(&request.job()).expect("a job is plain data");
        let program = worker_program()?;
        let (reply, _) = self.done(&program, &text, file, about)?;
        R::answer(reply).ok_or_else(|| strange(&program, about))
    }

    /// The reply of a worker, and its text.
    fn done(&self, program: &Path, job: &str, file: &Path, about: &str) -> Result<(Reply, String), Failure> {
        std::fs::write(file, job).map_err(Failure::file("write", file))?;
        let ended = self.carry_out(program, file)?;
        if !ended.status.success() {
            return Err(broken(about, ended.status, &ended.words));
        }
        let path = reply_path(file);
        let text = std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
        match parse(&text).map_err(|_| strange(program, about))? {
            Ok(reply) => Ok((reply, text)),
            Err(Refusal::Usage(words)) => Err(Failure::Usage(behind_name(about, &words))),
            Err(Refusal::DefinedTwice(name)) => {
                Err(Failure::DefinedTwice { symbol: shown_name(&name), inputs: about.to_owned() })
            }
            Err(Refusal::Failed(words)) => Err(Failure::Module { module: about.to_owned(), message: words }),
        }
    }
}

/// A reply as it was written.
fn parse(text: &str) -> Result<Result<Reply, Refusal>, serde_json::Error> {
    serde_json::from_str(text)
}

/// A program answers something else.
fn strange(program: &Path, about: &str) -> Failure {
    Failure::Module {
        module: about.to_owned(),
        message: format!(
            "{} answers as another version of opcost does; name one of this version",
            program.display()
        ),
    }
}

/// What a child said that left no reply: LLVM ended it, or it is no worker.
fn broken(about: &str, status: std::process::ExitStatus, said: &[u8]) -> Failure {
    use std::os::unix::process::ExitStatusExt;
    let said = String::from_utf8_lossy(said);
    let said = said.trim().strip_prefix("opcost: ").unwrap_or(said.trim());
    let message = match status.signal() {
        Some(signal) => format!("LLVM gave up (signal {signal}) with these words: {said}"),
        None => said.to_owned(),
    };
    Failure::Module { module: about.to_owned(), message }
}

/// The program that does jobs.
///
/// # Errors
/// There is none; where it is looked for.
pub fn worker_program() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe().map_err(Failure::file("find", "this program itself"))?;
    if OFFERED.load(Ordering::Relaxed) {
        return Ok(own);
    }
    if let Some(named) = std::env::var_os("OPCOST").filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    let above = own.ancestors().skip(1).take(3).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = above.chain(in_path).map(|folder| folder.join("opcost"));
    candidates.into_iter().find(|candidate| candidate.is_file()).ok_or_else(|| Failure::ToolMissing {
        tool: "the program opcost, which holds LLVM,".to_owned(),
        remedy: "put it next to this program or into PATH, or name it by OPCOST=/path/of/opcost".to_owned(),
    })
}
