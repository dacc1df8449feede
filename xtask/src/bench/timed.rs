//! What a command takes, while what it prints goes to a file.
//!
//! Times are the kernel's account of the process (wait4), user and system, of it and of what it
//! waited for, and the clock's; the peak is the largest resident set it had.

use crate::failure::{Failure, Result};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// What one run took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Taken {
    /// CPU time, user and system.
    pub(crate) seconds: f64,
    /// CPU time, user alone.
    pub(crate) user: f64,
    /// By the clock.
    pub(crate) wall: f64,
    /// Peak resident memory, in millions of bytes.
    pub(crate) megabytes: f64,
}

/// Runs it to its end; what it printed, and what it took. The statuses named
/// besides 0 are answers too.
pub(crate) fn run(command: &mut Command, also: &[i32], folder: &Path) -> Result<(String, Taken)> {
    let (output, errors) = (folder.join("answer"), folder.join("errors"));
    let create = |path: &Path| File::create(path).map_err(|error| Failure::at("create", path, error));
    let name = command.get_program().to_string_lossy().into_owned();
    let begun = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(create(&output)?).stderr(create(&errors)?).spawn();
    let child = child.map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
    let used = child.wait4().map_err(|error| Failure::new(format!("cannot wait for `{name}`: {error}")))?;
    let wall = begun.elapsed().as_secs_f64();
    let is_answer = used.status.code().is_some_and(|code| code == 0 || also.contains(&code));
    if !is_answer {
        let said = fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        return Err(Failure::new(format!("`{name}` ended with {}: {}", used.status, said.trim())));
    }
    let text = fs::read_to_string(&output).map_err(|error| Failure::at("read", &output, error))?;
    let taken = Taken {
        seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        user: used.rusage.utime.as_secs_f64(),
        wall,
        megabytes: used.rusage.maxrss as f64 / 1e6,
    };
    Ok((text, taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_answers_or_fails_in_its_words() {
        let folder = std::env::temp_dir().join(format!("xtask-timed-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let shell = |script: &str, also: &[i32]| run(Command::new("sh").args(["-c", script]), also, &folder);
        let (text, taken) = shell("echo answer; exit 3", &[3]).unwrap();
        assert_eq!(text, "answer\n");
        assert!(taken.megabytes > 0.1 && taken.seconds < 1.0 && taken.wall > 0.0, "{taken:?}");
        let failure = shell("echo reason >&2; exit 3", &[]).err().unwrap().to_string();
        assert!(failure.contains("reason"), "{failure}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
