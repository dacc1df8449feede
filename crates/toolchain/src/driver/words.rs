//! The words of a compiler's command line: which are kept, which dropped?
//!
//! Response files (`@file`) are opened here, because a dropped word may stand
//! in one. Their syntax is GNU's: blanks separate, quotes join, a backslash
//! takes the next character as it is. A name that is no file stays a word.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use opcost_answer::Failure;

use crate::late_flags::queries_driver;
use crate::threads::word_may_start;

/// Nested response files end here.
const DEPTH: usize = 16;

/// What the user gave.
pub(crate) struct Words {
    /// As given.
    pub(crate) given: Vec<OsString>,
    /// Response files opened.
    pub(crate) expanded: Vec<OsString>,
}

impl Words {
    pub(crate) fn read(given: &[OsString]) -> Result<Words, Failure> {
        Ok(Words { given: given.to_vec(), expanded: expanded(given)? })
    }

    /// What the planning driver gets: no words that opcost cannot honour, and `behind` at the end
    /// of the options.
    pub(crate) fn preserved(&self, behind: &[OsString]) -> Vec<OsString> {
        let mut kept = Vec::new();
        let mut words = self.expanded.iter();
        for word in words.by_ref() {
            if word == "--" {
                break;
            }
            if !is_dropped(word) {
                kept.push(word.clone());
            }
        }
        let inputs: Vec<OsString> = words.cloned().collect();
        kept.extend(behind_inputs(inputs, behind));
        kept
    }

    /// All words, with `flags` at the end of the options.
    pub(crate) fn with(&self, flags: &[OsString]) -> Vec<OsString> {
        let end = self.expanded.iter().position(|word| word == "--").unwrap_or(self.expanded.len());
        let (options, inputs) = self.expanded.split_at(end);
        [options, flags, inputs].concat()
    }

    /// Whether they ask the driver what it would do or what it has, and not to compile. Its plan would
    /// have jobs all the same.
    pub(crate) fn only_print(&self) -> bool {
        self.expanded.iter().any(|word| word.to_str().is_some_and(queries_driver))
    }

    /// Whether the word was given.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.expanded.iter().any(|given| given == word)
    }

    /// Whether they ask for threads, or link a library that may start some.
    pub(crate) fn start_threads(&self) -> bool {
        self.expanded.iter().any(|word| word_may_start(word))
    }

    /// Flags that shape the code, for the map.
    pub(crate) fn shaping(&self) -> Vec<String> {
        let shapes = ["-O", "-D", "-U", "-std=", "-f", "-m", "--target=", "-pthread"];
        let is_shaping =
            |word: &&OsString| shapes.iter().any(|start| starts_with(word, start)) && !is_dropped(word);
        self.expanded.iter().filter(is_shaping).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Whether link-time optimisation was asked for.
    pub(crate) fn wants_lto(&self) -> bool {
        self.expanded.iter().any(|word| starts_with(word, "-flto"))
    }

    /// clang colours its words for a terminal; ours reads them through a pipe.
    pub(crate) fn wants_colour(&self) -> bool {
        let says = |word: &OsString| {
            ["-fcolor-diagnostics", "-fno-color-diagnostics", "-fdiagnostics-color", "-fno-diagnostics-color"]
                .iter()
                .any(|flag| starts_with(word, flag))
        };
        crate::running::wants_colour() && !self.expanded.iter().any(says)
    }

    /// Flags that name the machine to compile for: the runtime needs them too.
    pub(crate) fn target_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        let mut words = self.expanded.iter();
        while let Some(word) = words.next() {
            let joined = ["--target=", "--sysroot=", "--gcc-toolchain=", "-mabi=", "-mcmodel="];
            if matches!(word.to_str(), Some("-target" | "--sysroot" | "-isysroot")) {
                flags.push(word.clone());
                flags.extend(words.next().cloned());
            } else if matches!(word.to_str(), Some("-m32" | "-m64" | "-mx32"))
                || joined.iter().any(|prefix| starts_with(word, prefix))
            {
                flags.push(word.clone());
            }
        }
        flags
    }
}

