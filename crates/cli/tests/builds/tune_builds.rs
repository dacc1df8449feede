//! Whole builds by a ledger: `opcost cc --opcost-tune`.
//!
//! Each project is counted by the driver, trained, and built again by its counts. The tuned program must print what a
//! plain build prints. That it was placed shows in its symbols and in its report.

use opcost_testkit::command::ProgramOutput;

use crate::support::{Bench, needs};

/// One function that is hot, one that is not, and blocks that never run.
const WORK: &str = "#include <stdlib.h>
int steps(int n);
__attribute__((noinline)) static int odd(int x) { if (x > 90000000) abort(); return x % 7 == 3 ? x * 3 : x + 1; }
__attribute__((noinline)) int never(int x) { return x * 17 + 4; }
int work(int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) { if (i < 0) sum += (unsigned)never(i); sum += (unsigned)odd(i); }
  return (int)(sum + (unsigned)steps(n));
}
";
const MAIN: &str = "#include <stdio.h>
#include <stdlib.h>
int work(int n);
int add_by_hand(int a, int b);
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  printf(\"%d %d\\n\", work(n), add_by_hand(n, 4));
  return 0;
}
";
const STEPS: &str = "#include <stdlib.h>
__attribute__((noinline)) int steps(int n) {
  int k = 0;
  while (n != 1) { if (n < 1) abort(); n = n % 2 ? 3 * n + 1 : n / 2; k++; }
  return k;
}
";
/// x86-64 and aarch64.
const HAND: &str = "#if defined(__x86_64__)
.text
.globl add_by_hand
.type add_by_hand,@function
add_by_hand:
  leal (%rdi,%rsi), %eax
  ret
#else
.text
.globl add_by_hand
.type add_by_hand,@function
add_by_hand:
  add w0, w0, w1
  ret
#endif
.size add_by_hand, .-add_by_hand
.section .note.GNU-stack,\"\",@progbits
";
const MAKEFILE: &str = "CFLAGS = -O2
prog: main.o work.o hand.o libsteps.a
\t$(CC) $(CFLAGS) main.o work.o hand.o -L. -lsteps -o $@
libsteps.a: steps.o
\tar rcs $@ steps.o
hand.o: hand.S
\t$(CC) -c hand.S -o $@
clean:
\trm -f *.o *.a prog
";

fn project() -> Bench {
    needs("make", "make");
    Bench::new(&[
        ("main.c", MAIN),
        ("work.c", WORK),
        ("steps.c", STEPS),
        ("hand.S", HAND),
        ("Makefile", MAKEFILE),
    ])
}

/// The program's functions in the order of their addresses.
fn functions(bench: &Bench, program: &str) -> Vec<String> {
    let said = bench.shell(&format!("llvm-nm-22 -n --defined-only {program}"));
    let of_line = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let is_code = matches!(words.next(), Some("t" | "T" | "W"));
        words.next().filter(|_| is_code).map(str::to_owned)
    };
    said.stdout.lines().filter_map(of_line).collect()
}

#[track_caller]
fn tells(said: &ProgramOutput, words: &[&str]) {
    for word in words {
        assert!(said.stderr.contains(word), "no '{word}' in:\n{}", said.stderr);
    }
}

