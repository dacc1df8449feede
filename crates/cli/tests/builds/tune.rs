//! Does a tuned program do the same with fewer jumps? And what is said where it cannot be tuned?
//!
//! Programs with ways of control that are hard to move (exceptions, jump tables, labels as values, longjmp) are
//! trained, placed, linked in every mode, and must print the same. No test looks at a time.

use opcost_testkit::command::holds_to_schema;
use serde_json::Value;

use crate::support::Bench;

/// An error that never happens lies in the middle of a loop with unequal branches.
const UNEQUAL: &str = "#include <stdio.h>
#include <stdlib.h>
static unsigned mix(unsigned s) {
  if (s % 64 == 5) { fprintf(stderr, \"%s\", \"\"); return s / 3; }
  if (s == 77777777u) { fprintf(stderr, \"never\\n\"); exit(9); }
  if (s & 0x300) return s * 69069u + 1;
  return s ^ (s >> 7) ^ 0x5bd1e995u;
}
int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 5;
  unsigned s = 1;
  unsigned long sum = 0;
  for (long i = 0; i < n; i++) { s = mix(s); sum += s; }
  printf(\"%lu\\n\", sum);
  return 0;
}
";

fn tuned(bench: &Bench, words: &[&str], run: &[&str]) -> Value {
    let words = [&["tune", "--json", "-", "-o", "tuned"], words, &["--"], run].concat();
    let json = bench.opcost(&words).expect(0).json();
    holds_to_schema(&json);
    json
}

fn step<'a>(json: &'a Value, name: &str) -> &'a Value {
    let all = json["transforms"].as_array().expect("transforms");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {json:#}"))
}

#[test]
fn what_never_runs_leaves_the_hot_way() {
    let bench = Bench::new(&[("unequal.c", UNEQUAL)]);
    for level in ["-O1", "-O2"] {
        let json = tuned(&bench, &[level, "--only", "placement", "--runs", "2", "unequal.c"], &["20000"]);
        assert_eq!(json["outputs_equal"], true, "{json:#}");
        assert_eq!(step(&json, "placement")["done"], true);
        let number = |what: &Value| what.as_f64().expect("a number");
        let score = &json["score"];
        assert!(number(&score["after"]) > number(&score["before"]), "{level} {json:#}");
        let taken = &json["taken_branches"];
        assert!(number(&taken["after"]) <= number(&taken["before"]), "{level} {json:#}");
    }
    let expected = bench.shell("clang-22 -O2 unequal.c -o plain && ./plain 1000").expect(0).stdout;
    assert_eq!(bench.shell("./tuned 1000").expect(0).stdout, expected);
    // What never ran has a section of its own.
    let sections = bench.shell("llvm-nm-22 tuned").expect(0).stdout;
    assert!(sections.contains(".cold"), "{sections}");
}

#[test]
fn an_order_that_is_as_good_as_can_be_stays() {
    let text = "int main(int argc, char **argv) {
  unsigned sum = 0;
  for (int i = 0; i < 1000; i++) { sum = sum * 31 + (unsigned)i; __asm__ volatile(\"\" : \"+r\"(sum)); }
  return sum == 5;
}
";
    let bench = Bench::new(&[("straight.c", text)]);
    let json = tuned(&bench, &["--only", "placement", "--runs", "1", "straight.c"], &[]);
    assert_eq!(json["score"]["before"], json["score"]["after"], "{json:#}");
    assert_eq!(json["functions"][0]["moved"], false, "{json:#}");
}

#[test]
fn the_profile_is_the_optimisers_and_each_step_has_its_gain() {
    let bench = Bench::new(&[("unequal.c", UNEQUAL)]);
    let json = tuned(&bench, &["--runs", "6", "--links", "2", "unequal.c"], &["40000000"]);
    let names: Vec<&str> = json["transforms"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|one| one["name"].as_str().expect("name"))
        .collect();
    assert_eq!(names, ["profile", "placement"]);
    assert_eq!((&json["runs"], &json["links"]), (&Value::from(6), &Value::from(2)));
    for name in names {
        let gain = &step(&json, name)["gain"]["time"];
        let of = |what: &str| gain[what].as_f64().expect("a gain");
        assert!(of("low") <= of("median") && of("median") <= of("high"), "{json:#}");
    }
    assert!(json["control"]["median"].is_number(), "{json:#}");
    // With fewer rounds there is no interval, and so no gain.
    let few = tuned(&bench, &["--runs", "2", "unequal.c"], &["1000"]);
    assert!(step(&few, "placement")["gain"]["time"].is_null() && few["control"].is_null(), "{few:#}");
}

#[test]
fn programs_that_are_hard_to_move_stay_right() {
    let exceptions = "#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int &count; ~Guard() { count++; } };
static int risky(int x, int &count) {
  Guard guard{count};
  if (x % 7 == 3) throw std::runtime_error(std::to_string(x));
  if (x % 1000 == 999) throw x;
  return x * 3;
}
int main(int argc, char **argv) {
  int n = std::atoi(argv[1]), caught = 0, ints = 0, count = 0;
  long sum = 0;
  std::vector<std::string> words;
  for (int i = 0; i < n; i++) {
    try { sum += risky(i, count); }
    catch (const std::runtime_error &error) { caught++; if (words.size() < 3) words.push_back(error.what()); }
    catch (int) { ints++; }
  }
  std::printf(\"%ld %d %d %d\\n\", sum, caught, ints, count);
  for (auto &word : words) std::printf(\"%s\\n\", word.c_str());
}
";
    let jumps = "#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int depth;
static int dive(int n) { depth++; if (n % 13 == 0) longjmp(back, n + 1); return n ? dive(n - 1) + 1 : 0; }
static int threaded(const unsigned char *code, int n) {
  static void *labels[] = {&&add, &&twice, &&minus, &&end};
  int value = 1, at = 0;
  goto *labels[code[at++]];
add: value += n; goto *labels[code[at++]];
twice: value *= 2; goto *labels[code[at++]];
minus: value -= 3; if (value < -1000000) return -1; goto *labels[code[at++]];
end: return value;
}
static int kind(int x) {
  switch (x & 15) {
  case 0: return 5; case 1: return x * 2; case 2: return x ^ 7; case 3: return x - 9; case 4: return x / 3;
  case 5: return 1; case 6: return x << 1; case 7: return ~x; case 8: return x + 11; case 9: return 2;
  case 12: abort(); default: return 0;
  }
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  volatile long sum = 0;
  const unsigned char code[] = {0, 1, 1, 2, 0, 2, 3};
  for (volatile int i = 0; i < n; i++) {
    int came = setjmp(back);
    if (came) sum += came; else sum += dive(i % 40 + 1);
    sum += threaded(code, i);
    if ((i & 15) != 12) sum += kind(i);
  }
  printf(\"%ld %d\\n\", sum, depth);
  return 0;
}
";
    let fortran = "program grid
  implicit none
  integer :: i, j, n
  double precision :: a(200, 200), s
  character(len=16) :: word
  call get_command_argument(1, word)
  read (word, *) n
  a = 1.0d0
  do j = 2, n
    do i = 2, n
      if (mod(i * j, 5) == 0) then
        a(i, j) = a(i - 1, j) * 0.5d0 + a(i, j - 1) * 0.25d0
      else
        a(i, j) = a(i - 1, j) - a(i, j - 1) * 0.25d0
      end if
      if (a(i, j) > 1.0d9) stop 3
    end do
  end do
  s = sum(a(1:n, 1:n))
  print '(f12.4)', s
end program grid
";
    let bench = Bench::new(&[("exceptions.cpp", exceptions), ("jumps.c", jumps), ("grid.f90", fortran)]);
    for (source, word) in [("exceptions.cpp", "5000"), ("jumps.c", "3000"), ("grid.f90", "150")] {
        for mode in ["as-it-comes", "no-pie", "static"] {
            // What static libraries of Fortran need besides is not installed everywhere.
            if source == "grid.f90" && mode == "static" {
                continue;
            }
            for level in ["-O0", "-O2"] {
                let words = ["--runs", "1", "--links", "1", level, "--link", mode, source];
                let json = tuned(&bench, &words, &[word]);
                assert_eq!(json["outputs_equal"], true, "{source} {mode} {level}: {json:#}");
                assert_eq!(step(&json, "placement")["done"], true);
                assert_eq!(step(&json, "profile")["done"], level == "-O2", "{source}: {json:#}");
            }
        }
        // Another input than that of the training goes the cold ways, too.
        let other = bench.shell(&format!("./tuned {}", 41)).expect(0).stdout;
        let compiler = if source.ends_with("f90") { "flang-22" } else { "clang++-22 -x c" };
        let compiler = if source.ends_with("cpp") { "clang++-22" } else { compiler };
        let plain = bench.shell(&format!("{compiler} -O0 {source} -o plain && ./plain 41")).expect(0).stdout;
        assert_eq!(other, plain, "{source}");
    }
}

#[test]
fn bitcode_is_placed_and_gets_no_profile() {
    let bench = Bench::new(&[("unequal.c", UNEQUAL)]);
    bench.shell("clang-22 -O2 -emit-llvm -c unequal.c -o unequal.bc").expect(0);
    let json = tuned(&bench, &["--runs", "1", "unequal.bc"], &["2000"]);
    assert_eq!(step(&json, "profile")["done"], false);
    assert_eq!(step(&json, "placement")["done"], true);
    let why = step(&json, "profile")["refused"][0]["why"].as_str().expect("a reason").to_owned();
    assert!(why.contains("has been optimised"), "{why}");
}

#[test]
fn a_ledger_of_elsewhere_is_taken_function_by_function() {
    let two = |first: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n__attribute__((noinline)) static int odd(int x) {{ {first} }}
__attribute__((noinline)) static int even(int x) {{ if (x > 90000000) abort(); return x % 5 ? x / 2 : x + 1; }}
int main(int argc, char **argv) {{
  int n = atoi(argv[1]); unsigned sum = 0;
  for (int i = 0; i < n; i++) sum += (unsigned)(i % 2 ? odd(i) : even(i));
  printf(\"%u\\n\", sum);
}}
"
        )
    };
    let bench = Bench::new(&[("two.c", &two("if (x % 7 == 3) return x * 3; return x + 1;"))]);
    for (anchor, ledger) in [("pgo", "early.opc"), ("optimized", "late.opc")] {
        let words =
            ["count", "--anchor", anchor, "--ledger", ledger, "-o", "report.txt", "two.c", "--", "5000"];
        bench.opcost(&words).expect(0);
    }
    let early = tuned(&bench, &["--profile", "early.opc", "--runs", "1", "two.c"], &["3000"]);
    for name in ["profile", "placement"] {
        assert_eq!(step(&early, name)["done"], true, "{early:#}");
    }
    assert!(!early["functions"].as_array().expect("functions").is_empty(), "{early:#}");
    let late = tuned(&bench, &["--profile", "late.opc", "--runs", "1", "two.c"], &["3000"]);
    assert_eq!(
        (&step(&late, "profile")["done"], &step(&late, "placement")["done"]),
        (&false.into(), &true.into())
    );
    let why = step(&late, "profile")["refused"][0]["why"].as_str().expect("a reason").to_owned();
    assert!(why.contains("--anchor pgo"), "{why}");

    // Counts of code before the optimiser do not place code that it made without them.
    let words = ["--profile", "early.opc", "--only", "placement", "--runs", "1", "two.c"];
    let alone = tuned(&bench, &words, &["3000"]);
    assert_eq!(step(&alone, "placement")["done"], false, "{alone:#}");
    assert!(alone["score"].is_null(), "{alone:#}");

    // One function has changed since: it alone is left as it is.
    bench.write("two.c", two("if (x % 7 == 3) { if (x % 11) return 8; return x * 3; } return x + 1;"));
    for (ledger, name) in [("early.opc", "profile"), ("late.opc", "placement")] {
        let json = tuned(&bench, &["--profile", ledger, "--runs", "1", "two.c"], &["3000"]);
        let refused = step(&json, name)["refused"].as_array().expect("refused").clone();
        let functions: Vec<&str> = refused.iter().filter_map(|one| one["function"].as_str()).collect();
        assert_eq!(functions, ["odd"], "{ledger}: {json:#}");
        assert_eq!(json["outputs_equal"], true);
    }
    bench.write("other.c", UNEQUAL);
    bench
        .opcost(&["tune", "--profile", "early.opc", "-o", "out", "other.c"])
        .expect(1)
        .expect_stderr(&["another build"]);
    bench.opcost(&["tune", "--profile", "two.c", "-o", "out", "two.c"]).expect(2).expect_stderr(&["two.c"]);
    assert!(!bench.path("out").exists());
}

#[test]
fn what_cannot_be_tuned_is_refused_and_nothing_is_written() {
    let fails = "int main(int argc, char **argv) { return argc > 1; }\n";
    let bench = Bench::new(&[("fails.c", fails), ("main.rs", "fn main( {\n"), ("wrong.c", "int main( {\n")]);
    let failed = bench.opcost(&["tune", "fails.c", "-o", "out", "--", "x"]).expect(2);
    failed.expect_stderr(&["the training run ended with status 1", "--stdin"]);
    bench.opcost(&["tune", "main.rs", "-o", "out"]).expect(1).expect_stderr(&["main.rs:1"]);
    bench.opcost(&["tune", "wrong.c", "-o", "out"]).expect(1).expect_stderr(&["wrong.c:1"]);
    bench.opcost(&["tune", "absent.c", "-o", "out"]).expect(1).expect_stderr(&["absent.c"]);
    bench
        .opcost(&["tune", "--anchor", "pgo", "fails.c", "-o", "out"])
        .expect(2)
        .expect_stderr(&["leave it out"]);
    assert!(!bench.path("out").exists());
}

#[test]
fn a_program_that_prints_something_else_each_time_is_not_compared() {
    let text = "#include <stdio.h>
#include <unistd.h>
int main(void) {
  unsigned sum = 0;
  for (int i = 0; i < 1000; i++) sum += (unsigned)i % 3 ? 1 : (unsigned)getpid();
  printf(\"%d %u\\n\", getpid(), sum);
}
";
    let bench = Bench::new(&[("pid.c", text)]);
    let json = tuned(&bench, &["--runs", "2", "pid.c"], &[]);
    assert!(json["outputs_equal"].is_null(), "{json:#}");
    let said = bench.opcost(&["tune", "--runs", "2", "-o", "tuned", "pid.c"]).expect(0);
    assert!(said.stdout.contains("prints something else each time"), "{}", said.all());
}

#[test]
fn a_placed_program_is_counted_again_and_one_that_does_something_else_is_noticed() {
    // It works as often as a file says, which it changes.
    let text = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], \"r+\");
  int times = 0;
  if (!file || fscanf(file, \"%d\", &times) != 1) return 1;
  if (argc > 2) { rewind(file); fprintf(file, \"%d\", times + 1); }
  fclose(file);
  unsigned sum = 0;
  for (int i = 0; i < times; i++) sum = sum % 3 ? sum * 5 + 1 : sum + 7;
  return sum == 1;
}
";
    let bench = Bench::new(&[("states.c", text), ("state", "1000")]);
    let words = |more: &str| format!("tune --verify --runs 0 -o tuned --json - states.c -- state{more}");
    let json = bench.opcost(&words("").split(' ').collect::<Vec<_>>()).expect(0).json();
    let conserved = &json["conserved"];
    assert!(conserved["holds"] == true && conserved["blocks"].as_u64() > Some(3), "{json:#}");
    let json = bench.opcost(&words(" changes").split(' ').collect::<Vec<_>>()).expect(3).json();
    assert_eq!(json["conserved"]["holds"], false, "{json:#}");
}

#[test]
fn a_function_of_assembly_only_stays_as_it_is() {
    let text = "#include <stdio.h>
#include <stdlib.h>
__attribute__((naked, noinline)) int twice(int a) { __asm__(\"lea (%rdi,%rdi), %eax; ret\"); }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < atoi(argv[1]); i++) sum += i % 3 ? twice(i) : i;
  printf(\"%d\\n\", sum);
  return 0;
}
";
    let bench = Bench::new(&[("naked.c", text)]);
    let line = "tune --inline --unroll --split --json - --runs 1 -o tuned naked.c -- 3000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    assert_eq!(json["outputs_equal"], true, "{json:#}");
}

/// Says in how many KiB of huge pages its code is, and that exceptions and signals find their way.
const IN_HUGE_PAGES: &str = "#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <thread>
static int seen;
static void handler(int) { seen++; }
static int thrown(int i) { if (i % 3 == 0) throw std::runtime_error(std::to_string(i)); return i; }
int main(int argc, char **argv) {
  long huge = 0, sum = 0; bool is_own = false; char line[400];
  if (FILE *file = fopen(\"/proc/self/smaps\", \"r\")) {
    while (fgets(line, sizeof line, file)) {
      unsigned long start, end; char mode[5];
      if (sscanf(line, \"%lx-%lx %4s\", &start, &end, mode) == 3)
        is_own = (unsigned long)&main >= start && (unsigned long)&main < end;
      else if (is_own && !strncmp(line, \"AnonHugePages:\", 14)) huge += atol(line + 14);
    }
    fclose(file);
  }
  signal(SIGUSR1, handler);
  for (int i = 0; i < atoi(argv[1]); i++) {
    try { sum += thrown(i); } catch (std::exception &error) { sum += atol(error.what()) * 2; }
    if (i % 100 == 0) raise(SIGUSR1);
  }
  std::thread other([&] { sum++; });
  other.join();
  printf(\"%ld %d\\n\", sum, seen);
  fprintf(stderr, \"%ld\\n\", huge);
}
";

#[test]
fn code_goes_into_huge_pages_where_the_kernel_has_them() {
    let bench = Bench::new(&[("huge.cpp", IN_HUGE_PAGES)]);
    for link in ["no-pie", "static"] {
        let line =
            format!("tune --huge-pages --link {link} --json - --runs 1 --links 1 -o tuned huge.cpp -- 500");
        let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
        assert_eq!(json["outputs_equal"], true, "{json:#}");
        let is_done = step(&json, "huge-pages")["done"] == true;
        let enabled = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        assert_eq!(is_done, enabled.is_ok_and(|said| !said.contains("[never]")), "{json:#}");
        if is_done {
            // Where memory is scarce the kernel may say no, and then the code is in small pages.
            let run = std::process::Command::new(bench.path("tuned")).arg("500").output().expect("it runs");
            let huge: u64 = String::from_utf8_lossy(&run.stderr).trim().parse().expect("KiB");
            assert_eq!(huge % 2048, 0);
        }
    }
}
