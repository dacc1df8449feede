//! Which version is a compiler?
//!
//! Every build asks it first, and starting clang takes a third of the time of a small build that did not change.
//! What decides the answer is the compiler's file.
//!
//! Cost: a look at that file; else a start of the compiler. Limit: a library of the compiler that is replaced without
//! the compiler itself is not seen.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};

use super::tool::mix_in;

/// What a compiler says to `--version`; none if it does not start.
pub(crate) fn version_text(tool: &Path) -> Option<String> {
    version_with(cache(), tool)
}

fn version_with(cache: Option<Cache>, tool: &Path) -> Option<String> {
    let begun = SystemTime::now();
    let place = cache.and_then(|cache| Some((key(tool)?, cache)));
    if let Some((key, cache)) = &place
        && let Some(made) = cache.find(*key)
    {
        return String::from_utf8(made.report).ok();
    }
    let output = Command::new(tool).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some((key, cache)) = place.filter(|_| output.status.success()) {
        let made = Made { products: Vec::new(), report: text.clone().into_bytes() };
        let _ = cache.store(key, &made, &Evidence::default(), begun);
    }
    Some(text)
}

fn key(tool: &Path) -> Option<RecipeHash> {
    let mut recipe = Recipe::new("version");
    mix_in(&mut recipe, tool.as_os_str())?;
    Some(recipe.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_asked_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::below(folder.path(), 1_000_000);
        let clang = Path::new("clang-22");
        let first = version_with(Some(cache.clone()), clang).expect("clang is there");
        assert!(first.contains("clang version 22."), "{first}");
        assert_eq!(cache.contents().entries, 1);
        let key = key(clang).expect("a file");
        let other = Made { products: Vec::new(), report: b"clang version 22.0.0".to_vec() };
        cache.store(key, &other, &Evidence::default(), SystemTime::now()).expect("stored");
        assert_eq!(version_with(Some(cache), clang).as_deref(), Some("clang version 22.0.0"));
        assert_eq!(version_with(None, clang).as_deref(), Some(&*first));
        assert_eq!(version_with(None, Path::new("clang-that-is-not-there")), None);
    }
}
