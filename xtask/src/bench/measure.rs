//! Looking at one run: user CPU time, output, instructions, size of the text.
//!
//! User time is the kernel's account of the child (wait4), not a clock, so
//! waiting and other people's work stay out. Each run happens in an empty
//! folder of its own, where profiles and raw counters may be left; it is
//! emptied outside the measured time.

use crate::command;
use crate::failure::{Failure, Result};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wait4::Wait4;

/// What one run gave.
pub(crate) struct Run {
    /// User CPU time in seconds.
    pub(crate) seconds: f64,
    /// Everything it wrote to its standard output.
    pub(crate) output: Vec<u8>,
}

/// Runs the program once; a status other than 0 is an error.
pub(crate) fn run(executable: &Path, arguments: &[String], folder: &Path) -> Result<Run> {
    let scratch = empty_folder(folder)?;
    let (output, errors) = (folder.join("stdout"), folder.join("stderr"));
    let child = Command::new(executable)
        .args(arguments)
        .current_dir(&scratch)
        .env("LLVM_PROFILE_FILE", scratch.join("default.profraw"))
        .stdin(Stdio::null())
        .stdout(create(&output)?)
        .stderr(create(&errors)?)
        .spawn()
        .map_err(|error| Failure::at("start", executable, error))?;
    let used = child.wait4().map_err(|error| Failure::at("wait for", executable, error))?;
    if !used.status.success() {
        let said = fs::read_to_string(&errors).unwrap_or_default();
        return Err(Failure::new(format!("it ended with {}: {}", used.status, said.trim())));
    }
    let output = fs::read(&output).map_err(|error| Failure::at("read", &output, error))?;
    Ok(Run { seconds: used.rusage.utime.as_secs_f64(), output })
}

/// Machine instructions in user mode, loader and libraries included, as
/// callgrind counts them. It runs a copy without debug information, which this
/// valgrind cannot always read.
pub(crate) fn instructions(executable: &Path, arguments: &[String], folder: &Path) -> Result<u64> {
    let scratch = empty_folder(folder)?;
    let bare = folder.join("without-debug");
    command::output_of(
        Command::new("llvm-strip-22").arg("--strip-debug").arg(executable).arg("-o").arg(&bare),
    )?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(&bare)
        .args(arguments)
        .current_dir(&scratch)
        .env("LLVM_PROFILE_FILE", scratch.join("default.profraw"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::new(format!("`valgrind` does not start: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Failure::new(format!("valgrind ended with {}: {}", output.status, said.trim())));
    }
    collected(&said).ok_or_else(|| Failure::new(format!("callgrind gave no count: {}", said.trim())))
}

/// The number in callgrind's line `==1== Collected : 123`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// Bytes in the section `.text`.
pub(crate) fn text_bytes(executable: &Path) -> Result<u64> {
    let table = command::output_of(Command::new("llvm-size-22").arg("-A").arg(executable))?;
    text_in(&table)
        .ok_or_else(|| Failure::at("find the text section of", executable, "llvm-size-22 lists none"))
}

fn text_in(table: &str) -> Option<u64> {
    let mut rows = table.lines().map(str::split_whitespace);
    rows.find_map(|mut words| if words.next()? == ".text" { words.next()?.parse().ok() } else { None })
}

fn empty_folder(folder: &Path) -> Result<PathBuf> {
    let scratch = folder.join("scratch");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|error| Failure::at("empty", &scratch, error))?;
    }
    fs::create_dir_all(&scratch).map_err(|error| Failure::at("create", &scratch, error))?;
    Ok(scratch)
}

fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(|error| Failure::at("create", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrinds_line_is_read() {
        let said = "==7== Events    : Ir\n==7== Collected : 2501813919\n==7==\n";
        assert_eq!(collected(said), Some(2_501_813_919));
        assert_eq!(collected("==7== nothing"), None);
    }

    #[test]
    fn the_text_row_is_read() {
        let table = "x  :\nsection   size   addr\n.textual  9  0\n.text   1234   4096\nTotal  1300\n\n";
        assert_eq!(text_in(table), Some(1234));
        assert_eq!(text_in("section size addr"), None);
    }

    #[test]
    fn a_run_gives_output_and_time_and_a_failure_its_words() {
        let folder = std::env::temp_dir().join(format!("xtask-measure-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let shell = |script: &str| run(Path::new("/bin/sh"), &["-c".to_owned(), script.to_owned()], &folder);
        let fine = shell("echo answer").unwrap();
        assert_eq!(fine.output, b"answer\n");
        assert!((0.0..1.0).contains(&fine.seconds));
        let failure = shell("echo reason >&2; exit 4").err().unwrap().to_string();
        assert!(failure.contains("reason") && failure.contains('4'), "{failure}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
