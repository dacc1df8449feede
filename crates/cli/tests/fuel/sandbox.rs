//! Do the walls hold what they should, and let through what they should?

use opcost_testkit::command::{ProgramOutput, corpus};

use crate::bench::Bench;

/// Whether this kernel has landlock: a test says so, it does not hide it.
fn has_landlock(answer: &crate::bench::Answer) -> bool {
    let has = answer.json["sandbox"]["landlock"] != "missing";
    if !has {
        eprintln!("this kernel has no landlock; the filters of system calls are tested alone");
    }
    has
}

#[test]
fn honest_programs_do_the_same_behind_walls() {
    for name in ["honest/contest.c", "honest/contest.cpp"] {
        let path = &*corpus(name);
        let bench = Bench::new();
        let plain = bench.fuel(&["--cflag", "-w", "-l", "m", path]);
        let walled = bench.fuel(&["--cflag", "-w", "-l", "m", "--sandbox", path]);
        assert_eq!(plain.json["verdict"], "finished", "{}", plain.said());
        assert_eq!(walled.json["verdict"], "finished", "{}", walled.said());
        assert_eq!(walled.stdout, plain.stdout);
        assert_eq!(
            walled.json["sandbox"]["counter_hidden"],
            cfg!(target_arch = "x86_64"),
            "{}",
            walled.said()
        );
        assert!(walled.stderr.contains("sandbox: system calls filtered"), "{}", walled.said());
        assert_eq!(walled.stderr.contains("no landlock"), !has_landlock(&walled), "{}", walled.said());
    }
}

/// A hidden counter, probed frames and trapped ends change nothing of the count.
#[test]
fn it_spends_behind_walls_what_it_spends_without() {
    for name in [
        "throw_cleanups.cpp",
        "throw_construct.cpp",
        "jump_hot_loop.c",
        "jump_twice.c",
        "goto_hundred.c",
        "tail_must.c",
        "exit_nested.c",
        "duff.c",
        "noreturn_middle.ll",
        "flow_strange.ll",
    ] {
        let path = &*corpus(&format!("hostile/{name}"));
        for level in ["0", "2"] {
            let bench = Bench::new();
            let plain = bench.fuel(&["--codegen", level, path]);
            let walled = bench.fuel(&["--codegen", level, "--sandbox", path]);
            assert_eq!(walled.json["verdict"], plain.json["verdict"], "{name}: {}", walled.said());
            assert_eq!(walled.json["spent"], plain.json["spent"], "{name}: {}", walled.said());
            assert_eq!(walled.stdout, plain.stdout, "{name}");
        }
    }
}

#[test]
fn the_limit_is_exact_behind_walls_too() {
    let path = &*corpus("attacks/exit_over_settle.c");
    let bench = Bench::new();
    let cost = bench.count(path);
    let passed = bench.fuel(&["--sandbox", "--limit", &cost.to_string(), path]);
    assert_eq!((passed.status, passed.json["spent"].as_u64()), (0, Some(cost)), "{}", passed.said());
    let stopped = bench.fuel(&["--sandbox", "--limit", &(cost - 1).to_string(), path]);
    assert_eq!(
        (stopped.status, stopped.json["verdict"].as_str()),
        (3, Some("used-up")),
        "{}",
        stopped.said()
    );
}

#[test]
fn what_it_says_is_held_back_until_it_finished() {
    let bench = Bench::new();
    bench.write("in", "4 5\n");
    bench.write(
        "a.c",
        "#include <stdio.h>\nint main(int c, char **v) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d %s\\n\", a + b, v[1]);\n\
         fflush(stdout); fprintf(stderr, \"note\\n\"); if (c > 2) for (;;); return c; }\n",
    );
    let run = |flags: &[&str], words: &[&str]| {
        let all = [&["--sandbox", "--limit", "1M", "--stdin", "in"], flags, &["a.c", "--"], words].concat();
        bench.fuel(&all)
    };
    let finished = run(&[], &["x"]);
    assert_eq!((finished.status, finished.stdout.as_str()), (4, "9 x\n"), "{}", finished.said());
    assert_eq!(finished.json["program_status"]["exit"], 2);
    assert!(finished.stderr.starts_with("note\n"), "{}", finished.said());
    let to_file = run(&["--stdout", "out"], &["x"]);
    assert!(to_file.stdout.is_empty(), "{}", to_file.said());
    assert_eq!(bench.read("out"), "9 x\n");
    let stopped = run(&[], &["x", "y"]);
    assert_eq!((stopped.status, stopped.stdout.as_str()), (3, ""), "{}", stopped.said());
    assert!(!stopped.stderr.contains("note"), "{}", stopped.said());
    let partial = run(&["--partial"], &["x", "y"]);
    assert_eq!((partial.status, partial.stdout.as_str()), (3, "9 x\n"), "{}", partial.said());
}

