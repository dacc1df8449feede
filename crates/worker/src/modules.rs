//! What was read before, and is not read again?
//!
//! A process that does many jobs sees which modules they read. What is read for the third time it reads itself,
//! before it makes the copy of itself that does the job, and from then on each copy begins with it. A reading is
//! the same if its files are, byte by byte, and if it is made in the same way: for a whole program, with the same
//! modules, folder and world. Names of a module of which versions are made are read at once: more versions follow.
//!
//! Cost: what is read once or twice costs nothing more. Else the files are compared, and the modules take their memory.
//! At most [`MOST`] readings are held, of [`MOST_BYTES`] bytes of bitcode in all; the oldest goes first.

use std::path::{Path, PathBuf};

use opcost_job::Job;
use opcost_job::profile::ExportModule;
use opcost_job::program::ProgramSource;
use opcost_llvm::{Basis, LlvmError, Maker, Session};

use crate::error::WorkError;
use crate::read::{ReadProgram, maker_at, maker_of_build, maker_of_followed, read_program};

/// Readings that are held at most.
const MOST: usize = 8;
/// Bytes of bitcode of which readings are held at most.
const MOST_BYTES: usize = 64 << 20;
/// How many readings are remembered that were asked for.
const MOST_REQUESTED: usize = 256;

/// One way to read files.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading {
    /// One module.
    Module(PathBuf, Maker),
    /// A whole program, without its table of effects.
    Program(ProgramSource),
    /// A module of which versions are made while a program runs.
    Basis(PathBuf),
}

/// What a reading came to.
enum Read {
    Module(Session),
    Program(Box<ReadProgram>),
    Basis(Basis),
}

struct HeldReading {
    reading: Reading,
    contents: Vec<Vec<u8>>,
    read: Read,
}

/// Modules that were read for jobs before.
#[derive(Default)]
pub struct Modules {
    held: Vec<HeldReading>,
    /// What jobs asked for, once or twice.
    requested: Vec<(Reading, u32)>,
}

impl Modules {
    /// Reads what the job reads, if jobs before it did so twice.
    pub(crate) fn prepare(&mut self, job: &Job) {
        for reading in readings_of(job) {
            if !self.has(&reading) && self.is_often(&reading) {
                self.hold(reading);
            }
        }
    }

    /// Whether a reading is held, of files as they are now. What is no longer true goes.
    fn has(&mut self, reading: &Reading) -> bool {
        let Some(at) = self.held.iter().position(|held| held.reading == *reading) else { return false };
        let held = self.held.remove(at);
        let is_same = contents_of(reading).as_ref() == Some(&held.contents);
        if is_same {
            self.held.push(held);
        }
        is_same
    }

    /// Whether a reading is asked for at least for the third time.
    fn is_often(&mut self, reading: &Reading) -> bool {
        // Who replaces one function replaces others.
        if matches!(reading, Reading::Basis(_)) {
            return true;
        }
        let Some(at) = self.requested.iter().position(|(requested, _)| requested == reading) else {
            if self.requested.len() == MOST_REQUESTED {
                self.requested.remove(0);
            }
            self.requested.push((reading.clone(), 1));
            return false;
        };
        self.requested[at].1 = self.requested[at].1.saturating_add(1);
        self.requested[at].1 > 2
    }

    /// Reads it. What cannot be read is left to the job, which says why.
    fn hold(&mut self, reading: Reading) {
        let Some(contents) = contents_of(&reading) else { return };
        let bytes = |contents: &[Vec<u8>]| contents.iter().map(Vec::len).sum::<usize>();
        if bytes(&contents) > MOST_BYTES {
            return;
        }
        let read = match &reading {
            Reading::Module(path, maker) => Session::read(path, *maker).ok().map(Read::Module),
            Reading::Program(source) => {
                read_program(source).ok().map(|program| Read::Program(Box::new(program)))
            }
            Reading::Basis(path) => Basis::read(path).ok().map(Read::Basis),
        };
        // Between the two looks a file may have become another.
        let (Some(read), true) = (read, contents_of(&reading).as_ref() == Some(&contents)) else { return };
        self.held.push(HeldReading { reading, contents, read });
        while self.held.len() > MOST
            || self.held.iter().map(|held| bytes(&held.contents)).sum::<usize>() > MOST_BYTES
        {
            self.held.remove(0);
        }
    }

    /// A module, read before or now. For a process that does one job.
    pub(crate) fn module(&mut self, path: &Path, maker: Maker) -> Result<Session, LlvmError> {
        match self.take(&Reading::Module(path.to_owned(), maker)) {
            Some(Read::Module(session)) => Ok(session),
            _ => Session::read(path, maker),
        }
    }

