//! Writing whole or not at all: links, folders without room, full disks,
//! writers at the same time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::write_whole;

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("opcost-atomic-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_made_and_replaced_and_links_stay() {
    let folder = folder("replace");
    let (file, link) = (folder.join("a.opc"), folder.join("link.opc"));
    write_whole(&file, b"one").unwrap();
    std::os::unix::fs::symlink("a.opc", &link).unwrap();
    write_whole(&link, b"two").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names(&folder), ["a.opc", "link.opc"]);
    write_whole(Path::new("/dev/null"), b"three").unwrap();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn where_nothing_can_be_written_the_error_says_so() {
    let error = |path: &str| write_whole(Path::new(path), b"x").unwrap_err().to_string();
    let missing = error("/nonexistent/folder/a.opc");
    assert!(missing.contains("cannot write /nonexistent/folder/a.opc"), "{missing}");
    assert!(missing.contains("make the folder first"), "{missing}");
    assert!(error("/tmp").contains("name a file, not a folder"));
    // Nobody may make files there, not even root.
    assert!(error("/proc/a.opc").contains("making a new file in its folder failed"));
    assert!(error("/dev/full").contains("free some space"), "{}", error("/dev/full"));
}

/// A file size limit stands in for a full disk: writing fails in the middle.
/// The test runs itself again under that limit.
#[test]
fn a_disk_that_fills_up_leaves_the_old_file_and_nothing_else() {
    const FOLDER: &str = "OPCOST_TEST_FULL_FOLDER";
    if let Ok(folder) = std::env::var(FOLDER) {
        let error = write_whole(&Path::new(&folder).join("a.opc"), &vec![1; 1 << 20]).unwrap_err();
        assert!(error.to_string().contains("writing failed"), "{error}");
        assert!(error.to_string().contains("free some space"), "{error}");
        return;
    }
    let folder = folder("full");
    fs::write(folder.join("a.opc"), b"old").unwrap();
    let this = std::env::current_exe().unwrap();
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" a_disk_that_fills_up"])
        .arg(this)
        .env(FOLDER, &folder)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    assert_eq!(names(&folder), ["a.opc"]);
    assert_eq!(fs::read(folder.join("a.opc")).unwrap(), b"old");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn of_concurrent_writers_one_wins_whole() {
    let folder = folder("race");
    let file = folder.join("a.opc");
    std::thread::scope(|scope| {
        for writer in 0..8u8 {
            let file = &file;
            scope.spawn(move || {
                for _ in 0..5 {
                    write_whole(file, &vec![writer; 10_000 + usize::from(writer)]).unwrap();
                    let seen = fs::read(file).unwrap();
                    assert_eq!(seen.len(), 10_000 + usize::from(seen[0]));
                    assert!(seen.iter().all(|&byte| byte == seen[0]));
                }
            });
        }
    });
    assert_eq!(names(&folder), ["a.opc"]);
    fs::remove_dir_all(folder).unwrap();
}
