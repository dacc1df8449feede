//! `opcost doctor`: what is here, what is missing, and what mends it?
//!
//! Each tool is looked for as a build looks for it, and at the end a program
//! is built, run and counted, whose count is known. Exit status 1 when
//! something that every count needs is missing; Fortran, Rust and LLVM's own
//! tools are only told. `--links DIR` makes one-word compilers for build
//! systems that want such (`CMAKE_C_COMPILER`).

use std::path::Path;
use std::process::Command;

use serde::Serialize;
use thiserror::Error;

use crate::arguments::DoctorArguments;
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_text};
use opcost_toolchain::build::Rustc;
use opcost_toolchain::tools::{Tools, version_of};

/// What was found of one thing.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    /// Whether every count needs it.
    needed: bool,
    fine: bool,
    /// What is here, or why it does not do.
    #[serde(rename = "found")]
    actual: String,
    /// The one command that fixes it.
    remedy: Option<String>,
}

impl Check {
    /// It in a line, and its remedy in another.
    fn lines(&self) -> String {
        let state = match (self.fine, self.needed) {
            (true, _) => "ok",
            (false, true) => "MISSING",
            (false, false) => "absent",
        };
        let remedy = self
            .remedy
            .as_ref()
            .map(|remedy| format!("{:>26} to fix it: {remedy}\n", ""))
            .unwrap_or_default();
        format!("{:<8} {:<17} {}\n{remedy}", state, self.name, self.actual)
    }
}

/// `opcost.doctor/1`
#[derive(Debug, Serialize)]
struct DoctorJson<'a> {
    schema: &'static str,
    fine: bool,
    checks: &'a [Check],
}

/// Carries out the verb.
pub(crate) fn run(arguments: &DoctorArguments) -> Result<Status, Failure> {
    if let Some(folder) = &arguments.links {
        return make_links(folder);
    }
    let mut checks = vec![opcost()];
    checks.extend(compilers());
    checks.extend([
        rust(),
        tool("opt 22", "opt-22", "apt-get install llvm-22"),
        kernel(),
        temporary(),
        cache(),
    ]);
    let has_tools = checks.iter().all(|check| check.fine || !check.needed);
    checks.extend(has_tools.then(hello));
    let fine = checks.iter().all(|check| check.fine || !check.needed);
    if arguments.json {
        let json = DoctorJson { schema: "opcost.doctor/1", fine, checks: &checks };
        print(&(serde_json::to_string_pretty(&json).expect("a list is plain data") + "\n"))?;
    } else {
        let end = if fine { "all that counting needs is here" } else { "counting does not work here yet" };
        let lines: String = checks.iter().map(Check::lines).collect();
        print(&format!("{lines}{end}\n"))?;
    }
    Ok(if fine { Status::Fine } else { Status::Failed })
}

fn print(text: &str) -> Result<(), Failure> {
    save_text(None, text, Stream::Stdout)
}

/// What is kept of earlier builds and answers.
fn cache() -> Check {
    let cache = opcost_cache::choice::cache();
    let contents = cache.as_ref().map(opcost_cache::Cache::contents).unwrap_or_default();
    Check {
        name: "cache",
        needed: false,
        fine: cache.is_some(),
        actual: super::cache::description(cache.as_ref(), contents, false),
        remedy: None,
    }
}

fn opcost() -> Check {
    let found = format!("{} with LLVM {}", env!("CARGO_PKG_VERSION"), opcost_llvm::version());
    Check { name: "opcost", needed: true, fine: true, actual: found, remedy: None }
}

