//! The optimiser works by the counts: what clang's own profile has, exact.

use std::path::PathBuf;

use opcost_answer::Failure;
use opcost_answer::tune::{LeftFunction, Transform};
use opcost_job::profile::{ExportFormat, ExportModule};
use opcost_key::{Anchor, Placement};
use opcost_toolchain::build::Build;
use opcost_toolchain::input::Language;
use opcost_toolchain::options::CompileOptions;
use thiserror::Error;

use super::input::TuneWish;
use super::training::{CountedBuild, Trained, anchor_of};
use crate::progress::work;

/// A profile for the optimiser.
pub(super) struct Profiled {
    /// The options with it.
    pub(super) options: CompileOptions,
    /// The file, as clang reads it.
    pub(super) profile: PathBuf,
    /// Modules where it is read, in the order of the inputs that have one.
    pub(super) modules: Vec<ExportModule>,
    /// What it was made of.
    pub(super) trained: Trained,
    /// Functions that it does not fit.
    pub(super) left: Vec<LeftFunction>,
}

/// Why the optimiser gets no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NoProfile {
    #[error("at -O0 there is no optimiser that would read it")]
    NotOptimised,
    #[error("{} has been optimised, and the optimiser reads a profile before it begins; give sources", .0.display())]
    Bitcode(PathBuf),
    #[error("{} was not counted where the optimiser reads a profile (--anchor pgo)", .0.display())]
    OtherAnchor(PathBuf),
    #[error("no function has counts")]
    NothingCounted,
}

/// A profile of the training run for the optimiser; or why there is none. It is in the folder of the first build, which has to
/// live as long as the program is built with it.
pub(super) fn with_profile(
    wish: &TuneWish<'_>,
    options: &CompileOptions,
    first: &Build,
) -> Result<Result<Profiled, NoProfile>, Failure> {
    if let Some(bitcode) = wish.inputs.iter().find(|input| input.language == Language::Bitcode) {
        return Ok(Err(NoProfile::Bitcode(bitcode.path.clone())));
    }
    if options.level == "0" {
        return Ok(Err(NoProfile::NotOptimised));
    }
    let options_pgo = CompileOptions { anchor: Some(Anchor::Pgo), ..options.clone() };
    let trained = match wish.profile {
        None => {
            let is_split = wish.transforms.contains(&Transform::Split);
            let placement = if is_split { Placement::Paths } else { Placement::Chords };
            Trained::run(wish, &CountedBuild { options: &options_pgo, placement, same: None })?
        }
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
    let profile = first.path("program.profdata");
    let answers =
        trained.build.export(ExportFormat::Profdata, trained.ledger.clone(), modules.clone(), &profile)?;
    let transform = Transform::Profile;
    let left = |(name, why)| LeftFunction { transform, name, why };
    let left = answers.refused.into_iter().map(left).collect();
    if answers.functions == 0 {
        return Ok(Err(NoProfile::NothingCounted));
    }
    let mut with = options.clone();
    with.cflags.push(format!("-fprofile-use={}", profile.display()));
    // Functions that did not run have no counts, and that is no defect of the profile.
    with.cflags.push("-Wno-profile-instr-unprofiled".to_owned());
    Ok(Ok(Profiled { options: with, profile, modules, trained, left }))
}
