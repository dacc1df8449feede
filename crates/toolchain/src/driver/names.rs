//! Which compiler is meant by a name?
//!
//! opcost is a compiler when it is called `opcost-cc`, `opcost-c++` or
//! `opcost-flang` (links that `opcost doctor --links DIR` makes, for build
//! systems that want one word), and a launcher when the first argument names
//! a compiler (`CMAKE_C_COMPILER_LAUNCHER="opcost;cc"`).

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The language of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// C, and whatever else `clang` compiles.
    C,
    /// C++, which is linked with its own library.
    Cxx,
    /// Fortran, which flang compiles.
    Fortran,
}

impl Front {
    /// The front for the verb.
    pub fn from_verb(verb: &OsStr) -> Option<Front> {
        match verb.to_str()? {
            "cc" => Some(Front::C),
            "c++" | "cxx" => Some(Front::Cxx),
            "flang" => Some(Front::Fortran),
            _ => None,
        }
    }
}

/// The front selected by the name that opcost was started with.
pub fn by_program_name(program: &OsStr) -> Option<Front> {
    let name = Path::new(program).file_name()?.to_str()?;
    Front::from_verb(OsStr::new(name.strip_prefix("opcost-")?))
}

/// The launcher form: the front of the compiler that the first argument
/// names, that compiler when clang takes its place, and its arguments.
pub fn launched(front: Front, arguments: &[OsString]) -> (Front, Option<String>, &[OsString]) {
    let Some((first, rest)) = arguments.split_first() else { return (front, None, arguments) };
    let name = Path::new(first).file_name().and_then(OsStr::to_str).unwrap_or("");
    match compiler(name) {
        None => (front, None, arguments),
        Some((front, is_clang)) => (front, (!is_clang).then(|| name.to_owned()), rest),
    }
}

/// Language of a compiler's name, and whether it is clang or flang.
fn compiler(name: &str) -> Option<(Front, bool)> {
    // Versions stand behind (`clang-22`), targets before (`x86_64-linux-gnu-gcc`).
    let is_version =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let bare = match name.rsplit_once('-') {
        Some((head, tail)) if is_version(tail) => head,
        _ => name,
    };
    match bare.rsplit('-').next()? {
        "clang" => Some((Front::C, true)),
        "clang++" => Some((Front::Cxx, true)),
        "flang" => Some((Front::Fortran, true)),
        "gcc" | "cc" | "c99" | "icx" => Some((Front::C, false)),
        "g++" | "c++" | "icpx" => Some((Front::Cxx, false)),
        "gfortran" | "f77" | "f95" | "ifx" => Some((Front::Fortran, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{OsStr, OsString};

    use super::{Front, by_program_name, compiler, launched};

    #[test]
    fn compilers_are_known_by_their_names() {
        assert_eq!(compiler("clang-22"), Some((Front::C, true)));
        assert_eq!(compiler("x86_64-linux-gnu-g++-12"), Some((Front::Cxx, false)));
        assert_eq!(compiler("gfortran"), Some((Front::Fortran, false)));
        assert_eq!(compiler("flang-22"), Some((Front::Fortran, true)));
        assert_eq!(compiler("gcc.c"), None);
        assert_eq!(compiler("-c"), None);
        assert_eq!(compiler("main.c"), None);
    }

    #[test]
    fn opcost_is_a_compiler_by_its_own_name() {
        assert_eq!(by_program_name(OsStr::new("/opt/bin/opcost-c++")), Some(Front::Cxx));
        assert_eq!(by_program_name(OsStr::new("opcost")), None);
        assert_eq!(by_program_name(OsStr::new("cc")), None);
    }

    #[test]
    fn a_launcher_takes_the_compiler_off() {
        let arguments: Vec<OsString> = ["/usr/bin/c++", "-c", "a.cc"].iter().map(OsString::from).collect();
        let (front, replaced, rest) = launched(Front::C, &arguments);
        assert_eq!((front, replaced.as_deref(), rest.len()), (Front::Cxx, Some("c++"), 2));
        let (front, replaced, rest) = launched(Front::C, &arguments[1..]);
        assert_eq!((front, replaced, rest.len()), (Front::C, None, 2));
    }
}
