//! Which function does a user mean by a name, and which names are near?

use opcost_recover::ProgramSummary;

use super::{is_called, near_functions, no_function};

/// Likeness (Jaro and Winkler) from which on a name is suggested.
const NEAR: f64 = 0.75;

/// The functions that a user's name selects. It is the linkage name, or else the demangled name or
/// what is shown of it, with or without its parameters and its scope. When there is none: names
/// that are near.
pub fn find_functions(summary: &ProgramSummary, wanted: &str) -> Result<Vec<usize>, Vec<String>> {
    let exact = |name: &str| name == wanted;
    let loose = |name: &str| is_called(name, wanted);
    for matches in [&exact as &dyn Fn(&str) -> bool, &loose] {
        let functions = summary.functions.iter().enumerate();
        let found: Vec<usize> =
            functions.filter(|(_, total)| matches(&total.name)).map(|(at, _)| at).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(near_functions(summary.functions.iter().map(|total| &*total.name), wanted, NEAR))
}

/// The functions that names select, each once; and what is to be said of names that select none.
pub fn select_functions(summary: &ProgramSummary, names: &[String]) -> (Vec<usize>, Vec<String>) {
    let (mut selected, mut unknown) = (Vec::new(), Vec::new());
    for name in names {
        match find_functions(summary, name) {
            Ok(found) => found.into_iter().for_each(|at| {
                if !selected.contains(&at) {
                    selected.push(at);
                }
            }),
            Err(near) => unknown.push(no_function(name, &near)),
        }
    }
    (selected, unknown)
}

#[cfg(test)]
mod tests {
    use opcost_recover::{CallTotals, FunctionTotal, ProgramSummary};

    use super::find_functions;

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
