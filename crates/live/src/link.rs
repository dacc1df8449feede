//! Which bytes does an object become at a fixed address of a running program?
//!
//! A linker for one object and one program: sort (`input`), resolve and scan (`relocate`), give
//! places (`layout`), copy and fix. The image starts at the given address, also where that is
//! no multiple of an alignment. Gaps between code are `int3`, so that a jump into one ends.
//!
//! Input: a relocatable object as LLVM writes it, at a multiple of eight in memory, and the facts
//! of the program. Output: the image, its functions and frames. Cost: linear in the object; a
//! logarithm for stubs and cells. Limits: no variables, no thread-locals by calls, small code
//! model. The rest is refused by name.

use object::elf;

use crate::error::LinkRefused;
use crate::input::{Input, Location, Role};
use crate::layout::Layout;
use crate::program::LiveProgram;
use crate::relocate::{Scan, apply};
use crate::table::table;
use crate::unwind::{FrameEntry, frames_of};

/// A function of a new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedSymbol {
    /// Its name.
    pub name: String,
    /// Where its code starts.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// Where a section of the object went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedSection {
    /// Its number in the object.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// An object at its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedVersion {
    /// The image, from the address at which it was linked.
    pub bytes: Vec<u8>,
    /// Its functions, by their addresses. Those of the object itself, also where another one is called.
    pub symbols: Vec<LinkedSymbol>,
    /// Where the code of each function's frame is described, by the address of the code.
    pub frames: Vec<FrameEntry>,
    /// Which parts of the object are in the image, by their numbers.
    pub sections: Vec<PlacedSection>,
    /// What the object says of its code, if it does: at the addresses of this image.
    pub table: Vec<u8>,
}

/// Links `object` into the `room` bytes from `at`, as a part of `program`.
pub fn link(object: &[u8], program: &LiveProgram, at: u64, room: u64) -> Result<LinkedVersion, LinkRefused> {
    let input = Input::read(object, program)?;
    let scan = Scan::compute(&input, program)?;
    let layout = Layout::compute(&input, &scan.extras, at, room)?;
    let mut bytes = filled(&input, &layout, at)?;
    apply(&scan, &layout, at, &mut bytes)?;
    let symbols = functions(&input, &layout)?;
    let frames = frames(&input, &layout, at, &bytes)?;
    let sections = placed(&input, &layout);
    let table = table(&input, &layout)?;
    Ok(LinkedVersion { bytes, symbols, frames, sections, table })
}

fn in_memory(size: u64, room: u64) -> Result<usize, LinkRefused> {
    usize::try_from(size).map_err(|_| LinkRefused::Room { room })
}

/// The image before relocation.
fn filled(input: &Input<'_>, layout: &Layout, at: u64) -> Result<Vec<u8>, LinkRefused> {
    let size = layout.end - at;
    let mut bytes = vec![0; in_memory(size, size)?];
    let code = in_memory(layout.code_end - at, size)?;
    bytes[..code].fill(0xcc);
    for (section, address) in input.sections.iter().zip(&layout.sections) {
        let Some(address) = address else { continue };
        let start = in_memory(address - at, size)?;
        let room = &mut bytes[start..start + in_memory(section.size, size)?];
        // A section without content is one of zeros.
        let (content, rest) = room.split_at_mut(section.data.len().min(room.len()));
        content.copy_from_slice(&section.data[..content.len()]);
        rest.fill(0);
    }
    Ok(bytes)
}

/// The functions of the object's code.
fn functions(input: &Input<'_>, layout: &Layout) -> Result<Vec<LinkedSymbol>, LinkRefused> {
    let mut functions = Vec::new();
    for symbol in input.symbols.iter().filter(|symbol| symbol.kind == elf::STT_FUNC) {
        let Location::Section(index) = symbol.location else { continue };
        let section = input.sections.get(index).ok_or(LinkRefused::NotAnObject)?;
        let (Role::Code, Some(start)) = (section.role, layout.sections[index]) else { continue };
        let name = symbol.name.to_owned();
        if symbol.value.checked_add(symbol.size).is_none_or(|end| end > section.size) {
            return Err(LinkRefused::Function { symbol: name });
        }
        functions.push(LinkedSymbol { name, address: start + symbol.value, size: symbol.size });
    }
    functions.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    Ok(functions)
}

/// All frames of the object. Each must be one of its own code.
fn frames(input: &Input<'_>, layout: &Layout, at: u64, bytes: &[u8]) -> Result<Vec<FrameEntry>, LinkRefused> {
    let mut frames = Vec::new();
    for (section, address) in input.sections.iter().zip(&layout.sections) {
        let (Role::Frames, Some(address)) = (section.role, *address) else { continue };
        let wrong = |offset| LinkRefused::FrameForm { section: section.name.to_owned(), offset };
        let start = in_memory(address - at, section.size)?;
        let end = start + in_memory(section.size, section.size)?;
        let found = frames_of(&bytes[start..end], address).map_err(|record| wrong(record.offset))?;
        if let Some(outside) = found.iter().find(|frame| !(at..=layout.code_end).contains(&frame.start)) {
            return Err(wrong(in_memory(outside.entry - address, section.size)?));
        }
        frames.extend(found);
    }
    frames.sort_by_key(|frame| (frame.start, frame.entry));
    Ok(frames)
}

fn placed(input: &Input<'_>, layout: &Layout) -> Vec<PlacedSection> {
    let sections = input.sections.iter().zip(&layout.sections).enumerate();
    sections
        .filter_map(|(index, (section, address))| {
            let (name, size) = (section.name.to_owned(), section.size);
            Some(PlacedSection { index, name, address: (*address)?, size })
        })
        .collect()
}
