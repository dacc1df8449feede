//! How is a function's name shown to people?
//!
//! Names of C++ and Rust carry every template argument, default ones too, and
//! can fill a page. What a colleague needs is less: the scope, the name, and of
//! the parameters as much as keeps overloads apart. So template arguments are
//! folded (`std::vector<…>::push_back(int const&)`), the standard library's
//! default arguments go, as does the type of the result, and a list of
//! parameters that is long is folded, too.
//!
//! How a name is folded, [`super::folding`] knows.
//!
//! Folding can make two names one. A [`NameBook`] knows all names of a table and
//! shows so much more of those that would look alike that they differ.
//!
//! `--full-names` switches folding off, for the whole process: names are made in
//! every printer, and all of them must agree. Cost: of a book, log of the names for each, and at
//! most five times where names look alike. Limit: of Rust's old mangling, copies of a generic
//! function differ by their hashes alone, and look alike.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use opcost_key::FunctionKey;

use super::folding::{Detail, FOLD, cxx, rust, without_list};
use super::{Language, demangle, last_part, of_source, read, short_name, tidy_path, without_parameters};

/// Whether names are shown whole.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// From here on this process shows names whole: `--full-names`.
pub fn show_full_names() {
    IS_FULL.store(true, Ordering::Relaxed);
}

/// Whether names are shown whole, and so are not cut either.
pub fn are_names_full() -> bool {
    IS_FULL.load(Ordering::Relaxed)
}

const DETAILS: [Detail; 5] =
    [Detail::Folded, Detail::Parameters, Detail::Arguments, Detail::Plain, Detail::Full];

/// A function's name for people, from its linkage name.
pub fn shown_name(name: &str) -> String {
    shown_with(of_source(name), if are_names_full() { Detail::Full } else { Detail::Folded })
}

/// A text with names for people in place of the linker's.
pub fn shown_in(text: &str) -> String {
    let is_inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let end = rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(letter.len_utf8()));
        match word.starts_with("_Z") || word.starts_with("_R") {
            true => out.push_str(&shown_name(word)),
            false => out.push_str(word),
        }
        rest = behind;
    }
    out
}

/// The same, in a detail of one's choice.
pub fn shown_with(name: &str, detail: Detail) -> String {
    let whole = read(name);
    if detail == Detail::Full {
        return whole.text + whole.suffix;
    }
    let short = match whole.language {
        Language::Rust => rust(&whole.text, detail),
        Language::Cxx => cxx(&whole.text, detail),
        Language::Other => None,
    };
    short.unwrap_or(whole.text) + whole.suffix
}

/// As [`is_called`]; of Fortran without what its compilers put around a name.
pub fn is_named(name: &str, wanted: &str) -> bool {
    is_called(name, wanted) || name.strip_suffix('_').or_else(|| name.strip_prefix("_QP")) == Some(wanted)
}

/// Whether a user who writes `wanted` may select the function of this linkage name. It is its
/// demangled name or what is shown of it, with or without parameters and scope. `…` (or `...`)
/// matches anything.
pub fn is_called(name: &str, wanted: &str) -> bool {
    let full = demangle(name);
    let bare = without_parameters(&full);
    if [name, &full, bare, last_part(bare)].contains(&wanted) || short_name(name) == wanted {
        return true;
    }
    let pattern = wanted.replace("...", FOLD);
    DETAILS.iter().any(|&detail| {
        let text = shown_with(name, detail);
        let matches = |text: &str| text == wanted || (pattern.contains(FOLD) && fits(&pattern, text));
        matches(&text) || matches(without_list(&text))
    })
}

/// Whether a text is the pattern with something in the place of each `…`.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split(FOLD);
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The names of one table or report, as people see them: those that folding would make alike differ.
#[derive(Clone, Debug, Default)]
pub struct NameBook {
    shown: BTreeMap<String, String>,
    /// Names that functions of several modules have.
    shared: BTreeSet<String>,
}

impl NameBook {
    /// Of linkage names.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> NameBook {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let mut book = NameBook::default();
        if are_names_full() {
            return book;
        }
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in names {
            alike.entry(shown_with(name, Detail::Folded)).or_default().push(name);
        }
        alike.into_iter().for_each(|(text, names)| book.put(text, names, &DETAILS[1..]));
        book
    }

    /// Puts names in that look alike so far: with more details where that makes them differ.
    fn put(&mut self, text: String, names: Vec<&str>, details: &[Detail]) {
        let whole: BTreeSet<String> = names.iter().map(|name| demangle(name)).collect();
        let (Some((&detail, more)), true) = (details.split_first(), whole.len() > 1) else {
            // One name, or several of one source: a constructor has two.
            self.shown.extend(names.into_iter().map(|name| (name.to_owned(), text.clone())));
            return;
        };
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in names {
            alike.entry(shown_with(name, detail)).or_default().push(name);
        }
        alike.into_iter().for_each(|(text, names)| self.put(text, names, more));
    }

    /// Of functions: one whose linkage name another module has as well is shown with its module.
    pub fn of_functions<'a>(functions: impl IntoIterator<Item = &'a FunctionKey>) -> NameBook {
        let all: BTreeSet<&FunctionKey> = functions.into_iter().collect();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for function in &all {
            *times.entry(&function.name).or_default() += 1;
        }
        let shared = times.iter().filter(|(_, times)| **times > 1).map(|(name, _)| (*name).to_owned());
        NameBook { shared: shared.collect(), ..NameBook::of_names(times.keys().copied()) }
    }

    /// The name of a function by its linkage name.
    pub fn name(&self, name: &str) -> String {
        self.shown.get(name).cloned().unwrap_or_else(|| shown_name(name))
    }

    /// The name of a function, with its module where that is needed.
    pub fn function(&self, function: &FunctionKey) -> String {
        let name = self.name(&function.name);
        match function.module.as_deref().filter(|_| self.shared.contains(&*function.name)) {
            Some(module) => format!("{name} of {}", tidy_path(module)),
            None => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn functions_are_found_by_any_name_they_have() {
        for (name, wanted) in [
            ("solve", "solve"),
            ("solve_", "solve"),
            ("_QPsolve", "solve"),
            ("_ZN5board6searchEi", "board::search(int)"),
            ("_ZN5board6searchEi", "search"),
        ] {
            assert!(is_named(name, wanted), "{name} {wanted}");
        }
        assert!(!is_named("solver", "solve"));
    }
}
