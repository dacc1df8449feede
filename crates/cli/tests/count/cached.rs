//! Is what comes from the cache what would be made now, and is it taken at all?

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use opcost_testkit::command::ProgramOutput;
use serde_json::Value;

use crate::harness::{Bench, corpus};

/// A bench with a cache of its own.
struct Scene {
    bench: Bench,
    cache: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let bench = Bench::new();
        let cache = bench.path("cache");
        Scene { bench, cache }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bench.command(words);
        command.env("OPCOST_CACHE", &self.cache);
        command
    }

    fn document(&self, words: &[&str]) -> Value {
        ProgramOutput::of(&mut self.command(words)).expect(0).json()
    }

    fn total(&self, source: &str) -> u64 {
        let document = self.document(&["count", "--json", "-", "--stdout", "/dev/null", source]);
        document["total"].as_u64().expect("a total")
    }

    fn entries(&self) -> u64 {
        self.document(&["cache", "--json"])["entries"].as_u64().expect("a number")
    }

    fn write(&self, name: &str, text: &str) {
        self.bench.write(name, text);
        // What was written just now may change while it is read, and is not kept.
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Every answer, from an empty cache, from a full one, and without.
#[test]
fn answers_are_those_without_the_cache() {
    let scene = Scene::new();
    let [recursion, cleanups] = ["recursion.c", "throw_cleanups.cpp"].map(|name| corpus().join(name));
    scene.write("steps.f90", "module steps\n  integer, parameter :: many = 9\nend module\n");
    scene.write(
        "main.f90",
        "program main\n  use steps\n  integer :: i, sum\n  sum = 0\n  do i = 1, many\n    sum = sum + i*i\n  end do\n\
         print *, sum\nend program\n",
    );
    let [recursion, cleanups] = [&recursion, &cleanups].map(|path| path.to_str().expect("UTF-8"));
    for sources in [&[recursion][..], &[cleanups], &["steps.f90", "main.f90"]] {
        for words in [
            &["count", "--stdout", "/dev/null", "--json", "-"][..],
            &["count", "--anchor", "source", "--stdout", "/dev/null", "--json", "-"],
            &["count", "--paths", "-O0", "--stdout", "/dev/null", "--json", "-"],
            &["fuel", "--stdout", "/dev/null", "--json", "-"],
            &["loops", "--json", "-"],
            &["predict", "--json", "-"],
            &["slice", "--json", "-"],
            &["bits", "--json", "-"],
        ] {
            let words = &[words, sources].concat()[..];
            let without = ProgramOutput::of(scene.command(words).env("OPCOST_CACHE", "off"));
            let before = scene.entries();
            let first = ProgramOutput::of(&mut scene.command(words));
            let made = scene.entries();
            let second = ProgramOutput::of(&mut scene.command(words));
            for said in [&first, &second] {
                assert_eq!(said.status, without.status, "{words:?}: {}", said.stderr);
                assert_eq!(without_times(&said.stdout), without_times(&without.stdout), "{words:?}");
            }
            assert!(made > before || words[0] != "count" || without.status != 0, "{words:?} keeps something");
            assert_eq!(scene.entries(), made, "{words:?}: all is there the second time");
        }
    }
}

/// A document but for what the run itself took.
fn without_times(text: &str) -> Value {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return Value::from(text) };
    if let Some(all) = document.as_object_mut() {
        all.retain(|name, _| !name.contains("seconds") && !name.contains("time") && name != "run");
    }
    document
}

#[test]
fn a_change_is_never_missed() {
    let scene = Scene::new();
    let loops =
        "#include \"n.h\"\nint main(void) { volatile int x = 0; for (int i = 0; i < N; i++) x = i; }\n";
    scene.write("n.h", "#define N 100\n");
    scene.write("a.c", loops);
    let first = scene.total("a.c");
    assert_eq!(scene.total("a.c"), first);
    scene.write("n.h", "#define N 200\n");
    let larger = scene.total("a.c");
    assert!(larger > first + 100, "{first} {larger}: the header says 200 iterations");
    scene.write("n.h", "#define N 100\n");
    assert_eq!(scene.total("a.c"), first);
    scene.write("a.c", &loops.replace("x = i;", "x = i, x = i;"));
    assert!(scene.total("a.c") > first, "the source stores twice");
}

