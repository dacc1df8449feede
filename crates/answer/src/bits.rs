//! How many bits the values of a program need, what was observed of them, and what became narrower.

use opcost_certificate::Certificate;
use opcost_key::{FunctionKey, Key};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many bits the values of a program need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BitsAnswers {
    /// `open` or `closed`.
    pub world: String,
    /// What the widths rest on besides the code.
    pub assumes: Vec<String>,
    /// What can never be.
    pub findings: Vec<BitsFinding>,
    /// In the order of the module.
    pub functions: Vec<BitsFunction>,
    /// A certificate of all of it, if one was asked for.
    pub certified: Option<CertifiedAnswer>,
    /// The hash of the linked code, in hexadecimal digits.
    pub code: String,
}

/// What widths rest on where numbers with a point were computed.
pub const IEEE: &str = "numbers with a point are computed as IEEE 754 says, rounded to the nearest: nothing that is not seen changes that";

/// Something that can never be without something undefined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BitsFinding {
    /// `out-of-bounds`: the access is never within its object. `never`: no execution gets there, or
    /// its result is always poison. `contract`: the call perhaps gives what a contract forbids.
    /// `rounding`: the call changes how floating-point numbers are rounded.
    pub kind: String,
    /// Of the instruction.
    #[schemars(with = "String")]
    pub key: Key,
    /// As its debug information says.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
    /// The instruction; of a contract what the call gives, and the contract.
    pub text: String,
}

/// A certificate, and what it cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertifiedAnswer {
    /// The certificate itself.
    pub certificate: Certificate,
    /// Claims that hold.
    pub claims: usize,
    /// What the solver was asked.
    pub questions: u64,
    /// What was made weaker, and why.
    pub weakened: usize,
}

/// The values of a function.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BitsFunction {
    #[schemars(with = "String")]
    /// Its key.
    pub key: FunctionKey,
    /// Linkage name in its own module.
    pub name: String,
    /// Bits of the types of its integers.
    pub declared: u64,
    /// Bits of the narrowest types that hold them.
    pub needed_type: u64,
    /// Bits that are not always the same, and that anything looks at.
    pub needed_slice: u64,
    /// Parameters, then results in the order of the program.
    pub values: Vec<BitsValue>,
    /// Its floating point numbers, in the same order.
    pub floats: Vec<BitsFloat>,
}

/// What is known of an integer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BitsValue {
    /// Function, and number of the parameter or instruction in it: `@main:argument0`, `a.c@step:i5` of a function
    /// that only its module can name.
    #[schemars(with = "String")]
    pub key: Key,
    /// Its name in the source, or else in the text of the module.
    pub name: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
    /// The instruction as text; of a parameter its name.
    pub text: String,
    /// LLVM's name of the operation; `argument` of a parameter.
    pub opcode: String,
    /// Bits of its type.
    pub declared: u32,
    /// Bits that an `iN` needs that holds it.
    pub width: u32,
    /// Whether those are two's complement.
    pub signed: bool,
    /// Bits of `width` that are always the same, or that nothing looks at.
    pub dead_bits: u32,
    /// Bits that an `iN` needs that holds what is looked at, without promises that
    /// the rest decides; `width` at most.
    pub demanded: u32,
    /// Its values; `never` if no execution gets there.
    pub range: String,
    /// Its least and greatest value as a signed number, of at most 64 bits.
    pub least: Option<i64>,
    /// The greatest.
    pub greatest: Option<i64>,
    /// Whether flags promise what it is computed from: where that is broken the
    /// value is poison, and nothing is said of it.
    pub may_be_poison: bool,
    /// What forces it to be that wide, if it is more than a constant.
    pub because: Option<String>,
    /// What it was in a run.
    pub observed: Option<BitsObserved>,
}

impl BitsValue {
    /// A value of which nothing is known.
    pub fn unknown(key: Key) -> BitsValue {
        BitsValue {
            key,
            name: String::new(),
            file: None,
            line: None,
            text: String::new(),
            opcode: String::new(),
            declared: 0,
            width: 0,
            signed: false,
            dead_bits: 0,
            demanded: 0,
            range: String::new(),
            least: None,
            greatest: None,
            may_be_poison: false,
            because: None,
            observed: None,
        }
    }
}

