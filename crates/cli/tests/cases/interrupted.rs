//! Who ends a run gets no verdict on the program, and a program ends with opcost.
//!
//! `spin.c` never ends. opcost is asked to end by each signal that asks for it, in each mode of
//! `fuel`, once the program computes; then opcost is killed, and the program must be gone.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use opcost_testkit::command::Workplace;
use serde_json::Value;

use super::{cases, opcost};

const SOON: Duration = Duration::from_secs(120);

/// A child of this process with one of these names that has computed for a while.
fn computes(parent: u32) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").expect("there is one").flatten();
    let mut numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some((head, tail)) = stat.rsplit_once(')') else { return false };
        let words: Vec<&str> = tail.split_whitespace().collect();
        let is_program = ["(spin", "(made", "(exe", "(program"].iter().any(|name| head.ends_with(name));
        is_program && words[1] == parent.to_string() && words[11].parse::<u32>().is_ok_and(|ticks| ticks > 20)
    })
}

/// Starts opcost, and waits until the program computes.
pub(super) fn begun(place: &Workplace, line: &str) -> (Child, u32) {
    // Who runs the tests may ignore signals (nohup, a shell's background jobs), and programs inherit that.
    let mut command = place.program("env");
    command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_opcost")]).args(line.split(' '));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("opcost starts");
    let until = Instant::now() + SOON;
    let program = loop {
        match computes(child.id()) {
            None if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
            found => break found,
        }
    };
    let Some(program) = program else {
        child.kill().and_then(|()| child.wait()).expect("it ends");
        panic!("{line}: no program computes");
    };
    (child, program)
}

pub(super) fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().expect("kill starts").success());
}

/// A folder with the metered program `spin`.
fn spinning() -> Workplace {
    let place = cases();
    opcost(&place, "fuel --emit exe -o spin spin.c").expect(0);
    place
}

const MODES: [&str; 4] = [
    "fuel --json said.json spin",
    "fuel --limit 1000G --json said.json spin",
    "fuel --deterministic --json said.json spin",
    "fuel --sandbox --seconds 600 --json said.json spin.c",
];

fn interrupted(place: &Workplace, line: &str, signal: &str, number: i32) -> Value {
    let (mut child, _) = begun(place, line);
    send(signal, child.id());
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(number), "{line} {signal}: {status}");
    let said = place.json("said.json");
    assert_eq!((&said["verdict"], &said["at_least"]), (&"interrupted".into(), &true.into()), "{said:#}");
    said
}

#[test]
fn who_ends_a_run_gets_no_verdict_on_the_program() {
    let place = spinning();
    for (signal, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        for mode in MODES {
            let said = interrupted(&place, mode, signal, number);
            assert!(said["spent"].as_u64() > Some(1_000_000), "{mode} {signal}: {said:#}");
        }
    }
}

/// A signal that somebody sends to the program alone is its end, and no interruption of the run.
#[test]
fn a_program_that_a_signal_ends_has_crashed() {
    let place = spinning();
    let (mut child, program) = begun(&place, "fuel --json said.json spin");
    send("-TERM", program);
    assert_eq!(child.wait().expect("it ends").code(), Some(4));
    assert_eq!(place.json("said.json")["verdict"], "crashed");
}

#[test]
fn a_program_ends_when_opcost_is_killed() {
    let place = spinning();
    let sources = place.read("spin.c");
    for line in MODES.into_iter().chain(["count spin.c"]) {
        place.write("made.c", &sources);
        let line = if line == "count spin.c" {
            opcost(&place, "count --emit exe -o made made.c").expect(0);
            "count made"
        } else {
            line
        };
        let (mut child, program) = begun(&place, line);
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let until = Instant::now() + SOON;
        let goes_on = || {
            let stat = std::fs::read_to_string(format!("/proc/{program}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, tail)| !tail.trim_start().starts_with(['Z', 'X']))
        };
        while goes_on() {
            assert!(Instant::now() < until, "{line}: process {program} goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
