//! Is what is found what was kept, and is nothing else believed?

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::recipe::Recipe;

struct Scene {
    folder: tempfile::TempDir,
    cache: Cache,
}

impl Scene {
    fn new(limit: u64) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::below(folder.path(), limit);
        Scene { folder, cache }
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    }

    fn keep(&self, name: &str, content: &[u8], evidence: &Evidence) -> Option<()> {
        let made = Made { products: vec![content.to_vec(), Vec::new()], report: b"a warning".to_vec() };
        self.cache.store(key(name), &made, evidence, later())
    }

    fn find(&self, name: &str) -> Option<Vec<u8>> {
        let made = self.cache.find(key(name))?;
        assert_eq!((made.products.len(), &made.report[..]), (2, &b"a warning"[..]));
        Some(made.products[0].clone())
    }
}

fn key(name: &str) -> RecipeHash {
    Recipe::new(name).finish()
}

/// All that is there by now was there before.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(1)
}

#[test]
fn what_is_kept_is_found() {
    let scene = Scene::new(1_000_000);
    assert_eq!(scene.find("one"), None);
    scene.keep("one", b"first", &Evidence::default()).expect("kept");
    scene.keep("two", b"second", &Evidence::default()).expect("kept");
    assert_eq!(scene.find("one").as_deref(), Some(&b"first"[..]));
    assert_eq!(scene.find("two").as_deref(), Some(&b"second"[..]));
    assert_eq!(scene.cache.contents().entries, 2);
    assert_eq!(scene.cache.clear().expect("cleared").entries, 2);
    assert_eq!(scene.find("one"), None);
    assert_eq!(scene.cache.clear().expect("nothing is there").entries, 0);
}

#[test]
fn evidence_must_be_as_it_was() {
    let scene = Scene::new(1_000_000);
    let header = scene.write("x.h", "1");
    let hidden = scene.folder.path().join("first/x.h");
    let versions = scene.folder.path().join("versions");
    std::fs::create_dir_all(versions.join("12")).expect("made");
    let evidence =
        Evidence { read: vec![header.clone()], absent: vec![hidden.clone()], listed: vec![versions.clone()] };
    scene.keep("one", b"first", &evidence).expect("kept");
    assert!(scene.find("one").is_some());
    scene.write("x.h", "2");
    assert_eq!(scene.find("one"), None, "another header");
    scene.write("x.h", "1");
    assert!(scene.find("one").is_some());
    std::fs::create_dir(scene.folder.path().join("first")).expect("made");
    assert!(scene.find("one").is_some(), "an empty folder hides nothing");
    std::fs::write(&hidden, "1").expect("written");
    assert_eq!(scene.find("one"), None, "another header comes first by now");
    std::fs::remove_file(&hidden).expect("removed");
    std::fs::create_dir(versions.join("13")).expect("made");
    assert_eq!(scene.find("one"), None, "another version is installed");
    std::fs::remove_dir(versions.join("13")).expect("removed");
    assert!(scene.find("one").is_some());
    std::fs::remove_file(&header).expect("removed");
    assert_eq!(scene.find("one"), None, "the header is gone");
    assert_eq!(scene.keep("two", b"second", &evidence), None, "evidence that is not there");
}

#[test]
fn what_changed_while_it_was_made_is_not_kept() {
    let scene = Scene::new(1_000_000);
    let evidence = Evidence { read: vec![scene.write("x.h", "1")], ..Evidence::default() };
    let begun = SystemTime::now();
    assert_eq!(scene.cache.store(key("one"), &Made::default(), &evidence, begun), None);
    // A time that programs can set says nothing.
    let file = std::fs::File::options().write(true).open(&evidence.read[0]).expect("it is there");
    file.set_modified(SystemTime::UNIX_EPOCH).expect("set");
    assert_eq!(scene.cache.store(key("one"), &Made::default(), &evidence, begun), None);
    assert!(scene.keep("one", b"", &evidence).is_some());
}

#[test]
fn every_damaged_byte_is_noticed() {
    let scene = Scene::new(1_000_000);
    let evidence = Evidence { read: vec![scene.write("x.h", "1")], ..Evidence::default() };
    scene.keep("one", b"first", &evidence).expect("kept");
    let path = scene.cache.path(key("one"));
    let whole = std::fs::read(&path).expect("it is there");
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).expect("written");
        assert_eq!(scene.find("one"), None, "byte {at}");
        std::fs::write(&path, &whole[..at]).expect("written");
        assert_eq!(scene.find("one"), None, "cut at {at}");
    }
    std::fs::write(&path, [&whole[..], b"x"].concat()).expect("written");
    assert_eq!(scene.find("one"), None, "a byte too many");
    std::fs::write(&path, &whole).expect("written");
    assert!(scene.find("one").is_some());
}

