//! A Rust program with all its crates and the standard library, counted or sampled.
//!
//! With `-C lto=fat -C codegen-units=1 --emit=llvm-bc,link` rustc writes one
//! merged module (std included: its rlibs carry bitcode) before it links. So
//! opcost goes in as the linker (`-C linker=…/opcost-rust-link`, a link to
//! opcost): of rustc's own command line it changes one word, the merged
//! object, which becomes the counted one with the runtime around it (or one with
//! a table of its code, to be sampled). Native
//! libraries of build scripts, rpaths and the like stay as rustc wants them.
//!
//! What to do is read from `request.json` beside that link, so that cargo,
//! which sees the linker's path, knows when a program must be built again.
//! Cost: rustc generates machine code that is thrown away. Limits: code in
//! native objects (`compiler_builtins`, C of build scripts) is not counted,
//! and `strip` is overruled, since it drops the map.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_interrupt::Scratch;
use opcost_job::module::{CodeOptions, ModuleJob, ModulePurpose, Product, ThreadMode};
use opcost_job::{LLVM_MAJOR, worker_program};
use opcost_key::{Anchor, Placement};
use serde::{Deserialize, Serialize};

use super::arrange::Making;
use super::rust_tuned::{RustTuning, TunedRust, link_tuned};
use super::state::{Build, Purpose};
use crate::cost::{COUNTED, lone_cost_model};
use crate::driver::words::expanded;
use crate::input::{Input, Language};
use crate::options::CompileOptions;
use crate::running::{run_tool, status_of, without_stripping};
use crate::tools::Tools;

/// The name by which opcost is a linker for rustc.
const LINKER: &str = "opcost-rust-link";
const REQUEST: &str = "request.json";

/// What the linker finds next to its link.
#[derive(Debug, Serialize, Deserialize)]
struct RustRequest {
    /// Paths of bitcode, object and map are filled in when linking.
    module: ModuleJob,
    clang: PathBuf,
    /// Objects of other languages.
    objects: Vec<PathBuf>,
    /// How its code is put in order, if it is.
    #[serde(default)]
    tuning: Option<RustTuning>,
}

impl Build {
    /// Builds a program of one Rust source and objects of other languages.
    pub fn rust_program(&self, inputs: &[Input], output: &Path) -> Result<(), Failure> {
        self.rust_program_by(inputs, None, output)
    }

    /// The same with the code of Rust in the order of a ledger's counts; objects of other languages are as they are.
    ///
    /// # Errors
    /// It does not compile, or cannot be linked.
    pub fn tuned_rust_program(
        &self,
        inputs: &[Input],
        tuning: &RustTuning,
        output: &Path,
    ) -> Result<TunedRust, Failure> {
        self.rust_program_by(inputs, Some(tuning.clone()), output)?;
        TunedRust::read(tuning)
    }

    fn rust_program_by(
        &self,
        inputs: &[Input],
        tuning: Option<RustTuning>,
        output: &Path,
    ) -> Result<(), Failure> {
        let (rust, others): (Vec<Input>, Vec<Input>) =
            inputs.iter().cloned().partition(|input| input.language == Language::Rust);
        let ([source], false) =
            (rust.as_slice(), others.iter().any(|input| input.language == Language::Fortran))
        else {
            return Err(Failure::Usage(
                "one Rust source can be counted, alone or with C, C++ and objects; for a crate: cargo opcost count"
                    .to_owned(),
            ));
        };
        let rustc = Rustc::find()?;
        let flags = self.rust_flags();
        let name = source.path.display().to_string();
        let request = RustRequest {
            module: rust_module(
                &self.options,
                match self.purpose {
                    Purpose::Sample { .. } => RustPurpose::Sample,
                    _ => RustPurpose::Count { placement: self.placement() },
                },
                &rustc,
                &name,
                flags.clone(),
            )?,
            clang: self.tools.clang.clone(),
            objects: self.objects(&others)?,
            tuning,
        };
        let linker = request.install(&self.path("rust"))?;
        let mut emit = OsString::from("--emit=llvm-bc=");
        emit.push(bitcode_beside(output));
        emit.push(",link=");
        emit.push(output);
        let mut command = Command::new(&rustc.program);
        command.args(flags).args([
            "--crate-type=bin",
            "-Clto=fat",
            "-Ccodegen-units=1",
            "-Cdebuginfo=line-tables-only",
        ]);
        command.args(linker_arguments(&linker)).arg(emit);
        if others.iter().any(|input| input.language == Language::Cxx) {
            command.arg("-lstdc++");
        }
        command.args(self.options.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.options.library.iter().map(|library| format!("-l{library}")));
        run_tool(command.arg(&source.path), &rustc.program, &source.path)
    }

