//! What is said of a loop? Its trip count, what it rests on, or why there is none.
//!
//! Plain values; formulas live in the table that they were made in. All claims
//! are for one activation (one entry until one of the loop's own exits is
//! taken); their symbols are read as they are when it begins.

use opcost_ir::Predicate;
use opcost_key::{BlockId, InstructionId};

use super::entry::Entered;
use crate::expression::{FormulaId, Symbol, Test};
use opcost_graph::edge::Edge;
use opcost_graph::loops::LoopId;

/// A number of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripAnswer {
    /// Exactly so often, under the assumptions listed.
    Exact(FormulaId),
    /// At most so often, under the assumptions listed.
    Bound(FormulaId),
    /// It cannot be determined.
    Unknown(Reason),
}

impl TripAnswer {
    /// The formula, exact or a bound.
    pub fn formula(&self) -> Option<FormulaId> {
        match self {
            TripAnswer::Exact(formula) | TripAnswer::Bound(formula) => Some(*formula),
            TripAnswer::Unknown(_) => None,
        }
    }

    /// The formula, if it is exact.
    pub fn exact(&self) -> Option<FormulaId> {
        match self {
            TripAnswer::Exact(formula) => Some(*formula),
            _ => None,
        }
    }
}

/// Why a count, or a part of it, cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It depends on what this symbol is in an iteration, which changes in the loop in a way that
    /// has no closed form.
    DependsOn(Symbol),
    /// It depends on `undef`, `poison` or memory that was never written.
    Undefined,
    /// An exit is decided by floating-point numbers that are not all constants, or take too many
    /// iterations.
    FloatingComparison(InstructionId),
    /// An exit that some iterations do not pass.
    NotEveryTurn(Edge<BlockId>),
    /// An exit out of a loop inside this one.
    LeavesFromInside(Edge<BlockId>),
    /// An exit is no comparison: `invoke`, `indirectbr` and the like.
    NoComparison(InstructionId),
    /// The counter may wrap round, or moves in a way that has no first iteration in closed form.
    NoFirstTurn {
        /// The comparison.
        comparison: InstructionId,
        /// How its sides compare while the loop goes on.
        stays: Predicate,
    },
    /// There is no exit, or none is ever taken.
    Endless,
    /// The formula is too large, or the chain of loops too long.
    TooBig,
    /// The bound is no smaller than what the counter can hold.
    NoBetterThanType,
}

impl Reason {
    /// The reason in words; the caller names symbols and instructions, say
    /// `the load %v at line 12`.
    pub fn words(&self, name: &dyn Fn(&Symbol) -> String) -> String {
        let instruction = |id: &InstructionId| name(&Symbol::Result(*id));
        match self {
            Reason::DependsOn(symbol) => format!("data-dependent: depends on {}", name(symbol)),
            Reason::Undefined => "depends on a value that is undefined".into(),
            Reason::FloatingComparison(id) => {
                format!("decided by numbers with a point: {}", instruction(id))
            }
            Reason::NotEveryTurn(edge) => {
                format!("may be left at {} in iterations that come there", edge.from)
            }
            Reason::LeavesFromInside(edge) => format!("may be left out of an inner loop, at {}", edge.from),
            Reason::NoComparison(id) => format!("left where nothing is compared: {}", instruction(id)),
            Reason::NoFirstTurn { comparison, .. } => {
                format!("no formula for the first iteration that fails {}", instruction(comparison))
            }
            Reason::Endless => "never left".into(),
            Reason::TooBig => "the formula is too large".into(),
            Reason::NoBetterThanType => "the bound is what the type of the counter gives".into(),
        }
    }
}

/// A flag in the code that is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlagPromise {
    /// `nsw`
    NoSignedWrap,
    /// `nuw`
    NoUnsignedWrap,
    /// `inbounds`, or `nusw` of an address.
    InBounds,
    /// `nneg`
    NotNegative,
    /// `disjoint`
    Disjoint,
    /// The operand of a `freeze` is a number.
    NotPoison,
}

