//! What is not built, and what is not loaded.

use opcost_host::{EndKind, InstanceOptions, Turn};

use crate::plugins::{build, run, try_build, try_load};
use crate::support::Bench;

const PLAIN: &str = "void turn(long *p) { p[1] = p[0] + 1; }\n";

fn reason(bench: &Bench, name: &str) -> String {
    match try_load(&bench.path(name), &InstanceOptions::default()) {
        Ok(_) => panic!("{name} was loaded"),
        Err(rejected) => rejected.reason().to_owned(),
    }
}

#[test]
fn what_runs_outside_its_turns_is_not_built() {
    let cases = [
        (
            "forging.c",
            "extern long opc_fuel;\nvoid turn(long *p) { opc_fuel = 1L << 60; }\n",
            "'opc_fuel' is a name",
        ),
        (
            "labelled.c",
            "extern long fuel __asm__(\"opc_fuel\");\nvoid turn(long *p) { fuel = 1L << 60; }\n",
            "'opc_fuel' is a name",
        ),
        (
            "descriptor.c",
            "extern char opcost_plugin[];\nvoid turn(long *p) { opcost_plugin[0] = 0; }\n",
            "is a name",
        ),
        (
            "early.c",
            "static void run(void) {}\n__attribute__((section(\".init_array\"), used)) static void (*p)(void) = run;\n\
             void turn(long *p) {}\n",
            "runs before there is any fuel",
        ),
        (
            "chosen.c",
            "static void f(void) {}\nstatic void *choose(void) { return f; }\n\
             void g(void) __attribute__((ifunc(\"choose\")));\nvoid turn(long *p) { g(); }\n",
            "ifunc",
        ),
        (
            "forking.c",
            "#include <unistd.h>\nvoid turn(long *p) { p[1] = fork(); }\n",
            "starts processes (fork)",
        ),
        (
            "catching.c",
            "#include <signal.h>\nvoid turn(long *p) { signal(SIGSEGV, SIG_IGN); }\n",
            "handles signals (signal)",
        ),
        ("nothing.cpp", "void turn(long *p) { *p = 1; }\n", "no function that a host could call"),
        ("heap.c", "void free(void *m) {}\nvoid turn(long *p) { free(p); }\n", ""),
        ("missing.c", "void helper(void);\nvoid turn(long *p) { helper(); }\n", ""),
    ];
    for (name, text, words) in cases {
        let bench = Bench::new(&[]);
        let said = try_build(&bench, name, text, &[]);
        assert_eq!(said.status, 1, "{name}: {}", said.stderr);
        assert!(said.stderr.contains(words), "{name}: {}", said.stderr);
        let stem = name.split('.').next().expect("a name");
        assert!(!bench.path(&format!("{stem}.so")).exists(), "{name}: nothing is left behind");
    }
}

#[test]
fn only_what_can_be_metered_becomes_part_of_a_plugin() {
    let bench = Bench::new(&[("turn.c", PLAIN)]);
    bench.shell("clang-22 -c turn.c -o turn.o");
    for (inputs, words) in [
        (&["turn.o"][..], "a plug-in is made of C, C++, .bc and .ll"),
        (&["turn.c", "-l", "curl"][..], "a plug-in has no library"),
    ] {
        let mut arguments = vec!["fuel", "--emit", "shared", "-o", "turn.so"];
        arguments.extend(inputs);
        let said = bench.opcost(&arguments);
        assert!(said.status == 2 && said.stderr.contains(words), "{}: {}", said.status, said.stderr);
    }
}

#[test]
fn imports_beyond_the_list_are_rejected_by_name() {
    for (call, name) in [
        ("kill(1, 9)", "kill"),
        ("system(\"true\")", "system"),
        ("mmap(0, 4096, 7, 34, -1, 0)", "mmap"),
        ("socket(2, 1, 0)", "socket"),
        ("dlopen(\"x\", 2)", "dlopen"),
        ("syscall(39)", "syscall"),
        ("sleep(1)", "sleep"),
        ("prctl(1, 9)", "prctl"),
    ] {
        let bench = Bench::new(&[]);
        let text = format!(
            "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <sys/prctl.h>\n#include <sys/socket.h>\n#include <unistd.h>\nvoid turn(long *p) {{ p[1] = (long){call}; }}\n"
        );
        let plugin = build(&bench, "bot.c", &text);
        assert_eq!(reason(&bench, "bot.so"), format!("it imports {name}, which is not allowed"));
        let options = InstanceOptions { allowed: vec![name.to_owned()], ..InstanceOptions::default() };
        assert!(try_load(&plugin, &options).is_ok(), "{name}, when the host allows it");
    }
}

