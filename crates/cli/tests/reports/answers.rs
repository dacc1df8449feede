//! Do ledgers of answers say what the verbs say, to the digit?
//!
//! Verbs write a document and a ledger at once; the ledger is read by the library and by
//! `opcost report`, and all three are held to one another.

use std::collections::BTreeSet;

use opcost_key::Key;
use opcost_profile::answers::Formula;
use opcost_profile::formats::opc::load_ledger;
use opcost_profile::{Answer, AnswerColumn, AnswerRow, AnswerState, Assumed, Certainty, Ledger};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::workplace::workplace;
use opcost_testkit::command::{ProgramOutput, Workplace};

/// Trip counts of every kind: a formula, a number, none, and one that promises decide.
const LOOPS: &str = "
int pick(int);
int walk(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
void many(volatile int *p) {
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < i; j++) *p = j;
}
void until(void) {
    while (pick(3)) pick(4);
}
";

/// Integers that are narrower and wider than their types seem, and a number with a point.
const BITS: &str = "
unsigned __int128 wide(unsigned long y) { return (unsigned __int128)y * y; }
int narrow(unsigned char a, int b) { return a * 3 + (b & 7) - 9; }
double half(unsigned char a) { return a * 0.5; }
";

fn ledger(place: &Workplace, name: &str) -> Ledger {
    load_ledger(&place.path(name)).expect("a ledger")
}

fn text<'a>(json: &'a Value, field: &str) -> &'a str {
    json[field].as_str().unwrap_or_else(|| panic!("{field} of {json:#}"))
}

/// The answer to a question about a thing.
#[track_caller]
fn row(ledger: &Ledger, key: &str, column: AnswerColumn) -> AnswerRow {
    let key: Key = key.parse().expect("a key");
    let found = ledger.answers.of(&key).find(|row| row.column == column);
    found.unwrap_or_else(|| panic!("{column} of {key}")).clone()
}

#[track_caller]
fn answer(ledger: &Ledger, key: &str, column: AnswerColumn) -> String {
    row(ledger, key, column).state.answer().unwrap_or_else(|| panic!("{column} of {key}")).to_string()
}

/// The report as a document has every row of the ledger, and as text it fits a terminal.
fn report_agrees(place: &Workplace, name: &str) -> String {
    place.opcost(&["report", name, "--json", "report.json"]).expect(0);
    let (document, ledger) = (place.json("report.json"), ledger(place, name));
    crate::documents::validate("answers", &document);
    let told: BTreeSet<(String, String, Option<String>)> = document["answers"]
        .as_array()
        .expect("answers")
        .iter()
        .map(|row| {
            let answer = row["answer"].as_str().or(row["reason"].as_str()).map(str::to_owned);
            (text(row, "key").to_owned(), text(row, "question").to_owned(), answer)
        })
        .collect();
    let kept = ledger.answers.iter().map(|row| {
        let answer = match &row.state {
            AnswerState::Answer(answer, _) => answer.to_string(),
            AnswerState::Nothing(reason) => reason.to_string(),
        };
        (row.key.to_string(), row.column.to_string(), Some(answer))
    });
    assert_eq!(told, kept.collect());
    let mut command = place.command(&["report", name]);
    let shown = ProgramOutput::of(command.env("COLUMNS", "80")).expect(0);
    assert!(shown.stdout.lines().all(|line| line.width() <= 80), "{}", shown.stdout);
    let only = place.opcost(&["report", name, "--json", "-"]).expect(0).stdout;
    assert_eq!(serde_json::from_str::<Value>(&only).expect("JSON alone"), document);
    shown.stdout
}

