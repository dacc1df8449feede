//! Does an answer of `opcost loops` agree with the mark of its loop?
//!
//! An answer that says another number than an exact mark, fewer than can be
//! under a bound, or exact where nobody can, is wrong; one that says less than
//! the mark (no number, a looser bound, more assumptions) is weak. Formulas are
//! compared where their names have numbers: the caller gives the answers at some
//! values, and the values. What has no number there is not judged, unless its
//! kind alone decides.

use serde::Deserialize;

use super::{Mark, MarkClaim, MarkQuality};

/// The part of one loop in a document `opcost.loops/1` that marks speak of.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct JudgedLoop {
    /// The function it is in.
    pub function: String,
    /// The label of its header.
    pub label: Option<String>,
    /// The source, where it is known.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<usize>,
    /// `constant`, `inputs`, `formula`, `bound`, `unknown` and the like.
    pub kind: String,
    /// When the loop is entered.
    pub entered_if: EnteredIf,
    /// How often the body is begun.
    pub body_iterations: JudgedCount,
    /// Never more than this.
    pub bound: JudgedCount,
    /// Why no more is said.
    pub reason: Option<String>,
    /// What the answer rests on.
    pub assumes: Vec<String>,
    /// `open` or `closed`.
    pub world: Option<String>,
}

/// When a loop is entered, as a document says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct EnteredIf {
    /// `always`, `if`, `only_if`, `never` or `unknown`.
    pub kind: String,
}

/// A number or formula of a document.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(untagged)]
pub enum JudgedCount {
    /// Nothing is said.
    #[default]
    Nothing,
    /// A number.
    Number(i64),
    /// A number or a formula in words.
    Text(String),
}