impl FlagPromise {
    /// The word in the code.
    pub fn word(self) -> &'static str {
        match self {
            FlagPromise::NoSignedWrap => "nsw",
            FlagPromise::NoUnsignedWrap => "nuw",
            FlagPromise::InBounds => "inbounds",
            FlagPromise::NotNegative => "nneg",
            FlagPromise::Disjoint => "disjoint",
            FlagPromise::NotPoison => "not poison",
        }
    }
}

/// What happens where a condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Otherwise {
    /// The loop does not end (or not by what was looked at).
    Endless,
    /// The count is another.
    Differs,
}

/// What a claim rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripAssumption {
    /// A flag of an instruction is kept.
    Promise(InstructionId, FlagPromise),
    /// What is known of memory, in words.
    Memory(&'static str),
    /// A statement about the symbols holds.
    Condition(Test, Otherwise),
    /// The language promises that a loop that does nothing ends; it backs the
    /// conditions without which this one would not.
    MustProgress,
    /// The loop is not left by an exit that leads to no return (an abort, a
    /// trap, an exception).
    NotLeftBy(Edge<BlockId>),
    /// Numbers with a point are computed as IEEE 754 says, none contracted.
    Ieee,
}

/// Where a loop is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// First it looks, then it works: a body before the test has not begun.
    TopTested,
    /// First it works, then it looks, at each branch back.
    BottomTested,
    /// It is left in the middle.
    MiddleTested,
    /// It has no exit.
    Endless,
}

/// A loop of the source that the vectoriser split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitPart {
    /// It does so many iterations of the source at once. Another loop does the rest.
    VectorBody {
        /// Iterations of the source in one of its own; 0 if that is not known.
        lanes: u64,
        /// The loop that does what is left.
        remainder: Option<LoopId>,
    },
    /// It does what a vector body leaves.
    Remainder {
        /// The vector body.
        of: LoopId,
    },
}

/// When one exit is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitCount {
    /// The exit.
    pub edge: Edge<BlockId>,
    /// Whether every iteration passes its branch.
    pub every_turn: bool,
    /// The iteration, from 0, in which it would be taken if there were no other.
    pub turn: ExitTurn,
}

/// The first iteration in which an exit is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExitTurn {
    /// This one, under the assumptions of the trip count.
    At(FormulaId),
    /// This one if all statements hold, else none.
    AtIf(FormulaId, Vec<Test>),
    /// None.
    Never,
    /// That cannot be determined.
    Unknown(Reason),
}

impl ExitTurn {
    /// The formula of the iteration, if it has one.
    pub fn formula(&self) -> Option<FormulaId> {
        match self {
            ExitTurn::At(formula) => Some(*formula),
            _ => None,
        }
    }
}

/// Sums over all activations of a nest, for one of its outermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// Back edges taken.
    pub back_edges: FormulaId,
    /// Iterations of the body.
    pub body_iterations: FormulaId,
}

/// How often one loop goes round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TripCount {
    /// Where it is entered.
    pub header: BlockId,
    /// How often it goes back before it is left.
    pub back_edges: TripAnswer,
    /// How often its body begins, as the source would count it.
    pub body_iterations: TripAnswer,
    /// Over all iterations of the loops around it, if that has a formula.
    pub total: Option<Total>,
    /// Its exits, in order.
    pub exits: Vec<ExitCount>,
    /// Where it is left.
    pub form: Form,
    /// When it is entered; the counts are those of a loop that is.
    pub entered: Entered,
    /// What the vectoriser made of it.
    pub part: Option<SplitPart>,
    /// What the answers rest on.
    pub assumptions: Vec<TripAssumption>,
}

impl TripCount {
    /// Why it is not exact.
    pub fn reason(&self) -> Option<Reason> {
        if let TripAnswer::Unknown(reason) = &self.back_edges {
            return Some(reason.clone());
        }
        let is_bound = matches!(self.back_edges, TripAnswer::Bound(_));
        let unknown = self.exits.iter().find_map(|exit| match &exit.turn {
            ExitTurn::Unknown(reason) => Some(reason.clone()),
            _ if !exit.every_turn => Some(Reason::NotEveryTurn(exit.edge)),
            _ => None,
        });
        unknown.filter(|_| is_bound)
    }
}
