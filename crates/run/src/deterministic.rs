//! Running a program in a world that is the same every time.
//!
//! A library of ours, compiled for the run, is loaded before the C library
//! (`LD_PRELOAD`): it answers for clocks, random numbers and the process's own
//! number, and lets the program begin once more with fixed addresses
//! (`opcost_runtime::deterministic`). This side sets what stands before
//! it: the environment, the program's name, and paths padded to one length,
//! since all of them lie on the stack and so decide where it begins.
//!
//! The C library picks among variants of its functions by what the processor
//! can do; those that fuse a multiplication with an addition round otherwise.
//! Masks keep it to what every processor of the kind can.
//!
//! Limits: glibc from 2.30 on. What a program is given stays what it is:
//! arguments, streams (a terminal has another buffer than a file), open files,
//! the folder and the files in it. The kernel, the C library and the kind of
//! processor decide over addresses too, so this is one world for each of them;
//! so does the build: a metered program holds the paths of its sources, and
//! moves when they do (Lua: 14 instructions of 114 million). Code that asks the
//! processor itself (cpuid, rdtsc, rdrand), alarms, and the
//! order of several threads are not held. Programs that it starts run outside,
//! uncounted.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{FileHeader32, FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, FileKind};
use opcost_interrupt::Scratch;
use opcost_runtime::deterministic::{WORLD_VARIABLE, held_back};

use opcost_answer::Failure;
use opcost_toolchain::runtime::compile_world;
use opcost_toolchain::tools::Tools;

/// What the program finds in its environment.
const ENVIRONMENT: [(&str, &str); 4] =
    [("HOME", "/"), ("LC_ALL", "C"), ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TZ", "UTC")];

/// What the C library must not use of the processor; names that it does not know are
/// not looked at. The last ones are preferences that stem from others.
const TUNABLES: &str = "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512ER,-AVX512PF,\
-AVX512VL,-BMI1,-BMI2,-ERMS,-FMA,-FMA4,-FSRM,-LZCNT,-MOVBE,-POPCNT,-RTM,-SSE3,-SSSE3,-SSE4_1,-SSE4_2,-XSAVEC,\
-AVX_Fast_Unaligned_Load,-Fast_Unaligned_Load,-Fast_Unaligned_Copy,-Prefer_PMINUB_for_stringop";

/// Bytes of every path in the environment.
const PATH_LENGTH: usize = 1024;

/// A world, made for one program.
pub struct FixedWorld {
    folder: Scratch,
    library: PathBuf,
}

impl FixedWorld {
    /// Makes it.
    ///
    /// # Errors
    /// The program has no loader, or there is no compiler.
    pub fn for_program(program: &Path) -> Result<FixedWorld, Failure> {
        let bytes = std::fs::read(program).map_err(Failure::file("read", program))?;
        if !has_loader(&bytes) {
            return Err(Failure::Usage(format!(
                "{} is linked statically, so nothing can answer for its clocks; leave -static or --deterministic",
                program.display()
            )));
        }
        let folder = Scratch::folder("opcost-world-");
        let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
        let library = compile_world(&Tools::find()?.clang, folder.path())?;
        if library.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
            return Err(Failure::Usage(format!(
                "--deterministic needs a temporary folder without blank and colon in its path; let TMPDIR lead to \
                 another one than {}",
                std::env::temp_dir().display()
            )));
        }
        Ok(FixedWorld { folder, library })
    }

    /// Has the program begin in it. What its runtime writes is named by `variable`, as `path`.
    pub(crate) fn prepare(&self, command: &mut Command, variable: &str, path: &Path) -> Result<(), Failure> {
        let answer = self.answer();
        if answer.exists() {
            std::fs::remove_file(&answer).map_err(Failure::file("remove", &answer))?;
        }
        command.arg0("program").env_clear().envs(ENVIRONMENT).env("GLIBC_TUNABLES", TUNABLES);
        command.env("LD_PRELOAD", padded(&self.library)?);
        command.env(WORLD_VARIABLE, format!("1{}", padded(&answer)?));
        command.env(held_back(variable), padded(path)?);
        Ok(())
    }

    /// Whether it did.
    pub(crate) fn check_entered(&self, program: &Path) -> Result<(), Failure> {
        if self.answer().exists() {
            return Ok(());
        }
        Err(Failure::Counters(format!(
            "{} did not come into the deterministic world; it gains privileges, is for another kind of processor, \
             or said why above",
            program.display()
        )))
    }

    fn answer(&self) -> PathBuf {
        self.folder.path().join("entered")
    }
}

/// The same path, with as many slashes before it as make one length of all.
fn padded(path: &Path) -> Result<String, Failure> {
    let path = std::path::absolute(path).map_err(Failure::file("find", path))?;
    match path.to_str() {
        Some(text) if text.len() <= PATH_LENGTH => Ok(format!("{text:/>PATH_LENGTH$}")),
        _ => Err(Failure::Usage(format!(
            "--deterministic needs a temporary folder with a shorter path, in UTF-8, than {}",
            path.display()
        ))),
    }
}

/// Whether a program is loaded by a loader, which would load our library.
pub(crate) fn has_loader(program: &[u8]) -> bool {
    match FileKind::parse(program) {
        Ok(FileKind::Elf64) => has_interpreter::<FileHeader64<Endianness>>(program),
        Ok(FileKind::Elf32) => has_interpreter::<FileHeader32<Endianness>>(program),
        _ => false,
    }
}

fn has_interpreter<Header: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> bool {
    let Ok(header) = Header::parse(bytes) else { return false };
    let Ok(endian) = header.endian() else { return false };
    let segments = header.program_headers(endian, bytes).unwrap_or_default();
    segments.iter().any(|segment| segment.p_type(endian) == PT_INTERP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_paths_lead_to_the_same_place_and_have_one_length() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "found").expect("written");
        let long = padded(&file).expect("a short path");
        assert_eq!(long.len(), padded(Path::new("/")).expect("a short path").len());
        assert_eq!(std::fs::read_to_string(long).expect("there"), "found");
        assert!(padded(Path::new(&"/long".repeat(300))).is_err());
    }

    #[test]
    fn programs_with_a_loader_are_told_from_others() {
        let own = std::fs::read(std::env::current_exe().expect("this test")).expect("readable");
        assert!(has_loader(&own) && !has_loader(b"no program"));
    }
}