/// Inputs given after `--`, and what is linked after them.
fn behind_inputs(inputs: Vec<OsString>, behind: &[OsString]) -> Vec<OsString> {
    if inputs.is_empty() {
        return behind.to_vec();
    }
    // `-x none` would be a file name there; a language cannot be given there
    // either, so the objects alone will do.
    let objects = behind.iter().filter(|word| word.len() > 4).cloned();
    std::iter::once(OsString::from("--")).chain(inputs).chain(objects).collect()
}

/// Words whose work opcost does itself, or that contradict it.
fn is_dropped(word: &OsStr) -> bool {
    let exact = ["-gsplit-dwarf", "-fno-integrated-as", "-no-integrated-as", "-ffat-lto-objects"];
    let prefixes = ["-flto", "-save-temps", "--save-temps", "-gsplit-dwarf=", "-fembed-bitcode=off"];
    exact.iter().any(|flag| word == *flag)
        || prefixes.iter().any(|prefix| starts_with(word, prefix))
        || word == "-fwhole-program-vtables"
        || word == "-fsplit-lto-unit"
}

fn starts_with(word: &OsStr, prefix: &str) -> bool {
    word.as_bytes().starts_with(prefix.as_bytes())
}

/// The words with response files opened.
pub(crate) fn expanded(given: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let mut words = Vec::new();
    expand(given, 0, &mut words)?;
    Ok(words)
}

fn expand(given: &[OsString], depth: usize, out: &mut Vec<OsString>) -> Result<(), Failure> {
    for word in given {
        let bytes = word.as_bytes();
        let file = bytes.strip_prefix(b"@").map(|name| Path::new(OsStr::from_bytes(name)));
        match file.filter(|file| file.is_file()) {
            None => out.push(word.clone()),
            Some(file) if depth == DEPTH => {
                return Err(Failure::Usage(format!("{}: response files nest too deep", file.display())));
            }
            Some(file) => {
                let text = std::fs::read(file).map_err(Failure::file("read", file))?;
                expand(&split(&text), depth + 1, out)?;
            }
        }
    }
    Ok(())
}

/// Cuts the text of a response file into words.
pub(crate) fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), byte) => word.get_or_insert_default().push(byte),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, byte) if byte.is_ascii_whitespace() => words.extend(word.take()),
            (None, byte) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// The words as the text of a response file.
pub(crate) fn quoted(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Words, quoted, split};

    fn words(list: &[&str]) -> Vec<OsString> {
        list.iter().map(OsString::from).collect()
    }

    #[test]
    fn response_files_are_split_as_gnu_does() {
        assert_eq!(split(b"a  b\n'c d' \"e\\\"f\" g\\ h ''"), words(&["a", "b", "c d", "e\"f", "g h", ""]));
        let hard = words(&["a b", "\"", "\\", "", "'x'", "$y"]);
        assert_eq!(split(&quoted(&hard)), hard);
    }

    #[test]
    fn what_opcost_does_itself_is_dropped() {
        let given = words(&["-c", "-flto=thin", "-gsplit-dwarf", "-save-temps=obj", "a.c", "--", "-b.c"]);
        let read = Words::read(&given).expect("no files");
        assert_eq!(
            read.preserved(&words(&["-x", "none", "/t/runtime.o"])),
            words(&["-c", "a.c", "--", "-b.c", "/t/runtime.o"])
        );
        assert!(read.wants_lto());
    }

    #[test]
    fn the_runtime_is_compiled_for_the_same_machine() {
        let given = words(&["-target", "aarch64-linux-gnu", "--sysroot=/s", "-m32", "-O2", "x.c"]);
        let read = Words::read(&given).expect("no files");
        assert_eq!(read.target_flags(), words(&["-target", "aarch64-linux-gnu", "--sysroot=/s", "-m32"]));
    }
}
