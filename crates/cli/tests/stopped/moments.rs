//! Told to end at any moment, does opcost end, leave nothing, and report what had run?
//!
//! Each verb runs once to its end, which tells how long it takes; then it is told to end at moments
//! spread over that time, by SIGTERM, SIGINT and SIGHUP in turns. It must end soon, with no folder
//! and no process left. Where the program had begun, there must be a report.
//!
//! Limit: moments differ from run to run; no assertion depends on what was going on.

use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Place;

/// Says that it has begun, and works for a while.
const PROGRAM: &str = "#include <stdlib.h>\n#include <unistd.h>\n\
    static int table[64];\n\
    __attribute__((noinline)) static unsigned work(unsigned n) {\n\
    \x20   unsigned sum = 0;\n\
    \x20   for (unsigned i = 0; i < n; i++) { table[i & 63] += i; sum = sum * 31 + table[i * 7 & 63]; }\n\
    \x20   return sum;\n\
    }\n\
    int main(int argc, char **argv) {\n\
    \x20   write(1, \"begun\\n\", 6);\n\
    \x20   return work(argc > 1 ? atoi(argv[1]) : 60000000) == 7;\n\
    }\n";

const CHECK: &str = "[run.all]\ninputs = [\"a.c\"]\n";

/// Words of a run, and what stands in its report, if it runs a program.
struct Verb {
    words: &'static [&'static str],
    report: Option<&'static str>,
}

const fn verb(words: &'static [&'static str], report: Option<&'static str>) -> Verb {
    Verb { words, report }
}

const VERBS: &[Verb] = &[
    verb(&["count", "a.c"], Some("instructions")),
    verb(&["count", "--repeat", "3", "a.c"], Some("instructions")),
    verb(&["fuel", "a.c"], Some("instructions")),
    verb(&["fuel", "--limit", "100G", "--sandbox", "a.c"], None),
    verb(&["values", "--trip-counts", "-O1", "a.c"], Some("a.c:")),
    verb(&["sample", "a.c"], Some("instructions")),
    verb(&["check"], None),
    // What each value was is recorded: a hundred times the time.
    verb(&["bits", "--observe", "-O1", "a.c", "--", "400000"], None),
    verb(&["bits", "a.c"], None),
    verb(&["loops", "a.c"], None),
    verb(&["life", "a.c:6"], None),
    verb(&["explain", "a.c:6"], None),
    verb(&["cc", "-O2", "a.c", "-o", "a.out"], None),
];

const SIGNALS: [(i32, &str); 3] = [(15, "-TERM"), (2, "-INT"), (1, "-HUP")];

fn moments() -> u32 {
    std::env::var("OPCOST_MOMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

/// How long an opcost that was told to end may take: a program has five seconds.
const SOON: Duration = Duration::from_secs(60);

fn ended(mut child: Child, place: &Place) -> Output {
    let began = Instant::now();
    // Read meanwhile: a story of a life is longer than a pipe.
    let stdout = reader(child.stdout.take().expect("a pipe"));
    let stderr = reader(child.stderr.take().expect("a pipe"));
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        let pid = child.id();
        assert!(began.elapsed() < SOON, "{pid} does not end; {:?} still run", place.running());
        std::thread::sleep(Duration::from_millis(5));
    };
    Output { status, stdout: stdout.join().expect("read"), stderr: stderr.join().expect("read") }
}

fn reader(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe is read");
        bytes
    })
}

fn said(output: &Output) -> String {
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{}\n{stdout}\n{stderr}", output.status)
}

fn start(place: &Place, words: &[&str]) -> Child {
    let mut command = place.opcost(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("opcost starts")
}

#[test]
fn nothing_is_left_at_any_moment_of_any_verb() {
    for verb in VERBS {
        let place = Place::new(&[("a.c", PROGRAM), ("opcost.toml", CHECK)]);
        let began = Instant::now();
        let whole = ended(start(&place, verb.words), &place);
        let time = began.elapsed();
        assert_ne!(whole.status.code(), Some(2), "{:?}: {}", verb.words, said(&whole));
        assert_eq!(place.left(), Vec::<std::path::PathBuf>::new(), "{:?}", verb.words);
        for moment in 0..moments() {
            let (number, name) = SIGNALS[moment as usize % SIGNALS.len()];
            let child = start(&place, verb.words);
            std::thread::sleep(time * (2 * moment + 1) / (2 * moments()));
            let pid = child.id().to_string();
            // It may have ended already.
            let _ = Command::new("kill").args([name, &pid]).stderr(Stdio::null()).status();
            let output = ended(child, &place);
            let words = format!("{:?}, {name} at {moment} of {}: {}", verb.words, moments(), said(&output));
            assert!(!words.contains("panicked"), "{words}");
            assert_eq!(place.left(), Vec::<std::path::PathBuf>::new(), "{words}");
            assert_eq!(place.running(), Vec::<String>::new(), "{words}");
            use std::os::unix::process::ExitStatusExt as _;
            let has_begun = output.stdout.starts_with(b"begun") || output.stderr.starts_with(b"begun");
            match verb.report {
                Some(report) if has_begun && output.status.signal().is_none() => {
                    assert!(words.contains(report), "no report: {words}");
                }
                // A signal in the time of the report itself ends it.
                _ if output.status.signal().is_some() => {
                    assert_eq!(output.status.signal(), Some(number), "{words}")
                }
                _ => {}
            }
        }
    }
}

/// Counts a program that says `ready`, tells opcost to end then, and holds that nothing is left.
fn told_to_end(program: &str) -> (Output, String) {
    let place = Place::new(&[("program.c", program)]);
    let mut child = start(&place, &["count", "program.c"]);
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().expect("a pipe"), &mut ready).expect("it begins");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill starts").success());
    let output = ended(child, &place);
    let words = said(&output);
    assert_eq!((place.left().len(), place.running().len()), (0, 0), "{words}");
    (output, words)
}

#[test]
fn a_server_can_be_counted() {
    let server = "#include <unistd.h>\n#include <signal.h>\n#include <stdlib.h>\n\
        static volatile sig_atomic_t is_over;\n\
        static void over(int signal) { (void)signal; is_over = 1; }\n\
        static volatile unsigned sink;\n\
        int main(void) {\n\
        \x20   signal(SIGTERM, over);\n\
        \x20   for (int i = 0; i < 1000; i++) sink += i;\n\
        \x20   write(1, \"ready\\n\", 6);\n\
        \x20   while (!is_over) pause();\n\
        \x20   return 0;\n\
        }\n";
    let (output, words) = told_to_end(server);
    assert!(output.status.success() && words.contains("exact"), "{words}");
}

#[test]
fn who_does_not_listen_is_killed_and_reported() {
    let deaf = "#include <signal.h>\n#include <unistd.h>\n\
        static volatile unsigned sink;\n\
        int main(void) {\n\
        \x20   signal(SIGTERM, SIG_IGN);\n\
        \x20   write(1, \"ready\\n\", 6);\n\
        \x20   for (;;) sink++;\n\
        }\n";
    let (_, words) = told_to_end(deaf);
    assert!(words.contains("did not end when it was asked to") && words.contains("at least"), "{words}");
}
