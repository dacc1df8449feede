//! Does a process that does many jobs answer as one that does a single job, and what if one of them ends it?

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use opcost_answer::Failure;
use opcost_answer::bits::Assumptions;
use opcost_cache::choice::{Choice, choose};
use opcost_job::module::Product;
use opcost_job::program::{BitsJob, InputValues, LoopsJob, ProgramSource};
use opcost_job::{JobSession, Request};
use opcost_key::Placement;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

use crate::harness::corpus;

/// Programs that have loops, recursion, switches, memory and jumps.
const PROGRAMS: [&str; 6] =
    ["duff.c", "goto_computed.c", "jump_qsort.c", "recursion.c", "signal_storm.c", "switch_module.c"];

/// A module is read before the fork at its third job; two more take what was read.
const ROUNDS: usize = 5;

fn options() -> CompileOptions {
    // A reply from the cache would be no reply of a session.
    choose(Choice { is_off: true, size: None });
    CompileOptions::default()
}

fn inputs() -> Vec<Input> {
    let input = |name| Input { path: corpus().join(name), language: Language::C };
    PROGRAMS.map(input).to_vec()
}

fn loops(program: &ProgramSource) -> LoopsJob {
    LoopsJob { program: program.clone(), inputs: InputValues::default() }
}

fn bits(program: &ProgramSource) -> BitsJob {
    BitsJob {
        program: program.clone(),
        is_certified: false,
        assumptions: Assumptions::default(),
        contracts: Vec::new(),
    }
}

/// What a session answers, as text; one of its own if there is none.
fn answer<R: Request>(session: Option<&JobSession>, request: R, folder: &Path) -> String
where
    R::Answer: serde::Serialize,
{
    let file = folder.join("asked.job");
    let answer = match session {
        Some(session) => session.request(request, &file, "it"),
        None => opcost_job::run_job(request, &file, "it"),
    };
    serde_json::to_string(&answer.expect("an answer")).expect("plain data")
}

#[test]
fn the_tenth_question_is_answered_as_the_first() {
    let options = options();
    let folder = tempfile::tempdir().expect("a folder");
    let build = Build::new(&options, Purpose::Analysis).expect("a build");
    let sources = inputs().into_iter().map(|input| {
        let program = build.program_source(&[input], &ProgramOptions::default());
        program.expect("it compiles")
    });
    let sources: Vec<ProgramSource> = sources.collect();
    let ask = |session, program| {
        [answer(session, loops(program), folder.path()), answer(session, bits(program), folder.path())]
    };
    let alone: Vec<_> = sources.iter().map(|program| ask(None, program)).collect();
    let session = JobSession::default();
    for round in 0..ROUNDS {
        for (position, program) in sources.iter().enumerate() {
            assert_eq!(ask(Some(&session), program), alone[position], "{} in {round}", PROGRAMS[position]);
        }
    }
}

#[test]
fn the_fifth_object_is_the_first() {
    let options = options();
    let build = || Build::new(&options, Purpose::Count { placement: Placement::Chords }).expect("a build");
    let folder = tempfile::tempdir().expect("a folder");
    let made = |build: &Build, input: &Input| {
        let object = folder.path().join("made.o");
        build.module(input, Product::Object, &object).expect("it is built");
        let bytes = |path: &Path| fs::read(path).expect("it is there");
        (bytes(&object), bytes(&object.with_extension("opcmap")))
    };
    // The same bitcode each time, so that it is read once.
    let whole = Build::new(&options, Purpose::Analysis).expect("a build");
    let compiled = |input| {
        let program = whole.program_source(&[input], &ProgramOptions::default()).expect("it compiles");
        Input { path: program.bitcode[0].clone(), language: Language::Bitcode }
    };
    let inputs: Vec<Input> = inputs().into_iter().map(compiled).collect();
    let alone: Vec<_> = inputs.iter().map(|input| made(&build(), input)).collect();
    let together = build();
    for round in 0..ROUNDS {
        for (position, input) in inputs.iter().enumerate() {
            assert!(made(&together, input) == alone[position], "{} in {round}", PROGRAMS[position]);
        }
    }
}

