//! Does each block run as often as it should, whatever of a program is replaced while it runs?
//!
//! `opcost run --stress SEED --counts FILE` replaces every function and every loop at random, and counts meanwhile. First
//! code and all versions add to the same counters. The referee is `opcost count` of the same sources: what it says of
//! functions, blocks and lines must be said of the run to the digit. A continuation that runs a block twice, or passes
//! one over, has another number there. `count` has few counters and works the rest out, and in stress each segment has
//! its own, so both are found by two methods.
//!
//! A function may be in several modules. The linker takes one, and versions are made of any. So what is counted of
//! copies is added. Which words change when depends on time, and no count may.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Column, Quality, Subject};
use opcost_testkit::command::{Workplace, corpus};

use crate::referee::real_program;

/// A folder with a copy of the programs of `corpus/run`.
fn programs() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    for entry in std::fs::read_dir(corpus("run")).expect("the programs") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        place.write(name, std::fs::read(&path).expect("a program"));
    }
    place
}

/// What a ledger says, but of edges, which have no counts where each segment has a counter.
fn counts(path: &Path) -> BTreeMap<(Subject, Column), u128> {
    let ledger = load_ledger(path).expect("a whole ledger");
    let mut all = BTreeMap::new();
    for fact in ledger.facts() {
        assert_eq!(fact.quality, Quality::Exact, "{:?}", fact.subject);
        let mut subject = fact.subject.clone();
        match &mut subject {
            Subject::Edge { .. } => continue,
            Subject::Function { function, .. }
            | Subject::Block { function, .. }
            | Subject::Pointers { function, .. }
            | Subject::FunctionLine { function, .. }
                if !function.is_local =>
            {
                Arc::make_mut(function).module.clear();
            }
            _ => {}
        }
        let value = u128::from(fact.value.expect("a count that is exact"));
        *all.entry((subject, fact.column)).or_default() += value;
    }
    all
}

/// Counts a program and replaces it at random, both with these words, and holds every count of one against the other.
fn agrees(place: &Workplace, words: &str, seeds: &[u32]) {
    // As `opcost run` links it.
    let same = "--cflag=-fno-pie --cflag=-no-pie";
    let line =
        format!("$OPCOST count --pass-status --anchor pgo --ledger count.opc -o count.txt {same} {words}");
    let counted = place.shell(&line);
    let expected = counts(&place.path("count.opc"));
    let blocks = expected.keys().filter(|(subject, _)| matches!(subject, Subject::Block { .. })).count();
    assert!(blocks > 0, "{line}: {}", counted.stderr);
    for seed in seeds {
        for mode in ["adaptive", "two-pass"] {
            let how = format!("--stress {seed} --mode {mode} --counts run.opc --json run.json");
            let line = format!("$OPCOST run {how} {words}");
            let ran = place.shell(&line);
            assert_eq!(
                (ran.status, &ran.stdout),
                (counted.status, &counted.stdout),
                "{line}: {}",
                ran.stderr
            );
            let said = place.json("run.json");
            let versions = said["versions"].as_array().expect("versions");
            assert!(!versions.is_empty() && said["refused"] == serde_json::json!([]), "{line}: {said:#}");
            let found = counts(&place.path("run.opc"));
            let differ = |key: &&(Subject, Column)| expected.get(key) != found.get(key);
            let keys = || expected.keys().chain(found.keys());
            if let Some(key) = keys().find(differ) {
                let (all, one, other) = (keys().filter(differ).count(), expected.get(key), found.get(key));
                panic!("{line}: {key:?}: count says {one:?}, the run {other:?}; {all} counts differ");
            }
        }
    }
}

#[test]
fn loops_that_are_left_in_the_middle() {
    let place = programs();
    agrees(&place, "--cflag=-w filter.c -- 1 3 1 5 6", &[1, 2, 3]);
    agrees(&place, "--cflag=-w contents.c", &[1, 2]);
}

#[test]
fn values_of_all_kinds() {
    let place = programs();
    agrees(&place, "--cflag=-w -l m values.c", &[1, 2]);
    agrees(&place, "--cflag=-w linking.c linking_other.c", &[1, 2]);
}

