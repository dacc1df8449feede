//! What does someone claim about the iterations of loops, and how is it held against a run?
//!
//! Anyone who predicts iterations says so in [`TripClaims`], in plain words: a header, and a stack
//! program over exact integers. Nothing of an analysis is known here, so that any analysis, and a
//! referee of one, can be held against real runs. The program is compiled for the runtime: each
//! value becomes an input that is noted where the loop is entered; what is not there any more by
//! then is kept from where it is. What cannot be compiled is not checked, and the reason is kept.
//! `checks` runs a compiled program as the runtime does.
//!
//! Input: a function, and a claim on one of its loops. Output: a check and its
//! inputs. Cost: the steps. Limits: [`MOST_INPUTS`] inputs of at most 64 bits,
//! [`MOST_STEPS`] steps.

use opcost_ir::{CheckStep, Function, IntegerComparison, MOST_INPUTS, MOST_STEPS, Module, Type, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::checks::balanced;
use crate::unchecked::Unchecked;

/// Claims on the loops of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TripClaims {
    /// In any order; of several on one loop the first counts.
    pub list: Vec<TripClaim>,
}

/// What is claimed of each activation of a loop that leaves by one of its exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripClaim {
    /// The function.
    pub function: FunctionId,
    /// The header of a natural loop.
    pub loop_header: BlockId,
    /// What the result means.
    pub what: Claimed,
    /// How the result comes about: a stack program, that leaves one number; or
    /// why there is none.
    pub program: Result<Vec<ClaimStep>, Unchecked>,
    /// What it rests on (`nsw`, `mustprogress`); none: it must hold.
    pub assumes: Vec<String>,
    /// The same for a reader.
    pub text: String,
}

/// What the result of a claim means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// Exactly how often back edges are taken.
    BackEdges,
    /// They are not taken more often.
    Bound,
}

/// One step over exact integers. Operands were pushed in the order in which
/// they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimStep {
    /// A number.
    Constant(i128),
    /// A value from outside of the loop, as it was computed last before the loop is entered. It is
    /// an integer of at most 64 bits or an address, without a sign (see `Wrap`).
    Value(Value),
    /// What a phi at the head of a loop, this one or another, got when that
    /// loop was entered.
    Entering(InstructionId),
    /// What a load would have read at a moment, without a sign. It must be
    /// certain that this can be read then.
    Reread {
        /// The load.
        load: InstructionId,
        /// When.
        moment: Moment,
    },
    /// What a load has read since a moment came last, without a sign; a load of
    /// another loop or of none. If it did not run since then, no number.
    ReadSince {
        /// The load.
        load: InstructionId,
        /// Since when.
        moment: Moment,
    },
    /// What is at an address when the loop is entered, without a sign: the address dominates the
    /// header, and the loop's entry may read it.
    LoadedAtEntry {
        /// The address.
        address: Value,
        /// 8, 16, 32 or 64.
        bits: u32,
    },
    /// How many iterations the loop of this header, which is around, has taken: 0 in its first.
    Turn(BlockId),
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a · b
    Mul,
    /// ⌊a / b⌋
    FloorDiv,
    /// ⌈a / b⌉
    CeilDiv,
    /// a - b·⌊a / b⌋
    Rem,
    /// The smaller.
    Min,
    /// The greater.
    Max,
    /// a / b, rounded towards zero
    TruncDiv,
    /// The base to the power of a; if it is capped, a power that does not fit is
    /// the greatest number there is.
    Power {
        /// At least 2.
        base: i128,
        /// As a divisor, it makes no difference.
        is_capped: bool,
    },
    /// The least n, not negative, with base^n >= a.
    CeilLog(i128),
    /// The least n, not negative, with n² >= a.
    CeilRoot,
    /// Takes a count, and adds up the steps after it, `length` of them with the `SumEnd`, for each
    /// index below it.
    Sum {
        /// The number by which they call the index.
        index: u32,
        /// How many steps.
        length: u32,
    },
    /// Takes a term of the sum around.
    SumEnd,
    /// The index of this number.
    Index(u32),
    /// Modulo 2^bits (1 to 127), as a number with or without a sign.
    Wrap {
        /// How wide.
        bits: u32,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
    /// Of `a b x y`: x if a and b compare so, y otherwise.
    Select(IntegerComparison),
}

/// A moment of a run of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The function was entered.
    Start,
    /// Control came to a block.
    Block(BlockId),
    /// An instruction was done.
    Behind(InstructionId),
    /// The loop of this header was entered.
    Entry(BlockId),
}

/// What a check needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredInput {
    Value(Value),
    Entering(InstructionId),
    Loaded { address: Value, bits: u32 },
    Reread { load: InstructionId, moment: Moment },
    ReadSince { load: InstructionId, moment: Moment },
    Turn(BlockId),
}

