//! `opcost doctor`: what is here, what is missing, and what mends it?
//!
//! Each tool is looked for as a build looks for it, and at the end a program
//! is built, run and counted, whose count is known. Exit status 1 when
//! something that every count needs is missing; Fortran, Rust and LLVM's own
//! tools are only told. `--links DIR` makes one-word compilers for build
//! systems that want such (`CMAKE_C_COMPILER`).

use std::path::Path;

use opcost::doctor::{ToolCheck, count_check, tool_checks};
use serde::Serialize;

use crate::arguments::DoctorArguments;
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_text};

/// It in a line, and its remedy in another.
fn lines(check: &ToolCheck) -> String {
    let state = match (check.fine, check.needed) {
        (true, _) => "ok",
        (false, true) => "MISSING",
        (false, false) => "absent",
    };
    let remedy =
        check.remedy.as_ref().map(|remedy| format!("{:>26} to fix it: {remedy}\n", "")).unwrap_or_default();
    format!("{:<8} {:<17} {}\n{remedy}", state, check.name, check.actual)
}

/// `opcost.doctor/1`
#[derive(Debug, Serialize)]
struct DoctorJson<'a> {
    schema: &'static str,
    fine: bool,
    checks: &'a [ToolCheck],
}

/// Carries out the verb.
pub(crate) fn run(arguments: &DoctorArguments) -> Result<Status, Failure> {
    if let Some(folder) = &arguments.links {
        return make_links(folder);
    }
    let mut checks = vec![opcost()];
    checks.extend(tool_checks());
    checks.push(cache());
    let has_tools = checks.iter().all(|check| check.fine || !check.needed);
    checks.extend(has_tools.then(count_check));
    let fine = checks.iter().all(|check| check.fine || !check.needed);
    if arguments.json {
        let json = DoctorJson { schema: "opcost.doctor/1", fine, checks: &checks };
        print(&(serde_json::to_string_pretty(&json).expect("a list is plain data") + "\n"))?;
    } else {
        let end = if fine { "all that counting needs is here" } else { "counting does not work here yet" };
        let lines: String = checks.iter().map(lines).collect();
        print(&format!("{lines}{end}\n"))?;
    }
    Ok(if fine { Status::Fine } else { Status::Failed })
}

fn print(text: &str) -> Result<(), Failure> {
    save_text(None, text, Stream::Stdout)
}

/// What is kept of earlier builds and answers.
fn cache() -> ToolCheck {
    let cache = opcost_cache::choice::cache();
    let contents = cache.as_ref().map(opcost_cache::Cache::contents).unwrap_or_default();
    ToolCheck {
        name: "cache",
        needed: false,
        fine: cache.is_some(),
        actual: super::cache::description(cache.as_ref(), contents, false),
        remedy: None,
    }
}

fn opcost() -> ToolCheck {
    let found = format!("{} with LLVM {}", env!("CARGO_PKG_VERSION"), opcost_llvm::version());
    ToolCheck { name: "opcost", needed: true, fine: true, actual: found, remedy: None }
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
