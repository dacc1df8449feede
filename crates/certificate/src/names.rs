//! How is what a claim speaks of named? In one way only.
//!
//! A value goes by its number in its function: `argument0`, `i12`. An object is
//! data of the module (`{"global": "table"}`) or what an instruction of a function
//! allocates (`{"function": "f", "instruction": 3}`): no name of data can be taken
//! for the other, whatever characters it has. Two functions or two globals of one
//! name (both without a name, or with bytes that are no text) cannot be told apart;
//! of these nothing can be claimed.
//!
//! Numbers are written in one way only (no `i07`, no `i+7`). Cost: constant.

use std::fmt;
use std::str::FromStr;

use opcost_index::Id;
use opcost_ir::Value;
use opcost_key::InstructionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A parameter or result, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub enum ValueName {
    /// A parameter.
    Argument(u32),
    /// The result of an instruction.
    Result(u32),
}

/// An object, by what it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ObjectName {
    /// Data of the module.
    Data(DataName),
    /// What an instruction allocates.
    Allocated(AllocatedName),
}

/// Data of the module, by its linkage name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataName {
    /// Its linkage name.
    pub global: String,
}

/// What an instruction allocates: a local, or what a call gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllocatedName {
    /// Linkage name of the function.
    pub function: String,
    /// Number of the instruction in it.
    pub instruction: u32,
}

impl ObjectName {
    /// Of data.
    pub fn data(name: &str) -> ObjectName {
        ObjectName::Data(DataName { global: name.to_owned() })
    }

    /// Of what an instruction of a function allocates.
    pub fn allocated(function: &str, at: InstructionId) -> ObjectName {
        ObjectName::Allocated(AllocatedName { function: function.to_owned(), instruction: at.index() as u32 })
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectName::Data(data) => write!(f, "{}", data.global),
            ObjectName::Allocated(place) => {
                write!(f, "what {}:i{} allocates", place.function, place.instruction)
            }
        }
    }
}

impl ValueName {
    /// Of a value; none of what is no parameter nor result.
    pub fn of(value: Value) -> Option<ValueName> {
        match value {
            Value::Argument(position) => Some(ValueName::Argument(position)),
            Value::Instruction(at) => Some(ValueName::Result(at.index() as u32)),
            _ => None,
        }
    }

    /// The value.
    pub fn value(self) -> Value {
        match self {
            ValueName::Argument(position) => Value::Argument(position),
            ValueName::Result(at) => Value::Instruction(InstructionId::new(at as usize)),
        }
    }
}

impl fmt::Display for ValueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueName::Argument(position) => write!(f, "argument{position}"),
            ValueName::Result(at) => write!(f, "i{at}"),
        }
    }
}

/// What does not name a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoValueName {
    /// It is of no kind of name.
    #[error("{0} names no value")]
    Unknown(String),
    /// It is another spelling of a name.
    #[error("{0} is not how a value is named; {1} is")]
    Spelling(String, ValueName),
}

impl FromStr for ValueName {
    type Err = NoValueName;

    fn from_str(text: &str) -> Result<ValueName, NoValueName> {
        let unknown = || NoValueName::Unknown(text.to_owned());
        let number = |rest: &str| rest.parse().map_err(|_| unknown());
        let found = match (text.strip_prefix("argument"), text.strip_prefix('i')) {
            (Some(rest), _) => number(rest).map(ValueName::Argument),
            (_, Some(rest)) => number(rest).map(ValueName::Result),
            _ => Err(unknown()),
        }?;
        // The same value by another spelling is another name.
        match found.to_string() == text {
            true => Ok(found),
            false => Err(NoValueName::Spelling(text.to_owned(), found)),
        }
    }
}

impl Serialize for ValueName {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ValueName {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<ValueName, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{ObjectName, ValueName};

    fn read(text: &str) -> Option<ObjectName> {
        serde_json::from_str(text).ok()
    }

    /// Data with any name is read as data, and nothing else has that name.
    #[test]
    fn no_name_of_data_is_that_of_a_local() {
        let local = ObjectName::allocated("f", opcost_index::Id::new(0));
        for name in
            ["f:i0", "what f:i0 allocates", "", "\0", "\u{fffd}", "{\"function\":\"f\",\"instruction\":0}"]
        {
            let data = ObjectName::data(name);
            assert_ne!(data, local);
            let text = serde_json::to_string(&data).expect("plain data");
            assert_eq!(read(&text), Some(data), "{text}");
        }
        assert_eq!(read(r#"{"function": "f", "instruction": 0}"#), Some(local));
    }

    #[test]
    fn names_of_both_kinds_or_of_none_are_refused() {
        let wrong = [
            r#""f:i0""#,
            r#"{"global": "f", "function": "f", "instruction": 0}"#,
            r#"{"global": "f", "global": "g"}"#,
            r#"{"function": "f", "instruction": 0, "instruction": 1}"#,
            r#"{"function": "f", "instruction": -1}"#,
            r#"{"function": "f", "instruction": 0, "size": 4}"#,
            r#"{"function": "f"}"#,
            "{}",
        ];
        wrong.iter().for_each(|text| assert_eq!(read(text), None, "{text}"));
    }

    #[test]
    fn a_value_has_one_name() {
        for name in ["i0", "i12", "argument0", "argument7"] {
            assert_eq!(name.parse::<ValueName>().expect(name).to_string(), name);
        }
        for name in [
            "i007",
            "i+7",
            "argument+0",
            "argument00",
            "i",
            "i4294967296",
            "I1",
            " i1",
            "instruction5",
            "i-1",
        ] {
            assert!(name.parse::<ValueName>().is_err(), "{name}");
        }
    }
}
