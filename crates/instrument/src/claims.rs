//! What does someone claim about the turns of loops, and how is it held
//! against a run?
//!
//! Whoever predicts turns says so in [`Claims`], in plain words: a header, and a
//! stack program over exact integers. Nothing of an analysis is known here, so
//! that any analysis, and a referee of one, can be held against real runs. The
//! program is compiled for the runtime: each value becomes an input that is
//! noted where the loop is entered. What cannot be compiled is not checked, and
//! the reason is kept. [`evaluate`] runs a compiled program as the runtime does.
//!
//! Input: a function, and a claim on one of its loops. Output: a check and its
//! inputs. Cost: the steps. Limits: [`MOST_INPUTS`] inputs of at most 64 bits,
//! [`MOST_STEPS`] steps.

use opcost_ir::{
    Comparison, Function, Input, MOST_DEPTH, MOST_INPUTS, MOST_STEPS, Module, Opcode, Step, Type, Value,
};
use opcost_key::{BlockId, FunctionId};

/// Claims on the loops of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// In any order; of several on one loop the first counts.
    pub list: Vec<Claim>,
}

/// What is claimed of each activation of a loop that leaves by one of its exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The function.
    pub function: FunctionId,
    /// The header of a natural loop.
    pub loop_header: BlockId,
    /// What the result means.
    pub what: Claimed,
    /// How the result comes about: a stack program, that leaves one number.
    pub program: Vec<ClaimStep>,
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
    /// A value that dominates the header and is not of the loop: an integer of
    /// at most 64 bits or an address, without a sign (see `Wrap`).
    Value(Value),
    /// What lies at an address when the loop is entered, without a sign: the
    /// address dominates the header, and the loop's entry may read it.
    LoadedAtEntry {
        /// The address.
        address: Value,
        /// 8, 16, 32 or 64.
        bits: u32,
    },
    /// How many turns the loop of this header, which is around, has taken: 0 in
    /// its first.
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
    /// Modulo 2^bits (1 to 64), as a number with or without a sign.
    Wrap {
        /// How wide.
        bits: u32,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
    /// Of `a b x y`: x if a and b compare so, y otherwise.
    Select(Comparison),
}

/// What is noted where a loop is entered; loops are still named by their headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Known(Input),
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
) -> Result<(Vec<Step>, Vec<Wanted>), String> {
    let mut inputs: Vec<Wanted> = Vec::new();
    let mut steps = Vec::new();
    for &step in program {
        let wanted = match step {
            ClaimStep::Value(Value::Constant(id)) => {
                let text = &module.constants[id].text;
                let number = number(text).ok_or_else(|| format!("{text} is no number"))?;
                steps.push(Step::Constant(number));
                continue;
            }
            ClaimStep::Value(value) => {
                readable(module, function, value)?;
                Wanted::Known(Input::Value(value))
            }
            ClaimStep::LoadedAtEntry { address, bits } => {
                if !matches!(bits, 8 | 16 | 32 | 64)
                    || !matches!(address, Value::Instruction(_) | Value::Argument(_))
                {
                    return Err(
                        "what it reads from memory is no plain integer behind a pointer in a register".into(),
                    );
                }
                Wanted::Known(Input::Loaded { address, bits })
            }
            ClaimStep::Turn(header) => Wanted::Turn(header),
            plain => {
                steps.push(plain_step(plain)?);
                continue;
            }
        };
        let position = inputs.iter().position(|known| *known == wanted).unwrap_or_else(|| {
            inputs.push(wanted);
            inputs.len() - 1
        });
        steps.push(Step::Input(position as u32));
    }
    if inputs.len() > MOST_INPUTS || steps.len() > MOST_STEPS {
        return Err(format!("its formula is too long ({} values, {} steps)", inputs.len(), steps.len()));
    }
    balanced(&steps)?;
    Ok((steps, inputs))
}

fn plain_step(step: ClaimStep) -> Result<Step, String> {
    Ok(match step {
        ClaimStep::Constant(value) => Step::Constant(value),
        ClaimStep::Add => Step::Add,
        ClaimStep::Sub => Step::Subtract,
        ClaimStep::Mul => Step::Multiply,
        ClaimStep::FloorDiv => Step::DivideDown,
        ClaimStep::CeilDiv => Step::DivideUp,
        ClaimStep::Rem => Step::Remainder,
        ClaimStep::Min => Step::Minimum,
        ClaimStep::Max => Step::Maximum,
        ClaimStep::Wrap { bits: bits @ 1..=64, signed } => Step::Wrap { bits, is_signed: signed },
        ClaimStep::Wrap { bits, .. } => return Err(format!("it wraps at {bits} bits")),
        ClaimStep::Select(comparison) => Step::Select(comparison),
        ClaimStep::Value(_) | ClaimStep::LoadedAtEntry { .. } | ClaimStep::Turn(_) => {
            unreachable!("inputs are compiled by the caller")
        }
    })
}

/// Whether each step finds its operands, and one number is left.
fn balanced(steps: &[Step]) -> Result<(), String> {
    let mut depth = 0_usize;
    for step in steps {
        let rest = depth.checked_sub(step.takes()).ok_or("its formula takes more than is there")?;
        depth = rest + 1;
        if depth > MOST_DEPTH {
            return Err("its formula is nested too deeply".into());
        }
    }
    if depth == 1 { Ok(()) } else { Err("its formula leaves no single number".into()) }
}

/// `-5`, `true`, `null`
pub(crate) fn number(text: &str) -> Option<i128> {
    match text {
        "true" => Some(1),
        "false" | "null" => Some(0),
        _ => text.parse().ok(),
    }
}

