//! Which values are wanted?
//!
//! Functions are chosen by their linkage name, or by the plain name that it is
//! made of.

use serde::{Deserialize, Serialize};

/// What is to be recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ValuesRequest {
    /// The iterations of all loops (of the chosen function, if one is chosen).
    pub turns: bool,
    /// Values: of this function, by linkage name or the name before its `(`.
    pub function: Option<String>,
    /// Values: only those of this line; without it what the function returns.
    pub line: Option<u32>,
    /// Values: only this one, by its name or number in the IR.
    pub value: Option<String>,
    /// All integers of at most 64 bits: parameters and results (of the chosen function, if one is chosen).
    #[serde(default)]
    pub integers: bool,
    /// Of the same functions how many bits of each `float` and `double` are significant.
    #[serde(default)]
    pub mantissas: bool,
}

impl ValuesRequest {
    /// Whether a function is selected, by its linkage name.
    pub(super) fn names(&self, linkage: &str) -> bool {
        self.function.as_deref().is_none_or(|name| is_called(linkage, name))
    }
}

/// Whether a function is selected by a name. That is its linkage name, or the plain name that a
/// linkage name of C++ or Fortran is made of.
fn is_called(linkage: &str, name: &str) -> bool {
    if linkage == name || linkage.strip_suffix('_') == Some(name) {
        return true;
    }
    // _QPname and _QMmoduleFinner of flang; _Z4namei and _ZN5space4nameEi of C++.
    let flang = linkage.strip_prefix("_Q").and_then(|rest| rest.rsplit(['P', 'F']).next());
    let last = name.rsplit("::").next().unwrap_or(name);
    flang == Some(last) || linkage.starts_with("_Z") && linkage.contains(&format!("{}{last}", last.len()))
}

#[cfg(test)]
mod tests {
    use super::is_called;

    #[test]
    fn functions_go_by_the_names_of_their_sources() {
        assert!(is_called("work", "work"));
        assert!(is_called("work_", "work"));
        assert!(is_called("_QPwork", "work"));
        assert!(is_called("_Z4worki", "work"));
        assert!(is_called("_ZN5space4workEi", "space::work"));
        assert!(!is_called("_Z5workyi", "work"));
        assert!(!is_called("rework", "work"));
    }
}
