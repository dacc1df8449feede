//! From a source to bitcode at its anchor, by clang.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use opcost_job::module::Replaced;
use opcost_job::profile::AnchorJob;
use opcost_key::Anchor;

use super::state::{Build, LivePurpose, Platform, Purpose};
use crate::cached::fortran::{self, FortranJob};
use crate::cached::front::FrontEnd;
use crate::cached::source::{Compilation, compile};
use crate::cached::words::are_known;
use crate::input::{Input, Language};
use crate::link_flags::is_linkers;
use crate::plan::{DriverJob, Plan};
use crate::running::{failed, pass_on, run_tool, wants_colour};
use crate::wasm_flags::target;
use opcost_answer::Failure;

impl Build {
    /// The anchor at which this input is counted.
    pub fn anchor(&self, input: &Input) -> Anchor {
        let default = if input.language == Language::Bitcode { Anchor::File } else { Anchor::Optimized };
        self.options.anchor.unwrap_or(default)
    }

    /// Whether the anchor comes after the front end. What is to run soon goes there on its way to code.
    fn runs_first_passes(&self, input: &Input) -> bool {
        let soon = LivePurpose { replaced: Replaced::Loops, is_counted: false };
        let is_later = matches!(self.anchor(input), Anchor::Simplified | Anchor::Pgo);
        is_later && self.purpose != Purpose::Live(soon)
    }

    /// Whether the user says where files of Fortran modules go. Else they are with what is built,
    /// and the user's folder stays as it is.
    fn names_module_folder(&self) -> bool {
        self.options.cflags.iter().any(|flag| flag.starts_with("-J") || flag.starts_with("-module-dir"))
    }

    /// clang, for C or C++.
    pub(crate) fn compiler(&self, input: &Input) -> &Path {
        if input.language == Language::Cxx { &self.tools.clangxx } else { &self.tools.clang }
    }

    /// Bitcode of one input at its anchor.
    ///
    /// # Errors
    /// It does not compile, or a tool is missing.
    pub fn bitcode(&self, input: &Input, position: usize) -> Result<PathBuf, Failure> {
        let made = self.made.as_ref();
        if let Some(made) = made.and_then(|made| made.borrow().get(&input.path).cloned()) {
            return Ok(made);
        }
        let bitcode = self.compile(input, position)?;
        if let Some(made) = made {
            made.borrow_mut().insert(input.path.clone(), bitcode.clone());
        }
        Ok(bitcode)
    }

    /// The same, made anew.
    fn compile(&self, input: &Input, position: usize) -> Result<PathBuf, Failure> {
        if input.language == Language::Bitcode {
            if !self.runs_first_passes(input) {
                return Ok(input.path.clone());
            }
            let output = self.path(format!("{position}.bc"));
            self.to_anchor(input, input.path.clone(), &output)?;
            return Ok(output);
        }
        if input.language == Language::Rust {
            return Err(Failure::Usage(format!(
                "{}: a Rust source becomes a program only (--emit exe)",
                input.path.display()
            )));
        }
        let flang;
        let compiler = match input.language {
            Language::Fortran => {
                flang = self.tools.flang()?.0;
                &flang
            }
            _ => self.compiler(input),
        };
        let output = self.path(format!("{position}.bc"));
        let mut command = Command::new(compiler);
        // A warning that flang does not have cannot be turned off: to flang that is an error.
        let is_idle = |flag: &str| input.language == Language::Fortran && flag.starts_with("-Wno-");
        let flags = self.options.shaping_flags();
        command
            .args(flags.iter().filter(|flag| !is_linkers(flag) && !is_idle(flag)))
            .args([self.debug_flag, "-c", "-emit-llvm", "-o"])
            .arg(&output);
        if self.as_plugin.get() {
            command.arg("-fPIC");
        }
        if self.is_portable() {
            command.args(portable_flags(input)?);
            // The compiler would work out what it can by the library of its machine.
            let names = opcost_runtime::portable::MATH_FUNCTIONS.iter();
            command.args(names.map(|name| format!("-fno-builtin-{name}")));
            if input.language == Language::Cxx {
                self.include_cxx(&mut command)?;
            }
            self.include_c(&mut command)?;
        }
        if self.platform == Platform::Wasm {
            command.args(target(&self.options));
        }
        match self.anchor(input) {
            Anchor::Source | Anchor::Simplified | Anchor::Pgo if input.language != Language::Fortran => {
                command.args(["-Xclang", "-disable-llvm-passes"]);
            }
            // flang has no flag for that. LLVM's own bisection leaves out all passes that need not run.
            Anchor::Simplified | Anchor::Pgo => {
                command.args(["-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=false"]);
            }
            Anchor::Optimized => {}
            other => {
                return Err(Failure::Usage(format!(
                    "anchor {other} does not fit the source {}; use optimized{}",
                    input.path.display(),
                    if input.language == Language::Fortran {
                        ", simplified or pgo"
                    } else {
                        ", source, simplified or pgo"
                    }
                )));
            }
        }
        match input.language {
            Language::C | Language::Cxx => compile(&mut command, self.compilation(compiler, input, &output))?,
            _ => self.compile_fortran(&mut command, compiler, input, &output)?,
        }
        if self.runs_first_passes(input) {
            let there = self.path(format!("{position}.anchor.bc"));
            self.to_anchor(input, output, &there)?;
            return Ok(there);
        }
        Ok(output)
    }

