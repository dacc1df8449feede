//! Do GNU ld and lld give the same bytes at the same addresses?
//!
//! A script tells them the address of each section. The program's symbols are given as
//! numbers. What may differ is left out by relocation: where the two have cells
//! of their own, the cells' contents are compared; what the program has in a slot or as a hidden
//! symbol, ld cannot know from its symbols.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};
use opcost_live::{LinkedVersion, LiveProgram, SymbolKind, SymbolLookup, link};

use crate::tools::{Folder, source, symbol};

type Header = elf::FileHeader64<LE>;

/// A relocation of an object, as the referee sees it.
struct Place {
    section: usize,
    offset: usize,
    kind: u32,
    addend: i64,
    symbol: String,
    local: bool,
}

fn places(object: &[u8]) -> Vec<Place> {
    let sections = Header::parse(object).unwrap().sections(LE, object).unwrap();
    let symbols = sections.symbols(LE, object, elf::SHT_SYMTAB).unwrap();
    let mut places = Vec::new();
    for section in sections.iter() {
        let Some((relocations, _)) = section.rela(LE, object).unwrap() else { continue };
        for relocation in relocations {
            let symbol = symbols.symbol(object::SymbolIndex(relocation.r_sym(LE, false) as usize)).unwrap();
            places.push(Place {
                section: section.sh_info(LE) as usize,
                offset: usize::try_from(relocation.r_offset(LE)).unwrap(),
                kind: relocation.r_type(LE, false),
                addend: relocation.r_addend(LE),
                symbol: String::from_utf8(symbols.symbol_name(LE, symbol).unwrap().to_vec()).unwrap(),
                local: symbol.is_local(),
            });
        }
    }
    places
}

/// The object without the marks by which linkers merge equal constants.
fn unmerged(object: &[u8]) -> Vec<u8> {
    let header = Header::parse(object).unwrap();
    let start = usize::try_from(header.e_shoff(LE)).unwrap();
    let mut bytes = object.to_vec();
    for index in 0..usize::from(header.e_shnum(LE)) {
        let flags = start + 64 * index + 8;
        bytes[flags] &= !0x30;
    }
    bytes
}

/// A script that gives the names of `object` which the program has too the program's addresses,
/// as `nm` tells them. What the object defines for good stays its own.
fn names_of(folder: &Folder, object: &[u8]) -> String {
    let sections = Header::parse(object).unwrap().sections(LE, object).unwrap();
    let symbols = sections.symbols(LE, object, elf::SHT_SYMTAB).unwrap();
    let mut script = String::new();
    let said = folder.run("nm program");
    let known: BTreeMap<_, _> = said
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
            let global = kind.chars().all(char::is_uppercase) || kind == "u";
            (!address.is_empty() && global).then(|| (name.to_owned(), address.to_owned()))
        })
        .collect();
    for symbol in symbols.iter().filter(|symbol| !symbol.is_local()) {
        let name = std::str::from_utf8(symbols.symbol_name(LE, symbol).unwrap()).unwrap();
        let own = !symbol.is_undefined(LE) && !symbol.is_weak();
        if let Some(address) = known.get(name).filter(|_| !own) {
            writeln!(script, "\"{name}\" = 0x{address};").unwrap();
        } else if symbol.is_undefined(LE) && symbol.is_weak() && !name.is_empty() {
            // By the ABI. Left undefined, ld would change the instructions.
            writeln!(script, "\"{name}\" = 0;").unwrap();
        } else if symbol.is_undefined(LE) {
            // What only a slot has; such places are not compared.
            writeln!(script, "\"{name}\" = 0x10000000;").unwrap();
        }
    }
    script
}

