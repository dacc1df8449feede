//! Do the rooms import only what ARCHITECTURE.md allows?
//!
//! The tables in ARCHITECTURE.md are read, not copied: a row that is missing or an arrow that
//! bends fails here, and so does a path in the text that leads nowhere. What tests and examples
//! use beside is held by a second table there, so that a room cannot be bound to another by
//! its tests in silence.
//!
//! Input: both tables, and what `cargo metadata` says of dependencies, those of build scripts
//! among them. Limits: which of its dependencies a room really uses is not asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there")
}

/// The rows of the table in ARCHITECTURE.md whose head begins with these cells.
fn table(head: &str) -> Vec<Vec<String>> {
    let text = architecture();
    let lines = text.lines().skip_while(|line| !line.starts_with(head));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table that begins with `{head}`; rooms.rs reads it");
    rows
}

/// The name of a room in the first cell of a row.
fn name_of(row: &[String]) -> String {
    row[0].trim_matches('`').to_owned()
}

/// Room → rooms it may import, as the table says.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let mut rooms = BTreeMap::new();
    for row in table("| room | what lives there | may import |") {
        let above: BTreeSet<String> = match &*row[2] {
            "–" => BTreeSet::new(),
            "all above" => rooms.keys().cloned().collect(),
            list => list.split(", ").map(str::to_owned).collect(),
        };
        rooms.insert(name_of(&row), above);
    }
    rooms
}

/// Room → rooms that its tests and examples use beside these and `testkit`, as the table says.
fn allowed_in_tests() -> BTreeMap<String, BTreeSet<String>> {
    let rows = table("| room | its tests also use |");
    rows.iter().map(|row| (name_of(row), row[1].split(", ").map(str::to_owned).collect())).collect()
}

/// What a crate imports, as cargo says.
#[derive(Default)]
struct Imports {
    /// Rooms that product code and build scripts import.
    rooms: BTreeSet<String>,
    /// Rooms that only tests and examples use.
    of_tests: BTreeSet<String>,
    /// All crates, by their names.
    crates: BTreeSet<String>,
}

/// Room → what it imports; `xtask` is there under its own name.
fn all_imports() -> BTreeMap<String, Imports> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let mut rooms = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let package_name = package["name"].as_str().expect("a name");
        let mut imports = Imports::default();
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let name = dependency["name"].as_str().expect("a name");
            imports.crates.insert(name.to_owned());
            let is_of_tests = dependency["kind"] == "dev";
            let among = if is_of_tests { &mut imports.of_tests } else { &mut imports.rooms };
            among.extend(room_of(name));
        }
        rooms.insert(room_of(package_name).unwrap_or_else(|| package_name.to_owned()), imports);
    }
    rooms
}

/// The same of rooms alone.
fn imports() -> BTreeMap<String, Imports> {
    let mut all = all_imports();
    all.retain(|name, _| root().join("crates").join(name).is_dir());
    all
}

fn room_of(package: &str) -> Option<String> {
    match package {
        "opcost" => Some("opcost".to_owned()),
        other => other.strip_prefix("opcost-").map(str::to_owned),
    }
}

#[test]
fn every_room_has_a_row_and_every_row_a_room() {
    let rows: BTreeSet<String> = allowed().into_keys().collect();
    let rooms: BTreeSet<String> = imports().into_keys().collect();
    assert_eq!(rows, rooms);
}

#[test]
fn arrows_go_one_way() {
    let allowed = allowed();
    for (room, imports) in imports() {
        let forbidden: Vec<&String> = imports.rooms.difference(&allowed[&room]).collect();
        assert!(
            forbidden.is_empty(),
            "crates/{room}/Cargo.toml: the room {room} imports {forbidden:?}, which the table of rooms in ARCHITECTURE.md \
             does not allow. Hand it in as an argument, or move what is needed below both."
        );
    }
}

