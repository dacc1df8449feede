//! Is every process and every thread of a program counted to its end, in both placements?
//!
//! A process may lose what it was given: it overwrites its environment with a title, clears it, or
//! starts a program without one. A thread may be the last one of a process whose first one is gone.
//! Each program does known work in the part that could be lost; the same work without the loss is
//! the referee.

use opcost_testkit::command::Workplace;
use serde_json::Value;

use super::json;

const PLACEMENTS: [&str; 2] = ["chords", "every-segment"];

const BEGIN: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <spawn.h>\n#include <stdlib.h>\n\
    #include <string.h>\n#include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <sys/wait.h>\n\
    #include <unistd.h>\nextern char **environ;\nstatic volatile unsigned sink;\n\
    __attribute__((noinline)) static void burn(void) { for (int i = 0; i < 1000; i++) sink += i; }\n\
    static char *none[] = {NULL};\n\
    static void wipe(void) { for (char **e = environ; *e; e++) memset(*e, 0, strlen(*e)); environ = none; }\n\
    static void *late(void *p) { usleep(50000); burn(); return p; }\n\
    static void *ends(void *p) { usleep(20000); burn(); pthread_exit(p); }\n\
    int main(int n, char **v) {\n  if (n > 1) { burn(); return 0; }\n";

/// What `burn` cost, when a program with this body is counted exactly.
fn burnt(placement: &str, body: &str) -> u64 {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("a.c", format!("{BEGIN}{body}\n}}\n"));
    let words = ["count", "--placement", placement, "-O1", "--json", "-", "--cflag=-pthread", "a.c"];
    let document = place.opcost(&words).expect(0).json();
    assert_eq!(document["quality"]["kind"], "exact", "{placement} {body}: {document:#}");
    let functions = document["functions"].as_array().expect("functions");
    let of = functions.iter().find(|entry| entry["name"] == "burn");
    of.and_then(|entry| entry["instructions"].as_u64()).unwrap_or_else(|| panic!("{body}: {document:#}"))
}

fn expect_burns(bodies: &[(u64, &str)]) {
    for placement in PLACEMENTS {
        let once = burnt(placement, "burn(); return 0;");
        for &(times, body) in bodies {
            assert_eq!(burnt(placement, body), times * once, "{placement}: {body}");
        }
    }
}

#[test]
fn a_process_that_loses_its_environment_is_waited_for() {
    expect_burns(&[
        (1, "if (fork()) return 0; setsid(); wipe(); usleep(200000); burn(); return 0;"),
        (
            1,
            "if (fork()) return 0; setsid(); if (fork()) _exit(0); wipe(); usleep(200000); burn(); _exit(0);",
        ),
        (1, "if (fork()) return 0; wipe(); prctl(PR_SET_NAME, \"other\"); usleep(200000); burn(); return 0;"),
        (
            1,
            "if (fork()) return 0; clearenv(); for (int i = 3; i < 64; i++) close(i); usleep(200000); burn(); return 0;",
        ),
        (
            2,
            "wipe(); if (daemon(0, 0)) return 1; usleep(100000); burn(); if (fork()) return 0; usleep(200000); burn(); return 0;",
        ),
    ]);
}

#[test]
fn a_program_that_is_given_no_environment_is_counted() {
    let me = "\"/proc/self/exe\"";
    expect_burns(&[
        (1, &format!("char *a[] = {{v[0], \"x\", NULL}}; execve({me}, a, none); return 1;")),
        (1, &format!("char *a[] = {{v[0], \"x\", NULL}}; execve({me}, a, NULL); return 1;")),
        (1, &format!("clearenv(); execl({me}, v[0], \"x\", (char *)0); return 1;")),
        (1, &format!("wipe(); execlp({me}, v[0], \"x\", (char *)0); return 1;")),
        (1, &format!("execle({me}, v[0], \"x\", (char *)0, none); return 1;")),
        (
            2,
            &format!(
                "char *a[] = {{v[0], \"x\", NULL}}; pid_t p; posix_spawn(&p, {me}, NULL, NULL, a, none); \
                 waitpid(p, NULL, 0); burn(); return 0;"
            ),
        ),
        (
            2,
            &format!(
                "wipe(); pid_t p = vfork(); if (!p) {{ execl({me}, v[0], \"x\", (char *)0); _exit(1); }} \
                 waitpid(p, NULL, 0); burn(); return 0;"
            ),
        ),
    ]);
}

#[test]
fn the_last_thread_of_a_process_ends_it() {
    let start = "pthread_t t; pthread_create(&t, 0, ";
    expect_burns(&[
        (1, &format!("{start}late, 0); pthread_exit(0);")),
        (2, &format!("{start}late, 0); burn(); pthread_exit(0);")),
        (4, &format!("for (int i = 0; i < 4; i++) {{ {start}late, 0); }} pthread_exit(0);")),
        (1, &format!("{start}late, 0); pthread_detach(t); pthread_exit(0);")),
        (
            2,
            &format!(
                "{start}ends, 0); {start_again}ends, 0); pthread_exit(0);",
                start_again = "pthread_create(&t, 0, "
            ),
        ),
        (1, &format!("if (!fork()) {{ {start}late, 0); pthread_exit(0); }} wait(0); return 0;")),
    ]);
}

#[test]
fn the_cases_have_their_values() {
    for placement in PLACEMENTS {
        let counted = |line: &str| -> Value {
            let document = json(&format!("count --placement {placement} {line}"));
            assert_eq!(document["quality"]["kind"], "exact", "{placement} {line}: {document:#}");
            document
        };
        assert_eq!(counted("nojoin.c")["total"], 9010, "{placement}");
        // What `main` does depends on the size of the environment; the work of the daemon does not.
        let title = counted("-O1 title.c");
        let functions = title["functions"].as_array().expect("functions");
        let work = functions.iter().find(|one| one["name"] == "main").expect("main");
        assert!(work["instructions"].as_u64() > Some(1_800_000), "{placement}: {title:#}");
        assert_eq!(title["processes"], 2, "{placement}");
    }
}

#[test]
fn one_damaged_raw_file_of_three_is_named() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("a.c", format!("{BEGIN}if (!fork()) {{ burn(); _exit(0); }} if (!fork()) {{ burn(); _exit(0); }} wait(0); wait(0); burn(); return 0;\n}}\n"));
    place.opcost(&["count", "-O1", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.shell(&format!("mkdir raw; {}=$PWD/raw ./a", opcost_runtime::DIRECTORY_VARIABLE)).expect(0);
    let whole = place.shell("$OPCOST report raw/*.opcraw").expect(0);
    assert!(whole.stdout.contains("exact"), "{}", whole.stdout);
    let damages = ["head -c 100 raw/$f > cut", ": > cut", "head -c 6000 /dev/zero > cut", "echo hello > cut"];
    for damage in damages {
        let line = format!(
            "rm -rf bad; cp -r raw bad; f=$(ls raw | tail -n 1); {damage}; mv cut bad/$f; $OPCOST report bad/*.opcraw"
        );
        let said = place.shell(&line).expect(0);
        let name = place.shell("ls raw | tail -n 1").stdout;
        let is_told = said.stdout.contains("at least") && said.stdout.contains(name.trim());
        assert!(is_told, "{damage}: {}", said.stdout);
    }
    // None that can be read: each is named.
    place
        .shell("for f in bad/*; do echo hello > $f; done; $OPCOST report bad/*.opcraw")
        .expect(1)
        .expect_stderr(&["bad/", "not a raw"]);
}
