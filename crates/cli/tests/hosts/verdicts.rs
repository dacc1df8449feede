//! Each end of a turn, and what it says.

use std::time::{Duration, Instant};

use opcost_host::{EndKind, InstanceOptions, Turn};

use crate::plugins::{Shared, build, load, once, run, try_load};
use crate::support::Bench;

const ENDS: &str = r#"
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void finish(long *p) { p[1] = p[0] * 2; }
void endless(long *p) {
  for (volatile int i = 0;; i++);
}
void sleeping(long *p) { for (;;) sleep(100); }
void pausing(long *p) { for (;;) pause(); }
void copying(long *p) { static char a[1 << 25]; for (long i = 0; i < p[0]; i++) memset(a, (int)i, sizeof a), p[1] += a[5]; }
__attribute__((noinline)) static int deep(int n) { volatile char c[300]; c[n % 300] = 1; return deep(n + 1) + c[3]; }
void recursing(long *p) { p[1] = deep(1); }
__attribute__((noinline)) static char wide(long n) { char c[64 << 20]; asm volatile("" : : "r"(c) : "memory"); c[n] = 1; asm volatile("" : : "r"(c) : "memory"); return c[n]; }
void spacious(long *p) { p[1] = wide(p[0]); }
void rolling(long *p) { for (long i = 0;; i++) { char *c = __builtin_alloca(p[0]); *(volatile char *)c = 1; p[1] = c[0] + i; } }
void wild(long *p) { *(volatile int *)p[0] = 1; }
void calling(long *p) { ((void (*)(void))p[0])(); }
void dividing(long *p) { volatile int zero = 0; p[1] = 100 / zero; }
void trapping(long *p) { __builtin_trap(); }
void breaking(long *p) { __builtin_debugtrap(); }
void aborting(long *p) { abort(); }
void exiting(long *p) { exit(3); }
void freeing(long *p) { free(p); }
void freeing_twice(long *p) { void *volatile m = malloc(50); free(m); p[1] = 5; free(m); }
void asserting(long *p) { assert(p[0] == 77); }
void jumping(long *p) { jmp_buf b; memset(&b, 1, sizeof b); longjmp(b, 1); }
static unsigned burn(long n) { unsigned x = 1; for (long i = 0; i < n; i++) { x = x * 1664525u + 1013904223u; if (x >> 31) x ^= i; } return x; }
static volatile unsigned sink;
static volatile int zero;
void burning(long *p) { sink = burn(p[0]); p[1] = 5 / zero; }
void burning_wild(long *p) { sink = burn(p[0]); *(volatile int *)8 = 1; }
void burning_deep(long *p) { sink = burn(p[0]); p[1] = deep(1); }
void burning_strings(long *p) { sink = burn(p[0]); p[1] = (long)strlen((char *)8); }
void strings(long *p) { p[1] = (long)strlen((char *)p[0]); }
"#;

const PLENTY: Turn = Turn { fuel: 50_000_000, deadline: Some(Duration::from_secs(60)) };

