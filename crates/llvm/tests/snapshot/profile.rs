//! Is the optimiser's pipeline with a profile still clang's when it is run in two parts?

use std::process::{Command, Stdio};

use opcost_llvm::{Emission, Maker, Session};

use crate::{scratch, sections};

/// Calls through pointers, copies of unknown length, switches, loops, a computed jump, recursion.
const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*const operations[])(int) = {twice, thrice};
static int kind(int x) {
  switch (x % 7) {
  case 0: return x * 3; case 1: return x ^ 5; case 3: return -x; case 4: return x / 3; default: return 1;
  }
}
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int threaded(const char *code, int n) {
  static void *labels[] = {&&add, &&twice, &&end};
  int value = 1;
  goto *labels[*code++ - '0'];
add: value += n; goto *labels[*code++ - '0'];
twice: value *= 2; if (value > 1000) value = 7; goto *labels[*code++ - '0'];
end: return value;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  long sum = 0;
  char text[256], copy[256];
  memset(text, 'a', sizeof text);
  for (int i = 0; i < n; i++) {
    memcpy(copy, text, (unsigned)(i % 16 ? 8 : i % 200));
    sum += operations[i % 10 == 0](i) + kind(i) + copy[0];
    if (i % 64 == 0) sum += threaded(\"0101102\", i);
    for (int j = 0; j < i % 5; j++) sum ^= j * i;
  }
  printf(\"%ld %d\\n\", sum, fib(15));
  return 0;
}
";

/// The same in Fortran: loops, a select, calls of the library.
const FORTRAN: &str = "program grid
  implicit none
  integer :: i, j, n
  double precision :: a(200, 200)
  character(len=16) :: word
  call get_command_argument(1, word)
  read (word, *) n
  a = 1.0d0
  do j = 2, n
    do i = 2, n
      if (mod(i * j, 5) == 0) then
        a(i, j) = a(i - 1, j) * 0.5d0 + a(i, j - 1) * 0.25d0
      else
        a(i, j) = a(i - 1, j) - sqrt(abs(a(i, j - 1)))
      end if
      select case (mod(i, 7))
      case (1)
        a(i, j) = -a(i, j)
      case (3:5)
        a(i, j) = a(i, j) + 1.0d0
      end select
    end do
  end do
  print *, sum(a(1:n, 1:n))
end program grid
";

/// A compiler, and how it leaves out its passes.
struct Compiler {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    without_passes: &'static [&'static str],
}

fn succeeds(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status();
    assert!(status.expect("it starts").success(), "{command:?}");
}

/// Of this compiler: the code with a profile is that of the pipeline in two parts, and without it is another.
fn compare(compiler: &Compiler) {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    let source = path(compiler.file);
    std::fs::write(&source, compiler.text).expect("written");
    let compile = |flags: &[&str], output: &str| {
        succeeds(Command::new(compiler.name).args(flags).arg(&source).arg("-o").arg(path(output)));
    };
    compile(&["-O2", "-fprofile-generate"], "counted");
    succeeds(Command::new(path("counted")).arg("150").env("LLVM_PROFILE_FILE", path("raw")));
    succeeds(Command::new("llvm-profdata-22").arg("merge").arg(path("raw")).arg("-o").arg(path("profdata")));
    let used = format!("-fprofile-use={}", path("profdata").display());
    for (level, number, codegen) in
        [("-O1", 1, 1), ("-O2", 2, 2), ("-O3", 3, 3), ("-Os", 4, 2), ("-Oz", 5, 2)]
    {
        if compiler.name == "flang-22" && number > 3 {
            continue;
        }
        compile(&[level, &used, "-c"], "theirs.o");
        let front = [&[level, "-c", "-emit-llvm"], compiler.without_passes].concat();
        compile(&front, "front.bc");
        let how = Emission { level: codegen, ..Emission::default() };
        let read = |name: &str| Session::read(&path(name), Maker::FrontEnd).expect("our own bitcode");
        read("front.bc").to_pgo(how, number, &path("there.bc")).expect("there is such a pass");
        let mut session = read("there.bc");
        session.use_profile(&path("profdata")).expect("a profile");
        session.finish(how, number, &path("profdata"), &mut []).expect("the pipeline runs");
        session.emit(&path("ours.o"), how).expect("code generation");
        assert!(sections(&path("ours.o")) == sections(&path("theirs.o")), "{} {level}", compiler.name);
        compile(&[level, "-c"], "plain.o");
        assert!(sections(&path("plain.o")) != sections(&path("theirs.o")), "{} {level}", compiler.name);
    }
}

#[test]
fn the_pipeline_in_two_parts_is_clangs() {
    let without_passes = &["-Xclang", "-disable-llvm-passes"];
    compare(&Compiler { name: "clang-22", file: "program.c", text: PROGRAM, without_passes });
}

#[test]
fn the_pipeline_in_two_parts_is_flangs() {
    let without_passes = &["-mllvm", "-opt-bisect-limit=0", "-mllvm", "-opt-bisect-verbose=false"];
    compare(&Compiler { name: "flang-22", file: "program.f90", text: FORTRAN, without_passes });
}
