//! What does a certificate say? All claims by which ranges hold each other up.
//!
//! | claim | says |
//! |---|---|
//! | [`ValueClaim`] | a parameter or result, each time it is defined and not poison |
//! | `returned` | what a function returns |
//! | [`DifferenceClaim`] | how far two values of one activation are apart, or what they are together |
//! | [`TurnsClaim`] | how often a loop goes back at most, each time it is entered |
//! | [`SumClaim`] | what a value at the head of a loop gains from turn to turn |
//! | [`ContentsClaim`] | what lies in an object that only this module writes to |
//! | [`GivenClaim`] | what is taken as given: it is listed, not proven |
//!
//! A claim is about a moment and may rest on claims about earlier moments only,
//! so that all of them hold together if each one follows in one step. Functions
//! go by name, values by their numbers in the module (`argument0`, `i12`), objects
//! by what they are and their name ([`names`](crate::names)).
//!
//! A name that two functions or two objects have is refused, a field that is not
//! known or is there twice, too, and what is larger than any certificate
//! ([`reading`](crate::reading)).

use opcost_key::{Hash128, Hasher128};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::{ObjectName, ValueName};
use crate::range::{RangeClaim, mask};

/// Version of the format.
pub const FORMAT: &str = "opcost.certificate/2";

/// Who may call functions and change data of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedWorld {
    /// Anyone, what is exported.
    Open,
    /// The module is the program.
    Closed,
}

/// Everything that is claimed of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "opcost.certificate/2")]
pub struct Certificate {
    /// `opcost.certificate/2`.
    pub schema: String,
    /// Hash of the module that it is about.
    pub module: String,
    /// Who else there is.
    pub world: ClaimedWorld,
    /// What is taken as given besides, in words.
    pub assumes: Vec<String>,
    /// Whether it is of executions only that do nothing undefined, later neither. Then an access
    /// that is certainly made says something of what came before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hindsight: bool,
    /// Whether what is loaded or given is taken to be one word at all its uses, also where it was
    /// never written. Then only undefined constants, and what is made of them, may be another word
    /// at each use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_word: bool,
    /// Whether it is believed that sums, differences and products do not overflow
    /// as signed numbers, whether the code promises that or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_overflow: bool,
    /// Whether each index of an access that is certainly made is believed to be within the array
    /// that it runs through. This includes arrays that are a part of an object. With hindsight
    /// only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_bounds: bool,
    /// Whether it is believed that nothing is read of locals and of what is allocated
    /// before it is written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub written_first: bool,
    /// By function.
    pub functions: Vec<FunctionClaims>,
    /// Of objects.
    pub contents: Vec<ContentsClaim>,
    /// Hash of all above: shows whether it was changed since.
    pub seal: String,
}

/// What is claimed of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionClaims {
    /// Linkage name.
    pub name: String,
    /// Of its values.
    pub values: Vec<ValueClaim>,
    /// Of what it returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<RangeClaim>,
    /// Of distances.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferenceClaim>,
    /// Of loops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnsClaim>,
    /// Of what loops add up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<SumClaim>,
    /// What is taken as given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenClaim>,
}

/// A range of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueClaim {
    /// The value.
    pub value: ValueName,
    /// What it is; of a pointer its offset from the start of its object.
    pub range: RangeClaim,
}

/// How far a value is from another that is defined before, or what it is together
/// with so many times the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DifferenceClaim {
    /// The value.
    pub value: ValueName,
    /// The other.
    pub base: ValueName,
    /// The value less the other, or the value and so many `times` the other.
    pub range: RangeClaim,
    /// How many times: -1, a distance, if it is not said.
    #[serde(default = "once_less", skip_serializing_if = "is_once_less")]
    pub times: i64,
    /// It is so if the other is no poison; else it is claimed, too, that the other
    /// is none where the value is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub if_both: bool,
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

fn once_less() -> i64 {
    -1
}

fn is_once_less(times: &i64) -> bool {
    *times == -1
}

/// How often a loop goes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnsClaim {
    /// Number of the block at its head.
    pub head: u32,
    /// At most so often, each time it is entered; the greatest number says nothing.
    pub most: Word64,
    /// What shows it: this counter goes only one way,
    pub counter: ValueName,
    /// and whenever the loop goes back, it is no poison and was within this range.
    pub range: RangeClaim,
    /// Whether it goes down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub falls: bool,
    /// By at least so much in each iteration.
    pub step: Word64,
    /// Whether it is moved by so many binary places and not by such a number. Then the range begins
    /// above zero and does not go around.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scales: bool,
}

impl TurnsClaim {
    /// How many moves there are room for on the range; none if it is no such range.
    pub fn room(&self) -> Option<u128> {
        let (first, span) = (self.range.first.0, self.range.span.0);
        // As a word of the counter a greater step would be another one, perhaps 0.
        if u128::from(self.step) > mask(self.range.width) {
            return None;
        }
        let room = match self.scales {
            false => span,
            true => {
                let last =
                    first.checked_add(span).filter(|&last| first > 0 && last <= mask(self.range.width));
                (last?.ilog2() - first.ilog2()).into()
            }
        };
        room.checked_div(self.step.into())
    }
}

/// A number of at most 64 bits.
pub type Word64 = u64;

/// What a value at the head of a loop gains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SumClaim {
    /// The value, of a phi at the head.
    pub value: ValueName,
    /// What it is compared with, from before the loop; without it, zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ValueName>,
    /// How far it is from that when the loop is entered.
    pub start: RangeClaim,
    /// The least and the greatest that an iteration adds.
    pub least: i64,
    /// The greatest.
    pub greatest: i64,
    /// If it is not 0: nothing is added. The value is one number with what is shifted in below it,
    /// of so many bits at most in each iteration.
    #[serde(default, skip_serializing_if = "is_none")]
    pub places: u32,
    /// How often at most: what is claimed of the iterations of the loop. The greatest number says
    /// nothing.
    pub turns: Word64,
}

/// What is in an object at `first`, `first + step`, … (`first` only if `step` is 0).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentsClaim {
    /// The object.
    pub object: ObjectName,
    /// The first offset, in bytes.
    pub first: i64,
    /// From one to the next, in bytes.
    pub step: u64,
    /// Bytes of each.
    pub size: u64,
    /// Of what is allocated: nothing is read there before it is written. Who checks
    /// must know that from elsewhere ([`OutsideFacts`](crate::OutsideFacts)), or it is believed
    /// ([`Certificate::written_first`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub written_first: bool,
    /// What it is.
    pub range: RangeClaim,
}

/// What the checker does not prove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenClaim {
    /// The value.
    pub value: ValueName,
    /// What it is.
    pub range: RangeClaim,
    /// Who says so.
    pub by: GivenBy,
}

/// Who says what is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GivenBy {
    /// A contract: each caller gives that to a parameter.
    Contract,
    /// The table of library functions, of what a call of one gives: who checks must
    /// have the same table ([`OutsideFacts`](crate::OutsideFacts)).
    Library,
}

impl Certificate {
    /// The hash of all but the seal.
    pub fn sealing(&self) -> Hash128 {
        let bare = Certificate { seal: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).expect("plain data");
        Hasher128::new().text(&text).finish()
    }

    /// The same, sealed.
    #[must_use]
    pub fn sealed(mut self) -> Certificate {
        self.seal = self.sealing().to_string();
        self
    }
}
