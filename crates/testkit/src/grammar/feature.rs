//! What can a random loop have? One name for each thing, so that tests can tell
//! that none is missing.

use opcost_ir::Predicate;

macro_rules! features {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        /// Something that a random case has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature { $($(#[$attribute])* $name,)* }

        impl Feature {
            /// Every feature.
            pub const ALL: &'static [Feature] = &[$(Feature::$name),*];
        }
    };
}

features! {
    /// A counter that adds a number.
    Up,
    /// One that takes a number away.
    Down,
    /// The number is not 1.
    UnevenStep,
    /// The number is an argument.
    ArgumentStep,
    /// A counter that is multiplied, or divided.
    Geometric,
    /// One that is shifted.
    Shift,
    /// x → a·x + b.
    Affine,
    /// Its next value goes through a minimum or maximum.
    MinMax,
    /// It adds another counter.
    Polynomial,
    /// It is cut to fewer bits before it adds a number.
    Cut,
    /// From the second iteration on it is always the same.
    FixedNext,
    /// A truth value that merges at the head and is branched on.
    TruthCounter,
    /// An exit out of two loops at once.
    LeavesTwo,
    /// `while (n--)`: tested before it is counted down, in the header.
    PostDecrement,
    /// A pointer that moves through an array.
    PointerCounter,
    /// A `double`.
    FloatCounter,
    /// Tested by `icmp eq`, to leave or to stay.
    Equal,
    /// By `ne`.
    NotEqual,
    /// By `ugt`.
    UnsignedGreater,
    /// By `uge`.
    UnsignedGreaterEqual,
    /// By `ult`.
    UnsignedLess,
    /// By `ule`.
    UnsignedLessEqual,
    /// By `sgt`.
    SignedGreater,
    /// By `sge`.
    SignedGreaterEqual,
    /// By `slt`.
    SignedLess,
    /// By `sle`.
    SignedLessEqual,
    /// The bound is the left operand.
    BoundOnLeft,
    /// The bound is a number.
    BoundConstant,
    /// An argument.
    BoundArgument,
    /// Computed of arguments.
    BoundExpression,
    /// Loaded before the loop.
    BoundLoaded,
    /// Loaded each time that it is tested.
    BoundReloaded,
    /// The result of a call.
    BoundCalled,
    /// The counter of a loop around, or computed of it.
    BoundOuter,
    /// Tested before the body: it may be passed over.
    WhileForm,
    /// Tested after the body.
    DoWhileForm,
    /// Tested on the next value.
    TestOnNext,
    /// A second way out.
    SeveralExits,
    /// A way out that a table decides.
    DataBreak,
    /// A `switch` that leads out.
    SwitchExit,
    /// A loop in a loop.
    Nest,
    /// The counter is in an `alloca`.
    CounterInAlloca,
    /// In a global.
    CounterInGlobal,
    /// In a field of one.
    CounterInField,
    /// Operands were made longer or shorter.
    MixedWidths,
    /// `nsw`, true or not.
    SignedFlag,
    /// `nuw`, true or not.
    UnsignedFlag,
    /// A phi with the same value on both sides.
    PhiAlias,
    /// Two counters are compared with each other.
    RacingCounters,
    /// A call that does nothing but compute.
    PureCall,
    /// A call of a function that writes a global.
    ClobberingCall,
    /// A call of a function that writes through the pointer it gets.
    WritingCallee,
    /// The same, but it does not write.
    HarmlessCallee,
    /// A function that nobody sees keeps a pointer, and another writes there.
    EscapedPointer,
    /// A call of a function that nobody sees.
    UnknownCall,
    /// A call that may not come back.
    LeavingCall,
    /// A branch to the latch out of the body.
    Continue,
    /// `unreachable` after a branch that may be taken.
    UnreachableArm,
    /// A block that nothing leads to but a constant condition.
    DeadArm,
    /// A cycle with two entries.
    Irreducible,
    /// A loop without an exit.
    Infinite,
    /// The function calls itself before it loops.
    Recursion,
    /// A counter is used after its loop.
    UsedBehind,
    /// The function or a loop is `mustprogress`.
    MustProgress,
}

impl Feature {
    pub(super) fn of_predicate(predicate: Predicate) -> Feature {
        match predicate {
            Predicate::Eq => Feature::Equal,
            Predicate::Ugt => Feature::UnsignedGreater,
            Predicate::Uge => Feature::UnsignedGreaterEqual,
            Predicate::Ult => Feature::UnsignedLess,
            Predicate::Ule => Feature::UnsignedLessEqual,
            Predicate::Sgt => Feature::SignedGreater,
            Predicate::Sge => Feature::SignedGreaterEqual,
            Predicate::Slt => Feature::SignedLess,
            Predicate::Sle => Feature::SignedLessEqual,
            _ => Feature::NotEqual,
        }
    }
}
