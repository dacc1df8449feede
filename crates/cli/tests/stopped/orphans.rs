//! Is what goes on behind the program counted, and what ends without a word?

use serde_json::Value;

use opcost_testkit::command::ProgramOutput;

use super::Place;

fn count(place: &Place, words: &[&str]) -> Value {
    let said = ProgramOutput::of(&mut place.opcost(&[&["count", "--json", "counts.json"], words].concat()))
        .expect(0);
    assert_eq!(place.left(), Vec::<std::path::PathBuf>::new(), "{}", said.all());
    place.sources.json("counts.json")
}

fn weight_of(document: &Value, function: &str) -> u64 {
    let functions = document["functions"].as_array().expect("functions");
    let of = functions.iter().find(|entry| entry["name"] == function);
    of.unwrap_or_else(|| panic!("no {function} in {document}"))["instructions"].as_u64().expect("a number")
}

const WORK: &str = "#include <sys/syscall.h>\n#include <sys/wait.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    static volatile unsigned sink;\n\
    __attribute__((noinline)) static void burn(void) { for (int i = 0; i < 1000; i++) sink += i; }\n\
    int main(void) {\n";

/// The same work with an end that is known to be counted.
fn exact(begin: &str, body: &str) -> Value {
    let place = Place::new(&[("a.c", &format!("{WORK}{begin}{body}}}\n"))]);
    let document = count(&place, &["-O1", "a.c"]);
    assert_eq!(document["quality"]["kind"], "exact", "{document}");
    document
}

#[test]
fn a_child_that_outlives_its_parent_is_counted() {
    let waits = exact("", "if (fork()) { wait(0); return 0; } usleep(300000); burn(); burn(); return 0;");
    let leaves = exact("", "if (fork()) return 0; usleep(300000); burn(); burn(); return 0;");
    assert_eq!(weight_of(&waits, "burn"), weight_of(&leaves, "burn"));
    assert_eq!(leaves["processes"], 2);
    // Two generations.
    let deep =
        exact("", "if (fork()) return 0; if (fork()) _exit(0); usleep(200000); burn(); burn(); return 0;");
    assert_eq!(weight_of(&deep, "burn"), weight_of(&waits, "burn"));
    assert_eq!(deep["processes"], 3);
}

#[test]
fn a_daemon_is_counted() {
    let known = exact("", "burn(); burn(); return 0;");
    let daemon = exact("burn();", "if (daemon(1, 1)) return 1; usleep(200000); burn(); return 0;");
    assert_eq!(weight_of(&known, "burn"), weight_of(&daemon, "burn"));
    assert_eq!(daemon["processes"], 2);
}

#[test]
fn a_system_call_that_ends_is_an_end() {
    let known = exact("", "burn(); _exit(0);");
    for end in ["syscall(SYS_exit_group, 0);", "syscall(SYS_exit, 0);", "syscall(SYS_getpid); _exit(0);"] {
        let raw = exact("", &format!("burn(); {end}"));
        assert_eq!(weight_of(&known, "burn"), weight_of(&raw, "burn"), "{end}");
    }
}
