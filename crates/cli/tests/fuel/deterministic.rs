//! Is a program's world the same every time, where that is asked for?
//!
//! `corpus/deterministic/probe.cpp` asks one source of difference after the other
//! and works as much as it was told. With the flag every run of it must print and
//! spend the same; without, no two circumstances may (a probe that never
//! differs would prove nothing). Lua with its own seed is the real case. What
//! waits, forks and kills itself must go on meaning what it meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use opcost_testkit::command::{ProgramOutput, copy_program, corpus};
use serde_json::Value;

use crate::bench::Bench;

/// Sources that differ from run to run, whatever the circumstances.
const BY_THEMSELVES: &[&str] = &[
    "stack",
    "heap",
    "mapped",
    "function",
    "library",
    "vdso",
    "random",
    "getrandom",
    "getentropy",
    "syscall-getrandom",
    "syscall-time",
    "urandom",
    "random-stream",
    "urandom-ifstream",
    "random-device",
    "random-device-file",
    "date",
    "gettimeofday",
    "monotonic",
    "chrono",
    "processor",
    "clock",
    "getrusage",
    "pid",
    "tid",
];

/// Sources that differ with folder, environment or parent, or later.
const BY_CIRCUMSTANCES: &[&str] = &["environment", "kernel-name", "name", "parent", "time", "times"];

/// Where and how a program is run.
struct Circumstances<'a> {
    bench: &'a Bench,
    opcost: PathBuf,
    folder: PathBuf,
    /// An environment with nothing else than the search path.
    environment: Option<Vec<(&'static str, String)>>,
    /// Bytes of stack, as a shell sets them.
    stack: Option<&'static str>,
}

