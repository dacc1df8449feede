//! Is what is charged for a call of the C library at least a quarter of what it does, whatever its
//! arguments say?
//!
//! `mktime_charge.c` makes one kind of call as often as its argument says. What 20 calls more take
//! under callgrind is held beside what they are charged.

use opcost_testkit::command::Workplace;

use super::{cases, opcost};

const CALLS: i64 = 20;

/// What `calls` of a kind do more than one, by two runs.
fn more(run: impl Fn(i64) -> i64) -> i64 {
    run(1 + CALLS) - run(1)
}

/// Instructions that callgrind collects.
fn done(place: &Workplace, kind: &str, calls: i64) -> i64 {
    let line =
        format!("valgrind --tool=callgrind --callgrind-out-file=/dev/null ./plain {kind} {calls} 2>&1");
    let said = place.shell(&line).stdout;
    let line = said.lines().find_map(|line| line.split_once("Collected : ")).expect("a count");
    line.1.trim().parse().expect("a number")
}

fn charged(place: &Workplace, kind: &str, calls: i64) -> i64 {
    let said = opcost(place, &format!("fuel --json - metered -- {kind} {calls}")).expect(0).json();
    said["spent"].as_i64().expect("a number")
}

#[test]
fn fields_and_flags_of_arguments_are_charged() {
    let place = cases();
    place.tool("clang-22", &["-O2", "-w", "-o", "plain", "mktime_charge.c", "-lm"]).expect(0);
    opcost(&place, "fuel --emit exe -o metered --cflag=-w mktime_charge.c").expect(0);
    for kind in ["mktime", "seconds", "localtime", "gmtime", "wide", "scan", "nan", "power", "blanks"] {
        let done = more(|calls| done(&place, kind, calls));
        let charged = more(|calls| charged(&place, kind, calls));
        assert!(done <= 4 * charged, "{kind}: {done} done, {charged} charged");
        assert!(kind != "mktime" || charged <= 4 * done, "{kind}: {done} done, {charged} charged");
    }
    // Valgrind computes with 64 bits, so it does not see the 2,000 instructions that the processor does.
    let rest = more(|calls| charged(&place, "remainder", calls));
    assert!((CALLS * 500..CALLS * 4000).contains(&rest), "{rest} charged");
    // A conversion that is new takes its argument, too.
    charged(&place, "binary", 1);
}

/// A zone that is read anew, and an environment of the program's own.
#[test]
fn what_the_process_has_is_charged() {
    let place = cases();
    place.write(
        "e.c",
        "#include <stdlib.h>\n#include <string.h>\nextern char **environ;\nstatic char *own[20001];\n\
         int main(int n, char **v) {\n  long sum = 0;\n\
         for (int i = 0; i < 20000; i++) own[i] = \"NAME=value\";\n  environ = own;\n\
         for (int i = 0; i < atoi(v[2]); i++) sum += getenv(v[1]) != NULL;\n  return sum == 1;\n}\n",
    );
    place.tool("clang-22", &["-O2", "-o", "plain", "e.c"]).expect(0);
    opcost(&place, "fuel --emit exe -o metered e.c").expect(0);
    let done = more(|calls| done(&place, "OTHER", calls));
    let charged = more(|calls| charged(&place, "OTHER", calls));
    assert!(done <= 4 * charged && charged <= 4 * done, "{done} done, {charged} charged");
}

/// The longer a fill, the more is charged, up to lengths that no memory has.
#[test]
fn no_length_wraps() {
    let place = cases();
    place.write(
        "long.c",
        "#include <stdlib.h>\n#include <string.h>\nstatic char room[4096];\n\
         int main(int n, char **v) {\n  size_t length = strtoul(v[2], NULL, 0);\n\
         if (*v[1] == 'f') memset(room, n, length);\n  if (*v[1] == 'c') memmove(room, room + 1, length);\n\
         if (*v[1] == 's') strncpy(room, v[2], length);\n  return room[7] == 9;\n}\n",
    );
    opcost(&place, "fuel --emit exe -o metered --cflag=-w long.c").expect(0);
    let lengths =
        [1u64 << 59, 1 << 60, 1 << 61, (1 << 61) + 1, 1 << 62, 1 << 63, (1 << 63) + 4096, u64::MAX - 4096];
    for kind in ["f", "c"] {
        let mut before = 0;
        for length in lengths {
            let said = opcost(&place, &format!("fuel --json - metered -- {kind} {length}")).json();
            let spent = said["spent"].as_u64().expect("a number");
            assert!(spent >= before && spent > 1 << 57, "{kind} {length}: {spent} after {before}");
            before = spent;
        }
    }
    for length in lengths {
        let said =
            opcost(&place, &format!("fuel --limit 100000000G --json - metered -- s {length}")).expect(3);
        assert_eq!(said.json()["verdict"], "used-up", "{length}: {}", said.all());
    }
}

/// After a small buffer a letter costs what a buffer does: such streams are not admitted.
#[test]
fn small_buffers_are_refused_by_name() {
    let place = cases();
    let body = |call: &str| {
        format!(
            "#include <stdio.h>\nstatic char room[4096];\n\
             int main(int n, char **v) {{ {call}; for (int i = 0; i < 9; i++) putchar('a'); return 0; }}\n"
        )
    };
    for call in [
        "setvbuf(stdout, NULL, _IONBF, 0)",
        "setvbuf(stdout, room, _IOLBF, 4096)",
        "setvbuf(stdout, room, _IOFBF, 16)",
        "setvbuf(stdout, room, _IOFBF, n)",
    ] {
        place.write("b.c", body(call));
        let said = opcost(&place, "fuel --check b.c").expect(3).stdout;
        assert!(said.contains("setvbuf") && said.contains("1024 bytes or more"), "{said}");
    }
    place.write("b.c", body("setvbuf(stdout, room, _IOFBF, 4096)"));
    opcost(&place, "fuel --check b.c").expect(0);
    place.write("b.c", body("setvbuf(stdout, NULL, _IONBF, 0)"));
    opcost(&place, "fuel --check --allow setvbuf b.c").expect(0);
}