impl JudgedCount {
    /// Its number; none while names are in it.
    pub fn number(&self) -> Option<i128> {
        match self {
            Self::Nothing => None,
            Self::Number(number) => Some(i128::from(*number)),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

impl JudgedLoop {
    /// Whether it says that the count is this, not only at most this.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind.as_str(), "constant" | "inputs" | "formula")
    }
}

/// From the best to the worst, so that the largest of many is what counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkVerdict {
    /// The mark says nothing here, or the answer has no number.
    NotJudged,
    /// As the mark says.
    Held,
    /// Right, and less than could be known; what is missing.
    Weak(String),
    /// Not so; in words.
    Wrong(String),
}

/// Judges by the claims for the answer's world; without a twin a claim is about
/// both worlds.
pub fn judge(mark: &Mark, answer: &JudgedLoop, value_of: &dyn Fn(&str) -> Option<i128>) -> MarkVerdict {
    let is_closed = answer.world.as_deref() == Some("closed");
    let has_both = mark.claims.iter().any(|claim| claim.is_closed);
    let claims = mark.claims.iter().filter(|claim| !has_both || claim.is_closed == is_closed);
    claims.map(|claim| judge_claim(claim, answer, value_of)).max().unwrap_or(MarkVerdict::NotJudged)
}

/// Judges by one claim, whatever its world.
pub fn judge_claim(
    claim: &MarkClaim,
    answer: &JudgedLoop,
    value_of: &dyn Fn(&str) -> Option<i128>,
) -> MarkVerdict {
    if claim.condition.as_ref().is_some_and(|condition| condition.evaluate(value_of) != Ok(1)) {
        return MarkVerdict::NotJudged;
    }
    let wanted = claim.body.as_ref().and_then(|body| body.evaluate(value_of).ok());
    let reached = claim.reached.as_ref().map(|reached| reached.evaluate(value_of));
    if answer.entered_if.kind == "never" {
        return never_entered(reached, wanted);
    }
    match claim.quality {
        _ if reached == Some(Ok(0)) => MarkVerdict::NotJudged,
        MarkQuality::Unknown | MarkQuality::Bound if answer.is_exact() => {
            MarkVerdict::Wrong("it says exact, and nobody can".to_owned())
        }
        MarkQuality::Unknown => MarkVerdict::Held,
        MarkQuality::Bound if answer.kind == "unknown" => {
            MarkVerdict::Weak("unknown, where there is a bound".to_owned())
        }
        MarkQuality::Bound => match (answer.bound.number(), wanted) {
            (Some(bound), Some(wanted)) if bound > wanted => {
                MarkVerdict::Weak(format!("at most {bound}, where {wanted} is known"))
            }
            (Some(_), Some(_)) => MarkVerdict::Held,
            _ => MarkVerdict::NotJudged,
        },
        MarkQuality::Exact if !answer.is_exact() => below_exact(answer, wanted),
        MarkQuality::Exact => match (answer.body_iterations.number(), wanted) {
            (Some(found), Some(wanted)) if found != wanted => {
                MarkVerdict::Wrong(format!("{found} iterations, and it is {wanted}"))
            }
            (Some(_), Some(_)) => assumed(claim, answer),
            _ => MarkVerdict::NotJudged,
        },
    }
}

/// "Never entered" is right where the loop is not reached, and where nothing of it
/// runs.
fn never_entered<E>(reached: Option<Result<i128, E>>, wanted: Option<i128>) -> MarkVerdict {
    match (reached, wanted) {
        (Some(Ok(0)), _) => MarkVerdict::Held,
        (_, Some(wanted)) if wanted <= 0 => MarkVerdict::Held,
        (Some(Err(_)), _) | (None, None) => MarkVerdict::NotJudged,
        _ => MarkVerdict::Wrong("it says never entered, and it is".to_owned()),
    }
}

/// No exact answer to an exact mark: weak, and wrong if what it says is at most
/// is less than what is.
fn below_exact(answer: &JudgedLoop, wanted: Option<i128>) -> MarkVerdict {
    match (answer.bound.number(), wanted) {
        (Some(bound), Some(wanted)) if bound < wanted => {
            MarkVerdict::Wrong(format!("at most {bound}, and it is {wanted}"))
        }
        _ => MarkVerdict::Weak(format!("{}, where it can be exact", answer.kind)),
    }
}

/// Right; but does it rest on more than it needs?
fn assumed(claim: &MarkClaim, answer: &JudgedLoop) -> MarkVerdict {
    // `nsw of %6 (line 36)` is what a mark calls `nsw`.
    let is_marked = |words: &str| {
        words.split(' ').next().is_some_and(|first| claim.assumes.iter().any(|word| word == first))
    };
    match answer.assumes.iter().find(|words| !is_marked(words)) {
        Some(word) => MarkVerdict::Weak(format!("it assumes {word}, which is not needed")),
        None => MarkVerdict::Held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::read_marks;

    /// The answer to a mark whose n is 7.
    fn verdict(mark: &str, answer: JudgedLoop) -> MarkVerdict {
        let marks = read_marks(&format!("expect: {mark}")).unwrap();
        judge(&marks[0], &answer, &|name| (name == "n").then_some(7))
    }

    fn exact(kind: &str, number: i64, assumes: &[&str]) -> JudgedLoop {
        let assumes = assumes.iter().map(|word| (*word).to_owned()).collect();
        JudgedLoop {
            kind: kind.to_owned(),
            body_iterations: JudgedCount::Number(number),
            assumes,
            ..JudgedLoop::default()
        }
    }

    fn bound(number: i64) -> JudgedLoop {
        let bound = JudgedCount::Text(number.to_string());
        JudgedLoop { kind: "bound".to_owned(), bound, ..JudgedLoop::default() }
    }

    fn unknown() -> JudgedLoop {
        JudgedLoop { kind: "unknown".to_owned(), ..JudgedLoop::default() }
    }

    #[test]
    fn an_exact_mark_wants_its_number() {
        let mark = "body=n+1 quality=exact assume=nsw";
        assert_eq!(verdict(mark, exact("formula", 8, &["nsw of %6 (line 3)"])), MarkVerdict::Held);
        assert!(matches!(verdict(mark, exact("inputs", 9, &[])), MarkVerdict::Wrong(_)));
        assert!(matches!(verdict(mark, exact("constant", 8, &["mustprogress"])), MarkVerdict::Weak(_)));
        let silent =
            JudgedLoop { body_iterations: JudgedCount::Text("n + 1".to_owned()), ..exact("formula", 8, &[]) };
        assert_eq!(verdict(mark, silent), MarkVerdict::NotJudged);
    }

    #[test]
    fn less_than_exact_is_weak_and_a_bound_too_low_is_wrong() {
        let mark = "body=n+1 quality=exact";
        assert!(matches!(verdict(mark, bound(8)), MarkVerdict::Weak(_)));
        assert!(matches!(verdict(mark, bound(7)), MarkVerdict::Wrong(_)));
        assert!(matches!(verdict(mark, unknown()), MarkVerdict::Weak(_)));
    }

    #[test]
    fn who_says_exact_where_nobody_can_is_wrong() {
        for mark in ["body=* quality=unknown", "body=n quality=bound"] {
            assert!(matches!(verdict(mark, exact("constant", 7, &[])), MarkVerdict::Wrong(_)), "{mark}");
        }
        assert_eq!(verdict("body=* quality=unknown", bound(9)), MarkVerdict::Held);
        assert_eq!(verdict("body=* quality=unknown", unknown()), MarkVerdict::Held);
    }

    #[test]
    fn never_entered_is_right_where_the_loop_is_not_reached() {
        let never = |mark: &str| {
            let entered_if = EnteredIf { kind: "never".to_owned() };
            verdict(mark, JudgedLoop { entered_if, ..exact("constant", 0, &[]) })
        };
        assert_eq!(never("body=n quality=exact reached=n>7"), MarkVerdict::Held);
        assert_eq!(never("body=n quality=bound reached=n>7"), MarkVerdict::Held);
        assert_eq!(never("body=n-9 quality=exact"), MarkVerdict::Held);
        for mark in ["body=n quality=exact", "body=n quality=exact reached=n>6", "body=n quality=bound"] {
            assert!(matches!(never(mark), MarkVerdict::Wrong(_)), "{mark}");
        }
        assert_eq!(
            verdict("body=n quality=exact reached=n>7", exact("constant", 3, &[])),
            MarkVerdict::NotJudged
        );
    }

    /// A mark's bound is one that holds, not the least: a tighter one is no error.
    #[test]
    fn a_bound_is_held_by_one_that_is_no_looser() {
        let mark = "body=n quality=bound";
        assert_eq!(verdict(mark, bound(7)), MarkVerdict::Held);
        assert_eq!(verdict(mark, bound(6)), MarkVerdict::Held);
        assert!(matches!(verdict(mark, bound(8)), MarkVerdict::Weak(_)));
        assert!(matches!(verdict(mark, unknown()), MarkVerdict::Weak(_)));
    }

    #[test]
    fn each_world_has_its_claim() {
        let mark = "body=* quality=unknown; body=5 quality=exact world=closed";
        let of = |world: &str| JudgedLoop { world: Some(world.to_owned()), ..exact("constant", 5, &[]) };
        assert_eq!(verdict(mark, of("closed")), MarkVerdict::Held);
        assert!(matches!(verdict(mark, of("open")), MarkVerdict::Wrong(_)));
        // Without a twin a claim is about both.
        assert!(matches!(verdict("body=* quality=unknown", of("closed")), MarkVerdict::Wrong(_)));
    }

    #[test]
    fn where_a_claim_says_nothing_nothing_is_judged() {
        let wrong = || exact("formula", 1, &[]);
        assert_eq!(verdict("body=n quality=exact where=n>7", wrong()), MarkVerdict::NotJudged);
        assert!(matches!(verdict("body=n quality=exact where=n>6", wrong()), MarkVerdict::Wrong(_)));
        assert_eq!(verdict("body=m quality=exact", wrong()), MarkVerdict::NotJudged);
    }
}