#[test]
fn a_build_of_make_is_placed_by_its_counts() {
    let bench = project();
    bench.shell(
        "CC=clang-22 make -s; ./prog 777 > expected; make -s clean; CC=\"$OPCOST cc\" make -s; \
         $OPCOST count --ledger run.opc -o report.txt ./prog -- 5000; make -s clean",
    );
    let said = bench.shell("CC=\"$OPCOST cc --opcost-tune=run.opc --opcost-explain=$PWD/all.txt\" make -s");
    tells(&said, &["prog: 4 functions in order by run.opc"]);
    assert!(!said.stderr.contains("left"), "{}", said.stderr);
    assert_eq!(bench.shell("./prog 777").stdout, bench.read("expected"));
    let functions = functions(&bench, "prog");
    let at = |name: &str| {
        functions.iter().position(|one| one == name).unwrap_or_else(|| panic!("{name}: {functions:?}"))
    };
    // What never runs of the hot function has a section of its own, behind all that ran.
    let ran = ["work", "odd", "steps", "main"].map(at);
    for cold in ["odd.cold", "steps.cold", "never", "add_by_hand"] {
        assert!(ran.iter().all(|&one| one < at(cold)), "{cold}: {functions:?}");
    }
    // A function follows its caller.
    assert_eq!(at("odd"), at("work") + 1, "{functions:?}");
    let all = bench.read("all.txt");
    for words in ["prog\n", "placed  odd (work.c): ", "placed  steps (steps.c): "] {
        assert!(all.contains(words), "{all}");
    }
    // The notes are in objects alone, and a program has no more than a plain one.
    assert!(!bench.shell("llvm-readelf-22 -SW prog").stdout.contains(".opcost"));
    assert!(!bench.shell("llvm-readelf-22 -SW prog").stdout.contains(".debug_info"));
    assert!(bench.shell("llvm-readelf-22 -SW work.o").stdout.contains(".opcost.tuned"));
}

#[test]
fn what_changed_since_is_left_and_named() {
    let bench = project();
    bench.shell(
        "CC=\"$OPCOST cc\" make -s; $OPCOST count --ledger run.opc -o report.txt ./prog -- 5000; make -s clean",
    );
    bench.write(
        "work.c",
        WORK.replace("x % 7 == 3 ?", "x % 11 == 2 ? 8 : x % 7 == 3 ?")
            .replace("odd(int x) {", "odd(int x) { if (x == 12345) return (int)(long)getenv(\"HOME\");"),
    );
    let said = bench.shell("CC=\"$OPCOST cc --opcost-tune=run.opc\" make -s");
    tells(
        &said,
        &[
            "prog: 3 functions in order by run.opc",
            "1 function left as compiled (odd: its flow is another now",
        ],
    );
    let expected = bench.shell("clang-22 -O2 *.c hand.S -o plain && ./plain 300").stdout;
    assert_eq!(bench.shell("./prog 300").stdout, expected);
}

#[test]
fn a_ledger_of_another_build_changes_nothing() {
    let bench = project();
    bench.write(
        "other.c",
        "int main(int argc, char **argv) { int n = 0; for (int i = 0; i < argc * 9; i++) if (i % 3) n += i ^ argc; return n == 4; }\n",
    );
    bench.shell("$OPCOST count --ledger run.opc -o report.txt other.c; rm other.c; CC=clang-22 make -s; mv work.o plain.obj; make -s clean");
    let said = bench.shell("CC=\"$OPCOST cc --opcost-tune=run.opc\" make -s");
    tells(&said, &["prog: run.opc is of another build: no function is as it was counted"]);
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
    // Byte for byte what the compiler makes, but for the note.
    bench.shell("for o in work.o plain.obj; do llvm-objcopy-22 -O binary -j .text $o $o.code; done; cmp work.o.code plain.obj.code; test -s work.o.code");
    assert_eq!(bench.shell("./prog 10").stdout.split(' ').nth(1), Some("14\n"));
}

#[test]
fn a_ledger_that_is_none_stops_the_build() {
    let bench = project();
    let fails = |lines: &str, status: i32, words: &[&str]| {
        let said = bench.0.shell(lines).expect(status);
        tells(&said, words);
    };
    fails("$OPCOST cc --opcost-tune=absent.opc -c work.c", 1, &["absent.opc", "cannot read"]);
    fails("$OPCOST cc --opcost-tune=work.c -c work.c", 2, &["work.c is not an opcost ledger"]);
    fails("$OPCOST cc --opcost-tune= -c work.c", 2, &["--opcost-tune needs a ledger"]);
    fails("$OPCOST cc --opcost-sample --opcost-tune=run.opc -c work.c", 2, &["not both"]);
    fails(
        "head -c 100 work.c > cut.opcraw; $OPCOST cc --opcost-tune=cut.opcraw -c work.c",
        2,
        &["opcost report"],
    );
    fails("OPCOST_TUNE=absent.opc $OPCOST cc -c work.c", 1, &["absent.opc"]);
    assert!(!bench.path("work.o").exists());
    // What makes no code needs none.
    bench.shell("$OPCOST cc --opcost-tune=absent.opc -E work.c -o work.i; $OPCOST cc --opcost-tune=absent.opc --version");
}

