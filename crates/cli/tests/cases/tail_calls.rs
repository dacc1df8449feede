//! Is a `ret` behind a tail call counted only if it started?
//!
//! A tail call that stays a jump takes its frame away, and nobody sees that frame left. Either the
//! number is the one by hand, or it is a lower bound with a reason, in both placements. A program
//! whose frames all came back, or left where no jump was, stays exact.

use opcost_testkit::command::Workplace;
use serde_json::Value;

use super::json;

const PLACEMENTS: [&str; 2] = ["chords", "every-segment"];

const BEGIN: &str = "#include <setjmp.h>\n#include <stdlib.h>\n#include <pthread.h>\ntypedef int (*step)(int);\n\
    static jmp_buf back;\nextern volatile step next;\n\
    __attribute__((noinline)) int forward(int k) { return next(k); }\n\
    __attribute__((noinline)) int twice(int k) { return forward(k) + 1; }\n";

fn count(placement: &str, name: &str, body: &str) -> Value {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write(name, format!("{BEGIN}{body}\n"));
    let words = ["count", "--placement", placement, "-O1", "--ignore-status", "--json", "-", name];
    place.opcost(&words).expect(0).json()
}

fn is_exact(document: &Value) -> bool {
    document["quality"]["kind"] == "exact"
}

#[test]
fn a_return_that_did_not_start_is_no_exact_count() {
    let jumps = "int leave(int k) { if (k & 1) longjmp(back, 1); return k; } volatile step next = leave;\n\
        int main(void) { volatile int s = 0; for (volatile int i = 0; i < 100; i++) if (!setjmp(back)) s += forward(i); \
        return 0; }";
    let exits = "int leave(int k) { if (k == 9) exit(0); return k; } volatile step next = leave;\n\
        int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += forward(i); return s == 7; }";
    let deep = "int leave(int k) { if (k == 9) exit(0); return k; } volatile step next = leave;\n\
        int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += twice(i); return s == 7; }";
    let main_jumps = "int leave(int k) { if (k == 1) exit(0); return k; } volatile step next = leave;\n\
        int main(int n, char **v) { (void)v; return next(n); }";
    let thread = "int leave(int k) { if (k == 1) pthread_exit(0); return k; } volatile step next = leave;\n\
        static void *run(void *p) { return (void *)(long)(forward(1) + 1 + (p != 0)); }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }";
    for placement in PLACEMENTS {
        for (at, body) in [jumps, exits, deep, main_jumps, thread].into_iter().enumerate() {
            let document = count(placement, "a.c", body);
            assert!(!is_exact(&document), "{placement} {at}: {document:#}");
            let reasons = document["quality"]["reasons"].to_string();
            assert!(reasons.contains("tail call"), "{placement} {at}: {reasons}");
        }
        let throws = "int leave(int k) { if (k & 1) throw k; return k; } volatile step next = leave;\n\
            int main() { int s = 0; for (int i = 0; i < 100; i++) try { s += twice(i); } catch (int) { s--; } \
            return s == 7; }";
        assert!(!is_exact(&count(placement, "a.cpp", throws)), "{placement}");
    }
}

#[test]
fn frames_that_left_elsewhere_leave_the_count_exact() {
    let returns = "int leave(int k) { return k; } volatile step next = leave;\n";
    let ends = [
        "int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += forward(i); return s == 7; }",
        "int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += forward(i); exit(s == 7); }",
        "__attribute__((noinline)) void die(int s) { exit(s == 7); }\n\
         __attribute__((noinline)) void finish(int s) { die(s); }\n\
         int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += twice(i); finish(s); return 1; }",
        "__attribute__((noinline)) void jump(int s) { longjmp(back, s + 1); }\n\
         int main(void) { volatile int s = 0; s += twice(3); if (!setjmp(back)) jump(s); return 0; }",
    ];
    for placement in PLACEMENTS {
        for end in ends {
            let document = count(placement, "a.c", &format!("{returns}{end}"));
            assert!(is_exact(&document), "{placement} {end}: {:#}", document["quality"]);
        }
    }
}

#[test]
fn the_case_is_told() {
    for placement in PLACEMENTS {
        let document = json(&format!("count --placement {placement} tail_throw.cpp"));
        let total = document["total"].as_u64().expect("a number");
        // 50 of the 100 calls of `forward` came back.
        assert!(
            is_exact(&document) && total == 1704 || !is_exact(&document) && total <= 1704,
            "{document:#}"
        );
        assert!(total >= 1654, "{total}");
    }
}
