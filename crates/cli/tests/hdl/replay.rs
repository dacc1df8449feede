//! Is every call of a real run compared, and is a call that a circuit does not take distinct from a wrong circuit?

use opcost_testkit::command::{Workplace, holds_to_schema};
use serde_json::Value;

const SUMS: &str = "int sums(const int *x, int *y, unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; i++) { sum = (int)((unsigned)sum + (unsigned)x[i]); y[i] = sum; }
  return sum;
}
";

/// A program of two sources, with numbers as words: each is a call with so many elements.
const CALLER: &str = "#include <stdio.h>
#include <stdlib.h>
int sums(const int *x, int *y, unsigned n);
static int x[8] = {1, -2, 3, 4, 5, 6, 7, 8};
int main(int argc, char **argv) {
  int y[8];
  int (*by_pointer)(const int *, int *, unsigned) = sums;
  for (int i = 1; i < argc; i++) {
    unsigned n = (unsigned)atoi(argv[i]);
    printf(\"%d\\n\", i % 2 ? sums(x, y, n) : by_pointer(x, y, n));
  }
  return 0;
}
";

fn workplace() -> Workplace {
    let place = super::workplace();
    place.write("sums.c", SUMS);
    place.write("caller.c", CALLER);
    place
}

/// The document of a replay.
fn replayed(place: &Workplace, flags: &[&str], status: i32) -> Value {
    let all = ["hdl", "-o", "out", "--json", "-", "--replay"];
    let document = place.opcost(&[&all, flags].concat()).expect(status).json();
    holds_to_schema(&document);
    document
}

#[test]
fn each_call_of_a_run_is_given_to_the_circuit() {
    let place = workplace();
    let flags = ["sums.c", "caller.c", "--top", "sums"];
    for interface in ["start", "stream", "axi"] {
        let all = [&flags[..], &["--interface", interface, "--", "3", "0", "8"]].concat();
        let document = replayed(&place, &all, 0);
        let (simulation, replay) = (&document["simulation"], &document["replay"]);
        assert_eq!((&simulation["runs"], &simulation["wrong"]), (&3.into(), &0.into()), "{document:#}");
        assert_eq!(
            (&replay["calls"], &replay["left_out"], &replay["broken"]),
            (&3.into(), &0.into(), &0.into())
        );
    }
    // Numbers of the run are those that the testbench reads.
    let vectors = place.read("out/sums.vectors");
    assert!(vectors.starts_with("0000000000000003\n3\n8\n00000001\nfffffffe\n"), "{vectors}");
    let words =
        place.opcost(&["hdl", "-o", "out", "--replay", "--top", "sums", "sums.c", "caller.c", "--", "2"]);
    let words = words.expect(0);
    assert!(
        words.stdout.starts_with("-1\n") && words.stdout.contains("the run: 1 call\n"),
        "{}",
        words.stdout
    );
    // A wrong circuit is one for the calls of a run, too.
    let wrong = place.read("out/sums.v").replacen(" + ", " - ", 1);
    place.write("out/sums.v", wrong);
    let words = place.shell("cd out && iverilog -g2001 -o f.vvp sums.v sums_testbench.v && vvp -n f.vvp");
    assert!(!words.stdout.contains("wrong 0"), "{}", words.stdout);
}

#[test]
fn calls_in_the_file_of_the_function_and_more_than_six_parameters_are_seen() {
    let place = workplace();
    let text =
        "int many(signed char a, short b, int c, long d, unsigned char e, int f, int g, const short *h) {
  return a + b * 2 + (int)d + e + (c ^ f) + g + h[1];
}
int main(void) {
  short h[2] = {5, -9};
  int sum = 0;
  for (int i = -3; i < 4; i++) sum += many((signed char)i, (short)-i, i * 9, -i, (unsigned char)i, 7, -i, h);
  return sum == 42;
}\n";
    place.write("many.c", text);
    let document = replayed(&place, &["many.c", "--top", "many"], 0);
    assert_eq!((&document["simulation"]["runs"], &document["simulation"]["wrong"]), (&7.into(), &0.into()));
}

