//! Which programs call the library functions, and how are they built?
//!
//! They are compiled once as they are, for the mean. For the worst opcost's own library stands in
//! place of the functions that it replaces, and a tool of valgrind's counts (`counter.c`). It is
//! linked of the parts that valgrind installs for this purpose.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::output_of;
use crate::failure::{Failure, Result};

const SOURCES: &[(&str, &str)] = &[
    ("at.h", include_str!("at.h")),
    ("main.cpp", include_str!("main.cpp")),
    ("math.cpp", include_str!("math.cpp")),
    ("c.cpp", include_str!("c.cpp")),
    ("cxx.cpp", include_str!("cxx.cpp")),
    ("text.cpp", include_str!("text.cpp")),
    ("streams.cpp", include_str!("streams.cpp")),
    ("small.cpp", include_str!("small.cpp")),
    ("fields.cpp", include_str!("fields.cpp")),
    ("draw.h", include_str!("draw.h")),
    ("draw.cpp", include_str!("draw.cpp")),
    ("kept.h", include_str!("kept.h")),
    ("kept.cpp", include_str!("kept.cpp")),
    ("counter.h", include_str!("counter.h")),
    ("counter.c", include_str!("counter.c")),
];

/// opcost's own library, which charges what goes with contents. It is used in place of the
/// functions that it replaces while the worst is looked for.
const LIBRARY: &str = "crates/runtime/src/c/library";
const LIBRARY_FILES: [&str; 8] =
    ["text.c", "sort.c", "format.c", "times.c", "containers.c", "throwing.c", "strings.c", "streams.c"];

/// Without optimisation nothing of the library is inlined; no debug
/// information, which this valgrind cannot always read.
pub(super) const FLAGS: &[&str] = &["-std=c++20", "-O0", "-g0", "-fno-builtin", "-Wall"];

/// Memory functions whose lengths are charged where opcost's library calls them.
const CHARGED_BY_LENGTH: [&str; 6] = ["memcpy", "memset", "memcmp", "memchr", "strncmp", "strncasecmp"];

/// What measures, and so calls nothing of opcost's library.
const OWN: [&str; 3] = ["main.cpp", "kept.cpp", "draw.cpp"];

/// What valgrind itself defines when its tools are compiled.
const MACHINE: [&str; 4] =
    ["-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1", "-DVGPV_amd64_linux_vanilla=1"];

/// Where valgrind's parts are, and its tools.
const PARTS: &str = "/usr/lib/x86_64-linux-gnu/valgrind";
const TOOLS: &str = "/usr/libexec/valgrind";

/// The files that are compiled.
pub(super) fn units() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cpp"))
}

pub(super) fn write_sources(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Failure::at("make", folder, error))?;
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::at("write", &path, error))?;
    }
    Ok(())
}

/// Builds `worst`, which makes the calls.
pub(super) fn build_search(root: &Path, folder: &Path) -> Result<()> {
    build_library(root, folder)?;
    let mut objects = Vec::new();
    for source in units() {
        let object = source.replace(".cpp", ".o");
        let mut clang = Command::new("clang++-22");
        clang.args(FLAGS).args(["-DWORST", "-c", source, "-o", &object]);
        output_of(clang.current_dir(folder))?;
        if !OWN.contains(&source) {
            let renaming = ["--redefine-syms=renamed", &object];
            output_of(Command::new("objcopy").args(renaming).current_dir(folder))?;
        }
        objects.push(object);
    }
    let mut clang = Command::new("clang++-22");
    output_of(clang.args(objects).args(["library.o", "-lm", "-o", "worst"]).current_dir(folder))?;
    Ok(())
}

/// The library as one object, and the names of what it replaces.
fn build_library(root: &Path, folder: &Path) -> Result<()> {
    let unit: String = LIBRARY_FILES.iter().map(|name| format!("#include \"{name}\"\n")).collect();
    let path = folder.join("library.c");
    fs::write(&path, unit).map_err(|error| Failure::at("write", &path, error))?;
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-c", "-fno-builtin", "-fexceptions", "-fPIC", "-std=gnu11", "library.c"]);
    output_of(clang.arg("-I").arg(root.join(LIBRARY)).current_dir(folder))?;
    let mut objcopy = Command::new("objcopy");
    for name in CHARGED_BY_LENGTH {
        objcopy.arg("--redefine-sym").arg(format!("{name}=opc_{name}"));
    }
    output_of(objcopy.arg("library.o").current_dir(folder))?;
    let symbols = output_of(Command::new("nm").arg("library.o").current_dir(folder))?;
    let defined = symbols.lines().filter_map(|line| line.split_once(" T opc_libc_"));
    let renamed: String = defined.map(|(_, name)| format!("{name} opc_libc_{name}\n")).collect();
    let path = folder.join("renamed");
    fs::write(&path, renamed).map_err(|error| Failure::at("write", &path, error))?;
    Ok(())
}

/// Builds the tool that counts, and returns the folder where valgrind finds it.
pub(super) fn build_counter(folder: &Path) -> Result<PathBuf> {
    let tools = folder.join("tools");
    fs::create_dir_all(&tools).map_err(|error| Failure::at("make", &tools, error))?;
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-c", "-fno-builtin", "-fno-pie", "-fno-stack-protector", "counter.c"]);
    output_of(clang.args(MACHINE).current_dir(folder))?;
    let parts = ["coregrind", "vex", "gcc-sup"].map(|name| format!("{PARTS}/lib{name}-amd64-linux.a"));
    let mut link = Command::new("clang-22");
    link.args(["-static", "-nodefaultlibs", "-nostartfiles", "-u", "_start", "-Wl,--build-id=none"]);
    // Where valgrind puts its tools, beyond what a program takes.
    link.args(["-Wl,-Ttext-segment=0x58000000", "counter.o"]).args(parts);
    output_of(link.args(["-lgcc", "-o", "tools/counter-amd64-linux"]).current_dir(folder))?;
    for name in ["vgpreload_core-amd64-linux.so", "default.supp"] {
        let to = tools.join(name);
        fs::copy(Path::new(TOOLS).join(name), &to).map_err(|error| Failure::at("copy", &to, error))?;
    }
    Ok(tools)
}

/// The name under which a compiler may call the same constructor or destructor.
pub(super) fn twin(name: &str) -> Option<String> {
    let is_member = name.starts_with("_ZN");
    let twin = [("C1E", "C2E"), ("D1E", "D2E")].into_iter().find(|(whole, _)| name.contains(whole));
    // Where there is a virtual base, the twin takes another argument.
    let has_virtual_base = name.contains("stream");
    twin.filter(|_| is_member && !has_virtual_base).map(|(whole, base)| name.replacen(whole, base, 1))
}