#[test]
fn every_end_of_a_turn_has_its_verdict() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "ends.c", ENDS);
    let allowed = ["sleep", "pause"].map(str::to_owned).to_vec();
    let options = InstanceOptions { allowed, stack_bytes: 256 << 10, memory_bytes: 0 };
    let wild = [8, 1 << 62, 0xffff_ffff_8000_0000_u64 as i64];
    let cases: Vec<(&str, i64, EndKind, i32, &str)> = vec![
        ("recursing", 0, EndKind::Stack, 11, ""),
        ("spacious", 0, EndKind::Stack, 11, ""),
        ("spacious", 32 << 20, EndKind::Stack, 11, ""),
        ("rolling", 3000, EndKind::Stack, 11, ""),
        ("rolling", 3_000_000, EndKind::Stack, 11, ""),
        ("wild", wild[0], EndKind::Crashed, 11, ""),
        ("wild", wild[1], EndKind::Crashed, 11, ""),
        ("wild", wild[2], EndKind::Crashed, 11, ""),
        ("calling", 0, EndKind::Crashed, 11, ""),
        ("calling", 4096, EndKind::Crashed, 11, ""),
        ("dividing", 0, EndKind::Crashed, 8, ""),
        ("trapping", 0, EndKind::Crashed, 4, ""),
        ("breaking", 0, EndKind::Crashed, 5, ""),
        ("aborting", 0, EndKind::Crashed, 6, "abort"),
        ("exiting", 0, EndKind::Crashed, 0, "exit"),
        ("freeing", 0, EndKind::Crashed, 6, "free of what malloc did not give, or twice"),
        ("freeing_twice", 0, EndKind::Crashed, 6, "free of what malloc did not give, or twice"),
        ("asserting", 1, EndKind::Crashed, 6, "p[0] == 77"),
        ("strings", 16, EndKind::Crashed, 11, ""),
    ];
    for round in 0..3 {
        for (function, number, kind, signal, reason) in &cases {
            let mut bot = try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
            let before = run(&mut bot, "finish", 21, PLENTY);
            assert_eq!((before.kind, bot.shared()[1]), (EndKind::Finished, 42));
            let verdict = run(&mut bot, function, *number, PLENTY);
            let at = format!("{function} {number}, round {round}: {verdict:?}");
            assert_eq!(verdict.kind, *kind, "{at}");
            assert_eq!(verdict.signal.unwrap_or(0), *signal, "{at}");
            assert_eq!(verdict.reason.as_deref().unwrap_or(""), *reason, "{at}");
            assert!(!verdict.is_exact && verdict.spent_in_all >= before.spent, "{at}");
            if *function == "asserting" {
                let place = verdict.location.as_ref().expect("an assertion has a place");
                assert!(place.function.contains("asserting") && place.line == 28, "{at}");
            }
            for again in [run(&mut bot, "finish", 1, PLENTY), bot.resume(PLENTY)] {
                assert_eq!(again.kind, EndKind::Rejected);
                assert!(again.reason.expect("a reason").contains("only be dropped"));
            }
        }
    }
}

/// A host that bills is told of the work in a register.
#[test]
fn what_was_done_before_a_fault_is_told() {
    let bench = Bench::new(&[]);
    // What may wait is not loaded without a word of its own.
    let source = ENDS.replace("sleep(100)", "").replace("pause()", "");
    let plugin = build(&bench, "ends.c", &source);
    for function in ["burning", "burning_wild", "burning_deep", "burning_strings"] {
        let end = |fuel| once(&plugin, function, 1_000_000, Turn { fuel, ..PLENTY }).1;
        let told = end(PLENTY.fuel);
        assert!(!told.is_exact && told.spent > 6_000_000, "{function}: {told:?}");
        // The limit is the referee: a little less does not get there, a little more does.
        let (short, enough) = (end(told.spent - 100), end(told.spent + 100));
        assert_eq!((short.kind, enough.kind), (EndKind::UsedUp, told.kind), "{function}: {told:?} {short:?}");
    }
}

/// Whatever a forged jump does, the host stays.
#[test]
fn a_jump_to_nowhere_is_the_bots_own_crash() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "ends.c", ENDS.replace("sleep(100)", "").replace("pause()", "").as_str());
    let turn = Turn { fuel: 1_000_000, deadline: Some(Duration::from_secs(2)) };
    let (_bot, verdict) = once(&plugin, "jumping", 0, turn);
    assert_eq!(verdict.kind, EndKind::Crashed, "{verdict:?}");
}

#[test]
fn a_deadline_ends_what_fuel_does_not() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "ends.c", ENDS);
    let options = InstanceOptions {
        allowed: ["sleep", "pause"].map(str::to_owned).to_vec(),
        ..InstanceOptions::default()
    };
    let ends = [
        ("sleeping", 0, EndKind::Blocked),
        ("pausing", 0, EndKind::Blocked),
        ("endless", 0, EndKind::Time),
        ("copying", 1 << 40, EndKind::Time),
    ];
    for (function, number, kind) in ends {
        let mut bot = try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
        let turn = Turn { fuel: 1 << 50, deadline: Some(Duration::from_millis(30)) };
        let start = Instant::now();
        let verdict = run(&mut bot, function, number, turn);
        let took = start.elapsed();
        assert_eq!((verdict.kind, verdict.is_exact), (kind, false), "{function}: {verdict:?}");
        assert!(took >= Duration::from_millis(30) && took < Duration::from_secs(5), "{function}: {took:?}");
        // However slow the machine is, it did something.
        assert!(function != "endless" || verdict.spent > 1000, "{function}: {verdict:?}");
        let again = run(&mut bot, "finish", 1, turn);
        assert_eq!(again.kind, EndKind::Rejected, "{function}: {again:?}");
    }
    // A turn within its time is not touched by an earlier one's deadline.
    let mut bot = try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
    for number in 0..20_000 {
        let short =
            run(&mut bot, "finish", number, Turn { fuel: 1000, deadline: Some(Duration::from_secs(1)) });
        assert_eq!((short.kind, bot.shared()[1]), (EndKind::Finished, 2 * number));
    }
}

