//! What is a formula in a file?
//!
//! A number as a function of named things: `n*(n - 1) / 2`, `n > 0 ? n : 1`. It reads as C
//! (and as the verb `loops` says it): operators hold as tightly as there, `/` rounds towards
//! zero, `(u8)x` wraps, a comparison is 1 or 0. The functions are those of [`FormulaFunction`];
//! `floor(a / b)` and `ceil(a / b)` are of the exact quotient; `sum(i < n: x)` adds up x
//! for i = 0, 1, … below n. A name that is no plain word stands between backquotes.
//!
//! A formula is made part by part, or read, and written with as few brackets as C needs
//! (`formula_text`); both are inverse. It means what it says to whoever
//! reads it; nothing is computed here. Cost: the length of the text. Limit: parts lie at most
//! [`DEEPEST`] deep in each other, so that no file makes a reader's stack overflow.

use thiserror::Error;

use super::Integer;

/// How deep parts may be nested.
pub const DEEPEST: u16 = 128;

/// A number as a function of named things.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula {
    node: Node,
    depth: u16,
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Node {
    Number(Integer),
    Name(Box<str>),
    Negate(Box<Formula>),
    Wrap(Wrap, Box<Formula>),
    /// Operators of one level, from the left.
    Chain(Box<Formula>, Box<[(Operator, Formula)]>),
    Choice(Box<[Formula; 3]>),
    Call(FormulaFunction, Box<[Formula]>),
    /// Over a name, below a count, of what.
    Sum(Box<str>, Box<[Formula; 2]>),
}

/// To which integers a number is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wrap {
    /// Whether they are two's complement.
    pub is_signed: bool,
    /// How many bits they have.
    pub bits: u32,
}