#[test]
fn loops_of_a_ledger_are_those_of_the_document() {
    let place = workplace();
    place.write("l.c", LOOPS);
    place.opcost(&["loops", "-O1", "l.c", "--json", "l.json", "--ledger", "l.opc"]).expect(0);
    let (document, kept) = (place.json("l.json"), ledger(&place, "l.opc"));
    assert!(!kept.has_counts() && kept.about.modules.is_empty() && kept.about.runs == 0);
    assert_eq!((kept.about.code.len(), &*kept.about.cost.name), (1, "none"));
    let mut names: Vec<String> =
        document["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    // Turns of loops around are names that nobody gives a number.
    names.extend((1..40).map(|line| format!("turn of line {line}")));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let loops = document["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 4, "{document:#}");
    for one in loops {
        let counts = [
            ("back_edges", AnswerColumn::BackEdges),
            ("body_iterations", AnswerColumn::Iterations),
            ("total", AnswerColumn::IterationsInAll),
        ];
        for (field, column) in counts {
            let Some(told) = one[field].as_str() else { continue };
            let found = row(&kept, text(one, "key"), column);
            let read = Formula::read(told, &names).expect(told);
            assert_eq!(read.to_string().replace('`', ""), told, "a formula is written in one form");
            let read = read.as_number().cloned().map_or(Answer::Formula(read), Answer::Number);
            assert_eq!(found.state, AnswerState::Answer(read, Certainty::Exact), "{column} of {one:#}");
            let place = found.place.expect("a place");
            assert_eq!(
                (&*place.file, u64::from(place.line)),
                (text(one, "file"), one["line"].as_u64().unwrap())
            );
        }
    }
    let of = |function: &str| {
        let mut all = loops.iter().filter(|one| one["function"] == function);
        all.next().map(|one| text(one, "key").to_owned()).expect(function)
    };
    assert_eq!(answer(&kept, &of("walk"), AnswerColumn::Iterations), "n");
    assert_eq!(answer(&kept, &of("walk"), AnswerColumn::EnteredIf), "n > 0");
    assert_eq!(answer(&kept, &of("many"), AnswerColumn::Iterations), "1000");
    let until = loops.iter().find(|one| one["function"] == "until").unwrap();
    let unknown = row(&kept, &of("until"), AnswerColumn::Iterations);
    assert_eq!(unknown.state, AnswerState::Nothing(text(until, "reason").into()));
    let shown = report_agrees(&place, "l.opc");
    assert!(shown.contains("unknown") && shown.contains("@walk:loop"), "{shown}");
    assert!(
        shown.find("\nwalk") < shown.find("\nmany") && shown.find("\nmany") < shown.find("\nuntil"),
        "{shown}"
    );
    let one = place.opcost(&["report", "l.opc", "--function", "many"]).expect(0).stdout;
    assert!(one.contains("@many:loop") && !one.contains("@walk:loop"), "{one}");

    // A number that was given is what all rests on.
    place
        .opcost(&["loops", "-O1", "l.c", "--set", "n=7", "--function", "walk", "--ledger", "7.opc"])
        .expect(0);
    let given = row(&ledger(&place, "7.opc"), &of("walk"), AnswerColumn::Iterations);
    assert_eq!(given.state.answer().unwrap().to_string(), "7");
    let condition = given.assumptions.iter().find(|one| one.what() == Assumed::Condition).expect("n == 7");
    assert_eq!(condition.words().as_deref(), Some("n == 7"));
}

#[test]
fn two_functions_of_one_name_are_two_things() {
    let place = workplace();
    let step = |turns: u32, name: &str| {
        format!(
            "extern volatile int sink;\n__attribute__((noinline)) static void step(void) {{\n    for (int i = 0; i \
             < {turns}; i++) sink = i;\n}}\nvoid {name}(void) {{ step(); }}\n"
        )
    };
    place.write("one.c", step(1000, "one"));
    place.write("two.c", step(2000, "two"));
    place.write(
        "main.c",
        "volatile int sink;\nvoid one(void);\nvoid two(void);\nint main(void) { one(); two(); return 0; }\n",
    );
    place.opcost(&["loops", "-O1", "main.c", "one.c", "two.c", "--ledger", "l.opc"]).expect(0);
    let kept = ledger(&place, "l.opc");
    for (module, turns) in [("one.c", "1000"), ("two.c", "2000")] {
        let mut rows = kept.answers.iter().filter(|row| row.column == AnswerColumn::Iterations);
        let of = rows.find(|row| row.key.to_string().starts_with(&format!("{module}@step:loop")));
        assert_eq!(of.and_then(|row| row.state.answer()).map(Answer::to_string).as_deref(), Some(turns));
    }
    let shown = report_agrees(&place, "l.opc");
    assert!(shown.contains("step of one.c") && shown.contains("step of two.c"), "{shown}");
}

#[test]
fn bits_of_a_ledger_are_those_of_the_document() {
    let place = workplace();
    place.write("b.c", BITS);
    place.opcost(&["bits", "-O1", "b.c", "--json", "b.json", "--ledger", "b.opc"]).expect(0);
    let (document, kept) = (place.json("b.json"), ledger(&place, "b.opc"));
    let mut widest = 0;
    for function in document["functions"].as_array().unwrap() {
        for (field, column) in [("declared", AnswerColumn::Declared), ("needed_type", AnswerColumn::Needed)] {
            assert_eq!(answer(&kept, text(function, "key"), column), function[field].to_string());
        }
        for value in function["values"].as_array().unwrap() {
            let key = text(value, "key");
            for (field, column) in [
                ("declared", AnswerColumn::Declared),
                ("width", AnswerColumn::Needed),
                ("demanded", AnswerColumn::Demanded),
                ("dead_bits", AnswerColumn::DeadBits),
            ] {
                assert_eq!(answer(&kept, key, column), value[field].to_string(), "{column} of {value:#}");
            }
            let range = answer(&kept, key, AnswerColumn::Range);
            let told = text(value, "range");
            assert_eq!(range, if told == "never" { "{}" } else { told });
            if value["width"].as_u64() > Some(64) {
                widest += 1;
                let row = row(&kept, key, AnswerColumn::Range);
                let greatest = row.state.answer().and_then(Answer::greatest).expect("an end").to_string();
                assert!(told.contains(&greatest) && greatest.len() > 20, "{told}");
            }
        }
        for float in function["floats"].as_array().unwrap() {
            let range = answer(&kept, text(float, "key"), AnswerColumn::Range);
            let told = text(float, "range");
            assert_eq!(range, if told == "anything" { "-inf..inf or NaN" } else { told });
        }
    }
    assert!(widest > 0, "{document:#}");
    report_agrees(&place, "b.opc");
}

#[test]
fn what_runs_did_is_merged() {
    let place = workplace();
    for turns in ["10", "20"] {
        let (json, opc) = (format!("{turns}.json"), format!("{turns}.opc"));
        let files = ["--json", &json, "--ledger", &opc, "-o", "text"];
        place
            .opcost(&[&["values", "-O0", "--trip-counts", "a.c"], &files[..], &["--", turns]].concat())
            .expect(0);
        let (document, kept) = (place.json(&json), ledger(&place, &opc));
        assert_eq!((kept.about.runs, kept.about.machines.len()), (1, 1));
        let one = &document["loops"][0];
        let rows: Vec<&AnswerRow> = kept.answers.iter().collect();
        assert_eq!(rows.len(), 2, "{rows:#?}");
        let key = rows[0].key.to_string();
        assert_eq!(answer(&kept, &key, AnswerColumn::Observed), one["activations"].to_string());
        assert_eq!(answer(&kept, &key, AnswerColumn::ObservedBackEdges), one["turns"]["max"].to_string());
        assert_eq!(one["turns"]["max"].to_string(), turns);
        report_agrees(&place, &opc);
    }
    place.opcost(&["merge", "10.opc", "20.opc", "-o", "both.opc"]).expect(0).expect_stderr(&["2 runs"]);
    let both = ledger(&place, "both.opc");
    let key = both.answers.keys().next().expect("a loop").to_string();
    assert_eq!(answer(&both, &key, AnswerColumn::ObservedBackEdges), "10..20");
    assert_eq!(answer(&both, &key, AnswerColumn::Observed), "2");
    let shown = report_agrees(&place, "both.opc");
    assert!(shown.contains("10..20") && shown.contains("2 runs"), "{shown}");

    // Of a function what it returned.
    place.opcost(&["values", "-O0", "--function", "rest", "a.c", "--ledger", "r.opc", "--", "30"]).expect(0);
    let rest = ledger(&place, "r.opc");
    let key = rest.answers.keys().next().expect("a value").to_string();
    assert_eq!(answer(&rest, &key, AnswerColumn::ObservedLeast), "10");
    assert_eq!(answer(&rest, &key, AnswerColumn::ObservedValues), "{10}");
    let other = place.opcost(&["merge", "10.opc", "r.opc", "-o", "x.opc"]).expect(1);
    other.expect_stderr(&["10.opc", "r.opc", "hashes of code differ"]);
}

#[test]
fn what_needs_counts_says_what_it_was_given() {
    let place = workplace();
    place.write("l.c", LOOPS);
    place.opcost(&["loops", "-O1", "l.c", "--ledger", "l.opc"]).expect(0);
    place.opcost(&["count", "a.c", "--ledger", "c.opc", "-o", "text"]).expect(0);
    let words = ["l.opc holds answers and no counts", "opcost report l.opc", "opcost count --ledger"];
    for arguments in [
        &["export", "--to", "pprof", "l.opc", "-o", "x"][..],
        &["diff", "l.opc", "c.opc"],
        &["diff", "c.opc", "l.opc"],
        &["overlap", "l.opc", "c.opc"],
        &["merge", "--subtract", "l.opc", "l.opc", "-o", "x"],
        &["merge", "--to-blocks", "l.opc", "-o", "x"],
        &["count", "a.c", "--budget", "9", "--baseline", "l.opc"],
    ] {
        place.opcost(arguments).expect(2).expect_stderr(&words);
        assert!(!place.path("x").exists(), "{arguments:?}");
    }
    let mixed = place.opcost(&["merge", "c.opc", "l.opc", "-o", "x"]).expect(2);
    mixed.expect_stderr(&["c.opc holds counts and l.opc holds answers", "do not add"]);
    place.opcost(&["report", "l.opc", "--html", "x"]).expect(2).expect_stderr(&["--html shows counts"]);
    place.opcost(&["merge", "l.opc", "l.opc", "-o", "y.opc"]).expect(0).expect_stderr(&["y.opc: answers"]);
    assert_eq!(ledger(&place, "y.opc").answers, ledger(&place, "l.opc").answers);
    place
        .opcost(&["loops", "l.c", "--ledger", "no/folder/l.opc"])
        .expect(1)
        .expect_stderr(&["no/folder/l.opc"]);
}
