//! Where would a header be found that is not there yet?
//!
//! A compilation is the same as before if each header that it read is, and if none has appeared that
//! it would have read in its place: in a folder that is searched earlier, or at a name that
//! `__has_include` asked for. Which folders are searched, clang says itself (`-v`).
//!
//! Text that is another at each time (`__TIME__`, `__DATE__`, `__TIMESTAMP__`), and a `__has_include` whose name
//! is computed, make a compilation one that is not kept.
//!
//! Input: clang's command, the files that it read. Output: evidence. Cost: each file read once, and a run of the
//! preprocessor on nothing. What that said is kept, for compilations in the same words.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};

use super::tool::{mix_in, resolve};

/// Where clang looks for headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Search {
    /// Folders, in this order.
    folders: Vec<PathBuf>,
    /// Folders that are none yet.
    missing: Vec<PathBuf>,
    /// Files of options that it would read.
    options: Vec<PathBuf>,
    /// The folder of GCC's versions, of which it takes the newest.
    versions: Option<PathBuf>,
}

/// What decided about a compilation besides clang and its words; none if it would be another tomorrow, or
/// clang does not say.
pub(super) fn evidence_of(
    cache: &Cache,
    command: &Command,
    is_cxx: bool,
    read: Vec<PathBuf>,
) -> Option<Evidence> {
    evidence_in(&query(cache, command, is_cxx)?, read)
}

/// The same, where it is known where clang looks.
pub(super) fn evidence_in(search: &Search, read: Vec<PathBuf>) -> Option<Evidence> {
    let mut absent: BTreeSet<PathBuf> = search.missing.iter().chain(&search.options).cloned().collect();
    let mut quoting = BTreeSet::new();
    for path in &read {
        let text = std::fs::read(path).ok()?;
        is_timeless(&text).then_some(())?;
        if quotes(&text) {
            quoting.extend(path.parent().map(Path::to_owned));
        }
        for name in probed_names(&text)? {
            absent.extend(search.folders.iter().map(|folder| folder.join(&name)));
            absent.extend(path.parent().map(|folder| folder.join(&name)));
        }
    }
    for path in &read {
        for (at, folder) in search.folders.iter().enumerate() {
            let Ok(name) = path.strip_prefix(folder) else { continue };
            let earlier = search.folders[..at].iter().chain(&quoting);
            absent.extend(earlier.map(|folder| folder.join(name)));
        }
    }
    let absent = absent.into_iter().filter(|path| path.symlink_metadata().is_err()).collect();
    Some(Evidence { read, absent, listed: search.versions.iter().cloned().collect() })
}

const TIMES: [&str; 3] = ["__TIME__", "__DATE__", "__TIMESTAMP__"];

/// Whether a text is the same at each time.
pub(super) fn is_timeless(text: &[u8]) -> bool {
    !TIMES.iter().any(|word| positions(text, word).next().is_some())
}

/// Where a word ends, each time.
fn positions<'t>(text: &'t [u8], word: &'t str) -> impl Iterator<Item = usize> + 't {
    let first = word.as_bytes()[0];
    let starts = text.iter().enumerate().filter(move |(_, byte)| **byte == first);
    starts.filter_map(move |(at, _)| text[at..].starts_with(word.as_bytes()).then_some(at + word.len()))
}

/// Whether a file includes another in quotes, which is looked for in its folder first.
fn quotes(text: &[u8]) -> bool {
    let is_quote = |at: usize| text[at..].trim_ascii_start().starts_with(b"\"");
    ["include", "include_next", "import", "embed"].iter().any(|word| positions(text, word).any(is_quote))
}

/// Names that a file asks for before it includes them; none if one is computed.
fn probed_names(text: &[u8]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for word in ["__has_include", "__has_include_next", "__has_embed"] {
        for end in positions(text, word) {
            let Some(rest) = text[end..].trim_ascii_start().strip_prefix(b"(") else { continue };
            let rest = rest.trim_ascii_start();
            let close = match rest.first()? {
                b'<' => b'>',
                b'"' => b'"',
                _ => return None,
            };
            let length = rest[1..].iter().position(|byte| *byte == close)?;
            names.push(String::from_utf8(rest[1..=length].to_vec()).ok()?);
        }
    }
    Some(names)
}

/// Asks clang, in the words of a compilation.
fn query(cache: &Cache, command: &Command, is_cxx: bool) -> Option<Search> {
    answered(cache, question_of(command, is_cxx)?)
}

/// Where a front end looks, to whose words an input in this language comes.
pub(super) fn search_of_front_end(cache: &Cache, mut words: Command, language: &OsStr) -> Option<Search> {
    words.args(["-w", "-E", "-v", "-x"]).arg(language).arg("/dev/null");
    answered(cache, words)
}

/// What clang answers, or answered before.
fn answered(cache: &Cache, mut question: Command) -> Option<Search> {
    let begun = SystemTime::now();
    let program = PathBuf::from(question.get_program());
    let key = key(&question)?;
    if let Some(made) = cache.find(key) {
        return search_of(std::str::from_utf8(&made.report).ok()?, &program);
    }
    let output = question.stdout(Stdio::null()).stderr(Stdio::piped()).output().ok()?;
    output.status.success().then_some(())?;
    let search = search_of(std::str::from_utf8(&output.stderr).ok()?, &program)?;
    let absent = search.missing.iter().chain(&search.options).cloned().collect();
    let evidence =
        Evidence { absent, listed: search.versions.iter().cloned().collect(), ..Evidence::default() };
    let _ = cache.store(key, &Made { products: Vec::new(), report: output.stderr }, &evidence, begun);
    Some(search)
}