macro_rules! operators {
    ($($(#[doc = $meaning:literal])* $variant:ident = $sign:literal, $level:ident;)*) => {
        /// What joins two formulas; those of one level hold equally tight.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operator {
            $($(#[doc = $meaning])* $variant,)*
        }

        impl Operator {
            /// All of them, longer signs before those that they begin with.
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As it is written.
            pub fn sign(self) -> &'static str {
                match self {
                    $(Self::$variant => $sign,)*
                }
            }

            pub(super) fn level(self) -> Level {
                match self {
                    $(Self::$variant => Level::$level,)*
                }
            }
        }
    };
}

operators! {
    /// Times two to the power of.
    ShiftLeft = "<<", Shift;
    /// By two to the power of, rounded down.
    ShiftRight = ">>", Shift;
    /// Not more.
    AtMost = "<=", Comparison;
    /// Not less.
    AtLeast = ">=", Comparison;
    /// The same.
    Equal = "==", Comparison;
    /// Not the same.
    NotEqual = "!=", Comparison;
    /// Both.
    Both = "&&", Both;
    /// One of them.
    Either = "||", Either;
    /// Less.
    Less = "<", Comparison;
    /// More.
    More = ">", Comparison;
    /// The bits that both have.
    And = "&", Mask;
    /// The sum.
    Plus = "+", Sum;
    /// The difference.
    Minus = "-", Sum;
    /// The product.
    Times = "*", Product;
    /// The quotient, rounded towards zero.
    Divide = "/", Product;
    /// What division leaves, with the sign of what is divided.
    Remainder = "%", Product;
}

/// How tightly parts hold together, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Choice,
    Either,
    Both,
    Mask,
    Comparison,
    Shift,
    Sum,
    Product,
    Unary,
    Whole,
}

macro_rules! functions {
    ($($(#[doc = $meaning:literal])* $variant:ident = $name:literal, $arguments:literal;)*) => {
        /// A function that formulas use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FormulaFunction {
            $($(#[doc = $meaning])* $variant,)*
        }

        impl FormulaFunction {
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// How many arguments it has; 0: one or more.
            fn arguments(self) -> usize {
                match self {
                    $(Self::$variant => $arguments,)*
                }
            }
        }
    };
}

functions! {
    /// Rounded down.
    Floor = "floor", 1;
    /// Rounded up.
    Ceiling = "ceil", 1;
    /// The least.
    Least = "min", 0;
    /// The greatest.
    Greatest = "max", 0;
    /// What division rounded down leaves.
    Modulo = "mod", 2;
    /// The first to the power of the second.
    Power = "pow", 2;
    /// The square root.
    Root = "sqrt", 1;
    /// The logarithm of the second to the base of the first.
    Logarithm = "log", 2;
    /// How many bits a number has.
    BitLength = "bit_length", 1;
}

/// Why parts or a text make no formula.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// Parts are nested too deep.
    #[error("a formula whose parts lie more than {DEEPEST} deep")]
    TooDeep,
    /// Operators that hold unlike tight, or none.
    #[error("a chain of operators that do not belong together")]
    Chain,
    /// Too many or too few.
    #[error("{} with {actual} arguments", function.name())]
    Arguments {
        /// The function.
        function: FormulaFunction,
        /// How many.
        actual: usize,
    },
    /// No integer has none or so many bits.
    #[error("a wrap to {bits} bits")]
    Wrap {
        /// How many.
        bits: u32,
    },
    /// A text that goes on otherwise than a formula does.
    #[error("at byte {at} of a formula stands no {expected}")]
    Text {
        /// Where.
        at: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// What there can be of a formula's parts, or why there is none.
type Made = Result<Formula, FormulaError>;

impl Formula {
    /// A number.
    pub fn number(number: impl Into<Integer>) -> Self {
        Self { node: Node::Number(number.into()), depth: 1 }
    }

    /// A named thing.
    pub fn name(name: &str) -> Self {
        Self { node: Node::Name(name.into()), depth: 1 }
    }

    /// `-of`.
    ///
    /// # Errors
    /// It is too deep.
    pub fn negate(of: Formula) -> Made {
        let depth = of.depth;
        Self::over(depth, Node::Negate(Box::new(of)))
    }

    /// `(u8)of`.
    ///
    /// # Errors
    /// It is too deep, or there are no such integers.
    pub fn wrap(wrap: Wrap, of: Formula) -> Made {
        if !(1..=1 << 23).contains(&wrap.bits) {
            return Err(FormulaError::Wrap { bits: wrap.bits });
        }
        let depth = of.depth;
        Self::over(depth, Node::Wrap(wrap, Box::new(of)))
    }

    /// `first + … - …`: operators that hold equally tight, from the left.
    ///
    /// # Errors
    /// It is too deep, there is no operator, or they do not belong together.
    pub fn chain(first: Formula, rest: Vec<(Operator, Formula)>) -> Made {
        let level = rest.first().ok_or(FormulaError::Chain)?.0.level();
        if rest.iter().any(|(operator, _)| operator.level() != level) {
            return Err(FormulaError::Chain);
        }
        let depth = rest.iter().map(|(_, part)| part.depth).fold(first.depth, u16::max);
        Self::over(depth, Node::Chain(Box::new(first), rest.into()))
    }

    /// `left + right`.
    ///
    /// # Errors
    /// It is too deep.
    pub fn join(left: Formula, operator: Operator, right: Formula) -> Made {
        Self::chain(left, vec![(operator, right)])
    }

    /// `test ? then : otherwise`.
    ///
    /// # Errors
    /// It is too deep.
    pub fn choice(test: Formula, then: Formula, otherwise: Formula) -> Made {
        let depth = test.depth.max(then.depth).max(otherwise.depth);
        Self::over(depth, Node::Choice(Box::new([test, then, otherwise])))
    }

    /// `min(a, b)`.
    ///
    /// # Errors
    /// It is too deep, or the function has another number of arguments.
    pub fn call(function: FormulaFunction, arguments: Vec<Formula>) -> Made {
        let found = arguments.len();
        if found == 0 || !matches!(function.arguments(), 0) && function.arguments() != found {
            return Err(FormulaError::Arguments { function, actual: found });
        }
        let depth = arguments.iter().map(|part| part.depth).fold(0, u16::max);
        Self::over(depth, Node::Call(function, arguments.into()))
    }

    /// `sum(index < count: of)`.
    ///
    /// # Errors
    /// It is too deep.
    pub fn sum(index: &str, count: Formula, of: Formula) -> Made {
        let depth = count.depth.max(of.depth);
        Self::over(depth, Node::Sum(index.into(), Box::new([count, of])))
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<&Integer> {
        match &self.node {
            Node::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The named things that it is a function of, in the order of the text; what a sum runs
    /// over is none.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect(&mut names);
        names
    }

    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    fn over(depth: u16, node: Node) -> Made {
        if depth < DEEPEST { Ok(Self { node, depth: depth + 1 }) } else { Err(FormulaError::TooDeep) }
    }

    fn collect<'a>(&'a self, names: &mut Vec<&'a str>) {
        let add = |name: &'a str, names: &mut Vec<&'a str>| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        match &self.node {
            Node::Number(_) => {}
            Node::Name(name) => add(name, names),
            Node::Negate(of) | Node::Wrap(_, of) => of.collect(names),
            Node::Chain(first, rest) => {
                first.collect(names);
                rest.iter().for_each(|(_, part)| part.collect(names));
            }
            Node::Choice(parts) => parts.iter().for_each(|part| part.collect(names)),
            Node::Call(_, parts) => parts.iter().for_each(|part| part.collect(names)),
            Node::Sum(index, parts) => {
                parts[0].collect(names);
                let inside = parts[1].names();
                inside.into_iter().filter(|name| *name != &**index).for_each(|name| add(name, names));
            }
        }
    }
}
