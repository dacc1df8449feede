//! A host in C looks at itself behind thousands of ends, with the switch in
//! assembly and with the one that any machine has.

use crate::plugins::build;
use crate::support::{Bench, needs};

const BOT: &str = r#"
#include <stdlib.h>
#include <unistd.h>
void fine(long *p) { p[1]++; }
void crash(long *p) { *(volatile long *)16 = 1; }
void spin(long *p) { for (volatile long i = 0;; i++); }
void doze(long *p) { for (;;) sleep(1); }
void take(long *p) { for (;;) *(volatile char *)malloc(10000) = 1; }
void abort_it(long *p) { abort(); }
__attribute__((noinline)) static long deep(long n) { volatile char c[200]; c[n & 63] = 1; return deep(n + 1) + c[2]; }
void recurse(long *p) { p[1] = deep(0); }
void round_up(long *p) {
#if defined(__x86_64__)
  unsigned control = 0x1f80 | 0xe000;
  __asm__ volatile("ldmxcsr %0" : : "m"(control));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(0xc00000ul));
#endif
  *(volatile long *)16 = 1;
}
"#;

#[test]
fn nothing_of_an_end_stays_with_the_host() {
    let bench = Bench::new(&[("ends.c", include_str!("ends.c"))]);
    let plugin = build(&bench, "bot.c", BOT);
    let plugin = plugin.display();
    bench.shell("\"$OPCOST\" fuel --header > opcost_host.h");
    for (how, rounds) in [("", 400), ("-DOPCOST_UCONTEXT", 100)] {
        bench.shell(&format!("clang-22 -O1 -Wall -Wextra -Werror {how} ends.c -o host -lm"));
        let said = bench.shell(&format!("./host '{plugin}' {rounds} || true"));
        assert_eq!(said.stdout, "fine\n", "{how}");
    }
}

/// Emulated; riscv64 needs lld, as Debian 12's own linker does not know what
/// clang 22 writes.
#[test]
fn other_machines_switch_stacks_too() {
    needs("qemu-aarch64", "qemu-user");
    let bench = Bench::new(&[("ends.c", include_str!("ends.c")), ("bot.c", BOT)]);
    bench.shell("\"$OPCOST\" fuel --header > opcost_host.h");
    for (machine, linker) in [("aarch64", "bfd"), ("riscv64", "lld")] {
        let target = format!("--target={machine}-linux-gnu");
        needs(&format!("{machine}-linux-gnu-gcc"), &format!("gcc-{machine}-linux-gnu"));
        bench.shell(&format!(
            "\"$OPCOST\" fuel --emit shared --cflag {target} --cflag -fuse-ld={linker} -o bot.so bot.c && \
             clang-22 {target} -fuse-ld={linker} -O1 -Wall -Wextra -Werror ends.c -o host -lm"
        ));
        let said =
            bench.shell(&format!("qemu-{machine} -L /usr/{machine}-linux-gnu ./host ./bot.so 4 || true"));
        assert_eq!(said.stdout, "fine\n", "{machine}: {}", said.stderr);
    }
}