#[test]
fn each_way_to_link_gives_the_same_program() {
    let bench = project();
    let expected = bench.shell("clang-22 -O2 *.c hand.S -o plain && ./plain 300").stdout;
    let all = "main.c work.c steps.c hand.S";
    for (level, words) in [
        ("-O2", "-O2"),
        ("-O0", "-O0 -g"),
        ("-O3", "-O3 -fPIC -pie -g"),
        ("-Os", "-Os -no-pie -fno-pie"),
        ("-O2", "-O2 -static"),
        ("-O2", "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,-O1 -s"),
        ("-O2", "-O2 -fuse-ld=bfd -gdwarf-4"),
    ] {
        bench.shell(&format!(
            "$OPCOST cc {level} {all} -o counted; $OPCOST count --ledger run.opc -o r.txt ./counted -- 500"
        ));
        let said = bench.shell(&format!("$OPCOST cc --opcost-tune=run.opc {words} {all} -o tuned"));
        tells(&said, &["tuned: ", "functions in order by run.opc"]);
        assert!(!said.stderr.contains("left"), "{words}: {}", said.stderr);
        assert_eq!(bench.shell("./tuned 300").stdout, expected, "{words}");
    }
    // In parts: relocatable, shared, an archive that is thin.
    bench.shell(&format!(
        "$OPCOST cc -O2 {all} -o counted; $OPCOST count --ledger run.opc -o r.txt ./counted -- 500"
    ));
    let said = bench.shell(
        "cc=\"$OPCOST cc --opcost-tune=run.opc -O2\"; $cc -c main.c; $cc -c work.c; $cc -c hand.S; $cc -r main.o work.o \
         -o whole.o; $cc -fPIC -shared steps.c -o libsteps.so; $cc whole.o hand.o -L. -lsteps -Wl,-rpath,$PWD -o tuned",
    );
    tells(&said, &["libsteps.so: 1 function in order", "tuned: 3 functions in order"]);
    assert_eq!(bench.shell("./tuned 300").stdout, expected);
    let said = bench.shell(
        "rm libsteps.so; cc=\"$OPCOST cc --opcost-tune=run.opc -O2\"; $cc -c steps.c; ar rcsT libsteps.a steps.o; \
         $cc whole.o hand.o libsteps.a -o tuned",
    );
    tells(&said, &["tuned: 4 functions in order"]);
    assert_eq!(bench.shell("./tuned 300").stdout, expected);
    // A debugger finds the lines of moved code.
    let said = bench.shell(&format!("$OPCOST cc --opcost-tune=run.opc -O2 -g {all} -o tuned"));
    tells(&said, &["4 functions in order"]);
    let line = bench.shell("llvm-symbolizer-22 --obj=tuned $(llvm-nm-22 tuned | sed -n 's/^\\([0-9a-f]*\\) . odd.cold$/0x\\1/p')");
    assert!(line.stdout.contains("work.c:"), "{}", line.stdout);
}

