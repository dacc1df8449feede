//! Programs that end in the middle: what was recorded is there, and partial
//! activations are told from complete ones.

use super::{Place, histogram, the_loop};

/// The loop of line 5 is left in each of the ways that a program knows.
fn program(how: &str) -> String {
    format!(
        "#include \"all.h\"
volatile int sink; jmp_buf back;
static void work(int n);
static void work(int n) {{
  for (int i = 0; i < n; i++) {{
    sink = i;
    if (i == 4 && n == 100) {{ {how} }}
  }}
}}
int main(void) {{
  work(10);
  work(3);
  if (!setjmp(back)) work(100);
  work(2);
  return 0;
}}
"
    )
}

const HEADERS: &str = "#include <pthread.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n";

fn run(how: &str, flags: &[&str]) -> (serde_json::Value, i32) {
    let place = Place::new();
    place.write("all.h", HEADERS);
    let source = place.write("p.c", program(how));
    place.values(&[&["--trip-counts", "-O0"], flags, &[&source]].concat())
}

#[test]
fn a_longjmp_leaves_a_partial_activation() {
    let (document, status) = run("longjmp(back, 1);", &[]);
    let one = the_loop(&document, 5);
    assert_eq!(status, 0);
    assert_eq!(histogram(one), [(2, 1), (3, 1), (10, 1)]);
    assert_eq!(
        (one["activations"].as_u64(), one["complete"].as_u64(), one["partial"].as_u64()),
        (Some(4), Some(3), Some(1))
    );
    assert_eq!((one["partial_max"].as_u64(), one["back_edges"].as_u64()), (Some(4), Some(19)));
}

#[test]
fn an_exit_in_the_middle_leaves_it_open() {
    for how in ["exit(0);", "_exit(0);"] {
        let (document, status) = run(how, &[]);
        let one = the_loop(&document, 5);
        assert_eq!(status, 0, "{how}");
        assert_eq!(histogram(one), [(3, 1), (10, 1)], "{how}");
        assert_eq!((one["open"].as_u64(), one["partial_max"].as_u64()), (Some(1), Some(4)), "{how}");
    }
}

#[test]
fn nothing_is_lost_when_it_is_killed() {
    for (how, signal) in [("raise(SIGKILL);", 9), ("abort();", 6), ("*(volatile int *)0 = 1;", 11)] {
        let (document, status) = run(how, &[]);
        let one = the_loop(&document, 5);
        assert_eq!(status, 4, "{how}");
        assert_eq!(histogram(one), [(3, 1), (10, 1)], "{how}");
        assert_eq!((one["open"].as_u64(), one["partial_max"].as_u64()), (Some(1), Some(4)), "{how}");
        let ending = document["ending"].as_str().expect("an ending");
        assert!(ending.contains(&format!("signal {signal}")), "{ending}");
    }
}

/// A claim holds for what is known of an activation that never ended; a lie does not.
#[test]
fn open_activations_are_held_against_claims_too() {
    let place = Place::new();
    let source = place.write(
        "k.c",
        "#include <signal.h>\nvolatile int sink;\nint main(void) {\n  for (int i = 0; i != 1000; i++) {\n    sink = i;\n    if (i == 500) raise(SIGKILL);\n  }\n}\n",
    );
    let (document, _) = place.values(&["--verify", "-O1", "--ignore-status", &source]);
    let one = the_loop(&document, 4);
    assert_eq!((one["open"].as_u64(), one["complete"].as_u64()), (Some(1), Some(0)), "{document:#}");
    assert_eq!(one["claim"]["verdict"], "held", "{document:#}");
    let (document, status) = place.values(&["--verify", "--lie", "-O1", "--ignore-status", &source]);
    let claim = &the_loop(&document, 4)["claim"];
    // A bound of -1 is a lie that shows; a count that is too high is none for a partial one.
    if claim["kind"] == "bound" {
        assert_eq!((status, claim["verdict"].as_str()), (3, Some("wrong")), "{document:#}");
    }
}

