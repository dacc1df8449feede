//! Are counts right where sizes are worked out while the program runs? And is what a run says of loops used?
//!
//! Values are followed forwards from `main`. Every block that is called exact is held against a count
//! of the same build; hostile variants must not be called exact where the count is another.

use std::collections::BTreeMap;

use opcost_testkit::command::{Workplace, holds_to_schema};
use serde_json::Value;

use super::workplace;

/// The document of a prediction that is held against a run with the same words.
fn held(work: &Workplace, source: &str, words: &[&str]) -> Value {
    let count: Vec<&str> = ["count", "-O1", "--ledger", "run.opc", source, "--"]
        .into_iter()
        .chain(words.iter().copied())
        .collect();
    work.opcost(&count).expect(0);
    let predict =
        ["predict", "-O1", "--defaults", "--guess", "--against", "run.opc", "--json", "-", source, "--"];
    let predict: Vec<&str> = predict.into_iter().chain(words.iter().copied()).collect();
    let document = work.opcost(&predict).expect(0).json();
    holds_to_schema(&document);
    document
}

/// The share of executions in blocks that are called exact.
fn exact_share(document: &Value) -> f64 {
    let (mut exact, mut all) = (0.0, 0.0);
    for block in document["blocks"].as_array().unwrap() {
        let executions = block["executions"].as_f64().unwrap_or(0.0);
        all += executions;
        exact += if block["exact"] == true { executions } else { 0.0 };
    }
    exact / all
}

fn within(document: &Value) -> f64 {
    document["against"]["within_1_percent"].as_f64().unwrap()
}

/// Levels that are halved, in arrays that a function fills; a size through an address; a file that is not there.
const LEVELS: &str = "#include <stdio.h>\n#include <stdlib.h>\nvolatile double sink;\nstatic int size[12], levels;\n\
  static void setup(int n) {\n  levels = 0;\n  for (int m = n; m > 1; m /= 2) size[levels++] = m;\n}\n\
  __attribute__((noinline)) static void sweep(const int *n) {\n  for (int i = 0; i < *n; i++)\n    for (int j = i; j < *n; \
  j++) sink = i * j;\n}\n\
  static void configure(int *n, int argc, char **argv) {\n  FILE *file = fopen(\"levels.input\", \"r\");\n  if (file) {\n    if \
  (fscanf(file, \"%d\", n) != 1) exit(2);\n    fclose(file);\n  } else {\n    *n = argc > 1 ? atoi(argv[1]) : 40;\n  }\n}\n\
  int main(int argc, char **argv) {\n  int n;\n  configure(&n, argc, argv);\n  setup(n);\n  HOSTILE\n  for (int turn = 0; turn < \
  3; turn++)\n    for (int k = 0; k < levels; k++) sweep(&size[k]);\n  return 0;\n}\n";

#[test]
fn sizes_that_are_worked_out_first_are_followed() {
    let work = workplace();
    let source = work.write("levels.c", LEVELS.replace("HOSTILE", ""));
    let document = held(&work, &source, &[]);
    assert_eq!(within(&document), 1.0, "{}", document["against"]);
}

#[test]
fn what_chance_or_a_pointer_may_change_is_not_called_exact() {
    let work = workplace();
    let hostile = [
        // Another value on a path that nobody decides.
        "if (getenv(\"OPCOST_HOSTILE_NAME\")) size[0] = 3;",
        // Through a pointer to one of two places.
        "int other; int *where = getenv(\"OPCOST_HOSTILE_NAME\") ? &other : &size[0]; *where = 9;",
        // A number that only the system knows.
        "size[1] = abs(atoi(getenv(\"HOME\") ? \"12\" : \"13\"));",
    ];
    for hostile in hostile {
        let source = work.write("levels.c", LEVELS.replace("HOSTILE", hostile));
        let document = held(&work, &source, &[]);
        let counted = counted(&work, &document);
        for (key, executions) in &counted {
            assert!(executions.0.is_none_or(|own| own == executions.1), "{hostile}: {key} {executions:?}");
        }
        assert!(exact_share(&document) < 0.7, "{hostile}: {}", exact_share(&document));
    }
}

