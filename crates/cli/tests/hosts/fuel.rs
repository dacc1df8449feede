//! What a turn costs, and what a suspended turn goes on with.

use opcost_host::{EndKind, Turn};

use crate::plugins::{build, cost, load, once, run, try_build};
use crate::support::Bench;

const WORK: &str = r#"
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
extern "C" void turn(long *p) {
  std::map<long, std::string> names;
  std::vector<long> order;
  for (long i = 0; i < p[0]; i++) {
    long key = i * 7919 % 1009;
    names.insert({key, std::to_string(i)});
    order.push_back(key);
    try { if (key % 13 == 0) throw std::runtime_error("thirteen"); } catch (std::exception &e) { p[1] += e.what()[0]; }
  }
  std::sort(order.begin(), order.end());
  for (long key : order) p[1] = p[1] * 31 + names[key].size() + key;
}
"#;

/// All that this does is done in `main`.
const MAIN: &str = "void turn(long *);\n\
    int main(int c, char **v) { long p[2] = {0, 0}; for (char *d = v[1]; *d; d++) p[0] = p[0] * 10 + *d - '0'; \
    turn(p); return p[1] == 1234567; }\n";

/// `main` calls the function once with this number; so many instructions less
/// are spent without.
fn counted(bench: &Bench, cost: &str, number: &str) -> u64 {
    let main = format!("extern \"C\" {MAIN}");
    bench.write("main.cpp", main);
    let count = bench.count(&["--cost", cost, "main.cpp", "work.cpp", "--", number]);
    let own = count["functions"].as_array().expect("functions").iter().filter(|function| {
        let name = function["name"].as_str().expect("a name");
        name != "main" && !name.starts_with("_GLOBAL__")
    });
    own.map(|function| function["instructions"].as_u64().expect("a number")).sum()
}

#[test]
fn a_turn_spends_what_it_is_counted_to_do() {
    let bench = Bench::new(&[]);
    for model in ["unit/1", "fuel/1"] {
        let said = try_build(&bench, "work.cpp", WORK, &["--cost", model]);
        assert_eq!(said.status, 0, "{}", said.stderr);
        for number in [1, 500] {
            let mut bot = load(&bench.path("work.so"));
            assert_eq!(bot.cost_model(), model);
            // The first turn has the constructors too.
            cost(&mut bot, "turn", 3);
            let spent = cost(&mut bot, "turn", number);
            assert_eq!(spent, counted(&bench, model, &number.to_string()), "{model} {number}");
        }
    }
}

#[test]
fn a_turn_that_costs_n_passes_with_n_and_stops_with_one_less() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "work.cpp", WORK);
    let mut bot = load(&plugin);
    cost(&mut bot, "turn", 3);
    for number in [0, 7, 200] {
        bot.shared_mut()[1] = 0;
        let whole = cost(&mut bot, "turn", number);
        let answer = bot.shared()[1];
        bot.shared_mut()[1] = 0;
        let passed = run(&mut bot, "turn", number, Turn::of(whole));
        assert_eq!((passed.kind, passed.spent, bot.left()), (EndKind::Finished, whole, 0));
        bot.shared_mut()[1] = 0;
        let stopped = run(&mut bot, "turn", number, Turn::of(whole - 1));
        assert_eq!(stopped.kind, EndKind::UsedUp);
        assert!(stopped.spent <= whole && stopped.beyond == stopped.spent.saturating_sub(whole - 1));
        let finished = bot.resume(Turn::of(1));
        assert_eq!((finished.kind, finished.spent, bot.shared()[1]), (EndKind::Finished, whole, answer));
        assert_eq!((finished.beyond, finished.is_exact), (0, true));
    }
}

#[test]
fn a_turn_in_many_pieces_is_the_same_turn() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "work.cpp", WORK);
    let (bot, whole) = once(&plugin, "turn", 40, Turn::of(1 << 40));
    assert_eq!(whole.kind, EndKind::Finished);
    for piece in [1, 2, 7, 1000] {
        let (mut again, mut verdict) = once(&plugin, "turn", 40, Turn::of(piece));
        let (mut stops, mut given) = (0_u64, piece);
        while verdict.kind == EndKind::UsedUp {
            assert_eq!((verdict.spent, verdict.beyond), (given + verdict.beyond, verdict.spent - given));
            assert!(verdict.beyond > 0 && verdict.is_exact);
            stops += 1;
            given += piece;
            verdict = again.resume(Turn::of(piece));
        }
        assert_eq!((verdict.kind, verdict.spent), (EndKind::Finished, whole.spent), "by {piece}");
        assert_eq!(again.shared(), bot.shared(), "by {piece}");
        assert_eq!(stops, whole.spent.div_ceil(piece) - 1, "one stop for every piece but the last");
        let next = run(&mut again, "turn", 0, Turn::of(0));
        assert_eq!(next.kind, EndKind::UsedUp, "nothing is carried over");
    }
}

