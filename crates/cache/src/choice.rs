//! Which cache does the user want?
//!
//! `--no-cache` and `--cache-size` come first, then `OPCOST_CACHE` (a folder, or `off`) and
//! `OPCOST_CACHE_SIZE`. Else it is `opcost` in the user's cache (`$XDG_CACHE_HOME`, `~/.cache`), of two
//! gigabytes. Where there is no such folder nothing is kept.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::store::Cache;

/// Switches the cache off, or names its folder.
pub const FOLDER_VARIABLE: &str = "OPCOST_CACHE";
/// Of how many bytes it is at most.
pub const SIZE_VARIABLE: &str = "OPCOST_CACHE_SIZE";

/// Of how many bytes it is if nothing else is report.
pub const USUAL_SIZE: u64 = 2_000_000_000;

/// What the command line says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    /// Whether nothing is taken from the cache, or kept.
    pub is_off: bool,
    /// Of how many bytes it is at most.
    pub size: Option<u64>,
}

static CHOICE: OnceLock<Choice> = OnceLock::new();

/// From now on the cache of this process is as the command line says. The first call counts.
pub fn choose(choice: Choice) {
    let _ = CHOICE.set(choice);
}

/// The cache that the user wants; none if it is off, or there is no place for it.
pub fn cache() -> Option<Cache> {
    let choice = CHOICE.get().copied().unwrap_or_default();
    let named = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    let is_off = choice.is_off || named(FOLDER_VARIABLE).is_some_and(|value| value == "off");
    let size = choice.size.or_else(|| parse_size(&named(SIZE_VARIABLE)?)).unwrap_or(USUAL_SIZE);
    if is_off || size == 0 { None } else { Some(Cache::below(&folder()?, size)) }
}

/// The user's folder for what can be made again.
pub fn folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let of_user =
        || Some(named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?.join("opcost"));
    named(FOLDER_VARIABLE).or_else(of_user)
}

/// A number of bytes: `500M`, `2G`, `1500000`; none if it is no such thing.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("2G", 2_000_000_000), ("500 mb", 500_000_000), ("7", 7), ("0", 0)] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "G", "2T", "-1", "1.5G", "99999999999999999999"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
