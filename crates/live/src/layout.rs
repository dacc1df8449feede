//! Where does each part of a new version go?
//!
//! One after the other from the given address, each at its alignment: code, stubs, constants,
//! pointers, handlers, frames, and last the cells. Code starts at lines of the cache. A stub
//! calls a function whose address only a slot of the program holds, `jmp *slot(%rip)`. A cell
//! holds an address that code reads from memory (`GOTPCREL`), where the program has no slot for
//! it. Which of both are needed is known before anything has a place, so one pass is enough.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::LinkRefused;
use crate::input::{Input, Role};
use crate::resolve::Target;

/// The size of a line of the cache in bytes.
const LINE: u64 = 64;
/// From stub to stub, in bytes.
pub(crate) const STUB: u64 = 8;
const CELL: u64 = 8;

/// What is needed in addition to the sections.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Slots of the program that stubs jump to.
    pub(crate) stubs: BTreeSet<u64>,
    /// What cells hold.
    pub(crate) cells: BTreeSet<Target>,
}

/// The addresses of everything.
#[derive(Debug)]
pub(crate) struct Layout {
    /// By the number of the section; `None` if it has no place.
    pub(crate) sections: Vec<Option<u64>>,
    /// By the slot of the program.
    pub(crate) stubs: BTreeMap<u64, u64>,
    pub(crate) cells: BTreeMap<Target, u64>,
    /// Where the code with its stubs ends.
    pub(crate) code_end: u64,
    pub(crate) end: u64,
}

/// The next free address, and where the room ends.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    next: u64,
    end: u64,
    room: u64,
}

impl Cursor {
    /// Takes `size` bytes at a multiple of `align`, a power of two.
    fn take(&mut self, size: u64, align: u64) -> Result<u64, LinkRefused> {
        let start = self.next.checked_next_multiple_of(align);
        let end = start.and_then(|start| start.checked_add(size)).filter(|&end| end <= self.end);
        let (Some(start), Some(end)) = (start, end) else {
            return Err(LinkRefused::Room { room: self.room });
        };
        self.next = end;
        Ok(start)
    }
}

impl Layout {
    /// Gives everything in `input` and `extras` an address in the `room` bytes from `at`.
    pub(crate) fn compute(
        input: &Input<'_>,
        extras: &Extras,
        at: u64,
        room: u64,
    ) -> Result<Self, LinkRefused> {
        let end = at.checked_add(room).ok_or(LinkRefused::Room { room })?;
        let mut cursor = Cursor { next: at, end, room };
        let mut sections = vec![None; input.sections.len()];
        assign(input, Role::Code, &mut sections, &mut cursor)?;
        let stubs = extras.stubs.iter().map(|&slot| Ok((slot, cursor.take(STUB, STUB)?)));
        let stubs = stubs.collect::<Result<_, LinkRefused>>()?;
        let code_end = cursor.next;
        for role in [Role::Constant, Role::Pointers, Role::Handlers, Role::Frames] {
            assign(input, role, &mut sections, &mut cursor)?;
        }
        let cells = extras.cells.iter().map(|&target| Ok((target, cursor.take(CELL, CELL)?)));
        let cells = cells.collect::<Result<_, LinkRefused>>()?;
        Ok(Self { sections, stubs, cells, code_end, end: cursor.next })
    }
}

fn assign(
    input: &Input<'_>,
    role: Role,
    sections: &mut [Option<u64>],
    cursor: &mut Cursor,
) -> Result<(), LinkRefused> {
    for (section, address) in input.sections.iter().zip(sections) {
        if section.role == role {
            let align = if role == Role::Code { section.align.max(LINE) } else { section.align };
            *address = Some(cursor.take(section.size, align)?);
        }
    }
    Ok(())
}