/// Programs with hostile control flow as turns: their `main` gets another name,
/// and a function of two instructions calls it. Whole and in pieces.
#[test]
fn hostile_programs_spend_as_turns_what_they_are_counted_to_do() {
    // Some include their neighbours.
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/hostile");
    let programs = [
        "jump_hot_loop.c",
        "jump_qsort.c",
        "goto_hundred.c",
        "recursion.c",
        "throw_cleanups.cpp",
        "cxx_dynamic.cpp",
    ];
    for name in programs {
        let (call, linkage, none) =
            if name.ends_with("cpp") { ("turn.cpp", "extern \"C\" ", "") } else { ("turn.c", "", "void") };
        let text = std::fs::read(corpus.join(name)).expect("a hostile program");
        let bench = Bench::new(&[]);
        bench.write(name, &text);
        bench.write(
            call,
            format!("int bot_main({none}); {linkage}void turn(void) {{ bot_main(); }}\n").as_bytes(),
        );
        let said = bench.opcost(&[
            "fuel",
            "--emit",
            "shared",
            "-o",
            "bot.so",
            "--cflag",
            "-Dmain=bot_main",
            "--cflag",
            "-fno-strict-return",
            "-I",
            corpus.to_str().expect("UTF-8"),
            name,
            call,
        ]);
        assert_eq!(said.status, 0, "{name}: {}", said.stderr);
        let folder = corpus.to_str().expect("UTF-8");
        bench.opcost(&["count", "--json", "counts.json", "--cost", "fuel/1", "-I", folder, name]).expect(0);
        let counted = bench.json("counts.json");
        let least = counted["total"].as_u64().expect("a number") + 2;
        // Of returns after jumps that were left, nobody knows how many there were. They are paid for.
        let most = least + in_doubt(&counted);
        for piece in [1 << 40, 1009] {
            let (mut bot, mut verdict) = once(&bench.path("bot.so"), "turn", 0, Turn::of(piece));
            while verdict.kind == EndKind::UsedUp {
                verdict = bot.resume(Turn::of(piece));
            }
            assert_eq!(verdict.kind, EndKind::Finished, "{name} by {piece}: {verdict:?}");
            let is_counted = (least..=most).contains(&verdict.spent);
            assert!(is_counted, "{name} by {piece}: {least} to {most}, {verdict:?}");
        }
    }
}

/// How many instructions a count leaves open.
fn in_doubt(counted: &serde_json::Value) -> u64 {
    let reasons = counted["quality"]["reasons"].as_array().map_or(&[][..], Vec::as_slice);
    let number = |reason: &serde_json::Value| -> Option<u64> {
        reason.as_str()?.strip_prefix("at most ")?.split(' ').next()?.parse().ok()
    };
    reasons.iter().filter_map(number).sum()
}

/// A turn in two modules, with a variable for each thread.
const PARTS: [(&str, &str); 2] = [
    (
        "one.c",
        "_Thread_local long turns = 40;\nlong scale(long n);\nvoid turn(long *p) { p[1] = ++turns; for (long i = 0; i < p[0]; i++) p[1] += scale(i); }\n",
    ),
    ("two.c", "extern _Thread_local long turns;\nlong scale(long n) { return n % 3 ? n * turns : n - 1; }\n"),
];

