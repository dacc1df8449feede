//! What does a library function do to memory, and what does it give?
//!
//! A table by name, as text (`effects.txt`, read by [`parse`](super::effects_parse)),
//! which a user's own tables override. It says what is read and written
//! through each parameter, which pointers are kept, what the result is, what
//! is called back, and which calls bring input into the program: the leaves
//! that a resolution may end in. A name that is in no table may do anything
//! that its attributes (`memory(...)`, `captures(none)`) do not deny.
//!
//! Input: text. Output: [`Effects`]; [`Effect`] by name. Limits: a parameter
//! is read or written as a whole from the pointer on unless the table gives a
//! length; of what lies behind pointers in memory only "all of it" can be said.

use super::effects_parse::{EffectError, parse};
use rustc_hash::FxHashMap as HashMap;

/// Effects of functions by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    by_name: HashMap<Box<str>, Effect>,
    /// Names that begin so; longer beginnings first.
    by_beginning: Vec<(Box<str>, Effect)>,
}

/// What one function does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The table that opcost carries says so, of the library's function of that name.
    pub is_built_in: bool,
    /// Whether it comes back.
    pub returns: Returns,
    /// What it does through each parameter that the table names.
    pub touches: Vec<Touched>,
    /// Bytes that it copies from one parameter's memory to another's.
    pub copies: Vec<Copied>,
    /// What it gives.
    pub result: ResultKind,
    /// The least and the greatest result, if the table says so.
    pub range: Option<(i128, i128)>,
    /// What it calls of the program.
    pub callbacks: Vec<Callback>,
    /// Behind it the writes of other threads may be seen.
    pub synchronises: bool,
    /// It may do anything, and keep every pointer that it gets.
    pub does_anything: bool,
    /// It may read and write all memory that others can reach, and call back.
    pub reaches_others: bool,
    /// Which parameter is the format of a `printf` or `scanf`.
    pub format: Option<u32>,
    /// Its part in an input or output statement.
    pub statement: Option<Statement>,
}

/// Whether a function comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// Nothing is said.
    #[default]
    Perhaps,
    /// It does.
    Always,
    /// It does not.
    Never,
}

/// Which parameters are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// One, by position from 0.
    One(u32),
    /// This one and all behind it.
    From(u32),
}

impl Parameters {
    /// Whether this one is meant.
    pub fn contain(self, position: u32) -> bool {
        match self {
            Parameters::One(one) => one == position,
            Parameters::From(first) => first <= position,
        }
    }
}

/// How many bytes from the pointer on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nobody says: all of the object.
    Unknown,
    /// So many.
    Bytes(u64),
    /// As many as a parameter says.
    Parameter(u32),
    /// As many as the product of two parameters.
    Product(u32, u32),
}

/// What is done through a parameter that is a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which.
    pub parameters: Parameters,
    /// How.
    pub how: Touching,
    /// How far.
    pub extent: Extent,
    /// Also through the pointers that lie there.
    pub is_deep: bool,
}

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// Read.
    Reads,
    /// Written with something.
    Writes,
    /// Written with zeros.
    Zeroes,
    /// Written with an item of input, which comes from there.
    Input(Origin),
    /// The pointer is kept beyond the call.
    Keeps,
    /// Pointers that lie there are, perhaps.
    KeepsWhatItPointsTo,
    /// The memory is given back.
    Frees,
    /// A pointer to a new object is written.
    FreshInto,
}

/// Where input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Standard input.
    StandardInput,
    /// The stream, descriptor or statement in this parameter.
    Parameter(u32),
    /// The other processes of a parallel program.
    Processes,
    /// The system: its clock, its limits, chance.
    System,
}

/// Memory that is copied as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The parameter that points to the copy.
    pub to: u32,
    /// The parameter that points to what is copied.
    pub from: u32,
    /// How much.
    pub extent: Extent,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultKind {
    /// What nobody can say: an input of its own at each call.
    #[default]
    Input,
    /// An input that comes from there.
    InputFrom(Origin),
    /// The environment's variable that a parameter names.
    Environment(u32),
    /// What its arguments and the memory that it reads through them decide.
    Pure,
    /// A new object, zeroed or not.
    Fresh {
        /// Whether it holds zeros.
        zeroed: bool,
    },
    /// This parameter.
    Parameter(u32),
    /// The object of this parameter, moved or not.
    Moved(u32),
    /// A pointer somewhere into the object of this parameter, or null.
    Inside(u32),
    /// A pointer to memory of the library.
    Outside,
}

/// A function of the program that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The parameter that is the function.
    pub function: u32,
    /// What it gets.
    pub arguments: Vec<CallbackArgument>,
    /// Whether it may run when the call is over: in another thread, at the end.
    pub is_later: bool,
}

/// What a function that is called back gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallbackArgument {
    /// This parameter of the call, as it is.
    Parameter(u32),
    /// A pointer into the object of this parameter.
    Inside(u32),
    /// Something of the library's.
    Outside,
    /// This parameter and all behind it, each as a parameter of its own.
    From(u32),
}

