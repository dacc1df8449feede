//! A plan is carried out, job by job, as the driver would.
//!
//! A failed compilation does not keep the others from running, but nothing is
//! linked then; the status is that of the first that failed. An object
//! appears at its place whole, or not at all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_job::module::{EarlierRun, ModuleJob, ModulePurpose, Product, ThreadMode};
use opcost_job::profile::AnchorJob;
use opcost_key::{Anchor, Placement};

use super::call::Drive;
use super::jobs::{ModuleNames, code_options, deliver, is_profiled, module_names};
use super::own_flags::above;
use super::settings::{setting, threads_requested};
use super::tuned::Tuning;
use crate::cached::fortran::{self, FortranJob};
use crate::cached::front::{FrontEnd, compile};
use crate::cached::words::are_known_in_builds;
use crate::cost::{COUNTED, lone_cost_model};
use crate::plan::{DriverJob, Plan, Role};
use crate::running::{pass_on, status_of, without_stripping};
use crate::threads::word_may_start;

impl Drive {
    /// With `tuning`, by the counts of a ledger; else with counters or a table.
    pub(crate) fn carry_out(&self, plan: &Plan, tuning: Option<&Tuning>) -> Result<u8, Failure> {
        if self.words.has("-v") {
            pass_on(&plan.banner);
        }
        pass_on(&plan.warnings);
        let mut failed = 0;
        for (number, job) in plan.jobs.iter().enumerate() {
            let status = match (job.role, tuning) {
                (Role::Object, None) => self.object(job, number)?,
                (Role::Object, Some(tuning)) => self.tuned_object(tuning, job, number)?,
                (Role::Link, _) if failed != 0 => break,
                (Role::Link, None) => self.link(job)?,
                (Role::Link, Some(_)) if job.has("-r") => self.plain_link(job)?,
                (Role::Link, Some(tuning)) => self.ordered_link(tuning, plan, job)?,
                (Role::Other, _) => status_of(Command::new(&job.program).args(&job.arguments), &job.program)?,
            };
            if failed == 0 {
                failed = status;
            }
        }
        Ok(failed)
    }

    /// Compiles and instruments one source.
    fn object(&self, job: &DriverJob, number: usize) -> Result<u8, Failure> {
        let made = self.folder.path().join(format!("job-{number}.o"));
        let bitcode = made.with_extension("bc");
        let anchor = if self.wishes.anchor == Anchor::Pgo && is_profiled(job) {
            Anchor::Pgo
        } else {
            Anchor::Optimized
        };
        let status = match anchor {
            Anchor::Pgo => self.to_pgo(job, &bitcode, &[])?,
            _ => self.front_end(job, &bitcode, &[])?,
        };
        if status != 0 {
            return Ok(status);
        }
        let mut module = self.module_job(job, bitcode, made.clone())?;
        module.anchor = anchor;
        let name = module.module.clone();
        opcost_job::run_job(module, &made.with_extension("job"), &name)?;
        deliver(&made, job)
    }

    /// A module where clang's profile passes read, at `bitcode`.
    pub(crate) fn to_pgo(&self, job: &DriverJob, bitcode: &Path, further: &[&str]) -> Result<u8, Failure> {
        let early = bitcode.with_extension("early.bc");
        let status = self.front_end(job, &early, &[&["-disable-llvm-passes"], further].concat())?;
        if status == 0 {
            let request = AnchorJob {
                bitcode: early,
                is_own: true,
                anchor: Anchor::Pgo,
                codegen: job.level(),
                level: job.optimiser_level(),
                output: bitcode.to_owned(),
            };
            let source = job.arguments.last().cloned().unwrap_or_default();
            opcost_job::run_job(request, &bitcode.with_extension("job"), &source.to_string_lossy())?;
        }
        Ok(status)
    }

