//! What is written on the lines that a module's code comes from?
//!
//! Lines of two builds are aligned by what is written on them, so the map keeps a hash of each line that
//! has code. A text is believed only where it is what was compiled: clang and rustc note the MD5 of each
//! file, and a file that has another by now has no texts. A compiler that notes none (flang) has just
//! compiled its source, which is believed if it is no newer than the bitcode. Files that were read with
//! `#line` have no checksum, and so no texts.
//!
//! Input: a module whose files are named below the root. Output: hashes by file and line. Cost: each
//! file is read once. Limit: DWARF before version 5 has no checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use opcost_answer::names::tidy;
use opcost_ir::Module;
use opcost_job::module::ModuleJob;
use opcost_key::{FileId, FileTexts, LineText, text_hash};

/// The files that these texts are of, whether they could be believed or not.
pub(crate) fn sources_of(module: &Module, job: &ModuleJob) -> Vec<PathBuf> {
    let named: BTreeSet<FileId> =
        module.places.values().filter(|place| place.line != 0).map(|place| place.file).collect();
    named.into_iter().map(|file| path_of(module, job, file)).collect()
}

fn path_of(module: &Module, job: &ModuleJob, file: FileId) -> PathBuf {
    tidy(&job.root.join(&module.files[file]))
}

/// The texts of all lines that code or functions of the module are on.
pub(crate) fn texts_of(module: &Module, job: &ModuleJob) -> Vec<FileTexts> {
    let mut wanted: BTreeMap<FileId, BTreeSet<u32>> = BTreeMap::new();
    for place in module.places.values().filter(|place| place.line != 0) {
        wanted.entry(place.file).or_default().insert(place.line);
    }
    let of_file = |(file, lines)| {
        let text = compiled_text(module, job, file)?;
        let lines = hashed(&text, &lines);
        (!lines.is_empty()).then_some(FileTexts { file, lines })
    };
    wanted.into_iter().filter_map(of_file).collect()
}

/// What a file held when it was compiled.
fn compiled_text(module: &Module, job: &ModuleJob, file: FileId) -> Option<Vec<u8>> {
    let path = path_of(module, job, file);
    let checksum = module.checksums.get(file).and_then(Option::as_deref);
    if checksum.is_none() && !is_fresh(&path, job) {
        return None;
    }
    let text = std::fs::read(&path).ok()?;
    checksum.is_none_or(|sum| opcost_llvm::md5(&text) == sum.to_ascii_lowercase()).then_some(text)
}

/// Whether the file is the source that was compiled just now, and has not changed since.
fn is_fresh(path: &Path, job: &ModuleJob) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    let is_source = job.fresh.as_deref().is_some_and(|fresh| tidy(fresh) == path);
    is_source && changed(path).zip(changed(&job.bitcode)).is_some_and(|(source, made)| source <= made)
}

fn hashed(text: &[u8], wanted: &BTreeSet<u32>) -> Vec<LineText> {
    let lines = (1u32..).zip(text.split(|&byte| byte == b'\n'));
    let lines = lines.filter(|(line, _)| wanted.contains(line));
    lines.map(|(line, text)| LineText { line, hash: text_hash(text) }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use opcost_key::text_hash;

    use super::hashed;

    #[test]
    fn lines_are_counted_from_one_and_beyond_the_end_there_is_none() {
        let wanted: BTreeSet<u32> = [1, 3, 9].into();
        let found = hashed(b"a\r\n\tb\n  c", &wanted);
        let found: Vec<_> = found.iter().map(|text| (text.line, text.hash)).collect();
        assert_eq!(found, [(1, text_hash(b"a")), (3, text_hash(b"c"))]);
    }
}
