//! What does an object say of its code, at the addresses that the code has now?
//!
//! The section [`TABLE`] tells which code is executed for which block (`crates/llvm/shim/code.cpp`). It is not in memory,
//! and holds addresses of code alone. The program's linker fills them in for first versions; here that is done for
//! later ones. Addresses of what has no place are zero, as linkers write them.
//!
//! Cost: a copy, and its relocations.

use object::elf;

use crate::error::LinkRefused;
use crate::input::{Input, Location, Role, TABLE};
use crate::layout::Layout;

/// The table of an object; empty if it has none.
pub(crate) fn table(input: &Input<'_>, layout: &Layout) -> Result<Vec<u8>, LinkRefused> {
    let mut all = Vec::new();
    for section in input.sections.iter().filter(|section| section.role == Role::Table) {
        let start = all.len();
        all.extend_from_slice(section.data);
        for one in &section.relocations {
            let place = usize::try_from(one.offset).ok().and_then(|offset| start.checked_add(offset));
            let bytes = place.and_then(|place| all.get_mut(place..place.checked_add(8)?));
            let symbol = input.symbols.get(one.symbol);
            let (Some(bytes), Some(symbol), elf::R_X86_64_64) = (bytes, symbol, one.kind) else {
                return Err(LinkRefused::Outside { section: TABLE.to_owned(), offset: one.offset });
            };
            let home = match symbol.location {
                Location::Section(number) => layout.sections.get(number).copied().flatten(),
                Location::Undefined | Location::Absolute => None,
            };
            let address =
                home.map_or(0, |home| home.wrapping_add(symbol.value).wrapping_add_signed(one.addend));
            bytes.copy_from_slice(&address.to_le_bytes());
        }
    }
    Ok(all)
}
