//! Does every attack meet its line of defence?
//!
//! A program says so itself, in a comment at its top:
//!
//! ```text
//! Rejected: RULE, WORD…    --check objects by this rule, and says these words
//!                          (`main:5`: in main at line 5)
//! Allowed                  --check has nothing against it
//! Ends: VERDICT, WORD…     --check has nothing against it; in the sandbox it ends
//!                          so (`a|b`: either), and the report says these words
//! ```

use opcost_testkit::command::corpus;
use serde_json::Value;

use crate::bench::Bench;

/// What the top of a program says of it.
pub(crate) struct Expected {
    pub(crate) name: String,
    pub(crate) path: String,
    /// `Rejected`, `Allowed`, `Ends`.
    pub(crate) word: String,
    /// What follows it.
    pub(crate) rest: Vec<String>,
}

/// All programs that expect this word.
pub(crate) fn programs(word: &str) -> Vec<Expected> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(corpus("attacks")).expect("corpus/attacks") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("text");
        let lines = text.lines().map_while(|line| line.strip_prefix("// ").or(line.strip_prefix("; ")));
        let expectation = lines.filter_map(|line| {
            let (word, rest) = line.split_once(':').unwrap_or((line, ""));
            ["Rejected", "Allowed", "Ends"].contains(&word).then(|| (word.to_owned(), rest.to_owned()))
        });
        let (found, rest) = expectation.last().unwrap_or_else(|| panic!("{name} expects nothing"));
        if found == word {
            let rest = rest.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            let path = path.to_string_lossy().into_owned();
            all.push(Expected { name, path, word: found, rest: rest.collect() });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

#[test]
fn what_cannot_be_metered_is_rejected_with_its_place() {
    let programs = programs("Rejected");
    assert!(programs.len() >= 45, "{} programs", programs.len());
    for program in programs {
        let bench = Bench::new();
        let answer = bench.fuel(&["--check", &program.path]);
        let at = format!("{} ({}): {}", program.name, program.word, answer.said());
        assert_eq!(answer.status, 3, "{at}");
        assert_eq!(answer.json["may_be_metered"], false, "{at}");
        let objections = answer.json["objections"].as_array().expect("objections");
        let meant = objections.iter().find(|objection| {
            objection["rule"] == program.rest[0].as_str()
                && program.rest[1..].iter().all(|words| says(objection, words))
        });
        assert!(meant.is_some(), "no objection '{}': {at}", program.rest.join(", "));
        // Every objection says in which file, and at which line where LLVM knows one: not
        // for assembly beside functions.
        for objection in objections {
            assert!(objection["file"].as_str().is_some_and(|file| file.ends_with(&program.name)), "{at}");
            let is_known = program.name.ends_with(".c") && objection["rule"] != "module-assembly";
            assert!(!is_known || objection["line"].as_u64().is_some_and(|line| line > 1), "{at}");
        }
    }
}

/// Whether an objection says this: words of its reason, its function, or
/// `function:line`.
fn says(objection: &Value, words: &str) -> bool {
    let function = objection["function"].as_str().unwrap_or_default();
    let reason = objection["reason"].as_str().expect("a reason");
    let place = objection["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
    match words.rsplit_once(':') {
        Some((name, line)) => (function == name || reason.contains(name)) && place == format!(":{line}"),
        None => reason.contains(words) || function.contains(words),
    }
}

#[test]
fn what_only_looks_like_an_attack_is_let_through() {
    let programs = programs("Allowed");
    assert!(programs.len() >= 2);
    for program in programs {
        let answer = Bench::new().fuel(&["--check", &program.path]);
        assert_eq!(answer.status, 0, "{} {}: {}", program.name, program.word, answer.said());
    }
}

/// What is stopped when it runs has nothing in it that a check could see.
#[test]
fn what_is_stopped_later_passes_the_check() {
    for program in programs("Ends") {
        let answer = Bench::new().fuel(&["--check", &program.path]);
        assert_eq!(answer.status, 0, "{}: {}", program.name, answer.said());
    }
}

#[test]
fn machine_code_and_libraries_are_objected_to() {
    let bench = Bench::new();
    bench.write("a.c", "int f(void);\nint main(void) { return f(); }\n");
    bench.write("f.c", "int f(void) { return 0; }\n");
    let both = bench.fuel(&["--check", "a.c", "f.c"]);
    assert_eq!((both.status, both.json["functions"].as_u64()), (0, Some(2)), "{}", both.said());
    assert_eq!(bench.fuel(&["--emit", "obj", "-o", "f.o", "f.c"]).status, 2, "--json conflicts with --emit");
    bench.write("f.s", ".globl f\nf: jmp f\n");
    let machine = bench.fuel(&["--check", "a.c", "f.s", "-l", "pthread"]);
    let rules: Vec<&str> = machine.json["objections"]
        .as_array()
        .expect("objections")
        .iter()
        .filter_map(|objection| objection["rule"].as_str())
        .collect();
    assert_eq!(rules, ["machine-code", "machine-code", "outside-function"], "{}", machine.said());
}

/// Whoever writes a program chooses its names.
#[test]
fn names_do_not_speak_to_the_terminal() {
    let bench = Bench::new();
    bench.write(
        "a.ll",
        "declare void @\"\\1b[2Jgone\"()\ndefine i32 @main() {\n  call void @\"\\1b[2Jgone\"()\n  ret i32 0\n}\n",
    );
    let answer = bench.fuel(&["--check", "a.ll"]);
    assert!(answer.stdout.contains("uses ?[2Jgone"), "{}", answer.said());
    assert!(!answer.stdout.contains('\u{1b}'), "{:?}", answer.stdout);
}

#[test]
fn a_host_may_allow_more_and_the_hash_says_so() {
    let bench = Bench::new();
    bench.write("a.c", "void turn_left(void);\nint main(void) { turn_left(); return 0; }\n");
    let alone = bench.fuel(&["--check", "a.c"]);
    assert!(alone.stdout.contains("a.c:2: main: uses turn_left"), "{}", alone.said());
    assert!(alone.stdout.contains("may not be metered: 1 objection"), "{}", alone.said());
    let allowed = bench.fuel(&["--check", "--allow", "turn_right,turn_left", "a.c"]);
    assert_eq!(allowed.status, 0, "{}", allowed.said());
    assert!(allowed.stdout.contains("may be metered: 1 function"), "{}", allowed.said());
    assert_ne!(allowed.json["library"], alone.json["library"]);
    assert_eq!(allowed.json["hash"], alone.json["hash"]);
    bench.write("names", "# of the game\nturn_left # to the left\n\nturn_right\n");
    let from_file = bench.fuel(&["--check", "--allow-file", "names", "a.c"]);
    assert_eq!(from_file.json["library"], allowed.json["library"], "{}", from_file.said());
    bench.write("names", "turn left\n");
    assert_eq!(bench.fuel(&["--check", "--allow-file", "names", "a.c"]).status, 2);
    // What the runtime owns is nobody's to allow.
    bench.write("b.c", "extern long opc_fuel;\nint main(void) { return opc_fuel == 0; }\n");
    assert_eq!(bench.fuel(&["--check", "--allow", "opc_fuel", "b.c"]).status, 3);
}

/// The limit that attacks run on.
const LIMIT: u64 = 20_000_000;

#[test]
fn what_passes_the_check_ends_in_a_clean_verdict() {
    let programs = programs("Ends");
    assert!(programs.len() >= 25, "{} programs", programs.len());
    for program in programs {
        let limit = LIMIT.to_string();
        // The clock decides only where it is meant to.
        let seconds = if program.rest[0].contains("blocked") { "2" } else { "60" };
        let answer =
            Bench::new().fuel(&["--sandbox", "--seconds", seconds, "--limit", &limit, &program.path]);
        let at = format!("{}: {}", program.name, answer.said());
        let verdict = answer.json["verdict"].as_str().unwrap_or_else(|| panic!("{at}"));
        assert!(program.rest[0].split('|').any(|one| one == verdict), "{at}");
        for words in &program.rest[1..] {
            assert!(answer.stderr.contains(words.as_str()), "does not say {words}: {at}");
        }
        let status = match verdict {
            "finished" => 0,
            "used-up" | "rejected" | "time" | "blocked" | "memory" => 3,
            _ => 4,
        };
        assert_eq!(answer.status, status, "{at}");
        // Nothing leaves before the verdict, and none of these has a result.
        assert!(verdict == "finished" || answer.stdout.is_empty(), "{at}");
        let spent = answer.json["spent"].as_u64().expect("spent");
        if verdict == "used-up" {
            let overshoot = answer.json["overshoot"].as_u64().expect("overshoot");
            // One charge by length, or for the turns of a loop, may be any number; it is asked
            // before that work.
            let is_ahead = ["length_", "alloca", "jump_over_settle"];
            let is_ahead = is_ahead.iter().any(|name| program.name.contains(name));
            assert!(spent > LIMIT && (is_ahead || spent - LIMIT <= overshoot), "{at}");
        }
    }
}

/// No fuel comes back: what ends by itself has spent what it is counted to do.
#[test]
fn the_counter_is_never_lowered() {
    for name in ["exit_over_settle.c", "charge_overflow.c"] {
        let path = corpus(&format!("attacks/{name}"));
        let bench = Bench::new();
        let walled = bench.fuel(&["--sandbox", "--limit", "20M", &path]);
        let plain = bench.fuel(&["--limit", "4600000000000000000", &path]);
        let counted = bench.count(&path);
        assert_eq!(walled.json["spent"].as_u64(), Some(counted), "{name}: {}", walled.said());
        assert_eq!(plain.json["spent"].as_u64(), Some(counted), "{name}: {}", plain.said());
    }
}
