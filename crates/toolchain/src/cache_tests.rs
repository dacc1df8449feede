//! Is what is kept what clang would make, and is nothing else believed?

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
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The object, made in a folder of its own.
    fn make(
        &self,
        clang: &Path,
        cache: Option<PathBuf>,
        source: &str,
        flag: &str,
    ) -> Result<Vec<u8>, Failure> {
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

    /// The folders in the cache.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.cache()).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}

const SOURCE: &str = "#include <other.h>\nint f(void) { return X; }\n";

#[test]
fn what_was_made_is_taken_wherever_the_build_lies() {
    let scene = Scene::new();
    scene.check(SOURCE, "-O1");
    let [folder] = &scene.kept()[..] else { panic!("{:?}", scene.kept()) };
    // One with another content, kept as it should be, shows that it is taken.
    let list = std::fs::read_to_string(folder.join(LIST)).expect("a list");
    let (_, rest) = list.split_once('\n').expect("lines");
    assert!(rest.contains("other.h\n") && !rest.contains("a.c\n"), "{rest}");
    std::fs::write(folder.join("0"), "forged").expect("written");
    std::fs::write(folder.join(LIST), format!("{}\n{rest}", hash(b"forged"))).expect("written");
    let taken = scene.make(Path::new("clang-22"), Some(scene.cache()), SOURCE, "-O1").expect("taken");
    assert_eq!(taken, b"forged");
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
    let [folder] = &scene.kept()[..] else { panic!("{:?}", scene.kept()) };
    let list = std::fs::read(folder.join(LIST)).expect("a list");
    let spoil: [&dyn Fn(); 5] = [
        &|| std::fs::write(folder.join("0"), "half").expect("written"),
        &|| std::fs::remove_file(folder.join("0")).expect("removed"),
        &|| std::fs::write(folder.join(LIST), &list[..list.len() - 4]).expect("written"),
        &|| std::fs::write(folder.join(LIST), &list[..33]).expect("written"),
        &|| std::fs::write(folder.join(LIST), "").expect("written"),
    ];
    for spoil in spoil {
        spoil();
        scene.check(SOURCE, "-O1");
        assert_eq!(std::fs::read(folder.join(LIST)).expect("a list"), list);
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
    std::fs::write(scene.cache(), "a file").expect("written");
    scene.check(SOURCE, "-O1");
    std::fs::remove_file(scene.cache()).expect("removed");
    let script = scene.folder.path().join("clang-22");
    std::fs::write(&script, "#!/bin/sh\nexec clang-22 \"$@\"\n").expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("changed");
    scene.make(&script, Some(scene.cache()), SOURCE, "-O1").expect("made");
    assert!(scene.kept().is_empty(), "what a script does may change");
    // By another name the file is the same.
    let named = scene.folder.path().join("named");
    symlink(resolve(OsStr::new("clang-22")).expect("clang"), &named).expect("a link");
    scene.check(SOURCE, "-O1");
    scene.make(&named, Some(scene.cache()), SOURCE, "-O1").expect("made");
    assert_eq!(scene.kept().len(), 1);
}

#[test]
fn rules_for_make_are_read_with_blanks_in_names() {
    let rules = b"a.o: a.c /x\\ y/b.h \\\n  /z/$$c.h\n/q\\ r/d.o: /e\\#f.h";
    let paths = ["a.c", "/x y/b.h", "/z/$c.h", "/e#f.h"].map(PathBuf::from);
    assert_eq!(words_of(rules), paths);
}