/// The steps of a claim for the runtime, and their inputs in order.
///
/// # Errors
/// Why it cannot be checked.
pub(crate) fn compile(
    module: &Module,
    function: &Function,
    program: &[ClaimStep],
) -> Result<(Vec<CheckStep>, Vec<RequiredInput>), Unchecked> {
    let mut inputs: Vec<RequiredInput> = Vec::new();
    let mut steps = Vec::new();
    for &step in program {
        let wanted = match step {
            ClaimStep::Value(Value::Constant(id)) => {
                let text = &module.constants[id].text;
                let number = number(text).ok_or_else(|| Unchecked::NoNumber(text.to_string()))?;
                steps.push(CheckStep::Constant(number));
                continue;
            }
            ClaimStep::Value(value) => {
                readable(module, function, value)?;
                RequiredInput::Value(value)
            }
            ClaimStep::Entering(phi) => {
                readable(module, function, Value::Instruction(phi))?;
                RequiredInput::Entering(phi)
            }
            ClaimStep::LoadedAtEntry { address, bits } => {
                if !matches!(bits, 8 | 16 | 32 | 64)
                    || !matches!(address, Value::Instruction(_) | Value::Argument(_))
                {
                    return Err(Unchecked::NotPlain);
                }
                RequiredInput::Loaded { address, bits }
            }
            ClaimStep::Reread { load, moment } => {
                readable(module, function, Value::Instruction(load))?;
                RequiredInput::Reread { load, moment }
            }
            ClaimStep::ReadSince { load, moment } => {
                readable(module, function, Value::Instruction(load))?;
                RequiredInput::ReadSince { load, moment }
            }
            ClaimStep::Turn(header) => RequiredInput::Turn(header),
            plain => {
                steps.push(plain_step(plain));
                continue;
            }
        };
        let position = inputs.iter().position(|known| *known == wanted).unwrap_or_else(|| {
            inputs.push(wanted);
            inputs.len() - 1
        });
        steps.push(CheckStep::Input(position as u32));
    }
    if inputs.len() > MOST_INPUTS || steps.len() > MOST_STEPS {
        return Err(Unchecked::TooLong { values: inputs.len(), steps: steps.len() });
    }
    balanced(&steps)?;
    Ok((steps, inputs))
}

fn plain_step(step: ClaimStep) -> CheckStep {
    match step {
        ClaimStep::Constant(value) => CheckStep::Constant(value),
        ClaimStep::Add => CheckStep::Add,
        ClaimStep::Sub => CheckStep::Subtract,
        ClaimStep::Mul => CheckStep::Multiply,
        ClaimStep::FloorDiv => CheckStep::DivideDown,
        ClaimStep::CeilDiv => CheckStep::DivideUp,
        ClaimStep::Rem => CheckStep::Remainder,
        ClaimStep::Min => CheckStep::Minimum,
        ClaimStep::Max => CheckStep::Maximum,
        ClaimStep::Wrap { bits, signed } => CheckStep::Wrap { bits, is_signed: signed },
        ClaimStep::Select(comparison) => CheckStep::Select(comparison),
        ClaimStep::TruncDiv => CheckStep::DivideTowardsZero,
        ClaimStep::Power { base, is_capped } => CheckStep::Power { base, is_capped },
        ClaimStep::CeilLog(base) => CheckStep::CeilLog(base),
        ClaimStep::CeilRoot => CheckStep::CeilRoot,
        ClaimStep::Sum { index, length } => CheckStep::Sum { index, length },
        ClaimStep::SumEnd => CheckStep::SumEnd,
        ClaimStep::Index(index) => CheckStep::Index(index),
        ClaimStep::Value(_)
        | ClaimStep::Entering(_)
        | ClaimStep::LoadedAtEntry { .. }
        | ClaimStep::Reread { .. }
        | ClaimStep::ReadSince { .. }
        | ClaimStep::Turn(_) => unreachable!("inputs are compiled by the caller"),
    }
}

/// `-5`, `true`, `null`
pub(crate) fn number(text: &str) -> Option<i128> {
    match text {
        "true" => Some(1),
        "false" | "null" => Some(0),
        _ => text.parse().ok(),
    }
}

fn readable(module: &Module, function: &Function, value: Value) -> Result<(), Unchecked> {
    let ty = match value {
        Value::Instruction(id) => function.instructions[id].ty,
        Value::Argument(position) => match &module.types[function.ty] {
            Type::Function(_, parameters, _) => match parameters.get(position as usize) {
                Some(&ty) => ty,
                None => return Err(Unchecked::NoArgument),
            },
            _ => return Err(Unchecked::NoFunctionType),
        },
        _ => return Err(Unchecked::NoValue),
    };
    match module.types[ty] {
        Type::Integer(1..=64) | Type::Pointer(_) => Ok(()),
        _ => Err(Unchecked::WideValue),
    }
}

/// The steps of a program whose arguments are inputs of the same number, if they
/// hang together. For those who hold evaluators against one another.
pub fn steps_over_arguments(program: &[ClaimStep]) -> Option<Vec<CheckStep>> {
    let step = |&step: &ClaimStep| match step {
        ClaimStep::Value(Value::Argument(position)) => Some(CheckStep::Input(position)),
        ClaimStep::Value(_)
        | ClaimStep::Entering(_)
        | ClaimStep::LoadedAtEntry { .. }
        | ClaimStep::Reread { .. }
        | ClaimStep::ReadSince { .. }
        | ClaimStep::Turn(_) => None,
        plain => Some(plain_step(plain)),
    };
    let steps = program.iter().map(step).collect::<Option<Vec<CheckStep>>>()?;
    balanced(&steps).ok().map(|()| steps)
}
