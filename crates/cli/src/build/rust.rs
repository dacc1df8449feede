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

use opcost_key::{Anchor, Placement};
use serde::{Deserialize, Serialize};

use super::compile::run_tool;
use super::cost::{COUNTED, lone_cost_model};
use super::driver::without_stripping;
use super::module::{ModuleRequest, Product, ThreadMode, run_child};
use super::tools::Tools;
use super::{Build, Input, Language, Purpose};
use crate::arguments::CompileArguments;
use crate::error::CliError;

/// The name by which opcost is a linker for rustc.
const LINKER: &str = "opcost-rust-link";
const REQUEST: &str = "request.json";

/// What the linker finds beside its link.
#[derive(Debug, Serialize, Deserialize)]
struct RustRequest {
    /// Paths of bitcode, object and map are filled in when linking.
    module: ModuleRequest,
    clang: PathBuf,
    /// Objects of other languages.
    objects: Vec<PathBuf>,
}

impl Build<'_> {
    /// Builds a program of one Rust source and objects of other languages.
    pub(crate) fn rust_program(&self, inputs: &[Input], output: &Path) -> Result<(), CliError> {
        let (rust, others): (Vec<Input>, Vec<Input>) =
            inputs.iter().cloned().partition(|input| input.language == Language::Rust);
        let ([source], false) =
            (rust.as_slice(), others.iter().any(|input| input.language == Language::Fortran))
        else {
            return Err(CliError::Usage(
                "one Rust source can be counted, alone or with C, C++ and objects; for a crate: cargo opcost count"
                    .to_owned(),
            ));
        };
        let rustc = Rustc::find()?;
        let flags = self.rust_flags();
        let name = source.path.display().to_string();
        let request = RustRequest {
            module: rust_module(
                self.arguments,
                RustPurpose { placement: self.placement(), is_sampled: self.purpose == Purpose::Sample },
                &rustc,
                &name,
                flags.clone(),
            )?,
            clang: self.tools.clang.clone(),
            objects: self.objects(&others)?,
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
        command.args(self.arguments.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.arguments.library.iter().map(|library| format!("-l{library}")));
        run_tool(command.arg(&source.path), &rustc.program, &source.path)
    }

    /// rustc's flags; `--cflag` reaches it as it is.
    fn rust_flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-Copt-level={}", self.arguments.level)];
        let names_edition = |flag: &String| flag.starts_with("--edition");
        if !self.arguments.cflags.iter().any(names_edition) {
            flags.push("--edition=2024".to_owned());
        }
        flags.extend(self.arguments.cflags.iter().cloned());
        flags
    }
}

/// rustc, and what it calls itself.
pub(crate) struct Rustc {
    pub(crate) program: PathBuf,
    /// `rustc 1.95.0`
    pub(crate) version: String,
}

impl Rustc {
    /// Finds rustc (`RUSTC`, else by name) and looks at its LLVM.
    pub(crate) fn find() -> Result<Rustc, CliError> {
        let program = PathBuf::from(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let missing = |remedy: &str| CliError::ToolMissing {
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
                opcost_llvm::version()
            ))),
            _ => Err(missing("it does not say its LLVM version; install Rust from https://rustup.rs")),
        }
    }
}

/// What a Rust program is built for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RustPurpose {
    /// Where counters go.
    pub(crate) placement: Placement,
    /// Whether there are none, and a table of the code beside it.
    pub(crate) is_sampled: bool,
}

/// The request for a merged module, paths still empty.
fn rust_module(
    arguments: &CompileArguments,
    purpose: RustPurpose,
    rustc: &Rustc,
    name: &str,
    flags: Vec<String>,
) -> Result<ModuleRequest, CliError> {
    if let Some(anchor) = arguments.anchor.filter(|anchor| *anchor != Anchor::Optimized) {
        return Err(CliError::Usage(format!("anchor {anchor} does not fit Rust; use optimized")));
    }
    let level = match arguments.level.as_str() {
        "0" => 0,
        "1" => 1,
        "3" => 3,
        _ => 2,
    };
    Ok(ModuleRequest {
        bitcode: PathBuf::new(),
        output: PathBuf::new(),
        product: Product::Object,
        map: PathBuf::new(),
        module: name.to_owned(),
        root: std::env::current_dir().map_err(CliError::file("find", "."))?,
        anchor: Anchor::Optimized,
        placement: purpose.placement,
        is_metered: false,
        is_sampled: purpose.is_sampled,
        optimise: None,
        overshoot: None,
        audit: false,
        harden: false,
        others: None,
        values: None,
        allowed: None,
        plugin: false,
        wasm: false,
        by_segment: false,
        portable: None,
        // Its library starts threads.
        threads: ThreadMode::Always,
        cost: lone_cost_model(arguments.cost.as_deref().unwrap_or(COUNTED))?,
        library: None,
        level: arguments.codegen.unwrap_or(level),
        position_independent: false,
        function_sections: true,
        data_sections: true,
        compiler: rustc.version.clone(),
        flags,
    })
}

