//! What is a function called in its own language, and which one is meant?

use opcost_key::FunctionKey;
use opcost_recover::ProgramSummary;

/// The name as written in C++ or Rust; others as they are. C++ names lose
/// the standard library's long default arguments, which no one wrote.
pub(crate) fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    // A suffix such as .constprop or .part is ours to keep.
    let (stem, suffix) = name.find('.').map_or((name, ""), |at| name.split_at(at));
    // `f` alone would be the type float.
    if stem.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(stem)
        && let Ok(text) = symbol.demangle()
    {
        return format!("{text}{suffix}");
    }
    name.to_owned()
}

/// The name of a function of a program, with its module where another function has the same name.
pub(crate) fn told_apart<'a>(owner: &FunctionKey, all: impl IntoIterator<Item = &'a FunctionKey>) -> String {
    let is_shared = all.into_iter().any(|other| other.name == owner.name && other != owner);
    match owner.module.as_deref().filter(|_| is_shared) {
        Some(module) => format!("{} of {}", demangle(&owner.name), tidy_path(module)),
        None => demangle(&owner.name),
    }
}

/// A path as one would write it: `/usr/lib/gcc/../../include/vector` →
/// `/usr/include/vector`. For the eye only: links are not followed.
pub(crate) fn tidy_path(path: &str) -> String {
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

/// How many names are suggested.
const SUGGESTIONS: usize = 3;
/// Likeness (Jaro and Winkler) from which on a name is suggested.
const NEAR: f64 = 0.75;

/// The functions that a user's name means: the linkage name, or else the
/// demangled name, with or without its parameters and its scope. When there
/// is none: names that are near.
pub(crate) fn find_functions(summary: &ProgramSummary, wanted: &str) -> Result<Vec<usize>, Vec<String>> {
    let exact = |name: &str| name == wanted;
    let loose = |name: &str| {
        let name = demangle(name);
        let bare = without_parameters(&name);
        name == wanted || bare == wanted || last_part(bare) == wanted
    };
    for matches in [&exact as &dyn Fn(&str) -> bool, &loose] {
        let functions = summary.functions.iter().enumerate();
        let found: Vec<usize> =
            functions.filter(|(_, total)| matches(&total.name)).map(|(at, _)| at).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(near(summary, wanted))
}

fn near(summary: &ProgramSummary, wanted: &str) -> Vec<String> {
    let likeness = |name: &str| {
        let bare = without_parameters(name);
        strsim::jaro_winkler(bare, wanted).max(strsim::jaro_winkler(last_part(bare), wanted))
    };
    let names = summary.functions.iter().map(|total| demangle(&total.name));
    let mut near: Vec<(f64, String)> =
        names.map(|name| (likeness(&name), name)).filter(|(likeness, _)| *likeness >= NEAR).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.dedup();
    near.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// The function's own name, as its source writes it: `board::Board<int>::search(int)`
/// → `search`.
pub(crate) fn short_name(name: &str) -> String {
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
    let of_list = OPERATORS.iter().chain(&["<", ">"]).find(|symbol| rest.starts_with(**symbol));
    // `operator new`, `operator bool`.
    let length = match of_list {
        Some(symbol) => symbol.len(),
        None if rest.starts_with(' ') => rest.find('(').unwrap_or(rest.len()),
        None => return None,
    };
    Some(&name[at..at + WORD.len() + length])
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
fn without_parameters(name: &str) -> &str {
    let end = name.char_indices().find(|&(at, letter)| letter == '(' && at > 0).map(|(at, _)| at);
    end.and_then(|end| name.get(..end)).filter(|bare| !bare.ends_with("operator")).unwrap_or(name)
}

/// `board::search` → `search`; `Board<a::b>::search` → `search`.
fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use opcost_recover::{CallTotals, FunctionTotal, ProgramSummary};

    use super::{demangle, find_functions, short_name, tidy_path};

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

    #[test]
    fn a_function_is_found_by_any_of_its_names() {
        let total = |name: &str| FunctionTotal {
            name: name.to_owned(),
            module: None,
            place: None,
            calls: 1,
            instructions: 1,
        };
        let summary = ProgramSummary {
            weight: 3,
            weight_without_line: 0,
            functions: ["_RNvCs1234_7mycrate3foo", "_Z6searchR5Boardi", "main"].map(total).to_vec(),
            lines: Vec::new(),
            blocks: Vec::new(),
            calls: CallTotals::default(),
        };
        for (name, expected) in [
            ("main", 2),
            ("search", 1),
            ("search(Board&, int)", 1),
            ("_Z6searchR5Boardi", 1),
            ("foo", 0),
            ("mycrate::foo", 0),
        ] {
            assert_eq!(find_functions(&summary, name), Ok(vec![expected]), "{name}");
        }
        assert_eq!(find_functions(&summary, "serch"), Err(vec!["search(Board&, int)".to_owned()]));
        assert_eq!(find_functions(&summary, "zzz"), Err(vec![]));
    }
}
