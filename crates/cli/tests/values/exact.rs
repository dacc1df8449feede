//! Known counts, at all levels, in C and Fortran; claims, true and false.

use super::{Place, at_line, histogram, the_loop};

/// Line numbers matter: the loops stand in lines 6, 7, 12 and 18.
const TRIANGLE: &str = r#"#include <stdio.h>
#include <stdlib.h>
volatile int sink;
static unsigned long turns;
__attribute__((noinline)) static void triangle(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            sink += j;
}
__attribute__((noinline)) static int collatz(unsigned long n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2; steps++; sink = steps;
    }
    return steps;
}
__attribute__((noinline)) static void never(int n) {
    for (int i = 0; i < n; i++) sink = i;
}
int main(int count, char **words) {
    int n = count > 1 ? atoi(words[1]) : 10;
    triangle(n);
    unsigned long all = 0;
    for (int k = 1; k < 100; k++) { all += collatz(k); }
    if (count > 50) never(7);
    printf("%lu\n", all);
    return 0;
}
"#;

#[test]
fn a_triangle_at_o0_turns_as_it_is_written() {
    let place = Place::new();
    let source = place.write("t.c", TRIANGLE);
    let (document, status) = place.values(&["--trip-counts", "-O0", "--stdout", "out", &source, "--", "20"]);
    assert_eq!(status, 0);
    let outer = the_loop(&document, 6);
    assert_eq!(histogram(outer), [(20, 1)]);
    let inner = the_loop(&document, 7);
    assert_eq!(histogram(inner), (0..20).map(|i| (i, 1)).collect::<Vec<_>>());
    assert_eq!(inner["back_edges"], 190);
    let sequence: Vec<u64> =
        inner["turns"]["sequence"].as_array().unwrap().iter().map(|run| run[0].as_u64().unwrap()).collect();
    assert_eq!(sequence, (0..20).collect::<Vec<_>>());
    assert_eq!((inner["depth"].as_u64(), inner["parent"].as_str()), (Some(2), outer["header"].as_str()));
    // The program says itself how many steps it took.
    let printed: u64 = place.read("out").trim().parse().unwrap();
    assert_eq!(the_loop(&document, 12)["back_edges"], printed);
    assert_eq!(the_loop(&document, 12)["activations"], 99);
    assert_eq!(the_loop(&document, 18)["activations"], 0);
}

#[test]
fn at_every_level_the_work_is_the_same() {
    let place = Place::new();
    let source = place.write("t.c", TRIANGLE);
    for level in ["-O1", "-O2", "-O3"] {
        let (document, status) =
            place.values(&["--trip-counts", level, "--stdout", "out", &source, "--", "20"]);
        assert_eq!(status, 0, "{level}");
        let printed: u64 = place.read("out").trim().parse().unwrap();
        let steps: u64 = at_line(&document, 12)
            .iter()
            .map(|one| one["back_edges"].as_u64().unwrap() + one["complete"].as_u64().unwrap())
            .sum();
        // Rotated: a body more than back edges; collatz(1) never enters.
        assert_eq!(steps, printed, "{level}");
    }
}

/// The other referee: a header that `opcost count` counts runs once for each
/// activation and once for each back edge (blocks have other names there, so it is found by its count).
#[test]
fn headers_run_as_often_as_loops_are_entered_and_turned() {
    let place = Place::new();
    let source = place.write("t.c", TRIANGLE);
    for level in ["-O0", "-O1", "-O2"] {
        let shared = [level, "--stdout", "out", &source, "--", "33"];
        let (document, _) = place.values(&[&["--trip-counts"], &shared[..]].concat());
        let counts = place.counts(&shared);
        let blocks = counts["blocks"].as_array().expect("blocks");
        for one in document["loops"].as_array().expect("loops") {
            let told = one["activations"].as_u64().unwrap() + one["back_edges"].as_u64().unwrap();
            let mut of_function = blocks.iter().filter(|block| block["function"] == one["function"]);
            assert!(told == 0 || of_function.any(|block| block["count"] == told), "{level}: {one:#}");
        }
    }
}

#[test]
fn claims_hold_and_one_that_was_never_entered_is_not_verified() {
    let place = Place::new();
    let source = place.write("t.c", TRIANGLE);
    for level in ["-O1", "-O2"] {
        let (document, status) = place.values(&["--verify", level, "--stdout", "out", &source, "--", "20"]);
        assert_eq!(status, 0, "{document:#}");
        let verify = &document["verify"];
        assert!(verify["held"].as_u64() >= Some(1), "{verify}");
        // At -O2 the loop that is never entered is unrolled.
        assert!(level != "-O1" || verify["not_entered"] == 1, "{verify}");
        assert_eq!(
            (verify["wrong"].as_u64(), verify["assumption_violated"].as_u64()),
            (Some(0), Some(0)),
            "{verify}"
        );
    }
}

#[test]
fn a_claim_that_lies_is_found_out() {
    let place = Place::new();
    let source = place.write("t.c", TRIANGLE);
    let (document, status) =
        place.values(&["--verify", "--lie", "-O1", "--stdout", "out", &source, "--", "20"]);
    assert_eq!(status, 3);
    assert!(document["verify"]["wrong"].as_u64() >= Some(1));
    assert_eq!(document["verify"]["held"], 0);
    let wrong = document["loops"].as_array().unwrap().iter().find(|one| one["claim"]["verdict"] == "wrong");
    let failure = &wrong.expect("a loop whose claim is wrong")["claim"]["first_failure"];
    assert!(failure["turns"].as_u64().is_some() && failure["entry"] == 1, "{failure}");
    let said = place.opcost(&["values", "--verify", "--lie", "-O1", "--stdout", "out", &source]);
    assert!(said.stderr.contains("wrong: t.c:"), "{said:?}");
}

