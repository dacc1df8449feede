//! A program on fuel: built so that it pays, run on what it is given, and stopped when that is used up.
//!
//! Input: a [`MeteredRequest`]. Output: a [`MeteredProgram`], and [`FuelAnswers`] of a run of it; or what speaks against
//! metering it. Cost: that of the build and of the run.
//!
//! ```
//! use opcost::fuel::{MeteredForm, MeteredRequest, MeteredRun, build, run};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-fuel-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("fuel.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let metered = build(&MeteredRequest::of([&source]), MeteredForm::Program)?;
//! let limited = MeteredRun { limit: Some(1_000_000), ..MeteredRun::default() };
//! let used = run(&metered.path, &limited, false, None)?;
//! assert!(used.spending.page.stopped.is_none() && used.spending.spent < 1_000_000);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::fuel::{Engine, FuelAnswers, Promise, Room, Spending};
use opcost_instrument::{Admission, Portability};
pub use opcost_job::module::Product;
use opcost_run::deterministic::FixedWorld;
use opcost_run::fuel::{FuelRun, is_metered, spend};
use opcost_run::sandbox::spend_walled;
use opcost_run::start::Streams;
pub use opcost_toolchain::build::Platform;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

use crate::earlier::{last_run, named_run, note_unlike_run};
use crate::progress::work;

/// Work between two checks of a metered program, at most, unless it is said otherwise.
pub const OVERSHOOT: u64 = 1_000_000;

/// What is metered, and for what.
#[derive(Clone, Debug)]
pub struct MeteredRequest {
    /// Sources, bitcode and objects.
    pub inputs: Vec<PathBuf>,
    /// How they are compiled.
    pub options: CompileOptions,
    /// The most work between two checks; none: nothing can stop it.
    pub overshoot: Option<u64>,
    /// Whether each check is checked.
    pub audit: bool,
    /// Whether its stores are kept off its counter.
    pub harden: bool,
    /// Whether it pays in each segment, slow and simple.
    pub by_segment: bool,
    /// For which machine.
    pub platform: Platform,
    /// A ledger of an earlier run that says where little ran; none: the last run of these inputs.
    pub placement_from: Option<PathBuf>,
    /// Called with what is to be known of the build.
    pub listener: fn(&str),
}

/// A program, or a module of it, that pays. It goes away with this value.
pub struct MeteredProgram<P> {
    /// Its file.
    pub path: PathBuf,
    /// The cost model by which it pays.
    pub cost_model: String,
    /// What is known of it besides: objections, hashes of its code.
    pub facts: P,
    _build: Build,
}

impl<P> MeteredProgram<P> {
    /// Puts it in its place.
    ///
    /// # Errors
    /// It cannot be written there.
    pub fn install(&self, output: &Path) -> Result<(), Failure> {
        install(&self.path, output)
    }
}

/// In which form what pays is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeteredForm {
    /// A program.
    Program,
    /// A shared library for a host.
    Plugin,
    /// One module.
    Module(Product),
}

impl MeteredRequest {
    /// A program of these inputs for this machine, with checks at most a million instructions apart.
    pub fn of<Source: AsRef<Path>>(inputs: impl IntoIterator<Item = Source>) -> MeteredRequest {
        MeteredRequest {
            inputs: inputs.into_iter().map(|path| path.as_ref().to_owned()).collect(),
            options: CompileOptions::default(),
            overshoot: Some(OVERSHOOT),
            audit: false,
            harden: false,
            by_segment: false,
            platform: Platform::Native,
            placement_from: None,
            listener: |_| {},
        }
    }

    fn classified(&self) -> Result<Vec<Input>, Failure> {
        let inputs = Input::all(self.inputs.iter().map(|path| &**path))?;
        if inputs.iter().any(|input| input.language == Language::Program) {
            return Err(Failure::Usage("a built program runs alone; give either it or sources".to_owned()));
        }
        Ok(inputs)
    }

