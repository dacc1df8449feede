//! Has a program one number on every machine?
//!
//! The programs of `corpus/portable`, each of which a machine would take another
//! way without `--portable`, are built for four machines and run: Linux on x86-64
//! here, on ARM and RISC-V in qemu, Windows in wine. A program says at its top:
//!
//! ```text
//! Input: TEXT              what it reads
//! System: the same output  as when clang alone builds it
//! Ends: VERDICT            if it does not finish
//! ```
//!
//! `corpus/portable/rejected` holds what is not portable, with the words of the
//! objection: `Rejected: FUNCTION[:LINE]: REASON` (`any` function).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use opcost_testkit::command::{ProgramOutput, corpus};

use crate::bench::{Answer, Bench};

pub(crate) const MACHINES: [&str; 4] = ["x86_64-linux", "aarch64-linux", "riscv64-linux", "x86_64-windows"];

pub(crate) fn folder() -> PathBuf {
    corpus("portable").into()
}

pub(crate) fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    programs.sort();
    programs
}

/// What the top of a program says behind `word`.
fn said_of(program: &Path, word: &str) -> Option<String> {
    let text = std::fs::read_to_string(program).expect("a source");
    let lines = text.lines().filter_map(|line| line.strip_prefix("// ").or(line.strip_prefix("; ")));
    let mut found = lines.filter_map(|line| line.strip_prefix(word)?.strip_prefix(": ").map(str::to_owned));
    found.next().map(|text| text.replace("\\n", "\n"))
}

/// A bench with the program's input; its answer on one machine.
pub(crate) struct Case {
    pub(crate) bench: Bench,
    program: PathBuf,
    pub(crate) name: String,
}

impl Case {
    pub(crate) fn new(program: &Path) -> Case {
        let bench = Bench::new();
        bench.write("input", said_of(program, "Input").unwrap_or_default());
        // Where it lies must not matter.
        let name = bench.copy(program);
        Case { bench, program: program.to_owned(), name }
    }

    pub(crate) fn run(&self, machine: &str, flags: &[&str]) -> Answer {
        if machine.ends_with("windows") {
            ready_wine();
        }
        let mut all = vec!["--portable", "--machine", machine, "--stdin", "input", "--stdout", "output"];
        all.extend(flags);
        all.push(&self.name);
        self.bench.fuel(&all)
    }

    fn output(&self) -> Vec<u8> {
        std::fs::read(self.bench.path("output")).unwrap_or_default()
    }
}

/// Flags by which clang writes down what it read.
pub(crate) const LIST: [&str; 3] = ["--cflag=-MD", "--cflag=-MF", "--cflag=headers"];

/// What a program of this folder did on the machine at hand.
pub(crate) struct Here {
    pub(crate) answer: Answer,
    pub(crate) output: Vec<u8>,
    /// What clang read, as a rule of make.
    pub(crate) headers: String,
}

/// The same, built and run once for all tests that ask.
pub(crate) fn here(program: &Path) -> &'static Here {
    static SEEN: Mutex<BTreeMap<PathBuf, &'static OnceLock<Here>>> = Mutex::new(BTreeMap::new());
    let seen: &'static OnceLock<Here> = {
        let mut all = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        // It lives as long as the tests do.
        all.entry(program.to_owned()).or_insert_with(|| Box::leak(Box::default()))
    };
    seen.get_or_init(|| {
        let case = Case::new(program);
        let answer = case.run(MACHINES[0], &LIST);
        Here { answer, output: case.output(), headers: case.bench.read("headers") }
    })
}

/// What it spent there.
fn spent_here(program: &Path) -> u64 {
    outcome(&here(program).answer).0
}

/// Wine makes its folder once, and not for two at a time.
fn ready_wine() {
    static READY: std::sync::Once = std::sync::Once::new();
    READY.call_once(|| {
        let mut wine = Bench::new().program("wine");
        let ready = wine.args(["cmd", "/c", "exit"]).env("WINEDEBUG", "-all").current_dir("/").output();
        let ready = ready.expect("wine is installed by ./x");
        assert!(ready.status.success(), "{}", String::from_utf8_lossy(&ready.stderr));
    });
}

/// Spent, code, verdict and status: what must not differ.
pub(crate) fn outcome(answer: &Answer) -> (u64, String, String, i32) {
    let text =
        |value: &serde_json::Value| value.as_str().unwrap_or_else(|| panic!("{}", answer.said())).to_owned();
    (
        answer.json["spent"].as_u64().unwrap_or_else(|| panic!("{}", answer.said())),
        text(&answer.json["portable"]["code"]),
        text(&answer.json["verdict"]),
        answer.status,
    )
}