#[test]
fn recursion_keeps_its_activations_apart() {
    let place = Place::new();
    let source = place.write(
        "r.c",
        "volatile int sink;\nvoid down(int n) {\n  for (int i = 0; i < n; i++) {\n    sink = i;\n    down(n - 1 - i);\n  }\n}\nint main(void) { down(6); return 0; }\n",
    );
    let (document, _) = place.values(&["--trip-counts", "-O0", &source]);
    // down(n) is entered 2^(6-n) / 2 times, down(6) once, down(0) 32 times.
    let one = the_loop(&document, 3);
    assert_eq!(histogram(one), [(0, 32), (1, 16), (2, 8), (3, 4), (4, 2), (5, 1), (6, 1)]);
    assert_eq!((one["partial"].as_u64(), one["back_edges"].as_u64()), (Some(0), Some(63)));
}

#[test]
fn a_fortran_loop_is_recorded() {
    if Path::new("/usr/lib/llvm-22/bin/flang").exists() || which("flang-22") {
        let place = Place::new();
        let source = place.write(
            "f.f90",
            "subroutine work(n, total)\n  integer :: n, i\n  integer(8) :: total\n  do i = 1, n, 3\n    total = ieor(total, int(i, 8) * 7_8) + 1\n  end do\nend subroutine\nprogram main\n  integer(8) :: total\n  total = 0\n  call work(100, total)\n  print *, total\nend program\n",
        );
        let (document, status) = place.values(&["--trip-counts", "-O0", "--stdout", "out", &source]);
        assert_eq!(status, 0);
        let loops = document["loops"].as_array().expect("loops");
        assert!(loops.iter().any(|one| one["back_edges"] == 34 && one["activations"] == 1), "{document:#}");
        // The same from bitcode, which does not say what library it needs.
        place.tool("flang-22", &["-O0", "-g", "-c", "-emit-llvm", "-o", "work.bc", "f.f90"]);
        let (document, status) = place.values(&["--trip-counts", "--stdout", "out", "work.bc"]);
        assert_eq!(status, 0);
        let loops = document["loops"].as_array().expect("loops");
        assert!(loops.iter().any(|one| one["back_edges"] == 34 && one["activations"] == 1), "{document:#}");
    }
}

fn which(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).exists()))
}

use std::path::Path;

#[test]
fn values_of_a_line_are_what_the_program_prints() {
    let place = Place::new();
    let source = place.write(
        "v.c",
        "#include <stdio.h>\n__attribute__((noinline)) double half(int n) {\n  double x = n * 0.5;\n  return -x;\n}\nint main(void) {\n  for (int i = -3; i < 5; i++) printf(\"%g\\n\", half(i));\n  return 0;\n}\n",
    );
    let (document, status) = place.values(&[
        "--function",
        "half",
        "-O0",
        "--stdout",
        "out",
        "--plot",
        "p.svg",
        "--histogram",
        "h.svg",
        &source,
    ]);
    assert_eq!(status, 0);
    let printed: Vec<f64> = std::fs::read_to_string(place.path("out"))
        .unwrap()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    let [value] = &document["values"].as_array().unwrap()[..] else { panic!("{document:#}") };
    let runs = value["values"]["sequence"].as_array().unwrap();
    let told: Vec<f64> = runs.iter().map(|run| run[0].as_f64().unwrap()).collect();
    assert_eq!(told, printed);
    assert_eq!(value["values"]["min"], -2.0);
    assert_eq!(value["values"]["max"], 1.5);
    for picture in ["p.svg", "h.svg"] {
        let text = place.read(picture);
        assert!(
            text.starts_with("<svg ") && text.ends_with("</svg>\n") && text.contains("<path d=\"M"),
            "{text}"
        );
    }
    let (document, _) =
        place.values(&["--function", "half", "--line", "3", "-O0", "--stdout", "out", &source]);
    let kinds: Vec<&str> =
        document["values"].as_array().unwrap().iter().map(|value| value["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"float") && kinds.contains(&"signed"), "{kinds:?}");
    let nothing = place.opcost(&["values", "--function", "half", "--line", "1", &source]);
    assert_eq!(nothing.status, 2);
    assert!(nothing.stderr.contains("line 1 of half"), "{nothing:?}");
}

/// A function that was inlined everywhere is told where it went.
#[test]
fn values_of_a_line_are_told_where_it_was_inlined() {
    let place = Place::new();
    let source = place.write(
        "inlined.c",
        "static int twice(int x) {\n  return 2 * x;\n}\nvolatile int out;\nint main(int count, char **words) {\n  for (int i = 0; i < \
         5 * count; i++)\n    out = twice(out + i);\n  return 0;\n}\n",
    );
    let (document, status) = place.values(&["-O2", "--function", "twice", "--line", "2", &source]);
    assert_eq!(status, 0);
    let told = document["values"].as_array().expect("values");
    assert!(!told.is_empty() && told.iter().all(|one| one["function"] == "main"), "{document:#}");
    // Unrolled or not: five times in all.
    let times: u64 = told.iter().filter_map(|one| one["times"].as_u64()).sum();
    assert!(times >= 5 && times.is_multiple_of(5), "{document:#}");
}
