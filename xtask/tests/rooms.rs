//! Do the rooms import only what ARCHITECTURE.md allows?
//!
//! The table in ARCHITECTURE.md is read, not copied: a row that is missing or
//! an arrow that bends fails here, and so does a path in the text that leads
//! nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there")
}

/// Room → rooms it may import, as the table says.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let mut rooms = BTreeMap::new();
    for line in architecture().lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`').to_owned();
        let above: BTreeSet<String> = match cells[2] {
            "–" => BTreeSet::new(),
            "all above" => rooms.keys().cloned().collect(),
            list => list.split(", ").map(str::to_owned).collect(),
        };
        rooms.insert(name, above);
    }
    rooms
}

/// Room → rooms it imports, and all crates it imports, as cargo says.
fn imports() -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let mut rooms = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let Some(room) = room_of(package["name"].as_str().expect("a name")) else { continue };
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let names: BTreeSet<String> = dependencies
            .iter()
            .filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
            .collect();
        let among_rooms = names.iter().filter_map(|name| room_of(name)).collect();
        rooms.insert(room, (among_rooms, names));
    }
    rooms
}

fn room_of(package: &str) -> Option<String> {
    match package {
        "opcost" => Some("cli".to_owned()),
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
    for (room, (among_rooms, _)) in imports() {
        let forbidden: Vec<&String> = among_rooms.difference(&allowed[&room]).collect();
        assert!(forbidden.is_empty(), "{room} imports {forbidden:?}, which ARCHITECTURE.md does not allow");
    }
}

#[test]
fn only_the_fence_knows_llvm() {
    for (room, (_, names)) in imports() {
        assert_eq!(names.contains("llvm-sys"), room == "llvm", "llvm-sys in the room {room}");
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

/// A room that denies unsafe code may allow it again below `sample/src/sys`.
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
    let text = architecture();
    let quoted = text.split('`').skip(1).step_by(2);
    let mut seen = 0;
    for path in quoted.filter(|quoted| quoted.starts_with("crates/") || quoted.starts_with("xtask/")) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}, which is not there");
        seen += 1;
    }
    assert!(seen >= 5, "the text names its files");
}
