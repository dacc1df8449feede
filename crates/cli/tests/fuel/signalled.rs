//! Does a signal at any moment leave the number as it is?
//!
//! While a program computes, opcost has it look up what is left, by SIGURG (`told.h`). On a busy machine that
//! comes wherever the program is: in its own code, and in functions of the C library that have put
//! something else into the registers. Here it comes some thousand times. The referee is a run without.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use opcost_testkit::command::corpus;

use crate::bench::Bench;

/// Library functions that make frames and use registers which a caller expects to find again, in loops whose own
/// balance is in one.
const PROGRAM: &str = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    int main(void) {\n  volatile double from = 0.1;\n  char text[64], more[64];\n  unsigned sum = 0;\n\
    for (unsigned i = 0; i < 60000; i++) {\n    sum = sum * 31 + (unsigned)(sin(from * i) * 1000) + (unsigned)pow(i, from);\n\
    snprintf(text, sizeof text, \"%u.%u\", sum, i);\n    sum += (unsigned)strtod(text, 0) + (unsigned)strtol(text + 2, 0, 7);\n\
    memcpy(more, text, sizeof more);\n    for (unsigned j = 0; j < sum % 50; j++) sum ^= j * sum;\n  }\n\
    printf(\"%u\\n\", sum);\n}\n";

/// All that a process began, in the threads that began it.
fn below(pid: i32) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<i32> = lists
        .flat_map(|list| list.split_whitespace().map(|pid| pid.parse()).collect::<Vec<_>>())
        .flatten()
        .collect();
    children.iter().flat_map(|&pid| [vec![pid], below(pid)].concat()).collect()
}

/// What is spent, while signals come all the time; who has no handler for this one ignores it.
fn spent(command: &mut Command) -> (String, usize) {
    let mut opcost = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("opcost starts");
    let mut sent = 0;
    let status = loop {
        if let Some(status) = opcost.try_wait().expect("it is a child") {
            break status;
        }
        for pid in below(opcost.id().cast_signed()).into_iter().filter_map(Pid::from_raw) {
            sent += usize::from(kill_process(pid, Signal::URG).is_ok());
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    (status.to_string(), sent)
}

#[test]
fn signals_at_any_moment_leave_the_number() {
    let bench = Bench::new();
    bench.write("a.c", PROGRAM);
    let elementary = format!("{}/elementary.c", corpus("portable"));
    let portable = |machine| vec!["--portable", "--machine", machine, &elementary];
    let ways = [
        vec!["a.c"],
        vec!["-O0", "a.c"],
        portable("x86_64-linux"),
        portable("aarch64-linux"),
        portable("riscv64-linux"),
    ];
    for way in &ways {
        let words = [&["--stdout", "output"], &way[..]].concat();
        let wanted = bench.fuel(&words).json["spent"].clone();
        let mut all = 0;
        for _ in 0..4 {
            std::fs::remove_file(bench.path("answer.json")).expect("it is there");
            let (status, sent) =
                spent(&mut bench.command(&[&["fuel", "--json", "answer.json"], &words[..]].concat()));
            assert_eq!(
                (&bench.json("answer.json")["spent"], &*status),
                (&wanted, "exit status: 0"),
                "{way:?}"
            );
            all += sent;
        }
        assert!(all > 0, "{way:?}: no signal came");
    }
}
