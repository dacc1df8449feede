//! Are bodies of loops copied as often as their trip counts say?
//!
//! A loop that goes on, one that ends soon though its average is the same, loops that are LLVM's, and loops that are hard to
//! copy. Each program must print the same.

use opcost_testkit::command::holds_to_schema;
use serde_json::Value;

use crate::support::Bench;

fn unroll(bench: &Bench, words: &[&str], run: &[&str]) -> Value {
    let all = ["tune", "--json", "-", "-o", "tuned", "--only", "unroll", "--runs", "1", "--links", "1"];
    let json = bench.opcost(&[&all, words, &["--"], run].concat()).expect(0).json();
    holds_to_schema(&json);
    assert_ne!(json["outputs_equal"], false, "{json:#}");
    json
}

fn loops(json: &Value) -> &[Value] {
    json["unrolled"].as_array().expect("loops")
}

fn step<'a>(json: &'a Value, name: &str) -> &'a Value {
    let all = json["transforms"].as_array().expect("transforms");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {json:#}"))
}

/// A hash of rows: 1 byte and `most` bytes by turns. The body is more than LLVM copies by itself.
const ROWS: &str = "#include <stdio.h>
#include <stdlib.h>
static unsigned char all[4096];
__attribute__((noinline)) static unsigned hash(const unsigned char *row, long n, unsigned s) {
  for (long i = 0; i < n; i++) {
    s = s * 31 + row[i];
    s ^= (s >> 5) + (s << 3) + row[i] * 77u;
    s = s * 17 + (s >> 9) + (s ^ row[i]) * 5u;
    s += (s >> 11) * (s & 0xffu) + (s << 7);
  }
  return s;
}
int main(int argc, char **argv) {
  long n = atol(argv[1]), most = atol(argv[2]);
  for (int i = 0; i < 4096; i++) all[i] = i * 7;
  unsigned s = 1;
  for (long i = 0; i < n; i++) s = hash(all, i % 100 ? 1 : most, s);
  printf(\"%u\\n\", s);
  return 0;
}
";

#[test]
fn a_loop_that_goes_on_gets_copies_and_one_that_ends_soon_does_not() {
    let bench = Bench::new(&[("rows.c", ROWS)]);
    let json = unroll(&bench, &["--cflag=-g", "--simulate", "rows.c"], &["3000", "4000"]);
    let row = loops(&json).iter().find(|one| one["symbol"] == "hash").expect("the loop goes on");
    assert_eq!(row["location"], "rows.c:5");
    assert_eq!(row["activations"], 3000);
    assert!(row["done"] == true && row["copies"].as_u64() > Some(1), "{json:#}");
    let instructions = &step(&json, "unroll")["gain"]["instructions"];
    let number = |what: &str| instructions[what].as_u64().expect("valgrind counts");
    assert!(number("after") * 100 < number("before") * 99, "{json:#}");
    // So often is the loop entered, and ends soon.
    let json = unroll(&bench, &["rows.c"], &["300000", "2"]);
    assert!(loops(&json).iter().all(|one| one["symbol"] != "hash"), "{json:#}");
}

#[test]
fn what_the_source_says_and_what_is_vectorised_stays() {
    let said = ROWS.replace(
        "  for (long i = 0; i < n; i++) {\n    s = s * 31",
        "#pragma clang loop unroll(disable)\n  for (long i = 0; i < n; i++) {\n    s = s * 31",
    );
    assert_ne!(said, ROWS);
    let vectors = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), *a = malloc(n * sizeof *a), sum = 0;
  for (int k = 0; k < 50; k++) for (int i = 0; i < n; i++) a[i] = i * k + (a[i] & 3);
  for (int i = 0; i < n; i++) sum += a[i];
  printf(\"%d\\n\", sum);
  return 0;
}
";
    let bench = Bench::new(&[("said.c", &said), ("vectors.c", vectors)]);
    let cases = [("said.c", "hash", &["3000", "4000"][..]), ("vectors.c", "main", &["5000"])];
    for (source, function, words) in cases {
        let json = unroll(&bench, &[source], words);
        let mut own = loops(&json).iter().filter(|one| one["symbol"] == function).peekable();
        assert!(own.peek().is_some(), "{source}: {json:#}");
        assert!(own.all(|one| one["done"] == false), "{source}: {json:#}");
    }
}

#[test]
fn loops_that_are_hard_to_copy_stay_right() {
    let strange = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile int stop = -1;
static char text[3000];
static long several(const long *row, long n, long most) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    if (row[i] > most) return -sum;
    if (row[i] == 77) { sum += 5; continue; }
    sum += row[i] ^ i;
    if (i == stop) break;
  }
  return sum;
}
static long down(unsigned char from, long s) { do { s = s * 3 + from; } while (--from); return s; }
static long strides(long n, long by) { long s = 0; for (long i = 0; i < n; i += by) s = s * 7 + i; return s; }
static long wraps(unsigned char to) { long s = 0; for (unsigned char i = 250; i != to; i++) s = s * 5 + i; return s; }
int main(int argc, char **argv) {
  long n = atol(argv[1]), s = 0, row[1000];
  for (long i = 0; i < 1000; i++) row[i] = i * 37 % 1001;
  memset(text, 'a', 2999);
  for (long k = 0; k < n; k++) {
    s += several(row, 1000, k % 3 ? 5000 : 990);
    s ^= down((unsigned char)(k % 256), s);
    s += strides(1000 + k, 1 + k % 4) + wraps((unsigned char)(k % 250));
    text[2990 - k % 50] = 0;
    for (const char *at = text; *at; at++) s = s * 3 + *at;
    text[2990 - k % 50] = 'a';
  }
  printf(\"%ld\\n\", s);
  return 0;
}
";
    let bench = Bench::new(&[("strange.c", strange)]);
    for level in ["-O1", "-O2", "-O3", "-Oz"] {
        unroll(&bench, &[level, "strange.c"], &["300"]);
    }
}

#[test]
fn a_program_of_another_language_gets_copies_too() {
    let fortran = "program main
  implicit none
  integer :: n, i, k, s
  character(len=20) :: word
  integer :: a(5000)
  call get_command_argument(1, word)
  read (word, *) n
  do i = 1, 5000
    a(i) = mod(i * 7919, 1000)
  end do
  s = 1
  do k = 1, n
    do i = 1, 4900 + k
      s = ieor(s * 31, a(i)) + ishft(s, -5) * 3
    end do
  end do
  print *, s
end program
";
    let bench = Bench::new(&[("main.f90", fortran)]);
    let json = unroll(&bench, &["main.f90"], &["40"]);
    assert!(!loops(&json).is_empty(), "{json:#}");
}