#[test]
fn calls_that_a_circuit_does_not_take_are_counted_and_no_wrong_circuit() {
    let place = workplace();
    // A contract that the run breaks.
    let flags = ["sums.c", "caller.c", "--top", "sums", "--assume", "sums.n=0..4"];
    let document = replayed(&place, &[&flags[..], &["--", "3", "7", "4"]].concat(), 3);
    let (simulation, replay) = (&document["simulation"], &document["replay"]);
    assert_eq!((&simulation["runs"], &simulation["wrong"]), (&2.into(), &0.into()), "{document:#}");
    assert_eq!(replay["broken"], 1, "{document:#}");
    let first = replay["first_broken"].as_str().expect("words");
    assert!(first.contains("call 2: n is 7, which its contract does not allow"), "{first}");
    // Pointers into one array that is written: right where each uses its own part, and counted where not.
    let text = "#include <stdlib.h>
int sums(const int *x, int *y, unsigned n);
int main(int argc, char **argv) {
  int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  return sums(a, a + atoi(argv[1]), 4) == 0;
}\n";
    place.write("shared.c", text);
    let shared = |distance: &str, status: i32| {
        replayed(&place, &["sums.c", "shared.c", "--top", "sums", "--", distance], status)
    };
    let apart = shared("4", 0);
    assert_eq!((&apart["simulation"]["runs"], &apart["replay"]["overlapping"]), (&1.into(), &1.into()));
    for distance in ["2", "0"] {
        let meeting = shared(distance, 3);
        assert_eq!((&meeting["replay"]["outside"], &meeting["simulation"]["wrong"]), (&1.into(), &0.into()));
    }
    // A memory that is larger than the testbench's.
    let few = ["sums.c", "caller.c", "--top", "sums", "--elements", "4", "--", "3", "7"];
    let document = replayed(&place, &few, 3);
    assert_eq!((&document["replay"]["outside"], &document["simulation"]["runs"]), (&1.into(), &1.into()));
    // Undefined behaviour in one call.
    let text = "int add(int a, int b) { return a + b; }
int main(void) { return (add(1, 2) ^ add(2147483647, 1) ^ add(3, 4)) == 99; }\n";
    place.write("add.c", text);
    let document = replayed(&place, &["add.c", "--top", "add"], 3);
    assert_eq!((&document["replay"]["broken"], &document["simulation"]["runs"]), (&1.into(), &2.into()));
}

#[test]
fn a_circuit_with_state_is_compared_until_a_call_is_left_out() {
    let place = workplace();
    let text = "static unsigned seen[4];
unsigned next(unsigned i) { seen[i & 3] += i; return seen[i & 3]; }
int main(int argc, char **argv) { unsigned sum = 0; for (int i = 1; i < 9; i++) sum += next(i == argc ? 99 : i); return sum == 0; }\n";
    place.write("next.c", text);
    let flags = ["next.c", "--top", "next", "--assume", "next.i=0..50"];
    let whole = replayed(&place, &[&flags[..], &["--", "1", "2", "3", "4", "5", "6", "7", "8"]].concat(), 0);
    assert_eq!(
        (&whole["simulation"]["runs"], &whole["simulation"]["wrong"]),
        (&8.into(), &0.into()),
        "{whole:#}"
    );
    let part = replayed(&place, &[&flags[..], &["--", "1", "2"]].concat(), 3);
    assert_eq!(
        (&part["simulation"]["runs"], &part["simulation"]["wrong"]),
        (&2.into(), &0.into()),
        "{part:#}"
    );
    assert_eq!((&part["replay"]["broken"], &part["replay"]["left_out"]), (&1.into(), &5.into()), "{part:#}");
    let first = replayed(
        &place,
        &[&flags[..], &["--calls", "3", "--", "1", "2", "3", "4", "5", "6", "7", "8"]].concat(),
        0,
    );
    assert_eq!(
        (&first["simulation"]["runs"], &first["replay"]["left_out"]),
        (&3.into(), &5.into()),
        "{first:#}"
    );
}

#[test]
fn runs_without_a_call_and_runs_that_fail_are_no_verdict() {
    let place = workplace();
    let all = ["hdl", "-o", "out", "--top", "sums", "--replay", "sums.c", "caller.c"];
    place.opcost(&all).expect(2).expect_stderr(&["never calls sums", "words after --"]);
    let crash = "#include <stdlib.h>
int sums(const int *x, int *y, unsigned n);
int main(void) { int *x = malloc(8); int y[2]; int s = sums(x, y, 2); free(x); return s + x[1]; }\n";
    place.write("crash.c", crash);
    let all = ["hdl", "-o", "out", "--top", "sums", "--replay", "sums.c", "crash.c"];
    place.opcost(&all).expect(4).expect_stderr(&["the program failed", "heap-use-after-free"]);
    let status = "int sums(const int *x, int *y, unsigned n);
int main(void) { int x[1] = {1}, y[1]; sums(x, y, 1); return 7; }\n";
    place.write("status.c", status);
    let all = ["hdl", "-o", "out", "--top", "sums", "--replay", "sums.c", "status.c"];
    place.opcost(&all).expect(4).expect_stderr(&["the program failed", "7"]);
    place.opcost(&[&all[..], &["--cosimulate", "3"]].concat()).expect(2);
    place
        .opcost(&["hdl", "-o", "out", "--top", "sums", "--waveform", "w.vcd", "sums.c"])
        .expect(2)
        .expect_stderr(&["--replay"]);
}
