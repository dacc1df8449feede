//! A program whose functions can be replaced, and the file beside it by which they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::live::RunMode;
use opcost_job::module::Replaced;
use opcost_key::Anchor;
use opcost_key::live::ReplaceableFunction;
use opcost_live::{Arena, ArenaParts, LiveProgram, SymbolLookup};
use opcost_runtime::live::{
    ARENA, ARENA_END, FRAMES, FRAMES_END, NOTES, SUFFIX, WORDS, WORDS_END, WRITE_NOTE,
};
use opcost_toolchain::build::{Build, LiveModule, LivePurpose, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::CompileOptions;

use super::request::RunRequest;
use crate::progress::work;

/// A program that was built; its files go away with this value.
pub(super) struct ReplaceableProgram {
    /// The build, which makes versions, too.
    pub build: Build,
    /// The program.
    pub path: PathBuf,
    /// What its executable says of itself.
    pub facts: LiveProgram,
    /// Where versions go.
    pub arena: Arena,
    /// Where values are written down.
    pub notes: u64,
    /// What writes them down.
    pub write_note: u64,
    /// Its modules.
    pub modules: Vec<LiveModule>,
    /// Words of functions and loops, by module and function.
    pub words: BTreeMap<(usize, usize), FunctionWords>,
    /// Functions with words that a module only declares.
    pub called: Vec<Vec<String>>,
    /// How many versions were tried.
    pub made: usize,
}

/// Where the words of a function are.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionWords {
    /// That of its entry.
    pub entry: Option<u64>,
    /// Those of its loops, by the number of the header's block.
    pub loops: BTreeMap<u32, u64>,
}

impl ReplaceableProgram {
    /// Builds it.
    ///
    /// # Errors
    /// A source does not compile, or the program is none of this machine.
    pub(super) fn build(request: &RunRequest<'_>) -> Result<Self, Failure> {
        let RunRequest { inputs, options, mode, .. } = *request;
        let is_counted = request.counts.is_some();
        if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
            return Err(Failure::Usage(
                "programs are replaced while they run on Linux for x86-64 only".to_owned(),
            ));
        }
        if let Some(rust) = inputs.iter().find(|input| input.language == Language::Rust) {
            return Err(Failure::Usage(format!(
                "{}: give the bitcode that rustc writes (rustc --emit llvm-bc), or C, C++, Fortran",
                rust.path.display()
            )));
        }
        refuse_flags(options)?;
        let mut options = options.clone();
        let is_soon = mode == RunMode::Adaptive && !is_counted;
        options.anchor = Some(if is_soon { Anchor::Simplified } else { Anchor::Pgo });
        options.cflags.extend(["-fno-pie", "-no-pie"].map(str::to_owned));
        let replaced = match mode {
            RunMode::Compile => Replaced::Nothing,
            RunMode::TwoPass => Replaced::Entries,
            RunMode::Adaptive => Replaced::Loops,
        };
        // What runs in a loop that is not left stays as it is, so it is optimised a little.
        options.codegen = match replaced {
            Replaced::Nothing => options.codegen,
            Replaced::Entries => Some(1),
            Replaced::Loops => Some(0),
        };
        let build = Build::new(&options, Purpose::Live(LivePurpose { replaced, is_counted }))?;
        let path = match request.program {
            Some(folder) => left_in(folder, inputs)?,
            None => build.path("program"),
        };
        {
            let _building = work("building the program");
            build.program(inputs, &path)?;
        }
        let mut bytes = std::fs::read(&path).map_err(Failure::file("read", &path))?;
        let unfit = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!("it cannot be run with versions: {error}"))
        };
        let facts = LiveProgram::read(&bytes).map_err(|error| unfit(&error))?;
        let at = |name: &str| address(&facts, name).ok_or_else(|| unfit(&format!("it has no {name}")));
        let parts = ArenaParts {
            words: at(WORDS)?..at(WORDS_END)?,
            frames: at(FRAMES)?..at(FRAMES_END)?,
            code: at(ARENA)?..at(ARENA_END)?,
        };
        let mut beside = path.clone().into_os_string();
        beside.push(SUFFIX);
        let beside = PathBuf::from(beside);
        let arena = Arena::create(&beside, &mut bytes, &facts, &parts).map_err(|error| unfit(&error))?;
        std::fs::write(&path, &bytes).map_err(Failure::file("write", &path))?;
        let modules = build.live_modules();
        let words = words(&modules, &facts, &arena);
        let called = called(&modules, &words);
        Ok(ReplaceableProgram {
            notes: at(NOTES)?,
            write_note: at(WRITE_NOTE)?,
            build,
            path,
            facts,
            arena,
            modules,
            words,
            called,
            made: 0,
        })
    }
}