    /// The module of one Rust source alone, as rustc leaves it to code generation.
    ///
    /// # Errors
    /// There is no rustc, or the source does not compile.
    pub(crate) fn rust_bitcode(&self, source: &Input, output: PathBuf) -> Result<PathBuf, Failure> {
        let rustc = Rustc::find()?;
        let flags = self.rust_flags();
        let mut command = Command::new(&rustc.program);
        if !flags.iter().any(|flag| flag.starts_with("--crate-type")) {
            let text = std::fs::read_to_string(&source.path).map_err(Failure::file("read", &source.path))?;
            let is_program = text.contains("fn main(");
            command.arg(if is_program { "--crate-type=bin" } else { "--crate-type=lib" });
        }
        let mut emit = OsString::from("--emit=llvm-bc=");
        emit.push(&output);
        command.args(flags).args(["-Ccodegen-units=1", "-Cdebuginfo=line-tables-only"]).arg(emit);
        run_tool(command.arg(&source.path), &rustc.program, &source.path)?;
        Ok(output)
    }

    /// rustc's flags; `--cflag` reaches it as it is. The edition is rustc's own choice without one.
    fn rust_flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-Copt-level={}", self.options.level)];
        flags.extend(self.options.cflags.iter().cloned());
        flags
    }
}

/// rustc, and what it calls itself.
pub struct Rustc {
    /// rustc, as `RUSTC` names it; by its plain name without that.
    pub program: PathBuf,
    /// `rustc 1.95.0`
    pub version: String,
}

