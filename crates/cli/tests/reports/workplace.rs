//! A folder of its own for each test, with `opcost` and a program in it.

use opcost_testkit::command::Workplace;

/// A loop that runs as often as its argument says.
pub(crate) const LOOP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= sum * 31 + i;
    return sum;
}
__attribute__((noinline)) int rest(int n) { return n / 3; }
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    printf("%d\n", work(n) + rest(n));
    return argc > 2 ? atoi(argv[2]) : 0;
}
"#;

/// The folder, with `a.c` in it.
pub(crate) fn workplace() -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write("a.c", LOOP);
    place
}

/// The number at the start of a report.
pub(crate) fn headline(report: &str) -> u128 {
    let line = report.lines().find(|line| line.contains(" instructions   ")).expect("a headline");
    line.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}