/// Where a program goes that is there after the run. Each run has a name of its own: what a profiler recorded of one is
/// of no other.
fn left_in(folder: &Path, inputs: &[Input]) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
    let stem = inputs.first().and_then(|input| input.path.file_stem()).unwrap_or_default();
    Ok(folder.join(format!("{}.{}", stem.to_string_lossy(), std::process::id())))
}

/// Flags that make no program of this machine, and those whose passes run after versions are made.
fn refuse_flags(options: &CompileOptions) -> Result<(), Failure> {
    let behind = ["address", "hwaddress", "thread", "memory", "leak", "dataflow", "type", "realtime"];
    let is_behind = |flag: &str| {
        let kinds = flag.strip_prefix("-fsanitize=");
        kinds.is_some_and(|kinds| kinds.split(',').any(|kind| behind.contains(&kind)))
    };
    let is_foreign = |flag: &str| {
        let target = flag.strip_prefix("--target=");
        target.is_some_and(|target| !(target.starts_with("x86_64") && target.contains("linux")))
            || ["-m32", "-mx32"].contains(&flag)
    };
    let is_no_program = |flag: &str| {
        ["-c", "-S", "-shared", "-r", "-nostdlib", "-nostartfiles", "-ffreestanding", "-nolibc"]
            .contains(&flag)
    };
    for flag in &options.cflags {
        let why = match () {
            () if is_foreign(flag) => "programs are replaced while they run on Linux for x86-64 only",
            () if is_no_program(flag) => "what is run is a whole program with the C library",
            () if is_behind(flag) => {
                "a later version would be without its checks; count or run it without opcost"
            }
            () => continue,
        };
        return Err(Failure::Usage(format!("{flag}: {why}; leave it out")));
    }
    Ok(())
}

impl ReplaceableProgram {
    /// Where a symbol is.
    pub(super) fn address(&self, symbol: &str) -> Option<u64> {
        address(&self.facts, symbol)
    }
}

fn address(facts: &LiveProgram, name: &str) -> Option<u64> {
    match facts.find(name) {
        SymbolLookup::Shared(symbol) | SymbolLookup::Local(symbol) => Some(symbol.address),
        SymbolLookup::Ambiguous | SymbolLookup::Nothing => None,
    }
}

/// What the linker left of a function's words: of copies of one function in several modules it took one. The others are
/// never entered. What continues a copy does not fit another: it may have other loops, and other values live in them.
fn words(
    modules: &[LiveModule],
    facts: &LiveProgram,
    arena: &Arena,
) -> BTreeMap<(usize, usize), FunctionWords> {
    let mut all = BTreeMap::new();
    for (module, one) in modules.iter().enumerate() {
        for (number, function) in one.functions.iter().enumerate() {
            let words = words_of(function, facts);
            // As `shim/live/first.cpp` names it.
            let first = address(facts, &format!("{}.opc.first{module}", plain(&function.symbol)));
            let is_linked = words.entry.is_some_and(|entry| Some(arena.word(entry)) == first);
            all.insert((module, number), if is_linked { words } else { FunctionWords::default() });
        }
    }
    all
}

/// For each module functions of others that are entered by words. Of one that could be defined elsewhere, nobody knows here
/// whose words count.
fn called(modules: &[LiveModule], words: &BTreeMap<(usize, usize), FunctionWords>) -> Vec<Vec<String>> {
    let mut all = BTreeSet::new();
    for (number, module) in modules.iter().enumerate() {
        let functions = module.functions.iter().enumerate().filter(|(_, function)| function.is_only);
        let entered = functions.filter(|(function, _)| words[&(number, *function)].entry.is_some());
        all.extend(entered.map(|(_, function)| function.symbol.as_str()));
    }
    let of = |module: &LiveModule| {
        module.imports.iter().filter(|name| all.contains(name.as_str())).cloned().collect()
    };
    modules.iter().map(of).collect()
}

/// A symbol as the assembler writes it.
fn plain(symbol: &str) -> &str {
    symbol.strip_prefix('\u{1}').unwrap_or(symbol)
}

fn words_of(function: &ReplaceableFunction, facts: &LiveProgram) -> FunctionWords {
    if function.why_not.is_some() {
        return FunctionWords::default();
    }
    // As `shim/live/first.cpp` names them.
    let name = plain(&function.symbol);
    let loops = function
        .loops
        .iter()
        .filter_map(|one| Some((one.block, address(facts, &format!("{name}.opc.loop{}", one.block))?)));
    FunctionWords { entry: address(facts, &format!("{name}.opc.word")), loops: loops.collect() }
}
