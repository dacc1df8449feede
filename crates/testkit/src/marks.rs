//! Marks: what can be known of a loop, in a comment on its line.
//!
//! ```text
//! for (int i = 0; i < n; i += 3) {  // expect: body=ceil_div(max(n,0),3) quality=exact assume=nsw
//! ```
//!
//! Behind `expect:` stand claims, divided by `;`, each of words KEY=VALUE
//! divided by blanks:
//!
//! | key | value |
//! |---|---|
//! | `body` | how often the body is begun in one activation, in names of the source as they are when the loop is reached; `*`: nobody knows |
//! | `quality` | `exact`: it is this number; `bound`: never more than this, sometimes less; `unknown`: an answer that says exact is wrong |
//! | `back` | how often its back edges are taken, where this is not clear from `body` |
//! | `total` | the sum over all activations in one call of the function |
//! | `assume` | what an exact answer may rest on: `nsw`, `nuw`, `inbounds`, `mustprogress` |
//! | `where` | the claim is made for these values only |
//! | `reached` | the loop is reached for these values only; for others nothing is claimed but that it is not entered |
//! | `world` | `closed`: it takes the whole program; else any caller may come |
//! | `partial` | `yes`: activations may be left by other ways than the loop's exits; what is claimed holds for complete ones, and is a bound for the others |
//! | `form` | `irreducible`: no natural loop, which must be said |
//! | `input` | a named input that an answer of the closed world ends in |
//!
//! `quality` is a must, `body` too. An answer that says less than a mark
//! (a bound for exact, unknown for a bound) is weak; one that says more or other
//! is wrong. A claim without `world` beside one with it speaks of the open one.

mod expression;
mod grammar;
mod judge;
mod written;

pub use expression::{ExpressionError, MarkExpression, MarkFunction};
pub use judge::{EnteredIf, JudgedCount, JudgedLoop, MarkVerdict, judge, judge_claim};

use thiserror::Error;

/// What may be said of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkQuality {
    /// It is this number.
    Exact,
    /// Never more than this.
    Bound,
    /// Nobody can say.
    Unknown,
}

/// One claim about one loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkClaim {
    /// None: nobody knows.
    pub body: Option<MarkExpression>,
    /// How sure that is.
    pub quality: MarkQuality,
    /// How often back edges are taken.
    pub back: Option<MarkExpression>,
    /// The sum over activations of one call.
    pub total: Option<MarkExpression>,
    /// What an exact answer may rest on.
    pub assumes: Vec<String>,
    /// For which values the claim is made.
    pub condition: Option<MarkExpression>,
    /// For which values the loop is reached.
    pub reached: Option<MarkExpression>,
    /// It takes the whole program.
    pub is_closed: bool,
    /// Activations may be left by other ways.
    pub is_partial: bool,
    /// No natural loop.
    pub is_irreducible: bool,
    /// A named input of the closed world.
    pub input: Option<String>,
}

/// All claims about one loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The line of the loop, from 1.
    pub line: usize,
    /// For one world or for both.
    pub claims: Vec<MarkClaim>,
}

const ASSUMPTIONS: &[&str] = &["nsw", "nuw", "inbounds", "mustprogress"];

/// A line whose mark cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct MarkError {
    /// From 1.
    pub line: usize,
    /// Why not.
    pub reason: ClaimError,
}

/// Why a claim cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// A word without a sign of equality.
    #[error("`{0}` is not KEY=VALUE")]
    NoPair(String),
    /// A key or a value that means nothing.
    #[error("nobody knows `{0}`")]
    UnknownWord(String),
    /// It does not say how often the body is begun.
    #[error("a claim has no body=")]
    NoBody,
    /// It does not say how sure that is.
    #[error("a claim has no quality=")]
    NoQuality,
    /// A count that is known without quality, or the other way.
    #[error("body=* and quality=unknown go together")]
    BodyAgainstQuality,
    /// Nothing that an answer may rest on.
    #[error("`{0}` is not one of {list}", list = ASSUMPTIONS.join(", "))]
    Assumption(String),
    /// A formula that is none.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
}