/// A part of a Fortran input or output statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Begins a transfer on the unit in this parameter; its result stands for
    /// the statement.
    Unit(u32),
    /// Begins to open the unit in this parameter.
    Open(u32),
    /// Begins to open a unit with a new number.
    OpenNew,
    /// Gives the statement in parameter 0 the file's name: pointer, length.
    File(u32, u32),
    /// Says that errors of the statement in parameter 0 are looked after.
    Handled,
}

/// The table that opcost carries.
const BUILT_IN: &str = include_str!("effects.txt");

impl Effects {
    /// The table that opcost carries.
    pub fn built_in() -> Effects {
        let mut effects =
            Effects::default().with(BUILT_IN).expect("a test reads the table that opcost carries");
        effects.by_name.values_mut().for_each(|effect| effect.is_built_in = true);
        effects.by_beginning.iter_mut().for_each(|(_, effect)| effect.is_built_in = true);
        effects
    }

    /// This table, overridden by what `text` says.
    ///
    /// # Errors
    /// The first line that does not read, and what should stand there.
    pub fn with(mut self, text: &str) -> Result<Effects, EffectError> {
        for (names, effect) in parse(text)? {
            for name in names {
                self.insert(name, effect.clone());
            }
        }
        self.by_beginning
            .sort_by(|left, right| right.0.len().cmp(&left.0.len()).then_with(|| left.0.cmp(&right.0)));
        Ok(self)
    }

    fn insert(&mut self, name: &str, effect: Effect) {
        let Some(beginning) = name.strip_suffix('*') else {
            self.by_name.insert(name.into(), effect);
            return;
        };
        self.by_beginning.retain(|(other, _)| **other != *beginning);
        self.by_beginning.push((beginning.into(), effect));
    }

    /// What the function of this name does, if a table knows it. Cost: a
    /// look-up, and one comparison for each beginning.
    pub fn of(&self, name: &str) -> Option<&Effect> {
        let begins = |(beginning, _): &&(Box<str>, Effect)| name.starts_with(&**beginning);
        self.by_name.get(name).or_else(|| self.by_beginning.iter().find(begins).map(|(_, effect)| effect))
    }

    /// How many names and beginnings it knows.
    pub fn len(&self) -> usize {
        self.by_name.len() + self.by_beginning.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Effect {
    /// What is done through a parameter.
    pub fn touches_of(&self, position: u32) -> impl Iterator<Item = &Touched> {
        self.touches.iter().filter(move |touched| touched.parameters.contain(position))
    }

    /// Whether the pointer in this parameter outlives the call.
    pub fn keeps(&self, position: u32) -> bool {
        self.does_anything || self.touches_of(position).any(|touched| touched.how == Touching::Keeps)
    }
}

impl Touching {
    /// Whether memory is other than before, or may be.
    pub fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::Zeroes | Self::Input(_) | Self::Frees | Self::FreshInto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_reads() {
        let effects = Effects::built_in();
        assert!(effects.len() > 500, "only {} names", effects.len());
        let strlen = effects.of("strlen").expect("strlen");
        assert_eq!((strlen.returns, strlen.result), (Returns::Always, ResultKind::Pure));
        assert!(strlen.touches_of(0).all(|touched| touched.how == Touching::Reads));
        assert!(effects.of("no_such_function").is_none());
    }

    #[test]
    fn beginnings_are_found_longest_first_and_names_before_them() {
        let table = "f* : reads 0\nfoo* : writes 0\nfoo_bar : keeps 0\n";
        let effects = Effects::default().with(table).expect("a table");
        let first = |name: &str| effects.of(name).map(|effect| effect.touches[0].how);
        assert_eq!(first("fa"), Some(Touching::Reads));
        assert_eq!(first("foo_baz"), Some(Touching::Writes));
        assert_eq!(first("foo_bar"), Some(Touching::Keeps));
        assert_eq!(first("g"), None);
    }

    #[test]
    fn a_users_table_overrides() {
        let effects =
            Effects::built_in().with("strlen : does anything\nmemcpy* : returns\n").expect("a table");
        assert!(effects.of("strlen").is_some_and(|effect| effect.does_anything));
        assert!(effects.of("memcpy").is_some_and(|effect| !effect.copies.is_empty()));
    }

    #[test]
    fn fortran_statements_and_mpi_are_known_by_both_names() {
        let effects = Effects::built_in();
        let input = effects.of("_FortranAioInputInteger").expect("the runtime of flang");
        let item = input.touches_of(1).next().expect("its second parameter");
        assert_eq!((item.how, item.extent), (Touching::Input(Origin::Parameter(0)), Extent::Parameter(2)));
        let size = ["MPI_Comm_size", "mpi_comm_size_"].map(|name| effects.of(name).expect("MPI"));
        for effect in size {
            assert_eq!(effect.touches_of(1).next().map(|t| t.how), Some(Touching::Input(Origin::Processes)));
        }
        assert_eq!(effects.of("_FortranAStopStatement").map(|stop| stop.returns), Some(Returns::Never));
    }
}