impl Rustc {
    /// Finds rustc (`RUSTC`, else by name) and looks at its LLVM.
    pub fn find() -> Result<Rustc, Failure> {
        let program = PathBuf::from(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let missing = |remedy: &str| Failure::ToolMissing {
            tool: format!("a usable rustc ({})", program.display()),
            remedy: remedy.to_owned(),
        };
        let said = Command::new(&program).arg("-vV").output();
        let said = said.map_err(|_| missing("install Rust from https://rustup.rs"))?.stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let value = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let llvm = value("LLVM version: ").unwrap_or_default();
        let major = llvm.split('.').next().and_then(|major| major.parse::<u32>().ok());
        match (value("release: "), major) {
            (Some(release), Some(..=22)) => Ok(Rustc { program, version: format!("rustc {release}") }),
            (Some(release), Some(_)) => Err(missing(&format!(
                "rustc {release} writes bitcode of LLVM {llvm}, newer than opcost's {}: rustup default 1.95",
                LLVM_MAJOR
            ))),
            _ => Err(missing("it does not say its LLVM version; install Rust from https://rustup.rs")),
        }
    }
}

/// What a Rust program is built for.
#[derive(Clone, Copy, Debug)]
pub enum RustPurpose {
    /// To be counted.
    Count {
        /// Where counters go.
        placement: Placement,
    },
    /// To be sampled: without counters, with a table of its code next to it.
    Sample,
}

/// The request for a merged module, paths still empty.
fn rust_module(
    options: &CompileOptions,
    purpose: RustPurpose,
    rustc: &Rustc,
    name: &str,
    flags: Vec<String>,
) -> Result<ModuleJob, Failure> {
    if let Some(anchor) = options.anchor.filter(|anchor| *anchor != Anchor::Optimized) {
        return Err(Failure::Usage(format!("anchor {anchor} does not fit Rust; use optimized")));
    }
    Ok(ModuleJob {
        bitcode: PathBuf::new(),
        others: None,
        output: PathBuf::new(),
        product: Product::Object,
        map: PathBuf::new(),
        module: name.to_owned(),
        root: std::env::current_dir().map_err(Failure::file("find", "."))?,
        anchor: Anchor::Optimized,
        purpose: match purpose {
            RustPurpose::Sample => ModulePurpose::Sample { optimise: None },
            RustPurpose::Count { placement } => ModulePurpose::Count { placement },
        },
        // Its library starts threads.
        threads: ThreadMode::Always,
        cost: lone_cost_model(options.cost.as_deref().unwrap_or(COUNTED))?,
        library: None,
        code: CodeOptions {
            level: options.codegen.unwrap_or_else(|| options.code_level()),
            is_position_independent: false,
            function_sections: true,
            data_sections: true,
        },
        compiler: Some(rustc.version.clone()),
        fresh: None,
        flags,
        earlier: options.earlier.clone(),
    })
}

/// Makes a linker for cargo below `folder`; its path says what it does.
pub fn cargo_linker(
    options: &CompileOptions,
    purpose: RustPurpose,
    rustc: &Rustc,
    flags: Vec<String>,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    // The linker names the module by the program it is asked for.
    let module = rust_module(options, purpose, rustc, "", flags)?;
    RustRequest { module, clang: Tools::find()?.clang, objects: Vec::new(), tuning: None }
        .install_below(folder)
}

/// The same for a program whose code is put in order.
pub fn cargo_tuned_linker(
    options: &CompileOptions,
    rustc: &Rustc,
    flags: Vec<String>,
    folder: &Path,
    tuning: RustTuning,
) -> Result<PathBuf, Failure> {
    let module = rust_module(options, RustPurpose::Sample, rustc, "", flags)?;
    let clang = Tools::find()?.clang;
    RustRequest { module, clang, objects: Vec::new(), tuning: Some(tuning) }.install_below(folder)
}

/// rustc's arguments that make `linker` the linker.
pub fn linker_arguments(linker: &Path) -> [OsString; 2] {
    let mut first = OsString::from("-Clinker=");
    first.push(linker);
    [first, "-Clinker-flavor=gcc".into()]
}

impl RustRequest {
    /// Installs it in a folder of its own, so that its path says what it does.
    fn install_below(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let mut hasher = opcost_key::Hasher128::new();
        hasher.text(&serde_json::to_string(self).expect("a request is plain data"));
        let own = worker_program()?;
        let metadata = own.metadata().map_err(Failure::file("read", &own))?;
        hasher.text(&format!("{own:?} {} {:?}", metadata.len(), metadata.modified().ok()));
        let hash = hasher.finish().to_string();
        self.install(&folder.join(format!("link-{}", &hash[..12.min(hash.len())])))
    }

    /// Makes the link to opcost and the request next to it.
    fn install(&self, folder: &Path) -> Result<PathBuf, Failure> {
        opcost_interrupt::make_folders(folder).map_err(Failure::file("make", folder))?;
        let folder = folder.canonicalize().map_err(Failure::file("find", folder))?;
        let path = folder.join(REQUEST);
        let text = serde_json::to_vec(self).expect("a request is plain data");
        std::fs::write(&path, text).map_err(Failure::file("write", &path))?;
        let linker = folder.join(LINKER);
        let own = worker_program()?;
        match std::os::unix::fs::symlink(&own, &linker) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(Failure::file("write", &linker)(error))
            }
            _ => Ok(linker),
        }
    }
}

/// Whether opcost was started as rustc's linker.
pub fn is_rust_linker(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new(LINKER))
}

