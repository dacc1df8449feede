//! Is no number reported that samples do not have?

use super::{cases, opcost};

/// Three threads enter a function once each and stay in its loop. No sample says how often a function
/// was entered, in the report of the run and in that of its ledger.
#[test]
fn samples_have_no_number_of_calls() {
    let place = cases();
    let said = opcost(&place, "sample --json - --ledger s.opc sampled_threads.c").expect(0);
    let ledger = opcost(&place, "report --json - s.opc").expect(0);
    for document in [said.json(), ledger.json()] {
        let functions = document["functions"].as_array().expect("functions");
        assert!(functions.iter().any(|one| one["name"] == "work"), "{document:#}");
        assert!(functions.iter().all(|one| one["calls"].is_null()), "{document:#}");
    }
    assert!(said.stderr.contains("? calls"), "{}", said.stderr);
    // The same holds of lists, of differences and of callees.
    let list = opcost(&place, "report --list functions --json - s.opc").expect(0).json();
    let rows = list["rows"].as_array().expect("rows");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["count"].is_null()), "{list:#}");
    let other = opcost(&place, "sample --ledger t.opc sampled_threads.c").expect(0);
    assert!(!other.stderr.contains("(calls)"), "{}", other.stderr);
    let diff = opcost(&place, "diff --json diff.json s.opc t.opc").expect(0);
    assert!(!diff.stdout.contains("calls"), "{}", diff.stdout);
    let diff = place.json("diff.json");
    for function in diff["functions"].as_array().expect("functions") {
        assert!(function["calls"]["before"].is_null() && function["calls"]["after"].is_null(), "{diff:#}");
    }
    assert_eq!(diff["outside"].as_array().map(Vec::len), Some(0), "{diff:#}");
    for document in [said.json(), ledger.json()] {
        assert!(document["external_calls"].is_null() && document["indirect_calls"].is_null(), "{document:#}");
    }
    assert!(said.stderr.contains("no error bar") && !said.stderr.contains("by chance"), "{}", said.stderr);
}

/// The sampler knows in which thread each sample was taken: that is how many threads ran a function at least.
#[test]
fn samples_have_the_threads_that_ran_a_function() {
    let place = cases();
    let said = opcost(&place, "sample --json - sampled_threads.c").expect(0);
    let document = said.json();
    assert_eq!(document["threads"], 4, "the first one and three more: {document:#}");
    let functions = document["functions"].as_array().expect("functions");
    let of = |name: &str| functions.iter().find(|one| one["name"] == name).map(|one| &one["threads"]);
    assert_eq!(of("work").and_then(serde_json::Value::as_u64), Some(3), "{document:#}");
    assert!(said.stderr.contains("? calls, in 3 threads or more"), "{}", said.stderr);
    // A count knows calls, and no threads of functions.
    let counted = opcost(&place, "count --json - sampled_threads.c").expect(0).json();
    let functions = counted["functions"].as_array().expect("functions");
    assert!(functions.iter().all(|one| one["threads"].is_null()), "{counted:#}");
}
