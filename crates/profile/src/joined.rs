//! Which functions of two ledgers are one?
//!
//! Those of one key: a function that the whole program can name goes by its linkage
//! name, whatever module holds it; a local one by its name and the module that it was
//! written in. A linker that joins modules renames local functions whose name is taken,
//! in the order of the modules; their `home` keeps what they were called before. Ledgers
//! that have no homes (schema 2, modules that were never linked) name functions by the
//! module at hand, which is where they are from.
//!
//! Input: facts of a function. Output: [`Joined`], its key, ordered by name, then
//! module, as tables list functions. Cost: two short texts a key. Limit: modules that
//! are called alike are taken for one.

use std::cmp::Ordering;

use opcost_key::FunctionKey;

use crate::FunctionFacts;

/// The key that functions are joined by, in the order of tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Joined(pub(crate) FunctionKey);

impl Joined {
    pub(crate) fn of(function: &FunctionFacts) -> Self {
        Self(function.key())
    }

    /// Linkage name.
    pub(crate) fn name(&self) -> String {
        self.0.name.to_string()
    }

    /// The module, when the name is local to it.
    pub(crate) fn module(&self) -> Option<String> {
        self.0.module.as_deref().map(str::to_owned)
    }
}

impl Ord for Joined {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.0.name, &self.0.module).cmp(&(&other.0.name, &other.0.module))
    }
}

impl PartialOrd for Joined {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use opcost_key::FunctionKey;

    use super::Joined;
    use crate::FunctionFacts;
    use crate::example::function;

    fn facts(name: &str, module: &str, home: Option<&str>) -> FunctionFacts {
        let home = home.map(|text| text.parse::<FunctionKey>().expect("a key"));
        FunctionFacts { name: name.into(), module: module.into(), home, ..(*function("local", 1, 1)).clone() }
    }

    #[test]
    fn a_local_function_is_that_of_its_home() {
        let alone = Joined::of(&facts("step", "a.c", None));
        assert_eq!(alone, Joined::of(&facts("step.1", "whole.bc", Some("a.c@step"))));
        assert_ne!(alone, Joined::of(&facts("step", "b.c", None)));
        assert_ne!(alone, Joined::of(&facts("step", "whole.bc", Some("b.c@step"))));
        assert_eq!((alone.name().as_str(), alone.module().as_deref()), ("step", Some("a.c")));
    }

    /// Its name is one in the program, whatever a file says of its home.
    #[test]
    fn a_function_that_all_can_name_has_no_home() {
        let main = |module: &str, home| {
            Joined::of(&FunctionFacts { is_local: false, ..facts("main", module, home) })
        };
        assert_eq!(main("a.c", None), main("b.c", Some("c.c@other")));
        assert_eq!(main("a.c", None).module(), None);
    }

    #[test]
    fn names_come_before_modules() {
        let all = [("b", "a.c"), ("a", "b.c"), ("a", "a.c")];
        let mut all = all.map(|(name, module)| Joined::of(&facts(name, module, None)));
        all.sort();
        assert_eq!(all.map(|one| one.0.to_string()), ["a.c@a", "b.c@a", "a.c@b"]);
    }
}
