//! Does each step say how often its instruction ran, and only if the ledger is
//! of this very build?

use std::ops::Deref;

use opcost_testkit::command::Workplace;
use serde_json::Value;

use crate::workplace;

const PROGRAM: &str = "\
int __attribute__((noinline)) work(int n) {
  int sum = 1;
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++) {
    sum = sum * 31 + i;
    sum ^= sum / 7;
  }
  return sum;
}

int main(int count, char **words) {
  return work(count * 1000) == 0;
}
";

/// A folder with a program that was counted.
pub(crate) struct Place(Workplace);

impl Deref for Place {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Place {
    /// A program, counted.
    pub(crate) fn counted(flags: &[&str]) -> Place {
        let place = workplace();
        place.write("hot.c", PROGRAM);
        place
            .opcost(&[&["count", "--ledger", "run.opc", "--json", "run.json"], flags, &["hot.c"]].concat())
            .expect(0);
        Place(place)
    }

    fn life(&self, arguments: &[&str]) -> Value {
        let life = self.opcost(&[&["life", "--json", "-"], arguments].concat()).expect(0).json();
        crate::is_checked(&life);
        life
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], status: i32, words: &[&str]) {
        let output = self.opcost(&[&["life"], arguments].concat());
        let said = &output.stderr;
        assert_eq!(output.status, status, "{arguments:?}: {said}");
        for word in words {
            assert!(said.contains(word), "{arguments:?}: {word:?} is missing in\n{said}");
        }
    }

    /// What `opcost count` says of a line's hottest instruction.
    fn count_of_line(&self, line: u64) -> u64 {
        let counts = self.json("run.json");
        let lines = counts["lines"].as_array().expect("lines");
        let found = lines.iter().find(|entry| entry["line"] == line).expect("the line ran");
        found["count"].as_u64().expect("a number")
    }
}

/// How often instructions of these opcodes ran, of the steps of a stage.
fn ran(life: &Value, stage: &str, opcode: &str) -> Vec<u64> {
    let stages = life["stages"].as_array().expect("stages");
    let steps = stages.iter().filter(|one| one["stage"] == stage).flat_map(|one| one["steps"].as_array());
    steps
        .flatten()
        .filter(|step| step["opcode"].as_str().is_some_and(|name| name.starts_with(opcode)))
        .map(|step| {
            life["ran"][step["key"].to_string()].as_u64().unwrap_or_else(|| panic!("{step} in {life:#}"))
        })
        .collect()
}

#[test]
fn every_step_shows_how_often_it_ran() {
    for anchor in [&[][..], &["--anchor", "source"]] {
        let place = Place::counted(anchor);
        let life = place.life(&["--ledger", "run.opc", "hot.c:6"]);
        assert_eq!(place.count_of_line(6), 1000);
        for (stage, opcode) in [("ir", "xor"), ("dag", "xor"), ("mir", "XOR32rr"), ("bytes", "XOR32rr")] {
            let found = ran(&life, stage, opcode);
            assert!(!found.is_empty() && found.iter().all(|count| *count == 1000), "{stage} {found:?}");
        }
        let once = place.life(&["--ledger", "run.opc", "--function", "main", "hot.c"]);
        assert!(ran(&once, "bytes", "").iter().all(|count| *count == 1), "{once:#}");
        let text = place.opcost(&["life", "--ledger", "run.opc", "hot.c:6"]).stdout;
        assert!(text.lines().any(|line| line.contains("XOR32rr") && line.ends_with("1,000×")), "{text}");
    }
}

#[test]
fn the_costliest_instruction_of_a_ledger() {
    let place = Place::counted(&["-DUNUSED"]);
    let life = place.life(&["--hot", "run.opc"]);
    let places = life["places"].as_array().expect("places");
    assert_eq!(places.len(), 1, "one instruction");
    assert_eq!(places[0]["line"], 6, "a division keeps a processor longest: {places:?}");
    let key = places[0]["key"].to_string();
    assert_eq!(life["ran"][&key], 1000);
    let words = life["question"].as_str().expect("a text");
    assert!(words.contains("the costliest of run.opc: in work it ran 1,000 times, as "), "{words}");
    let again = place.life(&["--hot", "run.opc", "hot.c"]);
    assert_eq!(life["places"], again["places"]);
}

#[test]
fn a_ledger_of_another_build_is_refused() {
    let place = Place::counted(&[]);
    place.refused(
        &["--ledger", "run.opc", "-O3", "hot.c:6"],
        2,
        &["run.opc says how hot.c was compiled", "-O2"],
    );
    place.refused(&["--hot", "run.opc", "hot.c:6"], 2, &["--hot chooses the instruction itself"]);
    place.write("other.c", PROGRAM);
    place.refused(
        &["--ledger", "run.opc", "other.c:6"],
        2,
        &["run.opc: it has no module other.c; it has hot.c"],
    );
    place.write("hot.c", PROGRAM.replace("sum / 7", "sum << 7"));
    let words = ["run.opc: hot.c is not as it was counted", "function work has other instructions now"];
    place.refused(&["--ledger", "run.opc", "hot.c:6"], 1, &words);
    place.refused(&["--hot", "run.opc"], 1, &words);
    place.write("hot.c", format!("\n{PROGRAM}"));
    place.refused(&["--hot", "run.opc"], 1, &["lines or headers changed"]);
    std::fs::remove_file(place.path("hot.c")).expect("it was there");
    place.refused(&["--hot", "run.opc"], 1, &["cannot read hot.c"]);
}

#[test]
fn what_is_no_ledger_is_told() {
    let place = Place::counted(&[]);
    place.write("junk.opc", "no Parquet at all");
    place.refused(&["--ledger", "junk.opc", "hot.c:6"], 2, &["junk.opc is not an opcost ledger"]);
    place.refused(&["--hot", "none.opc"], 1, &["none.opc"]);
}
