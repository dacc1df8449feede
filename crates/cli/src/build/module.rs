//! One module: from bitcode to a counted object and its map, in a child process.
//!
//! Bitcode that is counted already goes straight to machine code.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use opcost_instrument::{CostModel, Request, plan};
use opcost_key::{Anchor, BuildFacts, Hash128, ModuleMap, Placement};
use opcost_llvm::{Emission, Kept, Maker, Position, Session};
use opcost_profile::formats::map::{read_maps, write_map};
use serde::{Deserialize, Serialize};

use super::phases::{Phases, Stopwatch};
use super::portable::PortableRequest;
use super::{Build, Input, Language, Purpose};
use crate::error::{CliError, Status};

/// Whether each thread gets counters of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ThreadMode {
    /// Asked for.
    Always,
    /// When the module itself starts threads.
    IfStarted,
}

/// Extension of the empty file that the child leaves beside an object which
/// counts for each thread.
pub(crate) const COUNTS_BY_THREAD: &str = "by-thread";

/// What is made of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Product {
    /// A counted object.
    Object,
    /// Counted bitcode.
    Counted,
    /// Bitcode, not counted.
    Anchor,
    /// Nothing but what is to be said of it.
    Admission,
}

/// What the child is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ModuleRequest {
    pub(crate) bitcode: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) product: Product,
    /// Where the map's bytes go; it is embedded in the object too.
    pub(crate) map: PathBuf,
    /// Name of the module in the map.
    pub(crate) module: String,
    /// Source files below this folder are named relative to it.
    pub(crate) root: PathBuf,
    pub(crate) anchor: Anchor,
    pub(crate) placement: Placement,
    pub(crate) threads: ThreadMode,
    /// Whether the module is metered, not counted.
    pub(crate) is_metered: bool,
    /// Whether it stays as it is and gets a table of its code.
    pub(crate) is_sampled: bool,
    /// The optimiser's level, when it runs behind the anchor of what is sampled.
    pub(crate) optimise: Option<u8>,
    /// Work between two checks when it is metered; none without checks.
    pub(crate) overshoot: Option<u64>,
    /// Whether an auditor checks the metered module.
    pub(crate) audit: bool,
    /// Whether its own stores are kept off its counter.
    pub(crate) harden: bool,
    /// Bitcode of all other modules, when all of the program is metered as one.
    pub(crate) others: Option<Vec<PathBuf>>,
    /// What values it is to record, if it is not counted.
    pub(crate) values: Option<super::ValuesWish>,
    /// Outside names that it may use besides those known, when it must be
    /// admitted before it is metered.
    pub(crate) allowed: Option<Vec<String>>,
    /// Whether a host loads what is made of it.
    pub(crate) plugin: bool,
    /// Whether it is metered for WebAssembly.
    pub(crate) wasm: bool,
    /// Whether every segment is charged at its own start.
    pub(crate) by_segment: bool,
    /// What else there is to do when one number is wanted on every machine.
    pub(crate) portable: Option<PortableRequest>,
    pub(crate) cost: CostModel,
    /// Bitcode of functions of the C library that pay for what they do.
    pub(crate) library: Option<PathBuf>,
    /// Level of code generation.
    pub(crate) level: u8,
    pub(crate) position_independent: bool,
    pub(crate) function_sections: bool,
    pub(crate) data_sections: bool,
    pub(crate) compiler: String,
    pub(crate) flags: Vec<String>,
}

