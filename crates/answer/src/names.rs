//! What is a function called in its own language, and how is a path written for the eye?

use std::path::{Component, Path, PathBuf};

mod folding;
mod near;
mod selected;
mod shown;

pub use folding::Detail;
pub use near::{alike, near_functions, no_function};
pub use selected::{find_functions, select_functions};
pub use shown::{
    NameBook, are_names_full, is_called, is_named, show_full_names, shown_in, shown_name, shown_with,
};

/// The name as written in C++ or Rust, whole, without hashes of Rust; others as they are. It is for
/// documents; people see [`shown_name`].
pub fn demangle(name: &str) -> String {
    let whole = read(of_source(name));
    whole.text + whole.suffix
}

/// The name in the source. Fuel calls functions of a library through one of its own that pays
/// (`shim/library.cpp`). Other names stay.
pub fn of_source(name: &str) -> &str {
    name.strip_prefix("opc_through_").unwrap_or(name)
}

/// What a linkage name was mangled by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Cxx,
    Rust,
    Other,
}

/// A linkage name, demangled.
struct Demangled<'a> {
    language: Language,
    text: String,
    /// What a compiler appended: `.part.0`.
    suffix: &'a str,
}

fn read(name: &str) -> Demangled<'_> {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return Demangled { language: Language::Rust, text: format!("{rust:#}"), suffix: "" };
    }
    // A suffix such as .constprop or .part is ours to keep.
    let (stem, suffix) = name.find('.').map_or((name, ""), |at| name.split_at(at));
    // `f` alone would be the type float.
    if stem.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(stem)
        && let Ok(text) = symbol.demangle()
    {
        return Demangled { language: Language::Cxx, text, suffix };
    }
    Demangled { language: Language::Other, text: name.to_owned(), suffix: "" }
}

/// A path as one would write it: `/usr/lib/gcc/../../include/vector` →
/// `/usr/include/vector`. For the eye only: links are not followed.
pub fn tidy_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("..", Some(&last)) if !matches!(last, ".." | "" | ".") => drop(parts.pop()),
            (".", Some(_)) => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The function's own name, as its source writes it: `board::Board<int>::search(int)`
/// → `search`.
pub fn short_name(name: &str) -> String {
    let name = demangle(name);
    if let Some(operator) = operator_of(&name) {
        return operator.to_owned();
    }
    let bare = without_arguments(without_parameters(&name));
    last_part(bare.rsplit(' ').next().unwrap_or(bare)).to_owned()
}

/// Operators of C++, the longer ones first.
const OPERATORS: [&str; 37] = [
    "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->",
    "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=",
    ",",
];

/// `a::operator!=<int>(int, int)` → `operator!=`; none if it is no such name.
fn operator_of(name: &str) -> Option<&str> {
    const WORD: &str = "operator";
    let is_start = |at: usize| at == 0 || name[..at].ends_with([':', ' ']);
    let (at, _) = name.match_indices(WORD).find(|&(at, _)| is_start(at))?;
    let rest = &name[at + WORD.len()..];
    // `operator new`, `operator bool`.
    let length = match operator_symbol(rest) {
        Some(symbol) => symbol.len(),
        None if rest.starts_with(' ') => rest.find('(').unwrap_or(rest.len()),
        None => return None,
    };
    Some(&name[at..at + WORD.len() + length])
}

/// The operator that is here: `<<(int)` → `<<`.
fn operator_symbol(text: &str) -> Option<&'static str> {
    OPERATORS.iter().chain(&["<", ">"]).copied().find(|symbol| text.starts_with(symbol))
}

/// `search<int>` → `search`; the arguments may hold scopes.
fn without_arguments(name: &str) -> &str {
    if !name.ends_with('>') {
        return name;
    }
    let mut depth = 0;
    let start = name.char_indices().rev().find(|(_, letter)| {
        depth += i32::from(*letter == '>') - i32::from(*letter == '<');
        depth == 0
    });
    start.map_or(name, |(at, _)| &name[..at])
}

/// `search(Board&, int)` → `search`.
pub fn without_parameters(name: &str) -> &str {
    let end = name.char_indices().find(|&(at, letter)| letter == '(' && at > 0).map(|(at, _)| at);
    end.and_then(|end| name.get(..end)).filter(|bare| !bare.ends_with("operator")).unwrap_or(name)
}

/// `board::search` → `search`; `Board<a::b>::search` → `search`.
pub fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// A path without `.` and `..`, by its letters alone.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if tidy.file_name().is_some() => {
                tidy.pop();
            }
            _ => tidy.push(part),
        }
    }
    tidy
}

/// A path below `root` without it.
pub fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::{demangle, short_name, tidy_path};

    #[test]
    fn names_of_three_languages() {
        assert_eq!(demangle("_Z6searchR5Boardi"), "search(Board&, int)");
        assert_eq!(demangle("sqlite3_step"), "sqlite3_step");
        assert_eq!(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
    }

    #[test]
    fn a_short_name_is_what_the_source_writes() {
        for (name, short) in [
            ("_Z6searchR5Boardi", "search"),
            ("_ZN5board6searchEi", "search"),
            // int twice<int>(int)
            ("_Z5twiceIiET_S0_", "twice"),
            // std::vector<int>::push_back(int const&)
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "push_back"),
            // int pick<std::pair<int, int> >(std::pair<int, int>)
            ("_Z4pickISt4pairIiiEEiT_", "pick"),
            ("_ZplRK3SumS1_", "operator+"),
            // bool __gnu_cxx::operator!=<int const*, std::vector<int, std::allocator<int> > >(…)
            ("_ZN9__gnu_cxxneIPKiSt6vectorIiSaIiEEEEbRKNS_17__normal_iteratorIT_T0_EESB_", "operator!="),
            ("_ZN3SumclEi", "operator()"),
            ("_ZltIiEbT_S0_", "operator<"),
            ("_Znwm", "operator new"),
            ("main", "main"),
        ] {
            assert_eq!(short_name(name), short, "{name}");
        }
    }

    #[test]
    fn paths_are_tidy() {
        assert_eq!(tidy_path("/usr/lib/gcc/12/../../../include/c++/12/vector"), "/usr/include/c++/12/vector");
        assert_eq!(tidy_path("../a/./b.c"), "../a/b.c");
        assert_eq!(tidy_path("a.c"), "a.c");
    }
}
