//! What is known of a library function? The vocabulary of effects.
//!
//! What it reads and writes through each parameter, which pointers it keeps, what its
//! result is, what it calls back, and which input it brings into the program. Data
//! only: `effects_parse` makes it of text, and [`Effects`](crate::Effects)
//! finds it by name.

use crate::states::LibraryStates;

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
    /// After it the writes of other threads may be seen.
    pub synchronises: bool,
    /// It may do anything, and keep every pointer that it gets.
    pub does_anything: bool,
    /// It may read and write all memory that others can reach, and call back.
    pub reaches_others: bool,
    /// States of the library in which it keeps something, or which its result is part of.
    pub holds: LibraryStates,
    /// States that it may use; none: the table does not say.
    pub uses: Option<LibraryStates>,
    /// It may write memory of the library to which the program has pointers, as that of `errno`.
    pub writes_library: bool,
    /// Which parameter is the format of a `printf` or `scanf`.
    pub format: Option<u32>,
    /// The arguments of the format come as a `va_list`.
    pub has_list: bool,
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

/// Which parameters an effect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// One, by position from 0.
    One(u32),
    /// This one and all after it.
    From(u32),
}

impl Parameters {
    /// Whether this one is among them.
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
    /// Also through the pointers that are stored there.
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
    Retains,
    /// Pointers that are stored there are kept, perhaps.
    RetainsPointees,
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
    /// This parameter and all after it, each as a parameter of its own.
    From(u32),
}

/// A part of a Fortran input or output statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Begins a transfer on the unit in this parameter; its result represents the statement.
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

impl Effect {
    /// What is done through a parameter.
    pub fn touches_of(&self, position: u32) -> impl Iterator<Item = &Touched> {
        self.touches.iter().filter(move |touched| touched.parameters.contain(position))
    }

    /// States of the library that it may use.
    pub fn used_states(&self) -> LibraryStates {
        self.uses.unwrap_or(if self.only_computes() {
            LibraryStates::NONE
        } else {
            LibraryStates::BEFORE_EXIT
        })
    }

    /// Whether its arguments, and the memory that they lead to, decide all that it does.
    fn only_computes(&self) -> bool {
        let is_decided = match self.result {
            ResultKind::Pure
            | ResultKind::Fresh { .. }
            | ResultKind::Parameter(_)
            | ResultKind::Moved(_)
            | ResultKind::Inside(_) => true,
            ResultKind::Input
            | ResultKind::InputFrom(_)
            | ResultKind::Environment(_)
            | ResultKind::Outside => false,
        };
        let is_input = |touched: &Touched| matches!(touched.how, Touching::Input(_));
        is_decided && !self.does_anything && !self.touches.iter().any(is_input)
    }

    /// Whether the pointer in this parameter outlives the call.
    pub fn retains(&self, position: u32) -> bool {
        self.does_anything || self.touches_of(position).any(|touched| touched.how == Touching::Retains)
    }
}

impl Touching {
    /// Whether memory is other than before, or may be.
    pub fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::Zeroes | Self::Input(_) | Self::Frees | Self::FreshInto)
    }
}
