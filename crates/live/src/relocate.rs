//! Which bytes does each relocation write?
//!
//! In two passes. The first finds out what each relocation refers to, and so which stubs and
//! cells are needed; the result is a list of [`Fix`]es. The second, when everything has an
//! address, computes values exactly and checks that they fit. Nothing is relaxed: an instruction
//! that reads an address from a cell goes on doing so. So the bytes of code change nowhere but in
//! the fields of relocations.
//!
//! Tables of exceptions refer to types by a pointer in memory. If the pointer would hold what
//! only a slot of the program knows, the table refers to that slot instead. The personality
//! function of a frame may be a stub, since it is only called.

use crate::error::LinkRefused;
use crate::input::{Input, Relocation, Role};
use crate::layout::{Extras, Layout};
use crate::program::LiveProgram;
use crate::relocation::{Form, Meaning, Unsupported, form};
use crate::resolve::{Target, resolve};

/// What one relocation writes, once everything has an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fix {
    section: usize,
    offset: u64,
    form: Form,
    value: Source,
    addend: i64,
    symbol: usize,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The target itself.
    Target(Target),
    /// The stub that jumps through this slot.
    Stub(u64),
    /// The cell that holds the target.
    Cell(Target),
}

/// The first pass over all relocations of one object.
#[derive(Debug)]
pub(crate) struct Scan<'a, 'data> {
    input: &'a Input<'data>,
    program: &'a LiveProgram,
    /// What is known of each symbol.
    targets: Vec<Option<Target>>,
    pub(crate) extras: Extras,
    pub(crate) fixes: Vec<Fix>,
}

impl<'a, 'data> Scan<'a, 'data> {
    /// Finds out what all relocations of `input` refer to.
    pub(crate) fn compute(input: &'a Input<'data>, program: &'a LiveProgram) -> Result<Self, LinkRefused> {
        let targets = vec![None; input.symbols.len()];
        let mut scan = Self { input, program, targets, extras: Extras::default(), fixes: Vec::new() };
        for (index, section) in
            input.sections.iter().enumerate().filter(|(_, section)| section.role.is_placed())
        {
            for relocation in &section.relocations {
                scan.note(index, relocation)?;
            }
        }
        Ok(scan)
    }

    fn target(&mut self, symbol: usize) -> Result<Target, LinkRefused> {
        if let Some(&Some(target)) = self.targets.get(symbol) {
            return Ok(target);
        }
        let target = resolve(self.input, self.program, symbol)?;
        if let Some(known) = self.targets.get_mut(symbol) {
            *known = Some(target);
        }
        Ok(target)
    }

    fn note(&mut self, index: usize, relocation: &Relocation) -> Result<(), LinkRefused> {
        let Relocation { offset, kind, symbol, mut addend } = *relocation;
        if kind == object::elf::R_X86_64_NONE {
            return Ok(());
        }
        let section = &self.input.sections[index];
        let form = form(kind).map_err(|Unsupported { name }| {
            let section = section.name.to_owned();
            LinkRefused::Relocation { section, offset, kind, name }
        })?;
        if offset.checked_add(form.field.size()).is_none_or(|end| end > section.size) {
            return Err(LinkRefused::Outside { section: section.name.to_owned(), offset });
        }
        let mut target = self.target(symbol)?;
        if section.role.is_for_exceptions()
            && let Some(slot) = self.slot_behind(target, addend)?
        {
            (target, addend) = (Target::At(slot), 0);
        }
        if section.role == Role::Pointers && matches!(target, Target::Slot(_)) {
            // Whoever refers to this pointer refers to the slot instead.
            return Ok(());
        }
        let value = match self.source(section.role, form.meaning, target) {
            Ok(value) => value,
            // As the linker of the program did it.
            Err(Problem::OnlySlot) if self.is_unowned(symbol) => Source::Target(Target::At(0)),
            Err(problem) => return Err(problem.refused(section.name.to_owned(), offset, self.label(symbol))),
        };
        self.fixes.push(Fix { section: index, offset, form, value, addend, symbol });
        Ok(())
    }

    /// The slot of the program that does for the pointer at `target` + `addend`.
    fn slot_behind(&mut self, target: Target, addend: i64) -> Result<Option<u64>, LinkRefused> {
        let Target::Placed { section, offset } = target else { return Ok(None) };
        let section = &self.input.sections[section];
        if section.role != Role::Pointers {
            return Ok(None);
        }
        let place = offset.checked_add_signed(addend);
        let pointer = section.relocations.iter().find(|pointer| Some(pointer.offset) == place);
        let Some(pointer) = pointer else {
            return Err(LinkRefused::Outside { section: section.name.to_owned(), offset });
        };
        Ok(match self.target(pointer.symbol)? {
            Target::Slot(slot) => Some(slot),
            _ => None,
        })
    }

