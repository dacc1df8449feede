//! What does the environment say of a build?

/// A variable of the environment that shapes counted code.
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