#[test]
fn arrows_of_tests_are_written_down() {
    let (allowed, in_tests) = (allowed(), allowed_in_tests());
    for (room, imports) in imports() {
        let also = in_tests.get(&room).cloned().unwrap_or_default();
        let is_known =
            |other: &&String| *other == "testkit" || allowed[&room].contains(*other) || also.contains(*other);
        let new: Vec<&String> = imports.of_tests.iter().filter(|other| !is_known(other)).collect();
        assert!(
            new.is_empty(),
            "crates/{room}/Cargo.toml: tests of the room {room} use {new:?}. Tests may use what the room imports, \
             `testkit`, and what the second table of rooms in ARCHITECTURE.md says. Write it there with its reason, \
             or do without."
        );
        let unused: Vec<&String> = also.difference(&imports.of_tests).collect();
        assert!(
            unused.is_empty(),
            "ARCHITECTURE.md says that tests of {room} use {unused:?}, which they do not. Take it out there."
        );
    }
    let unknown: Vec<&String> = in_tests.keys().filter(|room| !allowed.contains_key(*room)).collect();
    assert!(unknown.is_empty(), "ARCHITECTURE.md tells of tests of {unknown:?}, which are no rooms");
}

#[test]
fn chores_know_opcost_only_as_a_command() {
    let all = all_imports();
    let xtask = &all["xtask"];
    let rooms: Vec<&String> = xtask.rooms.iter().chain(&xtask.of_tests).collect();
    assert_eq!(
        rooms,
        ["testkit"],
        "xtask/Cargo.toml: chores import no room but `testkit`; run opcost instead"
    );
}

#[test]
fn examples_know_the_library_alone() {
    for (name, imports) in all_imports() {
        if root().join("examples").join(&name).is_dir() {
            let rooms: Vec<&String> = imports.rooms.iter().chain(&imports.of_tests).collect();
            assert_eq!(rooms, ["opcost"], "examples/{name} uses the library as a user would");
        }
    }
}

#[test]
fn only_the_fence_knows_llvm() {
    for (room, imports) in imports() {
        let knows = imports.crates.contains("llvm-sys");
        assert_eq!(knows, room == "llvm", "crates/{room}/Cargo.toml: only the room llvm imports llvm-sys");
    }
}

#[test]
fn unsafe_code_stays_behind_its_fences() {
    for (room, _) in imports() {
        let manifest = std::fs::read_to_string(root().join("crates").join(&room).join("Cargo.toml"))
            .expect("each room has a manifest");
        let inherits = manifest.contains("[lints]\nworkspace = true");
        assert_eq!(
            inherits,
            !["llvm", "host"].contains(&&*room),
            "{room} must deny unsafe code as the workspace does"
        );
        if inherits {
            only_system_calls_may_be_unsafe(&root().join("crates").join(&room).join("src"));
        }
    }
}

/// A room that denies unsafe code may allow it again below `sample/src/sys`, and for words of two processes.
fn only_system_calls_may_be_unsafe(folder: &Path) {
    let fence = root().join("crates/sample/src/sys");
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if folder == fence {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path == root().join("crates/live/src/words.rs") {
                continue;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source can be read");
                let allows = text.contains("allow(unsafe_code");
                assert!(!allows, "{} lies behind no fence", path.display());
            }
        }
    }
}

#[test]
fn paths_in_the_text_lead_somewhere() {
    let mut texts = vec![("ARCHITECTURE.md".to_owned(), architecture())];
    for entry in std::fs::read_dir(root().join("guide/src/how")).expect("guide/src/how") {
        let path = entry.expect("the folder can be read").path();
        let text = std::fs::read_to_string(&path).expect("a page can be read");
        texts.push((path.display().to_string(), text));
    }
    assert!(texts.len() > 10, "guide/src/how has its pages");
    for (name, text) in texts {
        let quoted = text.split('`').skip(1).step_by(2);
        for path in quoted.filter(|quoted| {
            ["crates/", "xtask/", "guide/", "benchmarks/", "corpus/"]
                .iter()
                .any(|top| quoted.starts_with(top))
        }) {
            assert!(root().join(path).exists(), "{name} names {path}, which is not there");
        }
    }
}