#[test]
fn what_is_not_opcosts_to_order_is_left_and_told() {
    let bench = project();
    let all = "main.c work.c steps.c hand.S";
    let expected = bench.shell(&format!("clang-22 -O2 {all} -o plain && ./plain 300")).stdout;
    bench.shell(&format!(
        "$OPCOST cc -O2 {all} -o counted; $OPCOST count --ledger run.opc -o r.txt ./counted -- 500"
    ));
    let tuned = "$OPCOST cc --opcost-tune=run.opc -O2";
    let said = bench.shell(&format!("{tuned} -flto -fuse-ld=lld {all} -o tuned"));
    tells(&said, &["tuned: nothing is put in order by run.opc"]);
    assert_eq!(bench.shell("./tuned 300").stdout, expected);
    bench.write("mine.txt", "main\nsteps\n");
    let said =
        bench.shell(&format!("{tuned} -fuse-ld=lld -Wl,--symbol-ordering-file=mine.txt {all} -o tuned"));
    tells(&said, &["blocks of 4 functions in order", "decides the order of functions"]);
    assert_eq!(bench.shell("./tuned 300").stdout, expected);
    // Code that the backend shapes by flags of its own.
    let said = bench.shell(&format!("{tuned} -mllvm -align-all-functions=5 {all} -o tuned"));
    tells(&said, &["-mllvm"]);
    assert_eq!(bench.shell("./tuned 300").stdout, expected);
    // Errors are the compiler's own, once.
    bench.write("broken.c", "int main(void) { return nope; }\n");
    let ours = bench.0.shell(&format!("{tuned} -c broken.c")).expect(1);
    let theirs = bench.0.shell("clang-22 -O2 -c broken.c").expect(1);
    assert_eq!(ours.stderr, theirs.stderr);
    let ours = bench.0.shell(&format!("{tuned} main.c work.c steps.c -o lacks")).expect(1);
    let theirs = bench.0.shell("clang-22 -O2 main.c work.c steps.c -o lacks").expect(1);
    assert_eq!(
        ours.stderr.matches("add_by_hand").count(),
        theirs.stderr.matches("add_by_hand").count(),
        "{}",
        ours.stderr
    );
    let warns = "int f(int x) { int unused; return x; }\n";
    bench.write("warns.c", warns);
    let ours = bench.shell(&format!("{tuned} -Wall -c warns.c"));
    assert_eq!(ours.stderr.matches("unused variable").count(), 1, "{}", ours.stderr);
    bench.shell(
        "echo 'int g(void) { return 1; }' | $OPCOST cc --opcost-tune=run.opc -x c -c - -o g.o; test -s g.o",
    );
}

#[test]
fn early_counts_are_the_optimisers_profile() {
    let bench = project();
    let expected = bench.shell("clang-22 -O2 *.c hand.S -o plain && ./plain 300").stdout;
    bench.shell(
        "CC=\"$OPCOST cc --opcost-anchor=pgo\" make -s; $OPCOST count --ledger run.opc -o report.txt ./prog -- 5000; \
         make -s clean",
    );
    let said = bench.shell("CC=\"$OPCOST cc --opcost-tune=run.opc\" make -s");
    tells(&said, &["functions in order by run.opc"]);
    assert!(!said.stderr.contains("left"), "{}", said.stderr);
    assert_eq!(bench.shell("./prog 300").stdout, expected);
    let functions = functions(&bench, "prog");
    assert!(functions.iter().any(|name| name.ends_with(".cold")), "{functions:?}");
    // Without an optimiser nothing reads a profile.
    bench.shell("$OPCOST cc --opcost-tune=run.opc -O0 -c work.c -o slow.o; make -s clean");
    let said = bench.shell("CC=\"$OPCOST cc --opcost-tune=run.opc\" make -s CFLAGS=-O0");
    tells(&said, &["nothing reads one here (-O0, bitcode)"]);
    // A function that changed is left, and the others keep their profile.
    bench.write(
        "work.c",
        WORK.replace("odd(int x) {", "odd(int x) { if (x == 12345) return (int)(long)getenv(\"HOME\");"),
    );
    let said = bench.shell("make -s clean; CC=\"$OPCOST cc --opcost-tune=run.opc\" make -s");
    tells(&said, &["1 function left as compiled (odd: its flow is another now"]);
    assert_eq!(bench.shell("./prog 300").stdout, expected);
}

