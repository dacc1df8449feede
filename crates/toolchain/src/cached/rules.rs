//! Which files does a rule for `make` name?
//!
//! Compilers say which headers they read as such a rule. A blank in a name has a `\` before it, `$` is
//! written twice, and a `\` at the end of a line goes on in the next.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The files in rules, without what they are for.
pub(super) fn files_of(rules: &[u8]) -> Vec<PathBuf> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut bytes = rules.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek().is_some_and(|next| matches!(next, b' ' | b'#' | b'\\')) => {
                word.extend(bytes.next());
            }
            b'\\' if bytes.peek() == Some(&b'\n') => {}
            b'$' if bytes.peek() == Some(&b'$') => word.extend(bytes.next()),
            b' ' | b'\n' => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty() && !word.ends_with(b":"));
    words.into_iter().map(|word| PathBuf::from(OsString::from_vec(word))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::files_of;

    #[test]
    fn rules_for_make_are_read_with_blanks_in_names() {
        let rules = b"a.o: a.c /x\\ y/b.h \\\n  /z/$$c.h\n/q\\ r/d.o: /e\\#f.h";
        let paths = ["a.c", "/x y/b.h", "/z/$c.h", "/e#f.h"].map(PathBuf::from);
        assert_eq!(files_of(rules), paths);
    }
}