fn readable(module: &Module, function: &Function, value: Value) -> Result<(), String> {
    let ty = match value {
        Value::Instruction(id) => function.instructions[id].ty,
        Value::Argument(position) => match &module.types[function.ty] {
            Type::Function(_, parameters, _) => match parameters.get(position as usize) {
                Some(&ty) => ty,
                None => return Err("it names an argument that is not there".into()),
            },
            _ => return Err("the function has no function type".into()),
        },
        _ => return Err("it names no value".into()),
    };
    match module.types[ty] {
        Type::Integer(1..=64) | Type::Pointer(_) => Ok(()),
        _ => Err("it reads a value that is no integer of at most 64 bits".into()),
    }
}

/// Whether a value is known where a header is entered, whatever the way: it is
/// defined in a block that dominates the header, and not in the header itself.
pub(crate) fn is_known_at(
    function: &Function,
    dominates: impl Fn(BlockId, BlockId) -> bool,
    value: Value,
    header: BlockId,
) -> bool {
    match value {
        Value::Instruction(id) => {
            let block = function.block_of(id);
            block != header && dominates(block, header) && function.instructions[id].opcode != Opcode::CallBr
        }
        Value::Argument(_) => true,
        _ => false,
    }
}

/// The result of a check on these inputs, as the runtime has it; none where a
/// number needs more than 128 bits, or something is divided by nothing.
pub fn evaluate(steps: &[Step], inputs: &[u64]) -> Option<i128> {
    let mut stack: Vec<i128> = Vec::new();
    for &step in steps {
        let result = match step {
            Step::Constant(value) => value,
            Step::Input(position) => i128::from(*inputs.get(position as usize)?),
            Step::Wrap { bits, is_signed } => wrapped(stack.pop()?, bits, is_signed),
            Step::Select(comparison) => {
                let [otherwise, if_so, b, a] = [stack.pop()?, stack.pop()?, stack.pop()?, stack.pop()?];
                let compares = match comparison {
                    Comparison::Equal => a == b,
                    Comparison::NotEqual => a != b,
                    Comparison::Less => a < b,
                    Comparison::LessOrEqual => a <= b,
                };
                if compares { if_so } else { otherwise }
            }
            _ => {
                let [b, a] = [stack.pop()?, stack.pop()?];
                binary(step, a, b)?
            }
        };
        stack.push(result);
    }
    if stack.len() == 1 { stack.pop() } else { None }
}

fn binary(step: Step, a: i128, b: i128) -> Option<i128> {
    let down = || {
        let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
        let is_above = rest != 0 && (rest < 0) != (b < 0);
        Some(if is_above { (quotient - 1, rest + b) } else { (quotient, rest) })
    };
    match step {
        Step::Add => a.checked_add(b),
        Step::Subtract => a.checked_sub(b),
        Step::Multiply => a.checked_mul(b),
        Step::DivideDown => down().map(|(quotient, _)| quotient),
        Step::DivideUp => down().map(|(quotient, rest)| quotient + i128::from(rest != 0)),
        Step::Remainder => down().map(|(_, rest)| rest),
        Step::Minimum => Some(a.min(b)),
        Step::Maximum => Some(a.max(b)),
        _ => None,
    }
}

fn wrapped(value: i128, bits: u32, is_signed: bool) -> i128 {
    let low = value & ((1_i128 << bits) - 1);
    if is_signed && low >> (bits - 1) & 1 == 1 { low - (1_i128 << bits) } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[Step]) -> Option<i128> {
        evaluate(steps, &[u64::MAX, 7])
    }

    #[test]
    fn divisions_round_as_they_say() {
        for a in -9_i128..10 {
            for b in (-4_i128..5).filter(|b| *b != 0) {
                let of = |step| run(&[Step::Constant(a), Step::Constant(b), step]).unwrap();
                let exact = a as f64 / b as f64;
                assert_eq!(of(Step::DivideDown), exact.floor() as i128, "{a} / {b}");
                assert_eq!(of(Step::DivideUp), exact.ceil() as i128, "{a} / {b}");
                assert_eq!(of(Step::Remainder), a - b * exact.floor() as i128, "{a} % {b}");
            }
        }
        assert_eq!(run(&[Step::Constant(1), Step::Constant(0), Step::DivideDown]), None);
        assert_eq!(run(&[Step::Constant(i128::MAX), Step::Constant(1), Step::Add]), None);
    }

    #[test]
    fn values_have_the_sign_that_wrapping_gives_them() {
        assert_eq!(run(&[Step::Input(0)]), Some(i128::from(u64::MAX)));
        assert_eq!(run(&[Step::Input(0), Step::Wrap { bits: 64, is_signed: true }]), Some(-1));
        assert_eq!(run(&[Step::Input(0), Step::Wrap { bits: 8, is_signed: false }]), Some(255));
        let chosen = [Step::Input(1), Step::Constant(7), Step::Constant(10), Step::Constant(20)];
        let select = |comparison| run(&[&chosen[..], &[Step::Select(comparison)]].concat());
        assert_eq!(select(Comparison::Equal), Some(10));
        assert_eq!(select(Comparison::Less), Some(20));
    }

    #[test]
    fn formulas_that_do_not_fit_are_refused() {
        assert!(balanced(&[Step::Add]).is_err());
        assert!(balanced(&[Step::Constant(1), Step::Constant(2)]).is_err());
        assert!(balanced(&[Step::Constant(1); 40]).is_err());
        assert!(balanced(&[Step::Constant(1), Step::Constant(2), Step::Maximum]).is_ok());
    }
}
