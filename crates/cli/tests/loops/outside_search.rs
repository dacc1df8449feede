//! Is there a program that owns a name which the outside reaches, and is changed?
//!
//! Random programs: a variable or function with a name of the C library, defined
//! in one of the ways in which C lets one define it, written under a condition
//! that never holds, changed from outside (by a library function, a handler, the
//! start or the end of the program), and looked at through arithmetic that a
//! wrong range would make narrower than it may be. Each is narrowed and run
//! against the original (`outside.rs`).

use opcost_testkit::Random;

use super::outside::narrowed_does_the_same;

const PROGRAMS: u64 = 16;

/// A variable: its name, and what changes it from outside.
const OWNED: &[(&str, &str)] = &[
    ("optind", "char *w[] = {\"x\", \"-a\", \"-b\", \"file\", 0}; while (getopt(4, w, \"ab\") != -1);"),
    ("optopt", "char *w[] = {\"x\", \"-z\", 0}; getopt(2, w, \":ab\");"),
    ("signgam", "volatile double m = -0.5; volatile double l = lgamma(m);"),
    ("daylight", "setenv(\"TZ\", \"CET-1CEST\", 1); tzset();"),
    ("opterr", "char *w[] = {\"x\", \"-a\", 0}; getopt(2, w, \"ab\");"),
    ("counted", "char *volatile two = strdup(\"ab\"); free(two);"),
    ("signalled", "raise(SIGUSR1);"),
    ("compared", "int all[] = {3, 1, 2}; qsort(all, 3, sizeof *all, compare);"),
    ("begun", ""),
    ("threaded", "pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0);"),
];

/// Ways to define it; `NAME` is the name.
const DEFINED: [&str; 6] = [
    "int NAME = 1;",
    "int NAME __attribute__((weak)) = 1;",
    "int own __asm__(\"NAME\") = 1;\n#define NAME own",
    "int NAME __attribute__((section(\"of_its_own\"))) = 1;",
    "__attribute__((used)) int NAME = 1;",
    "int own = 1; extern int NAME __attribute__((alias(\"own\")));\n#define NAME own",
];

/// What a wrong range makes wrong. Nothing overflows: no name is beyond 100,000.
const LOOKS: [&str; 6] = [
    "(long)NAME * 300000",
    "NAME * 20000L / 7",
    "table[NAME & 7] * 100000",
    "(long)NAME * 5000000000",
    "half(NAME + 100) * 30000L",
    "NAME > 2 ? (long)NAME * 70000 : NAME * 3",
];

/// What else the outside calls.
const AROUND: &str = "
static const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__attribute__((noinline)) static int half(int n) { return n / 2; }
static void on_signal(int number) { SIGNALLED = number * 1000; }
static int compare(const void *a, const void *b) { COMPARED += 900; return *(int *)a - *(int *)b; }
static void *thread(void *of) { THREADED = 90000; return of; }
__attribute__((constructor)) static void begin(void) { BEGUN = 70000; }
static void at_end(void) { printf(\"%d\\n\", NAME * 3); }
";

/// An allocator of its own, which the library calls.
const ALLOCATOR: &str = "
static char room[1 << 20]; static size_t used;
void *malloc(size_t n) { void *p = room + used; used += (n + 15) & ~(size_t)15; NAME += 5000; return p; }
void free(void *p) {} void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { return malloc(n); }
";

fn program(random: &mut Random) -> (String, Vec<&'static str>) {
    let (name, act) = *random.of(OWNED);
    let mut text = String::from("#include <stdio.h>\n#include <string.h>\n#include <stddef.h>\n");
    // Headers declare most of these names in their own way; what is used is declared here.
    text += "int getopt(int, char *const *, const char *); double lgamma(double); void tzset(void);\n\
             int setenv(const char *, const char *, int); char *strdup(const char *); void free(void *);\n\
             int raise(int); void (*signal(int, void (*)(int)))(int); int atexit(void (*)(void));\n\
             void qsort(void *, size_t, size_t, int (*)(const void *, const void *));\n\
             typedef unsigned long pthread_t; int pthread_join(pthread_t, void **);\n\
             int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
             enum { SIGUSR1 = 10 };\n";
    text += &random.of(&DEFINED).replace("NAME", name);
    let own = |place: &str| if name == place { name } else { "ignored" };
    let around = AROUND
        .replace("SIGNALLED", own("signalled"))
        .replace("COMPARED", own("compared"))
        .replace("THREADED", own("threaded"))
        .replace("BEGUN", own("begun"));
    text += &format!("\nstatic volatile int ignored;\n{around}");
    if name == "counted" {
        text += ALLOCATOR;
    }
    let (first, second) = (random.of(&LOOKS), random.of(&LOOKS));
    let again = if random.below(2) == 0 { "NAME = 2;" } else { "" };
    text += &format!(
        "int main(int c, char **v) {{\n  signal(SIGUSR1, on_signal); atexit(at_end);\n  if (c > 5) NAME = 3;\n  \
         {again} {{ {act} }}\n  printf(\"%lld\\n\", (long long)({first}));\n  \
         printf(\"%lld\\n\", (long long)({second}));\n  return 0;\n}}\n"
    );
    let level = *random.of(&["-O0", "-O1", "-O2", "-O3"]);
    let mut flags = vec!["--closed", level];
    if random.below(3) == 0 {
        flags.push("--cflag=-fno-builtin");
    }
    (text.replace("NAME", name), flags)
}

#[test]
fn no_program_is_changed_by_who_else_knows_its_names() {
    let mut random = Random::new(25);
    for number in 0..PROGRAMS {
        let (text, flags) = program(&mut random);
        let what = format!("program {number} {flags:?}\n{text}");
        narrowed_does_the_same(&what, &text, &flags, &["-pthread"]);
    }
}
