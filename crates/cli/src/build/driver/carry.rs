//! A plan is carried out, job by job, as the driver would.
//!
//! A failed compilation does not keep the others from running, but nothing is
//! linked then; the status is that of the first that failed. An object
//! appears at its place whole, or not at all.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_key::{Anchor, Placement};

use super::plan::{Job, Plan, Role};
use super::{Drive, root_of, setting};
use crate::build::cost::{COUNTED, lone_cost_model};
use crate::build::install::install;
use crate::build::module::{ModuleRequest, Product, ThreadMode, relative, run_child, tidy};
use crate::error::CliError;

impl Drive {
    pub(super) fn carry_out(&self, plan: &Plan) -> Result<u8, CliError> {
        let mut stderr = std::io::stderr();
        if self.words.has("-v") {
            let _ = stderr.write_all(&plan.banner);
        }
        let _ = stderr.write_all(&plan.warnings);
        let mut failed = 0;
        for (number, job) in plan.jobs.iter().enumerate() {
            let status = match job.role {
                Role::Object => self.object(job, number)?,
                Role::Link if failed != 0 => break,
                Role::Link => self.link(job)?,
                Role::Other => status_of(Command::new(&job.program).args(&job.arguments), &job.program)?,
            };
            if failed == 0 {
                failed = status;
            }
        }
        Ok(failed)
    }

    /// Compiles and instruments one source.
    fn object(&self, job: &Job, number: usize) -> Result<u8, CliError> {
        let made = self.folder.path().join(format!("job-{number}.o"));
        let bitcode = made.with_extension("bc");
        let status = self.front_end(job, &bitcode)?;
        if status != 0 {
            return Ok(status);
        }
        let request = self.request(job, bitcode, made.clone())?;
        run_child(&made.with_extension("request"), &request)?;
        let output = Path::new(job.behind("-o").unwrap_or_default());
        if output == Path::new("-") {
            let bytes = std::fs::read(&made).map_err(CliError::file("read", &made))?;
            std::io::stdout().write_all(&bytes).map_err(CliError::file("write", "stdout"))?;
        } else {
            install(&made, output)?;
        }
        Ok(0)
    }

    /// The front end's job, with bitcode in place of an object.
    fn front_end(&self, job: &Job, bitcode: &Path) -> Result<u8, CliError> {
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
            arguments.insert(1, "-emit-llvm-uselists".into());
        }
        // flang's driver names itself for C, which only clang can compile.
        let is_flang =
            job.program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("flang"));
        let program = if is_clang && is_flang { &self.tools.clang } else { &job.program };
        // `-cc1` must stay first, also before a response file.
        let first = arguments.remove(0);
        let rest = self.shortened(arguments, "front")?;
        status_of(Command::new(program).arg(first).args(rest), program)
    }

    fn request(&self, job: &Job, bitcode: PathBuf, object: PathBuf) -> Result<ModuleRequest, CliError> {
        let source = PathBuf::from(job.arguments.last().cloned().unwrap_or_default());
        let source = std::path::absolute(&source).map_err(CliError::file("find", &source))?;
        let root = root_of(&source);
        let placement = match setting("OPCOST_PLACEMENT") {
            None => Placement::Chords,
            Some(text) => {
                text.parse().map_err(|error| CliError::Usage(format!("OPCOST_PLACEMENT: {error}")))?
            }
        };
        let is_threaded = job.has("-pthread") || job.has("-fopenmp") || self.words.has("-pthread");
        let always = is_threaded || setting("OPCOST_THREADS").is_some();
        Ok(ModuleRequest {
            bitcode,
            map: object.with_extension("opcmap"),
            output: object,
            product: Product::Object,
            module: relative(&tidy(&source), &root),
            root,
            anchor: Anchor::Optimized,
            placement,
            is_metered: false,
            is_sampled: self.is_sampled,
            optimise: None,
            overshoot: None,
            audit: false,
            harden: false,
            others: None,
            values: None,
            allowed: None,
            plugin: false,
            wasm: false,
            by_segment: false,
            portable: None,
            threads: if always { ThreadMode::Always } else { ThreadMode::IfStarted },
            cost: lone_cost_model(setting("OPCOST_COST").as_deref().unwrap_or(COUNTED))?,
            library: None,
            level: job.level(),
            position_independent: false,
            function_sections: job.has("-ffunction-sections"),
            data_sections: job.has("-fdata-sections"),
            compiler: self.compiler.clone(),
            flags: self.words.shaping(),
        })
    }

    fn link(&self, job: &Job) -> Result<u8, CliError> {
        if self.words.wants_lto() {
            eprintln!("opcost: -flto is not done here: every file was optimised and counted by itself");
        }
        let mut arguments = vec![OsString::from("--build-id=sha1")];
        let kept = without_stripping(job.arguments.clone());
        arguments.extend(kept.into_iter().filter(|argument| argument != "--build-id"));
        let arguments = self.shortened(arguments, "link")?;
        let status = status_of(Command::new(&job.program).args(arguments), &job.program)?;
        if status != 0 {
            let driver = self.driver.file_name().unwrap_or_default().to_string_lossy();
            eprintln!(
                "{driver}: error: linker command failed with exit code {status} (use -v to see invocation)"
            );
        }
        Ok(status)
    }
}

/// Runs a tool with our streams; its exit status as the driver would pass it on.
pub(in crate::build) fn status_of(command: &mut Command, tool: &Path) -> Result<u8, CliError> {
    let status = command.status().map_err(|error| CliError::ToolMissing {
        tool: tool.display().to_string(),
        remedy: format!("starting it failed: {error}"),
    })?;
    if let Some(signal) = status.signal() {
        eprintln!("opcost: {} was ended by signal {signal}", tool.display());
    }
    Ok(status.code().map_or(1, |code| code as u8))
}

/// A linker's words without those that would drop the map and the symbols.
pub(in crate::build) fn without_stripping(mut words: Vec<OsString>) -> Vec<OsString> {
    let given = words.len();
    let strips = [
        "-s",
        "-S",
        "--strip-all",
        "--strip-debug",
        "-Wl,-s",
        "-Wl,-S",
        "-Wl,--strip-all",
        "-Wl,--strip-debug",
    ];
    words.retain(|word| !strips.iter().any(|strip| word == strip));
    if words.len() < given {
        eprintln!("opcost: the program is not stripped, since its map and symbols are needed");
    }
    words
}
