//! What is done to a program, one step behind the other.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::tune::{ArrangedModule, LeftFunction, RefusedTransform, Transform};
use opcost_job::module::ThreadMode;
use opcost_job::profile::{ExportFormat, ExportModule};
use opcost_key::{Anchor, Placement};
use opcost_toolchain::build::{
    ArrangedCode, Arranging, Build, FunctionOrder, Optimiser, Purpose, functions_of,
};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;
use opcost_toolchain::order::function_order;
use thiserror::Error;

use super::train::{Training, train};
use crate::ledgers;
use crate::progress::work;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct TuneWish<'a> {
    /// Sources, bitcode and objects.
    pub inputs: &'a [Input],
    /// How they are compiled.
    pub options: &'a CompileOptions,
    /// What to do.
    pub transforms: BTreeSet<Transform>,
    /// A ledger to go by in place of a training run.
    pub profile: Option<&'a Path>,
    /// The words of the training run.
    pub arguments: &'a [OsString],
    /// What it reads as its standard input.
    pub stdin: Option<&'a Path>,
}

/// The program after one step.
pub struct BuiltStep {
    /// What was done up to here, in order.
    pub transforms: Vec<Transform>,
    build: Build,
    code: ArrangedCode,
    /// All functions, in the order of their addresses.
    pub order: Vec<String>,
}

/// The program after each step.
pub struct Tuning {
    /// The program as it comes, then with one step more each.
    pub steps: Vec<BuiltStep>,
    /// What is not possible.
    pub refused: Vec<RefusedTransform>,
    /// What placement did, by module.
    pub modules: Vec<ArrangedModule>,
    /// Functions that the profile does not fit.
    pub left: Vec<LeftFunction>,
}

impl BuiltStep {
    /// The program with its code generated as it would be.
    fn plain(
        transforms: &[Transform],
        options: &CompileOptions,
        inputs: &[Input],
    ) -> Result<BuiltStep, Failure> {
        let mut build = plain_build(options)?;
        build.compile_once(None);
        let code = build.arranged_code(inputs, Arranging { ledger: None, weighs: false, orders: false })?;
        let order = functions_of(&code.objects)?;
        Ok(BuiltStep { transforms: transforms.to_vec(), build, code, order })
    }

    /// Links the program.
    ///
    /// # Errors
    /// The linker fails.
    pub fn link(&self, inputs: &[Input], gaps: Option<u64>, output: &Path) -> Result<(), Failure> {
        // As it comes, the linker orders functions itself.
        let is_placed = self.transforms.contains(&Transform::Placement);
        let names = if is_placed || gaps.is_some() { &self.order[..] } else { &[] };
        self.build.arranged_program(inputs, &self.code, FunctionOrder { names, gaps }, output)
    }
}

fn plain_build(options: &CompileOptions) -> Result<Build, Failure> {
    Build::new(options, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })
}

/// Builds the program with one step after the other.
///
/// # Errors
/// A source does not compile, or the training run fails.
pub fn tune(wish: &TuneWish<'_>) -> Result<Tuning, Failure> {
    if let Some(rust) = wish.inputs.iter().find(|input| input.language == Language::Rust) {
        return Err(Failure::Usage(format!(
            "{}: a Rust source is placed where rustc links (opcost tune main.rs, cargo opcost tune); here give the \
             bitcode that rustc writes, or C, C++, Fortran",
            rust.path.display()
        )));
    }
    let mut tuning = Tuning { steps: Vec::new(), refused: Vec::new(), modules: Vec::new(), left: Vec::new() };
    let mut options = wish.options.clone();
    let mut done = Vec::new();
    {
        let _working = work("building the program as it comes");
        tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
    }
    let linked = [
        (Transform::Fixed, &["-fno-pie", "-no-pie"][..]),
        (Transform::Static, &["-fno-pie", "-static"][..]),
        (Transform::Native, &["-march=native"][..]),
    ];
    let linked = linked.into_iter().filter(|(transform, _)| wish.transforms.contains(transform));
    for (transform, flags) in linked {
        options.cflags.extend(flags.iter().map(|&flag| flag.to_owned()));
        done.push(transform);
    }
    if !done.is_empty() {
        let _working = work("building it for this machine");
        tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
    }
    if wish.transforms.contains(&Transform::Profile) {
        match with_profile(wish, &options, &mut tuning)? {
            Ok(with) => {
                options = with;
                done.push(Transform::Profile);
                tuning.steps.push(BuiltStep::plain(&done, &options, wish.inputs)?);
            }
            Err(why) => {
                let why = why.to_string();
                tuning.refused.push(RefusedTransform { transform: Transform::Profile, why });
            }
        }
    }
    if wish.transforms.contains(&Transform::Placement) {
        match unplaced(wish, &done)? {
            Some(why) => {
                tuning.refused.push(RefusedTransform { transform: Transform::Placement, why });
            }
            None => {
                done.push(Transform::Placement);
                let step = placed(wish, &options, &done, &mut tuning)?;
                tuning.steps.push(step);
            }
        }
    }
    Ok(tuning)
}