    fn build(&self, earlier: Option<&Path>) -> Result<Build, Failure> {
        let earlier = earlier.map(named_run).transpose()?;
        let purpose = Purpose::Fuel {
            overshoot: self.overshoot,
            audit: self.audit,
            harden: self.harden,
            by_segment: self.by_segment,
        };
        let mut build = Build::new(&CompileOptions { earlier, ..self.options.clone() }, purpose)?;
        build.platform = self.platform;
        Ok(build)
    }

    /// A build for this machine, in which an earlier run says where little ran.
    fn placed_build(&self, form: MeteredForm) -> Result<Build, Failure> {
        let mut build = self.build(self.placement_from.as_deref())?;
        if form == MeteredForm::Program && build.options.earlier.is_none() {
            build.options.earlier = last_run(&self.inputs, &build.path("branches"));
        }
        Ok(build)
    }
}

fn metered<P>(build: Build, path: PathBuf, facts: P) -> MeteredProgram<P> {
    let cost_model = build.cost.facts().name;
    MeteredProgram { path, cost_model, facts, _build: build }
}

/// Whether anyone's inputs may be metered, but for functions that are `allowed`; builds no program.
///
/// # Errors
/// They do not compile.
pub fn admission(request: &MeteredRequest, allowed: Vec<String>) -> Result<Admission, Failure> {
    request.build(None)?.admission(&request.classified()?, allowed)
}

/// Builds what pays, for this machine or an engine of WebAssembly.
///
/// # Errors
/// The inputs do not compile, or are more than one for a module.
pub fn build(request: &MeteredRequest, form: MeteredForm) -> Result<MeteredProgram<()>, Failure> {
    let inputs = request.classified()?;
    if request.harden && form == MeteredForm::Plugin {
        return Err(Failure::Usage("--harden is for programs; a host keeps a plug-in's counter".to_owned()));
    }
    let is_wasm = request.platform == Platform::Wasm;
    let build = if is_wasm { request.build(None)? } else { request.placed_build(form)? };
    let made = build.path("made");
    let building = work("building the metered program");
    match (form, inputs.as_slice()) {
        (form, _) if is_wasm => build.wasm(&inputs, whole(form, "a program for wasm32-wasi")?, &made)?,
        (MeteredForm::Program, _) => build.program(&inputs, &made)?,
        (MeteredForm::Plugin, _) => build.plugin(&inputs, &made)?,
        (MeteredForm::Module(product), [input]) => build.module(input, product, &made)?,
        (MeteredForm::Module(_), _) => {
            return Err(Failure::Usage("--emit obj and --emit bc take one input".to_owned()));
        }
    }
    drop(building);
    note_unlike_run(&build, request.listener);
    Ok(metered(build, made, ()))
}

/// The product of a program that is whole.
fn whole(form: MeteredForm, what: &str) -> Result<Product, Failure> {
    match form {
        MeteredForm::Program => Ok(Product::Object),
        MeteredForm::Module(product @ (Product::Counted | Product::Anchor)) => Ok(product),
        MeteredForm::Plugin | MeteredForm::Module(_) => {
            Err(Failure::Usage(format!("{what} is whole: --emit exe, bc or anchor")))
        }
    }
}

/// Builds a program with one number on every machine, and says what speaks against that.
///
/// # Errors
/// The inputs do not compile, or the form is no whole program.
pub fn build_portable(
    request: &MeteredRequest,
    form: MeteredForm,
) -> Result<MeteredProgram<Portability>, Failure> {
    let inputs = request.classified()?;
    let Platform::Portable(machine) = request.platform else {
        return Err(Failure::Usage("a portable program is for a machine of its own".to_owned()));
    };
    let product = whole(form, "a portable program")?;
    let build = request.build(None)?;
    let made = build.path("made");
    let building = work("building the portable program");
    let found = build.portable(machine, &inputs, product, &made)?;
    drop(building);
    Ok(metered(build, made, found))
}