/// The marks of a source file, by line.
///
/// # Errors
/// A line whose mark cannot be read.
pub fn read_marks(text: &str) -> Result<Vec<Mark>, MarkError> {
    let mut marks = Vec::new();
    for (place, line) in text.lines().enumerate() {
        if let Some((_, comment)) = line.split_once("expect: ") {
            let claims = comment.split(';').map(claim).collect::<Result<_, _>>();
            let claims = claims.map_err(|reason| MarkError { line: place + 1, reason })?;
            marks.push(Mark { line: place + 1, claims });
        }
    }
    Ok(marks)
}

fn claim(text: &str) -> Result<MarkClaim, ClaimError> {
    let (mut body, mut quality) = (None, None);
    let mut claim = MarkClaim {
        body: None,
        quality: MarkQuality::Unknown,
        back: None,
        total: None,
        assumes: Vec::new(),
        condition: None,
        reached: None,
        is_closed: false,
        is_partial: false,
        is_irreducible: false,
        input: None,
    };
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| ClaimError::NoPair(word.to_owned()))?;
        match (key, value) {
            ("body", "*") => body = Some(None),
            ("body", _) => body = Some(Some(MarkExpression::read(value)?)),
            ("quality", "exact") => quality = Some(MarkQuality::Exact),
            ("quality", "bound") => quality = Some(MarkQuality::Bound),
            ("quality", "unknown") => quality = Some(MarkQuality::Unknown),
            ("back", _) => claim.back = Some(MarkExpression::read(value)?),
            ("total", _) => claim.total = Some(MarkExpression::read(value)?),
            ("assume", _) => claim.assumes = assumptions(value)?,
            ("where", _) => claim.condition = Some(MarkExpression::read(value)?),
            ("reached", _) => claim.reached = Some(MarkExpression::read(value)?),
            ("world", "closed") => claim.is_closed = true,
            ("world", "open") => {}
            ("partial", "yes") => claim.is_partial = true,
            ("form", "irreducible") => claim.is_irreducible = true,
            ("input", _) => claim.input = Some(value.to_owned()),
            _ => return Err(ClaimError::UnknownWord(word.to_owned())),
        }
    }
    claim.body = body.ok_or(ClaimError::NoBody)?;
    claim.quality = quality.ok_or(ClaimError::NoQuality)?;
    if claim.body.is_none() != (claim.quality == MarkQuality::Unknown) {
        return Err(ClaimError::BodyAgainstQuality);
    }
    Ok(claim)
}

fn assumptions(value: &str) -> Result<Vec<String>, ClaimError> {
    let words: Vec<String> = value.split(',').map(str::to_owned).collect();
    match words.iter().find(|word| !ASSUMPTIONS.contains(&word.as_str())) {
        Some(word) => Err(ClaimError::Assumption(word.clone())),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read() {
        let text = "int f(int n) {\n  while (n--) {  // expect: body=n quality=exact assume=nsw,inbounds where=n>=0\n";
        let marks = read_marks(text).unwrap();
        assert_eq!((marks.len(), marks[0].line), (1, 2));
        let claim = &marks[0].claims[0];
        assert_eq!(claim.quality, MarkQuality::Exact);
        assert_eq!(claim.assumes, ["nsw", "inbounds"]);
        assert!(claim.condition.is_some() && !claim.is_closed);
    }

    #[test]
    fn two_worlds_have_two_claims() {
        let marks =
            read_marks("do ! expect: body=* quality=unknown; body=5 quality=exact world=closed").unwrap();
        let worlds: Vec<bool> = marks[0].claims.iter().map(|claim| claim.is_closed).collect();
        assert_eq!(worlds, [false, true]);
        assert_eq!(marks[0].claims[1].body, Some(MarkExpression::Number(5)));
    }

    #[test]
    fn wrong_marks_are_refused_with_their_line() {
        for text in [
            "expect: body=n",
            "expect: quality=exact",
            "expect: body=n quality=sure",
            "expect: body=* quality=exact",
            "expect: body=n quality=unknown",
            "expect: body=n quality=exact assume=luck",
            "expect: body=n quality=exact colour=red",
            "expect: body=(n quality=exact",
            "expect: body",
        ] {
            let error = read_marks(&format!("first\n{text}")).unwrap_err().to_string();
            assert!(error.starts_with("line 2: "), "{text}: {error}");
        }
    }
}
