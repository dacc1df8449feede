//! `opcost cc`, `opcost c++`, `opcost flang`: what does a compiler's command
//! line ask for, and how is the same done with counters?
//!
//! **The driver plans, opcost carries out.** clang's own driver is asked what
//! it would do (`-###`); it answers with one line per job. So every option,
//! language, input and output name means what it means to clang, dependency
//! files included. Of the jobs,
//!
//! ```text
//! -cc1 -emit-obj (C, C++, .bc, .ll)   the same job with -emit-llvm-bc, then
//! -fc1 -emit-obj (Fortran)            the worker, then the object at -o
//! ld, ld.lld, mold, …                 planned again with the runtime around, then run
//! -cc1as and others                   run as they are
//! ```
//!
//! With `--opcost-sample` among the words, or `OPCOST_PURPOSE=sample` in the
//! environment, objects get a table of their code in place of counters, and
//! nothing is linked around them. With `--opcost-tune=LEDGER` code is put in
//! order by the ledger's counts (`tuned.rs`, `ordered.rs`).
//!
//! A command line without an object or a link (`-E`, `-S`, `-M`, `--version`,
//! `-print-…`, `-emit-llvm`, a wrong one), or with words that print in place of compiling (`-###`), goes to
//! the compiler itself, and
//! `-r` links without the runtime, since its product is linked again. What
//! configure looks at stays clang's: exit status, stderr, files.
//!
//! Cost: two more starts of the driver (20 ms) and, for each link, 0.3 s for
//! the runtime. Limits: `-flto`, `-gsplit-dwarf`, `-save-temps` and an outside
//! assembler are dropped, as a file is optimised alone and its object written
//! by opcost. Code for bare machines (`-nostdlib` without a C library) does
//! not link, because counters need one.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_interrupt::Scratch;

use super::call::Drive;
use super::names::Front;
use super::own_flags::Wishes;
use super::words::Words;
use crate::late_flags::refuse_unkept;
use crate::plan::{Plan, Role};
use crate::running::{failed, status_of};
use crate::tools::Tools;

impl Drive {
    /// Reads a command line (without the name of the compiler).
    ///
    /// `replaced` is the compiler in whose place clang works, when a build
    /// named another one.
    pub fn new(front: Front, replaced: Option<&str>, given: &[OsString]) -> Result<Drive, Failure> {
        let tools = Tools::find()?;
        let (wishes, given) = Wishes::read(given)?;
        let driver = match front {
            Front::C => tools.clang.clone(),
            Front::Cxx => tools.clangxx.clone(),
            Front::Fortran => tools.flang()?.0,
        };
        let folder =
            Scratch::folder("opcost-cc-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
        let replaced = replaced.map(str::to_owned);
        Ok(Drive { tools, driver, words: Words::read(&given)?, folder, replaced, wishes })
    }

    /// Does what the command line asks for; the exit status for the caller.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.words.only_print() {
            return self.pass_on();
        }
        refuse_unkept(&self.words.shaping())?;
        if let Some(words) = &self.wishes.tune {
            return self.tuned(words);
        }
        let Some(first) = self.plan(&[], &[])? else { return self.pass_on() };
        let links = first.jobs.iter().any(|job| job.role == Role::Link && !job.has("-r"));
        if !links && !first.jobs.iter().any(|job| job.role == Role::Object) {
            return self.pass_on();
        }
        // Nothing is linked around what is sampled.
        if !links || self.wishes.is_sampled {
            return self.carry_out(&first, None);
        }
        let folder = self.folder.path().join("runtime");
        let around = crate::runtime::compile(&self.tools.clang, &self.words.target_flags(), &folder)?;
        let [begin, runtime, end] = around.map(PathBuf::into_os_string);
        let none = [OsString::from("-x"), OsString::from("none")];
        let behind = [&none[..], &[runtime, end]].concat();
        match self.plan(&[begin], &behind)? {
            Some(second) => self.carry_out(&second, None),
            None => self.pass_on(),
        }
    }

    /// Asks the driver for its plan; `None` when it refuses the command line.
    /// `before` and `behind` are linked around what the user gave.
    fn plan(&self, before: &[OsString], behind: &[OsString]) -> Result<Option<Plan>, Failure> {
        let mut arguments: Vec<OsString> = vec!["-gline-tables-only".into()];
        arguments.extend(before.iter().cloned());
        arguments.extend(self.words.preserved(behind));
        self.planned(arguments)
    }

    /// The plan for these words.
    pub(crate) fn planned(&self, words: Vec<OsString>) -> Result<Option<Plan>, Failure> {
        let mut arguments: Vec<OsString> = vec!["-###".into()];
        if self.words.wants_colour() {
            arguments.push("-fcolor-diagnostics".into());
        }
        arguments.extend(words);
        let mut command = Command::new(&self.driver);
        command.args(self.shortened(arguments, "plan")?);
        command.env("TMPDIR", self.folder.path()).stdin(std::process::Stdio::null());
        let output = command.output().map_err(Failure::file("start", &self.driver))?;
        if output.status.signal().is_some() {
            // It refused nothing, and what was ended is not begun again.
            opcost_interrupt::hold();
            return Err(failed(&self.driver, Path::new("a command line")));
        }
        Ok(output.status.success().then(|| Plan::read(&output.stderr)))
    }

    /// Lets the compiler do it, with its streams and its status.
    pub(crate) fn pass_on(&self) -> Result<u8, Failure> {
        let mut command = Command::new(&self.driver);
        let mut given = self.words.given.clone();
        if self.words.wants_colour() {
            // It writes into a pipe of ours. `-cc1` must stay first.
            let first = usize::from(given.first().is_some_and(|word| word == "-cc1"));
            given.insert(first, "-fcolor-diagnostics".into());
        }
        command.args(self.shortened(given, "given")?);
        status_of(&mut command, &self.driver)
    }
}
