//! Are the names that the machine's own run-time libraries have all known?
//!
//! A program's own definition under such a name may be called by the library, so a name that is missed makes answers
//! about it wrong. The dynamic symbols of glibc and libstdc++ are read here; names that only old programs can link
//! against are left out.

use std::path::{Path, PathBuf};

use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, elf};
use opcost_library::is_name_of_libraries;

/// Symbols that a library gives to new programs or takes of others.
fn linked_names(path: &Path) -> Vec<String> {
    let data = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = ElfFile64::<Endianness>::parse(&*data).expect("an ELF file");
    let (endian, header) = (file.endian(), file.elf_header());
    let sections = header.sections(endian, &*data).expect("sections");
    let symbols = sections.symbols(endian, &*data, elf::SHT_DYNSYM).expect("dynamic symbols");
    let versions = sections.iter().find(|section| section.sh_type(endian) == elf::SHT_GNU_VERSYM);
    let versions: &[object::U16<Endianness>] =
        versions.map_or(&[], |section| section.data_as_array(endian, &*data).expect("versions"));
    let is_old =
        |at: usize| versions.get(at).is_some_and(|version| version.get(endian) & elf::VERSYM_HIDDEN != 0);
    let named = symbols.iter().enumerate().filter(|(at, symbol)| {
        let is_needed = symbol.st_shndx.get(endian) == elf::SHN_UNDEF;
        // A version is a symbol of its own.
        symbol.st_name.get(endian) != 0
            && (is_needed || !is_old(*at))
            && symbol.st_shndx.get(endian) != elf::SHN_ABS
    });
    let name = |symbol: &elf::Sym64<Endianness>| {
        let name = symbols.symbol_name(endian, symbol).expect("a name");
        String::from_utf8_lossy(name).into_owned()
    };
    named.map(|(_, symbol)| name(symbol)).collect()
}

fn library(name: &str) -> PathBuf {
    let folders = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"];
    let found = folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is in none of {}", folders.join(", ")))
}

#[test]
fn names_of_the_machines_libraries_are_known() {
    for (name, fewest) in
        [("libc.so.6", 2000), ("libm.so.6", 800), ("libstdc++.so.6", 4000), ("libgcc_s.so.1", 100)]
    {
        let names = linked_names(&library(name));
        assert!(names.len() > fewest, "{name} has {} names", names.len());
        let missed: Vec<_> = names.iter().filter(|name| !is_name_of_libraries(name)).collect();
        assert!(missed.is_empty(), "{name}: {missed:?}");
    }
}
