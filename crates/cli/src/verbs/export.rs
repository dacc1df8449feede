//! `opcost export`: a ledger as a profile that others read.
//!
//! The ledger says which modules were counted and how they were compiled; they are
//! compiled so again, to the same anchor, and a process of its own lays the
//! counts on them and writes the profile. It takes its name when it is whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use opcost_key::Anchor;
use opcost_profile::{Ledger, ModuleFacts};
use opcost_recover::module_of;

use crate::arguments::ExportArguments;
use opcost::ledgers::{self, Given};
use opcost::recompiled::{compile, compile_as};
use opcost_answer::names::{relative, shown_name, tidy};
use opcost_answer::{Failure, Status};
use opcost_job::profile::ExportFormat;
use opcost_report::kit::numbers::{counted, grouped};
use opcost_report::kit::progress::Progress;
use opcost_toolchain::build::{Build, Optimiser, Purpose, reasons};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

/// Functions that are named where several are refused.
const NAMED: usize = 3;

/// Carries out the verb.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Status, Failure> {
    let is_ledger = |path: &&PathBuf| {
        path.extension().is_some_and(|extension| extension == "opc" || extension == "opcraw")
    };
    let (mut ledgers, mut sources): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.inputs.iter().cloned().partition(|path| is_ledger(&path));
    if ledgers.is_empty() {
        // Whatever it is called, the first has to be one; if it is none, reading it says what it is.
        ledgers.push(sources.remove(0));
    }
    let ledger = match ledgers::read(&ledgers, arguments.raw.program.as_deref())? {
        Given::Ledger(ledger) => ledger,
        Given::Raw(measurement) => measurement.ledger(&measurement.summary(), Vec::new())?,
    };
    let origin = &ledgers[0];
    ledgers::need_counts(origin, &ledger)?;
    if let Some(warning) = ledgers::is_partial(origin, &ledger) {
        opcost_answer::tell!("opcost: {warning}");
    }
    let modules = selected_modules(&ledger, origin, &sources)?;
    let format = ExportFormat::from(arguments.format);
    fits(format, &modules, origin)?;
    let working = Progress::start("making the profile");
    let first = compile_as(modules[0], &ledger.about.cost.name);
    let build = Build::new(&first, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let mut compiled = Vec::new();
    for (position, facts) in modules.iter().enumerate() {
        compiled.push(compile(facts, &compiled_for(format, facts, &ledger)?, position, &build)?);
    }
    let kept = build.path("export.opc");
    ledgers::save(&kept, &ledger)?;
    let made = build.path("profile");
    let answers = build.export(format, kept, compiled, &made)?;
    install(&made, &arguments.output)?;
    drop(working);
    for (count, why, names) in reasons(&answers) {
        let named: Vec<String> = names.iter().take(NAMED).map(|name| shown_name(name)).collect();
        let more = if count > NAMED { ", …" } else { "" };
        opcost_answer::tell!(
            "opcost: without counts: {} ({}{more}): {why}",
            grouped(count as u64),
            named.join(", ")
        );
    }
    opcost_answer::tell!("{} in {}", counted(answers.functions, "function"), arguments.output.display());
    Ok(Status::Fine)
}

/// The modules that were named, or all.
fn selected_modules<'a>(
    ledger: &'a Ledger,
    origin: &Path,
    sources: &[PathBuf],
) -> Result<Vec<&'a ModuleFacts>, Failure> {
    if sources.is_empty() {
        // Each process that ran a module has told of it.
        let mut names = BTreeSet::new();
        let modules = ledger.about.modules.iter().filter(|facts| names.insert(&facts.module));
        let modules: Vec<&ModuleFacts> = modules.collect();
        return match modules.is_empty() {
            true => Err(Failure::Counters(format!("{} has no modules", origin.display()))),
            false => Ok(modules),
        };
    }
    let root = std::env::current_dir().map_err(Failure::file("find", "."))?;
    let named = |source: &PathBuf| {
        let name = relative(&tidy(&root.join(source)), &root);
        module_of(ledger, &name).map_err(|error| Failure::Usage(format!("{}: {error}", origin.display())))
    };
    sources.iter().map(named).collect()
}

/// Whether the format's reader looks at the anchor of these modules.
fn fits(format: ExportFormat, modules: &[&ModuleFacts], origin: &Path) -> Result<(), Failure> {
    let origin = origin.display();
    if format == ExportFormat::Profdata
        && let Some(other) = modules.iter().find(|facts| facts.anchor != Anchor::Pgo)
    {
        return Err(Failure::Usage(format!(
            "{origin} has counts of {} at the anchor {}, and profdata is read at the anchor pgo: opcost sample --anchor \
             pgo --ledger {origin} {} (or count)",
            other.module, other.anchor, other.module
        )));
    }
    if format == ExportFormat::Bitcode && modules.len() > 1 {
        let names: Vec<&str> = modules.iter().map(|facts| facts.module.as_str()).collect();
        return Err(Failure::Usage(format!(
            "bitcode is of one module, and {origin} has {}: name one after it",
            names.join(", ")
        )));
    }
    Ok(())
}

/// With what a module is compiled again. The reader of `llvm-sample` distinguishes blocks of one line by discriminators;
/// clang writes them for this flag, which changes no instruction. At the anchor pgo they are there already.
fn compiled_for(
    format: ExportFormat,
    facts: &ModuleFacts,
    ledger: &Ledger,
) -> Result<CompileOptions, Failure> {
    let mut options = compile_as(facts, &ledger.about.cost.name);
    let language = Input::classify(Path::new(&facts.module))?.language;
    let is_clang = matches!(language, Language::C | Language::Cxx);
    if format == ExportFormat::LlvmSample && facts.anchor == Anchor::Optimized && is_clang {
        options.cflags.push("-fdebug-info-for-profiling".to_owned());
    }
    Ok(options)
}
