//! The runtime's objects, compiled for the target by the clang at hand.
//!
//! They lie in the build's own temporary folder, so that builds side by side share
//! nothing. What was compiled before is taken from the user's cache (`crate::cached`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cached::carried::{Order, make};
use opcost_answer::Failure;

/// Writes files that opcost carries into `folder`, which is made.
pub(crate) fn write_all(folder: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    write_each(folder, files.iter().map(|(name, text)| (*name, text.as_bytes())))
}

/// The same with files whose names may have folders.
pub(crate) fn write_each<'a>(
    folder: &Path,
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<(), Failure> {
    let mut last = PathBuf::new();
    for (name, content) in files {
        let path = folder.join(name);
        let parent = path.parent().expect("it is in the folder");
        if parent != last {
            opcost_interrupt::make_folders(parent).map_err(Failure::file("make", parent))?;
            last = parent.to_owned();
        }
        std::fs::write(&path, content).map_err(Failure::file("write", &path))?;
    }
    Ok(())
}

/// What messages call most of what is compiled here.
const RUNTIME: &str = "opcost's runtime";

/// Has the products made of the files in `folder`, where clang's command says so.
fn make_in(folder: &Path, command: &mut Command, products: &[PathBuf], name: &str) -> Result<(), Failure> {
    make(command, &Order { scratch: folder, carried: &[folder], products, name })
}

/// Compiles the runtime in `folder`, which is made.
pub fn compile(clang: &Path, target: &[OsString], folder: &Path) -> Result<[PathBuf; 3], Failure> {
    write_all(folder, opcost_runtime::SOURCES)?;
    let folder = std::path::absolute(folder).map_err(Failure::file("find", folder))?;
    let mut command = Command::new(clang);
    command.args(target).args(opcost_runtime::FLAGS).args(opcost_runtime::UNITS).current_dir(&folder);
    let objects = opcost_runtime::UNITS.map(|unit| folder.join(unit).with_extension("o"));
    make_in(&folder, &mut command, &objects, RUNTIME)?;
    Ok(objects)
}

/// Has debugging information not say in which folder opcost was called.
pub(crate) const ANYWHERE: [&str; 1] = ["-fdebug-compilation-dir=."];

/// Compiles the library functions that pay, as bitcode, in `folder`, which is made. In reports
/// their files are in `opcost-library`.
pub fn compile_library(clang: &Path, target: &[OsString], folder: &Path) -> Result<PathBuf, Failure> {
    use opcost_runtime::library::{FLAGS, SOURCES, UNIT};
    write_all(folder, SOURCES)?;
    let bitcode = folder.join("library.bc");
    let mut map = OsString::from("-ffile-prefix-map=");
    map.push(folder);
    map.push("=opcost-library");
    let mut command = Command::new(clang);
    // What the target says of code comes last.
    command.args(FLAGS).args(target).arg(map).args(ANYWHERE).arg(folder.join(UNIT)).arg("-o").arg(&bitcode);
    make_in(folder, &mut command, std::slice::from_ref(&bitcode), "opcost's library")?;
    Ok(bitcode)
}

/// Compiles the runtime of metered programs in `folder`, which is made.
pub fn compile_fuel(
    clang: &Path,
    target: &[OsString],
    is_walled: bool,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    use opcost_runtime::fuel::{PAGE_HEADER, SOURCE, WALLS};
    write_all(folder, &[SOURCE, PAGE_HEADER, WALLS, opcost_host::TOLD])?;
    let path = folder.join(SOURCE.0);
    let object = path.with_extension("o");
    let mut command = Command::new(clang);
    command.args(target).args(opcost_runtime::FLAGS);
    command.args(is_walled.then_some(opcost_runtime::fuel::WALLED)).arg(&path).arg("-o").arg(&object);
    make_in(folder, &mut command, std::slice::from_ref(&object), RUNTIME)?;
    Ok(object)
}

/// Compiles the runtime of programs that record values in `folder`, which is made.
pub(crate) fn compile_values(clang: &Path, target: &[OsString], folder: &Path) -> Result<PathBuf, Failure> {
    use opcost_runtime::values::{SOURCES, UNIT};
    write_all(folder, SOURCES)?;
    compile_unit(clang, target, &folder.join(UNIT), Form::Object)
}

/// What is made of a source of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Machine code.
    Object,
    /// Bitcode, to become part of a module.
    Bitcode,
}