impl Build<'_> {
    /// Runs `opcost __module` on one module.
    pub(crate) fn instrument_in_child(
        &self,
        input: &Input,
        bitcode: &Path,
        product: Product,
        output: &Path,
    ) -> Result<(), CliError> {
        self.instrument_together(input, bitcode, None, product, output)
    }

    /// The same, with all other modules of the program linked to it first.
    pub(crate) fn instrument_together(
        &self,
        input: &Input,
        bitcode: &Path,
        others: Option<Vec<PathBuf>>,
        product: Product,
        output: &Path,
    ) -> Result<(), CliError> {
        let root = std::env::current_dir().map_err(CliError::file("find", "."))?;
        let has_flag = |flag: &str| self.arguments.cflags.iter().any(|given| given == flag);
        let request = ModuleRequest {
            bitcode: bitcode.to_owned(),
            output: output.to_owned(),
            product,
            map: output.with_extension("opcmap"),
            module: relative(&tidy(&root.join(&input.path)), &root),
            root,
            anchor: self.anchor(input),
            placement: self.placement(),
            is_metered: matches!(self.purpose, Purpose::Fuel { .. }),
            is_sampled: self.purpose == Purpose::Sample,
            optimise: self.is_optimised_behind.then(|| self.optimiser_level()).filter(|&level| level > 0),
            overshoot: match self.purpose {
                Purpose::Count { .. }
                | Purpose::Life
                | Purpose::Analysis
                | Purpose::Values
                | Purpose::Sample => None,
                Purpose::Fuel { overshoot, .. } => overshoot,
            },
            audit: matches!(self.purpose, Purpose::Fuel { audit: true, .. }),
            harden: matches!(self.purpose, Purpose::Fuel { harden: true, .. }),
            others,
            values: self.values.clone(),
            allowed: self.allowed.clone(),
            plugin: self.as_plugin.get(),
            portable: self.portable_request()?,
            wasm: self.is_wasm,
            by_segment: matches!(self.purpose, Purpose::Fuel { by_segment: true, .. }),
            threads: if self.starts_threads.get() || has_flag("-pthread") || has_flag("-fopenmp") {
                ThreadMode::Always
            } else {
                ThreadMode::IfStarted
            },
            cost: self.cost.clone(),
            library: if self.machine.is_some() { None } else { self.library()? },
            level: self.arguments.codegen.unwrap_or_else(|| self.level()),
            position_independent: has_flag("-fPIC")
                || self.as_plugin.get()
                || self.machine.is_some()
                || (!self.is_wasm && self.is_foreign_and_movable(input)),
            function_sections: has_flag("-ffunction-sections"),
            data_sections: has_flag("-fdata-sections"),
            compiler: self.tools.clang_version.clone(),
            flags: self.shaping_flags(),
        };
        run_child(&output.with_extension("request"), &request)?;
        if self.arguments.time
            && let Some(phases) = Phases::read(&output.with_extension("phases"))
        {
            eprintln!("{}", phases.line(&request.module));
        }
        Ok(())
    }
}

impl Build<'_> {
    /// Where counters go, if any are wanted.
    pub(super) fn placement(&self) -> Placement {
        match self.purpose {
            Purpose::Count { placement } => placement,
            Purpose::Fuel { .. } | Purpose::Life | Purpose::Analysis | Purpose::Values | Purpose::Sample => {
                Placement::Chords
            }
        }
    }

    /// Bitcode that does not say where it may be loaded is compiled as clang
    /// does it: to be loaded anywhere, unless a flag says otherwise.
    fn is_foreign_and_movable(&self, input: &Input) -> bool {
        let fixed = ["-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE", "-no-pie", "-static"];
        input.language == Language::Bitcode
            && !self.arguments.cflags.iter().any(|flag| fixed.contains(&&**flag))
    }
}

impl Build<'_> {
    /// The map that counting an input makes, and its hash.
    pub(crate) fn counted_map(&self, input: &Input) -> Result<(Hash128, ModuleMap), CliError> {
        let made = self.path("counted.bc");
        self.module(input, Product::Counted, &made)?;
        let path = made.with_extension("opcmap");
        let bytes = std::fs::read(&path).map_err(CliError::file("read", &path))?;
        let maps = read_maps(&bytes).map_err(|error| CliError::Counters(error.to_string()))?;
        Ok(maps.into_iter().next().expect("a module has a map"))
    }
}

/// A module fills some hundred megabytes once and gives them back at its end:
/// memory comes in large pages and is kept. SQLite, read to apply: 0.87 s of
/// processor time in place of 1.15 s (medians of five runs each, in turns).
const LARGE_PAGES: &str =
    "glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=1000000000:glibc.malloc.mmap_threshold=1000000000";

/// Writes a request to `path`, starts this very program on it and explains how
/// it ended.
pub(crate) fn run_child(path: &Path, request: &ModuleRequest) -> Result<(), CliError> {
    run_own("__module", path, &request.module, request)
}

