//! What does a library function do to memory, and what does it give?
//!
//! A table by name, as text (`effects.txt`, read by `effects_parse.rs`),
//! which a user's own tables override. It says what is read and written
//! through each parameter, which pointers are kept, what the result is, what
//! is called back, and which calls bring input into the program: the leaves
//! that a resolution may end in. A name that is in no table may do anything
//! that its attributes (`memory(...)`, `captures(none)`) do not deny.
//!
//! Input: text. Output: [`Effects`]; [`Effect`] by name. Limits: a parameter is read or written as
//! a whole from the pointer on unless the table gives a length; of what pointers in memory lead to
//! only "all of it" can be said.

use crate::effect::Effect;
use crate::effects_parse::{EffectError, parse};
use crate::table::NameTable;

/// Effects of functions by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    table: NameTable<Effect>,
}

/// The table that opcost carries.
const BUILT_IN: &str = include_str!("effects.txt");

impl Effects {
    /// The table that opcost carries.
    pub fn built_in() -> Effects {
        let mut effects =
            Effects::default().with(BUILT_IN).expect("a test reads the table that opcost carries");
        effects.table.records_mut().for_each(|effect| effect.is_built_in = true);
        effects
    }

    /// This table, overridden by what `text` says.
    ///
    /// # Errors
    /// The first line that cannot be read, and what is expected there.
    pub fn with(mut self, text: &str) -> Result<Effects, EffectError> {
        for (names, effect) in parse(text)? {
            for name in names {
                self.table.insert(name, effect.clone());
            }
        }
        Ok(self)
    }

    /// What the function of this name does, if a table knows it. Cost: a
    /// look-up, and one for each length of a beginning.
    pub fn of(&self, name: &str) -> Option<&Effect> {
        self.table.of(name)
    }

    /// Whole names of it, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.table.names()
    }

    /// How many names and beginnings it knows.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::*;

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
        assert_eq!(first("foo_bar"), Some(Touching::Retains));
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
