//! What happens between a program and its libraries where nobody sees a call?
//!
//! A stream has callbacks, a format has conversions, a program has a `malloc`, a `memset` or a `strlen` of its own, and
//! libraries call instances of templates that a program has, too. What runs so is paid for. What opcost adds to a
//! program calls none of it.

use opcost_testkit::command::Workplace;

use super::{cases, json, opcost};

/// The number of `count` under fuel's weights, and what `fuel` says was spent.
fn counted_and_spent(place: &Workplace, words: &str) -> (u64, u64) {
    let told = opcost(place, &format!("count --json - --stdout out --cost fuel/1 {words}")).json();
    let spent = opcost(place, &format!("fuel --audit --json - --stdout out {words}")).json();
    (told["total"].as_u64().expect("a total"), spent["spent"].as_u64().expect("a number"))
}

#[test]
fn what_a_library_calls_back_is_paid() {
    let place = cases();
    for program in [
        "stream_callback.c",
        "own_conversion.c --cflag=-w",
        "own_memset.c",
        "own_malloc_of_streams.c",
        "own_malloc_by_alias.c",
        "library_calls_instance.cpp",
    ] {
        for level in ["-O0", "-O1", "-O2"] {
            let (counted, spent) = counted_and_spent(&place, &format!("{level} {program}"));
            assert_eq!(counted, spent, "{level} {program}");
        }
    }
    let stopped = opcost(&place, "fuel --limit 5M --stdout out -O1 stream_callback.c");
    assert_eq!(stopped.status, 3, "{}", stopped.stderr);
}

/// Each program has one function under a name of the C library, which nothing calls.
#[test]
fn what_counts_calls_no_function_of_the_program() {
    let place = cases();
    let functions = [
        "unsigned long strlen(const char *s) { ran++; unsigned long n = 0; while (s[n]) n++; return n; }",
        "void *memcpy(char *a, const char *b, unsigned long n) { ran++; while (n--) a[n] = b[n]; return a; }",
        "void *memset(char *a, int c, unsigned long n) { ran++; while (n--) a[n] = c; return a; }",
        "char *strchr(const char *s, int c) { ran++; for (; *s; s++) if (*s == c) return (char *)s; return 0; }",
        "int snprintf(char *s, unsigned long n, const char *f, ...) { ran++; return 0; }",
        "int open(const char *p, int f, ...) { ran++; return -1; }",
        "int close(int f) { ran++; return 0; }",
        "long read(int f, void *p, unsigned long n) { ran++; return 0; }",
        "long write(int f, const void *p, unsigned long n) { ran++; return n; }",
        "void *mmap(void *a, unsigned long n, int p, int f, int d, long o) { ran++; return (void *)-1; }",
        "long sysconf(int n) { ran++; return 1; }",
        "int stat(const char *p, void *b) { ran++; return -1; }",
        "long syscall(long n, ...) { ran++; return -1; }",
        "int clock_gettime(int c, void *p) { ran++; return -1; }",
    ];
    let with = |function: &str| {
        format!(
            "int ran;\n{function}\nint main(void) {{ int n = 0; while (n < 3) n += ran + 1; return n - 3; }}\n"
        )
    };
    place.write("none.c", with(""));
    let plain = opcost(&place, "count --json - -O0 none.c").expect(0).json()["total"].clone();
    for function in functions {
        place.write("own.c", with(function));
        for placement in ["chords", "every-segment"] {
            let line =
                format!("count --json - -O0 --cflag=-w --cflag=-fno-builtin --placement {placement} own.c");
            let told = opcost(&place, &line).expect(0).json();
            assert_eq!((&told["total"], &told["quality"]["kind"]), (&plain, &"exact".into()), "{function}");
        }
        for line in ["values --verify -O0 --cflag=-w own.c", "slice --verify -O0 --cflag=-w own.c"] {
            let said = opcost(&place, line);
            assert_eq!(said.status, 0, "{line}: {function}: {}", said.stderr);
        }
    }
    opcost(&place, "predict -O0 --emit exe -o predicting own_malloc_and_free.c").expect(0);
    let predicted = place.shell("OPCOST_PREDICTED=number ./predicting; head -n 1 number").stdout;
    let total = json("count -O0 own_malloc_and_free.c")["total"].clone();
    assert_eq!(predicted.trim(), format!("predicted {total}"));
}

/// An address that goes out may come in again; a `memset` of the program's own runs where a structure is filled.
#[test]
fn what_comes_back_from_outside_is_no_surprise() {
    let place = cases();
    for line in [
        "values --verify -O0 pointer_through_pipe.c",
        "values --verify -O0 --cflag=-DPRINTF pointer_through_pipe.c",
        "values --verify -O0 own_memset.c -- 1",
    ] {
        let said = opcost(&place, line);
        assert!(said.status != 3, "{line}: {}", said.stdout);
    }
    for line in
        ["-O0 pointer_through_pipe.c", "-O0 --cflag=-DPRINTF pointer_through_pipe.c", "-O0 own_memset.c -- 1"]
    {
        let predicted = json(&format!("predict {line}"));
        let exact =
            predicted["blocks"].as_array().expect("blocks").iter().all(|block| block["exact"] == true);
        assert!(!exact, "{line}");
    }
}

/// A compiler puts `__clang_call_terminate` into modules of C++: that is no function of the program's that libraries call.
#[test]
fn what_a_compiler_adds_replaces_nothing() {
    let said = opcost(&cases(), "slice --verify -O0 noexcept_prints.cpp");
    assert_eq!(said.status, 0, "{}", said.stdout);
    assert!(said.stdout.contains("call of printf at noexcept_prints.cpp:8"), "{}", said.stdout);
}

/// An intrinsic or a division of 128 bits becomes a call of the program's own function, and opening a file calls its
/// own `malloc`.
#[test]
fn what_code_generation_calls_is_in_slices_and_predictions() {
    let place = cases();
    for program in ["own_floor.c", "own_division.c", "own_malloc_of_output.c"] {
        for level in 1..=4 {
            let said = opcost(&place, &format!("slice --verify --level {level} -O0 {program} -- 1"));
            assert_eq!(said.status, 0, "{level} {program}: {}", said.stdout);
        }
        let predicted = json(&format!("predict -O0 {program} -- 1"));
        let is_open = predicted["blocks"].as_array().expect("blocks").iter().any(|block| {
            block["function"].as_str().is_some_and(|key| key.ends_with("@main"))
                && block["executions"].is_null()
        });
        assert!(is_open, "{program}: the last loop has a number");
    }
    let refused = opcost(&place, "fuel -O0 own_division.c -- 1");
    assert_eq!(refused.status, 1, "{}", refused.stdout);
    refused.expect_stderr(&["main at own_division.c:3", "has a udiv", "its own __udivti3"]);
}