/// Why code is not placed, after what was done. Early counts say nothing of code that was optimised without them.
fn unplaced(wish: &TuneWish<'_>, done: &[Transform]) -> Result<Option<String>, Failure> {
    let Some(profile) = wish.profile.filter(|_| !done.contains(&Transform::Profile)) else { return Ok(None) };
    let why = || {
        format!(
            "{} has counts of code before the optimiser, which got no profile of it; count without --anchor pgo",
            profile.display()
        )
    };
    Ok((anchor_of(profile)? == Anchor::Pgo).then(why))
}

/// Why the optimiser gets no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum NoProfile {
    #[error("at -O0 there is no optimiser that would read it")]
    NotOptimised,
    #[error("{}: sources of Fortran cannot be counted where the optimiser reads a profile", .0.display())]
    Fortran(PathBuf),
    #[error("{} has been optimised, and the optimiser reads a profile before it begins; give sources", .0.display())]
    Bitcode(PathBuf),
    #[error("{} was not counted where the optimiser reads a profile (--anchor pgo)", .0.display())]
    OtherAnchor(PathBuf),
    #[error("no function has counts")]
    NothingCounted,
}

/// The options with a profile of the training run for the optimiser; or why there is none.
fn with_profile(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
    tuning: &mut Tuning,
) -> Result<Result<CompileOptions, NoProfile>, Failure> {
    if let Some(bitcode) = wish.inputs.iter().find(|input| input.language == Language::Bitcode) {
        return Ok(Err(NoProfile::Bitcode(bitcode.path.clone())));
    }
    if options.level == "0" {
        return Ok(Err(NoProfile::NotOptimised));
    }
    if let Some(fortran) = wish.inputs.iter().find(|input| input.language == Language::Fortran) {
        return Ok(Err(NoProfile::Fortran(fortran.path.clone())));
    }
    let options_pgo = CompileOptions { anchor: Some(Anchor::Pgo), ..options.clone() };
    let trained = match wish.profile {
        None => Trained::run(wish, &options_pgo, None)?,
        Some(profile) if anchor_of(profile)? == Anchor::Pgo => Trained::given(&options_pgo, profile)?,
        Some(profile) => return Ok(Err(NoProfile::OtherAnchor(profile.to_owned()))),
    };
    let _working = work("making the profile");
    let mut modules = Vec::new();
    for (position, input) in wish.inputs.iter().enumerate() {
        if input.language == Language::Object {
            continue;
        }
        let made = trained.build.bitcode(input, position)?;
        let kept = trained.build.path(format!("{position}.trained.bc"));
        std::fs::copy(&made, &kept).map_err(Failure::file("write", &kept))?;
        modules.push(ExportModule {
            name: trained.build.module_name(input)?,
            anchor: Anchor::Pgo,
            bitcode: kept,
        });
    }
    // It has to be there as long as the program is built with it.
    let first = &tuning.steps[0].build;
    let profile = first.path("program.profdata");
    let answers = trained.build.export(ExportFormat::Profdata, trained.ledger, modules, &profile)?;
    let transform = Transform::Profile;
    let left = |(name, why)| LeftFunction { transform, name, why };
    tuning.left.extend(answers.refused.into_iter().map(left));
    if answers.functions == 0 {
        return Ok(Err(NoProfile::NothingCounted));
    }
    let mut with = options.clone();
    with.cflags.push(format!("-fprofile-use={}", profile.display()));
    // Functions that did not run have no counts, and that is no defect of the profile.
    with.cflags.push("-Wno-profile-instr-unprofiled".to_owned());
    Ok(Ok(with))
}