/// Builds a program if nothing speaks against metering it.
///
/// # Errors
/// The inputs do not compile.
pub fn build_admitted(
    request: &MeteredRequest,
    allowed: Vec<String>,
) -> Result<MeteredProgram<Admission>, Failure> {
    let inputs = request.classified()?;
    let mut build = request.placed_build(MeteredForm::Program)?;
    let made = build.path("made");
    let building = work("building the metered program");
    let admission = build.admitted_program(&inputs, allowed, &made)?;
    drop(building);
    note_unlike_run(&build, request.listener);
    Ok(metered(build, made, admission))
}

/// How a metered program runs.
#[derive(Clone, Debug, Default)]
pub struct MeteredRun {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What it may use.
    pub limit: Option<u64>,
    /// What it reads and writes.
    pub streams: Streams,
}

impl MeteredRun {
    fn of<'a>(&'a self, program: &'a Path) -> FuelRun<'a> {
        FuelRun { program, arguments: &self.arguments, limit: self.limit, streams: &self.streams }
    }
}

/// Runs a program on fuel.
///
/// # Errors
/// It does not pay, cannot be stopped though there is a limit, or cannot be started.
pub fn run(
    program: &Path,
    run: &MeteredRun,
    is_deterministic: bool,
    engine: Option<Engine>,
) -> Result<FuelAnswers, Failure> {
    let promises = is_metered(program)?;
    if run.limit.is_some() && overshoot(&promises).is_none() {
        return Err(Failure::Usage(format!(
            "{} was built with --unchecked, so nothing can stop it; build it without, or leave --limit",
            program.display()
        )));
    }
    let world = is_deterministic.then(|| FixedWorld::for_program(program)).transpose()?;
    let spending = spend(&run.of(program), world.as_ref(), engine)?;
    answers(spending, run.limit, &promises)
}

/// Runs a program on fuel, within walls. What it printed is held back, unless what it used `releases` it.
///
/// # Errors
/// As of [`run()`]; the walls cannot be made.
pub fn run_walled(
    program: &Path,
    run: &MeteredRun,
    room: Room,
    releases: impl FnOnce(&FuelAnswers) -> bool,
) -> Result<FuelAnswers, Failure> {
    let promises = is_metered(program)?;
    let walled = spend_walled(&run.of(program), room)?;
    let answers = answers(walled.spending.clone(), run.limit, &promises)?;
    if releases(&answers) {
        walled.release(&run.streams)?;
    }
    Ok(answers)
}

fn answers(spending: Spending, limit: Option<u64>, promises: &[Promise]) -> Result<FuelAnswers, Failure> {
    Ok(FuelAnswers {
        spending,
        limit,
        cost_model: cost_models(promises)?,
        overshoot: overshoot(promises),
        guarded: guarded(promises),
        code: promises.iter().find_map(|promise| promise.portable.clone()),
        sysroot: promises.iter().find_map(|promise| promise.sysroot.clone()),
    })
}

/// The most work between two checks in all modules; none if one has no checks.
fn overshoot(promises: &[Promise]) -> Option<u64> {
    let all: Option<Vec<u64>> = promises.iter().map(|promise| promise.overshoot).collect();
    all?.into_iter().max()
}

/// Stores of all modules, and those that are asked first; none if one module asks none.
fn guarded(promises: &[Promise]) -> Option<(u32, u32)> {
    let all: Option<Vec<(u32, u32)>> = promises.iter().map(|promise| promise.guarded).collect();
    all.map(|all| all.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1)))
}

/// The one model by which all modules of a program pay.
fn cost_models(promises: &[Promise]) -> Result<String, Failure> {
    let mut names: Vec<&str> = promises.iter().map(|promise| promise.cost_model.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [name] => Ok(name.to_owned()),
        _ => Err(Failure::Counters(format!(
            "the program's modules pay by different cost models ({}); build all of them alike",
            names.join(", ")
        ))),
    }
}
