//! Is a source compiled again exactly if what is made of it may be another?

use super::*;

struct Scene {
    folder: tempfile::TempDir,
    cache: Cache,
}

impl Scene {
    /// A source that includes two headers, one of them in the second of two folders.
    fn new() -> Scene {
        let folder = tempfile::Builder::new().prefix("with blank ").tempdir().expect("a folder");
        let cache = Cache::below(&folder.path().join("cache"), 10_000_000);
        let scene = Scene { folder, cache };
        for name in ["src", "first", "second"] {
            std::fs::create_dir(scene.folder.path().join(name)).expect("made");
        }
        scene.write("src/near.h", "#define NEAR 1\n");
        scene.write("second/far.h", "#define FAR 1\n");
        scene.write("src/a.c", SOURCE);
        scene
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("written");
        // Until it is old enough to be believed.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.folder.path().join(name)).expect("removed");
    }

    fn compile(&self, cache: Option<Cache>, flags: &[&str]) -> Vec<u8> {
        let compiler = Path::new("clang-22");
        let at = |name: &str| self.folder.path().join(name);
        let (source, output) = (at("src/a.c"), at("a.bc"));
        let _ = std::fs::remove_file(&output);
        let mut command = Command::new(compiler);
        command.args(flags).arg("-I").arg(at("first")).arg("-I").arg(at("second"));
        command.args(["-g", "-c", "-emit-llvm", "-o"]).arg(&output);
        let compilation =
            Compilation { compiler, source: &source, output: &output, is_cxx: false, reader: None };
        compile_with(cache, &mut command, compilation).expect("it compiles");
        std::fs::read(&output).expect("it is made")
    }

    /// How many entries are used or made, when it is compiled as without the cache.
    fn check(&self, flags: &[&str]) -> Took {
        let before = self.uses();
        let made = self.compile(Some(self.cache.clone()), flags);
        assert!(made == self.compile(None, flags), "another module than without the cache");
        let after = self.uses();
        match after.len() {
            _ if after == before => Took::Nothing,
            count if count > before.len() => Took::Made,
            _ if self.was_taken(&before, &after) => Took::Kept,
            _ => Took::Made,
        }
    }

