//! Is a number called exact although counted code reads its own program?
//!
//! Counters change a program's size, addresses and tables. What reads them is left out by name, or is a
//! reason why the number is not exact.

use opcost_testkit::command::{ProgramOutput, Workplace};
use serde_json::Value;

use super::{cases, opcost};

fn quality(document: &Value) -> (&str, String) {
    let reasons = document["quality"]["reasons"].as_array().expect("reasons").iter();
    let reasons: Vec<&str> = reasons.filter_map(Value::as_str).collect();
    (document["quality"]["kind"].as_str().expect("a kind"), reasons.join("\n"))
}

#[test]
fn a_panic_has_one_number_or_a_reason() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    place.write(
        "caught.rs",
        "fn main() {
    let caught = std::panic::catch_unwind(|| {
        let lengths: Vec<usize> = std::env::args().skip(5).map(|word| word.len()).collect();
        lengths[2]
    });
    println!(\"{}\", caught.is_err());
}
",
    );
    let count = |backtrace: &str, placement: &str| {
        let mut command = place.command(&[
            "count",
            "--deterministic",
            "--placement",
            placement,
            "--json",
            "a.json",
            "caught.rs",
        ]);
        let said = ProgramOutput::of(command.env("RUST_BACKTRACE", backtrace)).expect(0);
        (said, place.json("a.json"))
    };
    let (said, chords) = count("0", "chords");
    let (_, segments) = count("0", "every-segment");
    assert_eq!(chords["total"], segments["total"], "{chords:#}");
    assert_eq!(quality(&chords), quality(&segments));
    // Frames that tail calls took away may have been left: that is no question of tables.
    assert!(["exact", "lower bound"].contains(&quality(&chords).0), "{:#}", chords["quality"]);
    assert_eq!(chords["not_counted"][0]["what"], "rust_eh_personality", "{:#}", chords["not_counted"]);
    assert!(said.stderr.contains("\nnot counted: rust_eh_personality: "), "{}", said.stderr);
}

/// A backtrace reads the debug information of the program.
#[test]
fn a_backtrace_is_not_exact() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let text =
        "fn main() { println!(\"{}\", std::backtrace::Backtrace::force_capture().to_string().len() > 5); }\n";
    place.write("trace.rs", text);
    let said = opcost(&place, "count --json a.json --ledger a.opc trace.rs").expect(0);
    let document = place.json("a.json");
    let (kind, reasons) = quality(&document);
    assert!(kind == "estimate" && reasons.contains("_Unwind_Backtrace"), "{kind}: {reasons}");
    said.expect_stderr(&[" · about", "not exact: counted code reads its own program"]);
    assert!(!said.all().contains("by samples"), "{}", said.all());
    let again = opcost(&place, "report a.opc").expect(0).all();
    assert!(
        again.contains(" · about\n") && again.contains("not exact: counted code reads its own"),
        "{again}"
    );
}

#[test]
fn what_asks_for_its_own_code_is_not_exact() {
    let place = cases();
    for (word, reason) in [("name", "dladdr"), ("file", "/proc/self/exe"), ("images", "dl_iterate_phdr")] {
        let document = opcost(&place, &format!("count --json - own_code.c -- {word}")).expect(0).json();
        let (kind, reasons) = quality(&document);
        assert!(kind == "estimate" && reasons.contains(reason), "{word}: {kind}: {reasons}");
    }
    let document = opcost(&place, "count --json - own_code.c -- nothing").expect(0).json();
    assert_eq!(quality(&document), ("exact", String::new()));
}
