//! Modules of a program whose functions are replaced while it runs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use object::write::{Object, Relocation, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind,
    SymbolScope, elf,
};
use opcost_answer::Failure;
use opcost_job::JobStopper;
use opcost_job::live::{MadeVersion, VersionJob};

use super::state::{Build, LiveModule};

impl Build {
    /// The bitcode of which versions of functions of a module are made.
    pub(crate) fn basis(&self, number: u32) -> PathBuf {
        self.path(format!("{number}.basis.bc"))
    }

    /// Modules that were built with versions, in their order.
    pub fn live_modules(&self) -> Vec<LiveModule> {
        self.live.borrow().clone()
    }

    /// An object that has the linker give each import a slot, if there is one. None of it runs.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn imports(&self) -> Result<PathBuf, Failure> {
        let modules = self.live.borrow();
        let names: BTreeSet<&str> = modules
            .iter()
            .flat_map(|module| &module.imports)
            .map(|name| name.trim_start_matches('\u{1}'))
            .collect();
        let path = self.path("imports.o");
        std::fs::write(&path, slots(names)).map_err(Failure::file("write", &path))?;
        Ok(path)
    }

    /// What ends the making of versions.
    pub fn stopper(&self) -> JobStopper {
        self.jobs.stopper()
    }

    /// Has a later version made.
    ///
    /// # Errors
    /// LLVM says no.
    pub fn version(&self, job: VersionJob) -> Result<MadeVersion, Failure> {
        let file = job.output.with_extension("job");
        let name = job.plan.symbol.clone();
        self.jobs.request(job, &file, &name)
    }
}

/// `movq NAME@GOTPCREL(%rip), %rax`, without the distance of the slot.
const LOAD: [u8; 7] = [0x48, 0x8b, 0x05, 0, 0, 0, 0];
/// Where in it the distance is. It counts from the end of the instruction.
const DISTANCE: u64 = 3;

/// An object with a load for each name, as a compiler writes it. Where a library has the name, the linker makes a slot.
/// Where the program has it, its address is known without one.
fn slots<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let section = object.add_section(Vec::new(), b".text.opc_imports".to_vec(), SectionKind::Text);
    for name in names {
        let symbol = object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value: 0,
            size: 0,
            kind: SymbolKind::Unknown,
            scope: SymbolScope::Dynamic,
            weak: true,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        });
        let load = object.append_section_data(section, &LOAD, 1);
        let flags = RelocationFlags::Elf { r_type: elf::R_X86_64_REX_GOTPCRELX };
        let relocation = Relocation { offset: load + DISTANCE, symbol, addend: -4, flags };
        object.add_relocation(section, relocation).expect("it is one of ELF");
    }
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    object.write().expect("names without a section are plain")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use object::{Object, ObjectSection, ObjectSymbol};

    /// Sections with their flags and bytes, relocations, and symbols by binding and kind.
    fn content(bytes: &[u8]) -> Vec<String> {
        let file = object::File::parse(bytes).expect("an object");
        let mut all = Vec::new();
        for section in file.sections() {
            let name = section.name().expect("a name");
            if [".text.opc_imports", ".note.GNU-stack"].contains(&name) {
                all.push(format!("{name} {:?} {:?} {:?}", section.flags(), section.align(), section.data()));
            }
            for (at, relocation) in section.relocations() {
                let object::RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{at}") };
                let symbol = file.symbol_by_index(symbol).expect("a symbol");
                let name = symbol.name().expect("a name");
                all.push(format!("{at} {name} {:?} {:?}", symbol.flags(), symbol.section()));
                all.push(format!("{:?} {}", relocation.flags(), relocation.addend()));
            }
        }
        all
    }

    fn clang(folder: &Path, words: &[&str]) {
        let status =
            Command::new("clang-22").current_dir(folder).args(words).status().expect("clang is there");
        assert!(status.success(), "{words:?}");
    }

    /// What clang's assembler makes of the same instructions.
    #[test]
    fn the_object_is_that_of_an_assembler() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = ".section .text.opc_imports,\"ax\",@progbits\n.weak \"a b\"\n\
                    movq \"a b\"@GOTPCREL(%rip), %rax\n.weak puts\nmovq puts@GOTPCREL(%rip), %rax\n\
                    .section .note.GNU-stack,\"\",@progbits\n";
        std::fs::write(folder.path().join("a.s"), text).expect("room");
        clang(folder.path(), &["-c", "a.s"]);
        let assembled = std::fs::read(folder.path().join("a.o")).expect("it was made");
        assert_eq!(content(&super::slots(["a b", "puts"])), content(&assembled));
    }

    /// A name of a library gets a slot, one that nobody has does not keep the program from being linked.
    #[test]
    fn names_of_libraries_get_slots() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("room");
        std::fs::write(folder.path().join("a.o"), super::slots(["main", "nobody", "puts"])).expect("room");
        for linker in ["bfd", "lld"] {
            let linker = format!("-fuse-ld={linker}");
            clang(folder.path(), &["-no-pie", "-Wl,-z,now", &linker, "a.c", "a.o", "-o", "a"]);
            let program = std::fs::read(folder.path().join("a")).expect("it was linked");
            let file = object::File::parse(&*program).expect("a program");
            let symbols = file.dynamic_symbols().filter(|symbol| symbol.name() == Ok("puts"));
            let puts: Vec<_> = symbols.map(|symbol| symbol.index()).collect();
            let slots = file.dynamic_relocations().expect("relocations").filter(|(_, one)| {
                let object::RelocationTarget::Symbol(symbol) = one.target() else { return false };
                let slot = object::RelocationFlags::Elf { r_type: object::elf::R_X86_64_GLOB_DAT };
                one.flags() == slot && puts.contains(&symbol)
            });
            assert_eq!(slots.count(), 1, "{linker}");
        }
    }
}