/// The same for any verb of opcost's own.
pub(super) fn run_own(
    verb: &str,
    path: &Path,
    module: &str,
    request: &impl Serialize,
) -> Result<(), CliError> {
    let text = serde_json::to_vec(request).expect("a request is plain data");
    std::fs::write(path, text).map_err(CliError::file("write", path))?;
    let own = std::env::current_exe().map_err(CliError::file("find", "opcost itself"))?;
    let mut command = Command::new(&own);
    if std::env::var_os("GLIBC_TUNABLES").is_none() {
        command.env("GLIBC_TUNABLES", LARGE_PAGES);
    }
    let output = command
        .arg(verb)
        .arg(path)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(CliError::file("start", &own))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim().strip_prefix("opcost: ").unwrap_or(said.trim());
    use std::os::unix::process::ExitStatusExt;
    let message = match output.status.signal() {
        Some(signal) => format!("LLVM gave up (signal {signal}) with these words: {said}"),
        None => said.to_owned(),
    };
    Err(match output.status.code() == Some(Status::Usage.number().into()) {
        true => CliError::Usage(format!("{module}: {message}")),
        false => CliError::Module { module: module.to_owned(), message },
    })
}

/// What the child does.
pub(crate) fn instrument(request: &ModuleRequest) -> Result<(), String> {
    let mut watch = Stopwatch::start();
    let is_ours = request.anchor != Anchor::File && request.others.is_none();
    let maker = if is_ours { Maker::FrontEnd } else { Maker::Anyone };
    let mut session = Session::read(&request.bitcode, maker).map_err(|error| error.to_string())?;
    watch.lap("read");
    if request.product == Product::Anchor && request.portable.is_none() {
        return session.write(&request.output).map_err(|error| error.to_string());
    }
    let kept = session.kept().map_err(|error| error.to_string())?;
    if kept.is_none() && !complete(&mut session, request)? {
        return Ok(());
    }
    if request.product == Product::Anchor {
        return session.write(&request.output).map_err(|error| error.to_string());
    }
    if request.is_metered {
        if kept.is_some() {
            return Err("it is counted already; meter its sources".to_owned());
        }
        return super::fuel::meter(session, request, watch);
    }
    if let Some(wish) = &request.values {
        if kept.is_some() {
            return Err("it is counted already; give its sources".to_owned());
        }
        return super::values::record_values(session, request, wish, watch);
    }
    if request.is_sampled {
        if kept.is_some() {
            return Err("it is counted already; give its sources".to_owned());
        }
        return super::sampled::table_code(session, request, watch);
    }
    if let Some(kept) = kept {
        return generate(session, kept, request);
    }
    let mut module = session.snapshot();
    watch.lap("snapshot");
    let instructions = module.functions.values().map(|function| function.instructions.len()).sum();
    let wanted = wanted(&mut module, request);
    let made = plan(&module, &wanted).map_err(|error| error.to_string())?;
    drop(module);
    watch.lap("plan");
    let (bytes, hash) = write_map(&made.map);
    write_map_file(request, &bytes)?;
    watch.lap("map");
    session.apply(&made.plan, hash).map_err(|error| error.to_string())?;
    watch.lap("apply");
    if request.product == Product::Counted {
        let written = session.write_counted(&request.output, &bytes, &made.plan, hash);
        return written.map_err(|error| error.to_string());
    }
    session.embed_map(&request.map).map_err(|error| error.to_string())?;
    watch.lap("embed");
    let emitted = session.emit_counted(&request.output, emission(request), &made.plan, hash);
    emitted.map_err(|error| error.to_string())?;
    watch.lap("machine code");
    if made.plan.per_thread {
        let note = request.output.with_extension(COUNTS_BY_THREAD);
        std::fs::write(&note, "").map_err(|error| format!("cannot write {}: {error}", note.display()))?;
    }
    watch.finish(instructions, &request.output.with_extension("phases"));
    Ok(())
}

