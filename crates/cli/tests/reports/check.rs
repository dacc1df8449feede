//! Do named runs keep their limits, and is the file treated well?

use opcost_testkit::command::Workplace;

use crate::workplace::workplace;

const FILE: &str = "\
# Limits, kept by hand and by opcost.
[run.short] # the quick one
inputs = [\"a.c\"]
args = [\"100\"]

[run.long]
inputs = [\"a.c\"]
args = [\"9000\"]
flags = [\"-O1\"]
";

fn recorded() -> Workplace {
    let place = workplace();
    place.write("opcost.toml", FILE);
    place.opcost(&["check", "--update", "--reason", "first limits"]).expect(0);
    place
}

#[test]
fn limits_are_recorded_kept_and_broken() {
    let place = workplace();
    place.write("opcost.toml", FILE);
    let said = place.opcost(&["check"]).expect(1).stdout;
    assert!(said.contains("it has no limits yet; opcost check --update --reason"), "{said}");
    place.opcost(&["check", "--update"]).expect(2).expect_stderr(&["--reason"]);
    let place = recorded();
    let text = place.read("opcost.toml");
    assert!(text.starts_with("# Limits, kept by hand") && text.contains("# the quick one"), "{text}");
    assert!(text.contains("work = ") && text.contains("reason = \"first limits\""), "{text}");
    assert!(text.contains("flags = [\"-O1\"]"), "{text}");
    let first = place.opcost(&["check"]).expect(0).stdout;
    assert!(first.ends_with("all limits kept: 2 runs of opcost.toml\n"), "{first}");
    assert_eq!(place.opcost(&["check"]).expect(0).stdout, first, "two checks are equal");
    place.opcost(&["check", "--update", "--reason", "again"]).expect(0);
    assert_eq!(place.read("opcost.toml"), text, "nothing changed, so nothing is rewritten");

    place.write("a.c", place.read("a.c").replace("sum * 31 + i", "(sum * 31 + i) % 7"));
    let said = place.opcost(&["check", "--run", "short"]).expect(3).stdout;
    assert!(said.contains("over") && said.contains("work  a.c:4") && !said.contains("long"), "{said}");
    place.opcost(&["check", "--update", "--reason", "a remainder, see #12"]).expect(0);
    assert!(place.read("opcost.toml").contains("reason = \"a remainder, see #12\""));
    place.opcost(&["check"]).expect(0);
}

#[test]
fn formats_for_machines() {
    let place = recorded();
    let fine = place.opcost(&["check", "--format", "markdown"]).expect(0).stdout;
    assert!(
        fine.starts_with("✅ **opcost**: all limits kept") && fine.contains("<details><summary>"),
        "{fine}"
    );
    assert!(!place.opcost(&["check", "--format", "github"]).expect(0).stdout.contains("::error"));
    place.write("a.c", place.read("a.c").replace("sum * 31 + i", "(sum * 31 + i) % 7"));
    let said = place.opcost(&["check", "--format", "github"]).expect(3).stdout;
    assert!(said.contains("::error file=opcost.toml,line="), "{said}");
    assert!(said.contains("::error file=a.c,line=4,title=opcost::work in run short: "), "{said}");
    let place_of_limit = said.lines().find(|line| line.contains("opcost::short")).unwrap();
    let line = place.read("opcost.toml").lines().position(|line| line.starts_with("limit")).unwrap() + 1;
    assert!(place_of_limit.contains(&format!("line={line},")), "{place_of_limit}");
    let said = place.opcost(&["check", "--json", "-", "--run", "short"]).expect(3);
    let json: serde_json::Value = serde_json::from_str(&said.stdout).expect("stdout is JSON alone");
    assert_eq!((json["status"].as_u64(), json["runs"][0]["verdict"].as_str()), (Some(3), Some("over")));
}

#[test]
fn another_build_gives_no_verdict() {
    let place = recorded();
    for (from, to, what) in [
        ("compiler = \"clang 22", "compiler = \"clang 21", "compiler: recorded 'clang 21"),
        ("target = \"", "target = \"mips-", "target: recorded 'mips-"),
        ("cost_model = \"unit/1\"", "cost_model = \"fuel/1\"", "cost model: recorded 'fuel/1', now 'unit/1'"),
        ("flags = [\"-O2\"]", "flags = [\"-O3\"]", "flags: recorded '-O3', now '-O2'"),
    ] {
        let text = place.read("opcost.toml");
        place.write("opcost.toml", text.replacen(from, to, 1).replacen(from, to, 1));
        let said = place.opcost(&["check", "--run", "short"]).expect(1).stdout;
        let other = place.opcost(&["check"]).expect(1).stdout;
        assert!(said.contains(what) || other.contains(what), "{what} is missing in:\n{other}");
        place.write("opcost.toml", text);
    }
}

#[test]
fn a_function_that_is_gone_gives_no_verdict() {
    let place = recorded();
    let text = place.read("opcost.toml");
    place.write("opcost.toml", format!("{text}[run.short.functions]\nwrok = 1\n"));
    let said = place.opcost(&["check"]).expect(1).stdout;
    assert!(
        said.contains("no function is called 'wrok'; did you mean work?") && said.contains("in line "),
        "{said}"
    );
    place.opcost(&["check", "--update", "--reason", "gone"]).expect(0);
    assert!(!place.read("opcost.toml").contains("wrok"));
}

#[test]
fn a_wrong_file_is_an_error_with_its_line() {
    let place = workplace();
    place
        .opcost(&["check"])
        .expect(1)
        .expect_stderr(&["cannot read opcost.toml: there is no such file", "--help"]);
    for (text, words) in [
        ("[run.a]\ninputs = [\"a.c\"]\nlimmit = 3\n", &["line 3", "unknown field `limmit`"][..]),
        ("[run.a]\nargs = []\n", &["line 1", "missing field `inputs`"]),
        ("[run.a\n", &["line 1"]),
        ("[run.a]\ninputs = [\"a.c\"]\nlimit = -1\n", &["line 3", "a limit is a number of instructions"]),
        ("[run.a]\ninputs = [\"a.c\"]\nlimit = \"2.5X\"\n", &["line 3", "2.5G"]),
        ("[run.a]\ninputs = [\"a.c\"]\nlimit = \"2,5G\"\n", &["line 3", "2,5G", "comma"]),
        ("", &["names no run"]),
    ] {
        place.write("opcost.toml", text);
        place.opcost(&["check"]).expect(2).expect_stderr(words);
    }
    place.write("opcost.toml", FILE);
    place
        .opcost(&["check", "--run", "medium"])
        .expect(2)
        .expect_stderr(&["no run 'medium'; it has long, short"]);
}

#[test]
fn one_failing_run_does_not_hide_the_others() {
    let place = workplace();
    place.write(
        "opcost.toml",
        "[run.broken]\ninputs = [\"none.c\"]\nlimit = 1\n[run.fails]\ninputs = [\"a.c\"]\nargs = [\"5\", \"2\"]\n\
         limit = \"1G\"\n[run.flags]\ninputs = [\"a.c\"]\nflags = [\"--nonsense\"]\nlimit = 1\n\
         [run.good]\nbuild = \"$OPCOST count --emit exe -o a a.c\"\ninputs = [\"a\"]\nlimit = \"1G\"\n",
    );
    let said = place.shell("$OPCOST check").expect(2);
    for words in [
        "cannot read none.c",
        "the program exited with status 2",
        "its flags are not right",
        "within         good",
    ] {
        assert!(said.stdout.contains(words), "'{words}' is missing in:\n{}", said.stdout);
    }
    let before = place.read("opcost.toml");
    let said = place.shell("$OPCOST check --update --reason no").expect(2);
    assert!(said.stdout.contains("opcost.toml was not changed") && place.read("opcost.toml") == before);
    place.shell("$OPCOST check --run fails --run good").expect(4);
}

/// Addresses are drawn anew for each run, and so are numbers that are made of them.
#[test]
fn a_number_that_a_run_drew_becomes_no_limit() {
    let random = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").expect("/proc");
    assert_ne!(random.trim(), "0", "addresses must be random for this test to mean anything");
    let place = workplace();
    place.write(
        "aslr.c",
        "#include <stdint.h>\n#include <stdlib.h>\nstatic volatile int w;\nint main(void) {\n  \
         uintptr_t h = (uintptr_t)malloc(10) >> 12;\n  \
         for (uintptr_t i = 0; i < h % 1000003; i++) w++;\n  return 0;\n}\n",
    );
    let file = "[run.drawn]\ninputs = [\"aslr.c\"]\n[run.steady]\ninputs = [\"a.c\"]\n";
    place.write("opcost.toml", file);
    let said = place.opcost(&["check", "--update", "--reason", "first"]).expect(1).stdout;
    assert!(said.contains("the runs differ") && said.contains("--deterministic"), "{said}");
    assert!(said.contains("opcost.toml was not changed"), "{said}");
    assert_eq!(place.read("opcost.toml"), file, "nor does the steady one become a limit alone");
    // What holds addresses fixed makes it one number, which is a limit then.
    let fixed = file.replace("[\"aslr.c\"]\n", "[\"aslr.c\"]\nflags = [\"--deterministic\"]\n");
    place.write("opcost.toml", &fixed);
    place.opcost(&["check", "--update", "--reason", "first"]).expect(0);
    place.opcost(&["check"]).expect(0);
}

/// What a function calls is not within its limit: the file, the help, the table and JSON say so.
#[test]
fn limits_of_functions_are_of_the_function_by_itself() {
    let place = recorded();
    let text = place.read("opcost.toml");
    let words = "# What each function does by itself, without the functions that it calls.\n\
        # These are no limits; those are in a table functions of the run.\n[run.short.recorded.functions]";
    assert!(text.contains(words), "{text}");
    assert!(!text.contains("main = "), "main does little by itself: {text}");
    place
        .opcost(&["check", "--help"])
        .expect(0)
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .find("each by itself, without what it calls")
        .expect("the help says so");
    place.write("a.c", place.read("a.c").replace("sum * 31 + i", "(sum * 31 + i) % 7"));
    let said = place.opcost(&["check", "--json", "c.json"]).expect(3).stdout;
    assert!(said.contains("work  a.c:4  by itself "), "{said}");
    let said = place.opcost(&["check", "--format", "markdown"]).expect(3).stdout;
    assert!(said.contains("| function (by itself) |"), "{said}");
    let functions = &place.json("c.json")["runs"][0]["functions"];
    assert_eq!(functions[0]["name"], "work", "{functions}");
    let schema = place.opcost(&["schema", "check"]).expect(0).stdout;
    assert!(schema.contains("by itself, without the functions that it calls"), "{schema}");
}

/// A program of two compilers and three sets of flags: each module keeps its own.
#[test]
fn each_module_is_held_to_the_build_that_it_was_recorded_with() {
    let place = workplace();
    place.write("s.f90", "subroutine s(n)\n  integer :: n\n  n = n * 3\nend subroutine\n");
    place.write("b.c", "void s_(int *);\nint main(int n, char **v) { s_(&n); return n & 1 ? 0 : 1; }\n");
    let build = |flags: &str| {
        format!(
            "[run.both]\nbuild = \"$OPCOST cc {flags} -c b.c && $OPCOST flang -O2 -c s.f90 && $OPCOST flang b.o s.o -o both\"\n\
             inputs = [\"both\"]\n"
        )
    };
    place.write("opcost.toml", build("-O1"));
    place.shell("$OPCOST check --update --reason first").expect(0);
    let text = place.read("opcost.toml");
    assert!(
        text.contains("[[run.both.recorded.builds]]") && text.contains("modules = [\"s.f90\"]"),
        "{text}"
    );
    assert!(text.contains("compiler = \"flang 22") && text.contains("flags = [\"-O1\"]"), "{text}");
    place.shell("$OPCOST check").expect(0);
    place.shell("$OPCOST check --update --reason again").expect(0);
    assert_eq!(place.read("opcost.toml"), text, "nothing changed, so nothing is rewritten");
    place.write("opcost.toml", text.replace("cc -O1", "cc -O3"));
    let said = place.shell("$OPCOST check").expect(1).stdout;
    assert!(
        said.contains("flags: recorded '-O1 (b.c) and -O2 (s.f90)', now '-O2 (s.f90) and -O3 (b.c)'"),
        "{said}"
    );
}
