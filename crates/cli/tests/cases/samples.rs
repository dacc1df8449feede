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
    assert!(said.stderr.contains("no error bar") && !said.stderr.contains("by chance"), "{}", said.stderr);
}
