//! A program that changes: the answer must change with it.

use super::{Source, loops, only};

/// The bound is written through a pointer that got away: the loop may be left
/// earlier or later. Without the store it is exact again.
#[test]
fn a_bound_that_a_callee_writes_is_exact_only_without_the_store() {
    let program = |store: &str| {
        format!(
            "static int *kept;\nint sink;\n__attribute__((noinline)) void touch(int i) {{ sink += i; {store} }}\n\
             int main(void) {{\n  int n = 10;\n  kept = &n;\n  for (int i = 0; i < n; i++)\n    touch(i);\n  \
             return sink == 45 ? 0 : 1;\n}}\n"
        )
    };
    for level in ["-O0", "-O1"] {
        let (kind, _) = only(&Source::new("with.c", &program("if (i == 5) *kept = 7;")), &[level]);
        assert!(kind != "constant" && kind != "inputs", "{level}: {kind}");
        let (kind, expression) = only(&Source::new("without.c", &program("")), &[level]);
        assert_eq!((&*kind, &*expression), ("constant", "10"), "{level}");
    }
}

/// The same loop with calls that may never come back, in recursion, beside
/// threads: what is said is said of one activation that leaves by its own exit.
#[test]
fn recursion_threads_and_jumps_leave_an_activation_as_it_is() {
    let loop_text = "for (int i = 0; i < 12; i++)";
    let programs = [
        format!(
            "int s; void f(int d) {{\n {loop_text} {{ s += i; if (d > 0) f(d - 1); }}\n}}\nint main(void) {{ f(2); return 0; }}\n"
        ),
        format!(
            "#include <setjmp.h>\njmp_buf b; volatile int s;\nvoid f(void) {{\n {loop_text} {{ s += i; if (s == 15) \
             longjmp(b, 1); }}\n}}\nint main(void) {{ if (!setjmp(b)) f(); return 0; }}\n"
        ),
        format!(
            "#include <pthread.h>\n_Atomic int s;\nvoid *f(void *p) {{\n {loop_text} s += i;\n return p; }}\nint main(void) {{ \
             pthread_t t; pthread_create(&t, 0, f, 0); f(0); return pthread_join(t, 0); }}\n"
        ),
    ];
    for text in &programs {
        let source = Source::new("activation.c", text);
        let all = loops(&["-O0", &source.path]);
        assert_eq!((&all[0]["kind"], &all[0]["expression"]), (&"constant".into(), &"12".into()), "{all:#?}");
    }
}
