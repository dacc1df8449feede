//! Why can a claim on a loop not be checked?
//!
//! Its formula does not hang together (`checks`), it speaks of what is no number
//! (`claims`), or of what cannot be known where its loop is entered (`values`).

/// Why a claim is not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// There is no formula for it, in the words of the claim's author.
    #[error("{0}")]
    NoProgram(String),
    /// A step without operands.
    #[error("its formula takes more than is there")]
    TakesTooMuch,
    /// A step inside of a sum takes operands from outside.
    #[error("a sum of its formula takes what is not its own")]
    TakesOthers,
    /// A width that is none.
    #[error("it wraps at {0} bits")]
    Width(u32),
    /// A base below 2.
    #[error("it has a power of {0}")]
    Power(i128),
    /// An index outside of its sum.
    #[error("it has an index of no sum")]
    NoSum,
    /// A sum that does not end inside of what is around it.
    #[error("a sum of its formula has no end")]
    SumWithoutEnd,
    /// An end of a sum that does not close one.
    #[error("a sum of its formula has no beginning, or several terms")]
    SumWithoutBeginning,
    /// More operands or sums at once than there is room for.
    #[error("its formula is nested too deeply")]
    TooDeep,
    /// Nothing, or several numbers, are left.
    #[error("its formula leaves no single number")]
    NoSingleNumber,
    /// More steps or inputs than there is room for.
    #[error("its formula is too long ({values} values, {steps} steps)")]
    TooLong {
        /// Its inputs.
        values: usize,
        /// Its steps.
        steps: usize,
    },
    /// A constant that is no number, by its text.
    #[error("{0} is no number")]
    NoNumber(String),
    /// A constant of another type, by its text.
    #[error("{0} is no integer of at most 64 bits")]
    WideConstant(String),
    /// An access of another kind.
    #[error("what it reads from memory is no plain integer at an address in a register")]
    NotPlain,
    /// A parameter that the function does not have.
    #[error("it names an argument that is not there")]
    NoArgument,
    /// The snapshot is not as it should be.
    #[error("the function has no function type")]
    NoFunctionType,
    /// An operand that has none.
    #[error("it names no value")]
    NoValue,
    /// A value of another type.
    #[error("it reads a value that is no integer of at most 64 bits")]
    WideValue,
    /// An address that is computed later.
    #[error("it needs an address that is not known where the loop is entered")]
    UnknownAddress,
    /// A phi of another block.
    #[error("it needs a phi that is at no loop's head")]
    NoHead,
    /// Another instruction.
    #[error("it needs a phi that is none")]
    NoPhi,
    /// What a phi gets is no number.
    #[error("it needs an address of code")]
    Code,
    /// A value that comes too late.
    #[error("it needs a value that the loop itself computes: not known where the loop is entered")]
    OfTheLoop,
    /// A loop that is not counted there.
    #[error("it needs the iterations of a loop that is not around it, or not recorded")]
    NoTurns,
    /// An edge that cannot be cut.
    #[error("it needs what a loop had on an edge on which nothing can be inserted")]
    NoEdge,
    /// A terminator or a call that becomes a jump.
    #[error("it needs a value after which nothing can be inserted")]
    NothingBehind,
    /// A block that heads none.
    #[error("it names a loop that is none")]
    NoLoop,
    /// A load of another type.
    #[error("what it reads from memory is no plain integer")]
    NoPlainInteger,
    /// A load that others can see, or that is none.
    #[error("what it reads from memory cannot be read twice")]
    NotTwice,
    /// Memory that may no longer exist, or not yet.
    #[error("its value in memory cannot be read where it would be needed: the address is not certain")]
    UncertainAddress,
}
