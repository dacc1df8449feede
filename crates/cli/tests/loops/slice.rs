//! Has a slice the same loops as its program, and does a verification notice when it has not?
//!
//! The document's own idea first: a sum goes and its loop stays. Then every program of the corpus, with inputs
//! that are none, small, and others; mutants, of which a verification must notice each that matters; and
//! what must be refused, with its place.

use opcost_testkit::command::{ProgramOutput, Workplace, corpus, holds_to_schema};
use serde_json::Value;

use super::workplace;

const SUM: &str = "#include <stdio.h>
#include <stdlib.h>
static double total;
static double weight(double x) { return x * 0.5 + total; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j += 2)
      total += weight(j);
  printf(\"%g\\n\", total);
  return n > 40;
}
";

/// The document of a slice that was verified; its streams must be equal.
pub(super) fn verified(work: &Workplace, arguments: &[&str], words: &[&str]) -> Value {
    let all = [&["slice", "--verify", "--json", "-"], arguments, &["--"], words].concat();
    let said = work.opcost(&all);
    assert_eq!(said.status, 0, "{}\n{}", said.line, said.all());
    let document = said.json();
    holds_to_schema(&document);
    assert_eq!((&document["streams_equal"], &document["ends_equal"]), (&true.into(), &true.into()));
    document
}

#[test]
fn a_sum_goes_and_its_loops_stay() {
    let work = workplace();
    let source = work.write("sum.c", SUM);
    for level in ["-O0", "-O1"] {
        for cut in ["1", "2", "3"] {
            for n in ["0", "17", "50"] {
                let document = verified(&work, &[level, "--level", cut, &source], &[n]);
                let loops = document["loops"].as_array().expect("loops");
                assert_eq!(loops.len(), 2, "{document}");
                let entries: u64 = n.parse().unwrap();
                assert_eq!(loops[1]["run"]["entries"], entries, "{document}");
                assert!(loops.iter().all(|one| one["run"]["equal"] == true), "{document}");
                assert_eq!(document["output"][0]["what"], "call of printf", "{document}");
            }
        }
    }
    // No floating point number is computed any more.
    work.opcost(&["slice", "-O1", "-o", "mini.bc", &source]).expect(0);
    let text = work.tool("llvm-dis-22", &["mini.bc", "-o", "-"]).stdout;
    assert!(!text.contains("fadd") && !text.contains("@printf") && text.contains("@strtol"), "{text}");
}

#[test]
fn a_slice_tells_of_its_loops() {
    let work = workplace();
    let source = work.write("sum.c", SUM);
    work.opcost(&["slice", "-O1", "-o", "mini", &source]).expect(0);
    let said = ProgramOutput::of(
        work.program(work.path("mini")).arg("50").env("OPCOST_SLICE", work.path("trips.txt")),
    );
    assert_eq!((said.status, &*said.stdout), (1, ""), "{said:?}");
    let trips = work.read("trips.txt");
    let numbers: Vec<&str> =
        trips.lines().map(|line| line.rsplit_once(' ').map_or(line, |(start, _)| start)).collect();
    assert_eq!(numbers.len(), 3, "{trips}");
    assert!(numbers[0].starts_with("1 5") && numbers[1].starts_with("50 "), "{trips}");
    assert!(trips.ends_with("end\n"), "{trips}");
}

/// A program of the corpus with its inputs: the name of the file, the small one, and another.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) small: &'static str,
    other: &'static str,
}

const fn member(name: &'static str, file: &'static str, small: &'static str, other: &'static str) -> Member {
    Member { name, file, small, other }
}

