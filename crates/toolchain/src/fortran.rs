//! In which order are sources of Fortran compiled?
//!
//! A source that uses a module needs the module's file, which the compiler writes when it compiles the source
//! that defines it. So a source comes after those whose modules it uses; else the order is as given, and
//! other inputs keep their positions. Modules are found by the statements `module`, `submodule` and `use`, as
//! the start of a statement, in both forms of source.
//!
//! Cost: each source is read once. Limits: statements in included files and in macros are not read. Sources
//! that use each other stay as they are, and the compiler says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules of a source.
#[derive(Debug, Default, PartialEq, Eq)]
struct Modules {
    defined: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Modules {
    /// Of a source. In fixed form a letter or a star in the first column begins a comment.
    fn of(text: &str, is_fixed: bool) -> Modules {
        let mut modules = Modules::default();
        let comment = |line: &&str| is_fixed && line.starts_with(['c', 'C', '*', 'd', 'D']);
        for line in text.lines().filter(|line| !comment(line)) {
            let line = line.split('!').next().unwrap_or_default().to_ascii_lowercase();
            line.split(';').for_each(|statement| modules.statement(statement.trim()));
        }
        modules
    }

    fn statement(&mut self, statement: &str) {
        let name = |text: &str| {
            let text = text.trim_start();
            let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let (name, rest) = text.split_at(end.unwrap_or(text.len()));
            let is_name = name.starts_with(|letter: char| letter.is_alphabetic());
            is_name.then(|| (name.to_owned(), rest.trim().to_owned()))
        };
        let after = |word: &str| {
            let rest = statement.strip_prefix(word)?;
            rest.starts_with([' ', '\t', ',', ':', '(']).then_some(rest)
        };
        if let Some((own, rest)) = after("module").and_then(name) {
            // `module procedure f` and `module function f(x)` are parts of a module.
            if rest.is_empty() {
                self.defined.insert(own);
            }
        } else if let Some(rest) = after("submodule") {
            let parent = rest.trim_start().strip_prefix('(').and_then(name);
            self.used.extend(parent.map(|(parent, _)| parent));
        } else if let Some(rest) = after("use") {
            let rest = rest.split_once("::").map_or(rest, |(_, rest)| rest);
            self.used.extend(
                name(rest).filter(|(_, rest)| rest.is_empty() || rest.starts_with(',')).map(|(used, _)| used),
            );
        }
    }
}

/// Positions of sources, each after those that it needs.
pub(crate) fn order_of_modules(sources: &[&Path]) -> Vec<usize> {
    let mut waiting: BTreeMap<usize, Modules> =
        sources.iter().map(|source| modules_of(source)).enumerate().collect();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let is_ready = |at: usize, modules: &Modules| {
            let needs = |other: &Modules| !modules.used.is_disjoint(&other.defined);
            waiting.iter().all(|(&position, other)| position == at || !needs(other))
        };
        let ready = waiting.iter().find(|(at, modules)| is_ready(**at, modules)).map(|(at, _)| *at);
        let Some(next) = ready.or_else(|| waiting.keys().next().copied()) else { break };
        waiting.remove(&next);
        order.push(next);
    }
    order
}

fn modules_of(source: &Path) -> Modules {
    let text = std::fs::read(source).unwrap_or_default();
    let ending = source.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_fixed = matches!(ending.to_ascii_lowercase().as_str(), "f" | "for" | "ftn" | "f77");
    Modules::of(&String::from_utf8_lossy(&text), is_fixed)
}

#[cfg(test)]
mod tests {
    use super::Modules;

    fn names(list: &[&str]) -> std::collections::BTreeSet<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn statements_of_modules_are_found() {
        let text = "! module none\nMODULE Grid\n  use, intrinsic :: iso_c_binding\n  Use solver, only: step\n\
                    contains\n  module procedure p\n  module function f(x)\n  use_it = 3\nend module grid\n\
                    submodule (base:deep) part; use :: tail\n";
        let found = Modules::of(text, false);
        assert_eq!(found.defined, names(&["grid"]));
        assert_eq!(found.used, names(&["base", "iso_c_binding", "solver", "tail"]));
        let fixed = Modules::of("c use none\n      use grid\n* module x\n", true);
        assert_eq!(fixed, Modules { used: names(&["grid"]), ..Modules::default() });
    }
}