#[test]
fn every_machine_gives_one_number_and_one_output() {
    let programs = programs(&folder());
    assert!(programs.len() >= 17, "{programs:?}");
    for program in programs {
        let case = Case::new(&program);
        let ends =
            said_of(&program, "Ends").map(|text| text.split('.').next().unwrap_or_default().to_owned());
        let flags: &[&str] =
            if ends.as_deref() == Some("used-up") { &["--limit", "300k"] } else { &["--audit"] };
        let first = case.run(MACHINES[0], flags);
        let (wanted, output) = (outcome(&first), case.output());
        assert_eq!(wanted.2, ends.unwrap_or("finished".to_owned()), "{}: {}", case.name, first.said());
        for machine in &MACHINES[1..] {
            let other = case.run(machine, flags);
            assert_eq!(outcome(&other), wanted, "{} on {machine}: {}", case.name, other.said());
            assert_eq!(case.output(), output, "{} on {machine}", case.name);
            assert_eq!(other.json["stopped"], first.json["stopped"], "{} on {machine}", case.name);
        }
    }
}

/// A real program, as its users build it without assembly and intrinsics.
#[test]
fn zstd_has_one_number() {
    let sources = Path::new(&std::env::var("OPCOST_CORPUS").expect("OPCOST_CORPUS, which ./x test sets"))
        .join("zstd-sys/zstd/lib")
        .canonicalize()
        .expect("zstd in the corpus");
    let driver = folder().join("../zstd/driver.c").canonicalize().expect("its driver");
    let mut inputs = vec![driver];
    for part in ["common", "compress", "decompress"] {
        let files = std::fs::read_dir(sources.join(part)).expect("a folder of zstd");
        let files = files.map(|entry| entry.expect("an entry").path());
        inputs.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "c")));
    }
    inputs.sort();
    let include = format!("-I{}", sources.display());
    let mut outcomes = Vec::new();
    for machine in ["x86_64-linux", "aarch64-linux", "x86_64-windows"] {
        ready_wine();
        let bench = Bench::new();
        let mut arguments = vec!["--portable", "--machine", machine, &include, "--stdout", "output"];
        arguments.extend(["-DZSTD_DISABLE_ASM", "-DZSTD_NO_INTRINSICS", "--cflag=-U__x86_64__"]);
        arguments.extend(inputs.iter().map(|path| path.to_str().expect("UTF-8")));
        arguments.extend(["--", "1", "3", "1"]);
        let answer = bench.fuel(&arguments);
        outcomes.push((outcome(&answer), bench.bytes("output")));
    }
    // README names this number.
    assert_eq!((outcomes[0].0.0, &*outcomes[0].0.2), (85_009_582, "finished"));
    assert!(outcomes.iter().all(|other| *other == outcomes[0]), "{outcomes:?}");
}

/// The library's answers are those of the system's library.
#[test]
fn the_output_is_that_of_the_system() {
    let mut compared = 0;
    for program in programs(&folder()).iter().filter(|program| said_of(program, "System").is_some()) {
        let case = Case::new(program);
        let Here { answer, output, .. } = here(program);
        let is_cxx = program.extension().is_some_and(|extension| extension == "cpp");
        let compiler = if is_cxx { "clang++-22" } else { "clang-22" };
        let source = program.to_str().expect("UTF-8");
        let flags = ["-O1", "-ffp-contract=off", "-w", source, "-o", "native", "-lm"];
        case.bench.tool(compiler, &flags);
        let input = std::fs::File::open(case.bench.path("input")).expect("the input");
        let run = ProgramOutput::of(case.bench.program(case.bench.path("native")).stdin(input));
        let text = &run.stdout;
        assert_eq!(&String::from_utf8_lossy(output), text, "{}: {}", case.name, answer.said());
        assert_eq!(
            answer.json["program_status"]["exit"].as_i64(),
            run.signal.is_none().then_some(i64::from(run.status))
        );
        compared += 1;
    }
    assert!(compared >= 10);
}

/// What is spent is what `opcost count` counts of the same anchor, at two levels.
#[test]
fn spent_is_what_is_counted() {
    let world = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/c/portable/world.c");
    for name in ["bot.cpp", "containers.cpp", "streams.c", "streams_text.cpp", "nan.c", "elementary.c"] {
        let case = Case::new(&folder().join(name));
        case.bench.tool("clang-22", &["-O2", "-c", world.to_str().expect("UTF-8"), "-o", "world.o"]);
        for flags in [&[] as &[&str], &["-O0", "--anchor", "source"]] {
            let spent = match flags {
                [] => spent_here(&case.program),
                flags => outcome(&case.run(MACHINES[0], flags)).0,
            };
            let program = case.program.to_str().expect("UTF-8");
            let emit = ["--portable", "--emit", "anchor", "-o", "anchor.bc"];
            case.bench.build(&[&emit, flags, &[program]].concat());
            let counted = count(&case);
            assert!(counted.contains(&spent), "{name} {flags:?}: {spent} is not in {counted:?}");
        }
    }
}

