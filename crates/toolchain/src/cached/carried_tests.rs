//! Is what is kept what clang would make, and is nothing else believed?

use std::ffi::OsStr;

use super::super::tool::resolve;
use super::*;

/// A source of ours that includes one of others, and where both are made and kept.
struct Scene {
    folder: tempfile::TempDir,
    number: std::cell::Cell<u32>,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::Builder::new().prefix("with blank ").tempdir().expect("a folder");
        let scene = Scene { folder, number: std::cell::Cell::new(0) };
        scene.write_header("1");
        scene
    }

    fn write_header(&self, value: &str) {
        std::fs::write(self.folder.path().join("other.h"), format!("#define X {value}\n")).expect("written");
        wait();
    }

    fn cache(&self) -> Cache {
        Cache::below(&self.folder.path().join("cache"), 1_000_000)
    }

    /// The object, made in a folder of its own.
    fn make(&self, clang: &Path, cache: Option<Cache>, source: &str, flag: &str) -> Result<Vec<u8>, Failure> {
        self.number.set(self.number.get() + 1);
        let scratch = self.folder.path().join(format!("scratch{}", self.number.get()));
        std::fs::create_dir(&scratch).expect("made");
        let object = scratch.join("a.o");
        std::fs::write(scratch.join("a.c"), source).expect("written");
        let mut command = Command::new(clang);
        command.args(["-c", "-w", flag, "-I"]).arg(self.folder.path());
        command.arg(scratch.join("a.c")).arg("-o").arg(&object);
        let products = [object];
        let order = Order { scratch: &scratch, carried: &[&scratch], products: &products, name: "a test" };
        make_with(cache, &mut command, &order)?;
        Ok(std::fs::read(&products[0]).expect("it is made"))
    }

    /// Made with the cache, held against one made without.
    fn check(&self, source: &str, flag: &str) -> Vec<u8> {
        let clang = Path::new("clang-22");
        let kept = self.make(clang, Some(self.cache()), source, flag).expect("made");
        assert_eq!(kept, self.make(clang, None, source, flag).expect("made"), "{source} {flag}");
        kept
    }

    /// The entries of the cache.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.cache().folder()).into_iter().flatten();
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| !path.ends_with(".total")).collect()
    }
}

/// Until what was written lately is old enough to be kept.
fn wait() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}

const SOURCE: &str = "#include <other.h>\nint f(void) { return X; }\n";

#[test]
fn what_was_made_is_taken_wherever_the_build_lies() {
    let scene = Scene::new();
    scene.check(SOURCE, "-O1");
    let [entry] = &scene.kept()[..] else { panic!("{:?}", scene.kept()) };
    let bytes = std::fs::read(entry).expect("an entry");
    let head = String::from_utf8_lossy(&bytes);
    assert!(head.contains("other.h\"") && !head.contains("a.c\""), "{head}");
    // A compiler that is not asked shows that it is taken.
    let used = entry.metadata().and_then(|about| about.modified()).expect("a time");
    scene.check(SOURCE, "-O1");
    assert!(entry.metadata().and_then(|about| about.modified()).expect("a time") > used);
}

#[test]
fn whatever_differs_is_made_anew() {
    let scene = Scene::new();
    let first = scene.check(SOURCE, "-O1");
    assert_ne!(first, scene.check(SOURCE, "-O0"));
    assert_ne!(first, scene.check("int f(void) { return 7; }\n", "-O1"));
    assert_eq!(scene.kept().len(), 3);
    scene.write_header("2");
    assert_ne!(first, scene.check(SOURCE, "-O1"), "the header is another");
    assert_eq!(scene.kept().len(), 3);
    scene.write_header("1");
    assert_eq!(first, scene.check(SOURCE, "-O1"));
}

#[test]
fn what_is_damaged_is_made_again() {
    let scene = Scene::new();
    scene.check(SOURCE, "-O1");
    let [entry] = &scene.kept()[..] else { panic!("{:?}", scene.kept()) };
    let whole = std::fs::read(entry).expect("an entry");
    for damaged in [&whole[..whole.len() - 4], &whole[..33], b"", &[&whole[..], b"x"].concat()] {
        std::fs::write(entry, damaged).expect("written");
        scene.check(SOURCE, "-O1");
        assert_eq!(std::fs::read(entry).expect("an entry"), whole);
        assert_eq!(scene.kept().len(), 1, "nothing lies beside");
    }
}

#[test]
fn what_cannot_be_kept_is_made_all_the_same() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    let clang = Path::new("clang-22");
    assert!(scene.make(clang, Some(scene.cache()), "no C", "-O1").is_err());
    assert!(scene.kept().is_empty(), "of a failure nothing is kept");
    let place = scene.folder.path().join("cache");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::write(&place, "a file").expect("written");
    scene.check(SOURCE, "-O1");
    std::fs::remove_file(&place).expect("removed");
    let script = scene.folder.path().join("clang-22");
    let text = scene.folder.path().join("text");
    std::fs::write(&text, "#!/bin/sh\nexec clang-22 \"$@\"\n").expect("written");
    // Another process writes it: a child of another test's thread would hold what this one has open for writing.
    let ended = std::process::Command::new("install").args(["-m", "755"]).args([&text, &script]).status();
    assert!(ended.expect("install").success());
    scene.make(&script, Some(scene.cache()), SOURCE, "-O1").expect("made");
    assert!(scene.kept().is_empty(), "what a script does may change");
    // By another name the file is the same.
    let named = scene.folder.path().join("named");
    symlink(resolve(OsStr::new("clang-22")).expect("clang"), &named).expect("a link");
    scene.check(SOURCE, "-O1");
    scene.make(&named, Some(scene.cache()), SOURCE, "-O1").expect("made");
    assert_eq!(scene.kept().len(), 1);
}
