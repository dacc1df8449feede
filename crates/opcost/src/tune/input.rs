//! What is to be done to a program, and by which run?

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use opcost_answer::tune::Transform;
use opcost_toolchain::input::Input;
use opcost_toolchain::options::CompileOptions;

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
    /// Whether counts that were divided are held against a run of the program with copies.
    pub verifies: bool,
    /// Whether the training run may end with any status.
    pub ignores_status: bool,
}

impl<'a> TuneWish<'a> {
    /// All that may help, by a training run without arguments.
    pub fn of(inputs: &'a [Input], options: &'a CompileOptions) -> TuneWish<'a> {
        TuneWish {
            inputs,
            options,
            transforms: [Transform::Profile, Transform::Placement].into(),
            profile: None,
            arguments: &[],
            stdin: None,
            verifies: false,
            ignores_status: false,
        }
    }
}