/// The program with its machine blocks and functions in order.
fn placed(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
    done: &[Transform],
    tuning: &mut Tuning,
) -> Result<BuiltStep, Failure> {
    // The last step has these options, and its modules are those that are placed.
    let same = tuning.steps.last().map(|step| &step.build);
    let trained = match wish.profile {
        None => Some(Trained::run(wish, options, same)?),
        // The optimiser's own weights are what is known of the code that it made by that profile.
        Some(profile) if anchor_of(profile)? == Anchor::Pgo => None,
        Some(profile) => Some(Trained::given(options, profile)?),
    };
    let _working = work("placing the code");
    let mut build = plain_build(options)?;
    build.compile_once(same);
    // The optimiser left weights of its profile.
    let weighs = !done.contains(&Transform::Profile);
    let ledger = trained.as_ref().map(|trained| &*trained.ledger);
    let code = build.arranged_code(wish.inputs, Arranging { ledger, weighs, orders: true })?;
    let hot = function_order(&code.modules);
    let rest: Vec<String> = {
        let named: BTreeSet<&String> = hot.iter().collect();
        functions_of(&code.objects)?.into_iter().filter(|name| !named.contains(name)).collect()
    };
    let order = [hot, rest].concat();
    tuning.modules.clone_from(&code.modules);
    Ok(BuiltStep { transforms: done.to_vec(), build, code, order })
}

/// The state of the modules whose counts a ledger has.
fn anchor_of(ledger: &Path) -> Result<Anchor, Failure> {
    let read = match ledgers::read(&[ledger.to_owned()], None)? {
        ledgers::Given::Ledger(read) => read,
        ledgers::Given::Raw(_) => {
            return Err(Failure::Usage(format!(
                "{} has raw counters; make a ledger of them: opcost report {} --ledger run.opc",
                ledger.display(),
                ledger.display()
            )));
        }
    };
    ledgers::need_counts(ledger, &read)?;
    let mut anchors = read.about.modules.iter().map(|module| module.anchor);
    let first = anchors.next().unwrap_or(Anchor::Optimized);
    if let Some(other) = anchors.find(|&anchor| anchor != first) {
        return Err(Failure::Usage(format!(
            "{} has counts of modules at the anchors {first} and {other}; count all at one",
            ledger.display()
        )));
    }
    Ok(first)
}

/// A counted build that has done its training, or what a ledger has of it.
struct Trained {
    build: Build,
    /// The file of what was counted.
    ledger: PathBuf,
}

impl Trained {
    /// A build to which a ledger is given.
    fn given(options: &CompileOptions, ledger: &Path) -> Result<Trained, Failure> {
        let mut build = plain_build(options)?;
        build.compile_once(None);
        Ok(Trained { build, ledger: ledger.to_owned() })
    }

    /// `same` has been built with these options.
    fn run(wish: &TuneWish<'_>, options: &CompileOptions, same: Option<&Build>) -> Result<Trained, Failure> {
        let mut build = Build::counted(options, Placement::Chords, ThreadMode::IfStarted)?;
        build.compile_once(same);
        let program = build.path("program");
        {
            let _working = work("building it with counters");
            build.program(wish.inputs, &program)?;
        }
        let training = Training { program: &program, arguments: wish.arguments, stdin: wish.stdin };
        let ledger = train(&training, build.folder())?;
        Ok(Trained { build, ledger })
    }
}