#[test]
fn what_is_no_plugin_is_rejected() {
    let bench = Bench::new(&[("turn.c", PLAIN), ("text.so", "not ELF\n"), ("empty.so", "")]);
    bench.shell("clang-22 -shared -fPIC turn.c -o plain.so && clang-22 -c turn.c -o turn.o");
    bench.shell("echo 'char opcost_plugin[256];' | clang-22 -shared -fPIC -xc - -o empty_handed.so");
    for name in ["text.so", "empty.so", "turn.o"] {
        assert_eq!(reason(&bench, name), "not a plug-in; make one with: opcost fuel --emit shared", "{name}");
    }
    for name in ["plain.so", "empty_handed.so"] {
        assert!(reason(&bench, name).contains("opcost fuel --emit shared"), "{}", reason(&bench, name));
    }
    assert!(reason(&bench, "nowhere.so").contains("cannot be read: No such file"));
    let plugin = build(&bench, "turn.c", PLAIN);
    let bytes = std::fs::read(&plugin).expect("a plug-in");
    let at = bytes.windows(8).position(|window| window == b"OPLUGIN1").expect("its descriptor");
    let mut other = bytes.clone();
    other[at + 8] = 99;
    bench.write("other.so", &other);
    let said = reason(&bench, "other.so");
    assert!(said.contains("another version of opcost (plug-in version 99, this host's is 2)"), "{said}");
}

/// The examination reads nothing beyond the file, whatever its numbers say.
#[test]
fn a_damaged_plugin_is_rejected() {
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "turn.c", PLAIN);
    let bytes = std::fs::read(&plugin).expect("a plug-in");
    for length in (0..bytes.len()).step_by(97) {
        bench.write("short.so", &bytes[..length]);
        // What is left behind the last segment may be missing.
        if let Ok(mut bot) = try_load(&bench.path("short.so"), &InstanceOptions::default()) {
            assert_eq!(run(&mut bot, "turn", 1, Turn::of(1000)).kind, EndKind::Finished, "{length} bytes");
            assert!(length > bytes.len() / 2);
        }
    }
    // Program headers and dynamic section with large numbers in them.
    let dynamic =
        bytes.windows(16).position(|window| window[..8] == [1, 0, 0, 0, 0, 0, 0, 0] && window[8] != 0);
    let places = (64..64 + 56 * 10).chain(dynamic.expect("a dynamic section")..).take(56 * 10 + 400);
    for place in places.filter(|place| place % 8 == 0) {
        let mut damaged = bytes.clone();
        damaged[place..place + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        bench.write("damaged.so", &damaged);
        let _ = try_load(
            &bench.path("damaged.so"),
            &InstanceOptions { memory_bytes: 1, ..InstanceOptions::default() },
        );
    }
}

#[test]
fn data_count_as_memory() {
    let bench = Bench::new(&[]);
    let plugin =
        build(&bench, "large.c", "static char a[50000000];\nvoid turn(long *p) { p[1] = a[p[0]]++; }\n");
    let options = InstanceOptions { memory_bytes: 10 << 20, ..InstanceOptions::default() };
    let rejected = try_load(&plugin, &options).expect_err("it is too large");
    assert!(rejected.reason().contains("its limit is 10485760"), "{rejected}");
    assert!(try_load(&plugin, &InstanceOptions::default()).is_ok());
}

#[test]
fn a_host_finds_functions_of_the_bot_only() {
    let text = "#include <string.h>\n#include <stdio.h>\nvoid turn(long *p) { puts(\"x\"); }\nint two(int a, int b) { return a + b; }\n\
                void plain(void) {}\n__attribute__((visibility(\"hidden\"))) void hidden(long *p) {}\nstatic void local(long *p) {}\n\
                void *keep[] = {local};\n";
    let bench = Bench::new(&[]);
    let plugin = build(&bench, "names.c", text);
    let bot = try_load(&plugin, &InstanceOptions::default()).expect("a bot");
    let found = ["turn", "plain", "two", "hidden", "local", "puts", "memcpy", "malloc", "opcost_plugin", ""]
        .into_iter()
        .filter(|name| bot.find(name).is_some());
    assert_eq!(found.collect::<Vec<_>>(), ["turn", "plain"]);
}