pub(super) const MEMBERS: [Member; 10] = [
    member("adi", "inputadi.data", "4\n0.0008\n12 12 12\n", "3\n0.001\n9 7 11\n"),
    member("cg", "cg.input", "2\n", "3\n"),
    member("fft", "inputfft.data", "1\n", "2\n"),
    member("mesh", "inputmesh.data", "5\n", "3\n"),
    member("mg", "mg.input", "3\n8 8 8\n2\n", "4\n16 16 16\n1\n"),
    member("penta", "inputpenta.data", "5\n0.0015\n14 14 14\n", "2\n0.002\n8 9 13\n"),
    member("rng", "inputrng.data", "12\n", "11\n"),
    member("sort", "inputsort.data", "2\n", "3\n"),
    member("ssor", "inputssor.data", "", ""),
    member("stencil", "inputstencil.data", "12 9\n0.02 0.002\n", "7 14\n0.01 0.001\n"),
];

/// The files of a program, the common ones among them.
pub(super) fn sources(folder: &str, name: &str) -> Vec<String> {
    let folder = std::path::PathBuf::from(corpus(folder));
    let of = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    let is_source = |path: &std::path::Path| {
        path.extension().is_some_and(|end| ["c", "f", "f90"].iter().any(|known| end == *known))
    };
    let own = ["c", "f", "f90"].map(|end| folder.join(name).with_extension(end));
    let mut all: Vec<String> = own.into_iter().filter(|path| path.is_file()).map(of).collect();
    let common = std::fs::read_dir(folder.join("common")).expect("common files");
    let mut common: Vec<String> =
        common.filter_map(|file| Some(file.ok()?.path())).filter(|path| is_source(path)).map(of).collect();
    common.sort();
    all.extend(common);
    all
}

/// Its small input.
pub(super) fn input_of(member: &Member) -> String {
    match member.small {
        "" => std::fs::read_to_string(corpus("loops/inputs") + "/" + member.file).expect("an input"),
        small => small.to_owned(),
    }
}

/// Verifies one program with three inputs.
fn of_corpus(folder: &str, member: &Member, level: &str) {
    let work = workplace();
    let sources = sources(folder, member.name);
    let include = format!("-I{}", corpus(folder));
    let common = format!("-I{}/common", corpus(folder));
    let mut arguments = vec![level, &include, &common];
    arguments.extend(sources.iter().map(String::as_str));
    let small = input_of(member);
    let other = match member.other {
        "" => small.replace("60", "7"),
        other => other.to_owned(),
    };
    for input in [Some(small), Some(other), None] {
        match input {
            Some(text) => _ = work.write(member.file, text),
            None => std::fs::remove_file(work.path(member.file)).expect("it was written"),
        }
        let document = verified(&work, &arguments, &[]);
        assert!(document["loops_compared"].as_u64() > Some(3), "{document}");
    }
}

#[test]
fn programs_in_c_have_the_same_loops() {
    MEMBERS.iter().for_each(|member| of_corpus("loops/c", member, "-O1"));
}

#[test]
fn programs_in_fortran_have_the_same_loops() {
    MEMBERS.iter().for_each(|member| of_corpus("loops/fortran", member, "-O1"));
}

#[test]
fn kernels_and_other_programs_have_the_same_loops() {
    let work = workplace();
    let kernels = std::fs::read_dir(corpus("loops/kernels")).expect("kernels");
    let fortran = std::fs::read_dir(corpus("fortran")).expect("programs in Fortran");
    let paths = kernels.chain(fortran).filter_map(|file| Some(file.ok()?.path()));
    let is_source =
        |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "c" || end == "f90");
    let mut programs: Vec<String> =
        paths.filter(is_source).map(|path| path.to_string_lossy().into_owned()).collect();
    programs.sort();
    assert!(programs.len() >= 15, "{programs:?}");
    let input = work.write("numbers.txt", "20\n30\n1 2 3 4 5\n");
    for program in &programs {
        verified(&work, &["-O1", "--stdin", &input, program], &[]);
    }
}

