//! What is a function called in its own language?

/// The name as written in C++ or Rust; others as they are. C++ names lose
/// the standard library's long default arguments, which no one wrote.
pub(crate) fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    // A suffix such as .constprop or .part is ours to keep.
    let (stem, suffix) = name.find('.').map_or((name, ""), |at| name.split_at(at));
    if let Ok(symbol) = cpp_demangle::Symbol::new(stem)
        && let Ok(text) = symbol.demangle()
    {
        return format!("{text}{suffix}");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_of_three_languages() {
        assert_eq!(demangle("_Z6searchR5Boardi"), "search(Board&, int)");
        assert_eq!(demangle("sqlite3_step"), "sqlite3_step");
        assert_eq!(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
    }
}