    /// Entries that hold a compilation, with their text.
    fn compilations(&self) -> Vec<(PathBuf, String)> {
        let files = std::fs::read_dir(self.cache.folder()).into_iter().flatten().flatten();
        let text =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("it is there")).into_owned();
        let entries = files.map(|file| (file.path(), text(&file.path())));
        entries
            .filter(|(_, text)| text.contains("\"products\":[") && !text.contains("\"products\":[]"))
            .collect()
    }

    /// Inodes and times of use: an entry that is made again is another file.
    fn uses(&self) -> Vec<(u64, SystemTime)> {
        use std::os::unix::fs::MetadataExt;
        let entries = self.compilations().into_iter();
        let about = entries.map(|(path, _)| path.metadata().expect("it is there"));
        let mut uses: Vec<_> = about.map(|about| (about.ino(), about.modified().expect("a time"))).collect();
        uses.sort_unstable();
        uses
    }

    fn was_taken(&self, before: &[(u64, SystemTime)], after: &[(u64, SystemTime)]) -> bool {
        before.iter().map(|(file, _)| file).eq(after.iter().map(|(file, _)| file))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Took {
    /// From the cache.
    Kept,
    /// Compiled, and kept.
    Made,
    /// Compiled, and not kept.
    Nothing,
}

const SOURCE: &str = "#include \"near.h\"\n#include <far.h>\n#include <stdio.h>\n\
                      #if __has_include(<maybe.h>)\n#include <maybe.h>\n#endif\n\
                      int f(int x) { int unused; return x * NEAR + FAR; }\n";

#[test]
fn an_unchanged_source_is_taken() {
    let scene = Scene::new();
    assert_eq!(scene.check(&["-O2"]), Took::Made);
    assert_eq!(scene.check(&["-O2"]), Took::Kept);
    assert_eq!(scene.check(&["-O1"]), Took::Made, "other words");
    assert_eq!(scene.check(&["-O2", "-DY=1"]), Took::Made);
    assert_eq!(scene.check(&["-O2"]), Took::Kept);
    scene.write("src/a.c", &SOURCE.replace("unused", "idle"));
    assert_eq!(scene.check(&["-O2"]), Took::Made, "another source");
    scene.write("src/a.c", SOURCE);
    assert_eq!(scene.check(&["-O2"]), Took::Kept, "the first again");
}

#[test]
fn a_changed_header_is_seen() {
    let scene = Scene::new();
    scene.check(&["-O2"]);
    scene.write("second/far.h", "#define FAR 2\n");
    assert_eq!(scene.check(&["-O2"]), Took::Made);
    scene.write("src/near.h", "#define NEAR 3\n");
    assert_eq!(scene.check(&["-O2"]), Took::Made);
    assert_eq!(scene.check(&["-O2"]), Took::Kept);
}

#[test]
fn a_header_that_comes_first_by_now_is_seen() {
    let scene = Scene::new();
    scene.check(&["-O2"]);
    for (name, text) in [
        ("first/far.h", "#define FAR 5\n"),
        ("first/stdio.h", "typedef int nothing;\n"),
        ("second/maybe.h", "typedef long appeared;\n"),
    ] {
        scene.write(name, text);
        assert_eq!(scene.check(&["-O2"]), Took::Made, "{name} appeared");
        scene.remove(name);
        assert_eq!(scene.check(&["-O2"]), Took::Made, "{name} went");
        assert_eq!(scene.check(&["-O2"]), Took::Kept);
    }
    // In quotes a header is looked for beside the file that names it.
    scene.write("src/a.c", &SOURCE.replace("<far.h>", "\"far.h\""));
    scene.check(&["-O2"]);
    assert_eq!(scene.check(&["-O2"]), Took::Kept);
    scene.write("src/far.h", "#define FAR 7\n");
    assert_eq!(scene.check(&["-O2"]), Took::Made);
}

/// Where clang looks is kept, too: a folder that was none yet is looked through as soon as it is there.
#[test]
fn a_folder_that_appears_is_seen() {
    let scene = Scene::new();
    let folder = scene.folder.path().join("zero");
    let words = ["-O2", "-I", folder.to_str().expect("UTF-8")];
    assert_eq!(scene.check(&words), Took::Made);
    assert_eq!(scene.check(&words), Took::Kept);
    std::fs::create_dir(&folder).expect("made");
    assert_eq!(scene.check(&words), Took::Made, "an empty folder");
    assert_eq!(scene.check(&words), Took::Kept);
    scene.write("zero/far.h", "#define FAR 9\n");
    assert_eq!(scene.check(&words), Took::Made, "a header in it");
    assert_eq!(scene.check(&words), Took::Kept);
    scene.write("src/a.c", &SOURCE.replace("unused", "idle"));
    scene.check(&words);
    scene.write("zero/stdio.h", "typedef int nothing;\n");
    assert_eq!(scene.check(&words), Took::Made, "another header in it");
}

#[test]
fn text_that_is_another_tomorrow_is_not_kept() {
    let scene = Scene::new();
    for text in
        ["const char *when = __TIMESTAMP__;\n", "#define NAME <far.h>\n#if __has_include(NAME)\n#endif\n"]
    {
        scene.write("src/a.c", &format!("{SOURCE}{text}"));
        assert_eq!(scene.check(&["-O2"]), Took::Nothing, "{text}");
    }
    scene.write("src/a.c", SOURCE);
    scene.compile(Some(scene.cache.clone()), &["-O2", "-ftime-trace"]);
    assert_eq!(scene.uses().len(), 0, "a word that writes other files");
}

#[test]
fn warnings_are_said_again() {
    let scene = Scene::new();
    scene.check(&["-O2", "-Wall"]);
    let [(_, text)] = &scene.compilations()[..] else { panic!("one source was compiled") };
    assert!(text.contains("unused variable"));
}
