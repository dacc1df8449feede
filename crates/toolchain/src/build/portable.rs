//! A program that has one number on every machine, for one of them.
//!
//! ```text
//! sources ─clang, for the reference machine▶ bitcode ─spell out, link the library▶ anchor
//!     anchor ─weigh, meter▶ metered module ─code generation▶ object + world, fuel ─clang▶ program
//! ```
//!
//! Everything up to the metered module is the same for all machines; its hash
//! is kept in the program, beside that of the headers and the library, which opcost
//! carries: clang finds no others ([`super::headers`]). Limit: another release of clang
//! may make another program, which the hash shows.

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_instrument::Portability;
use opcost_job::module::{PortableWish, Product};
use opcost_runtime::portable::{MATH, SHAPE, UNIT};

use super::state::Build;
use crate::cached::carried::{Order, make};
use crate::input::Input;
use crate::machine::Machine;
use crate::running::run_tool;
use crate::runtime::{ANYWHERE, write_all};

impl Build {
    /// Builds a metered program, or whatever is wanted of it, at `output`, unless
    /// something speaks against it.
    ///
    /// # Errors
    /// It does not compile, has no `main`, or the machine's C library is not there.
    pub fn portable(
        &self,
        machine: Machine,
        inputs: &[Input],
        product: Product,
        output: &Path,
    ) -> Result<Portability, Failure> {
        let made = if product == Product::Object { self.path("program.o") } else { output.to_owned() };
        let reply = self.build_together(inputs, product, &made)?;
        let portability = reply.portability.expect("what is asked to be portable is judged");
        if product == Product::Object && portability.admission.objections.is_empty() {
            self.link_portable(machine, &made, output)?;
        }
        Ok(portability)
    }

    /// What the worker must know to make a program portable.
    pub(crate) fn portable_wish(&self, machine: Machine) -> Result<PortableWish, Failure> {
        let folder = self.path("portable");
        let bitcode = folder.join("portable.bc");
        if !bitcode.exists() {
            write_all(&folder, opcost_runtime::portable::SOURCES)?;
            let mut command = Command::new(&self.tools.clang);
            command.args(SHAPE).args(opcost_runtime::portable::FLAGS);
            self.include_c(&mut command)?;
            command.arg(format!("-ffile-prefix-map={}=opcost-library", folder.display())).args(ANYWHERE);
            command.arg(folder.join(UNIT)).arg("-o").arg(&bitcode);
            let order = Order {
                scratch: &self.path(""),
                carried: &[&folder, &self.path("portable-include")],
                products: std::slice::from_ref(&bitcode),
                name: "opcost's portable library",
            };
            make(&mut command, &order)?;
        }
        let mut library = vec![bitcode];
        for (name, bytes) in MATH {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(Failure::file("write", &path))?;
            library.push(path);
        }
        Ok(PortableWish { triple: machine.triple().to_owned(), library })
    }

    /// Links the object, the machine's fuel and its world.
    fn link_portable(&self, machine: Machine, object: &Path, output: &Path) -> Result<(), Failure> {
        let for_machine = |error| match error {
            Failure::ToolFailed { .. } if machine != Machine::at_hand() => Failure::ToolMissing {
                tool: format!("a C library for {}", machine.triple()),
                remedy: machine.remedy().to_owned(),
            },
            error => error,
        };
        let runtime = self.portable_runtime(machine).map_err(for_machine)?;
        let mut command = self.clang_for(machine);
        if machine != Machine::at_hand() {
            // An emulator need not find the machine's libraries then.
            command.args(["-static", "-fuse-ld=lld"]);
        }
        command.arg(object).args(runtime);
        // `floor` and its like are calls on some machines, and exact on all.
        command.args((machine != Machine::X86Windows).then_some("-lm"));
        // Linkers for Windows choose the ending themselves.
        let linked = self.path("linked.exe");
        command.arg("-o").arg(&linked);
        run_tool(&mut command, &self.tools.clang, output).map_err(for_machine)?;
        std::fs::rename(&linked, output).map_err(Failure::file("write", output))
    }

    /// The machine's fuel and its world, as objects.
    fn portable_runtime(&self, machine: Machine) -> Result<[PathBuf; 2], Failure> {
        use opcost_runtime::{fuel, portable};
        let folder = self.path("machine");
        let source = if machine == Machine::X86Windows { portable::FUEL_WINDOWS } else { fuel::SOURCE };
        let headers = [fuel::PAGE_HEADER, fuel::WALLS, opcost_host::TOLD];
        write_all(&folder, &[&[source, portable::WORLD], &headers[..]].concat())?;
        let names = [source.0, portable::WORLD.0];
        let objects = names.map(|name| folder.join(name).with_extension("o"));
        let mut command = self.clang_for(machine);
        command.arg("-c").args(names).current_dir(&folder);
        let order =
            Order { scratch: &folder, carried: &[&folder], products: &objects, name: "opcost's runtime" };
        make(&mut command, &order)?;
        Ok(objects)
    }

    fn clang_for(&self, machine: Machine) -> Command {
        let mut command = Command::new(&self.tools.clang);
        command.arg(format!("--target={}", machine.triple())).arg("-O2");
        command
    }
}
