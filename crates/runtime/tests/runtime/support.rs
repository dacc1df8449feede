//! How does a test build, run and read a counted program?

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use opcost_profile::opcraw::RawFile;
use opcost_runtime::{FLAGS, SOURCES, UNITS};
use tempfile::TempDir;

/// A built program or shared object and the directory it counts into.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) raw: TempDir,
}

/// Runs a tool that must succeed.
fn tool(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools speak UTF-8")
}

/// The runtime's objects, compiled once per run of the tests.
fn objects() -> &'static [PathBuf; 3] {
    static OBJECTS: OnceLock<(TempDir, [PathBuf; 3])> = OnceLock::new();
    let (_, objects) = OBJECTS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in SOURCES {
            fs::write(folder.path().join(name), text).expect("sources are written");
        }
        let objects = UNITS.map(|unit| {
            let object = folder.path().join(unit).with_extension("o");
            let mut clang = Command::new("clang-22");
            clang.args(FLAGS).args(["-Wall", "-Wextra", "-Werror"]);
            tool(clang.arg(folder.path().join(unit)).arg("-o").arg(&object));
            object
        });
        (folder, objects)
    });
    objects
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

/// Compiles and links sources between the runtime's objects.
pub(crate) fn build(driver: &str, sources: &[&str], flags: &[&str]) -> Program {
    let [begin, runtime, end] = objects();
    link(driver, &[begin], sources, &[runtime, end], flags)
}

/// The same in the wrong order: both pads behind the counters.
pub(crate) fn build_unpadded(source: &str) -> Program {
    let [begin, runtime, end] = objects();
    link("clang-22", &[], &[source], &[runtime, begin, end], &[])
}

fn link(driver: &str, before: &[&Path], sources: &[&str], behind: &[&Path], flags: &[&str]) -> Program {
    let raw = tempfile::tempdir().expect("a temporary folder");
    let path = raw.path().join("program");
    let mut clang = Command::new(driver);
    clang.args(["-O1", "-g", "-fuse-ld=lld", "-Wl,--build-id", "-Wl,--gc-sections", "-pthread"]);
    clang.arg("-funwind-tables").args(flags).args(before);
    clang.args(sources.iter().map(|name| source(name))).args(behind);
    tool(clang.arg("-o").arg(&path));
    Program { path, raw }
}

impl Program {
    pub(crate) fn c(source: &str) -> Program {
        build("clang-22", &[source], &[])
    }

    /// The program, ready to count into its directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).env("OPCOST_RAW", self.raw.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Runs it and reads the only file that it wrote.
    pub(crate) fn count(&self, arguments: &[&str]) -> (Output, RawFile) {
        let output = self.run(arguments);
        let mut files = self.files();
        assert_eq!(files.len(), 1, "{output:?}");
        (output, files.remove(0))
    }

    /// All files written so far, in the order in which their programs began.
    pub(crate) fn files(&self) -> Vec<RawFile> {
        let paths = fs::read_dir(self.raw.path()).expect("the directory is there");
        let paths = paths.map(|entry| entry.expect("an entry").path());
        let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "opcraw"));
        let read = |path: PathBuf| RawFile::parse(&fs::read(path).expect("a file")).expect("a valid file");
        let mut files: Vec<RawFile> = paths.map(read).collect();
        files.sort_by_key(|file| (file.process.program_start_ns, file.image.path.clone()));
        files
    }

    /// Frames left, by the name of the function that holds the call. Start-up
    /// code lies in the image too, and so does a static libc: neither has an
    /// entry in a table of call sites, so readers drop them, as is done here.
    pub(crate) fn left(&self, file: &RawFile) -> BTreeMap<String, i64> {
        let symbols = functions(&self.path);
        let mut left = BTreeMap::new();
        for frame in &file.left {
            let inside = file.image.address_in_file(frame.pc) - 1;
            let holder = symbols.iter().find(|(start, end, _)| (*start..*end).contains(&inside));
            let name = holder.map_or("unknown", |(_, _, name)| name);
            assert!(!name.starts_with("opc_"), "the runtime noted itself: {name}");
            if !name.starts_with('_') && !LIBC.contains(&name) {
                *left.entry(name.to_owned()).or_default() += frame.count;
            }
        }
        left
    }
}

/// Functions of a static libc without an underscore in front.
const LIBC: &[&str] = &["abort", "raise", "unknown"];

/// Start, end and name of each function of an image.
fn functions(image: &Path) -> Vec<(u64, u64, String)> {
    let listing = tool(Command::new("llvm-nm-22").args(["-S", "--defined-only"]).arg(image));
    let function = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [start, size, kind, name] = words[..] else { return None };
        let number = |text| u64::from_str_radix(text, 16).ok();
        let start = number(start)?;
        (kind.eq_ignore_ascii_case("t")).then_some((start, start + number(size)?, name.to_owned()))
    };
    listing.lines().filter_map(function).collect()
}

/// Expected left frames, written shortly.
pub(crate) fn frames(expected: &[(&str, i64)]) -> BTreeMap<String, i64> {
    expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

/// The counts of a file with one module.
pub(crate) fn counts(file: &RawFile) -> &[u64] {
    assert_eq!(file.modules.len(), 1);
    assert_eq!(file.modules[0].map_hash.0, 0x0107);
    &file.modules[0].counts
}