#[test]
fn every_way_to_build_a_plugin_spends_what_is_counted() {
    let bench = Bench::new(&PARTS);
    bench.write("main.c", MAIN);
    bench.shell("for m in one two; do clang-22 -O1 -S -emit-llvm -fPIC $m.c -o $m.ll; clang-22 -O1 -c -emit-llvm $m.c -o $m.bc; done");
    let ways: [(&[&str], &[&str]); 6] = [
        (&["one.c", "two.c"], &["-O0"]),
        (&["one.c", "two.c"], &["-O3"]),
        (&["one.c", "two.c"], &["--anchor", "source", "--codegen", "3"]),
        (&["one.c", "two.c"], &["--overshoot", "100", "--audit"]),
        (&["one.ll", "two.ll"], &[]),
        (&["one.bc", "two.c"], &[]),
    ];
    for (inputs, flags) in ways {
        let mut emit = vec!["fuel", "--emit", "shared", "-o", "parts.so"];
        emit.extend(flags.iter().chain(inputs));
        let said = bench.opcost(&emit);
        assert_eq!(said.status, 0, "{emit:?}: {}", said.stderr);
        let mut bot = load(&bench.path("parts.so"));
        let spent = cost(&mut bot, "turn", 500);
        let mut count = vec!["--cost", "fuel/1", "main.c"];
        count.extend(
            flags.iter().filter(|flag| !["--overshoot", "100", "--audit"].contains(flag)).chain(inputs),
        );
        count.extend(["--", "500"]);
        let counted = bench.count(&count);
        let own = counted["functions"].as_array().expect("functions").iter();
        let own = own.filter(|function| function["name"] != "main");
        let counted: u64 = own.map(|function| function["instructions"].as_u64().expect("a number")).sum();
        assert_eq!(spent, counted, "{inputs:?} {flags:?}");
        let again = cost(&mut bot, "turn", 500);
        assert_eq!((again, bot.left()), (spent, (1 << 40) - spent as i64));
    }
}

/// A bot that looks after its own heap: no two blocks share a byte, each is
/// aligned, what was written stays, and all of it comes back.
const HEAP: &str = r#"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { SLOTS = 500 };
static struct { unsigned char *at; size_t size; unsigned char mark; } slots[SLOTS];
static uint64_t dice = 88172645463325252u;
static uint64_t roll(uint64_t sides) { dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17; return dice % sides; }
static int holds(int i, size_t size) {
  for (size_t k = 0; k < size; k++) if (slots[i].at[k] != slots[i].mark) return 0;
  return 1;
}
void turn(long *p) {
  for (long round = 0; round < p[0]; round++) {
    int i = (int)roll(SLOTS);
    size_t size = roll(100) < 90 ? roll(300) : roll(100) < 90 ? roll(20000) : roll(2000000), align = 16, zero = 0;
    if (slots[i].at && !holds(i, slots[i].size)) { p[1] = -1; return; }
    switch (roll(4)) {
    case 0: free(slots[i].at); slots[i].at = malloc(size); break;
    case 1: free(slots[i].at); slots[i].at = calloc(1, size); zero = size; break;
    case 2: {
      size_t kept = !slots[i].at ? 0 : size < slots[i].size ? size : slots[i].size;
      if (size == 0) size = 1;
      slots[i].at = realloc(slots[i].at, size);
      if (slots[i].at && !holds(i, kept)) { p[1] = -2; return; }
      break;
    }
    default: free(slots[i].at); align = (size_t)1 << roll(14); if (align < 16) align = 16; slots[i].at = aligned_alloc(align, size); break;
    }
    if (!slots[i].at || (uintptr_t)slots[i].at % align) { p[1] = -3; return; }
    for (size_t k = 0; k < zero; k++) if (slots[i].at[k]) { p[1] = -4; return; }
    slots[i].size = size, slots[i].mark = (unsigned char)(round % 251 + 1);
    memset(slots[i].at, slots[i].mark, size);
  }
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].at && !holds(i, slots[i].size)) { p[1] = -5; return; }
    free(slots[i].at), slots[i].at = NULL;
  }
  p[1] = p[0];
}
"#;

#[test]
fn a_heap_holds_what_it_is_given_and_gives_all_back() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "heap.c", HEAP);
    let mut bot = load(&plugin);
    for round in 0..20 {
        cost(&mut bot, "turn", 10_000);
        assert_eq!(bot.shared()[1], 10_000, "round {round}");
        let (used, peak) = bot.memory();
        assert_eq!(used, 0, "all of it came back");
        assert!(peak < 48 << 20, "{peak}");
    }
}