#[test]
fn inline_functions_and_exceptions_of_cxx_are_placed() {
    let header = "#include <stdexcept>
#include <string>
#include <vector>
template <class T> struct Bag {
  std::vector<T> all;
  __attribute__((noinline)) T take(int at) { if (at >= (int)all.size()) throw std::out_of_range(std::to_string(at)); return all[(unsigned)at]; }
};
int sum(Bag<int> &bag, int n);
";
    let sum = "#include \"bag.h\"
int sum(Bag<int> &bag, int n) {
  int total = 0;
  for (int i = 0; i < n; i++) { try { total += bag.take(i % 11); } catch (const std::out_of_range &e) { total -= (int)e.what()[0]; } }
  return total;
}
";
    let main = "#include \"bag.h\"
#include <cstdio>
#include <cstdlib>
int main(int argc, char **argv) {
  Bag<int> bag;
  for (int i = 0; i < 10; i++) bag.all.push_back(i * i);
  int n = std::atoi(argv[1]);
  std::printf(\"%d %d\\n\", sum(bag, n), bag.take(3));
}
";
    let bench = Bench::new(&[("bag.h", header), ("sum.cpp", sum), ("main.cpp", main)]);
    let expected = bench.shell("clang++-22 -O1 sum.cpp main.cpp -o plain && ./plain 90").stdout;
    bench.shell(
        "$OPCOST c++ -O1 sum.cpp main.cpp -o counted; $OPCOST count --ledger run.opc -o r.txt ./counted -- 5000",
    );
    let said = bench.shell(
        "cc=\"$OPCOST c++ --opcost-tune=run.opc -O1\"; $cc -c sum.cpp; $cc -c main.cpp; $cc sum.o main.o -o tuned",
    );
    tells(&said, &["tuned: ", "functions in order by run.opc"]);
    assert_eq!(bench.shell("./tuned 90").stdout, expected);
    let functions = functions(&bench, "tuned");
    assert!(functions.iter().any(|name| name.contains("take") && name.ends_with(".cold")), "{functions:?}");
}

#[test]
fn a_build_of_cmake_is_placed_in_a_folder_of_its_own() {
    needs("cmake", "cmake");
    let lists = "cmake_minimum_required(VERSION 3.13)
project(mix C)
include(CheckCSourceCompiles)
check_c_source_compiles(\"int main(void){return 0;}\" WORKS)
check_c_source_compiles(\"int main(void){return nope;}\" FAILS)
message(STATUS \"RESULT [${WORKS}] [${FAILS}]\")
add_library(steps STATIC steps.c)
add_executable(prog main.c work.c hand.c)
target_link_libraries(prog steps)
";
    let bench = project();
    bench.write("CMakeLists.txt", lists);
    bench.write("hand.c", "int add_by_hand(int a, int b) { return a + b; }\n");
    let expected = bench.shell("clang-22 -O2 *.c -o plain && ./plain 300").stdout;
    bench.shell(
        "CC=\"$OPCOST cc\" cmake -S . -B counted -DCMAKE_BUILD_TYPE=Release; cmake --build counted; \
         $OPCOST count --ledger run.opc -o report.txt counted/prog -- 5000",
    );
    let said = bench
        .shell("CC=\"$OPCOST cc --opcost-tune=$PWD/run.opc\" cmake -S . -B tuned -DCMAKE_BUILD_TYPE=Release");
    assert!(said.stdout.contains("RESULT [1] []"), "{}", said.stdout);
    assert!(!said.stderr.contains("opcost: "), "{}", said.stderr);
    let said = bench.shell("cmake --build tuned 2>&1 >out.txt | cat >&2");
    tells(&said, &["prog: 5 functions in order by"]);
    assert_eq!(bench.shell("tuned/prog 300").stdout, expected);
}

#[test]
fn fortran_is_placed() {
    needs("flang-22", "flang-22");
    let text = "program grid
  implicit none
  integer :: i, n
  integer(8) :: s
  character(len=16) :: word
  call get_command_argument(1, word)
  read (word, *) n
  s = 0
  do i = 1, n
    if (mod(s, 7_8) == 3) then
      s = s * 3 + i
    else
      s = s + 2 * i
    end if
    if (s > 100000000_8) s = mod(s, 1000_8)
    if (s < 0) stop 3
  end do
  print '(i0)', s
end program grid
";
    let bench = Bench::new(&[("grid.f90", text)]);
    let expected = bench.shell("flang-22 -O2 grid.f90 -o plain && ./plain 321").stdout;
    bench.shell(
        "$OPCOST flang -O2 grid.f90 -o counted; $OPCOST count --ledger run.opc -o r.txt ./counted -- 5000",
    );
    let said = bench.shell("$OPCOST flang --opcost-tune=run.opc -O2 grid.f90 -o tuned");
    tells(&said, &["tuned: ", "in order by run.opc"]);
    assert_eq!(bench.shell("./tuned 321").stdout, expected);
}
