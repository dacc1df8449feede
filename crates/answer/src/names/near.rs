//! Which names are like one that nothing has, and what does the message say?
//!
//! The measure is that of Jaro and Winkler (1990), which weighs the beginning of a word more: slips
//! of a finger are rarely in the first letters. Of a name with a scope or parameters, its last part
//! counts as well as the whole. Cost: linear in the names.

use super::{last_part, shown_name, without_parameters};

/// How many functions are suggested.
const SUGGESTED: usize = 3;

/// Those of the names that are at least as like as that, the likest first.
pub fn alike<'a>(names: impl Iterator<Item = &'a str>, wanted: &str, least: f64) -> Vec<&'a str> {
    let likeness = |name: &str| {
        let bare = without_parameters(name);
        strsim::jaro_winkler(bare, wanted).max(strsim::jaro_winkler(last_part(bare), wanted))
    };
    let mut near: Vec<(f64, &str)> =
        names.map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= least).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).collect()
}

/// Of the functions with these linkage names those that are likest, as people see them.
pub fn near_functions<'a>(names: impl Iterator<Item = &'a str>, wanted: &str, least: f64) -> Vec<String> {
    let shown: Vec<String> = names.map(shown_name).collect();
    let near = alike(shown.iter().map(String::as_str), wanted, least);
    near.into_iter().take(SUGGESTED).map(str::to_owned).collect()
}

/// The message for a name that no function has.
pub fn no_function(wanted: &str, near: &[String]) -> String {
    let hint = match near {
        [] => "it may have been inlined everywhere, or never built".to_owned(),
        near => format!("did you mean {}?", near.join(", or ")),
    };
    format!("no function is called '{wanted}'; {hint}")
}

#[cfg(test)]
mod tests {
    use super::{near_functions, no_function};

    #[test]
    fn names_that_are_like_one_are_told_as_people_see_them() {
        let near = |wanted: &str, least: f64| {
            let names = ["main", "solve_", "solve_", "residual", "_Z6searchR5Boardi"];
            near_functions(names.into_iter(), wanted, least)
        };
        assert_eq!(near("solver", 0.0), ["solve_", "search(Board&, int)", "residual"]);
        assert_eq!(near("serch", 0.75), ["search(Board&, int)"]);
        assert_eq!(near("zzz", 0.75), [""; 0]);
        assert_eq!(
            no_function("solver", &near("solver", 0.75)),
            "no function is called 'solver'; did you mean solve_?"
        );
        assert!(no_function("zzz", &[]).contains("inlined everywhere"));
    }
}
