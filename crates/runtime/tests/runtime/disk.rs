//! Is a program unharmed when its counts cannot be kept?

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use opcost_profile::opcraw::RawFlags;

use crate::support::{Program, build_unpadded, counts};

fn assert_ran_on_uncounted(program: &Program, output: &Output, reason: &str) {
    assert_eq!((output.status.code(), output.status.signal()), (Some(3), None), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr);
    let end = format!(": {reason}; the program runs on uncounted\n");
    assert!(message.starts_with("opcost: cannot ") && message.ends_with(&end), "{message}");
    assert_eq!(message.lines().count(), 1);
    assert!(program.files().is_empty());
}

#[test]
fn a_limit_on_file_sizes_gives_one_message_and_no_signal() {
    let program = Program::c("ends.c");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 64; exec \"$0\" return"]).arg(&program.path);
    let output = shell.env("OPCOST_RAW", program.raw.path()).output().expect("sh starts");
    assert_ran_on_uncounted(&program, &output, "File too large");
}

#[test]
fn a_missing_directory_gives_one_message() {
    let program = Program::c("ends.c");
    let output = program.command(&["return"]).env("OPCOST_RAW", "/nowhere").output().expect("it starts");
    assert_ran_on_uncounted(&program, &output, "No such file or directory");
}

/// A mounted file system of so many bytes, unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(place: PathBuf) -> Option<Self> {
        fs::create_dir_all(&place).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"]).arg(&place);
        mount.output().is_ok_and(|output| output.status.success()).then_some(SmallDisk(place))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_gives_one_message_and_no_file() {
    let program = Program::c("ends.c");
    let Some(disk) = SmallDisk::mount(program.raw.path().join("disk")) else {
        eprintln!("skipped: mounting a small tmpfs is not allowed here");
        return;
    };
    let output = program.command(&["return"]).env("OPCOST_RAW", &disk.0).output().expect("it starts");
    assert_ran_on_uncounted(&program, &output, "No space left on device");
    assert_eq!(fs::read_dir(&disk.0).expect("the disk is there").count(), 0);
}

#[test]
fn counters_without_pads_are_copied_at_the_end() {
    let program = build_unpadded("ends.c");
    let (_, file) = program.count(&["exit"]);
    assert_eq!(file.flags, RawFlags::PRIVATE);
    assert_eq!((counts(&file)[2], counts(&file)[5]), (1, 1000));
}
