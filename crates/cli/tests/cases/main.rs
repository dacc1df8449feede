//! Does each small program that opcost once answered wrongly have its right value?
//!
//! The programs lie in `corpus/cases`. The right values were made by other means: gcov, a run, an
//! independent pass, callgrind, or by hand. Each test names the command as a user types it. The
//! kinds that the programs stand for are tested where they belong; here stands one line for each.
//! Sampled programs are in `count/sampled.rs` and `count/earlier.rs`, lives in `life/joined.rs`.

mod certificates;
mod charges;
mod coroutines;
mod flags;
mod foreign;
mod guesses;
mod interrupted;
mod itself;
mod killed;
mod library;
mod limits;
mod lines;
mod missing;
mod processes;
mod profiles;
mod run;
mod samples;
mod shown;
mod tail_calls;
mod threads;
mod widths;

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};
use serde_json::Value;

/// A folder with a copy of all programs.
fn cases() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    for entry in std::fs::read_dir(corpus("cases")).expect("the programs") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        place.write(name, std::fs::read(&path).expect("a program"));
    }
    place
}

/// Runs a command line.
fn opcost(place: &Workplace, line: &str) -> ProgramOutput {
    place.opcost(&line.split(' ').collect::<Vec<_>>())
}

/// The document of a command line, whose status is 0.
fn json(line: &str) -> Value {
    let place = cases();
    let (flags, rest) = line.split_once(' ').expect("a verb");
    opcost(&place, &format!("{flags} --json - {rest}")).expect(0).json()
}

/// Trip counts of all loops, in order.
fn trip_counts(line: &str) -> Vec<String> {
    let document = json(&format!("loops {line}"));
    let loops = document["loops"].as_array().expect("loops").iter();
    loops.map(|one| one["body_iterations"].as_str().unwrap_or("none").to_owned()).collect()
}

#[test]
fn counts() {
    let copies = json("count twice.c");
    let lines = copies["lines"].as_array().expect("lines").iter();
    let executions: Vec<u64> =
        lines.filter(|line| line["line"] == 5).filter_map(|line| line["count"].as_u64()).collect();
    assert_eq!(executions, [3801], "executions of line 5: {copies:#}");
    for placement in ["chords", "every-segment"] {
        let switched = json(&format!("count --placement {placement} asm_switch.c"));
        let is_honest = switched["quality"]["kind"] == "exact" && switched["total"] == 587
            || switched["quality"]["kind"] == "lower-bound" && switched["total"].as_u64() <= Some(587);
        assert!(is_honest, "{placement}: {} of {}", switched["quality"], switched["total"]);
    }
    let daemon = json("count daemon.c");
    let children = daemon["functions"].as_array().expect("functions").iter();
    assert!(children.filter_map(|one| one["instructions"].as_u64()).sum::<u64>() > 4000, "{daemon:#}");
}

#[test]
fn fuel() {
    let place = cases();
    let endless =
        opcost(&place, "fuel --limit 100G --sandbox --seconds 3 --json - endless.cpp").expect(3).json();
    assert_eq!((&endless["verdict"], &endless["at_least"]), (&"time".into(), &true.into()), "{endless:#}");
    assert!(endless["spent"].as_u64() > Some(1_000_000), "{endless:#}");
    let trap = opcost(&place, "fuel --limit 100M --json - trap.c -- 1000000").expect(4).json();
    let spent = trap["spent"].as_u64().expect("a number");
    assert!((6_600_000..6_800_000).contains(&spent), "{trap:#}");
    // 3.3 s of processor time are more than ten times the limit.
    let reversed = opcost(&place, "fuel --limit 1G --json - list_reverse.cpp").expect(3).json();
    assert_eq!(reversed["verdict"], "used-up", "{reversed:#}");
}