/// Every store and branch that stays matters here: a slice without it is another, for some input. Numbers
/// begin at 1, since memory that nobody wrote may hold 0 by chance.
#[test]
fn a_store_or_branch_that_is_missing_is_noticed() {
    let work = workplace();
    let text = "#include <stdlib.h>
static int limit[4], step;
static void set(int n) {
  if (n > 5) step = 2; else step = 1;
  limit[1] = n * 3;
  limit[2] = n;
}
int main(int argc, char **argv) {
  set(atoi(argv[1]));
  for (int i = 1; i < limit[1]; i += step)
    for (int j = 1; j < limit[2]; j++)
      limit[0] += j;
  return 0;
}
";
    let source = work.write("set.c", text);
    let arguments = |n: &'static str, without: String| {
        work.opcost(&["slice", "-O0", "--verify", "--without", &without, &source, "--", n])
    };
    let refused = arguments("7", "1000".to_owned()).expect(2);
    let count: usize = refused
        .stderr
        .split("there are ")
        .nth(1)
        .expect("a number")
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((6..40).contains(&count), "{}", refused.stderr);
    let mut noticed = 0;
    for number in 0..count {
        let said = ["7", "3"].map(|n| arguments(n, number.to_string()));
        let is_noticed = said.iter().any(|one| one.status == 3);
        assert!(is_noticed, "{number}: {}", said[0].all());
        assert!(said.iter().all(|one| one.stdout.contains("left out on purpose")), "{}", said[0].all());
        noticed += 1;
    }
    assert_eq!(noticed, count);
}

/// Classes, containers, exceptions, streams: what a library does to memory that is passed to it stays.
#[test]
fn programs_in_cpp_have_the_same_loops() {
    let work = workplace();
    for name in [
        "cases/virtual",
        "exceptions/ledger",
        "metered/calls",
        "metered/throwing",
        "portable/complex",
        "portable/strings",
    ] {
        let program = corpus(name) + ".cpp";
        for level in ["2", "3"] {
            verified(&work, &["-O1", "--level", level, &program], &[]);
        }
    }
    let input = work.write("numbers.txt", "3 4\n5\n");
    let text = "#include <iostream>
#include <map>
#include <string>
#include <vector>
int main(int argc, char **argv) {
  int n;
  double sum = 0;
  std::vector<double> all;
  std::map<int, double> some;
  while (std::cin >> n)
    for (int i = 0; i < n; i++) {
      sum += i * 0.5;
      all.push_back(sum);
      some[i % 7] += sum;
    }
  for (double one : all) sum += one;
  for (auto &[key, one] : some) std::cout << key << ' ' << one << '\\n';
  std::string words;
  for (int i = 1; i < argc; i++) words += argv[i];
  for (char letter : words) std::cout << letter << std::endl;
  return 0;
}
";
    let source = work.write("streams.cpp", text);
    let document = verified(&work, &["-O1", "--stdin", &input, &source], &["abc", "de"]);
    let iterations: Vec<&Value> =
        document["loops"].as_array().unwrap().iter().map(|one| &one["run"]["iterations"]).collect();
    assert!(iterations.iter().any(|count| **count == 3 + 4 + 5), "{document}");
    let said = work.opcost(&["slice", "-O1", "--annotate", &source]).expect(0);
    assert!(said.stdout.contains("opcost does not know what it does"), "{}", said.stdout);
}

