//! Is what another tool recorded told of the program that is named, and of nothing else?
//!
//! Files of samples are written by the test, so that what is right is known to the sample:
//! of a whole machine, of another build. How programs are laid out in memory is tried with
//! linkers' options, on what runs here.

use std::fs;

use object::{Object, ObjectSegment, ObjectSymbol, SegmentFlags};
use opcost_testkit::perf_data::{USER, file, mapping, record, task, words};

use super::sampled::{Place, fine, function, kept, opcost};

/// The code that a case of a linker's layout was found with.
const BURN: &str = "
static volatile unsigned long sink;
__attribute__((noinline)) static unsigned long burn(unsigned long n) {
  unsigned long s = 1;
  for (unsigned long i = 0; i < n; i++) { s = s * 6364136223846793005ul + i; if (s >> 63) s ^= 0x55; }
  return s;
}
int main(void) { sink += burn(60000000); return 0; }
";

/// Address, task, time.
const FIELDS: u64 = 1 | 1 << 1 | 1 << 2;
/// Where programs lie.
const BASE: u64 = 0x5555_5555_0000;

fn built(place: &Place, name: &str, text: &str, flags: &[&str]) -> String {
    let (source, program) = (place.write(&format!("{name}.c"), text), place.file(name));
    fine(&[&["sample", "--emit", "exe", "-o", &program], flags, &[&place.at(&source)]].concat());
    program
}

/// A program, and another one that differs in a number.
fn two_builds(place: &Place) -> [String; 2] {
    let other = BURN.replace("793005ul", "793007ul");
    [("program", BURN), ("other", &other)].map(|(name, text)| built(place, name, text, &[]))
}

/// A process that maps a program and is sampled so often in `burn`, from a time on.
fn run(program: &str, pid: u32, samples: u64, time: u64) -> Vec<u8> {
    let bytes = fs::read(program).expect("the program");
    let image = object::File::parse(&*bytes).expect("a program");
    let is_code = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & 1 != 0);
    let code = image.segments().find(|segment| is_code(segment.flags())).expect("code");
    let (offset, length) = code.file_range();
    let within = code.address() % 4096;
    let start = BASE + code.address() - within;
    let burn = image.symbols().find(|symbol| symbol.name() == Ok("burn")).expect("a symbol");
    // Not its first instruction: that is run once.
    let at = |sample: u64| BASE + burn.address() + burn.size() / 2 + sample % 2;
    let mut records = mapping(pid, start, (within + length).next_multiple_of(4096), offset - within, program);
    for sample in 0..samples {
        records.extend(record(9, USER, &words(&[at(sample), task(pid), time + sample])));
    }
    records
}

#[test]
fn of_a_whole_machine_the_program_alone_is_told() {
    let place = Place::new();
    let ([program, other], perf) = (two_builds(&place), place.file("perf.data"));
    let alone = run(&program, 7, 300, 10);
    fs::write(&perf, file(&[(0, &[])], FIELDS, &alone)).expect("a file");
    let right = fine(&["sample", "--json", "-", "--perf", &perf, &program]).json();
    let idle = record(9, USER, &words(&[4096, task(0), 500]));
    let all = [run(&other, 8, 500, 10), alone, run(&other, 9, 50, 100), idle].concat();
    fs::write(&perf, file(&[(0, &[])], FIELDS, &all)).expect("a file");
    let said = fine(&["sample", "--json", "-", "--perf", &perf, &program]);
    let told = said.json();
    let works = |document: &serde_json::Value| function(document, "burn")["instructions"].clone();
    assert_eq!((works(&told), &told["total"]), (works(&right), &right["total"]), "{told:#}");
    assert!(
        said.stderr.contains("300 samples of cpu-clock, 100.0 % of them in the program"),
        "{}",
        said.stderr
    );
    let left = "left out: 551 more samples of 3 processes that ran other programs";
    assert!(said.stderr.contains(left) && told["quality"].to_string().contains(left), "{}", said.stderr);
    // The other one's share is its own.
    let said = fine(&["sample", "--perf", &perf, &other]);
    assert!(
        said.stderr.contains("550 samples of") && said.stderr.contains("left out: 301"),
        "{}",
        said.stderr
    );
}

#[test]
fn samples_of_another_build_are_refused() {
    let place = Place::new();
    let ([program, other], perf) = (two_builds(&place), place.file("perf.data"));
    fs::write(&perf, file(&[(0, &[])], FIELDS, &run(&program, 7, 300, 10))).expect("a file");
    let refused = opcost(&["sample", "--perf", &perf, &other]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    for part in ["perf.data: the samples are of another build", &program, &other, "perf record -o"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    // A copy is the same build, wherever it lies.
    let copy = place.file("copy");
    fs::copy(&program, &copy).expect("a copy");
    fine(&["sample", "--perf", &perf, &copy]);
    // Without build-ids the very file is known, and nothing else.
    let bare = built(&place, "bare", BURN, &["--cflag=-Wl,--build-id=none"]);
    fs::write(&perf, file(&[(0, &[])], FIELDS, &run(&bare, 7, 300, 10))).expect("a file");
    let said = opcost(&["sample", "--perf", &perf, &bare]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let copy = place.file("bare-copy");
    fs::copy(&bare, &copy).expect("a copy");
    let refused = opcost(&["sample", "--perf", &perf, &copy]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
}

#[test]
fn programs_are_sampled_however_they_are_laid_out() {
    let place = Place::new();
    if !kept(&built(&place, "usual", BURN, &[]), &place.file("perf.data")) {
        return;
    }
    for flags in [
        &["--cflag=-Wl,-z,noseparate-code"][..],
        &["--cflag=-Wl,-z,noseparate-code", "--cflag=-no-pie"],
        &["--cflag=-Wl,-z,noseparate-code", "--cflag=-static"],
        &["--cflag=-Wl,-z,noseparate-code", "--cflag=-Wl,-z,max-page-size=0x200000"],
        &["--cflag=-static-pie"],
        &["--cflag=-Wl,-z,noseparate-code,-Ttext-segment=0x10000", "--cflag=-no-pie"],
    ] {
        let program = built(&place, "program", BURN, flags);
        let told = fine(&["sample", "--json", "-", &program]).json();
        let burn = function(&told, "burn")["instructions"].as_u64().expect("a number");
        assert!(burn > 10_000_000, "{flags:?}: {told:#}");
        let samples: u64 = told["samples_by_process"].as_array().map_or(0, |all| all.len() as u64);
        assert!(samples <= 1, "{flags:?}: {told:#}");
    }
}

#[test]
fn a_rate_that_no_machine_takes_is_lowered_and_told() {
    let place = Place::new();
    let program = built(&place, "program", BURN, &[]);
    let asked = u64::from(u32::MAX);
    let said = fine(&["sample", "--json", "-", "--rate", &asked.to_string(), &program]);
    let words = "4,294,967,295 samples a second were asked for and ";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert!(said.json()["quality"]["reasons"].to_string().contains(words), "{}", said.stdout);
    let most = fs::read_to_string("/proc/sys/kernel/perf_event_max_sample_rate");
    let is_kernels = kept(&program, &place.file("perf.data"));
    if let (true, Some(most)) = (is_kernels, most.ok().and_then(|text| text.trim().parse::<u64>().ok())) {
        // The limit itself is granted, if the kernel has not lowered it meanwhile.
        let told = fine(&["sample", "--rate", &most.min(1000).to_string(), &program]).stderr;
        assert!(!told.contains("were asked for"), "{told}");
    }
}
