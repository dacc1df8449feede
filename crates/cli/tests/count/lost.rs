//! Nothing is lost: what is left, and what is said, when something goes wrong
//! while a program is sampled?
//!
//! opcost or the program is killed, the disk is full, samples find no room,
//! files break off, programs are stripped or are another build, the kernel
//! grants nothing or has no such counter. Each has its message and its status,
//! and what there is stays usable.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use opcost_testkit::command::ProgramOutput;

use super::sampled::{Place, fine, function, kept, opcost};

/// Works for as many rounds as it is told, a tenth of a millisecond to a whole one each.
const WORK: &str = r#"
#include <stdio.h>
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) static unsigned hot(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++)
    x = x * 1664525u + 1013904223u;
  return x;
}
__attribute__((noinline)) static void outer(unsigned n) {
  sink += hot(n);
  sink += 1;
}
int main(int argc, char **argv) {
  for (int i = 0, rounds = argc > 1 ? atoi(argv[1]) : 500; i < rounds; i++)
    outer(1000000);
  if (argc > 2)
    fclose(fopen(argv[2], "w"));
  return 0;
}
"#;

/// Refuses `perf_event_open` to what it starts; the sampler's own tests start it too.
const FILTER: &str = include_str!("../../../sample/tests/refuse_events.c");

fn built(place: &Place) -> String {
    let (source, program) = (place.source(WORK), place.file("program"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    program
}

/// opcost where the shell has set something up before.
fn behind(setting: &str, arguments: &[&str]) -> ProgramOutput {
    let script = format!("{setting}; exec \"$0\" \"$@\"");
    let mut command = Place::new().program("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_opcost")]).args(arguments);
    ProgramOutput::of(command.current_dir("/"))
}

