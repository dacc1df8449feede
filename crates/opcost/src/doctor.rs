//! What that counting needs is here, what is missing, and what mends it?
//!
//! Each tool is looked for as a build looks for it, and at the end a program is built, run and counted, whose count is
//! known. Cost: a start of each tool, and the build of a small program.

use std::path::Path;
use std::process::Command;

use opcost_answer::Failure;
use opcost_answer::run::RunQuality;
use opcost_interrupt::Scratch;
use opcost_toolchain::build::Rustc;
use opcost_toolchain::options::CompileOptions;
use opcost_toolchain::tools::{Tools, version_of};
use serde::Serialize;

use crate::program::{Program, Run};

/// What was found of one thing.
#[derive(Clone, Debug, Serialize)]
pub struct ToolCheck {
    /// The thing.
    pub name: &'static str,
    /// Whether every count needs it.
    pub needed: bool,
    /// Whether it does.
    pub fine: bool,
    /// What is here, or why it does not do.
    #[serde(rename = "found")]
    pub actual: String,
    /// The one command that fixes it.
    pub remedy: Option<String>,
}

/// The compilers, Rust, LLVM's own tools, the kernel and the temporary folder.
pub fn tool_checks() -> Vec<ToolCheck> {
    let mut checks = compilers();
    checks.extend([rust(), tool("opt 22", "opt-22", "apt-get install llvm-22"), kernel(), temporary()]);
    checks
}

fn compilers() -> Vec<ToolCheck> {
    let tools = Tools::find();
    let clang = match &tools {
        Ok(tools) => {
            let found = format!("{} ({})", tools.clang_version, tools.clang.display());
            ToolCheck { name: "clang 22", needed: true, fine: true, actual: found, remedy: None }
        }
        Err(error) => ToolCheck {
            name: "clang 22",
            needed: true,
            fine: false,
            actual: error.to_string(),
            remedy: Some("apt-get install clang-22".to_owned()),
        },
    };
    let Ok(tools) = tools else { return vec![clang, tool("lld 22", "ld.lld-22", "apt-get install lld-22")] };
    let cxx = tools.clangxx.display().to_string();
    let mut cxx = tool("clang++ 22", &cxx, "apt-get install clang-22");
    cxx.needed = true;
    let mut flang = ToolCheck {
        name: "flang 22",
        needed: false,
        fine: true,
        actual: String::new(),
        remedy: Some("apt-get install flang-22   (for Fortran)".to_owned()),
    };
    match tools.flang() {
        Ok((path, version)) => {
            flang.actual = format!("{version} ({})", path.display());
            flang.remedy = None;
        }
        Err(error) => (flang.fine, flang.actual) = (false, error.to_string()),
    }
    let mut linker = tool("linker", "ld", "apt-get install binutils");
    linker.needed = true;
    vec![clang, cxx, flang, linker, tool("lld 22", "ld.lld-22", "apt-get install lld-22")]
}

/// A tool that answers to `--version`.
fn tool(name: &'static str, program: &str, remedy: &str) -> ToolCheck {
    let output =
        Command::new(program).arg("--version").output().ok().filter(|output| output.status.success());
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    // LLVM's own tools name their project before their version.
    let line = said.as_deref().and_then(|said| {
        let mut lines = said.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next();
        lines.find(|line| line.contains("LLVM version")).or(first)
    });
    match line {
        Some(line) => ToolCheck {
            name,
            needed: false,
            fine: true,
            actual: format!("{} ({program})", line.trim()),
            remedy: None,
        },
        None => ToolCheck {
            name,
            needed: false,
            fine: false,
            actual: format!("{program} was not found"),
            remedy: Some(remedy.to_owned()),
        },
    }
}

fn rust() -> ToolCheck {
    let cargo =
        version_of(Path::new("cargo")).map_or("no cargo".to_owned(), |version| format!("cargo {version}"));
    let (fine, found) = match Rustc::find() {
        Ok(rustc) => (true, format!("{} ({}), {cargo}", rustc.version, rustc.program.display())),
        Err(error) => (false, error.to_string()),
    };
    let remedy = (!fine).then(|| "see https://rustup.rs   (for Rust)".to_owned());
    ToolCheck { name: "rust", needed: false, fine, actual: found, remedy }
}

fn kernel() -> ToolCheck {
    let name = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let found = format!(
        "{} {} on {} (counting needs no perf events)",
        text(name.sysname()),
        text(name.release()),
        text(name.machine())
    );
    let fine = name.sysname().to_bytes() == b"Linux";
    let remedy = (!fine).then(|| "counted programs run on Linux only".to_owned());
    ToolCheck { name: "kernel", needed: true, fine, actual: found, remedy }
}

fn temporary() -> ToolCheck {
    let folder = std::env::temp_dir();
    let free = rustix::fs::statvfs(&folder).map(|stat| stat.f_bavail * stat.f_frsize / (1 << 20));
    let is_writable = Scratch::folder("opcost-").is_ok();
    let (fine, found) = match free {
        Ok(free) if is_writable => (free >= 64, format!("{}, {free} MiB free", folder.display())),
        _ => (false, format!("{} cannot be written to", folder.display())),
    };
    let remedy = (!fine).then(|| "export TMPDIR=/a/folder/with/room".to_owned());
    ToolCheck { name: "temporary folder", needed: true, fine, actual: found, remedy }
}

/// Ten times round a loop whose body cannot be folded away.
const HELLO: &str =
    "volatile int n = 10, s;\nint main(void) { for (int i = 0; i < n; i++) s += i; return s - 45; }\n";

/// A program is built, run and counted.
pub fn count_check() -> ToolCheck {
    let (fine, found) = match count_hello() {
        Ok(total) => (true, format!("built, run and counted: {total} instructions")),
        Err(error) => (false, error.to_string()),
    };
    let remedy =
        (!fine).then(|| "apt-get install libc6-dev libgcc-12-dev   (headers and libraries of C)".to_owned());
    ToolCheck { name: "a counted program", needed: true, fine, actual: found, remedy }
}

fn count_hello() -> Result<u128, Failure> {
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let source = folder.path().join("hello.c");
    std::fs::write(&source, HELLO).map_err(Failure::file("write", &source))?;
    let counted = Program::build([&source], &CompileOptions::default())?.measure(&Run::default())?;
    match counted.quality() {
        RunQuality::Exact => Ok(counted.summary().weight),
        _ => Err(Failure::Counters("its count is not exact".to_owned())),
    }
}