    /// By flang's front end, whose words its driver says.
    fn compile_fortran(
        &self,
        command: &mut Command,
        flang: &Path,
        input: &Input,
        output: &Path,
    ) -> Result<(), Failure> {
        let is_known = are_known(command.get_args());
        let has_own_folder = !self.names_module_folder();
        if has_own_folder {
            command.arg("-J").arg(self.folder.path());
        }
        command.arg(&input.path);
        let plan = match is_known {
            true => planned(command)?,
            false => Plan::default(),
        };
        let [DriverJob { program, arguments, .. }] = &plan.jobs[..] else {
            return run_tool(command, flang, &input.path);
        };
        pass_on(&plan.warnings);
        let front = FrontEnd { program, words: arguments, output, short: arguments };
        match fortran::compile(FortranJob { front, has_own_folder })? {
            0 => Ok(()),
            _ => Err(failed(flang, &input.path)),
        }
    }

    fn compilation<'a>(&'a self, compiler: &'a Path, input: &'a Input, output: &'a Path) -> Compilation<'a> {
        // What is run waits for nothing that can be done at once.
        let reader = matches!(self.purpose, Purpose::Live(_)).then_some(&self.jobs);
        let is_cxx = input.language == Language::Cxx;
        Compilation { compiler, source: &input.path, output, is_cxx, reader }
    }

    /// Brings a module that the front end made to its anchor.
    fn to_anchor(&self, input: &Input, bitcode: PathBuf, output: &Path) -> Result<(), Failure> {
        let job = AnchorJob {
            bitcode,
            anchor: self.anchor(input),
            is_own: input.language != Language::Bitcode,
            codegen: self.options.code_level(),
            level: self.options.optimiser_level(),
            output: output.to_owned(),
        };
        self.jobs.request(job, &output.with_extension("job"), &input.path.display().to_string())
    }
}

/// What a driver would do with these words.
fn planned(command: &Command) -> Result<Plan, Failure> {
    let mut question = Command::new(command.get_program());
    question.args(command.get_args()).arg("-###").stdin(Stdio::null());
    question.args(wants_colour().then_some("-fcolor-diagnostics"));
    let output = question.output().map_err(|error| Failure::ToolMissing {
        tool: command.get_program().display().to_string(),
        remedy: format!("starting it failed: {error}"),
    })?;
    Ok(if output.status.success() { Plan::read(&output.stderr) } else { Plan::default() })
}

/// How a portable program is compiled: for one machine, whatever the one at hand.
fn portable_flags(input: &Input) -> Result<impl Iterator<Item = &'static str>, Failure> {
    use opcost_runtime::portable::{SHAPE, SHAPE_CXX};
    let further: &[&str] = match input.language {
        Language::C => &[],
        Language::Cxx => SHAPE_CXX,
        _ => {
            return Err(Failure::Usage(format!(
                "{}: a portable program is made of C, C++ and bitcode",
                input.path.display()
            )));
        }
    };
    Ok(SHAPE.iter().chain(further).copied())
}
