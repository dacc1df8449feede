//! Is no number told of samples that do not tell it?

use super::{cases, opcost};

/// Three threads enter a function once each and stay in its loop: no sample says how often it was entered.
#[test]
fn entries_that_no_sample_saw_are_no_number_of_calls() {
    let place = cases();
    let said = opcost(&place, "sample --json - sampled_threads.c").expect(0);
    let document = said.json();
    let functions = document["functions"].as_array().expect("functions");
    let of =
        |name: &str| functions.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(of("work")["calls_known"], false, "{:#}", of("work"));
    assert_eq!((&of("main")["calls_known"], &of("main")["calls"]), (&true.into(), &1.into()), "one start");
    assert!(said.stderr.contains("? calls"), "{}", said.stderr);
    assert!(said.stderr.contains("no error bar") && !said.stderr.contains("by chance"), "{}", said.stderr);
}
