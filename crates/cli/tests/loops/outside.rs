//! Does a narrowed program do what it did where code beside it knows its names?
//!
//! Programs that own a name of the C library or of code generation, data in
//! sections, names in assembly, second names, names that are looked up; each is
//! narrowed as a whole and run against the original, by ranges alone and by those
//! that a certificate shows, which must hold when it is checked.

use opcost_testkit::command::ProgramOutput;

use super::{Source, opcost};

/// A program: what it owns, its text, flags for opcost, and for the linker.
struct Program {
    owns: &'static str,
    text: &'static str,
    flags: &'static [&'static str],
    linked: &'static [&'static str],
}

const CLOSED: &[&str] = &["--closed", "-O2"];
const FREE: &[&str] = &["--closed", "-O2", "--cflag=-fno-builtin"];

const PROGRAMS: &[Program] = &[
    Program {
        owns: "data in a section, kept, in the open world",
        text: "
static int a __attribute__((section(\"tab\"),used)) = 1, b __attribute__((section(\"tab\"),used)) = 2;
extern int __start_tab[], __stop_tab[];
int main(int c, char **v) {
  if (c > 5) { a = 7; b = 9; }
  for (int *p = __start_tab; p < __stop_tab; p++) *p += 100000;
  printf(\"%d %d\\n\", a * 3, b * 5);
}",
        flags: &["--world", "open", "-O2"],
        linked: &[],
    },
    Program {
        owns: "data in a section, in the closed world",
        text: "
int a __attribute__((section(\"tab\"))) = 1;
extern int __start_tab[], __stop_tab[];
int main(int c, char **v) {
  if (c > 5) a = 7;
  for (int *p = __start_tab; p < __stop_tab; p++) *p += 100000;
  printf(\"%d\\n\", a * 3);
}",
        flags: &["--closed", "-O1"],
        linked: &[],
    },
    Program {
        owns: "memcpy, called for a struct",
        text: "
struct big { int v[1000]; }; static struct big x, y; static size_t sum;
__attribute__((noinline)) void *memcpy(void *restrict d, const void *restrict s, size_t n) {
  volatile char *a = d; const char *b = s;
  for (size_t i = 0; i < n; i++) a[i] = b[i];
  sum = n * 5; return d;
}
__attribute__((noinline)) void cp(struct big *a, struct big *b) { *a = *b; }
int main(void) {
  y.v[999] = 7; char t[8]; volatile size_t five = 5;
  memcpy(t, \"abcdefg\", (size_t)five & 7); cp(&x, &y); printf(\"%d %zu\\n\", x.v[999], sum);
}",
        flags: FREE,
        linked: &[],
    },
    Program {
        owns: "a static memset, called for a struct",
        text: "
struct big { int v[1000]; }; static struct big x; static size_t sum = 3;
__attribute__((noinline)) static void *memset(void *d, int c, size_t n) {
  volatile char *a = d; for (size_t i = 0; i < n; i++) a[i] = c;
  sum = n * 5; return d;
}
__attribute__((noinline)) void clear(struct big *a) { *a = (struct big){{0}}; }
int main(void) {
  char t[8]; volatile size_t five = 5; memset(t, 1, five & 7);
  clear(&x); printf(\"%d %zu\\n\", x.v[9], sum);
}",
        flags: FREE,
        linked: &["-fno-builtin"],
    },
    Program {
        owns: "optind, written by getopt",
        text: "
#include <unistd.h>
int optind = 1;
int main(int c, char **v) {
  if (c > 5) optind = 2;
  char *w[] = {\"x\", \"-a\", \"-b\", \"file\", 0};
  while (getopt(4, w, \"ab\") != -1);
  printf(\"%d\\n\", optind * 1000);
}",
        flags: FREE,
        linked: &[],
    },
    Program {
        owns: "optind, builtins on, loaded right behind the call",
        text: "
#include <unistd.h>
int optind;
int main(int c, char **v) {
  char *w[] = {\"x\", \"-a\", \"-b\", \"file\", 0};
  optind = 1;
  for (int i = 0; i < 3; i++) getopt(4, w, \"ab\");
  printf(\"%d\\n\", optind * 1000);
}",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "optind under a second name",
        text: "
#include <unistd.h>
int mine = 1;
extern int optind __attribute__((alias(\"mine\")));
int main(int c, char **v) {
  if (c > 5) mine = 2;
  char *w[] = {\"x\", \"-a\", \"-b\", \"file\", 0};
  while (getopt(4, w, \"ab\") != -1);
  printf(\"%d\\n\", mine * 1000);
}",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "malloc, called by the library",
        text: "
static char room[1 << 20]; static size_t used, calls;
void *malloc(size_t n) { void *p = room + used; used += (n + 15) & ~(size_t)15; calls += 1000; return p; }
void free(void *p) {}
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { return malloc(n); }
int main(int c, char **v) {
  char *two = malloc(8); two[0] = 0; calls = 1;
  printf(\"a line\\n\"); fflush(stdout);
  printf(\"%d\\n\", calls > 1);
}",
        flags: FREE,
        linked: &[],
    },
    Program {
        owns: "a name in assembly",
        text: "
int hidden = 1;
int main(int c, char **v) {
  if (c > 5) hidden = 2;
  __asm__ volatile(\"movl $300000, hidden(%%rip)\" ::: \"memory\");
  printf(\"%d\\n\", hidden * 3);
}",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "a name that is looked up",
        text: "
#include <dlfcn.h>
int sought = 1;
__attribute__((noinline)) void reset(int c) { if (c > 5) sought = 2; }
int main(int c, char **v) {
  reset(c);
  int *p = dlsym(0, \"sought\");
  if (p) *p = 300000;
  printf(\"%d\\n\", sought * 3);
}",
        flags: CLOSED,
        linked: &["-rdynamic"],
    },
    Program {
        owns: "a division of 128 bits",
        text: "
static int count = 1;
__attribute__((noinline)) unsigned __int128 __udivti3(unsigned __int128 a, unsigned __int128 b) {
  count = (int)(unsigned long)b; unsigned __int128 q = 0; while (a >= b) { a -= b; q++; } return q;
}
int main(int c, char **v) {
  volatile unsigned long n = 700000, d = 100000;
  count = 2; unsigned __int128 w = n, u = d; int q = (int)(w * u / (u * u));
  printf(\"%d %d\\n\", q, count != 2);
}",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "a function that is run at the start by its section",
        text: "
int g = 1;
static void init(int c, char **v) { g = c * 300000; }
void (*const p)(int, char **) __attribute__((section(\".init_array\"))) = init;
int main(int c, char **v) { printf(\"%d\\n\", g * 3); }",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "what lies between the ends of all data",
        text: "
int a = 1; extern int __data_start[], _edata[];
int main(int c, char **v) {
  if (c > 5) a = 2;
  for (int *p = __data_start; p < _edata; p++) if (*p == 1) *p = 300000;
  printf(\"%d\\n\", a * 3);
}",
        flags: CLOSED,
        linked: &[],
    },
    Program {
        owns: "a function that the linker calls in place of the library's",
        text: "
int abs(int);
static int n = 1;
int __wrap_abs(int x) { n = x * 100000; return x; }
int main(int c, char **v) { volatile int k = 3; int r = abs(k); printf(\"%d %d\\n\", r, n); }",
        flags: FREE,
        linked: &["-Wl,--wrap=abs"],
    },
    Program {
        owns: "data and a function that the linker gives second names",
        text: "
int step = 3;
int twice(int x) { return x > 1000 ? 1 : x * 2; }
extern int also_step;
int also_twice(int);
int main(int c, char **v) {
  also_step = 300000 + c;
  printf(\"%d %d %d\\n\", step * 5, twice(4), also_twice(70000 * c));
}",
        flags: &[
            "-O2",
            "--cflag=-fno-inline",
            "--cflag=-Wl,--defsym=also_step=step,--defsym=also_twice=twice",
        ],
        linked: &["-Wl,--defsym=also_step=step,--defsym=also_twice=twice"],
    },
    Program {
        owns: "optind, weak, under another name in the source",
        text: "
#include <unistd.h>
int mine __asm__(\"optind\") __attribute__((weak)) = 1;
int main(int c, char **v) {
  if (c > 5) mine = 2;
  char *w[] = {\"x\", \"-a\", \"-b\", \"file\", 0};
  while (getopt(4, w, \"ab\") != -1);
  printf(\"%d\\n\", mine * 1000);
}",
        flags: CLOSED,
        linked: &[],
    },
];

#[test]
fn what_code_beside_a_program_reaches_by_name_stays_as_it_was() {
    for program in PROGRAMS {
        let text = format!("#include <stddef.h>\n#include <stdio.h>\n{}", program.text);
        narrowed_does_the_same(program.owns, &text, program.flags, program.linked);
    }
}

/// Who says that a program is whole, and tells the linker to rename, is told that both cannot be.
#[test]
fn a_linker_that_renames_opens_the_world() {
    let source = Source::new("whole.c", "int main(int c, char **v) { return c * 3; }\n");
    let world = |flags: &[&str]| {
        let output = opcost(&[&["bits", "--json", "-", &source.path], flags].concat());
        match output.status == 0 {
            true => output.json()["world"].to_string(),
            false => output.stderr,
        }
    };
    assert_eq!(world(&[]), "\"closed\"");
    assert_eq!(world(&["--cflag=-Wl,-O1,--gc-sections,-z,now,-rpath,/x"]), "\"closed\"");
    let renames: [&[&str]; 6] = [
        &["-Wl,--defsym=a=main"],
        &["-Wl,-z,now,--wrap,f"],
        &["-rdynamic"],
        &["-Wl,-E"],
        &["-Wl,-T,x.ld"],
        &["-Xlinker", "--defsym=a=main"],
    ];
    for flags in renames {
        let flags: Vec<String> = flags.iter().map(|flag| format!("--cflag={flag}")).collect();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        assert_eq!(world(&flags), "\"open\"", "{flags:?}");
        let refused = world(&[&["--closed"][..], &flags].concat());
        assert!(refused.contains("gives its names to code outside of it"), "{refused}");
    }
}

/// Narrows a program, by ranges alone and by a certificate, runs each against the
/// original, and has the certificate checked.
pub(crate) fn narrowed_does_the_same(what: &str, text: &str, flags: &[&str], linked: &[&str]) {
    let source = Source::new("program.c", text);
    let place = &source.place;
    let at = |name: &str| place.at(name);
    let compiled: Vec<&str> = flags.iter().filter_map(|flag| flag.strip_prefix("--cflag=")).collect();
    let build = |input: &str, to: &str, flags: &[&str]| {
        let mut clang = place.program("clang-22");
        clang.args(["-w", input, "-o", to, "-lm"]).args(flags).args(linked);
        let built = ProgramOutput::of(&mut clang);
        assert_eq!(built.status, 0, "{what}: {}", built.stderr);
        ProgramOutput::of(&mut place.program(to))
    };
    let level: Vec<&str> = compiled.iter().copied().chain(["-O1"]).collect();
    let whole = build(&source.path, &at("whole"), &level);
    let certificate = at("certificate.json");
    for more in [&[][..], &["--certificate", &certificate]] {
        let to = at("narrow.bc");
        let mut arguments = vec!["bits", "--narrow", "-o", &to];
        arguments.extend(flags.iter().chain(more).copied());
        arguments.push(&source.path);
        opcost(&arguments).expect(0);
        let narrow = build(&to, &at("narrow"), &[]);
        let is_same =
            (whole.status, whole.signal, &whole.stdout) == (narrow.status, narrow.signal, &narrow.stdout);
        assert!(is_same, "{what} {more:?}: {whole:?} but {narrow:?}");
    }
    let mut arguments = vec!["bits", "--check", &certificate];
    arguments.extend(flags);
    arguments.push(&source.path);
    opcost(&arguments).expect(0);
}

/// A parameter that nobody looks at is poison at each call: the code runs all the same.
#[test]
fn a_dead_parameter_says_nothing_of_reachability() {
    let source = Source::new(
        "dead.c",
        "#include <stdio.h>
__attribute__((noinline)) int f(int unused,int x){ return x*2; }
int main(int c,char**v){ printf(\"%d\\n\",f(c,c+1)+f(c*2,3)); return 0; }
",
    );
    let output = opcost(&["bits", "-O2", "--closed", "--observe", &source.path]);
    let text = output.stderr + &output.stdout;
    assert_eq!(output.status, 0, "{text}");
    assert!(!text.contains("never") && !text.contains("no execution gets to"), "{text}");
}
