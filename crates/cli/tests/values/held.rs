//! Claims of every kind are held: over logarithms and powers, over memory that is
//! read again or kept, over values of some ways only; and what `opcost loops`
//! says of the whole program. A claim that lies is found out, whatever its kind.

use serde_json::Value;

use super::{Place, histogram, the_loop};

const HELD: &str = r#"#include <stdlib.h>
extern int timer, points[3];
void tick(void);
int other(int n);
volatile int sink;
struct box { int first, n; };
__attribute__((noinline)) void cells(void) {
    if (timer) tick();
    for (int i = 0; i < points[2]; i++) sink = i;
    tick();
    for (int i = 0; i < points[1]; i++) sink = i;
}
__attribute__((noinline)) void logarithm(unsigned n) {
    while (n > 0) { n /= 2; sink = 1; }
}
__attribute__((noinline)) void power(int k) {
    for (int i = 0; i < 1 << k; i++) sink = i;
}
__attribute__((noinline)) void branches(int chosen) {
    int n = 40;
    if (chosen) n = other(chosen);
    for (int i = 0; i < n; i++) sink = i;
}
__attribute__((noinline)) void behind(struct box *box) {
    for (int i = 0; i < box->n; i++) sink = i;
}
__attribute__((noinline)) void divided(int a, int b) {
    for (int i = 0; i < a / b; i++) sink = i;
}
int main(void) {
    struct box box = {1, 6};
    for (int k = 0; k < 3; k++) {
        timer = k % 2;
        cells();
        logarithm(k * 100);
        power(k + 2);
        branches(k);
        behind(&box);
        divided(20, k + 3);
    }
    return 0;
}
"#;

const OTHER: &str = r#"int timer, points[3] = {3, 4, 5};
void tick(void) { points[1]++; points[2] += 2; }
int other(int n) { return 10 * n; }
"#;

/// Lines of the loops, and what they turn at -O0, where their test stands first.
const TURNS: [(u64, &[(u64, u64)]); 6] = [
    (9, &[(5, 1), (9, 1), (11, 1)]),
    (11, &[(5, 1), (7, 1), (8, 1)]),
    (14, &[(0, 1), (7, 1), (8, 1)]),
    (17, &[(4, 1), (8, 1), (16, 1)]),
    (22, &[(10, 1), (20, 1), (40, 1)]),
    (28, &[(4, 1), (5, 1), (6, 1)]),
];

fn verdict(one: &Value) -> &str {
    one["claim"]["verdict"].as_str().unwrap_or("none")
}

#[test]
fn claims_of_every_kind_are_held_and_lies_of_every_kind_found_out() {
    let place = Place::new();
    let sources = [place.write("held.c", HELD), place.write("other.c", OTHER)];
    for level in ["-O0", "-O1"] {
        let (document, status) = place.values(&["--verify", level, &sources[0], &sources[1]]);
        assert_eq!((status, &document["verify"]["not_checked"]), (0, &Value::from(0)), "{document:#}");
        for (line, turns) in TURNS {
            let one = the_loop(&document, line);
            assert_eq!(
                (verdict(one), one["claim"]["kind"].as_str()),
                ("held", Some("back_edges")),
                "{one:#}"
            );
            assert!(level != "-O0" || histogram(one) == turns, "{line}: {one:#}");
        }
        let (document, status) = place.values(&["--verify", "--lie", level, &sources[0], &sources[1]]);
        assert_eq!(status, 3);
        for (line, _) in TURNS {
            let one = the_loop(&document, line);
            assert!(["wrong", "assumption_violated"].contains(&verdict(one)), "{one:#}");
        }
    }
}

const WHOLE: &str = "volatile int sink;
void work(int n);
int main(void) {
    for (int k = 0; k < 4; k++) work(9);
    return 0;
}
";
const WORK: &str = "extern volatile int sink;
void work(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) sink = j;
}
";

/// The module of `work` knows a formula; that n is 9 only the program knows.
#[test]
fn numbers_of_the_whole_program_are_held_for_each_activation_and_for_all() {
    let place = Place::new();
    let sources = [place.write("whole.c", WHOLE), place.write("work.c", WORK)];
    let says = |document: &Value, line: u64| {
        let mut all = document["loops"].as_array().expect("loops").iter();
        let one = all.find(|one| one["function"] == "work" && one["line"] == line).expect("a loop");
        (one["whole"]["says"].as_str().unwrap_or("").to_owned(), one["whole"]["verdict"].clone())
    };
    let (document, status) = place.values(&["--verify", "-O0", &sources[0], &sources[1]]);
    assert_eq!((status, &document["whole"]["held"], &document["whole"]["wrong"]), (0, &3.into(), &0.into()));
    assert_eq!(document["whole"]["world"], "closed");
    assert_eq!(says(&document, 3), ("9".to_owned(), "held".into()));
    let in_all = "36 in all of one activation of the outermost loop".to_owned();
    assert_eq!(says(&document, 4), (in_all, "held".into()));
    let (document, status) = place.values(&["--verify", "--lie", "-O0", &sources[0], &sources[1]]);
    assert_eq!((status, &document["whole"]["wrong"]), (3, &3.into()));
    assert_eq!(says(&document, 4).1, "wrong");
    // Who runs a program that was built before has no sources to ask about.
    let built =
        place.opcost(&["values", "--verify", "--emit", "exe", "-o", "built", &sources[0], &sources[1]]);
    assert_eq!(built.status, 0, "{built:?}");
    let (document, status) = place.values(&["--verify", "./built"]);
    assert_eq!((status, &document["whole"]), (0, &Value::Null));
    assert!(document["whole_reason"].as_str().is_some_and(|reason| reason.contains("sources")));
}

/// Of this program 24 claims were told as not checked before.
#[test]
fn of_the_adi_program_nothing_is_left_unchecked() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/loops");
    let place = Place::new();
    for entry in std::fs::read_dir(folder.join("inputs")).expect("the inputs") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, place.path(&path.file_name().expect("a name").to_string_lossy()))
            .expect("a copy");
    }
    let source = |name: &str| folder.join("fortran").join(name).to_string_lossy().into_owned();
    let names = ["adi.f", "common/clock.f", "common/random.f", "common/report.f"].map(source);
    let include = format!("--cflag=-I{}", source(""));
    let mut arguments = vec!["--verify", "-O1", "--stdout", "out", &include];
    arguments.extend(names.iter().map(String::as_str));
    let (document, status) = place.values(&arguments);
    assert_eq!(status, 0);
    let verify = &document["verify"];
    assert_eq!(
        (&verify["not_checked"], &verify["wrong"], &verify["no_claim"]),
        (&0.into(), &0.into(), &0.into())
    );
    assert!(verify["held"].as_u64() >= Some(130), "{verify}");
    assert!(document["whole"]["held"].as_u64() >= Some(75), "{}", document["whole"]);
    assert_eq!(document["whole"]["wrong"], 0);
    for one in document["loops"].as_array().expect("loops") {
        let is_told = verdict(one) != "not_checked" || one["claim"]["reason"].is_string();
        assert!(is_told, "{one:#}");
    }
}