/// A compilation of nothing that says where it looks.
fn question_of(command: &Command, is_cxx: bool) -> Option<Command> {
    let mut question = Command::new(command.get_program());
    let mut words = command.get_args();
    while let Some(word) = words.next() {
        match word.to_str()? {
            "-o" | "-MF" | "-include" => drop(words.next()),
            "-c" | "-emit-llvm" | "-MD" => {}
            _ => drop(question.arg(word)),
        }
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => question.env(name, value),
            None => question.env_remove(name),
        };
    }
    question.args(["-w", "-E", "-v", "-x", if is_cxx { "c++" } else { "c" }, "/dev/null"]);
    Some(question)
}

/// Beginnings of words that name no folder: by them clang looks at the same places wherever it works.
const PLACELESS: [&str; 7] = ["-O", "-g", "-D", "-U", "-W", "-std=", "-pthread"];
/// The same, as whole words.
const WORDS: [&str; 7] = ["-w", "-E", "-v", "-x", "c", "c++", "/dev/null"];
/// Variables that may name folders relative to where it works.
const FOLDERS: [&str; 6] =
    ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT"];

/// Represents all that decides where it looks.
fn key(question: &Command) -> Option<RecipeHash> {
    let mut recipe = Recipe::new("search");
    mix_in(&mut recipe, question.get_program())?;
    recipe.bytes(question.get_program().as_bytes());
    for word in question.get_args() {
        recipe.bytes(word.as_bytes());
    }
    for (name, value) in question.get_envs() {
        recipe.bytes(name.as_bytes()).bytes(value.map_or(b"-", OsStrExt::as_bytes));
    }
    let is_placeless = |word: &OsStr| {
        WORDS.iter().any(|known| word == *known)
            || PLACELESS.iter().any(|start| word.as_bytes().starts_with(start.as_bytes()))
    };
    let is_told_by_environment = FOLDERS.iter().any(|name| std::env::var_os(name).is_some());
    if is_told_by_environment || !question.get_args().all(is_placeless) {
        recipe.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
    }
    Some(recipe.finish())
}

/// What clang says of where it looks.
fn search_of(said: &str, program: &Path) -> Option<Search> {
    let here = std::env::current_dir().ok()?;
    let mut search = Search::default();
    let mut is_listing = false;
    for line in said.lines() {
        if line.starts_with("#include ") {
            is_listing = true;
        } else if line == "End of search list." {
            is_listing = false;
        } else if let Some(folder) = line.strip_prefix(' ').filter(|_| is_listing) {
            search.folders.push(here.join(folder));
        } else if let Some(folder) = line.strip_prefix("ignoring nonexistent directory \"") {
            search.missing.push(here.join(folder.trim_end_matches('"')));
        } else if let Some(triple) = line.strip_prefix("Target: ") {
            search.options.extend(option_files(program, triple));
        } else if let Some(folder) = line.strip_prefix("Selected GCC installation: ") {
            search.versions = Path::new(folder).parent().map(Path::to_owned);
        } else if line.starts_with("Configuration file: ") {
            // It may include others.
            return None;
        }
    }
    (!search.folders.is_empty()).then_some(search)
}

/// Files of options next to clang that it would read, by the names that its manual gives.
fn option_files(program: &Path, triple: &str) -> Vec<PathBuf> {
    let file = resolve(program.as_os_str());
    let folders = file.as_deref().and_then(Path::parent);
    let names =
        ["clang", "clang++"].into_iter().flat_map(|mode| [mode.to_owned(), format!("{triple}-{mode}")]);
    let names: Vec<String> = names.chain([triple.to_owned()]).collect();
    folders
        .into_iter()
        .flat_map(|folder| names.iter().map(move |name| folder.join(format!("{name}.cfg"))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_asked_for_are_found() {
        let text = b"#if __has_include(<a/b.h>) && __has_include ( \"c.h\" )\n#ifdef __has_include\n";
        assert_eq!(probed_names(text), Some(vec!["a/b.h".to_owned(), "c.h".to_owned()]));
        assert_eq!(probed_names(b"#if __has_include(NAME)"), None, "a computed name");
        assert_eq!(probed_names(b"int x;"), Some(vec![]));
    }

    #[test]
    fn inclusion_in_quotes_is_seen() {
        assert!(quotes(b"#include \"x.h\"") && quotes(b"# include\t\"x.h\""));
        assert!(!quotes(b"#include <x.h>\nchar *s = \"x\";"));
    }

    #[test]
    fn clang_says_where_it_looks() {
        let said = "Target: t\nSelected GCC installation: /usr/lib/gcc/t/12\nignoring nonexistent directory \"/no\"\n\
                    #include \"...\" search starts here:\n q\n#include <...> search starts here:\n /a\n /b\n\
                    End of search list.\n /c\n";
        let search = search_of(said, Path::new("clang-22")).expect("folders");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(search.folders, [here.join("q"), PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(search.missing, [PathBuf::from("/no")]);
        assert_eq!(search.versions.as_deref(), Some(Path::new("/usr/lib/gcc/t")));
        assert!(search.options.iter().any(|path| path.ends_with("t-clang.cfg")), "{search:?}");
        assert_eq!(search_of("Configuration file: /x.cfg\n", Path::new("clang-22")), None);
    }
}