const WORLD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long asked, order;
static int by_digit(const void *a, const void *b) {
  int left = *(const int *)a % 10, right = *(const int *)b % 10;
  asked++;
  order = order * 31 + left * 10 + right;
  return left - right;
}
struct wide { int key; char rest[60]; };
void turn(long *p) {
  int numbers[300];
  struct wide wide[50];
  for (int i = 0; i < 5; i++) printf("%d ", rand());
  srand(2026);
  for (int i = 0; i < 300; i++) numbers[i] = rand() % 1000;
  for (int i = 0; i < 50; i++) memset(&wide[i], i, sizeof wide[i]), wide[i].key = rand() % 100;
  qsort(numbers, 300, sizeof *numbers, by_digit);
  qsort(wide, 50, sizeof *wide, by_digit);
  for (int i = 0; i < 300; i++) printf("%d,", numbers[i]);
  for (int i = 0; i < 50; i++) printf("%d%c", wide[i].key, wide[i].rest[5] % 26 + 'a');
  char text[] = "one two,three";
  for (char *word = strtok(text, " ,"); word; word = strtok(NULL, " ,")) puts(word);
  fprintf(stdout, "%5.2f %s %ld %ld\n", 3.14159, "so", asked, order);
  srandom(0), printf("%ld\n", random());
  putchar('!'), fputs("fin", stdout), fputc('\n', stdout);
  p[1] = getchar();
}
"#;

/// What a bot has in place of the C library's parts does what those do.
#[test]
fn a_bots_own_world_is_like_the_c_librarys() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "world.c", WORLD);
    bench.write("main.c", b"void turn(long *);\nint main(void) { long p[2]; turn(p); }\n");
    let native = bench.shell("clang-22 -o native world.c main.c && ./native < /dev/null");
    let (bot, verdict) = once(&plugin, "turn", 0, Turn::of(10_000_000));
    assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Finished, -1), "{verdict:?}");
    let (output, lost) = bot.output();
    assert_eq!((String::from_utf8_lossy(output).into_owned(), lost), (native.stdout, 0));
}

/// The C++ library's parts that look at threads, locales and streams.
const LIBRARY: &str = r#"
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <unordered_map>
static std::once_flag once;
static std::mutex mutex;
extern "C" void turn(long *p) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  std::call_once(once, [] { std::cout << "once "; });
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<int> shared = std::make_shared<int>(7), again = shared;
  std::mt19937 random(5);
  std::ostringstream text;
  text << std::hex << 255 << ' ' << 1.5 << ' ' << std::uniform_int_distribution<int>(1, 6)(random);
  try { std::locale("de_DE.UTF-8"); } catch (std::runtime_error &) { text << " no locale"; }
  std::ifstream file("/etc/passwd");
  int number = 9;
  std::cin >> number;
  bool later = std::chrono::steady_clock::now() >= std::chrono::steady_clock::time_point();
  std::cout << text.str() << ' ' << file.is_open() << number << later << std::regex_match("abc", std::regex("a.c")) << std::endl;
  p[1] = *again;
}
"#;

#[test]
fn the_cxx_library_is_whole_and_costs_the_same_whatever_the_hosts_threads() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "library.cpp", LIBRARY);
    let mut costs = Vec::new();
    let mut play = || {
        let (bot, verdict) = once(&plugin, "turn", 0, Turn::of(10_000_000));
        assert_eq!((verdict.kind, bot.shared()[1]), (EndKind::Finished, 7), "{verdict:?}");
        assert_eq!(String::from_utf8_lossy(bot.output().0), "once ff 1.5 2 no locale 0911\n");
        costs.push(verdict.spent);
    };
    play();
    std::thread::spawn(|| ()).join().expect("a thread");
    play();
    assert_eq!(costs[0], costs[1]);
}

#[test]
fn what_does_not_fit_into_the_output_is_counted() {
    let text = "#include <stdio.h>\n\
                void turn(long *p) { for (long i = 0; i < p[0]; i++) printf(\"%09ld\\n\", i), puts(\"twelve bytes\"); }\n";
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "chatty.c", text);
    let (mut bot, verdict) = once(&plugin, "turn", 10_000, Turn::of(100_000_000));
    assert_eq!(verdict.kind, EndKind::Finished);
    let (output, lost) = bot.output();
    assert!(output.len() <= 65536 && output.len() > 65500);
    assert!(output.starts_with(b"000000000\ntwelve bytes\n000000001\n"));
    assert_eq!(output.len() as u64 + lost, 230_000);
    assert_eq!(run(&mut bot, "turn", 1, Turn::of(10_000)).kind, EndKind::Finished);
    assert_eq!(bot.output(), (&b"000000000\ntwelve bytes\n"[..], 0));
}