#[test]
fn used_up_says_where_and_how_far_beyond() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "ends.c", &ENDS.replace("sleep(100)", "").replace("pause()", ""));
    let (mut bot, verdict) = once(&plugin, "endless", 0, Turn::of(1000));
    assert_eq!(verdict.kind, EndKind::UsedUp, "{verdict:?}");
    let place = verdict.location.expect("it stopped in a loop");
    assert_eq!((&*place.function, &*place.file, place.line), ("endless", "ends.c", 9));
    assert_eq!(verdict.spent, 1000 + verdict.beyond);
    assert!(verdict.is_exact && verdict.beyond > 0 && verdict.beyond <= bot.overshoot());
    assert_eq!(bot.left(), -(verdict.beyond as i64));
    assert_eq!(bot.cost_model(), "fuel/1");
    let misused = run(&mut bot, "finish", 1, Turn::of(1000));
    assert_eq!(misused.kind, EndKind::Rejected);
    assert!(misused.reason.expect("a reason").contains("resume it or drop it"));
    let further = bot.resume(Turn::of(500));
    assert_eq!((further.kind, further.spent), (EndKind::UsedUp, 1500 + further.beyond));
}

#[test]
fn what_is_thrown_out_of_a_turn_is_a_crash_and_inside_it_is_not() {
    let text = "extern \"C\" void out(long *) { throw 5; }\n\
        extern \"C\" void in(long *p) { for (int i = 0; i < p[0]; i++) try { throw i; } catch (int n) { p[1] += n; } }\n";
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "throws.cpp", text);
    let (mut bot, verdict) = once(&plugin, "in", 1000, Turn::of(50_000_000));
    assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Finished, 499_500), "{verdict:?}");
    let verdict = run(&mut bot, "out", 0, Turn::of(100_000));
    assert_eq!((verdict.kind, verdict.reason.as_deref()), (EndKind::Crashed, Some("terminate")));
}

const MEMORY: &str = r#"
#include <stdlib.h>
#include <string.h>
void take(long *p) {
  p[1] = 0;
  for (long i = 0; i < p[0]; i++) { char *m = malloc(1000000); if (!m) { p[1] = -i; return; } *(volatile char *)m = 1; p[1] = i + 1; }
}
void churn(long *p) {
  char *kept[64] = {0};
  for (long i = 0; i < p[0]; i++) {
    char **slot = &kept[i * 7 % 64];
    if (i % 3 == 0) { free(*slot); *slot = malloc(i * 31 % 5000); }
    else if (i % 3 == 1) *slot = realloc(*slot, 1 + i * 17 % 9000);
    else { free(*slot); *slot = calloc(i % 50, 33); }
    if (*slot && i % 3 == 2) for (int k = 0; k < i % 50 * 33; k++) p[1] += (*slot)[k];
    if (*slot && i % 3 != 2) memset(*slot, 7, i % 3 ? 1 + i * 17 % 9000 : i * 31 % 5000);
  }
  for (int i = 0; i < 64; i++) free(kept[i]);
  for (int shift = 3; shift < 16; shift++) {
    void *m;
    if (posix_memalign(&m, 1ul << shift, 100)) { p[1] = -1; continue; }
    if ((unsigned long)m % (1ul << shift)) p[1] = -1;
    free(m);
  }
}
"#;