/// Makes a linker for cargo below `folder`; its path says what it does.
pub(crate) fn cargo_linker(
    arguments: &CompileArguments,
    purpose: RustPurpose,
    rustc: &Rustc,
    flags: Vec<String>,
    folder: &Path,
) -> Result<PathBuf, CliError> {
    let request = RustRequest {
        // The linker names the module by the program it is asked for.
        module: rust_module(arguments, purpose, rustc, "", flags)?,
        clang: Tools::find()?.clang,
        objects: Vec::new(),
    };
    let mut hasher = opcost_key::Hasher128::new();
    hasher.text(&serde_json::to_string(&request).expect("a request is plain data"));
    let own = std::env::current_exe().map_err(CliError::file("find", "opcost itself"))?;
    let metadata = own.metadata().map_err(CliError::file("read", &own))?;
    hasher.text(&format!("{own:?} {} {:?}", metadata.len(), metadata.modified().ok()));
    let hash = hasher.finish().to_string();
    request.install(&folder.join(format!("link-{}", &hash[..12.min(hash.len())])))
}

/// rustc's arguments that make `linker` the linker.
pub(crate) fn linker_arguments(linker: &Path) -> [OsString; 2] {
    let mut first = OsString::from("-Clinker=");
    first.push(linker);
    [first, "-Clinker-flavor=gcc".into()]
}

impl RustRequest {
    /// Makes the link to opcost and the request beside it.
    fn install(&self, folder: &Path) -> Result<PathBuf, CliError> {
        std::fs::create_dir_all(folder).map_err(CliError::file("make", folder))?;
        let folder = folder.canonicalize().map_err(CliError::file("find", folder))?;
        let path = folder.join(REQUEST);
        let text = serde_json::to_vec(self).expect("a request is plain data");
        std::fs::write(&path, text).map_err(CliError::file("write", &path))?;
        let linker = folder.join(LINKER);
        let own = std::env::current_exe().map_err(CliError::file("find", "opcost itself"))?;
        match std::os::unix::fs::symlink(&own, &linker) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(CliError::file("write", &linker)(error))
            }
            _ => Ok(linker),
        }
    }
}

/// Whether opcost was started as rustc's linker.
pub(crate) fn is_rust_linker(program: &OsStr) -> bool {
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
pub(crate) fn link(program: &OsStr, given: &[OsString]) -> Result<u8, CliError> {
    let folder = Path::new(program).parent().unwrap_or(Path::new("."));
    let path = folder.join(REQUEST);
    let text = std::fs::read(&path).map_err(CliError::file("read", &path))?;
    let request: RustRequest = serde_json::from_slice(&text)
        .map_err(|error| CliError::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    let given = without_stripping(super::driver::expanded(given)?);
    let output = given.iter().position(|word| word == "-o").and_then(|at| given.get(at + 1));
    let bitcode = bitcode_beside(Path::new(output.map_or(OsStr::new(""), OsString::as_os_str)));
    let scratch = tempfile::Builder::new()
        .prefix("opcost-rust-")
        .tempdir()
        .map_err(CliError::file("make a folder in", std::env::temp_dir()))?;
    let mut module = request.module;
    if module.module.is_empty() {
        module.module = crate_of(&bitcode);
        // rustc names a package's own files relative to where it runs.
        module.root = std::env::current_dir().map_err(CliError::file("find", "."))?;
    }
    let is_sampled = module.is_sampled;
    let mut around = vec![instrument(module, bitcode, scratch.path())?];
    around.extend(request.objects);
    if !is_sampled {
        let [begin, runtime, end] =
            super::runtime::compile(&request.clang, &[], &scratch.path().join("runtime"))?;
        around.insert(0, begin);
        around.extend([runtime, end]);
    }
    let words = replaced(&given, around)?;
    super::driver::status_of(
        Command::new(&request.clang).arg("-Wl,--build-id=sha1").args(words),
        &request.clang,
    )
}

fn instrument(mut module: ModuleRequest, bitcode: PathBuf, folder: &Path) -> Result<PathBuf, CliError> {
    if !bitcode.is_file() {
        return Err(CliError::Module {
            module: module.module,
            message: format!("rustc wrote no bitcode to {}; is --emit overridden?", bitcode.display()),
        });
    }
    module.bitcode = bitcode;
    module.output = folder.join("counted.o");
    module.map = folder.join("counted.opcmap");
    run_child(&folder.join("counted.request"), &module)?;
    Ok(module.output)
}

/// The command line with the merged object replaced.
fn replaced(given: &[OsString], around: Vec<PathBuf>) -> Result<Vec<OsString>, CliError> {
    let is_merged = |word: &OsString| word.to_string_lossy().ends_with(".rcgu.o");
    let merged = given.iter().filter(|word| is_merged(word)).count();
    if merged != 1 {
        return Err(CliError::Module {
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
