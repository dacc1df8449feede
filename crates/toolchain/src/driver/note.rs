//! A note in an object: what was done to its functions when it was compiled.
//!
//! A link knows only objects and archives. So each object says itself which functions ran, how large they are and
//! whom they call, in a section that is not loaded and that the last link drops (`SHF_EXCLUDE`). Such a section
//! outlives `ar`, `cp` and `ld -r`, which appends one to the other: each note begins with a mark and its length.
//!
//! The section is appended to the finished file. Its name goes to a new copy of the table of names at the end, and
//! the table of sections is written anew behind it. All that was there stays at its place.
//!
//! Limits: objects of ELF with 64 bits, least byte first. Others get no note.

use opcost_answer::tune::ArrangedModule;
use serde::{Deserialize, Serialize};

/// The name of the section.
const SECTION: &str = ".opcost.tuned";
const MARK: &[u8; 8] = b"opctune1";

/// The length of an entry in the table of sections.
const ENTRY: usize = 64;
const SHT_PROGBITS: u32 = 1;
const SHF_EXCLUDE: u64 = 0x8000_0000;

/// What was done when a source was compiled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The module's name in ledgers.
    pub(crate) module: String,
    /// Why the whole of it was left as it is, if it was.
    pub(crate) left: Option<String>,
    /// What was done to its functions.
    pub(crate) arranged: ArrangedModule,
}

impl Note {
    /// The object with the note; none for a file of another kind.
    pub(crate) fn added_to(&self, object: &[u8]) -> Option<Vec<u8>> {
        let json = serde_json::to_vec(self).ok()?;
        let mut content = MARK.to_vec();
        content.extend((json.len() as u64).to_le_bytes());
        content.extend(json);
        with_section(object, &content)
    }

    /// The notes of an object.
    pub(crate) fn all_of(object: &[u8]) -> Vec<Note> {
        use object::{Object as _, ObjectSection as _};
        let Ok(file) = object::File::parse(object) else { return Vec::new() };
        let section = file.section_by_name(SECTION);
        let Some(Ok(mut rest)) = section.map(|section| section.data()) else { return Vec::new() };
        let mut notes = Vec::new();
        while let Some((note, after)) = first_of(rest) {
            notes.push(note);
            rest = after;
        }
        notes
    }
}

fn first_of(content: &[u8]) -> Option<(Note, &[u8])> {
    let (length, rest) = content.strip_prefix(MARK)?.split_first_chunk()?;
    let (json, after) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(json).ok()?, after))
}

/// The file with a section more.
fn with_section(object: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    // 64 bits, least byte first, relocatable.
    if object.get(..6)? != b"\x7fELF\x02\x01" || half(object, 16)? != 1 {
        return None;
    }
    let table = usize::try_from(word(object, 40)?).ok()?;
    let entry_at = |index: usize| table.checked_add(index.checked_mul(ENTRY)?);
    // Numbers that are too large for their place stand in the first entry.
    let (count, is_long) = match half(object, 60)? {
        0 => (usize::try_from(word(object, table.checked_add(32)?)?).ok()?, true),
        short => (usize::from(short), false),
    };
    let names = match half(object, 62)? {
        0xffff => usize::try_from(word(object, table.checked_add(40)?)? & 0xffff_ffff).ok()?,
        short => usize::from(short),
    };
    // A count that does not fit any more.
    if !is_long && count + 1 >= 0xff00 {
        return None;
    }
    let of_names = |place: usize| usize::try_from(word(object, entry_at(names)?.checked_add(place)?)?).ok();
    let (from, length) = (of_names(24)?, of_names(32)?);
    let mut made = object.to_vec();
    let content_at = made.len();
    made.extend(content);
    let names_at = made.len();
    made.extend(object.get(from..from.checked_add(length)?)?);
    made.extend(SECTION.as_bytes());
    made.push(0);
    let names_length = made.len() - names_at;
    made.resize(made.len().next_multiple_of(8), 0);
    let new_table = made.len();
    made.extend(object.get(table..entry_at(count)?)?);
    let put = |made: &mut Vec<u8>, place: usize, value: usize| {
        made[place..place + 8].copy_from_slice(&(value as u64).to_le_bytes());
    };
    put(&mut made, new_table + names * ENTRY + 24, names_at);
    put(&mut made, new_table + names * ENTRY + 32, names_length);
    let mut entry = [0; ENTRY];
    entry[..4].copy_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    entry[4..8].copy_from_slice(&SHT_PROGBITS.to_le_bytes());
    entry[8..16].copy_from_slice(&SHF_EXCLUDE.to_le_bytes());
    entry[24..32].copy_from_slice(&(content_at as u64).to_le_bytes());
    entry[32..40].copy_from_slice(&(content.len() as u64).to_le_bytes());
    entry[48] = 1;
    made.extend(entry);
    put(&mut made, 40, new_table);
    match is_long {
        true => put(&mut made, new_table + 32, count + 1),
        false => made[60..62].copy_from_slice(&u16::try_from(count + 1).ok()?.to_le_bytes()),
    }
    Some(made)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::Note;

    fn run(folder: &Path, tool: &str, words: &[&str]) -> String {
        let output = Command::new(tool).args(words).current_dir(folder).output().expect("it starts");
        assert!(output.status.success(), "{tool} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn notes_outlive_other_tools_and_not_the_last_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, text) in
            [("a", "int f(void) { return 3; }"), ("b", "int f(void); int main(void) { return f() - 3; }")]
        {
            std::fs::write(path(&format!("{name}.c")), text).expect("a source");
            run(folder.path(), "clang-22", &["-g", "-ffunction-sections", "-c", &format!("{name}.c")]);
            let object = path(&format!("{name}.o"));
            let note = Note { module: name.to_owned(), ..Note::default() };
            let made = note.added_to(&std::fs::read(&object).expect("an object")).expect("ELF");
            std::fs::write(&object, made).expect("written");
        }
        let modules = |name: &str| {
            let notes = Note::all_of(&std::fs::read(path(name)).expect("a file"));
            notes.into_iter().map(|note| note.module).collect::<Vec<_>>()
        };
        for (linker, name) in [("ld.lld-22", "lld.o"), ("ld", "gnu.o")] {
            run(folder.path(), linker, &["-r", "a.o", "b.o", "-o", name]);
            assert_eq!(modules(name), ["a", "b"], "{linker}");
            run(folder.path(), "clang-22", &[name, "-o", "program"]);
            run(folder.path(), "./program", &[]);
            assert!(modules("program").is_empty());
            assert!(!run(folder.path(), "llvm-readelf-22", &["-SW", "program"]).contains("opcost"));
        }
        run(folder.path(), "llvm-strip-22", &["-g", "a.o"]);
        assert_eq!(modules("a.o"), ["a"]);
    }

    #[test]
    fn other_files_get_none() {
        let note = Note::default();
        for bytes in [&b""[..], b"\x7fELF\x02\x01", b"!<arch>\n", &[0; 100]] {
            assert!(note.added_to(bytes).is_none() && Note::all_of(bytes).is_empty());
        }
        let mut cut = b"\x7fELF\x02\x01".to_vec();
        cut.resize(64, 0xff);
        cut[16..18].copy_from_slice(&[1, 0]);
        assert!(note.added_to(&cut).is_none(), "a table that is not there");
    }
}