#[test]
fn exceptions_through_versions() {
    agrees(&programs(), "--cflag=-w exceptions.cpp", &[1, 2]);
}

#[test]
fn fortran_in_versions() {
    agrees(&programs(), "fortran.f90", &[1, 2]);
}

/// Threads have counters of their own, at a distance from those of the module.
#[test]
fn threads_of_two_files() {
    let place = programs();
    place.write(
        "threads.cpp",
        "#include <cstdio>\n#include <thread>\n#include \"both.h\"\nlong other(int);\n\
         int main() {\n  long a = 0, b = 0;\n  std::thread one([&] { for (int i = 0; i < 300; i++) a += both(i); });\n  \
         std::thread two([&] { for (int i = 0; i < 200; i++) b += other(i) + both(i); });\n  one.join();\n  two.join();\n  \
         std::printf(\"%ld %ld\\n\", a, b);\n}\n",
    );
    place
        .write("other.cpp", "#include \"both.h\"\nlong other(int n) { return both(n + 1) + both(n + 2); }\n");
    place.write(
        "both.h",
        "__attribute__((noinline)) inline int both(int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++)\n    \
         for (int k = 0; k < 40; k++) s += (i ^ k) % 7 ? 1 : 2;\n  return s;\n}\n",
    );
    agrees(&place, "-l pthread threads.cpp other.cpp", &[1, 2]);
}

/// Recursion, branches of many ways, calls through pointers, and ends from within loops.
#[test]
fn ways_that_control_takes() {
    let place = programs();
    place.write(
        "ways.c",
        "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         static jmp_buf out;\nstatic unsigned long sum;\n\
         static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }\n\
         static int twice(int x) { for (int i = 0; i < 3; i++) x += x & 15; return x; }\n\
         static int third(int x) { return x / 3; }\n\
         static int (*volatile table[])(int) = {twice, third, abs};\n\
         static int ways(const char *s, int n) {\n  int at = 0, stack[64];\n  while (n-- > 0) {\n    \
         for (const char *c = s; *c; c++) switch (*c) {\n      case '1': stack[at++ & 63] = n; break;\n      \
         case '2': at = at > 0 ? at - 1 : 0; break;\n      case '3': sum += stack[(at + 63) & 63] & 255; continue;\n      \
         case '4': if (n % 3 == 0) goto next; sum++; break;\n      case '5': sum += table[n % 3](n); break;\n      \
         default: sum ^= 1;\n      }\n  next:;\n  }\n  return at;\n}\n\
         static void deep(int n) {\n  for (int i = 0; i < 50; i++) {\n    sum += i;\n    \
         if (n == 0 && i == 31) longjmp(out, 1);\n    if (n > 0 && i == 17) deep(n - 1);\n  }\n}\n\
         static void ends(int n) {\n  for (int i = 0;; i++)\n    for (int k = 0; k < n; k++) {\n      sum += i ^ k;\n      \
         if (i == 400 && k == 3) { printf(\"%lu\\n\", sum); exit(9); }\n    }\n}\n\
         int main(void) {\n  int stack[64] = {0};\n  printf(\"%d %d\\n\", ack(2, 300), stack[5]);\n  \
         printf(\"%d\\n\", ways(\"1x12345\", 60000) != -1);\n  \
         for (volatile int i = 0; i < 200; i++) if (!setjmp(out)) deep(20);\n  ends(300);\n}\n",
    );
    agrees(&place, "--cflag=-w ways.c", &[1, 2, 3]);
}

/// Real programs whose counts do not hang on addresses: those of Lua differ from run to run by themselves.
#[test]
fn real_programs() {
    for name in ["kernel", "exceptions", "matmul", "strings"] {
        let program = real_program(name);
        let mut words: Vec<String> = program.flags.iter().map(|flag| format!("'--cflag={flag}'")).collect();
        let library = |flag: &String| format!("-l {}", flag.strip_prefix("-l").unwrap_or(flag));
        words.extend(program.libraries.iter().map(library));
        words.extend(program.sources.iter().map(|source| source.display().to_string()));
        words.push("--".to_owned());
        words.extend(program.small);
        agrees(&programs(), &words.join(" "), &[1]);
    }
}
