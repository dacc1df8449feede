//! How is a claim said? Where it is, and what it says.

use crate::check::{Checker, ClaimId};

impl Checker<'_> {
    /// A claim in words: where it is, what it says.
    pub fn describe(&self, claim: ClaimId) -> String {
        let name = |place: usize| &self.certificate.functions[place].name;
        match claim {
            ClaimId::Value(place, at) => {
                let claim = &self.claims(place).values[at];
                format!("{}:{} is {}", name(place), claim.value, claim.range)
            }
            ClaimId::Returned(place) => match &self.claims(place).returned {
                Some(range) => format!("{} returns {range}", name(place)),
                None => format!("{} returns", name(place)),
            },
            ClaimId::Difference(place, at) => {
                let claim = &self.claims(place).differences[at];
                let how = match claim.times {
                    -1 => "less".to_owned(),
                    1 => "and".to_owned(),
                    times => format!("and {times} times"),
                };
                format!("{}:{} {how} {} is {}", name(place), claim.value, claim.base, claim.range)
            }
            ClaimId::Turns(place, at) => {
                let claim = &self.claims(place).turns[at];
                format!(
                    "{}: the loop at block {} goes back {} times at most",
                    name(place),
                    claim.head,
                    claim.most
                )
            }
            ClaimId::Sum(place, at) => {
                let claim = &self.claims(place).sums[at];
                let by = match claim.places {
                    0 => format!("changes by {}..{}", claim.least, claim.greatest),
                    places => format!("has at most {places} bits shifted in"),
                };
                format!("{}:{} {by} in each of {} turns", name(place), claim.value, claim.turns)
            }
            ClaimId::Given(place, at) => {
                let claim = &self.claims(place).given[at];
                format!("{}:{} is {} ({})", name(place), claim.value, claim.range, claim.by)
            }
            ClaimId::Contents(at) => {
                let claim = &self.certificate.contents[at];
                format!(
                    "{} from byte {} on every {} holds {}",
                    claim.object, claim.first, claim.step, claim.range
                )
            }
        }
    }
}