#[test]
fn damaged_entries_are_made_again() {
    let scene = Scene::new();
    let source = corpus().join("recursion.c");
    let source = source.to_str().expect("UTF-8");
    let total = scene.total(source);
    let kept = scene.entries();
    assert!(kept >= 3, "{kept}");
    let folder = scene.document(&["cache", "--json"])["folder"].as_str().expect("a folder").to_owned();
    let entries = || std::fs::read_dir(&folder).expect("entries").map(|entry| entry.expect("one").path());
    for entry in entries() {
        let mut bytes = std::fs::read(&entry).expect("an entry");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&entry, bytes).expect("written");
    }
    assert_eq!(scene.total(source), total);
    for entry in entries() {
        std::fs::write(entry, "half").expect("written");
    }
    assert_eq!(scene.total(source), total);
    assert_eq!(scene.entries(), kept);
    let said = ProgramOutput::of(&mut scene.command(&["cache", "clear"])).expect(0);
    assert!(said.stdout.starts_with(&format!("removed {kept} entries")), "{}", said.stdout);
    assert_eq!(scene.entries(), 0);
    assert_eq!(scene.total(source), total);
}

#[test]
fn who_wants_no_cache_has_none() {
    let scene = Scene::new();
    scene.write("a.c", "int main(void) { return 0; }\n");
    for words in [&["count", "--no-cache", "a.c"][..], &["count", "--cache-size", "0", "a.c"]] {
        ProgramOutput::of(&mut scene.command(words)).expect(0);
        assert!(!scene.cache.exists(), "{words:?}");
    }
    let said = ProgramOutput::of(scene.command(&["cache"]).env("OPCOST_CACHE", "off")).expect(0);
    assert!(said.stdout.contains("the cache is off"), "{}", said.stdout);
    let said = ProgramOutput::of(&mut scene.command(&["count", "--cache-size", "much", "a.c"])).expect(2);
    assert!(said.stderr.contains("is no size; write 500M"), "{}", said.stderr);
    // A small one holds what fits.
    ProgramOutput::of(&mut scene.command(&["count", "--cache-size", "60k", "a.c"])).expect(0);
    let bytes = scene.document(&["cache", "--json"])["bytes"].as_u64().expect("a number");
    assert!(bytes <= 60_000, "{bytes}");
}

#[test]
fn many_at_once_share_it() {
    let scene = Scene::new();
    let source = corpus().join("recursion.c");
    let source = source.to_str().expect("UTF-8");
    let wanted = ProgramOutput::of(
        scene.command(&["count", "--json", "-", "--stdout", "/dev/null", source]).env("OPCOST_CACHE", "off"),
    );
    let wanted = wanted.expect(0).json()["total"].as_u64().expect("a total");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(scene.total(source), wanted));
        }
    });
    assert_eq!(scene.total(source), wanted);
}

/// The assembler reads a file that no compiler names.
#[test]
fn what_assembly_reads_is_read_each_time() {
    let scene = Scene::new();
    let text = r#"
extern const char blob[];
PLACE
int main(void) { int n = 0; for (const char *p = blob; *p; p++) n += *p == 'x'; return n == 1000; }
"#;
    let lines = r#".section .rodata\n.globl blob\nblob: .incbin \"data.bin\"\n.byte 0\n.previous"#;
    let outside = text.replace("PLACE", &format!("__asm__(\"{lines}\");"));
    let inside = format!("__attribute__((noinline)) void place(void) {{ __asm__ volatile(\"{lines}\"); }}");
    let inside = text.replace("PLACE", &inside);
    for source in [outside, inside] {
        scene.write("data.bin", "xxaxx");
        scene.write("blob.c", &source);
        let short = scene.total("blob.c");
        assert_eq!(scene.total("blob.c"), short);
        scene.write("data.bin", "xxaxxxxxxxx");
        assert!(scene.total("blob.c") > short, "{source}");
    }
}

