//! Hundreds of thousands of turns in one process.

use std::path::PathBuf;
use std::time::Duration;

use opcost_host::{EndKind, Instance, InstanceOptions, Turn};
use opcost_testkit::command::ProgramOutput;

use crate::plugins::{Shared, build, load, run, try_load};
use crate::support::Bench;

const BOT: &str = r#"
#include <map>
#include <string>
static std::map<long, std::string> known;
extern "C" void insert(long *p) {
  for (long i = 0; i < p[0]; i++) known.insert({i * 7919 % 10007, "a text that is too long for its object itself"});
  p[1] = known.size();
}
extern "C" void check(long *p) {
  long last = -1;
  p[1] = 0;
  for (auto &entry : known) {
    if (entry.first <= last || entry.second.size() != 45) { p[1] = -1; return; }
    last = entry.first;
    p[1]++;
  }
}
extern "C" void think(long *p) {
  std::map<long, long> scratch;
  for (long i = 0; i < p[0]; i++) scratch[i * 31 % 17] += i;
  p[1] = 0;
  for (auto &entry : scratch) p[1] = p[1] * 7 + entry.second;
}
extern "C" void crash(long *p) { *(volatile long *)16 = 1; }
extern "C" void spin(long *p) { for (volatile long i = 0;; i++); }
extern "C" void take(long *p) { for (;;) *(volatile long *)new long[10000] = 1; }
__attribute__((noinline)) static long deep(long n) { volatile char c[200]; c[n & 63] = 1; return deep(n + 1) + c[2]; }
extern "C" void recurse(long *p) { p[1] = deep(0); }
"#;

#[test]
fn bots_are_interleaved_in_the_middle_of_an_insert() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "bot.cpp", BOT);
    let mut bots: Vec<Instance<Shared>> = (0..3).map(|_| load(&plugin)).collect();
    let mut kinds: Vec<EndKind> =
        bots.iter_mut().map(|bot| run(bot, "insert", 5000, Turn::of(97)).kind).collect();
    let (mut resumed, mut inside) = (0, 0);
    while kinds.contains(&EndKind::UsedUp) {
        for place in 0..bots.len() {
            if kinds[place] != EndKind::UsedUp {
                continue;
            }
            let verdict = bots[place].resume(Turn::of(101 + 7 * place as u64));
            inside += u32::from(verdict.location.is_some_and(|place| place.function.contains("_Rb_tree")));
            kinds[place] = verdict.kind;
            resumed += 1;
        }
        // One is dropped in the middle of what it does; another takes its place.
        if resumed == 900 {
            bots[1] = load(&plugin);
            kinds[1] = run(&mut bots[1], "insert", 2000, Turn::of(50)).kind;
        }
    }
    assert!(inside > 100, "{inside} of {resumed} stops in a tree");
    for (bot, entries) in bots.iter_mut().zip([5000, 2000, 5000]) {
        assert_eq!(bot.shared()[1], entries);
        let checked = run(bot, "check", 0, Turn::of(1_000_000));
        assert_eq!((checked.kind, bot.shared()[1]), (EndKind::Finished, entries));
    }
}

#[test]
fn several_threads_run_several_instances_and_instances_move() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "bot.cpp", BOT);
    let (mut moving, first) = (load(&plugin), Turn::of(20_000));
    assert_eq!(run(&mut moving, "insert", 1000, first).kind, EndKind::UsedUp);
    let moved = std::thread::spawn(move || {
        while moving.resume(Turn { fuel: 5000, deadline: Some(Duration::from_secs(60)) }).kind
            == EndKind::UsedUp
        {}
        moving
    });
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let plugin = plugin.clone();
            std::thread::spawn(move || {
                for round in 0..40 {
                    let mut bot = load(&plugin);
                    let short = Turn { fuel: 1 << 50, deadline: Some(Duration::from_millis(3)) };
                    let (function, kind) =
                        [("crash", EndKind::Crashed), ("spin", EndKind::Time), ("recurse", EndKind::Stack)]
                            [(round + worker) % 3];
                    assert_eq!(run(&mut bot, "think", 100, Turn::of(100_000)).kind, EndKind::Finished);
                    let verdict = run(
                        &mut bot,
                        function,
                        0,
                        if kind == EndKind::Time { short } else { Turn::of(1 << 50) },
                    );
                    // With more threads than cores a bot may wait once for the kernel and get little time: then the
                    // kernel says of it what it says of one that waits.
                    let is_late = kind == EndKind::Time && verdict.kind == EndKind::Blocked;
                    assert!(verdict.kind == kind || is_late, "{verdict:?}");
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().expect("no worker fails");
    }
    let mut moving = moved.join().expect("it finishes");
    assert_eq!(moving.shared()[1], 1000);
    assert_eq!(run(&mut moving, "check", 0, Turn::of(1_000_000)).kind, EndKind::Finished);
    assert_eq!(moving.shared()[1], 1000);
}

/// What this process holds: kilobytes, mappings, open files.
fn holdings() -> (u64, usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    let kilobytes = line.trim().trim_end_matches(" kB").parse().expect("a number");
    let mappings = std::fs::read_to_string("/proc/self/maps").expect("Linux").lines().count();
    (kilobytes, mappings, std::fs::read_dir("/proc/self/fd").expect("Linux").count())
}

/// Starts one of the tests below in a process of its own: what a process holds
/// is asked, so no other test may run in it.
fn alone(test: &str) {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "bot.cpp", BOT);
    let own = std::env::current_exe().expect("this program");
    let mut command = bench.program(own);
    command
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
        .env("OPCOST_TEST_PLUGIN", &plugin);
    let said = ProgramOutput::of(&mut command);
    assert!(said.status == 0 && said.stdout.contains("1 passed"), "{}\n{}", said.stdout, said.stderr);
}