fn wait_for(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(120), "it takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_opcost_leaves_its_program_and_its_samples() {
    let place = Place::new();
    let (program, samples, mark) = (built(&place), place.file("perf.data"), place.file("mark"));
    if !kept(&program, &samples) {
        return;
    }
    std::fs::remove_file(&samples).expect("it was written");
    let mut killed = place
        .command(&["sample", "--keep", &samples, &program, "--", "10000", &mark])
        .stderr(Stdio::null())
        .spawn()
        .expect("opcost starts");
    wait_for(|| std::fs::metadata(&samples).is_ok_and(|about| about.len() > 30_000));
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    wait_for(|| Path::new(&mark).exists());
    let told = opcost(&["sample", "--json", "-", "--perf", &samples, &program]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert!(told.stderr.contains("breaks off; what comes before is reported"), "{}", told.stderr);
    assert!(function(&told.json(), "hot")["instructions"].as_u64().expect("a number") > 1000);
}

#[test]
fn a_full_disk_loses_neither_the_run_nor_the_report() {
    let place = Place::new();
    let (program, samples, ledger) = (built(&place), place.file("perf.data"), place.file("run.opc"));
    if !kept(&program, &samples) {
        return;
    }
    let full = opcost(&["sample", "--keep", "/dev/full", &program]);
    assert_eq!(full.status, 1, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write /dev/full: No space left"), "{}", full.stderr);
    // A disk that becomes full on the way: files may have half a kilobyte.
    let full = behind("ulimit -f 1; trap '' XFSZ", &["sample", "--keep", &samples, &program]);
    assert_eq!(full.status, 0, "{}", full.stderr);
    assert!(full.stderr.contains("not all samples were kept: "), "{}", full.stderr);
    assert!(full.stderr.contains("hot"), "{}", full.stderr);
    let full = behind("ulimit -f 1; trap '' XFSZ", &["sample", "--ledger", &ledger, &program]);
    assert_eq!(full.status, 1, "{}", full.stderr);
    assert!(full.stderr.contains("run.opc") && full.stderr.contains("hot"), "{}", full.stderr);
    assert!(!Path::new(&ledger).exists(), "no half of a ledger");
}

#[test]
fn samples_without_room_are_counted() {
    let place = Place::new();
    let (program, samples) = (built(&place), place.file("perf.data"));
    if !kept(&program, &samples) {
        return;
    }
    // A record of a loss, as the kernel writes it: an event, how many, thread and time.
    let mut bytes = std::fs::read(&samples).expect("samples");
    let mut record = [2_u32.to_le_bytes(), (40_u32 << 16).to_le_bytes()].concat();
    for word in [0_u64, 7777, 0, u64::MAX >> 1] {
        record.extend(word.to_le_bytes());
    }
    let length = u64::from_le_bytes(bytes[48..56].try_into().expect("8 bytes")) + record.len() as u64;
    bytes[48..56].copy_from_slice(&length.to_le_bytes());
    bytes.extend(record);
    std::fs::write(&samples, bytes).expect("a file");
    let told = fine(&["sample", "--perf", &samples, &program]);
    assert!(told.stderr.contains("lost: 7,777 samples found no room"), "{}", told.stderr);
}

#[test]
fn a_ring_that_nobody_empties_runs_over_and_is_told() {
    let place = Place::new();
    let (program, ledger) = (built(&place), place.file("over.opc"));
    if !kept(&program, &place.file("perf.data")) {
        return;
    }
    let mut command =
        place.command(&["sample", "--rate", "20000", "--ledger", &ledger, &program, "--", "100000"]);
    let sampling = command.stderr(Stdio::piped()).spawn().expect("opcost starts");
    let kill = |signal: &str, pid: &str| {
        place.tool("kill", &[signal, pid]);
    };
    let opcost = sampling.id().to_string();
    let children = format!("/proc/{opcost}/task/{opcost}/children");
    let first = || Some(std::fs::read_to_string(&children).ok()?.split_whitespace().next()?.to_owned());
    let hundredths = |pid: &str| -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let rest = stat.rsplit_once(") ")?.1;
        rest.split_whitespace().nth(11)?.parse().ok()
    };
    wait_for(|| first().and_then(|pid| hundredths(&pid)).is_some_and(|time| time > 20));
    let pid = first().expect("the program runs");
    // opcost sleeps while the program works for six seconds more.
    kill("-STOP", &opcost);
    let before = hundredths(&pid).expect("it runs");
    wait_for(|| hundredths(&pid).is_none_or(|time| time > before + 600));
    kill("-KILL", &pid);
    kill("-CONT", &opcost);
    let output = ProgramOutput::from(sampling.wait_with_output().expect("it ends"));
    assert_eq!(output.status, 4, "{}", output.stderr);
    assert!(output.stderr.contains("lost: ") && output.stderr.contains("found no room"), "{}", output.stderr);
    let agreement = fine(&["overlap", "--json", "-", &ledger, &ledger]).json();
    assert_eq!(agreement["residual"], 0.0, "{agreement:#}");
}

#[test]
fn a_stripped_program_is_said_to_be_stripped_and_its_build_is_found() {
    let place = Place::new();
    let (program, stripped) = (built(&place), place.file("stripped"));
    for options in [&["--strip-all"][..], &["--strip-debug"]] {
        place.tool("llvm-strip-22", &[options, &["-o", &stripped, &program]].concat());
        let refused = opcost(&["sample", &stripped]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        let words = &refused.stderr;
        assert!(words.contains("was stripped") && words.contains("--image FILE"), "{words}");
        // What was shipped needs no tables; they are found by the build's name.
        let told = fine(&["sample", "--json", "-", "--image", &program, &stripped]).json();
        assert!(function(&told, "hot")["instructions"].as_u64().expect("a number") > 1000);
    }
    let counted = place.file("counted");
    fine(&["count", "--emit", "exe", "-o", &counted, &place.file("hot.c")]);
    let refused = opcost(&["sample", &counted]);
    assert!(refused.stderr.contains("it was built to be counted"), "{}", refused.stderr);
}

/// An image of another build stands in for nothing: it is told by name, with both build-ids, and is not ignored.
#[test]
fn an_image_of_another_build_is_told_by_name() {
    let place = Place::new();
    let (program, stripped) = (built(&place), place.file("stripped"));
    place.tool("llvm-strip-22", &["--strip-all", "-o", &stripped, &program]);
    let (source, other) = (place.source(&WORK.replace("1664525u", "1664527u")), place.file("other"));
    fine(&["sample", "--emit", "exe", "-o", &other, &source]);
    let ids = |path: &str| {
        let text = place.tool("llvm-readelf-22", &["-n", path]).stdout;
        let id = text.lines().find_map(|line| line.trim().strip_prefix("Build ID: ").map(str::to_owned));
        id.expect("a build-id")
    };
    let is_told = |said: &ProgramOutput| {
        assert_eq!(said.status, 2, "{}", said.stderr);
        for part in ["other is another build than what ran", &ids(&other), &ids(&program)] {
            assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
        }
    };
    // Nothing else could tell of a program that was stripped.
    let refused = opcost(&["sample", "--image", &other, &stripped]);
    is_told(&refused);
    assert!(!refused.stderr.contains("samples of"), "it did not run: {}", refused.stderr);
    // What can be read by itself is reported, and the image is told all the same.
    let ledger = place.file("kept.opc");
    let said = opcost(&["sample", "--json", "-", "--ledger", &ledger, "--image", &other, &program]);
    is_told(&said);
    assert!(function(&said.json(), "hot")["instructions"].as_u64().expect("a number") > 1000);
    assert!(Path::new(&ledger).exists());
    // The right one among several is used, and the wrong one is told.
    is_told(&opcost(&["sample", "--image", &other, "--image", &program, &stripped]));
    fine(&["sample", "--image", &program, &stripped]);
    let missing = opcost(&["sample", "--image", &place.file("no such"), &program]);
    assert_eq!(missing.status, 1, "{}", missing.stderr);
    let text = opcost(&["sample", "--image", &source, &program]);
    assert_eq!(text.status, 2, "{}", text.stderr);
    assert!(text.stderr.contains("it has no build-id"), "{}", text.stderr);
}

#[test]
fn a_program_that_lies_elsewhere_by_now_is_found_and_another_build_is_not() {
    let place = Place::new();
    let (program, samples) = (built(&place), place.file("perf.data"));
    if !kept(&program, &samples) {
        return;
    }
    let elsewhere = place.file("moved");
    std::fs::rename(&program, &elsewhere).expect("it is there");
    let told = fine(&["sample", "--json", "-", "--perf", &samples, &elsewhere]).json();
    assert!(function(&told, "hot")["instructions"].as_u64().expect("a number") > 1000);
    // Another build, now at the place of the one that ran, is refused also with another name.
    let other = place.source(&WORK.replace("1664525u", "1664527u"));
    fine(&["sample", "--emit", "exe", "-o", &program, &other]);
    let refused = opcost(&["sample", "--perf", &samples, &program]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("the samples are of another build"), "{}", refused.stderr);
    let told = fine(&["sample", "--perf", &samples, "--image", &elsewhere, &program]);
    assert!(told.stderr.contains("hot"), "{}", told.stderr);
}

#[test]
fn without_permission_a_timer_samples_and_tells_its_rate() {
    let place = Place::new();
    let (program, filter, ledger) = (built(&place), place.file("filter"), place.file("timer.opc"));
    place.write("filter.c", FILTER);
    place.tool("clang-22", &["filter.c", "-o", &filter]);
    let inside = |arguments: &[&str]| {
        ProgramOutput::of(place.program(&filter).arg(env!("CARGO_BIN_EXE_opcost")).args(arguments))
    };
    let told = inside(&["sample", "--ledger", &ledger, "--json", "-", &program, "--", "1500"]);
    if told.status == 77 {
        eprintln!("not tested: this machine has no filters of system calls");
        return;
    }
    let words = &told.stderr;
    assert_eq!(told.status, 0, "{words}");
    for part in
        ["does not let us sample", "perf_event_paranoid is", "going on with a timer", "samples of timer at "]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(function(&told.json(), "hot")["instructions"].as_u64().expect("a number") > 1000);
    let agreement = fine(&["overlap", "--json", "-", &ledger, &ledger]).json();
    assert_eq!(agreement["residual"], 0.0, "{agreement:#}");
    // Nothing stands in for samples that are to be kept, or for running processes.
    for line in [&["sample", "--keep", "/dev/null", &program][..], &["sample", "--pid", "1"]] {
        let refused = inside(line);
        assert_eq!(refused.status, 1, "{}", refused.stderr);
        assert!(refused.stderr.contains("does not let us sample"), "{}", refused.stderr);
    }
}

#[test]
fn a_counter_that_is_not_there_and_an_overhead_that_is_asked_for() {
    let place = Place::new();
    let (program, samples) = (built(&place), place.file("perf.data"));
    if !kept(&program, &samples) {
        return;
    }
    let asked = opcost(&["sample", "--event", "cache-misses", &program]);
    if asked.status != 0 {
        assert_eq!(asked.status, 1, "{}", asked.stderr);
        let words = &asked.stderr;
        assert!(
            words.contains("no counter `cache-misses`") && words.contains("cpu-clock is there"),
            "{words}"
        );
    }
    // Faults are no time: told is where they happen, and no ledger is made of them.
    let told = fine(&["sample", "--event", "page-faults", "--rate", "20000", &program]);
    assert!(told.stderr.contains("samples of page-faults, by the functions"), "{}", told.stderr);
    let refused = opcost(&["sample", "--event", "page-faults", "--json", "-", &program]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("not how often code runs"), "{}", refused.stderr);
    let told = fine(&["sample", "--overhead", "2%", &program]);
    let words = &told.stderr;
    let rate = words.split(" samples of cpu-clock at ").nth(1).and_then(|rest| rest.split(' ').next());
    let rate: f64 = rate.and_then(|rate| rate.parse().ok()).unwrap_or_else(|| panic!("{words}"));
    assert!((10.0..100_000.0).contains(&rate), "{words}");
    let refused = opcost(&["sample", "--overhead", "0.0001%", &program]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("the fewest that are of use"), "{}", refused.stderr);
}

#[test]
fn stacks_say_who_called() {
    let place = Place::new();
    let (source, lines) = (place.source(WORK), place.file("stacks.txt"));
    if !kept(&built(&place), &place.file("perf.data")) {
        return;
    }
    let told = fine(&["sample", "--json", "-", "--collapsed", &lines, &source]);
    let document = told.json();
    super::sampled::fits("count", &document);
    let stacks = document["stacks"].as_array().expect("stacks");
    let samples = |stack: &serde_json::Value| stack["samples"].as_u64().expect("a number");
    let all: u64 = stacks.iter().map(samples).sum();
    let is_whole = |stack: &&serde_json::Value| {
        let frames: Vec<&str> =
            stack["frames"].as_array().expect("frames").iter().filter_map(|frame| frame.as_str()).collect();
        frames.ends_with(&["main", "outer", "hot"])
    };
    let whole: u64 = stacks.iter().filter(is_whole).map(samples).sum();
    assert!(all > 100 && whole * 10 > all * 8, "{whole} of {all}: {stacks:#?}");
    let text = std::fs::read_to_string(&lines).expect("stacks in lines");
    let of_line =
        |line: &str| -> u64 { line.rsplit_once(' ').expect("a number").1.parse().expect("a number") };
    assert_eq!(text.lines().map(of_line).sum::<u64>(), all);
    assert!(text.lines().any(|line| line.contains("main;outer;hot ")), "{text}");
    assert!(told.stderr.contains("calls, by "), "{}", told.stderr);
    // Who does not ask has none.
    let plain = fine(&["sample", "--json", "-", &source]).json();
    assert!(plain.get("stacks").is_none());
}