/// Compiles the runtime of programs that predict themselves in `folder`, which is made.
pub(crate) fn compile_predict(
    clang: &Path,
    target: &[OsString],
    folder: &Path,
    form: Form,
) -> Result<PathBuf, Failure> {
    use opcost_runtime::predict::{SOURCES, UNIT};
    write_all(folder, SOURCES)?;
    compile_unit(clang, target, &folder.join(UNIT), form)
}

/// One file of the unit at `path`, and of what it includes from its folder.
fn compile_unit(clang: &Path, target: &[OsString], path: &Path, form: Form) -> Result<PathBuf, Failure> {
    let folder = path.parent().expect("it is in a folder");
    let (extension, flag) = match form {
        Form::Object => ("o", None),
        Form::Bitcode => ("bc", Some("-emit-llvm")),
    };
    let made = path.with_extension(extension);
    let mut command = Command::new(clang);
    command.args(target).args(opcost_runtime::FLAGS).args(flag).arg(path).arg("-o").arg(&made);
    make_in(folder, &mut command, std::slice::from_ref(&made), RUNTIME)?;
    Ok(made)
}

/// Compiles the runtime of programs that report their loops in `folder`, which is made.
pub(crate) fn compile_slice(clang: &Path, target: &[OsString], folder: &Path) -> Result<PathBuf, Failure> {
    use opcost_runtime::slice::{SOURCES, UNIT};
    compile_alone(clang, target, folder, SOURCES, UNIT)
}

/// Compiles what surrounds the words of a program whose functions are replaced, in `folder`, which is made.
pub(crate) fn compile_live(
    clang: &Path,
    target: &[OsString],
    folder: &Path,
) -> Result<[PathBuf; 2], Failure> {
    use opcost_runtime::live::{SOURCES, UNITS};
    write_all(folder, SOURCES)?;
    let folder = std::path::absolute(folder).map_err(Failure::file("find", folder))?;
    let mut command = Command::new(clang);
    command.args(target).args(opcost_runtime::FLAGS).args(UNITS).current_dir(&folder);
    let objects = UNITS.map(|unit| folder.join(unit).with_extension("o"));
    make_in(&folder, &mut command, &objects, RUNTIME)?;
    Ok(objects)
}

/// Compiles what moves code into huge pages in `folder`, which is made.
pub(crate) fn compile_huge(clang: &Path, target: &[OsString], folder: &Path) -> Result<PathBuf, Failure> {
    use opcost_runtime::huge::{SOURCES, UNIT};
    compile_alone(clang, target, folder, SOURCES, UNIT)
}

/// An object of one file.
fn compile_alone(
    clang: &Path,
    target: &[OsString],
    folder: &Path,
    sources: &[(&str, &str)],
    unit: &str,
) -> Result<PathBuf, Failure> {
    write_all(folder, sources)?;
    let path = folder.join(unit);
    let object = path.with_extension("o");
    let mut command = Command::new(clang);
    command.args(target).args(opcost_runtime::FLAGS).arg(&path).arg("-o").arg(&object);
    make_in(folder, &mut command, std::slice::from_ref(&object), RUNTIME)?;
    Ok(object)
}

/// Compiles the deterministic world in `folder`, which is made.
pub fn compile_world(clang: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    use opcost_runtime::deterministic::{FLAGS, SOURCES, UNITS};
    write_all(folder, SOURCES)?;
    let mut command = Command::new(clang);
    command.args(FLAGS).args(UNITS).args(["-o", "world.so"]).current_dir(folder);
    let library = folder.join("world.so");
    make_in(folder, &mut command, std::slice::from_ref(&library), "opcost's deterministic world")?;
    Ok(library)
}

/// Compiles the runtime of metered plug-ins in `folder`, which is made.
pub fn compile_plugin(clang: &Path, target: &[OsString], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    use opcost_runtime::plugin::{FLAGS, HEADER, SOURCES, UNITS};
    write_all(folder, SOURCES)?;
    write_all(folder, &[(HEADER, opcost_host::HEADER)])?;
    let folder = std::path::absolute(folder).map_err(Failure::file("find", folder))?;
    let mut command = Command::new(clang);
    command.args(target).args(FLAGS).args(UNITS).current_dir(&folder);
    let objects = UNITS.map(|unit| folder.join(unit).with_extension("o"));
    make_in(&folder, &mut command, &objects, RUNTIME)?;
    Ok(objects.into())
}