/// The total, up to what may have run in addition: nobody knows whether a return after a jump came, if
/// frames were left. It is paid for with the jump.
fn count(case: &Case) -> std::ops::RangeInclusive<u64> {
    let fixed = ["count", "--cost", "fuel/1", "--stdin", "input", "--stdout", "output"];
    case.bench.opcost(&[&fixed[..], &["--json", "counts.json", "anchor.bc", "world.o"]].concat());
    let (total, counts) = (case.bench.total(), case.bench.json("counts.json"));
    let reasons = counts["quality"]["reasons"].as_array().expect("reasons").iter();
    let more = reasons.filter_map(|reason| {
        let (_, rest) = reason.as_str()?.split_once("at most ")?;
        rest.split_once(" more instructions")?.0.parse::<u64>().ok()
    });
    total..=total + more.sum::<u64>()
}

#[test]
fn the_limit_is_met_to_the_instruction_everywhere() {
    let case = Case::new(&folder().join("bot.cpp"));
    let spent = spent_here(&case.program);
    ready_wine();
    for machine in MACHINES {
        let (enough, short) = (spent.to_string(), (spent - 1).to_string());
        case.bench.build(&["--portable", "--machine", machine, "--emit", "exe", "-o", "built", &case.name]);
        for (limit, verdict) in [(&enough, "finished"), (&short, "used-up")] {
            let fixed = ["--stdin", "input", "--stdout", "output", "--limit", limit, "./built"];
            assert_eq!(case.bench.fuel(&fixed).json["verdict"], verdict, "{machine}");
        }
    }
}

#[test]
fn what_is_not_portable_is_rejected_with_its_place() {
    let rejected = programs(&folder().join("rejected"));
    assert!(rejected.len() >= 11);
    for program in rejected {
        let case = Case::new(&program);
        let wanted = said_of(&program, "Rejected").unwrap_or_else(|| panic!("{} expects nothing", case.name));
        let answer = case.run(MACHINES[0], &[]);
        assert_eq!((answer.status, &answer.json["verdict"]), (3, &"rejected".into()), "{}", answer.said());
        let objections = answer.json["objections"].as_array().expect("objections");
        let (place, reason) = wanted.split_once(": ").expect("a place and a reason");
        let (function, line) = place.split_once(':').unwrap_or((place, ""));
        let meant = |objection: &serde_json::Value| {
            objection["reason"].as_str().is_some_and(|text| text.contains(reason))
                && objection["function"].as_str().is_none_or(|text| text == function || function == "any")
                && (line.is_empty() || objection["line"].as_u64() == line.parse().ok())
        };
        assert!(objections.iter().any(meant), "no objection '{wanted}': {}", answer.said());
    }
}

/// What the optimiser makes of two comparisons of addresses must not be what saves the number.
#[test]
fn addresses_do_not_show_in_code_that_is_not_optimised() {
    for name in ["strings.cpp", "streams_text.cpp"] {
        let case = Case::new(&folder().join(name));
        let flags = ["-O0", "--anchor", "source"];
        let wanted = outcome(&case.run(MACHINES[0], &flags));
        for machine in &MACHINES[1..] {
            assert_eq!(outcome(&case.run(machine, &flags)), wanted, "{name} on {machine}");
        }
    }
}

/// A program that was built earlier runs by its file alone, wherever it belongs.
#[test]
fn a_built_program_finds_its_emulator() {
    let case = Case::new(&folder().join("sorting.c"));
    let spent = spent_here(&case.program);
    for machine in MACHINES {
        let emit = ["--portable", "--machine", machine, "--emit", "exe", "-o", "built", "sorting.c"];
        case.bench.build(&emit);
        ready_wine();
        let answer = case.bench.fuel(&["--stdout", "output", "./built"]);
        assert_eq!(answer.json["spent"].as_u64(), Some(spent), "{machine}: {}", answer.said());
    }
}

#[test]
fn what_cannot_be_built_is_said() {
    let bench = Bench::new();
    bench.write("a.c", "int f(void) { return 0; }\n");
    let answer = bench.fuel(&["--portable", "a.c"]);
    assert!(answer.status == 1 && answer.stderr.contains("it has no main"), "{}", answer.said());
    bench.write("a.f90", "end\n");
    let answer = bench.fuel(&["--portable", "a.f90"]);
    assert!(answer.status == 2 && answer.stderr.contains("C, C++ and bitcode"), "{}", answer.said());
    let answer = bench.fuel(&["--machine", "aarch64-linux", "a.c"]);
    assert!(answer.status == 2 && answer.stderr.contains("--portable"), "{}", answer.said());
}
