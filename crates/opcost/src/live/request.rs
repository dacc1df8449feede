//! What is to be run, how, and what is left of it?

use std::ffi::OsString;
use std::path::Path;

use opcost_answer::live::RunMode;
use opcost_run::start::Streams;
use opcost_toolchain::input::Input;
use opcost_toolchain::options::CompileOptions;

/// A program that is to be run.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// Its sources.
    pub inputs: &'a [Input],
    /// How they are compiled.
    pub options: &'a CompileOptions,
    /// How it is run.
    pub mode: RunMode,
    /// Samples in a second of processor time.
    pub rate: u64,
    /// Where the profile of earlier runs is, and that of this one goes.
    pub store: Option<&'a Path>,
    /// The seed by which all functions are replaced at random, if they are.
    pub stress: Option<u64>,
    /// Where the ledger of a run in stress goes, if it is counted. It is that of [`crate::count`] at the anchor `pgo`.
    pub counts: Option<&'a Path>,
    /// The folder that has its program and versions after the run, if they do not go.
    pub program: Option<&'a Path>,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Where its streams go.
    pub streams: &'a Streams,
}

impl<'a> RunRequest<'a> {
    /// A program without arguments, which is replaced wherever it is hot.
    pub fn of(inputs: &'a [Input], options: &'a CompileOptions, streams: &'a Streams) -> RunRequest<'a> {
        let mode = RunMode::default();
        RunRequest {
            inputs,
            options,
            mode,
            rate: 1000,
            store: None,
            stress: None,
            counts: None,
            program: None,
            arguments: &[],
            streams,
        }
    }
}
