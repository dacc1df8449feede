//! How do other modules see a name?

/// How a name is seen by other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// `internal`, `private`: nobody else.
    Local,
    /// What is written here is what runs (`external`).
    Exact,
    /// Another definition may take its place (`weak`, `linkonce`, …), or the
    /// same one, optimised in another module in another way (`linkonce_odr`).
    Replaceable,
    /// `available_externally`: a copy for the optimiser; another module's runs.
    Elsewhere,
}
