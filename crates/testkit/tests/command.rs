//! Does the harness say what a program did, and fail where it should?
//!
//! The shell stands for the command.

use std::panic::catch_unwind;

use opcost_testkit::command::{Workplace, corpus, holds_to_schema};
use serde_json::json;

fn place() -> Workplace {
    Workplace::new("/bin/sh")
}

#[test]
fn what_was_said_and_how_it_ended() {
    let place = place();
    let name = place.write("deep/down.sh", "echo '{\"out\": 1}'; echo err >&2; exit 3\n");
    let said = place.opcost(&[&name]).expect(3);
    assert_eq!((said.json(), &*said.stderr), (json!({ "out": 1 }), "err\n"));
    said.expect_stderr(&["err", "r"]);
    assert!(said.line.contains("deep/down.sh") && said.all().contains("status 3"), "{}", said.all());
    let killed = place.opcost(&["-c", "kill -9 $$"]);
    assert_eq!((killed.status, killed.signal), (-1, Some(9)));
}

#[test]
fn all_programs_have_one_folder_and_one_environment() {
    let place = place();
    let told = "pwd -P; echo $COLUMNS $LC_ALL $NO_COLOR $OPCOST; cat";
    let by_shell = place.shell(told).expect(0).stdout;
    assert!(by_shell.ends_with("\n160 C /bin/sh\n"), "{by_shell}");
    assert_eq!(place.opcost(&["-c", told]).stdout, by_shell);
    assert_eq!(place.tool("sh", &["-c", told]).stdout, by_shell);
    let path = place.path("");
    drop(place);
    assert!(!path.exists(), "it goes away");
}

#[test]
fn what_is_not_so_fails() {
    let place = place();
    let said = || place.opcost(&["-c", "echo well; echo panicked >&2; exit 1"]);
    let fails = |what: &str, asked: &dyn Fn()| {
        let asked = std::panic::AssertUnwindSafe(asked);
        assert!(catch_unwind(asked).is_err(), "{what}");
    };
    fails("another status", &|| drop(said().expect(0)));
    fails("words that are missing", &|| said().expect_stderr(&["well"]));
    fails("a panic", &|| said().expect_stderr(&[]));
    fails("no document", &|| drop(said().json()));
    fails("a signal is no status", &|| drop(place.opcost(&["-c", "kill -9 $$"]).expect(-1)));
    fails("no UTF-8", &|| drop(place.opcost(&["-c", "printf '\\377'"])));
    fails("a tool must succeed", &|| drop(place.tool("false", &[])));
    fails("no file", &|| drop(place.read("nothing")));
    fails("no schema", &|| holds_to_schema(&json!({})));
    fails("another document", &|| holds_to_schema(&json!({ "schema": "opcost.count/1" })));
    assert_eq!(place.shell("false; echo on").expect(1).stdout, "");
    assert!(std::path::Path::new(&corpus("kernel/kn.c")).is_file());
}
