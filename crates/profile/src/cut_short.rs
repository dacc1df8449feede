//! Did the runs of a ledger get to their ends?
//!
//! A run that a signal ended has counted what it did until then, exactly. It is no picture of what the program does:
//! what comes last in it looks as if it never ran. A lower bound leaves out work that was done. Who makes a profile
//! of either has to know. Input: a ledger. Output: words. A status other than 0 is an end like any other.

use crate::{Ledger, ProcessEnding, Quality, Subject};

/// Why the counts are not those of whole runs, in words; none if they are.
pub fn cut_short(ledger: &Ledger) -> Vec<String> {
    let mut reasons = Vec::new();
    for fact in ledger.facts() {
        if let (Subject::Ending(ProcessEnding::Killed(signal)), Some(runs)) = (&fact.subject, fact.value)
            && runs > 0
        {
            let all = ledger.about.runs.max(runs);
            reasons.push(match all {
                1 => format!("signal {signal} ended the program"),
                _ => format!("signal {signal} ended {runs} of {all} runs"),
            });
        }
    }
    if ledger.facts().iter().any(|fact| matches!(fact.quality, Quality::LowerBound)) {
        reasons.push("some counts are lower bounds".to_owned());
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::cut_short;
    use crate::Quality;
    use crate::example::{facts_of, function, ledger, sample};

    #[test]
    fn runs_that_ended_by_a_signal_and_lower_bounds_are_told() {
        let mut facts = facts_of(&function("f", 1, 1), 2, 100, &[2, 20]);
        assert_eq!(cut_short(&ledger(facts.clone())), Vec::<String>::new());
        facts[1].quality = Quality::LowerBound;
        assert_eq!(cut_short(&ledger(facts)), ["some counts are lower bounds"]);
        assert!(cut_short(&sample()).iter().any(|reason| reason.starts_with("signal 11 ended ")));
    }
}