    /// A program, read before or now. For a process that does one job.
    pub(crate) fn program(&mut self, source: &ProgramSource) -> Result<ReadProgram, WorkError> {
        match self.take(&program_reading(source)) {
            Some(Read::Program(program)) => Ok(*program),
            _ => read_program(source),
        }
    }

    /// Names of a module, read before or now. For a process that makes one version.
    pub(crate) fn basis(&mut self, path: &Path) -> Result<Basis, LlvmError> {
        match self.take(&Reading::Basis(path.to_owned())) {
            Some(Read::Basis(basis)) => Ok(basis),
            _ => Basis::read(path),
        }
    }

    fn take(&mut self, reading: &Reading) -> Option<Read> {
        let at = self.held.iter().position(|held| held.reading == *reading)?;
        Some(self.held.remove(at).read)
    }
}

/// What a job reads, as far as several jobs may read the same.
fn readings_of(job: &Job) -> Vec<Reading> {
    let module = |path: &Path, maker| vec![Reading::Module(path.to_owned(), maker)];
    let program = |source| vec![program_reading(source)];
    let laid = |of: &ExportModule| Reading::Module(of.bitcode.clone(), maker_at(of.anchor));
    match job {
        Job::Module(job) => module(&job.bitcode, maker_of_build(job)),
        Job::Loops(job) => program(&job.program),
        Job::Predict(job) => program(&job.program),
        Job::Slice(job) => program(&job.program),
        Job::Bits(job) => program(&job.program),
        Job::Check(job) => program(&job.program),
        Job::Width(job) => program(&job.program),
        Job::Narrow(job) => program(&job.program),
        Job::Hdl(job) => program(&job.program),
        Job::Explain(job) => program(&job.program),
        Job::Life(job) => module(&job.module.bitcode, maker_of_followed(&job.module)),
        Job::Machine(job) => module(&job.module.bitcode, maker_of_followed(&job.module)),
        Job::Arrange(job) => vec![laid(&job.module)],
        Job::Copy(job) => vec![laid(&job.request.module)],
        Job::Finish(job) if job.request.ledger.is_some() => vec![laid(&job.request.module)],
        Job::Finish(job) => module(&job.request.module.bitcode, Maker::FrontEnd),
        Job::Export(job) => job.modules.iter().map(laid).collect(),
        Job::Work(job) => job.modules.iter().map(|one| laid(&one.module)).collect(),
        Job::Version(job) => vec![Reading::Basis(job.basis.clone())],
        Job::Anchor(_) | Job::Code(_) | Job::Processor(_) => Vec::new(),
    }
}

fn program_reading(source: &ProgramSource) -> Reading {
    Reading::Program(ProgramSource { effects: None, ..source.clone() })
}

/// The bytes of all files of a reading, if they can be read.
fn contents_of(reading: &Reading) -> Option<Vec<Vec<u8>>> {
    let paths = match reading {
        Reading::Module(path, _) | Reading::Basis(path) => std::slice::from_ref(path),
        Reading::Program(source) => &source.bitcode,
    };
    paths.iter().map(|path| std::fs::read(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use opcost_job::program::{InputValues, LoopsJob};

    use super::*;

    fn job(path: &Path, text: &str) -> Job {
        fs::write(path, text).expect("room");
        let program = ProgramSource {
            bitcode: vec![path.to_owned()],
            is_own: false,
            root: path.parent().expect("a folder").to_owned(),
            world: None,
            opens_names: None,
            flushes_subnormals: false,
            effects: None,
        };
        Job::Loops(Box::new(LoopsJob { program, inputs: InputValues::default() }))
    }

    #[test]
    fn what_is_read_thrice_is_held_while_it_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.ll");
        let mut modules = Modules::default();
        for (text, held) in
            [("@a", 0), ("@a", 0), ("@a", 1), ("@a", 1), ("@b", 1), ("@b", 1), ("no", 0), ("@b", 1)]
        {
            let text = if text == "no" { text.to_owned() } else { format!("{text} = global i8 1\n") };
            let job = job(&path, &text);
            modules.prepare(&job);
            assert_eq!(modules.held.len(), held, "{text}");
            assert!(modules.held.iter().all(|held| held.contents == [text.as_bytes()]));
        }
    }

    #[test]
    fn the_oldest_goes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut modules = Modules::default();
        for number in 0..=MOST {
            let job = job(&folder.path().join(format!("{number}.ll")), "@a = global i8 1\n");
            (0..3).for_each(|_| modules.prepare(&job));
        }
        let names = modules.held.iter().map(|held| match &held.reading {
            Reading::Program(source) => source.bitcode[0].file_name().expect("a name").to_owned(),
            Reading::Module(..) | Reading::Basis(_) => panic!("no program"),
        });
        let expected = (1..=MOST).map(|number| std::ffi::OsString::from(format!("{number}.ll")));
        assert!(names.eq(expected));
    }
}