/// `deps/rg-0123` → `deps/rg-0123.bc`
fn bitcode_beside(output: &Path) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(".bc");
    PathBuf::from(path)
}

/// `deps/rg-0123456789abcdef.bc` → `rg`
fn crate_of(bitcode: &Path) -> String {
    let stem = bitcode.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_owned())
}

/// Links what rustc asks for, counted.
pub fn link(program: &OsStr, given: &[OsString]) -> Result<u8, Failure> {
    let folder = Path::new(program).parent().unwrap_or(Path::new("."));
    let path = folder.join(REQUEST);
    let text = std::fs::read(&path).map_err(Failure::file("read", &path))?;
    let request: RustRequest = serde_json::from_slice(&text)
        .map_err(|error| Failure::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    let given = without_stripping(expanded(given)?);
    let output = given.iter().position(|word| word == "-o").and_then(|at| given.get(at + 1));
    let bitcode = bitcode_beside(Path::new(output.map_or(OsStr::new(""), OsString::as_os_str)));
    let scratch =
        Scratch::folder("opcost-rust-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let mut module = request.module;
    if module.module.is_empty() {
        module.module = crate_of(&bitcode);
        // rustc names a package's own files relative to where it runs.
        module.root = std::env::current_dir().map_err(Failure::file("find", "."))?;
    }
    if let Some(tuning) = &request.tuning {
        module.bitcode = written(bitcode, &module.module)?;
        let making = Making { clang: &request.clang, target: &[], folder: scratch.path() };
        let around = |object| [&[object][..], &request.objects].concat();
        return link_tuned(tuning, &module, making, |object| replaced(&given, around(object)));
    }
    let is_sampled = matches!(module.purpose, ModulePurpose::Sample { .. });
    let mut around = vec![instrument(module, bitcode, scratch.path())?];
    around.extend(request.objects);
    if !is_sampled {
        let [begin, runtime, end] =
            crate::runtime::compile(&request.clang, &[], &scratch.path().join("runtime"))?;
        around.insert(0, begin);
        around.extend([runtime, end]);
    }
    let words = replaced(&given, around)?;
    status_of(Command::new(&request.clang).arg("-Wl,--build-id=sha1").args(words), &request.clang)
}

fn instrument(mut module: ModuleJob, bitcode: PathBuf, folder: &Path) -> Result<PathBuf, Failure> {
    module.bitcode = written(bitcode, &module.module)?;
    module.output = folder.join("counted.o");
    module.map = folder.join("counted.opcmap");
    let (output, name) = (module.output.clone(), module.module.clone());
    opcost_job::run_job(module, &folder.join("counted.job"), &name)?;
    Ok(output)
}

/// The bitcode, if rustc wrote it.
fn written(bitcode: PathBuf, module: &str) -> Result<PathBuf, Failure> {
    if bitcode.is_file() {
        return Ok(bitcode);
    }
    Err(Failure::Module {
        module: module.to_owned(),
        message: format!("rustc wrote no bitcode to {}; is --emit overridden?", bitcode.display()),
    })
}

/// The command line with the merged object replaced.
fn replaced(given: &[OsString], around: Vec<PathBuf>) -> Result<Vec<OsString>, Failure> {
    let is_merged = |word: &OsString| word.to_string_lossy().ends_with(".rcgu.o");
    let merged = given.iter().filter(|word| is_merged(word)).count();
    if merged != 1 {
        return Err(Failure::Module {
            module: "this crate".to_owned(),
            message: format!(
                "rustc links {merged} modules instead of one merged one; a flag such as -C lto=off (RUSTFLAGS, \
                 .cargo/config.toml) must go"
            ),
        });
    }
    let mut words = Vec::new();
    for word in given {
        if is_merged(word) {
            words.extend(around.iter().map(|path| path.as_os_str().to_owned()));
        } else {
            words.push(word.clone());
        }
    }
    Ok(words)
}