#[test]
fn a_forbidden_call_is_named_and_denied_ones_come_back() {
    let bench = Bench::new();
    // The host lets it name what it likes; the walls stand.
    for (call, name) in [
        ("fork()", "fork|clone"),
        ("kill(getppid(), 0)", "kill"),
        ("socket(2, 1, 0)", "socket"),
        ("mprotect(0, 4096, 5)", "mprotect"),
        ("(long)mmap(0, 4096, 7, 34, -1, 0)", "mmap"),
        ("(long)mmap((void *)4096, 4096, 3, 50, -1, 0)", "mmap"),
        ("execl(\"/bin/true\", \"true\", (char *)0)", "execve"),
        ("ptrace(0, 0, 0, 0)", "ptrace"),
        ("prctl(22, 0)", "prctl"),
        ("syscall(158, 0x1001, 4096)", "arch_prctl"),
        ("syscall(56, 0x11, 0, 0, 0, 0)", "clone"),
        ("dup(1)", "dup"),
    ] {
        if !cfg!(target_arch = "x86_64") && call.contains("syscall") {
            continue;
        }
        bench.write(
            "a.c",
            format!(
                "#define _GNU_SOURCE\n#include <unistd.h>\n#include <signal.h>\n#include <sys/mman.h>\n\
                 #include <sys/socket.h>\n#include <sys/prctl.h>\nlong ptrace(int, ...);\n\
                 int main(void) {{ return {call} == 0; }}\n"
            ),
        );
        let allowed = "kill,getppid,socket,mprotect,mmap,ptrace,prctl,syscall,dup";
        let answer = bench.fuel(&["--sandbox", "--allow", allowed, "--cflag", "-w", "a.c"]);
        if call.contains("fork") || call.contains("execl") {
            // Those no host can allow.
            assert_eq!(answer.json["objections"][0]["rule"], "outside-function", "{}", answer.said());
            continue;
        }
        assert_eq!(
            (answer.status, answer.json["verdict"].as_str()),
            (3, Some("rejected")),
            "{}",
            answer.said()
        );
        let said = answer.json["sandbox"]["system_call"].as_str().unwrap_or_default();
        assert!(name.split('|').any(|one| one == said), "{call}: {}", answer.said());
    }
    bench.write(
        "b.c",
        "#include <errno.h>\n#include <fcntl.h>\n#include <unistd.h>\n#include <stdio.h>\n\
         int main(void) { int f = open(\"/etc/passwd\", O_RDONLY); printf(\"%d %d\", f, errno == EACCES); }\n",
    );
    let denied = bench.fuel(&["--sandbox", "b.c"]);
    assert_eq!((denied.status, denied.stdout.as_str()), (0, "-1 1"), "{}", denied.said());
}

/// Becomes its arguments, with a kernel that does not know one system call.
const WITHOUT: &str = "\
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444 /* landlock_create_ruleset, everywhere */, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {4, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 99;
  execv(words[1], words + 1);
  return 98;
}
";

#[test]
fn a_kernel_without_landlock_is_told_and_the_other_walls_stand() {
    let bench = Bench::new();
    bench.write("without.c", WITHOUT);
    bench.tool("clang-22", &["-o", "without", "without.c"]);
    bench.write(
        "a.c",
        "#include <stdio.h>\nint main(void) { puts(\"here\"); return fopen(\"b\", \"w\") == 0; }\n",
    );
    let run = || {
        let mut command = bench.program(bench.path("without"));
        command.arg(env!("CARGO_BIN_EXE_opcost"));
        let said = ProgramOutput::of(command.args(["fuel", "--sandbox", "--json", "a.json", "a.c"]));
        (said, bench.json("a.json"))
    };
    let (output, json) = run();
    let said = &output.stderr;
    assert_eq!(json["sandbox"]["landlock"], "missing", "{said}");
    assert!(said.contains("no landlock (the kernel lacks it)"), "{said}");
    assert_eq!((output.status, json["verdict"].as_str()), (3, Some("rejected")), "{said}");
    assert_eq!(json["sandbox"]["system_call"], "openat", "{said}");
    assert!(output.stdout.is_empty() && !bench.path("b").exists());
}

#[test]
fn a_program_that_nobody_trusts_starts_no_other_way() {
    let bench = Bench::new();
    bench.write("a.c", "int main(void) { return 0; }\n");
    let objected = bench.fuel(&["--sandbox", "a.c", "-l", "pthread"]);
    assert_eq!(
        (objected.status, objected.json["verdict"].as_str()),
        (3, Some("rejected")),
        "{}",
        objected.said()
    );
    let both = bench.fuel(&["--sandbox", "--check", "a.c"]);
    assert_eq!(both.status, 2, "{}", both.said());
    let alone = bench.fuel(&["--memory", "1G", "a.c"]);
    assert_eq!(alone.status, 2, "{}", alone.said());
    for (flag, value) in [("--memory", "1M"), ("--seconds", "0")] {
        assert_eq!(bench.fuel(&["--sandbox", flag, value, "a.c"]).status, 2);
    }
}
