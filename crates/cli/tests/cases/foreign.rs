//! Are counted modules of a program without counters counted, and counted programs that it starts?
//!
//! The right number of a module is that of a counted program that calls it, less what the program
//! does itself.

use opcost_testkit::command::{ProgramOutput, Workplace};

use super::{cases, opcost};

const PLUG: &str =
    "int plug(int n) {\n  int s = 1;\n  for (int i = 0; i < n; i++) s = s * 3 ^ i;\n  return s;\n}\n";
const HOST: &str = "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    int main(int n, char **v) {\n  if (n < 3) { puts(\"here\"); return 0; }\n  void *l = dlopen(v[1], RTLD_NOW);\n\
    if (!l) { puts(dlerror()); return 1; }\n  int (*f)(int) = (int (*)(int))dlsym(l, \"plug\");\n\
    printf(\"%d\\n\", f(atoi(v[2])));\n  if (n > 3) dlclose(l);\n  return 0;\n}\n";

fn place() -> Workplace {
    let place = cases();
    place.write("plug.c", PLUG);
    place.write("host.c", HOST);
    place.tool("clang-22", &["-O1", "-o", "host", "host.c"]).expect(0);
    opcost(&place, "cc -O2 -shared -fPIC -o plug.so plug.c").expect(0);
    place
}

/// Counts with the folder of the test in PATH.
fn by_name(place: &Workplace, words: &[&str]) -> ProgramOutput {
    let path = std::env::var("PATH").expect("a PATH");
    let mut command = place.command(words);
    let bin = place.path("bin");
    ProgramOutput::of(command.env("PATH", format!("{}:{path}", bin.display())))
}

#[test]
fn modules_of_a_host_without_counters_are_counted() {
    let place = place();
    // A run with raw files, reported by itself, is the referee.
    place.shell("mkdir raw; OPCOST_RAW=$PWD/raw ./host ./plug.so 1000").expect(0);
    let right = place.shell("$OPCOST report --json - raw/*.opcraw").expect(0).json()["total"].as_u64();
    assert!(right > Some(3000), "{right:?}");
    for words in ["host -- ./plug.so 1000", "./host -- ./plug.so 1000 close"] {
        let said = opcost(&place, &format!("count --json said.json {words}")).expect(0);
        let document = place.json("said.json");
        assert_eq!(document["total"].as_u64(), right, "{document:#}");
        assert_eq!(document["quality"]["kind"], "exact", "{document:#}");
        assert!(
            document["host_without_counters"].as_str().is_some_and(|host| host.ends_with("host")),
            "{document:#}"
        );
        said.expect_stderr(&["host has no counters of its own"]);
    }
    // It ran, and nothing counted: refused as before. Where there is no hope, it does not run.
    let nothing = opcost(&place, "count host").expect(2);
    assert!(nothing.stdout.contains("here"), "{}", nothing.all());
    nothing.expect_stderr(&["host was not built by opcost", "CC='opcost cc'"]);
    place.tool("clang-22", &["-O1", "-static", "-o", "alone", "host.c"]);
    if place.path("alone").exists() {
        let alone = opcost(&place, "count alone").expect(2);
        assert!(!alone.stdout.contains("here"), "{}", alone.all());
    }
}

#[test]
fn what_a_launcher_starts_is_counted() {
    let place = place();
    place.write("ranks.c", format!("{PLUG}int main(void) {{ return plug(1000) == 7; }}\n"));
    opcost(&place, "count --emit exe -o ranks ranks.c").expect(0);
    let one = opcost(&place, "count --json - ranks").expect(0).json();
    place.write_program(
        "bin/launch",
        "#!/bin/sh\nn=$1; shift\nwhile [ $n -gt 0 ]; do \"$@\" & n=$((n - 1)); done\nwait\n",
    );
    let both = by_name(&place, &["count", "--json", "-", "launch", "--", "2", "./ranks"]).expect(0).json();
    assert_eq!(both["total"].as_u64(), one["total"].as_u64().map(|total| 2 * total), "{both:#}");
    assert_eq!((&both["processes"], &both["quality"]["kind"]), (&2.into(), &"exact".into()), "{both:#}");
    let none = by_name(&place, &["count", "no-such-launcher", "--", "2"]).expect(1);
    none.expect_stderr(&["no-such-launcher", "there is no such file"]);
}
