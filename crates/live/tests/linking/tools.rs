//! Compilers, linkers, and the patching of executables' files.

use std::path::PathBuf;
use std::process::Command;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use opcost_live::{Frames, LinkedVersion, LiveProgram, ProgramSymbol, SymbolLookup, frames::redirect, link};

/// A temporary folder in which tools run.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes a program that can be run.
    ///
    /// Another process writes it. A child of another test's thread would hold a file that this process has open for
    /// writing until it runs its own program, and until then nobody can run this one.
    pub(crate) fn write_program(&self, name: &str, bytes: &[u8]) {
        self.write(&format!("{name}.bytes"), bytes);
        self.run(&format!("install -m 755 {name}.bytes {name}"));
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs a command of words in the folder; it must succeed. What it says on stdout.
    pub(crate) fn run(&self, words: &str) -> String {
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(&self.0).env("RUST_BACKTRACE", "0");
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Compiles `text`, whose language is that of the name, into an object.
    pub(crate) fn object(&self, name: &str, text: &str, options: &str) -> Vec<u8> {
        self.write(name, text);
        let compiler = if name.ends_with(".f90") { "flang-22 -cpp" } else { "clang-22" };
        self.run(&format!("{compiler} {options} -c {name} -o {name}.o"));
        self.read(&format!("{name}.o"))
    }
}

/// Assembly that makes a program know what `object` uses: a slot for each name, and an address
/// where the object needs one.
pub(crate) fn imports(object: &[u8]) -> String {
    let file = elf::FileHeader64::<LE>::parse(object).unwrap();
    let sections = file.sections(LE, object).unwrap();
    let table = sections.symbols(LE, object, elf::SHT_SYMTAB).unwrap();
    let mut text = ".section .text.imports,\"ax\",@progbits\n".to_owned();
    for (section, relocations) in
        sections.iter().filter_map(|section| Some((section, section.rela(LE, object).unwrap()?.0)))
    {
        let target = sections.section(object::SectionIndex(section.sh_info(LE) as usize)).unwrap();
        for relocation in
            relocations.iter().filter(|_| target.sh_flags(LE) & u64::from(elf::SHF_EXECINSTR) != 0)
        {
            let symbol = table.symbol(object::SymbolIndex(relocation.r_sym(LE, false) as usize)).unwrap();
            let name = std::str::from_utf8(table.symbol_name(LE, symbol).unwrap()).unwrap();
            if !symbol.is_undefined(LE) || symbol.is_weak() || symbol.st_type() == elf::STT_TLS {
                continue;
            }
            text += &match relocation.r_type(LE, false) {
                elf::R_X86_64_32 | elf::R_X86_64_32S | elf::R_X86_64_64 => format!(".long {name}\n"),
                _ => format!("movq {name}@GOTPCREL(%rip), %rax\n"),
            };
        }
    }
    text + ".section .note.GNU-stack,\"\",@progbits\n"
}

/// A source of the folder `sources`.
pub(crate) fn source(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sources").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The one symbol `name` of `program`.
pub(crate) fn symbol(program: &LiveProgram, name: &str) -> ProgramSymbol {
    match program.find(name) {
        SymbolLookup::Shared(symbol) | SymbolLookup::Local(symbol) => symbol,
        other => panic!("{name} is {other:?}"),
    }
}

/// Writes `data` where the file `bytes` has the address `at`.
pub(crate) fn patch(bytes: &mut [u8], at: u64, data: &[u8]) {
    let header = elf::FileHeader64::<LE>::parse(&*bytes).unwrap();
    let segments = header.program_headers(LE, &*bytes).unwrap();
    let offset = segments.iter().find_map(|segment| {
        let inside = at.checked_sub(segment.p_vaddr(LE))?;
        let fits = segment.p_type(LE) == elf::PT_LOAD && inside + data.len() as u64 <= segment.p_filesz(LE);
        fits.then_some(segment.p_offset(LE) + inside)
    });
    let offset = usize::try_from(offset.expect("a segment has the address")).unwrap();
    bytes[offset..offset + data.len()].copy_from_slice(data);
}

/// Links `objects` into the arena of `program` one after the other, and lets `current` be the
/// last one's `work`. The table of frames is that of `frames`.
pub(crate) fn replaced(program: &[u8], objects: &[&[u8]]) -> Vec<u8> {
    let facts = LiveProgram::read(program).unwrap();
    let mut file = program.to_vec();
    let (mut at, end) = (symbol(&facts, "arena").address, symbol(&facts, "arena_end").address);
    let table_at = symbol(&facts, "frames").address;
    let mut table = Frames::of(&facts, table_at, 5000).unwrap();
    assert_eq!(Frames::size(&facts, 5000).unwrap(), table.bytes().len());
    patch(&mut file, table_at, table.bytes());
    redirect(&mut file, table_at, table.bytes().len() as u64).unwrap();
    for object in objects {
        let linked: LinkedVersion = link(object, &facts, at, end - at).unwrap();
        patch(&mut file, at, &linked.bytes);
        for write in table.appended(&linked.frames).unwrap() {
            patch(&mut file, table_at + write.offset as u64, &write.bytes);
        }
        let work = linked.symbols.iter().find(|symbol| symbol.name == "work").unwrap();
        patch(&mut file, symbol(&facts, "current").address, &work.address.to_le_bytes());
        // Odd, so that the image itself starts at no multiple of an alignment.
        at += linked.bytes.len() as u64 + 13;
    }
    file
}

/// Random numbers that are the same each time (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}