fn compilers() -> Vec<Check> {
    let tools = Tools::find();
    let clang = match &tools {
        Ok(tools) => {
            let found = format!("{} ({})", tools.clang_version, tools.clang.display());
            Check { name: "clang 22", needed: true, fine: true, actual: found, remedy: None }
        }
        Err(error) => Check {
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
    let mut flang = Check {
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
fn tool(name: &'static str, program: &str, remedy: &str) -> Check {
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
        Some(line) => Check {
            name,
            needed: false,
            fine: true,
            actual: format!("{} ({program})", line.trim()),
            remedy: None,
        },
        None => Check {
            name,
            needed: false,
            fine: false,
            actual: format!("{program} was not found"),
            remedy: Some(remedy.to_owned()),
        },
    }
}

fn rust() -> Check {
    let cargo =
        version_of(Path::new("cargo")).map_or("no cargo".to_owned(), |version| format!("cargo {version}"));
    let (fine, found) = match Rustc::find() {
        Ok(rustc) => (true, format!("{} ({}), {cargo}", rustc.version, rustc.program.display())),
        Err(error) => (false, error.to_string()),
    };
    let remedy = (!fine).then(|| "see https://rustup.rs   (for Rust)".to_owned());
    Check { name: "rust", needed: false, fine, actual: found, remedy }
}

fn kernel() -> Check {
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
    Check { name: "kernel", needed: true, fine, actual: found, remedy }
}

fn temporary() -> Check {
    let folder = std::env::temp_dir();
    let free = rustix::fs::statvfs(&folder).map(|stat| stat.f_bavail * stat.f_frsize / (1 << 20));
    let is_writable = tempfile::tempdir().is_ok();
    let (fine, found) = match free {
        Ok(free) if is_writable => (free >= 64, format!("{}, {free} MiB free", folder.display())),
        _ => (false, format!("{} cannot be written to", folder.display())),
    };
    let remedy = (!fine).then(|| "export TMPDIR=/a/folder/with/room".to_owned());
    Check { name: "temporary folder", needed: true, fine, actual: found, remedy }
}

/// Ten times round a loop whose body cannot be folded away.
const HELLO: &str =
    "volatile int n = 10, s;\nint main(void) { for (int i = 0; i < n; i++) s += i; return s - 45; }\n";

fn hello() -> Check {
    let (fine, found) = match count_hello() {
        Ok(total) => (true, format!("built, run and counted: {total} instructions")),
        Err(error) => (false, error.to_string()),
    };
    let remedy =
        (!fine).then(|| "apt-get install libc6-dev libgcc-12-dev   (headers and libraries of C)".to_owned());
    Check { name: "a counted program", needed: true, fine, actual: found, remedy }
}

/// Why there is no count of it.
#[derive(Debug, Error)]
enum HelloError {
    #[error(transparent)]
    Files(#[from] std::io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The last line that opcost wrote.
    #[error("{0}")]
    Failed(String),
    #[error("it failed without a word")]
    FailedSilently,
    #[error("its count is not exact")]
    NotExact,
}

fn count_hello() -> Result<u64, HelloError> {
    let folder = tempfile::tempdir()?;
    let (source, json) = (folder.path().join("hello.c"), folder.path().join("hello.json"));
    std::fs::write(&source, HELLO)?;
    let own = std::env::current_exe()?;
    let output = Command::new(own).arg("count").arg("--json").arg(&json).arg(&source).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().next_back();
        return Err(last.map_or(HelloError::FailedSilently, |last| HelloError::Failed(last.to_owned())));
    }
    let text = std::fs::read(&json)?;
    let value: serde_json::Value = serde_json::from_slice(&text)?;
    match (value["quality"]["kind"].as_str(), value["total"].as_u64()) {
        (Some("exact"), Some(total)) => Ok(total),
        _ => Err(HelloError::NotExact),
    }
}

/// One-word names: `opcost-cc`, `opcost-c++`, `opcost-flang`.
fn make_links(folder: &Path) -> Result<Status, Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
    let folder = folder.canonicalize().map_err(Failure::file("find", folder))?;
    let own = std::env::current_exe().map_err(Failure::file("find", "opcost itself"))?;
    for name in ["cc", "c++", "flang"] {
        let link = folder.join(format!("opcost-{name}"));
        if link.is_symlink() {
            std::fs::remove_file(&link).map_err(Failure::file("replace", &link))?;
        }
        std::os::unix::fs::symlink(&own, &link).map_err(Failure::file("write", &link))?;
    }
    let at = folder.display();
    print(&format!("cmake -DCMAKE_C_COMPILER={at}/opcost-cc -DCMAKE_CXX_COMPILER={at}/opcost-c++ …\n"))?;
    Ok(Status::Fine)
}
