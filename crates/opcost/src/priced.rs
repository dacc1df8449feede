//! How long does what a ledger counted take, by a timing file?
//!
//! The ledger, counted or predicted, says which modules it is of and how they were compiled. They are
//! compiled so again, to the same anchor, and a process of its own works out what their machine code
//! did. What that takes stands in the timing file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::work::ProgramWork;
use opcost_job::work::WorkModule;
use opcost_profile::{Ledger, ModuleFacts};
use opcost_timing::{Factors, Priced, TimeSource, Timing, price};
use opcost_toolchain::build::{Build, Optimiser, Purpose, Simulated, processor};
use opcost_toolchain::input::Input;

use crate::ledgers;
use crate::progress::work;
use crate::recompiled::{compile, compile_as};

/// A timing file, and how it is used.
#[derive(Clone, Debug)]
pub struct Clock {
    path: PathBuf,
    timing: Timing,
    source: TimeSource,
    seconds_measured: Option<f64>,
}

/// Reads a timing file.
///
/// # Errors
/// It cannot be read, or is not as it must be.
pub fn read_timing(path: &Path) -> Result<Timing, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
    parse_timing(path, &text)
}

/// The timing that a text holds, which came from a file of this name.
///
/// # Errors
/// It is not as it must be.
pub fn parse_timing(path: &Path, text: &str) -> Result<Timing, Failure> {
    opcost_timing::file::read(text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

impl Clock {
    /// Reads the file. `seconds_measured` is what the program took, if that is known.
    ///
    /// # Errors
    /// It cannot be read, or is not as it must be.
    pub fn read(path: &Path, source: TimeSource, seconds_measured: Option<f64>) -> Result<Clock, Failure> {
        Ok(Clock { path: path.to_owned(), timing: read_timing(path)?, source, seconds_measured })
    }

    /// What a ledger's program takes; `origin` is the ledger's name in messages.
    ///
    /// # Errors
    /// The ledger is of another build or of code for another kind of machine, or LLVM does not know the processor.
    pub fn price(&self, ledger: &Ledger, origin: &Path) -> Result<Priced, Failure> {
        let work = self.work(ledger, origin)?;
        self.fits(&work)?;
        let predicted = price(&work, &self.timing, Factors::default(), self.source);
        Ok(Priced {
            predicted,
            work,
            timing: self.timing.clone(),
            name: self.path.display().to_string(),
            is_of_this_machine: processor()?.name == self.timing.processor.model,
            by_counts: None,
            seconds_measured: self.seconds_measured,
        })
    }

    /// What the program of a ledger did.
    fn work(&self, ledger: &Ledger, origin: &Path) -> Result<ProgramWork, Failure> {
        let _working = work("simulating the machine code");
        // Each process that ran a module has told of it.
        let mut names = BTreeSet::new();
        let modules: Vec<&ModuleFacts> =
            ledger.about.modules.iter().filter(|facts| names.insert(&facts.module)).collect();
        let Some(first) = modules.first() else {
            return Err(Failure::Counters(format!("{} has no modules", origin.display())));
        };
        let build_as = |facts: &ModuleFacts| {
            let purpose = Purpose::Sample { optimiser: Optimiser::BeforeAnchor };
            Build::new(&compile_as(facts, &ledger.about.cost.name), purpose)
        };
        let build = build_as(first)?;
        let mut compiled = Vec::new();
        for (position, facts) in modules.iter().enumerate() {
            let module = compile(facts, &compile_as(facts, &ledger.about.cost.name), position, &build)?;
            let code = build_as(facts)?.code_options(&Input::classify(Path::new(&facts.module))?);
            compiled.push(WorkModule { module, code });
        }
        let file = build.path("counts.opc");
        ledgers::save(&file, ledger)?;
        build.work(
            file,
            compiled,
            Simulated {
                processor: &self.timing.processor.model,
                capacities: self.timing.memory.capacities(),
            },
        )
    }

    /// Whether the program's code is for the machine of the timing file.
    fn fits(&self, work: &ProgramWork) -> Result<(), Failure> {
        let wanted = &self.timing.processor.target;
        let other = work.targets.iter().find(|target| target.split('-').next() != Some(wanted));
        match other {
            None => Ok(()),
            Some(target) => Err(Failure::Usage(format!(
                "{} is of a machine for {wanted}, and the program is for {target}; measure on such a machine",
                self.path.display()
            ))),
        }
    }
}