#[test]
fn loops() {
    assert_eq!(trip_counts("--world open --set n=0 -O1 zero.c"), ["0", "0", "0"]);
    // One bit that is set is 1 wherever it is read.
    assert_eq!(trip_counts("boolean_global.ll"), ["10"]);
    assert_eq!(trip_counts("-O1 boolean_global.c").last().map(String::as_str), Some("100"));
    assert_eq!(trip_counts("--world open --set n=15 -O1 par.c"), ["51"]);
    let split = opcost(&cases(), "loops -O2 slp.c").expect(0).stdout;
    assert!([" 700\n", " 899\n"].iter().all(|count| split.contains(count)), "{split}");
    assert!(trip_counts("-O1 --set n0=33 derived.f90").contains(&"31".to_owned()));
    assert_eq!(trip_counts("pre7.ll"), ["gp"]);
    // The jump back has the line of the body's last statement.
    assert_eq!(json("loops -O0 left_early.f90")["loops"][0]["line"], 5);
    assert_eq!(trip_counts("--world closed fortran_main.ll"), ["10", "7"]);
    let mut both = json("loops -O1 work_c.c work_d.c")["loops"].take();
    let both = both.as_array_mut().expect("loops").iter().map(|one| (&one["file"], &one["function"]));
    let both: Vec<(&str, &str)> =
        both.filter_map(|(file, function)| file.as_str().zip(function.as_str())).collect();
    assert_eq!(both, [("work_c.c", "work"), ("work_d.c", "work")]);
    let verified = json("values --verify -O1 work_c.c work_d.c");
    assert_eq!(
        (&verified["whole"]["held"], &verified["whole"]["not_found"]),
        (&2.into(), &0.into()),
        "{verified:#}"
    );
}

#[test]
fn bits() {
    for sources in ["step_a.c step_b.c", "step_b.c step_a.c"] {
        let observed = json(&format!("bits --observe --function step -O1 {sources}"));
        assert_eq!(observed["functions"].as_array().map(Vec::len), Some(2), "{observed:#}");
    }
    let place = cases();
    let copy = opcost(&place, "bits inl.c").expect(0);
    assert!(!copy.all().contains("no execution gets to"), "{}", copy.all());
    assert!(copy.stdout.contains("fill itself is never called"), "{}", copy.all());
    opcost(&place, "bits -O2 --closed --observe dead_parameter.c").expect(0);
    let forged = opcost(&place, "bits --check forge.json forge.ll").expect(1);
    assert!(!forged.all().contains("holds"), "{}", forged.all());
}

/// Libraries call it by its name, and nobody sees how often.
#[test]
fn what_libraries_may_call_is_not_known_to_be_idle() {
    let functions = json("predict own_malloc.c")["functions"].clone();
    let class = |name: &str| {
        let all = functions.as_array().expect("functions");
        all.iter().find(|one| one["name"] == name).map(|one| one["class"].clone())
    };
    let classes = ["malloc", "free", "main"].map(class).map(|class| class.unwrap_or_default());
    assert_eq!(classes, ["unknown", "unknown", "static_block"], "{functions:#}");
}

/// The narrowed program prints what the program prints.
#[test]
fn narrowed() {
    let flags = "-O2 -w";
    let programs = [
        ("--world open", "used_data.c", "", "300003 500010\n"),
        ("--closed --cflag=-fno-builtin", "own_memcpy.c", "-fno-builtin", "7 20000\n"),
        ("--closed", "own_optind.c", "", "3000\n"),
    ];
    for (world, source, flag, printed) in programs {
        let place = cases();
        opcost(&place, &format!("bits {world} --narrow -o narrowed.bc {source}")).expect(0);
        let plain = place.shell(&format!("clang-22 {flags} {flag} {source} -o plain && ./plain")).expect(0);
        let narrow = place.shell("clang-22 -O2 narrowed.bc -o narrow && ./narrow").expect(0);
        assert_eq!((&*plain.stdout, &*narrow.stdout), (printed, printed), "{source}");
    }
}

#[test]
fn comparisons() {
    let place = cases();
    for program in ["p1", "p2"] {
        opcost(&place, &format!("count --ledger {program}.opc {program}.c")).expect(0);
    }
    opcost(&place, "diff p1.opc p2.opc").expect(1).expect_stderr(&["two programs"]);
    // The same work, inlined elsewhere.
    opcost(&place, "count --ledger before.opc gate.c").expect(0);
    let inlined = place.read("gate.c").replacen(
        "__attribute__((noinline)) static long search",
        "static long search",
        1,
    );
    place.write("gate.c", inlined);
    opcost(&place, "count --ledger after.opc gate.c").expect(0);
    opcost(&place, "diff --fail-on more-work-anywhere before.opc after.opc").expect(0);
}

/// Two runs differ: a draw becomes no limit.
#[test]
fn limits() {
    let place = cases();
    place.write("opcost.toml", "[run.draw]\ninputs = [\"aslr.c\"]\n");
    let checked = opcost(&place, "check --update --reason first").expect(1);
    assert!(checked.stdout.contains("--deterministic"), "{}", checked.all());
    assert!(!place.read("opcost.toml").contains("limit"), "{}", place.read("opcost.toml"));
}