/// What ld makes of the object: the content of each placed section, by its number.
fn by_ld(folder: &Folder, object: &[u8], linked: &LinkedVersion, linker: &str) -> Vec<(usize, u64, Vec<u8>)> {
    let mut script = "SECTIONS {\n".to_owned();
    for section in linked.sections.iter().filter(|section| section.size > 0) {
        let (index, at, name) = (section.index, section.address, &section.name);
        writeln!(script, ".s{index} {at:#x} : {{ KEEP(*({name})) }}").unwrap();
    }
    script += ".got 0x18000000 : { *(.got .igot) }\n.got.plt : { *(.got.plt .igot.plt) }\n.plt : { *(.plt .plt.got .iplt) }\n";
    script += ".rest 0x19000000 : { *(.rodata .rodata.* .data.rel.ro .data.rel.ro.*) }\n";
    script += "/DISCARD/ : { *(.data .data.* .note.* .comment .llvm_addrsig) }\n}\n";
    script += &names_of(folder, object);
    folder.write("script.ld", script);
    folder.write("version.o", unmerged(object));
    // GNU ld otherwise writes frames anew too; lld does not know the option.
    let frames = if linker == "ld" { "--traditional-format" } else { "" };
    let said =
        folder.run(&format!("{linker} {frames} --no-relax -z norelro -e 0 -T script.ld version.o -o by_ld"));
    assert_eq!(said, "");
    let file = folder.read("by_ld");
    let sections = Header::parse(&*file).unwrap().sections(LE, &*file).unwrap();
    let mut contents = Vec::new();
    for section in sections.iter() {
        let name = std::str::from_utf8(sections.section_name(LE, section).unwrap()).unwrap();
        let data = || section.data(LE, &*file).unwrap().to_vec();
        match name.strip_prefix(".s").and_then(|number| number.parse().ok()) {
            Some(index) => contents.push((index, section.sh_addr(LE), data())),
            None if name == ".got" => contents.push((usize::MAX, section.sh_addr(LE), data())),
            None => {}
        }
    }
    contents
}

fn word(bytes: &[u8]) -> i64 {
    i32::from_le_bytes(*bytes.first_chunk().unwrap()).into()
}