/// Links what belongs to the module before anything is decided about it, and
/// asks whether it may be metered if that is wanted. Whether to go on.
fn complete(session: &mut Session, request: &ModuleRequest) -> Result<bool, String> {
    for other in request.others.iter().flatten() {
        session.link(other).map_err(|error| error.to_string())?;
    }
    super::wasm::check_target(&session.target(), request)?;
    // Before anything of ours is in it.
    if let Some(allowed) = &request.allowed {
        let is_admitted = super::fuel::admitted(session, request, allowed)?;
        if !is_admitted || request.product == Product::Admission {
            return Ok(false);
        }
    }
    if request.plugin {
        session.admit_plugin().map_err(|error| error.to_string())?;
    }
    if let Some(portable) = &request.portable {
        return super::portable::complete(session, request, portable);
    }
    let Some(library) = &request.library else { return Ok(true) };
    // The anchor of a portable program has its own library and its weights already.
    if session.defines(opcost_runtime::portable::START) {
        return Ok(true);
    }
    use opcost_runtime::library::{ALL, PREFIX};
    let charged: Vec<&str> = match &request.cost {
        CostModel::Table(table) => {
            table.calls.keys().chain(table.lengths.keys()).map(String::as_str).collect()
        }
        CostModel::Unit | CostModel::BlockSize => Vec::new(),
    };
    let used = session.use_library(&ALL.concat(), &charged, PREFIX, library);
    used.map_err(|error| error.to_string())?;
    Ok(true)
}

/// Source files get their names below the root.
pub(super) fn name_files(module: &mut opcost_ir::Module, root: &Path) {
    let working = std::env::current_dir().unwrap_or_default();
    for file in module.files.values_mut() {
        *file = relative(&tidy(&working.join(file.as_str())), root);
    }
}

/// What the plan must know besides the module.
pub(super) fn wanted(module: &mut opcost_ir::Module, request: &ModuleRequest) -> Request<'static> {
    name_files(module, &request.root);
    Request {
        module: request.module.clone(),
        anchor: request.anchor,
        build: BuildFacts {
            compiler: request.compiler.clone(),
            flags: request.flags.clone(),
            target: module.triple.clone(),
            opcost: env!("CARGO_PKG_VERSION").to_owned(),
            placement: None,
            has_debug_lines: false,
        },
        cost: request.cost.clone(),
        placement: request.placement,
        per_thread: request.threads == ThreadMode::Always || starts_threads(module),
        wrapped: opcost_runtime::WRAPPED,
    }
}

/// Machine code of a module that was counted and written as bitcode.
fn generate(session: Session, kept: Kept, request: &ModuleRequest) -> Result<(), String> {
    let maps = read_maps(&kept.map).map_err(|error| error.to_string())?;
    let cost = request.cost.facts();
    if let Some((_, map)) = maps.first()
        && request.cost != CostModel::Unit
        && map.cost != cost
    {
        return Err(format!(
            "it was counted with cost model {}, not {}; count it again from its sources",
            map.cost.name, cost.name
        ));
    }
    if request.product == Product::Counted {
        return Err("it is counted already".to_owned());
    }
    write_map_file(request, &kept.map)?;
    session.embed_map(&request.map).map_err(|error| error.to_string())?;
    session.emit_kept(&request.output, emission(request), kept).map_err(|error| error.to_string())
}

pub(super) fn write_map_file(request: &ModuleRequest, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(&request.map, bytes)
        .map_err(|error| format!("cannot write {}: {error}", request.map.display()))
}

pub(super) fn emission(request: &ModuleRequest) -> Emission {
    Emission {
        level: request.level,
        position: if request.position_independent { Position::Independent } else { Position::AsModule },
        function_sections: request.function_sections,
        data_sections: request.data_sections,
    }
}

/// Whether the module starts threads: by pthreads, C11, C++ or OpenMP.
fn starts_threads(module: &opcost_ir::Module) -> bool {
    let starts = |name: &str| {
        matches!(name, "pthread_create" | "thrd_create" | "__kmpc_fork_call" | "__kmpc_omp_task_alloc")
            || name.starts_with("_ZNSt6thread15_M_start_thread")
    };
    module.declarations.values().any(|declaration| starts(&declaration.name))
}

/// A path without `.` and `..`, by its letters alone.
pub(crate) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if tidy.file_name().is_some() => {
                tidy.pop();
            }
            _ => tidy.push(part),
        }
    }
    tidy
}

/// A path below `root` without it.
pub(crate) fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