#[test]
fn a_child_of_fork_records_its_own_work_only() {
    let (document, status) = run(
        "int status; pid_t child = fork(); if (child == 0) { work(7); } else { waitpid(child, &status, 0); }",
        &[],
    );
    assert_eq!(status, 0);
    let one = the_loop(&document, 5);
    assert_eq!(document["processes"], 2);
    // The parent's four, and the child's 7 and 2; the child goes on with the one of 100.
    assert_eq!(histogram(one), [(2, 2), (3, 1), (7, 1), (10, 1), (100, 1)]);
    assert_eq!((one["inherited"].as_u64(), one["partial"].as_u64()), (Some(1), Some(0)), "{one:#}");
    assert_eq!(one["back_edges"], 10 + 3 + 100 + 2 + 7 + 2 + (100 - 4));
}

#[test]
fn threads_record_side_by_side() {
    let place = Place::new();
    let source = place.write(
        "t.c",
        "#include <pthread.h>\n#include <stddef.h>\nvolatile int sink;\nstatic void work(long n) {\n  for (long i = 0; i < n; i++) sink = i;\n}\nstatic void leave(void) { pthread_exit(NULL); }\nstatic void *run(void *n) {\n  for (int i = 0; i < 1000; i++) work((long)n);\n  if (n == (void *)3) for (;;) leave();\n  return n;\n}\nint main(void) {\n  pthread_t all[4];\n  for (long i = 0; i < 4; i++) pthread_create(&all[i], NULL, run, (void *)i);\n  for (long i = 0; i < 4; i++) pthread_join(all[i], NULL);\n}\n",
    );
    let (document, status) = place.values(&["--trip-counts", "-O0", "--cflag=-pthread", &source]);
    assert_eq!(status, 0);
    assert_eq!(histogram(the_loop(&document, 5)), [(0, 1000), (1, 1000), (2, 1000), (3, 1000)]);
    let endless = the_loop(&document, 10);
    assert_eq!(
        (endless["activations"].as_u64(), endless["left"].as_u64()),
        (Some(1), Some(1)),
        "{endless:#}"
    );
}

#[test]
fn an_exception_leaves_the_loops_that_it_passes() {
    let place = Place::new();
    let source = place.write(
        "e.cpp",
        "volatile int sink;\n__attribute__((noinline)) static void work(int n, int stop) {\n  for (int i = 0; i < n; i++) {\n    sink = i;\n    if (i == stop) throw i;\n  }\n}\nint main() {\n  for (int k = 0; k < 50; k++) {\n    try { work(20, k); } catch (int) { sink = k; }\n  }\n}\n",
    );
    for level in ["-O0", "-O1"] {
        let (document, status) = place.values(&["--trip-counts", level, &source]);
        assert_eq!(status, 0);
        let inner = the_loop(&document, 3);
        assert_eq!(
            (inner["complete"].as_u64(), inner["partial"].as_u64()),
            (Some(30), Some(20)),
            "{document:#}"
        );
        let outer = the_loop(&document, 9);
        assert_eq!((outer["complete"].as_u64(), outer["partial"].as_u64()), (Some(1), Some(0)));
    }
}

/// Jumps out of a loop, a hundred thousand times: the list of open loops must not grow.
#[test]
fn jumping_for_ever_needs_no_more_room() {
    let place = Place::new();
    let source = place.write(
        "j.c",
        "#include <setjmp.h>\njmp_buf back; volatile int sink, k;\nstatic void work(int n) {\n  for (int i = 0; i < n; i++) { sink = i; if (i == 1) longjmp(back, 1); }\n}\nint main(void) {\n  for (k = 0; k < 100000; k++)\n    if (!setjmp(back)) work(10);\n}\n",
    );
    {
        let level = "-O0";
        let (document, status) = place.values(&["--trip-counts", level, "--keep", "kept", &source]);
        assert_eq!(status, 0);
        let partial: u64 =
            document["loops"].as_array().unwrap().iter().map(|one| one["partial"].as_u64().unwrap()).sum();
        assert_eq!(partial, 100_000, "{level}: {document:#}");
        let bytes: u64 = std::fs::read_dir(place.path("kept"))
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum();
        assert!(bytes < 4 << 20, "{bytes}");
    }
}
