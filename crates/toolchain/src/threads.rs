//! May code that is not counted start threads that run counted code?
//!
//! A module that starts threads says so by its calls. A library that is linked does not: MPI,
//! OpenMP, servers and toolkits start threads of their own, and some call the program back. So
//! each library that is linked makes the program count by thread, but for those of the system
//! that never do. Objects and archives are asked for the symbols that they leave to others.
//!
//! Cost: an object is read once. Limits: a library that the program loads itself is not seen; its
//! threads are found when the program runs, and the counts are refused then.

use std::ffi::OsStr;
use std::path::Path;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use opcost_library::starts_threads;

/// Libraries that start no thread that runs the program's code. Calls that start one through
/// `pthread`, `rt` or `stdc++` are in the program's own modules.
const QUIET: [&str; 15] = [
    "m", "c", "dl", "rt", "util", "pthread", "gcc", "gcc_s", "gcc_eh", "stdc++", "c++", "c++abi", "z",
    "zstd", "atomic",
];

/// Whether the library of this name (`-lNAME`) may start threads.
pub(crate) fn library_may_start(name: &str) -> bool {
    !QUIET.contains(&name) && !name.starts_with("std-")
}

/// Whether this word of a compiler's command line links a library that may start threads, or asks
/// for threads.
pub(crate) fn word_may_start(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    if let Some(name) = word.strip_prefix("-l") {
        return library_may_start(name);
    }
    let file = word.rsplit('/').next().unwrap_or(&word);
    let is_library = !word.starts_with('-') && (file.ends_with(".so") || file.contains(".so."));
    is_library || word == "-pthread" || (word.starts_with("-fopenmp") && word != "-fopenmp-simd")
}

/// Whether an object or an archive calls what starts a thread, or is a shared library.
pub(crate) fn object_may_start(path: &Path) -> bool {
    if word_may_start(path.as_os_str()) {
        return true;
    }
    let Ok(data) = std::fs::read(path) else { return false };
    match ArchiveFile::parse(&*data) {
        Ok(archive) => archive.members().flatten().filter_map(|member| member.data(&*data).ok()).any(starts),
        Err(_) => starts(&data),
    }
}

fn starts(object: &[u8]) -> bool {
    let Ok(file) = object::File::parse(object) else { return false };
    let mut undefined = file.symbols().filter(ObjectSymbol::is_undefined);
    undefined.any(|symbol| {
        // As it may have the version of a library in it: `pthread_create@GLIBC_2.34`.
        let name = symbol.name().unwrap_or_default();
        starts_threads(name.split('@').next().unwrap_or(name))
    })
}

#[cfg(test)]
mod tests {
    use super::word_may_start;

    #[test]
    fn words_that_bring_threads() {
        let threaded =
            ["-lmpi", "-fopenmp", "-fopenmp=libomp", "-pthread", "lib/libx.so.3", "libx.so", "-luv"];
        assert!(threaded.iter().all(|word| word_may_start(word.as_ref())));
        let quiet =
            ["-lm", "-lstdc++", "-lstd-0123", "-O2", "-fopenmp-simd", "a.c", "a.so.c/b.o", "-Wl,-z,now"];
        assert_eq!(quiet.iter().filter(|word| word_may_start(word.as_ref())).count(), 0);
    }
}
