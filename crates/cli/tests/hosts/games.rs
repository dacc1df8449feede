//! The example hosts play, in C++ and in Rust, and tell the same.

use std::path::{Path, PathBuf};

use crate::support::Bench;

#[path = "../../../host/examples/game/host.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of another crate")]
mod host;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/examples/game").canonicalize().expect("the example")
}

/// The bots in the order of play.
const BOTS: [&str; 9] = [
    "honest.c",
    "planner.cpp",
    "slow.c",
    "endless.c",
    "sleeping.c",
    "cheating.c",
    "deep.c",
    "greedy.cpp",
    "crashing.c",
];

#[test]
fn both_hosts_play_the_same_game() {
    let bench = Bench::new(&[]);
    let game = folder();
    for file in BOTS.iter().chain(&["game.h", "host.cpp", "forging.c"]) {
        std::fs::copy(game.join(file), bench.path(file)).expect("a copy");
    }
    let mut plugins = Vec::new();
    for bot in BOTS {
        let plugin = format!("{}.so", bot.split('.').next().expect("a name"));
        let said = bench.opcost(&["fuel", "--emit", "shared", "-o", &plugin, bot]);
        assert_eq!(said.status, 0, "{bot}: {}", said.stderr);
        plugins.push(plugin);
    }
    let forged = bench.opcost(&["fuel", "--emit", "shared", "-o", "forging.so", "forging.c"]);
    assert!(
        forged.status == 1 && forged.stderr.contains("'opc_fuel' is a name of opcost's runtime"),
        "{}",
        forged.stderr
    );
    bench.shell("\"$OPCOST\" fuel --header > opcost_host.h && clang++-22 -std=c++17 -Wall -Wextra -Werror -o host host.cpp");
    let played = bench.shell(&format!("./host {}", plugins.join(" ")));
    let paths: Vec<PathBuf> = plugins.iter().map(|plugin| bench.path(plugin)).collect();
    assert_eq!(played.stdout, host::game(&paths), "both hosts tell the same");
    for (bot, words) in [
        ("honest.so", "40       40       0"),
        ("planner.so", "40       40       0"),
        ("endless.so", "3        0       3     0  "),
        ("endless.so", "used-up in round 2, endless.c:5"),
        ("sleeping.so", "1        0       0     0  "),
        ("sleeping.so", "blocked in round 0"),
        ("cheating.so", "rejected: it imports kill, which is not allowed"),
        ("deep.so", "stack in round 0"),
        ("greedy.so", "memory in round 0"),
        ("crashing.so", "11       10       0"),
        ("crashing.so", "crashed in round 10"),
    ] {
        let line =
            played.stdout.lines().find(|line| line.starts_with(bot)).unwrap_or_else(|| panic!("no {bot}"));
        assert!(line.contains(words), "{words}: {line}");
    }
    let slow = played.stdout.lines().find(|line| line.starts_with("slow.so")).expect("it plays");
    let numbers: Vec<u32> =
        slow.split_whitespace().skip(1).take(3).map(|word| word.parse().expect("a number")).collect();
    assert!(
        numbers[1] >= 10 && numbers[2] >= 20 && numbers[1] + numbers[2] == 40,
        "it thinks on over rounds: {slow}"
    );
}

/// The header serves C11 and C++, and the fallback without assembly holds too.
#[test]
fn the_header_compiles_for_all() {
    let bench = Bench::new(&[("host.c", "#define OPCOST_HOST_IMPLEMENTATION\n#include \"opcost_host.h\"\n")]);
    bench.write(
        "user.c",
        b"#include \"opcost_host.h\"\nint main(void) { return opcost_kind_name(OPCOST_STACK)[0] != 's'; }\n",
    );
    bench.shell("\"$OPCOST\" fuel --header -o opcost_host.h");
    let warnings = "-Wall -Wextra -Wpedantic -Wno-gnu -Werror";
    bench.shell(&format!("clang-22 -std=c11 {warnings} host.c user.c -o c11 && ./c11"));
    bench.shell(&format!("clang++-22 -std=c++17 {warnings} -xc++ host.c user.c -o cxx && ./cxx"));
    bench.shell(&format!("clang-22 -std=c11 -DOPCOST_UCONTEXT {warnings} host.c user.c -o plain && ./plain"));
}
