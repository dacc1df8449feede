//! How many lines does what users run have?
//!
//! Counted are lines of sources without tests: not those of `testkit` and `xtask`, not folders and files of tests, and
//! not the last module of a file if it is one of tests. The command is a thin layer over the library, so a Rust program
//! can do all that it can; and the best change is the one that makes the house smaller.
//!
//! Limits: those below. Whoever adds a feature raises the second, and says in the commit by how much.

mod sources;

use std::path::Path;

/// The command: arguments, and what is written where.
const MOST_OF_COMMAND: usize = 6_500;

/// All that users run. `opcost run` has 4,900 of them, half in a linker.
const MOST_IN_ALL: usize = 183_800;

fn lines_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| if path.is_dir() { lines_of_folder(&path) } else { lines_of_file(&path) }).sum()
}

fn lines_of_folder(path: &Path) -> usize {
    if path.ends_with("tests") { 0 } else { lines_below(path) }
}

fn lines_of_file(path: &Path) -> usize {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !name.ends_with(".rs") || name == "tests.rs" || name.ends_with("_tests.rs") {
        return 0;
    }
    let text = std::fs::read_to_string(path).expect("a source");
    let tests = text.rfind("#[cfg(test)]\nmod ").filter(|&at| text[at..].contains(" {\n"));
    text[..tests.unwrap_or(text.len())].lines().count()
}

#[test]
fn the_command_is_thin_and_the_house_is_no_larger() {
    let rooms = sources::root().join("crates");
    let entries = std::fs::read_dir(rooms).expect("the rooms");
    let rooms = entries.map(|entry| entry.expect("a room").path());
    let of = |room: &Path| lines_below(&room.join("src"));
    let mut all = 0;
    for room in rooms.filter(|room| room.join("src").is_dir() && !room.ends_with("testkit")) {
        let lines = of(&room);
        all += lines;
        if room.ends_with("cli") {
            assert!(lines <= MOST_OF_COMMAND, "crates/cli has {lines} lines, and may have {MOST_OF_COMMAND}");
        }
    }
    assert!(all <= MOST_IN_ALL, "what users run has {all} lines, and may have {MOST_IN_ALL}");
}