/// What an integer was in a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BitsObserved {
    /// How often it was defined.
    pub times: u64,
    /// Bits that an `iN` needs that holds what it was; 0 of what was always the same.
    pub width: u32,
    /// Whether those are two's complement.
    pub signed: bool,
    /// Its values.
    pub range: String,
    /// Whether it was what nothing that is not poison can be.
    pub is_outside: bool,
}

/// What is known of a floating point number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BitsFloat {
    /// Function, and number of the parameter or instruction in it: `@main:argument0`, `a.c@step:i5`.
    #[schemars(with = "String")]
    pub key: Key,
    /// Its name in the source, or else in the text of the module.
    pub name: String,
    /// Its file, as debug information says.
    pub file: Option<String>,
    /// Its line there, from 1.
    pub line: Option<u32>,
    /// The instruction as text; of a parameter its name.
    pub text: String,
    /// LLVM's name of the operation; `argument` of a parameter.
    pub opcode: String,
    /// Bits of its mantissa: 24 or 53.
    pub declared: u32,
    /// How many of them are needed for all that it can be, as far as that is known.
    pub needed: u32,
    /// Whether all its finite numbers are integers.
    pub is_integral: bool,
    /// Its least and greatest number; `never` if no execution gets there.
    pub range: String,
    /// Whether flags promise what it is computed from: where that is broken the
    /// value is poison, and nothing is said of it.
    pub may_be_poison: bool,
    /// What it was in a run.
    pub observed: Option<BitsFloatObserved>,
}

/// What a floating point number was in a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BitsFloatObserved {
    /// How often it was defined.
    pub times: u64,
    /// How many bits of its mantissa were needed for all that it was.
    pub needed: u32,
    /// Whether that is more than can be where nothing is poison.
    pub is_outside: bool,
}

/// What became narrower.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NarrowAnswers {
    /// By which ranges, if a checker was to follow them.
    pub certified: Option<CertifiedAnswer>,
    /// Whether it holds only for the program as a whole.
    pub is_closed: bool,
    /// What became narrower.
    pub narrowed: Narrowed,
}

/// What became narrower, and what did not.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Narrowed {
    /// Results that are computed in fewer bits.
    pub values: u64,
    /// Bits of their types.
    pub declared: u64,
    /// Bits that they are computed in.
    pub computed: u64,
    /// Comparisons of fewer bits.
    pub comparisons: u64,
    /// What is left as it is.
    pub left: Vec<LeftWide>,
    /// What it rests on besides the code.
    pub assumes: Vec<String>,
}

/// What is left as it is, though it is wider than it need be.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LeftJson")]
pub struct LeftWide {
    /// How many.
    pub count: u64,
    /// What.
    pub what: String,
}

/// What is believed besides the code.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Assumptions {
    /// Indices are within the arrays that they run through.
    pub assume_inbounds: bool,
    /// Signed arithmetic does not overflow.
    pub assume_no_overflow: bool,
    /// Nothing is read before it was written.
    pub assume_written_first: bool,
}

impl Assumptions {
    /// In words, with the flags that say so.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        self.all().into_iter().filter(|(is_assumed, ..)| *is_assumed).map(|(_, words, _)| words)
    }

    /// The flags that say so.
    pub fn flags(self) -> impl Iterator<Item = &'static str> {
        self.all().into_iter().filter(|(is_assumed, ..)| *is_assumed).map(|(.., flag)| flag)
    }

    /// What is believed here and not by others.
    #[must_use]
    pub fn without(self, other: Assumptions) -> Assumptions {
        Assumptions {
            assume_inbounds: self.assume_inbounds && !other.assume_inbounds,
            assume_no_overflow: self.assume_no_overflow && !other.assume_no_overflow,
            assume_written_first: self.assume_written_first && !other.assume_written_first,
        }
    }

    fn all(self) -> [(bool, &'static str, &'static str); 3] {
        [
            (
                self.assume_inbounds,
                "indices are within the arrays that they run through (--assume-inbounds)",
                "--assume-inbounds",
            ),
            (
                self.assume_no_overflow,
                "signed sums, differences and products do not overflow (--assume-no-overflow)",
                "--assume-no-overflow",
            ),
            (
                self.assume_written_first,
                "nothing is read of locals and of the heap before it was written (--assume-written-first)",
                "--assume-written-first",
            ),
        ]
    }
}
