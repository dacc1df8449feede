//! `opcost predict --counts --timing` and `opcost timing`, with tiny timing files and known answers.

use opcost_testkit::command::{ProgramOutput, Workplace};

use crate::workplace::workplace;

/// A processor that LLVM knows, one nanosecond a cycle.
const TINY: &str = "format = \"opcost.timing/1\"\n[processor]\nname = \"Example\"\nmodel = \"znver4\"\n\
                    target = \"x86_64\"\ncycle = 1\n[schedule]\nmispredicted = 10\n[irinst]\n\"fadd double\" = 3\n\
                    [libfn]\nlog = 5000\n";

/// A chain of additions that wait for each other, and calls.
const CHAIN: &str = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    int main(int argc, char **argv) {\n    double sum = 0, step = atof(argv[1]);\n\
    for (long i = 0; i < 1000000; i++) sum += step;\n\
    double all = 0;\n    for (int i = 1; i <= 1000; i++) all += log(i * step);\n\
    printf(\"%f %f\\n\", sum, all);\n    return 0;\n}\n";

/// Holds that the report has these words.
fn shows(output: &ProgramOutput, words: &[&str]) {
    words
        .iter()
        .for_each(|word| assert!(output.all().contains(word), "'{word}' is missing in:\n{}", output.all()));
}

fn counted() -> Workplace {
    let place = workplace();
    place.write("chain.c", CHAIN);
    place.write("tiny.toml", TINY);
    place
        .opcost(&["count", "-O1", "--ledger", "run.opc", "-o", "told", "chain.c", "-lm", "--", "0.5"])
        .expect(0);
    place
}

#[test]
fn a_chain_of_additions_takes_the_latency_of_each_and_calls_their_price() {
    let place = counted();
    let said =
        place.opcost(&["predict", "--counts", "run.opc", "--timing", "tiny.toml", "--json", "-"]).expect(0);
    let found = said.json();
    let part = |name: &str| found["timing"]["parts"][name].as_f64().expect("a number");
    // An addition of doubles is ready after 3 cycles of a nanosecond, a million times.
    assert!((part("blocks") - 3.0e-3).abs() < 0.1e-3, "{found:#}");
    assert!((part("calls") - 5.0e-3).abs() < 1e-6, "{found:#}");
    assert!((found["seconds"].as_f64().unwrap() - 8.0e-3).abs() < 0.15e-3, "{found:#}");
    assert_eq!(found["schema"], "opcost.predict/2");
    assert_eq!(found["timing"]["hash"].as_str().map(str::len), Some(32));
    assert_eq!(found["timing"]["name"], "tiny.toml");
    assert_eq!(found["functions"][0]["linkage_name"], "main");
    let unpriced: Vec<&str> = found["timing"]["unpriced_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(unpriced.contains(&"printf") && !unpriced.contains(&"log"), "{unpriced:?}");
    // Nothing is guessed: every execution is one of the run.
    assert_eq!(found["classes"]["run"], 1.0);
    assert_eq!(found["functions"][0]["entries"], 1);
    let all = found["functions"].as_array().unwrap().iter();
    let sum: f64 = all.map(|one| one["seconds"].as_f64().unwrap()).sum();
    assert!((sum - found["seconds"].as_f64().unwrap()).abs() < 1e-9, "{found:#}");
    assert!(
        found["blocks"].as_array().unwrap().iter().all(|one| one["exact"] == true && one["label"].is_null())
    );
    assert!(found.get("against").is_none(), "{found:#}");
}

#[test]
fn the_text_says_whose_error_it_is() {
    let place = counted();
    let said = place
        .opcost(&["predict", "--counts", "run.opc", "--timing", "tiny.toml", "--against-seconds", "0.016"])
        .expect(0);
    shows(
        &said,
        &[
            "by exact counts, on Example (znver4, 1.00 GHz)",
            "error of timing alone",
            "without a price: calls of",
        ],
    );
    assert!(said.all().contains("measured 16.000 ms: the prediction is -5"), "{}", said.all());
}

#[test]
fn errors_of_counts_and_of_timing_are_shown_apart() {
    let place = counted();
    let line = ["predict", "-O1", "--guess", "chain.c", "--against", "run.opc", "--timing", "tiny.toml"];
    let seconds = ["--against-seconds", "0.016", "--json", "both.json"];
    let output = place.opcost(&[&line[..], &seconds].concat()).expect(0);
    shows(
        &output,
        &[
            "instructions predicted, in ",
            "by predicted counts, on Example",
            "error of counts: ",
            "error of timing: -5",
        ],
    );
    let found: serde_json::Value = serde_json::from_str(&place.read("both.json")).expect("JSON");
    let against = |name: &str| found["against"][name].as_f64().unwrap_or_else(|| panic!("{name}: {found:#}"));
    // All trip counts are constants, so both times are the same.
    assert!(against("frequency_error").abs() < 1e-6, "{found:#}");
    assert_eq!(against("seconds_measured"), 0.016);
    assert!((against("timing_error") - (against("seconds_by_counts") - 0.016) / 0.016).abs() < 1e-9);
    assert!(against("within_1_percent") > 0.99, "{found:#}");
    assert_eq!(found["against"]["overlap"]["schema"], "opcost.overlap/1");
}

#[test]
fn counts_need_a_timing_file_and_no_sources() {
    let place = counted();
    place.opcost(&["predict", "--counts", "run.opc"]).expect(2).expect_stderr(&["--timing"]);
    place
        .opcost(&["predict", "--counts", "run.opc", "--timing", "tiny.toml", "chain.c"])
        .expect(2)
        .expect_stderr(&["--counts", "INPUT"]);
    place.opcost(&["predict"]).expect(2).expect_stderr(&["INPUT"]);
    place.opcost(&["predict", "--against-seconds", "1", "chain.c"]).expect(2).expect_stderr(&["--timing"]);
}

#[test]
fn counts_that_are_not_exact_are_refused() {
    let place = counted();
    place.opcost(&["predict", "-O1", "--guess", "--ledger", "guess.opc", "chain.c"]).expect(0);
    place
        .opcost(&["predict", "--counts", "guess.opc", "--timing", "tiny.toml"])
        .expect(2)
        .expect_stderr(&["--counts needs exact counts", "guess.opc"]);
}

#[test]
fn a_file_of_another_machine_is_refused_or_marked() {
    let place = counted();
    let predict = |name: &str| place.opcost(&["predict", "--counts", "run.opc", "--timing", name]);
    place.write("arm.toml", TINY.replace("x86_64", "aarch64").replace("znver4", "apple-m1"));
    predict("arm.toml").expect(1);
    place.write("arm2.toml", TINY.replace("x86_64", "aarch64"));
    predict("arm2.toml").expect(2).expect_stderr(&["of a machine for aarch64", "measure on such a machine"]);
    place.write("none.toml", TINY.replace("znver4", "znver99"));
    predict("none.toml").expect(1).expect_stderr(&["LLVM has no processor znver99"]);
    // No machine of these tests is an Atom.
    place.write("old.toml", TINY.replace("znver4", "atom"));
    shows(&predict("old.toml").expect(0), &["The timing file is of another machine than this one."]);
}

#[test]
fn wrong_timing_files_are_refused_with_their_line() {
    let place = counted();
    let predict = |name: &str| place.opcost(&["predict", "--counts", "run.opc", "--timing", name]);
    place.write("slow.toml", TINY.replace("5000", "-1"));
    predict("slow.toml").expect(2).expect_stderr(&["slow.toml: line 12: log is -1, which is no time"]);
    place.write("form.toml", "format = ");
    predict("form.toml").expect(2).expect_stderr(&["form.toml: line 1"]);
    place.opcost(&["timing", "form.toml"]).expect(2).expect_stderr(&["form.toml: line 1"]);
    predict("absent.toml").expect(1).expect_stderr(&["absent.toml"]);
    shows(&place.opcost(&["timing", "tiny.toml"]).expect(0), &["Example (znver4, x86_64), 1.00 GHz"]);
}

#[test]
fn a_program_that_changed_is_refused() {
    let place = counted();
    place.write(
        "chain.c",
        "int main(void) {\n    volatile int i = 3;\n    while (i) i = i - 1;\n    return 0;\n}\n",
    );
    place
        .opcost(&["predict", "--counts", "run.opc", "--timing", "tiny.toml"])
        .expect(1)
        .expect_stderr(&["the ledger is of another build"]);
}
