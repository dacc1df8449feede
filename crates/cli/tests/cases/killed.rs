//! A program is killed in a loop whose counts are in registers: is that what the report says?

use super::interrupted::{begun, send};
use super::{cases, opcost};

#[test]
fn the_loop_in_which_a_program_was_killed_is_named() {
    let place = cases();
    place.write(
        "made.c",
        "__attribute__((noinline)) static int before(int n) {\n  int s = 1;\n  for (int i = 0; i < n; i++) s = s * 3 ^ i;\n  return s;\n}\n\
         int main(void) {\n  volatile unsigned long s = before(1000);\n  for (;;)\n    s++;\n}\n",
    );
    for (placement, is_named) in [("chords", true), ("every-segment", false)] {
        opcost(&place, &format!("count --placement {placement} --emit exe -o made made.c")).expect(0);
        // From outside, and through opcost.
        for is_direct in [true, false] {
            let (mut child, program) = begun(&place, "count --json said.json -o said.txt made");
            send(if is_direct { "-KILL" } else { "-TERM" }, if is_direct { program } else { child.id() });
            child.wait().expect("it ends");
            let said = place.json("said.json");
            assert_eq!(said["quality"]["kind"], "lower bound", "{said:#}");
            let reasons = said["quality"]["reasons"].to_string();
            assert_eq!(
                reasons.contains("made.c:8 in main") || reasons.contains("made.c:9 in main"),
                is_named,
                "{reasons}"
            );
            let total = said["total"].as_u64().expect("a number");
            // What came to its end is in; so is the loop where each segment has its counter.
            assert!(total > if is_named { 1000 } else { 1_000_000 }, "{placement}: {total}");
            assert!(!place.read("said.txt").contains("--budget"), "a part of a count is no budget");
        }
    }
    // The processor time is over.
    opcost(&place, "count --emit exe -o made made.c").expect(0);
    let limited = place.shell("ulimit -t 1; $OPCOST count --json said.json made");
    assert_eq!(limited.status, 4, "{}", limited.all());
    assert!(
        place.json("said.json")["quality"]["reasons"].to_string().contains("in main"),
        "{}",
        limited.all()
    );
}