#[test]
fn a_folder_of_others_is_not_believed() {
    let scene = Scene::new(1_000_000);
    scene.keep("one", b"first", &Evidence::default()).expect("kept");
    let folder = scene.cache.folder();
    let set = |mode| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("set");
    for mode in [0o770, 0o702] {
        set(mode);
        assert_eq!(scene.find("one"), None, "{mode:o}");
        assert_eq!(scene.keep("two", b"", &Evidence::default()), None, "{mode:o}");
    }
    set(0o700);
    assert!(scene.find("one").is_some());
    // A link to another place is no folder of ours.
    let real = scene.folder.path().join("real");
    std::fs::rename(folder, &real).expect("moved");
    std::os::unix::fs::symlink(&real, folder).expect("linked");
    assert_eq!(scene.find("one"), None);
}

#[test]
fn what_was_used_least_recently_goes_first() {
    let scene = Scene::new(10_000);
    let content = [7; 2000];
    let set = |name: &str, seconds| {
        let file =
            std::fs::File::options().write(true).open(scene.cache.path(key(name))).expect("it is there");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("set");
    };
    for (name, seconds) in [("a", 30), ("b", 20), ("c", 10)] {
        scene.keep(name, &content, &Evidence::default()).expect("kept");
        set(name, seconds);
    }
    assert!(scene.find("c").is_some(), "used again, so it is the newest");
    scene.keep("d", &content, &Evidence::default()).expect("kept");
    scene.keep("e", &content, &Evidence::default()).expect("kept");
    let there: Vec<&str> =
        ["a", "b", "c", "d", "e"].into_iter().filter(|name| scene.find(name).is_some()).collect();
    assert!(scene.cache.contents().bytes <= 8_000, "{:?}", scene.cache.contents());
    assert_eq!(there, ["c", "d", "e"]);
    assert_eq!(scene.keep("huge", &[0; 6000], &Evidence::default()), None, "no entry takes most of it");
}

#[test]
fn what_was_left_half_written_goes() {
    let scene = Scene::new(1_000_000);
    scene.keep("one", b"first", &Evidence::default()).expect("kept");
    let left = scene.cache.folder().join(".making-x");
    std::fs::write(&left, "half").expect("written");
    assert_eq!(scene.cache.contents().entries, 1);
    scene.keep("two", b"second", &Evidence::default()).expect("kept");
    assert!(left.exists(), "it may still be written");
    let file = std::fs::File::options().write(true).open(&left).expect("it is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(7200)).expect("set");
    scene.keep("three", b"third", &Evidence::default()).expect("kept");
    assert!(left.exists(), "there is room");
    std::fs::write(scene.cache.folder().join(".total"), "999999\n").expect("written");
    scene.keep("four", b"fourth", &Evidence::default()).expect("kept");
    assert!(!left.exists());
    assert_eq!(scene.cache.contents().entries, 4);
}

/// The bound holds whatever stands in the file of the total, and whoever holds it.
#[test]
fn a_total_is_never_too_small() {
    let scene = Scene::new(10_000);
    let path = scene.cache.folder().join(".total");
    let keep = |name: &str| {
        scene.keep(name, &[7; 2000], &Evidence::default()).expect("kept");
        let bytes = scene.cache.contents().bytes;
        assert!(bytes <= 10_000, "{name}: {bytes}");
        let total = std::fs::read_to_string(&path).ok();
        total.map(|text| text.trim().parse::<u64>().expect("a number") >= bytes)
    };
    for name in ["a", "b", "c", "a", "b", "c", "d", "e", "f", "g"] {
        assert_eq!(keep(name), Some(true), "{name}");
    }
    for damaged in ["", "12", "x\n", "-1\n", "\u{0}\u{0}\n"] {
        std::fs::write(&path, damaged).expect("written");
        assert_eq!(keep("h"), Some(true), "{damaged:?}");
    }
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(keep("i"), Some(true));
    let held = std::fs::File::open(&path).expect("it is there");
    held.lock().expect("locked");
    assert_eq!(keep("j"), None, "another process adds");
    assert_eq!(keep("k"), Some(true));
}

#[test]
fn many_at_once_see_whole_entries_or_none() {
    let scene = Scene::new(200_000);
    std::thread::scope(|scope| {
        for writer in 0..4u8 {
            let scene = &scene;
            scope.spawn(move || {
                for round in 0..50u8 {
                    let content = [writer * 50 + round; 5000];
                    let _ =
                        scene.keep(["x", "y", "z"][usize::from(round % 3)], &content, &Evidence::default());
                    for name in ["x", "y", "z"] {
                        let found = scene.find(name).unwrap_or_else(|| vec![1; 5000]);
                        assert!(found.len() == 5000 && found.iter().all(|byte| *byte == found[0]));
                    }
                }
            });
        }
    });
}
