//! What does the environment say of a build?

use opcost_answer::Failure;

/// A variable of the environment that shapes counted code.
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether `OPCOST_THREADS` asks for counters of each thread.
///
/// # Errors
/// It is neither 0 nor 1.
pub(crate) fn threads_requested() -> Result<bool, Failure> {
    match setting("OPCOST_THREADS").as_deref() {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Failure::Usage(format!(
            "OPCOST_THREADS is '{other}'; 1 counts each thread by itself, 0 does so in files that start threads"
        ))),
    }
}