impl<'a> Circumstances<'a> {
    fn here(bench: &'a Bench) -> Circumstances<'a> {
        Circumstances {
            bench,
            opcost: env!("CARGO_BIN_EXE_opcost").into(),
            folder: bench.path("."),
            environment: None,
            stack: None,
        }
    }

    /// Another copy of opcost, another folder, another environment, another limit.
    fn elsewhere(bench: &'a Bench) -> Circumstances<'a> {
        let folder = bench.path("another folder with a longer name");
        let opcost = folder.join("another-opcost");
        std::fs::create_dir_all(folder.join("temporary")).expect("a folder");
        if !opcost.exists() {
            let own = Path::new(env!("CARGO_BIN_EXE_opcost"));
            std::fs::hard_link(own, &opcost).unwrap_or_else(|_| copy_program(own, &opcost));
        }
        let temporary = bench.path("t");
        std::fs::create_dir_all(&temporary).expect("a folder");
        let environment = vec![
            ("TMPDIR", temporary.display().to_string()),
            ("XDG_CACHE_HOME", bench.path("another cache").display().to_string()),
            ("FILLING", "x".repeat(5000)),
            ("TZ", "Asia/Tokyo".into()),
        ];
        Circumstances { bench, opcost, folder, environment: Some(environment), stack: Some("unlimited") }
    }

    fn run(&self, arguments: &[&str]) -> ProgramOutput {
        let mut command = self.bench.program("sh");
        let limit = self.stack.map_or(String::new(), |stack| format!("ulimit -s {stack}; "));
        command.args(["-c", &format!("{limit}exec \"$0\" \"$@\"")]).arg(&self.opcost).args(arguments);
        if let Some(environment) = &self.environment {
            let path = std::env::var_os("PATH").expect("a search path");
            command.env_clear().env("PATH", path).envs(environment.iter().cloned());
        }
        ProgramOutput::of(command.current_dir(&self.folder))
    }

    /// The same program as it is called here.
    fn own(&self, program: &Path) -> PathBuf {
        let name = program.file_name().expect("a name").to_str().expect("UTF-8");
        let own = self.folder.join(if self.environment.is_some() {
            format!("copy of {name}")
        } else {
            name.to_owned()
        });
        if !own.exists() {
            copy_program(program, &own);
        }
        own
    }

    /// What a metered program printed and spent.
    fn spend(&self, flags: &[&str], program: &Path, arguments: &[&str]) -> (String, u64) {
        let json = self.folder.join("spent.json");
        let mut all = vec!["fuel", "--json", json.to_str().expect("UTF-8")];
        all.extend(flags);
        let own = self.own(program);
        all.extend([own.to_str().expect("UTF-8"), "--"]);
        all.extend(arguments);
        let output = self.run(&all);
        assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
        let document = document(&json);
        assert_eq!(document["deterministic"], flags.contains(&"--deterministic"), "{document}");
        (output.stdout, document["spent"].as_u64().expect("a number"))
    }
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a document")).expect("JSON")
}

fn source(name: &str) -> String {
    corpus(&format!("deterministic/{name}"))
}

fn probe(bench: &Bench) -> PathBuf {
    let program = bench.path("probe");
    let output = Circumstances::here(bench).run(&[
        "fuel",
        "--emit",
        "exe",
        "-o",
        program.to_str().expect("UTF-8"),
        "--cflag=-std=c++20",
        &source("probe.cpp"),
    ]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    program
}

#[test]
fn a_probe_of_every_source_agrees_with_the_flag_and_differs_without() {
    let bench = Bench::new();
    let program = probe(&bench);
    let places = [Circumstances::here(&bench), Circumstances::elsewhere(&bench)];
    let random = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").expect("/proc");
    assert_eq!(random.trim(), "2", "addresses must be random for this test to mean anything");
    for what in BY_THEMSELVES.iter().chain(BY_CIRCUMSTANCES) {
        let runs = |flags: &[&str], places: &[&Circumstances]| -> BTreeSet<(String, u64)> {
            places.iter().map(|place| place.spend(flags, &program, &[what])).collect()
        };
        let [here, there] = [&places[0], &places[1]];
        let fixed = runs(&["--deterministic"], &[here, there, here]);
        assert_eq!(fixed.len(), 1, "{what}: {fixed:?}");
        let changing = match BY_THEMSELVES.contains(what) {
            true => runs(&[], &[here, here, here, here]),
            false => {
                // Clocks of seconds and ticks take their time.
                let first = runs(&[], &[here, there]);
                std::thread::sleep(std::time::Duration::from_millis(1100));
                &first | &runs(&[], &[here])
            }
        };
        let (values, amounts): (BTreeSet<_>, BTreeSet<_>) = changing.into_iter().unzip();
        assert!(values.len() > 1 && amounts.len() > 1, "{what} never differs: {values:?} {amounts:?}");
    }
}

#[test]
fn variants_for_better_processors_are_not_used() {
    let bench = Bench::new();
    let program = probe(&bench);
    let here = Circumstances::here(&bench);
    let fixed = here.spend(&["--deterministic"], &program, &["variant"]);
    let free = here.spend(&[], &program, &["variant"]);
    let has_better = std::fs::read_to_string("/proc/cpuinfo").expect("/proc").contains(" avx2 ");
    assert_eq!(fixed != free, has_better, "{fixed:?} {free:?}");
}

#[test]
fn lua_with_its_own_seed_has_one_number() {
    let list = std::env::var_os("OPCOST_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from);
    let text = std::fs::read_to_string(list.join("corpus.json"))
        .expect("cargo xtask corpus writes the list of programs, and OPCOST_CORPUS names its folder");
    let corpus: Value = serde_json::from_str(&text).expect("JSON");
    let all = corpus["programs"].as_array().expect("programs");
    let lua = all.iter().find(|program| program["name"] == "lua-seeded").expect("lua-seeded");
    let words = |field: &str| -> Vec<&str> {
        lua[field].as_array().expect("a list").iter().map(|word| word.as_str().expect("a word")).collect()
    };
    let flags: Vec<String> = words("flags").iter().map(|flag| format!("--cflag={flag}")).collect();
    let script = words("small");
    let bench = Bench::new();
    let here = Circumstances::here(&bench);
    let there = Circumstances::elsewhere(&bench);
    for verb in ["fuel", "count"] {
        let program = bench.path(verb);
        let mut build = vec![verb, "--emit", "exe", "-o", program.to_str().expect("UTF-8")];
        build.extend(flags.iter().map(String::as_str));
        build.extend(words("sources"));
        build.extend(words("libraries"));
        let output = here.run(&build);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let run = |place: &Circumstances, flags: &[&str]| -> u64 {
            let json = place.folder.join("lua.json");
            let path = json.to_str().expect("UTF-8");
            let mut all = vec![verb, "--json", path, "--stdout", "/dev/null"];
            all.extend(flags);
            let own = place.own(&program);
            all.extend([own.to_str().expect("UTF-8"), "--"]);
            all.extend(&script);
            let output = place.run(&all);
            assert_eq!(output.status, 0, "{}", output.stderr);
            let document = document(&json);
            assert_eq!(document["deterministic"], !flags.is_empty(), "{document}");
            document[if verb == "fuel" { "spent" } else { "total" }].as_u64().expect("a number")
        };
        let fixed: BTreeSet<u64> =
            [&here, &there, &here, &there, &here].map(|place| run(place, &["--deterministic"])).into();
        assert_eq!(fixed.len(), 1, "{verb}: {fixed:?}");
        assert!(*fixed.first().expect("one") > 10_000_000, "{fixed:?}");
        let free: BTreeSet<u64> = [(); 5].map(|()| run(&here, &[])).into();
        assert!(free.len() > 1, "{verb}: Lua never differs: {free:?}");
    }
}

#[test]
fn who_asks_for_nothing_sees_no_difference() {
    let bench = Bench::new();
    let kernel = corpus("kernel/kn.c");
    let program = bench.path("kernel");
    let here = Circumstances::here(&bench);
    let words = ["fuel", "--emit", "exe", "-o", program.to_str().expect("UTF-8"), &*kernel];
    here.run(&words).expect(0);
    let free = here.spend(&[], &program, &["2"]);
    assert!(!free.0.is_empty());
    assert_eq!(free, here.spend(&["--deterministic"], &program, &["2"]));
    // A limit stops it there too, at the same place.
    let stopped = |flags: &[&str]| {
        let mut all = vec!["fuel", "--limit", "100k"];
        all.extend(flags);
        all.extend([program.to_str().expect("UTF-8"), "--", "2"]);
        let output = here.run(&all);
        assert_eq!(output.status, 3, "{}", output.stderr);
        output.stderr.replace(" · deterministic world", "")
    };
    assert_eq!(stopped(&[]), stopped(&["--deterministic"]));
}

/// `waits.cpp`, built already, counted: its document and what it printed.
fn waits(bench: &Bench, flags: &[&str], arguments: &[&str]) -> (Value, String) {
    let mut all = vec!["count", "--json", "waits.json", "--ignore-status"];
    all.extend(flags);
    all.extend(["./waits", "--"]);
    all.extend(arguments);
    let output = Circumstances::here(bench).run(&all);
    assert_eq!(output.status, 0, "{}", output.stderr);
    (document(&bench.path("waits.json")), output.stdout)
}

#[test]
fn waiting_takes_no_time_and_keeps_its_meaning() {
    let bench = Bench::new();
    let flags = ["count", "--threads", "--cflag=-std=c++20", "--cflag=-pthread", "--emit", "exe"];
    bench.opcost(&[&flags[..], &["-o", "waits", &source("waits.cpp")]].concat()).expect(0);
    let begin = std::time::Instant::now();
    let (counts, printed) = waits(&bench, &["--deterministic", "--repeat", "2"], &[]);
    // It slept for four months and a half by its own clock.
    assert!(begin.elapsed().as_secs() < 300);
    let once = "\
sleep: 0, 5000000 ms
nanosleep: 0, 3500 ms
sleep_until: 0, 4000000 ms
usleep: 0, 900 ms
select: 0, 70000 ms
poll: 0, 80000 ms
processor: 1, 1000000 ms
condition, steady: 0, 50 ms
condition, date: 0, 60 ms
semaphore: -1, 1000 ms
another thread: 1, 0 ms
random: 1
child: 1, status 7
";
    assert_eq!(printed, once.repeat(2));
    // The runtime knows its own process by the kernel's number, so it sees the abort.
    assert_eq!(counts["program_status"]["signal"], 6, "{counts:#}");
    assert_eq!(counts["quality"]["kind"], "exact", "{counts:#}");
    assert_eq!(counts["processes"], 2);
    let (counts, printed) = waits(&bench, &["--deterministic"], &["signal"]);
    assert_eq!(printed, once);
    assert_eq!(counts["program_status"]["signal"], 15, "a signal to oneself arrives: {counts:#}");
}

#[test]
fn maps_of_rust_have_one_order() {
    let bench = Bench::new();
    let here = Circumstances::here(&bench);
    bench.write(
        "maps.rs",
        "fn main() {
             let map: std::collections::HashMap<u64, u64> = (0..2000).map(|at| (at, at)).collect();
             let mixed = map.keys().fold(0u64, |sum, key| sum.wrapping_mul(31) + key);
             if std::env::args().count() > 1 { std::thread::sleep(std::time::Duration::from_secs(100_000)); }
             println!(\"{mixed} {:?}\", std::time::SystemTime::now());
         }\n",
    );
    let output = here.run(&["count", "--emit", "exe", "-o", "maps", "maps.rs"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let run = |flags: &[&str]| {
        let output = here.run(&[&["count", "--json", "maps.json", "./maps"], flags].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        (output.stdout, document(&bench.path("maps.json"))["total"].as_u64().expect("a number"))
    };
    let fixed: BTreeSet<_> = [(); 4].map(|()| run(&["--deterministic", "--", "sleeping"])).into();
    assert_eq!(fixed.len(), 1, "{fixed:?}");
    let free: BTreeSet<_> = [(); 4].map(|()| run(&[]).1).into();
    assert!(free.len() > 1, "Rust's maps never differ: {free:?}");
}

#[test]
fn counted_libraries_begin_to_count_once() {
    let bench = Bench::new();
    let here = Circumstances::here(&bench);
    bench.write("lib.c", "int begun;\n__attribute__((constructor)) static void begin(void) { begun++; }\n");
    bench.write("main.c", "extern int begun;\nint main(void) { return begun - 1; }\n");
    let origin = format!("--cflag=-Wl,-rpath,{}", bench.path(".").display());
    for words in [
        &["count", "--emit", "shared", "-o", "libbegin.so", "lib.c"][..],
        &["count", "--emit", "exe", "-o", "main", "main.c", "-L", ".", "-l", "begin", &origin],
    ] {
        let output = here.run(words);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
    let count = |flags: &[&str]| {
        let output = here.run(&[&["count", "--json", "main.json", "./main"], flags].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let document = document(&bench.path("main.json"));
        (document["total"].as_u64(), document["quality"].clone(), document["processes"].clone())
    };
    let fixed = count(&["--deterministic"]);
    assert_eq!(fixed.1["kind"], "exact", "{fixed:?}");
    assert_eq!(fixed, count(&[]));
}

#[test]
fn what_cannot_be_held_is_refused() {
    let bench = Bench::new();
    let here = Circumstances::here(&bench);
    bench.write("a.c", "int main(void) { return 0; }\n");
    let refused = |words: &[&str], status: i32, why: &str| {
        let output = here.run(words);
        assert_eq!(output.status, status, "{words:?}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{words:?}: {}", output.stderr);
    };
    for verb in ["fuel", "count"] {
        refused(&[verb, "--deterministic", "--cflag=-static", "a.c"], 2, "is linked statically");
        refused(&[verb, "--deterministic", "--emit", "exe", "-o", "a", "a.c"], 2, "cannot be used with");
    }
    refused(&["fuel", "--deterministic", "--sandbox", "a.c"], 2, "cannot be used with");
    let blank = bench.path("a blank");
    std::fs::create_dir(&blank).expect("a folder");
    let small = bench.shell("ulimit -s 4096; exec \"$OPCOST\" fuel --deterministic a.c");
    assert_eq!(small.status, 1, "{}", small.stderr);
    for why in ["does not let a program have a stack of 8 MiB", "did not come into the deterministic world"] {
        assert!(small.stderr.contains(why), "{}", small.stderr);
    }
    let environment = Some(vec![("TMPDIR", blank.display().to_string())]);
    let output = Circumstances { environment, ..here }.run(&["fuel", "--deterministic", "a.c"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("let TMPDIR lead to another one"), "{}", output.stderr);
}
