//! A ledger as a profile that others read.
//!
//! The ledger says which modules were counted and how they were compiled; they are
//! compiled so again, to the same anchor, and a process of its own lays the
//! counts on them and writes the profile. It takes its name when it is whole.
//!
//! Input: an [`ExportRequest`]. Output: [`Exported`]. Cost: the modules are compiled again.
//!
//! ```
//! use opcost::export::{ExportFormat, ExportRequest, export};
//! use opcost::{CompileOptions, Program, Run};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-export-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("export.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let ledger = Program::build([&source], &CompileOptions::default())?.count(&Run::default())?;
//! let exported = export(&ExportRequest {
//!     ledger: &ledger,
//!     origin: "run.opc".as_ref(),
//!     sources: &[],
//!     format: ExportFormat::LlvmSample,
//!     output: &folder.join("run.prof"),
//! })?;
//! assert_eq!(exported.functions, 1);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::names::{relative, tidy};
pub use opcost_job::profile::ExportFormat;
use opcost_key::Anchor;
use opcost_profile::{Ledger, ModuleFacts};
use opcost_recover::module_of;
use opcost_toolchain::build::{Build, Optimiser, Purpose, reasons};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::install::install;
use opcost_toolchain::options::CompileOptions;

use crate::ledgers;
use crate::progress::work;
use crate::recompiled::{compile, compile_as};

/// Which profile is made of which ledger.
#[derive(Clone, Debug)]
pub struct ExportRequest<'a> {
    /// The counts.
    pub ledger: &'a Ledger,
    /// What messages call the ledger.
    pub origin: &'a Path,
    /// Modules by their sources; none: all.
    pub sources: &'a [PathBuf],
    /// Who reads the profile.
    pub format: ExportFormat,
    /// Where it goes.
    pub output: &'a Path,
}

/// A profile that was made.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Functions in it.
    pub functions: usize,
    /// Functions without counts, by reason: how many, why, their names.
    pub refused: Vec<RefusedExport>,
}

/// Functions that have no counts in a profile.
#[derive(Clone, Debug)]
pub struct RefusedExport {
    /// How many.
    pub count: usize,
    /// Why.
    pub why: String,
    /// Linkage names.
    pub names: Vec<String>,
}

/// Makes a profile.
///
/// # Errors
/// The ledger has no counts of such modules, or at another anchor than the reader's; a module does not compile as it was.
pub fn export(request: &ExportRequest<'_>) -> Result<Exported, Failure> {
    let ledger = request.ledger;
    let modules = selected_modules(ledger, request.origin, request.sources)?;
    fits(request.format, &modules, request.origin)?;
    let _working = work("making the profile");
    let first = compile_as(modules[0], &ledger.about.cost.name);
    let build = Build::new(&first, Purpose::Sample { optimiser: Optimiser::BeforeAnchor })?;
    let mut compiled = Vec::new();
    for (position, facts) in modules.iter().enumerate() {
        compiled.push(compile(facts, &compiled_for(request.format, facts, ledger)?, position, &build)?);
    }
    let kept = build.path("export.opc");
    ledgers::save(&kept, ledger)?;
    let made = build.path("profile");
    let answers = build.export(request.format, kept, compiled, &made)?;
    install(&made, request.output)?;
    let refused = reasons(&answers).into_iter();
    let refused = refused.map(|(count, why, names)| RefusedExport { count, why, names });
    Ok(Exported { functions: answers.functions, refused: refused.collect() })
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
