//! How is a claim said? Where it is, and what it says.

use opcost_ir::{CalleeRef, Module, Value};

use crate::checker::Checker;
use crate::claims::{Certificate, GivenBy, GivenClaim};
use crate::verdict::ClaimId;

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
                format!("{}:{} {by} in each of {} iterations", name(place), claim.value, claim.turns)
            }
            ClaimId::Given(place, at) => {
                let claim = &self.claims(place).given[at];
                let by = self.certificate.given_by(self.module, name(place), claim);
                format!("{}:{} is {} ({by})", name(place), claim.value, claim.range)
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

impl Certificate {
    /// Who gives what is given, in words; of a library function with its name.
    pub fn given_by(&self, module: &Module, function: &str, given: &GivenClaim) -> String {
        let called = || {
            let Value::Instruction(at) = given.value.value() else { return None };
            let function = module.functions.values().find(|one| one.name == function)?;
            match function.call(at)?.callee {
                CalleeRef::Declaration(declared) => Some(&*module.declarations[declared].name),
                _ => None,
            }
        };
        match given.by {
            GivenBy::Contract => "a contract".to_owned(),
            GivenBy::Library => format!("the table of effects, of {}", called().unwrap_or("a function")),
        }
    }
}
