//! Values with made-up numbers, and the lines they must become.

use super::super::observed::Observed;
use super::super::outcome::Value;
use super::super::peer::Row;
use super::*;
use crate::bench::timed::Taken;

fn value(function: &str, fwd: u32, seen: Option<i64>, own: &str) -> Value {
    let row = Row {
        function: function.to_owned(),
        index: 4,
        parameters: 2,
        opcode: "add".to_owned(),
        line: 9,
        drives: function == "main",
        width: 32,
        lvi: 20,
        scev: 18,
        known_bits: 30,
        demanded: 16,
        fwd,
        range: "0..LLVM".to_owned(),
        narrow: 12,
        all: 8,
    };
    let observed = seen.map(|most| Observed {
        times: 2,
        any: most.cast_unsigned(),
        every: 0,
        low: 0,
        high: most.cast_unsigned(),
        least: 0,
        most,
    });
    Value { row, observed, own: serde_json::from_str(own).unwrap(), uncertified: None }
}

const NARROW: &str = r#"{"key": "f:i2", "text": "%2 = add", "declared": 32, "width": 15, "dead_bits": 1,
    "range": "0..32766 in steps of 2", "least": 0, "greatest": 32766}"#;

fn outcome(values: Vec<Value>) -> Outcome {
    let taken = Taken { seconds: 0.25, megabytes: 30.0, ..Taken::default() };
    Outcome {
        set: "programs",
        name: "idct".to_owned(),
        world: World::Open,
        values,
        taken,
        certificate: Certified::default(),
    }
}

#[test]
fn kernels_are_summed_and_goals_are_told() {
    let values = vec![
        value("idct", 20, Some(0x3ffe), NARROW),
        value("idct", 13, None, NARROW),
        value("main", 32, None, "null"),
    ];
    let text = write(&[outcome(values)], &[], 20, &vec![("date", "today".to_owned())]);
    for line in [
        "| date | today |",
        "| idct | 2 | 64 | 40 | 36 | 60 | 32 | 33 | 24 | 16 | 30 | 28 | 46.8 % |",
        "| with all that drives them | 3 | 96 |",
        // (20 - 15) of (20 - 14) bits.
        "| idct | 1 | 32 | 20 | 12 | 8 | 15 | 14 | 14 | 13 | 83.3 % | 83.3 % |",
        "| LLVM's head-room closed, open world | at least 42.0 % | 83.3 % | holds |",
        "| values outside of what opcost says | 0 | 0 | holds |",
        "| values wider than LLVM's Fwd | 0 | 1 | **does not hold** |",
        "| slowest program | at most 1 s | 0.25 s (idct) | holds |",
        "by 2 bits: add 1 (2 bits).",
        "- idct (open) `idct:i2`, line 9: `%2 = add`: opcost 0..32766 in steps of 2 (15 bits), LLVM 0..LLVM (13 bits)",
        "1 values are none of opcost's",
        "| idct | open | 0.25 | 30 |",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("Closed world"), "{text}");
}

#[test]
fn a_value_outside_is_named() {
    let outcomes = [outcome(vec![value("idct", 13, Some(0x7fff), NARROW)])];
    let wrong = findings::contradictions(&outcomes);
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].ends_with("it was 0..32767 where opcost says 0..32766 in steps of 2"), "{wrong:?}");
    let text = write(&outcomes, &[], 20, &Facts::default());
    assert!(text.contains("1 values were what opcost says they cannot be:"), "{text}");
    assert!(text.contains("15 bits where LLVM says 13"), "{text}");
}

#[test]
fn shares_do_not_flatter() {
    assert_eq!(percent(0.5999), "59.9 %");
    assert_eq!(percent(0.6), "60.0 %");
    assert_eq!(ObservedSums::default().closed_by(0), None);
}
