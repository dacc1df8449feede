//! Is a source of Fortran compiled again exactly if what is made of it may be another?

use super::*;
use crate::plan::Plan;

struct Scene {
    folder: tempfile::TempDir,
    cache: Cache,
}

/// Uses a module, and includes one file by a line and one by a name that a macro has.
const SOURCE: &str = "#define LINE include\nprogram p\n  use numbers\n  implicit none\n  LINE 'near.inc'\n\
    #include \"far.h\"\n  do k = 1, MANY\n    print *, k*few\n  end do\nend program\n";

const MODULE: &str = "module numbers\n  integer, parameter :: few = 5\nend module\n";

#[derive(Debug, PartialEq, Eq)]
enum Took {
    Made,
    Taken,
    Nothing,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::Builder::new().prefix("with blank ").tempdir().expect("a folder");
        let cache = Cache::below(&folder.path().join("cache"), 10_000_000);
        let scene = Scene { folder, cache };
        for name in ["src", "first", "second", "modules"] {
            std::fs::create_dir(scene.path(name)).expect("made");
        }
        scene.write("src/near.inc", "      integer :: k\n");
        scene.write("second/far.h", "#define MANY 3\n");
        scene.write("src/numbers.f90", MODULE);
        scene.write("src/p.F90", SOURCE);
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
        // Until it is old enough to be believed.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }

    /// Compiles a source; its bitcode.
    fn compile(&self, cache: Option<&Cache>, source: &str, modules: &str, flags: &[&str]) -> Vec<u8> {
        let output = self.path("made.bc");
        let _ = std::fs::remove_file(&output);
        let mut driver = Command::new("flang-22");
        driver.args(flags).arg("-I").arg(self.path("first")).arg("-I").arg(self.path("second"));
        driver.args(["-O1", "-g", "-c", "-emit-llvm", "-###", "-J"]).arg(self.path(modules));
        let said = driver.arg("-o").arg(&output).arg(self.path(source)).output().expect("flang is there");
        let plan = Plan::read(&said.stderr);
        let [job] = &plan.jobs[..] else { panic!("{plan:?}") };
        let words = &job.arguments;
        let front = FrontEnd { program: &job.program, words, output: &output, short: words };
        let job = FortranJob { front, has_own_folder: true };
        assert_eq!(compile_with(cache.cloned(), job).expect("flang starts"), 0);
        std::fs::read(&output).expect("it is made")
    }

    /// Whether it is taken, and that it is as without the cache.
    fn check(&self, source: &str, flags: &[&str]) -> Took {
        let entries = || -> BTreeMap<PathBuf, (u64, SystemTime)> {
            use std::os::unix::fs::MetadataExt as _;
            let files = std::fs::read_dir(self.cache.folder()).into_iter().flatten().flatten();
            let about =
                |path: &Path| path.metadata().map(|about| (about.ino(), about.modified().expect("a time")));
            files
                .map(|file| file.path())
                .map(|path| (path.clone(), about(&path).expect("it is there")))
                .collect()
        };
        let before = entries();
        let made = self.compile(Some(&self.cache), source, "modules", flags);
        let after = entries();
        assert!(
            made == self.compile(None, source, "modules", flags),
            "another module than without the cache"
        );
        let is_new = |(path, (inode, _)): (&PathBuf, &(u64, SystemTime))| {
            before.get(path).is_none_or(|(other, _)| other != inode)
        };
        match after.iter().any(is_new) {
            true => Took::Made,
            false if after == before => Took::Nothing,
            false => Took::Taken,
        }
    }
}

#[test]
fn a_source_that_did_not_change_is_taken_with_its_modules() {
    let scene = Scene::new();
    assert_eq!(scene.check("src/numbers.f90", &[]), Took::Made);
    let module = std::fs::read(scene.path("modules/numbers.mod")).expect("a module");
    std::fs::remove_file(scene.path("modules/numbers.mod")).expect("removed");
    // In another folder of modules, as each build has one.
    std::fs::create_dir(scene.path("others")).expect("made");
    let made = scene.compile(Some(&scene.cache), "src/numbers.f90", "others", &[]);
    assert!(!made.is_empty() && !scene.path("modules/numbers.mod").exists());
    assert!(std::fs::read(scene.path("others/numbers.mod")).expect("it is written again") == module);
}

#[test]
fn a_program_is_made_again_if_what_it_reads_is_another() {
    let scene = Scene::new();
    scene.compile(None, "src/numbers.f90", "modules", &[]);
    let took = || scene.check("src/p.F90", &[]);
    assert_eq!([took(), took()], [Took::Made, Took::Taken]);
    scene.write("src/near.inc", "      integer :: k, more\n");
    assert_eq!([took(), took()], [Took::Made, Took::Taken], "a line includes another text");
    scene.write("second/far.h", "#define MANY 4\n");
    assert_eq!([took(), took()], [Took::Made, Took::Taken], "a macro is another");
    scene.write("first/far.h", "#define MANY 5\n");
    assert_eq!([took(), took()], [Took::Made, Took::Taken], "a file comes first now");
    scene.write("src/numbers.f90", &MODULE.replace('5', "6"));
    scene.compile(None, "src/numbers.f90", "modules", &[]);
    assert_eq!([took(), took()], [Took::Made, Took::Taken], "a module is another");
    std::fs::copy(scene.path("modules/numbers.mod"), scene.path("first/numbers.mod")).expect("copied");
    scene.write("src/numbers.f90", &MODULE.replace('5', "7"));
    scene.compile(None, "src/numbers.f90", "modules", &[]);
    assert_eq!([took(), took()], [Took::Made, Took::Taken], "another file of it comes first");
    assert_eq!(scene.check("src/p.F90", &["-DMORE"]), Took::Made, "other words");
}

#[test]
fn what_hangs_on_the_day_is_made_each_time() {
    let scene = Scene::new();
    scene.write("src/p.F90", "program p\n  print *, __DATE__\nend program\n");
    assert_eq!(
        [scene.check("src/p.F90", &[]), scene.check("src/p.F90", &[])],
        [Took::Nothing, Took::Nothing]
    );
}