#[test]
fn memory_is_a_verdict_and_may_be_raised() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "memory.c", MEMORY);
    let options = InstanceOptions { memory_bytes: 9_500_000, ..InstanceOptions::default() };
    let start = || try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
    let mut bot = start();
    let verdict = run(&mut bot, "take", 20, Turn::of(1_000_000));
    assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Memory, 9), "{verdict:?}");
    assert!(bot.set_memory(14_500_000));
    let verdict = bot.resume(Turn::of(0));
    assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Memory, 14), "{verdict:?}");
    assert!(bot.set_memory(1 << 30) && !bot.set_memory(1 << 45));
    let verdict = bot.resume(Turn::of(500));
    assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Finished, 20), "{verdict:?}");
    assert_eq!(bot.left() as u64 + verdict.spent, 1_000_500);
    // Without more memory the allocation fails as C has it.
    let mut bot = start();
    assert_eq!(run(&mut bot, "take", 20, Turn::of(1_000_000)).kind, EndKind::Memory);
    assert_eq!((bot.resume(Turn::of(0)).kind, bot.shared()[1]), (EndKind::Finished, -9));
}

/// Fuel that comes while an allocation waits is there when it is needed, and
/// neither lost nor counted as spent.
#[test]
fn fuel_given_while_an_allocation_waits_is_not_lost() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "memory.c", MEMORY);
    let whole = {
        let (_, verdict) = once(&plugin, "take", 20, Turn::of(1_000_000));
        assert_eq!(verdict.kind, EndKind::Finished);
        verdict.spent
    };
    let options = InstanceOptions { memory_bytes: 9_500_000, ..InstanceOptions::default() };
    let mut bot = try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
    let mut verdict = run(&mut bot, "take", 20, Turn::of(whole - 30));
    assert_eq!(verdict.kind, EndKind::Memory);
    assert!(bot.set_memory(1 << 30));
    verdict = bot.resume(Turn::of(29));
    assert_eq!(verdict.kind, EndKind::UsedUp, "{verdict:?}");
    verdict = bot.resume(Turn::of(1));
    assert_eq!((verdict.kind, verdict.spent, bot.left()), (EndKind::Finished, whole, 0), "{verdict:?}");
}

#[test]
fn the_heap_gives_back_what_it_took() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "memory.c", MEMORY);
    let mut bot = load(&plugin);
    let mut most = 0;
    for round in 1..50 {
        let verdict = run(&mut bot, "churn", 3000, Turn::of(1 << 40));
        assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Finished, 0), "{verdict:?}");
        let (used, peak) = bot.memory();
        assert_eq!(used, 0, "round {round}");
        assert!(peak < 1_500_000, "{peak} bytes for 64 blocks of at most 9,000");
        assert!(most == 0 || most == peak, "the same calls take the same room");
        most = peak;
    }
}

#[test]
fn constructors_run_on_the_first_turns_fuel() {
    let text = r#"
#include <cstdio>
#include <iostream>
struct Loud { long n = 0; Loud() { for (volatile int i = 0; i < 1000; i++) n += i; puts("made"); } ~Loud() { puts("gone"); } };
static Loud second;
__attribute__((init_priority(200))) static Loud first;
thread_local long here = 5;
extern "C" void turn(long *p) { p[1] = second.n + here++; std::cout << "turn" << std::endl; }
"#;
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "made.cpp", text);
    let mut bot = load(&plugin);
    let first = run(&mut bot, "turn", 0, Turn::of(100_000));
    assert_eq!((first.kind, bot.shared()[1]), (EndKind::Finished, 499_505), "{first:?}");
    assert_eq!(bot.output(), (&b"made\nmade\nturn\n"[..], 0));
    let second = run(&mut bot, "turn", 0, Turn::of(100_000));
    assert_eq!((second.kind, bot.shared()[1]), (EndKind::Finished, 499_506));
    assert_eq!(bot.output(), (&b"turn\n"[..], 0));
    assert!(first.spent > 8000 && second.spent < 1000, "{} then {}", first.spent, second.spent);
    // Used up in the middle of a constructor, and dropped there.
    let mut bot = load(&plugin);
    let verdict = run(&mut bot, "turn", 0, Turn::of(1000));
    assert_eq!((verdict.kind, bot.output().0), (EndKind::UsedUp, &b""[..]));
    assert_eq!(bot.shared(), &Shared::default());
}