    /// The front end's job, with bitcode in place of an object and further flags.
    pub(crate) fn front_end(&self, job: &DriverJob, bitcode: &Path, further: &[&str]) -> Result<u8, Failure> {
        let mut arguments = Vec::new();
        let mut given = job.arguments.iter();
        while let Some(argument) = given.next() {
            match argument.to_str() {
                Some("-emit-obj") => arguments.push("-emit-llvm-bc".into()),
                Some("-o") => {
                    given.next();
                    arguments.extend(["-o".into(), bitcode.as_os_str().to_owned()]);
                }
                _ => arguments.push(argument.clone()),
            }
        }
        let is_clang = job.has("-cc1");
        if is_clang {
            // The order of uses decides machine code here and there.
            let flags = ["-emit-llvm-uselists"].into_iter().chain(further.iter().copied());
            arguments.splice(1..1, flags.map(OsString::from));
        }
        // flang's driver names itself for C, which only clang can compile.
        let is_flang =
            job.program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("flang"));
        let program = if is_clang && is_flang { &self.tools.clang } else { &job.program };
        // `-cc1` must stay first, also before a response file.
        let words = arguments.clone();
        let first = arguments.remove(0);
        let mut short = vec![first];
        short.extend(self.shortened(arguments, "front")?);
        if are_known_in_builds(&self.words.expanded) {
            let front = FrontEnd { program, words: &words, output: bitcode, short: &short };
            return match is_clang {
                true => compile(&front),
                false => fortran::compile(FortranJob { front, has_own_folder: false }),
            };
        }
        status_of(Command::new(program).args(short), program)
    }

    fn module_job(&self, job: &DriverJob, bitcode: PathBuf, object: PathBuf) -> Result<ModuleJob, Failure> {
        let ModuleNames { source, root, module } = module_names(job)?;
        let placement = match setting("OPCOST_PLACEMENT") {
            None => Placement::Chords,
            Some(text) => {
                text.parse().map_err(|error| Failure::Usage(format!("OPCOST_PLACEMENT: {error}")))?
            }
        };
        let is_threaded = job.arguments.iter().any(|word| word_may_start(word)) || self.words.start_threads();
        let always = is_threaded || threads_requested()?;
        Ok(ModuleJob {
            bitcode,
            others: None,
            map: object.with_extension("opcmap"),
            output: object,
            product: Product::Object,
            module,
            root,
            anchor: Anchor::Optimized,
            purpose: match self.wishes.is_sampled {
                true => ModulePurpose::Sample { optimise: None },
                false => ModulePurpose::Count { placement },
            },
            threads: if always { ThreadMode::Always } else { ThreadMode::IfStarted },
            cost: lone_cost_model(setting("OPCOST_COST").as_deref().unwrap_or(COUNTED))?,
            library: None,
            code: code_options(job),
            compiler: self.compiler_name(job)?,
            fresh: job.has("-fc1").then(|| source.clone()),
            flags: self.words.shaping(),
            earlier: self.earlier_run()?,
        })
    }

    /// The run by which counters are placed, if one was named.
    fn earlier_run(&self) -> Result<Option<EarlierRun>, Failure> {
        let Some(name) = &self.wishes.placement_from else { return Ok(None) };
        let working = std::env::current_dir().map_err(Failure::file("find", "."))?;
        Ok(Some(EarlierRun::Ledger(working.join(above(name, &working)))))
    }

    /// The compiler of a source, by name and version: a driver hands a source of another language to
    /// that language's front end. A module that is given says itself who made it.
    fn compiler_name(&self, job: &DriverJob) -> Result<Option<String>, Failure> {
        let version = match job.behind("-x").and_then(OsStr::to_str) {
            Some("ir") => return Ok(None),
            _ if job.has("-fc1") => self.tools.flang()?.1,
            _ => self.tools.clang_version.clone(),
        };
        Ok(Some(match &self.replaced {
            Some(other) => format!("{version} in place of {other}"),
            None => version,
        }))
    }

    fn link(&self, job: &DriverJob) -> Result<u8, Failure> {
        if self.words.wants_lto() {
            opcost_answer::tell!(
                "opcost: -flto is not done here: every file was optimised and counted by itself"
            );
        }
        self.warn_of_threads(job)?;
        let mut arguments = vec![OsString::from("--build-id=sha1")];
        let kept = without_stripping(job.arguments.clone());
        arguments.extend(kept.into_iter().filter(|argument| argument != "--build-id"));
        self.plain_link(&DriverJob { arguments, ..job.clone() })
    }

    /// Links as the job says.
    pub(crate) fn plain_link(&self, job: &DriverJob) -> Result<u8, Failure> {
        let arguments = self.shortened(job.arguments.clone(), "link")?;
        let status = status_of(Command::new(&job.program).args(arguments), &job.program)?;
        if status != 0 {
            let driver = self.driver.file_name().unwrap_or_default().to_string_lossy();
            opcost_answer::tell!(
                "{driver}: error: linker command failed with exit code {status} (use -v to see invocation)"
            );
        }
        Ok(status)
    }
}