    /// Where the value of a relocation in a section of `role` comes from.
    fn source(&mut self, role: Role, meaning: Meaning, target: Target) -> Result<Source, Problem> {
        let is_thread = matches!(target, Target::Thread(_) | Target::ThreadSlot(_));
        if is_thread != matches!(meaning, Meaning::ThreadOffset | Meaning::ThreadCell) {
            return Err(Problem::ThreadLocal);
        }
        match (meaning, target) {
            (Meaning::Cell | Meaning::ThreadCell, Target::Slot(slot) | Target::ThreadSlot(slot)) => {
                Ok(Source::Target(Target::At(slot)))
            }
            (Meaning::Cell | Meaning::ThreadCell, _) => {
                self.extras.cells.insert(target);
                Ok(Source::Cell(target))
            }
            (Meaning::ThreadOffset, Target::ThreadSlot(_)) => Err(Problem::OnlySlot),
            (_, Target::Slot(slot)) if meaning == Meaning::Call || role == Role::Frames => {
                self.extras.stubs.insert(slot);
                Ok(Source::Stub(slot))
            }
            (_, Target::Slot(_)) => Err(Problem::OnlySlot),
            _ => Ok(Source::Target(target)),
        }
    }

    /// Whether symbol `number` is weak and nobody defined it when the program was linked.
    fn is_unowned(&self, number: usize) -> bool {
        let is_weak = |symbol: &&crate::input::Symbol<'_>| symbol.binding == object::elf::STB_WEAK;
        let symbol = self.input.symbols.get(number).filter(is_weak);
        symbol.is_some_and(|symbol| self.program.is_unowned(symbol.name))
    }

    fn label(&self, symbol: usize) -> String {
        self.input.symbols.get(symbol).map_or_else(String::new, |symbol| self.input.label(symbol))
    }
}

/// Why a relocation and its target do not go together.
enum Problem {
    OnlySlot,
    ThreadLocal,
}

impl Problem {
    fn refused(self, section: String, offset: u64, symbol: String) -> LinkRefused {
        match self {
            Self::OnlySlot => LinkRefused::OnlySlot { section, offset, symbol },
            Self::ThreadLocal => LinkRefused::ThreadLocal { section, offset, symbol },
        }
    }
}

/// What `target` is as a number.
fn number(target: Target, layout: &Layout) -> i128 {
    match target {
        Target::Placed { section, offset } => {
            let start = layout.sections[section].expect("only a placed section is a target");
            i128::from(start) + i128::from(offset)
        }
        Target::At(address) | Target::Slot(address) | Target::ThreadSlot(address) => address.into(),
        Target::Thread(offset) => offset.into(),
    }
}

/// Writes all fixes, stubs and cells into `image`, whose first byte is at `at`.
pub(crate) fn apply(
    scan: &Scan<'_, '_>,
    layout: &Layout,
    at: u64,
    image: &mut [u8],
) -> Result<(), LinkRefused> {
    for fix in &scan.fixes {
        let start = layout.sections[fix.section].expect("only placed sections have fixes");
        let place = start + fix.offset;
        let value = i128::from(fix.addend)
            + match fix.value {
                Source::Target(target) => number(target, layout),
                Source::Stub(slot) => layout.stubs[&slot].into(),
                Source::Cell(target) => layout.cells[&target].into(),
            };
        let value = match fix.form.meaning {
            Meaning::Address | Meaning::ThreadOffset => value,
            _ => value - i128::from(place),
        };
        let bytes = fix.form.field.bytes(value).ok_or_else(|| LinkRefused::Overflow {
            section: scan.input.sections[fix.section].name.to_owned(),
            offset: fix.offset,
            symbol: scan.label(fix.symbol),
            name: fix.form.name,
            value,
        })?;
        write(image, place - at, &bytes);
    }
    for (&slot, &place) in &layout.stubs {
        write(image, place - at, &stub(slot, place)?);
    }
    for (&target, &place) in &layout.cells {
        // Addresses and offsets are 64 bits by their types; a sum beyond is cut as the ABI says.
        write(image, place - at, &(number(target, layout) as u64).to_le_bytes());
    }
    Ok(())
}

/// `jmp *slot(%rip)` for the address `place`.
fn stub(slot: u64, place: u64) -> Result<[u8; 6], LinkRefused> {
    let distance = i128::from(slot) - i128::from(place) - 6;
    let [a, b, c, d] = i32::try_from(distance)
        .map_err(|_| LinkRefused::Overflow {
            section: "the stubs of the version".to_owned(),
            offset: place,
            symbol: format!("the slot at {slot:#x}"),
            name: "a stub",
            value: distance,
        })?
        .to_le_bytes();
    Ok([0xff, 0x25, a, b, c, d])
}

fn write(image: &mut [u8], offset: u64, bytes: &[u8]) {
    let offset = usize::try_from(offset).expect("the image is in memory");
    image[offset..offset + bytes.len()].copy_from_slice(bytes);
}