/// A whole build: objects, rules for `make` and warnings are as they were, and a header that changed is seen.
#[test]
fn a_whole_build_is_taken_from_the_cache() {
    let scene = Scene::new();
    scene.write("main.c", "#include <stdio.h>\n#include \"part.h\"\nint main(void) {\n  int unused;\n  return part(3) + PART;\n}\n");
    scene.write("part.c", "#include \"part.h\"\nint part(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s - 9; }\n");
    scene.write("part.h", "#define PART 0\nint part(int n);\n");
    let build = |rules: &[&str], cache: &str| {
        let mut made = Vec::new();
        for name in ["main", "part"] {
            let (source, object, rule) = (format!("{name}.c"), format!("{name}.o"), format!("{name}.d"));
            let mut words = vec!["cc", "-O2", "-Wall", "-c", "-o", &object, &source];
            words.extend(rules);
            for file in [&object, &rule] {
                let _ = std::fs::remove_file(scene.bench.path(file));
            }
            let mut command = scene.command(&words);
            if cache == "off" {
                command.env("OPCOST_CACHE", "off");
            }
            let said = ProgramOutput::of(&mut command).expect(0).stderr;
            let read = |file: &str| std::fs::read(scene.bench.path(file)).ok();
            made.push((read(&object), read(&rule), said));
        }
        made
    };
    for rules in [&[][..], &["-MD"], &["-MMD", "-MP"], &["-MD", "-MF", "other.d"]] {
        let without = build(rules, "off");
        assert!(without[0].2.contains("unused variable"), "{}", without[0].2);
        assert_eq!(build(rules, ""), without, "{rules:?}, an empty cache");
        let entries = scene.entries();
        assert_eq!(build(rules, ""), without, "{rules:?}, a full cache");
        assert_eq!(scene.entries(), entries, "{rules:?}");
    }
    let before = build(&["-MMD"], "");
    scene.write("part.h", "#define PART 1\nint part(int n);\n");
    let after = build(&["-MMD"], "");
    assert_eq!(after, build(&["-MMD"], "off"));
    assert_ne!(before[0].0, after[0].0, "its header says another number");
    // A rule that goes nowhere names no header.
    let nowhere = ["-MD", "-MF", "/dev/null"];
    let before = build(&nowhere, "");
    scene.write("part.h", "#define PART 2\nint part(int n);\n");
    assert_ne!(build(&nowhere, "")[0].0, before[0].0, "its header says another number");
    // A header in a folder that is searched earlier.
    std::fs::create_dir(scene.bench.path("early")).expect("a folder");
    let early = ["-Iearly", "-I."];
    scene.write("main.c", "#include <part.h>\nint main(void) { return PART; }\n");
    let before = build(&early, "");
    assert_eq!(build(&early, ""), before);
    scene.write("early/part.h", "#define PART 7\nint part(int n);\n");
    assert_ne!(build(&early, "")[0].0, before[0].0, "it comes first");
}

/// Counters are put where little ran, by the run before, if the program did so much that building it again pays.
#[test]
fn a_program_that_ran_long_is_built_again_once() {
    let scene = Scene::new();
    for (name, iterations, is_long) in [("short.c", "1000", false), ("long.c", "30000000", true)] {
        scene.write(
            name,
            &format!(
                "static volatile unsigned sink;\nint main(void) {{\n  for (unsigned i = 0; i < {iterations}; i++)\n    \
                 if (i % 7 == 3) sink += i; else sink ^= i;\n  return 0;\n}}\n"
            ),
        );
        let first = scene.total(name);
        let made = scene.entries();
        assert_eq!(scene.total(name), first, "{name}");
        assert_eq!(scene.entries() > made, is_long, "{name} is built again");
        let made = scene.entries();
        assert_eq!(scene.total(name), first, "{name}");
        assert_eq!(scene.entries(), made, "{name} is built once more at most");
    }
}