/// A program of one loop.
fn counting_to(count: u32) -> String {
    format!(
        "define i32 @main() {{\nentry:\n  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  \
         %next = add i32 %i, 1\n  %ends = icmp eq i32 %next, {count}\n  br i1 %ends, label %out, label %loop\n\
         out:\n  ret i32 0\n}}\n"
    )
}

fn program_at(path: &Path) -> ProgramSource {
    ProgramSource {
        bitcode: vec![path.to_owned()],
        is_own: false,
        root: path.parent().expect("a folder").to_owned(),
        world: None,
        opens_names: None,
        flushes_subnormals: false,
        effects: None,
    }
}

#[test]
fn a_file_that_changed_is_read_again() {
    let _ = options();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.ll");
    let session = JobSession::default();
    for count in (300..340_u32).flat_map(|count| [count; 4]) {
        // Of one size and one time; the file itself is the same one, too.
        let file =
            fs::OpenOptions::new().create(true).write(true).truncate(false).open(&path).expect("a file");
        file.write_all_at(counting_to(count).as_bytes(), 0).expect("room");
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).expect("a time");
        let said = answer(Some(&session), loops(&program_at(&path)), folder.path());
        assert!(said.contains(&(count - 1).to_string()), "{count}: {said}");
    }
}

/// The process that reads a pipe, and its parent.
fn reader_of(pipe: &Path) -> (u32, u32) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(300) {
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for process in numbers.filter(|process| *process != std::process::id()) {
            let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else { continue };
            let mut targets = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
            if targets.any(|target| target == pipe) {
                let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
                let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
                return (process, parent.expect("a parent"));
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nobody reads {}", pipe.display())
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").arg(signal).arg(process.to_string()).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn a_job_that_ends_its_process_ends_no_other() {
    let _ = options();
    let folder = tempfile::tempdir().expect("a folder");
    let good = folder.path().join("good.ll");
    fs::write(&good, counting_to(77)).expect("room");
    // What reads it waits, since this test holds it open.
    let pipe: PathBuf = folder.path().canonicalize().expect("a folder").join("pipe.ll");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let _open = fs::OpenOptions::new().read(true).write(true).open(&pipe).expect("a pipe");
    let session = JobSession::default();
    let well = || assert!(answer(Some(&session), loops(&program_at(&good)), folder.path()).contains("76"));
    let ended_by = |whom: fn((u32, u32)) -> u32, signal| {
        std::thread::scope(|scope| {
            let ask =
                || session.request(loops(&program_at(&pipe)), &folder.path().join("ended.job"), "pipe.ll");
            let asked = scope.spawn(ask);
            let (copy, worker) = reader_of(&pipe);
            send(signal, whom((copy, worker)));
            match asked.join().expect("no panic") {
                Err(Failure::Module { module, message }) => (format!("{module}: {message}"), worker),
                Err(other) => panic!("{other}"),
                Ok(_) => panic!("an answer of nothing"),
            }
        })
    };
    well();
    let (words, first) = ended_by(|(copy, _)| copy, "-ABRT");
    assert!(words.starts_with("pipe.ll: LLVM gave up (signal 6)"), "{words}");
    well();
    let (words, second) = ended_by(|(_, worker)| worker, "-KILL");
    assert!(words.starts_with("pipe.ll: LLVM gave up (signal 9)"), "{words}");
    // The job ended, and not who did it; the other signal was for that one.
    assert_eq!(first, second);
    well();
}

#[test]
fn who_is_no_worker_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("no.job"), "{\"Nothing\": 1}").expect("room");
    let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
    command.arg(opcost_job::WORK).current_dir(folder.path());
    let mut process = command
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a start");
    std::io::Write::write_all(process.stdin.as_mut().expect("a pipe"), b"no.job\0").expect("it listens");
    let output = process.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("no.job is no job of opcost"), "{words}");
    assert!(output.stdout.is_empty());
}