fn given() -> PathBuf {
    std::env::var_os("OPCOST_TEST_PLUGIN").expect("the test above says which plug-in").into()
}

#[test]
fn a_hundred_thousand_turns_cost_what_the_first_did_and_leave_nothing() {
    alone("turns::turns_alone");
}

#[test]
#[ignore = "the test above starts it, in a process of its own"]
fn turns_alone() {
    let plugin = given();
    let mut bots: Vec<Instance<Shared>> = (0..3).map(|_| load(&plugin)).collect();
    let with_deadline = Turn { fuel: 100_000, deadline: Some(Duration::from_secs(10)) };
    let mut expected: Vec<Option<(u64, i64)>> = vec![None; 20];
    let mut sum = vec![0; bots.len()];
    let mut at_first = None;
    for turn in 0..100_000_usize {
        let place = turn % bots.len();
        let number = turn % 20;
        let bot = &mut bots[place];
        let mut verdict =
            run(bot, "think", number as i64, if turn % 4 == 0 { with_deadline } else { Turn::of(60) });
        while verdict.kind == EndKind::UsedUp {
            verdict = bot.resume(Turn::of(100));
        }
        assert_eq!(verdict.kind, EndKind::Finished);
        sum[place] += verdict.spent;
        assert_eq!(verdict.spent_in_all, sum[place]);
        // The first turn of each has the constructors too.
        if turn >= 3 {
            let now = (verdict.spent, bot.shared()[1]);
            assert_eq!(*expected[number].get_or_insert(now), now, "turn {turn}");
        }
        if turn == 1000 {
            at_first = Some(holdings());
        }
    }
    let (first, last) = (at_first.expect("a thousand turns"), holdings());
    assert_eq!((first.1, first.2), (last.1, last.2), "mappings and open files");
    assert!(last.0 <= first.0 + 64, "{first:?} and then {last:?}");
    println!("after 1,000 turns {first:?}, after 100,000 {last:?}");
}

#[test]
fn thousands_of_instances_come_and_go_and_leave_nothing() {
    alone("turns::loads_alone");
}

#[test]
#[ignore = "the test above starts it, in a process of its own"]
fn loads_alone() {
    let plugin = given();
    let options =
        InstanceOptions { memory_bytes: 1 << 20, stack_bytes: 64 << 10, ..InstanceOptions::default() };
    let ends = [
        ("think", EndKind::Finished),
        ("spin", EndKind::Time),
        ("crash", EndKind::Crashed),
        ("take", EndKind::Memory),
        ("recurse", EndKind::Stack),
        ("spin", EndKind::UsedUp),
    ];
    let mut at_first = None;
    let loads = std::env::var("OPCOST_TEST_LOADS").map_or(2000, |number| number.parse().expect("a number"));
    for round in 0..loads {
        let mut bot = try_load(&plugin, &options).unwrap_or_else(|rejected| panic!("{rejected}"));
        let (function, kind) = ends[round % ends.len()];
        let turn = match kind {
            EndKind::Time => Turn { fuel: 1 << 50, deadline: Some(Duration::from_micros(300)) },
            EndKind::UsedUp => Turn::of(50_000),
            _ => Turn { fuel: 1 << 50, deadline: Some(Duration::from_secs(100)) },
        };
        let verdict = run(&mut bot, function, 10, turn);
        assert_eq!(verdict.kind, kind, "round {round}: {verdict:?}");
        drop(bot);
        if round == 500 {
            at_first = Some(holdings());
        }
    }
    let (first, last) = (at_first.expect("five hundred loads"), holdings());
    assert_eq!((first.1, first.2), (last.1, last.2), "mappings and open files");
    assert!(last.0 <= first.0 + 256, "{first:?} and then {last:?}");
    println!("after 500 loads {first:?}, after {loads} {last:?}");
}
