//! Build systems that know nothing of opcost.

use opcost_testkit::command::ProgramOutput;

use crate::support::{Bench, needs};

const UTIL: (&str, &str) =
    ("util.c", "int twice(int x) { volatile int s = 0; for (int i = 0; i < x; i++) s += 2; return s; }\n");
const MAIN: (&str, &str) = (
    "main.c",
    "#include <stdio.h>\nint twice(int);\nint main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n",
);
const CMAKE: (&str, &str) = (
    "CMakeLists.txt",
    "cmake_minimum_required(VERSION 3.13)
project(mix C CXX)
include(CheckCSourceCompiles)
include(CheckCCompilerFlag)
include(CheckFunctionExists)
check_c_source_compiles(\"int main(void){return 0;}\" WORKS)
check_c_source_compiles(\"int main(void){return nope;}\" FAILS)
check_c_compiler_flag(-fno-such-flag-at-all BADFLAG)
check_c_compiler_flag(-fno-strict-aliasing GOODFLAG)
check_function_exists(strdup STRDUP)
check_function_exists(no_such_function NOFUNC)
find_package(Threads REQUIRED)
message(STATUS \"RESULT [${WORKS}] [${FAILS}] [${BADFLAG}] [${GOODFLAG}] [${STRDUP}] [${NOFUNC}]\")
add_library(util STATIC util.c)
add_library(dyn SHARED dyn.cc)
add_executable(prog main.cc)
target_link_libraries(prog util dyn Threads::Threads)
",
);

fn cmake() -> Bench {
    needs("cmake", "cmake");
    Bench::new(&[
        CMAKE,
        UTIL,
        ("dyn.cc", "extern \"C\" int half(int x) { int n = 0; while (x > 1) { x -= 2; n++; } return n; }\n"),
        (
            "main.cc",
            "#include <cstdio>\nextern \"C\" { int twice(int); int half(int); }\n\
             int main() { std::printf(\"%d\\n\", half(twice(21))); }\n",
        ),
    ])
}

fn built_by_cmake(bench: &Bench, configure: &str) {
    let said = bench.shell(&format!("{configure}; cmake --build out -j2"));
    let facts = "RESULT [1] [] [] [1] [1] []";
    assert!(said.stdout.contains(facts), "{}\n{}", said.stdout, said.stderr);
    let count = bench.count(&["out/prog"]);
    for function in ["twice", "half", "main"] {
        assert_eq!(Bench::calls(&count, function), 1);
    }
}

#[test]
fn cmake_takes_one_word() {
    let bench = cmake();
    built_by_cmake(
        &bench,
        "$OPCOST doctor --links bin; cmake -S . -B out -DCMAKE_BUILD_TYPE=Release \
         -DCMAKE_C_COMPILER=$PWD/bin/opcost-cc -DCMAKE_CXX_COMPILER=$PWD/bin/opcost-c++",
    );
}

#[test]
fn cmake_takes_two_words_from_the_environment() {
    let bench = cmake();
    built_by_cmake(
        &bench,
        "CC=\"$OPCOST cc\" CXX=\"$OPCOST c++\" cmake -S . -B out -DCMAKE_BUILD_TYPE=Release",
    );
}

#[test]
fn cmake_launches_before_its_own_compiler() {
    let bench = cmake();
    built_by_cmake(
        &bench,
        "for l in C:cc CXX:c++; do set -- \"$@\" \"-DCMAKE_${l%:*}_COMPILER_LAUNCHER=$OPCOST;${l#*:}\" \
         \"-DCMAKE_${l%:*}_LINKER_LAUNCHER=$OPCOST;${l#*:}\"; done; \
         cmake -S . -B out -DCMAKE_BUILD_TYPE=Release \"$@\"",
    );
}

#[test]
fn autotools_with_libtool() {
    needs("autoreconf", "autoconf automake libtool");
    needs("libtoolize", "libtool");
    let bench = Bench::new(&[
        UTIL,
        MAIN,
        (
            "configure.ac",
            "AC_INIT([at],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAM_PROG_AR\nLT_INIT\n\
             AC_CHECK_FUNCS([strdup nosuchfunc_x])\nAC_CHECK_SIZEOF([long])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
        ),
        (
            "Makefile.am",
            "lib_LTLIBRARIES = libutil.la\nlibutil_la_SOURCES = util.c\nbin_PROGRAMS = prog\n\
             prog_SOURCES = main.c\nprog_LDADD = libutil.la\n",
        ),
    ]);
    let said = bench.shell(
        "autoreconf -fi >/dev/null 2>&1; mkdir b; cd b; CC=\"$OPCOST cc\" ../configure; make -j2; \
         make install DESTDIR=$PWD/root >/dev/null",
    );
    for fact in ["strdup... yes", "nosuchfunc_x... no", "size of long... 8"] {
        assert!(said.stdout.contains(fact), "{fact}: {}", said.stdout);
    }
    let mut command = bench.command(&["count", "--json", "-", "b/root/usr/local/bin/prog"]);
    command.env("LD_LIBRARY_PATH", bench.path("b/root/usr/local/lib"));
    let count = ProgramOutput::of(&mut command).expect(0).json();
    assert_eq!(Bench::calls(&count, "twice"), 1);
    let script = bench.opcost(&["count", "b/prog"]);
    assert_eq!(script.status, 2);
    assert!(script.stderr.contains("is a script"), "{}", script.stderr);
}

#[test]
fn meson_and_ninja() {
    needs("meson", "meson");
    let bench = Bench::new(&[
        UTIL,
        MAIN,
        (
            "meson.build",
            "project('m', 'c', default_options: ['buildtype=release'])\nutil = static_library('util', 'util.c')\n\
             executable('prog', 'main.c', link_with: util)\n",
        ),
    ]);
    bench.shell("CC=\"$OPCOST cc\" meson setup out; ninja -C out");
    assert_eq!(Bench::calls(&bench.count(&["out/prog"]), "twice"), 1);
}