/// The eight bytes at `address` of one of some contents.
fn cell(parts: &[(usize, u64, Vec<u8>)], address: u64) -> Option<u64> {
    parts.iter().find_map(|(_, start, bytes)| {
        let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
        bytes.get(offset..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    })
}

/// How much was compared.
struct Compared {
    equal: usize,
    cells: usize,
}

/// Compares both; how many relocated places were equal, and how many cells.
fn compare(folder: &Folder, object: &[u8], program: &LiveProgram, at: u64, linker: &str) -> Compared {
    let linked = link(object, program, at, 1 << 20).unwrap();
    let referee = by_ld(folder, object, &linked, linker);
    let mine = [(0, at, linked.bytes.clone())];
    let (mut equal, mut cells) = (0, 0);
    let places = places(object);
    for section in linked.sections.iter().filter(|section| section.size > 0) {
        // lld writes frames anew.
        if section.name == ".eh_frame" && linker != "ld" {
            continue;
        }
        let (_, address, theirs) = referee.iter().find(|(index, ..)| *index == section.index).unwrap();
        assert_eq!(*address, section.address, "{}", section.name);
        let start = usize::try_from(section.address - at).unwrap();
        let mut ours = linked.bytes[start..start + theirs.len()].to_vec();
        for place in places.iter().filter(|place| place.section == section.index) {
            let wide = matches!(place.kind, elf::R_X86_64_64 | elf::R_X86_64_PC64 | elf::R_X86_64_TPOFF64);
            let field = place.offset..place.offset + if wide { 8 } else { 4 };
            let in_cell = matches!(
                place.kind,
                elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX
            );
            let chosen = matches!(program.find(&place.symbol), SymbolLookup::Shared(found) if found.kind == SymbolKind::Chosen);
            let hidden = !place.local && place.symbol.starts_with("DW.ref.");
            let unknown = chosen
                || hidden
                || (place.kind == elf::R_X86_64_PLT32 && program.slot(&place.symbol).is_some());
            if in_cell && !chosen {
                let at = |bytes: &[u8]| {
                    let target = section.address as i64 + place.offset as i64 + word(bytes) - place.addend;
                    u64::try_from(target).unwrap()
                };
                let (mine, theirs) =
                    (cell(&mine, at(&ours[field.clone()])), cell(&referee, at(&theirs[field.clone()])));
                assert_eq!(mine, theirs, "the cell of {}", place.symbol);
                cells += 1;
            }
            if in_cell || unknown {
                ours[field.clone()].copy_from_slice(&theirs[field]);
            } else {
                assert_eq!(
                    ours[field.clone()],
                    theirs[field],
                    "{}+{:#x} {}",
                    section.name,
                    place.offset,
                    place.symbol
                );
                equal += 1;
            }
        }
        assert_eq!(&ours, theirs, "{}", section.name);
    }
    frames_are_those_of_the_functions(&linked);
    Compared { equal, cells }
}

/// Compilers describe every function, so each has one frame that starts with it.
fn frames_are_those_of_the_functions(linked: &LinkedVersion) {
    assert!(linked.frames.is_sorted_by_key(|frame| frame.start));
    for function in linked.symbols.iter().filter(|function| function.size > 0) {
        assert!(linked.frames.iter().any(|frame| frame.start == function.address), "{function:?}");
    }
}

fn static_program(folder: &Folder, work: &str, options: &str) -> LiveProgram {
    folder.object("arena.s", &source("arena.s"), "");
    folder.object("main.cpp", &source("main.cpp"), "-O1 -fno-pic");
    folder.object(work, &source(work), options);
    folder.run(&format!(
        "clang++-22 -static main.cpp.o {work}.o arena.s.o -Wl,--section-start=.opcost.arena=0x10000000 -o program -lm"
    ));
    LiveProgram::read(&folder.read("program")).unwrap()
}

#[test]
fn ld_agrees_about_c() {
    let folder = Folder::new();
    let program = static_program(&folder, "work.c", "-O0 -fno-pic -DNO_THREADS");
    let at = symbol(&program, "arena").address + 0x123;
    let (mut equal, mut cells) = (0, 0);
    for level in ["-O0", "-O1", "-O2", "-O3 -march=native"] {
        for model in ["-fno-pic", "-fPIC", "-fPIE -ffunction-sections -fdata-sections"] {
            let options = format!("-DV=2 -DNO_THREADS {level} {model}");
            let object = folder.object("version.c", &source("work.c"), &options);
            for linker in ["ld", "ld.lld-22"] {
                let compared = compare(&folder, &object, &program, at, linker);
                (equal, cells) = (equal + compared.equal, cells + compared.cells);
            }
        }
    }
    assert!(equal > 1000 && cells > 50, "{equal} places, {cells} cells");
}

#[test]
fn ld_agrees_about_cpp_and_its_exceptions() {
    let folder = Folder::new();
    let program = static_program(&folder, "work.cpp", "-O0 -fno-pic");
    let at = symbol(&program, "arena").address;
    let (mut equal, mut cells) = (0, 0);
    for level in ["-O0", "-O1", "-O3"] {
        for model in ["-fno-pic", "-fPIC", "-fPIE -ffunction-sections"] {
            let object = folder.object("version.cpp", &source("work.cpp"), &format!("-DV=2 {level} {model}"));
            // ld leaves out the pointers that the script discards; static code has none.
            if model == "-fno-pic" {
                for linker in ["ld", "ld.lld-22"] {
                    let compared = compare(&folder, &object, &program, at, linker);
                    (equal, cells) = (equal + compared.equal, cells + compared.cells);
                }
            } else {
                frames_are_those_of_the_functions(&link(&object, &program, at, 1 << 20).unwrap());
            }
        }
    }
    assert!(equal > 1000, "{equal} places, {cells} cells");
}
