//! Two samples of one program differ by chance: what is said of that, and what is not added?

use crate::sampled::{HOT, Place, fine, opcost};

#[test]
fn two_samples_differ_by_noise_and_have_no_verdict() {
    let place = Place::new();
    let (source, program) = (place.source(HOT), place.file("hot"));
    let (one, other) = (place.file("one.opc"), place.file("other.opc"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    for ledger in [&one, &other] {
        fine(&["sample", "--ledger", ledger, &program, "--", "600"]);
    }
    let said = fine(&["diff", &one, &other]).stdout;
    assert!(
        said.contains("counts made of samples: two runs of one program differ by some per cent"),
        "{said}"
    );
    assert!(said.contains("unsure") && !said.contains("lower bounds"), "{said}");
    assert!(!said.contains("more work") && !said.contains("less work"), "{said}");
    for when in ["more-work", "more-work-anywhere", "any-change"] {
        let refused = opcost(&["diff", &one, &other, "--fail-on", when]).expect(1);
        refused.expect_stderr(&["no verdict", "count both with opcost count"]);
    }
    // The head tells how it was built; a line that moved is found by the texts of sampled programs, too.
    let shown = fine(&["report", &one]).stdout;
    assert!(shown.contains("clang 22.") && shown.contains(" -O2 · about, by samples"), "{shown}");
}

/// What samples say by themselves, and counts that are made of them, are no parts of one sum.
#[test]
fn raw_samples_and_repaired_counts_are_not_added() {
    let place = Place::new();
    let (source, program) = (place.source(HOT), place.file("hot"));
    let (raw, repaired, counted) =
        (place.file("raw.opc"), place.file("repaired.opc"), place.file("counted.opc"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    fine(&["sample", "--raw", &raw, "--ledger", &repaired, &program, "--", "600"]);
    let merged = place.file("merged.opc");
    let refused = opcost(&["merge", &raw, &repaired, "-o", &merged]).expect(1);
    refused.expect_stderr(&["sampled", "repaired", "no parts of one sum"]);
    assert!(!std::path::Path::new(&merged).exists());
    opcost(&["merge", "--average", &repaired, &raw, "-o", &merged]).expect(1);
    fine(&["merge", &repaired, &repaired, "-o", &merged]);
    fine(&["count", "--ledger", &counted, &source, "--", "10"]);
    opcost(&["merge", &counted, &repaired, "-o", &merged]).expect(1);
}
