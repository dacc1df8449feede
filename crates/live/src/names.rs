//! What do others call the code of versions?
//!
//! The file of versions is an ELF program, so a profiler or debugger that reads it looks for a table of symbols. It is at
//! the end of the file, and grows: first names are written, then symbols, then the sizes of both. So a reader sees whole
//! entries only.
//!
//! A whole function is `NAME$vN`, of which `N` numbers versions. The rest of it from the header of block 3 on is
//! `NAME$vN@3`, and what chooses whether an activation goes on there is `NAME$vN@3?`.
//!
//! Cost: a few bytes for each function of a version. Limit: what does not fit has no name.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use object::elf;

use crate::LinkedVersion;

/// Of a section header, and of a symbol, in bytes.
const HEADER: u64 = 64;
const SYMBOL: u64 = 24;
/// Sections: none, code, symbols, names, names of sections, the build-id, which perf finds by its name alone.
const SECTIONS: u64 = 6;
const SECTION_NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id\0";
/// Where the section with the names of sections is.
const NAMED: u16 = 4;
/// Where the file has its build-id, after the header and two parts.
pub(crate) const IDENTITY: Range<u64> = 176..212;
/// Bytes of symbols at most.
const ROOM: u64 = 1 << 20;

/// The table of symbols of a file of versions.
#[derive(Debug)]
pub(crate) struct Names {
    /// Where it begins in the file.
    start: u64,
    symbols: u64,
    names: u64,
    versions: u64,
}

impl Names {
    /// Writes an empty one at `start`, and has the header of the file lead to it. Code at these addresses is at `offset`
    /// in the file.
    pub(crate) fn create(file: &File, start: u64, code: &Range<u64>, offset: u64) -> io::Result<Names> {
        let names = Names { start, symbols: SYMBOL, names: 1, versions: 0 };
        file.write_all_at(SECTION_NAMES, names.section_names())?;
        // The first symbol and the first name are none.
        file.write_all_at(&[0; SYMBOL as usize], names.symbol_table())?;
        file.write_all_at(&[0], names.name_table())?;
        let flags = u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR);
        let (size, all) = (code.end - code.start, SECTION_NAMES.len() as u64);
        let rows: [[u64; 10]; SECTIONS as usize] = [
            [0; 10],
            [1, elf::SHT_PROGBITS.into(), flags, code.start, offset, size, 0, 0, 64, 0],
            [7, elf::SHT_SYMTAB.into(), 0, 0, names.symbol_table(), names.symbols, 3, 1, 8, SYMBOL],
            [15, elf::SHT_STRTAB.into(), 0, 0, names.name_table(), names.names, 0, 0, 1, 0],
            [23, elf::SHT_STRTAB.into(), 0, 0, names.section_names(), all, 0, 0, 1, 0],
            [33, elf::SHT_NOTE.into(), 0, 0, IDENTITY.start, IDENTITY.end - IDENTITY.start, 0, 0, 4, 0],
        ];
        // Name, type, link and information are half as wide as the rest.
        let widths = [4, 4, 8, 8, 8, 8, 4, 4, 8, 8];
        let cells = rows.iter().flat_map(|row| row.iter().zip(widths));
        let bytes: Vec<u8> =
            cells.flat_map(|(value, width)| value.to_le_bytes().into_iter().take(width)).collect();
        file.write_all_at(&bytes, start)?;
        file.write_all_at(&start.to_le_bytes(), 40)?;
        let counts = [HEADER as u16, SECTIONS as u16, NAMED].map(u16::to_le_bytes);
        file.write_all_at(counts.as_flattened(), 58)?;
        Ok(names)
    }

    /// Adds the functions of a version of `function`.
    pub(crate) fn add(&mut self, file: &File, function: &str, linked: &LinkedVersion) -> io::Result<()> {
        self.versions += 1;
        let (mut symbols, mut names) = (Vec::new(), Vec::new());
        for one in &linked.symbols {
            let part = match one.name.strip_prefix("opc.rest") {
                None if one.name == "opc.entry" => String::new(),
                None => format!(".{}", one.name),
                Some(rest) => match rest.strip_suffix(".body") {
                    Some(block) => format!("@{block}"),
                    None => format!("@{rest}?"),
                },
            };
            let name = (self.names + names.len() as u64) as u32;
            names.extend_from_slice(format!("{function}$v{}{part}\0", self.versions).as_bytes());
            symbols.extend_from_slice(&name.to_le_bytes());
            // A global function of section 1, of usual visibility.
            symbols.extend_from_slice(&[(elf::STB_GLOBAL << 4) | elf::STT_FUNC, elf::STV_DEFAULT, 1, 0]);
            symbols.extend_from_slice(&one.address.to_le_bytes());
            symbols.extend_from_slice(&one.size.to_le_bytes());
        }
        if self.symbols + symbols.len() as u64 > ROOM {
            return Ok(());
        }
        file.write_all_at(&names, self.name_table() + self.names)?;
        file.write_all_at(&symbols, self.symbol_table() + self.symbols)?;
        self.names += names.len() as u64;
        self.symbols += symbols.len() as u64;
        // The size of a section is 32 bytes into its header.
        file.write_all_at(&self.names.to_le_bytes(), self.start + 3 * HEADER + 32)?;
        file.write_all_at(&self.symbols.to_le_bytes(), self.start + 2 * HEADER + 32)
    }

    fn section_names(&self) -> u64 {
        self.start + SECTIONS * HEADER
    }

    fn symbol_table(&self) -> u64 {
        (self.section_names() + SECTION_NAMES.len() as u64).next_multiple_of(8)
    }

    fn name_table(&self) -> u64 {
        self.symbol_table() + ROOM
    }
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSymbol};

    use super::*;
    use crate::LinkedSymbol;

    #[test]
    fn functions_of_versions_have_their_names() {
        let path = tempfile::NamedTempFile::new().expect("a file");
        let file = path.reopen().expect("a file");
        // An ELF header of 64 bits without anything.
        file.write_all_at(&[0x7f, b'E', b'L', b'F', 2, 1, 1], 0).expect("room");
        file.write_all_at(&[2, 0, 62, 0, 1], 16).expect("room");
        file.write_all_at(&[64], 52).expect("room");
        let code = 0x2000_0000..0x2000_0100;
        let mut names = Names::create(&file, 4096, &code, 64).expect("room");
        let linked = |all: &[(&str, u64)]| LinkedVersion {
            bytes: Vec::new(),
            symbols: all
                .iter()
                .map(|(name, address)| LinkedSymbol { name: (*name).to_owned(), address: *address, size: 8 })
                .collect(),
            frames: Vec::new(),
            sections: Vec::new(),
            table: Vec::new(),
        };
        let first = linked(&[("opc.rest3.body", code.start), ("opc.rest3", code.start + 8)]);
        names.add(&file, "work", &first).expect("room");
        names.add(&file, "work", &linked(&[("opc.entry", code.start + 16)])).expect("room");
        let bytes = std::fs::read(path.path()).expect("a file");
        let read = object::read::elf::ElfFile64::<object::LittleEndian>::parse(&*bytes).expect("ELF");
        let read: Vec<(&str, u64)> =
            read.symbols().map(|symbol| (symbol.name().expect("UTF-8"), symbol.address())).collect();
        assert_eq!(
            read,
            [("work$v1@3", code.start), ("work$v1@3?", code.start + 8), ("work$v2", code.start + 16)]
        );
    }
}