/// By function: the executions of its first block if that is called exact, and what the run counted of calls.
fn counted(work: &Workplace, document: &Value) -> BTreeMap<String, (Option<u64>, u64)> {
    let report = work.opcost(&["report", "--json", "-", "run.opc"]).expect(0).json();
    let mut all = BTreeMap::new();
    for function in report["functions"].as_array().expect("functions") {
        let key = function["key"].as_str().unwrap_or_default().to_owned();
        let calls = function["calls"].as_u64().unwrap_or(0);
        let first = document["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|block| block["function"] == key.as_str() && block["block"] == 0);
        let exact = first.filter(|block| block["exact"] == true);
        all.insert(key, (exact.and_then(|block| block["executions"].as_u64()), calls));
    }
    all
}

/// A loop whose count hangs on data.
const COLLATZ: &str = "#include <stdlib.h>\nvolatile long sink;\nint main(int argc, char **argv) {\n  long n = argc > 1 ? \
  atol(argv[1]) : 27;\n  for (long start = 1; start < 50; start++) {\n    long m = start * n;\n    while (m != 1) {\n      m = m % \
  2 ? 3 * m + 1 : m / 2;\n      sink = m;\n    }\n  }\n  return 0;\n}\n";

#[test]
fn loops_without_a_formula_iterate_as_in_a_run() {
    let work = workplace();
    let source = work.write("collatz.c", COLLATZ);
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &source, "--", "27"]).expect(0);
    let arguments = [
        "predict",
        "-O1",
        "--guess",
        "--json",
        "-",
        "--trip-counts",
        "run.opc",
        "--against",
        "run.opc",
        &source,
    ];
    let document = work.opcost(&arguments).expect(0).json();
    holds_to_schema(&document);
    assert!(document["classes"]["run"].as_f64().unwrap() > 0.9, "{}", document["classes"]);
    let header = document["blocks"].as_array().unwrap().iter().find(|block| block["class"] == "run").unwrap();
    assert_eq!(header["exact"], false, "{header}");
    let overlap = document["against"]["overlap"]["program_block"].as_f64().unwrap();
    assert!(overlap > 0.9, "{}", document["against"]);
    let text =
        work.opcost(&["predict", "-O1", "--guess", "--trip-counts", "run.opc", &source]).expect(0).stdout;
    assert!(text.contains("loop from a run"), "{text}");
    // A ledger of another build says nothing of this one.
    let said = work.opcost(&["predict", "-O0", "--guess", "--trip-counts", "run.opc", &source]).expect(2);
    assert!(said.stderr.contains("another build") && said.stderr.contains("run.opc"), "{}", said.stderr);
}

/// `--defaults` is one assumption, whichever verb makes it.
#[test]
fn defaults_mean_the_same_for_loops_and_for_predictions() {
    let work = workplace();
    let text = "#include <stdio.h>\nvolatile int sink;\nint n;\nint main(int argc, char **argv) {\n  FILE *file = \
                fopen(\"n.txt\", \"r\");\n  if (file) { fscanf(file, \"%d\", &n); fclose(file); } else n = 12;\n  for (int i = 0; i < \
                n; i++) sink = i;\n  for (int i = 0; i < argc; i++) sink = i;\n  return 0;\n}\n";
    let source = work.write("input.c", text);
    let loops = work.opcost(&["loops", "-O1", "--defaults", "--json", "-", &source]).expect(0).json();
    let counts: Vec<&str> =
        loops["loops"].as_array().unwrap().iter().filter_map(|one| one["body_iterations"].as_str()).collect();
    assert_eq!(counts, ["12", "1"], "{loops:#}");
    let document = held(&work, &source, &[]);
    assert_eq!(within(&document), 1.0, "{}", document["against"]);
}

#[test]
fn folders_of_ledgers_are_compared_name_by_name() {
    let work = workplace();
    let source = work.write("collatz.c", COLLATZ);
    for folder in ["one", "two"] {
        std::fs::create_dir(work.path(folder)).expect("a folder");
    }
    work.opcost(&["count", "-O1", "--ledger", "one/same.opc", &source, "--", "27"]).expect(0);
    work.opcost(&["count", "-O1", "--ledger", "two/same.opc", &source, "--", "27"]).expect(0);
    work.opcost(&["count", "-O1", "--ledger", "one/build.opc", &source, "--", "27"]).expect(0);
    work.opcost(&["count", "-O0", "--ledger", "two/build.opc", &source, "--", "27"]).expect(0);
    work.opcost(&["count", "-O1", "--ledger", "two/alone.opc", &source, "--", "3"]).expect(0);
    let text = work.opcost(&["predict", "--diff", "one", "two"]).expect(0).stdout;
    let line = |name: &str| {
        text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert_eq!(line("same.opc").matches("100.0 %").count(), 2, "{text}");
    assert!(line("build.opc").contains("different builds"), "{text}");
    assert!(text.contains("two/alone.opc: only one folder has it"), "{text}");
    // No folder, an empty one, no name in both, with inputs.
    std::fs::create_dir(work.path("empty")).expect("a folder");
    std::fs::create_dir(work.path("other")).expect("a folder");
    std::fs::copy(work.path("one/same.opc"), work.path("other/renamed.opc")).expect("a copy");
    for (folders, word) in
        [(["one", "none"], "none"), (["empty", "two"], "empty"), (["one", "other"], "same name")]
    {
        let said = work.opcost(&["predict", "--diff", folders[0], folders[1]]).expect(2);
        assert!(said.stderr.contains(word), "{}", said.stderr);
    }
    work.opcost(&["predict", "--diff", "one", "two", &source]).expect(2);
}

#[test]
fn a_predicted_ledger_is_exported_and_annotated() {
    let work = workplace();
    let source = work.write("levels.c", LEVELS.replace("HOSTILE", ""));
    work.opcost(&["predict", "--cflag=-g", "-O1", "--defaults", "--ledger", "said.opc", &source]).expect(0);
    work.opcost(&["count", "--cflag=-g", "-O1", "--ledger", "run.opc", &source]).expect(0);
    let lines = work.opcost(&["report", "--annotate", "said.opc"]).expect(0).all();
    assert!(lines.contains("sink = i * j"), "{lines}");
    for format in ["llvm-sample", "pprof", "collapsed"] {
        let output = format!("said.{format}");
        work.opcost(&["export", "--to", format, "said.opc", "-o", &output]).expect(0);
        assert!(std::fs::metadata(work.path(&output)).expect("a file").len() > 0, "{format}");
    }
    let diff = work.opcost(&["diff", "run.opc", "said.opc"]).expect(0).all();
    assert!(diff.contains("+0.0 %"), "{diff}");
}