/// A program that is hard to slice, and arguments for it.
struct Hard {
    name: &'static str,
    text: &'static str,
    arguments: &'static [&'static [&'static str]],
    /// Events of all loops with the first arguments.
    events: u64,
}

const HARD: [Hard; 6] = [
    Hard {
        name: "words.c",
        text: "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  char line[256];
  long words = 0, sum = 0;
  while (fgets(line, sizeof line, stdin))
    for (char *word = strtok(line, \" \\n\"); word; word = strtok(NULL, \" \\n\")) {
      words++;
      sum += atoi(word);
    }
  for (int i = 1; i < argc; i++)
    for (char *letter = argv[i]; *letter; letter++) sum += *letter;
  printf(\"%ld %ld\\n\", words, sum);
  return 0;
}
",
        arguments: &[&["abc", "de"], &[]],
        events: 34,
    },
    Hard {
        name: "recursive.c",
        text: "#include <stdio.h>
#include <stdlib.h>
static long calls;
static int ackermann(int m, int n) {
  calls++;
  int sum = 0;
  for (int i = 0; i < m; i++) sum += i * n;
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1)) + 0 * sum;
}
int main(int argc, char **argv) {
  int result = ackermann(atoi(argv[1]), 3);
  for (int i = 0; i < result; i++) calls += i;
  printf(\"%ld\\n\", calls);
  return result == 5;
}
",
        arguments: &[&["2"], &["1"], &["0"]],
        events: 127,
    },
    Hard {
        name: "irreducible.c",
        text: "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), i = 0;
  double sum = 0;
  if (n & 1) goto second;
first:
  i += 2;
  sum += i;
  if (i > n * 3) goto out;
second:
  i += 1;
  sum *= 1.5;
  if (i <= n * 4) goto first;
out:
  for (int j = 0; j < i; j++) sum += j;
  printf(\"%g %d\\n\", sum, i);
  return 0;
}
",
        arguments: &[&["9"], &["8"], &["1"], &["0"]],
        events: 32,
    },
    Hard {
        name: "volatile.c",
        text: "#include <stdio.h>
#include <stdlib.h>
volatile int port;
static double sum;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++) {
    port = i;
    sum += port * 0.5;
  }
  for (int i = 0; i < port; i++) sum += 1;
  printf(\"%g\\n\", sum);
  return 0;
}
",
        arguments: &[&["9"], &["0"]],
        events: 21,
    },
    Hard {
        name: "thrown.cpp",
        text: "#include <cstdio>
#include <cstdlib>
#include <stdexcept>
static int depth(int n, double &sum) {
  sum += n;
  if (n > 40) throw std::runtime_error(\"deep\");
  int all = 0;
  for (int i = 0; i < n; i++) {
    all += i;
    sum *= 1.01;
  }
  return all ? depth(n + all % 7 + 1, sum) : 0;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), count = 0;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    try {
      count += depth(i, sum);
    } catch (const std::exception &error) {
      for (const char *letter = error.what(); *letter; letter++) count++;
    }
  }
  for (int i = 0; i < count; i++) sum += i;
  std::printf(\"%g %d\\n\", sum, count);
  return 0;
}
",
        arguments: &[&["6"], &["1"]],
        events: 664,
    },
    Hard {
        name: "ended.c",
        text: "#include <stdio.h>
#include <stdlib.h>
static int table[3] = {4, 5, 6};
static void stop(int n) {
  for (int i = 0; i < 8; i++) table[i % 3] += n;
  if (table[0] > 20) exit(3);
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  double sum = 0;
  for (int i = 0; i < 10; i++) {
    for (int j = 0; j < 12; j++) sum += i * j;
    stop(n);
  }
  printf(\"%g\\n\", sum);
  return 0;
}
",
        arguments: &[&["1"], &["0"], &["9"]],
        events: 151,
    },
];

/// Input, arguments, recursion, cycles with two entries, volatile data, exceptions, an end in the middle of a
/// loop whose count is constant.
#[test]
fn hard_programs_have_the_same_loops() {
    let work = workplace();
    let input = work.write("words.txt", "a 1 2\n3 4 five\n\nsix\n");
    for hard in &HARD {
        let source = work.write(hard.name, hard.text);
        for (position, words) in hard.arguments.iter().enumerate() {
            for (level, cut) in [("-O0", "2"), ("-O0", "3"), ("-O1", "3"), ("-O2", "3")] {
                let document = verified(&work, &[level, "--level", cut, "--stdin", &input, &source], words);
                let is_first = position == 0 && cut == "2";
                assert!(!is_first || document["events"]["original"] == hard.events, "{document}");
            }
        }
    }
}

#[test]
fn what_cannot_be_sliced_is_refused_with_its_place() {
    let work = workplace();
    let cases = [
        (
            "jump.c",
            "#include <setjmp.h>\njmp_buf b;\nint main(void) {\n  if (setjmp(b)) return 1;\n  longjmp(b, 1);\n}\n",
            "jump.c:4",
        ),
        (
            "hand.c",
            "#include <signal.h>\nvoid h(int s) {}\nint main(void) {\n  signal(2, h);\n  return 0;\n}\n",
            "hand.c:4",
        ),
        (
            "action.c",
            "#include <signal.h>\nvoid h(int s) {}\nint main(void) {\n  struct sigaction a = {.sa_handler = h};\n  \
             return sigaction(2, &a, 0);\n}\n",
            "action.c:5",
        ),
        (
            "thread.c",
            "#include <pthread.h>\nvoid *w(void *p) { return p; }\nint main(void) {\n  pthread_t t;\n  \
             return pthread_create(&t, 0, w, 0);\n}\n",
            "thread.c:5",
        ),
        (
            "thread.cpp",
            "#include <thread>\nint main(int n, char **) {\n  std::thread t([&] { n++; });\n  t.join();\n  return n;\n}\n",
            "starts a thread",
        ),
        (
            "read.c",
            "#include <aio.h>\n#include <signal.h>\n#include <string.h>\nint n;\nvoid f(union sigval v) { n++; }\n\
             int main(void) {\n  static char b[8];\n  struct aiocb a;\n  memset(&a, 0, sizeof a);\n  \
             a.aio_sigevent.sigev_notify = SIGEV_THREAD;\n  a.aio_sigevent.sigev_notify_function = f;\n  \
             a.aio_buf = b;\n  a.aio_nbytes = 8;\n  return aio_read(&a);\n}\n",
            "read.c:14",
        ),
        (
            "other.c",
            "#define _GNU_SOURCE\n#include <unistd.h>\nint main(int n, char **v) {\n  return execvpe(v[0], v, 0);\n}\n",
            "other.c:4",
        ),
        ("fork.c", "#include <unistd.h>\nint main(void) {\n  return fork() == 0;\n}\n", "fork.c:3"),
        (
            "asm.c",
            "int main(void) {\n  int x;\n  __asm__ volatile(\"movl $3, %0\" : \"=r\"(x));\n  return x;\n}\n",
            "asm.c:3",
        ),
        (
            "part.c",
            "int f(int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++) s += i;\n  return s;\n}\n",
            "no main",
        ),
    ];
    for (name, text, place) in cases {
        let source = work.write(name, text);
        let said = work.opcost(&["slice", "-O0", &source]).expect(1);
        assert!(said.stderr.contains(place), "{}", said.stderr);
    }
    let source = work.write("sum.c", SUM);
    for (flags, words) in [
        (["--bounded", "sum.c:2"], "no loop begins in this line"),
        (["--criterion", "sum.c:999"], "nothing is computed in this line"),
        (["--why", "sum.c"], "names no line"),
    ] {
        let said = work.opcost(&["slice", flags[0], flags[1], &source]).expect(2);
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    work.opcost(&["slice", &source, "--", "7"]).expect(2);
}

/// The graph has each instruction that stays, and leads to a loop.
#[test]
fn what_stays_is_a_graph() {
    let work = workplace();
    let source = work.write("sum.c", SUM);
    let document =
        work.opcost(&["slice", "-O1", "--dot", "marks.dot", "--json", "-", &source]).expect(0).json();
    let graph = work.read("marks.dot");
    assert!(graph.starts_with("digraph slice {") && graph.ends_with("}\n"), "{graph}");
    let nodes = graph.lines().filter(|line| line.contains(" [label=") && !line.contains("->")).count();
    assert_eq!(nodes as u64, document["kept"].as_u64().unwrap(), "{graph}");
    for words in ["sum.c:8", "it decides when the loop at", "-> n", "label=\"operand\""] {
        assert!(graph.contains(words), "{graph}");
    }
}
