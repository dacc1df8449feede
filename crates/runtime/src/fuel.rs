//! The page that a metered program shares with whoever gave it fuel.
//!
//! The offsets are those of `struct opc_fuel_page` in `c/fuel_page.h`.

/// Source of the metered program's runtime: one file.
pub const SOURCE: (&str, &str) = ("fuel.c", include_str!("c/fuel.c"));
/// What it includes, as the other machines' runtimes do.
pub const PAGE_HEADER: (&str, &str) = ("fuel_page.h", include_str!("c/fuel_page.h"));
/// What it includes when it is compiled with [`WALLED`].
pub const WALLS: (&str, &str) = ("walls.c", include_str!("c/walls.c"));
/// The flag for programs that nobody trusts.
pub const WALLED: &str = "-DOPC_WALLED";
/// In a filter, represents the number of the process that loads it.
pub const OWN_PROCESS: u32 = 0x6f70_6373;
/// Instructions that both filters may have together.
pub const MOST_FILTERS: usize = 4000;
/// Environment variable: absolute path of the page's file.
pub const FILE_VARIABLE: &str = "OPCOST_FUEL";
/// Bytes of the file.
pub const PAGE: usize = 65536;

const MAGIC: &[u8] = b"OPCFUEL1";
const USED_UP: u32 = 1;
const STACK: u32 = 2;
const FORBIDDEN: u32 = 3;
const MEMORY: u32 = 4;
const CRASHED: u32 = 5;
const TAMPERED: u32 = 6;
const KEY_AT: usize = 48 + 1024 + 2048;
const FORKED: u32 = 1;
const WALLS_UP: u32 = 2;
const HIDDEN: u32 = 4;
const LOOKS: u32 = 8;
const SEEN_AT: usize = KEY_AT + 16;
const KNOWN_AT: usize = SEEN_AT + 8;
const LEFT_AT_FAULT_AT: usize = KNOWN_AT + 8;
const WALLS_AT: usize = 4096;

/// An instruction of a system call filter, as the kernel reads it: code, jumps
/// if true and if false, constant.
pub type FilterStep = (u16, u8, u8, u32);

/// A page with `limit` to spend for a program with walls. It may have `memory` bytes of addresses,
/// and both filters hold from its first instruction on. The second one must let no further filter
/// be loaded.
///
/// # Panics
/// There are more steps than [`MOST_FILTERS`].
pub fn walled_page(limit: i64, memory: u64, filters: [&[FilterStep]; 2]) -> Vec<u8> {
    let mut page = fresh_page(limit);
    let mut bytes = memory.to_le_bytes().to_vec();
    for filter in filters {
        bytes.extend((filter.len() as u32).to_le_bytes());
    }
    assert!(filters.iter().map(|filter| filter.len()).sum::<usize>() <= MOST_FILTERS);
    for (code, if_true, if_false, constant) in filters.concat() {
        bytes.extend(code.to_le_bytes());
        bytes.extend([if_true, if_false]);
        bytes.extend(constant.to_le_bytes());
    }
    page[WALLS_AT..WALLS_AT + bytes.len()].copy_from_slice(&bytes);
    page
}

/// The same with a key for the counter's second copy.
pub fn keyed_page(limit: i64, key: u64) -> Vec<u8> {
    let mut page = fresh_page(limit);
    page[KEY_AT..KEY_AT + 8].copy_from_slice(&key.to_le_bytes());
    page
}

/// A page with `limit` to spend, as a program must find it.
pub fn fresh_page(limit: i64) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    page[16..24].copy_from_slice(&limit.to_le_bytes());
    page
}

/// What a page says after the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What was left; below zero, what was spent beyond the limit. At most this
    /// if the program did not end by itself or by its limit.
    pub left: i64,
    /// What the program's cell says, or said when it was stopped: it may be out of date.
    pub settled: i64,
    /// Whether the program says what is left when it gets a SIGURG.
    pub has_balance_signal: bool,
    /// How often it did.
    pub balance_reports: u32,
    /// How `left` is known of a program that ended by a fault.
    pub fault_balance: FaultBalance,
    /// Where it was stopped, if it was.
    pub stopped: Option<Stop>,
    /// Whether it crashed because its stack was full.
    pub is_stack_full: bool,
    /// The number of the system call that ended it.
    pub forbidden_call: Option<u32>,
    /// The signal or exception by which it crashed, where no signal of the system says it.
    pub crash: Option<u32>,
    /// Where it would have written to its counter, or had, if it did.
    pub tampered: Option<Stop>,
    /// Whether both copies of its counter say the same; of programs that keep two.
    pub copies_agree: bool,
    /// Whether it crashed for lack of memory.
    pub is_memory_full: bool,
    /// Whether the walls were up before it began.
    pub has_walls: bool,
    /// Whether its counter was where it could not find it.
    pub is_hidden: bool,
    /// Whether it runs still, or ended in no way that the page describes.
    pub is_running: bool,
    /// Whether it made another process, whose work is not in `left`.
    pub forked: bool,
}

/// How it is known what a program had left when it faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultBalance {
    /// It had at most this; or it ended by no fault.
    AtMost,
    /// It had this, at the instruction that faulted.
    Exactly,
    /// It had this, and the loop that it was in is charged whole.
    LoopAhead,
}

/// Where a program was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Linkage name.
    pub function: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
}

impl Page {
    /// Reads a page; `None` if no metered program has used it.
    pub fn read(bytes: &[u8]) -> Option<Page> {
        let text = |from: usize, size: usize| {
            let field = bytes.get(from..from + size)?;
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(size);
            Some(String::from_utf8_lossy(&field[..end]).into_owned())
        };
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if bytes.get(8..16)? != MAGIC {
            return None;
        }
        let is_stopped = word(24)? == USED_UP;
        let stopped = Stop { function: text(48, 1024)?, file: text(48 + 1024, 2048)?, line: word(28)? };
        // Whoever is stopped fills the cell, so that its last words can be said.
        let (settled, looks) = (if is_stopped { long(40)? } else { long(0)? }, word(36)?);
        let seen = if looks > 0 { long(SEEN_AT)? } else { i64::MAX };
        // If the cell went on behind the fault, the program did.
        let is_last_word = looks > 0 && !is_stopped && settled == long(LEFT_AT_FAULT_AT)?;
        let known = match long(KNOWN_AT)? {
            1 if is_last_word => FaultBalance::Exactly,
            2 if is_last_word => FaultBalance::LoopAhead,
            _ => FaultBalance::AtMost,
        };
        let left = match known {
            _ if is_stopped => settled,
            FaultBalance::AtMost => settled.min(seen),
            FaultBalance::Exactly | FaultBalance::LoopAhead => seen,
        };
        Some(Page {
            left,
            fault_balance: known,
            settled,
            has_balance_signal: word(32)? & LOOKS != 0,
            balance_reports: looks,
            stopped: is_stopped.then(|| stopped.clone()),
            is_stack_full: word(24)? == STACK,
            forbidden_call: (word(24)? == FORBIDDEN).then_some(word(28)?),
            crash: if word(24)? == CRASHED { Some(word(28)?) } else { None },
            tampered: (word(24)? == TAMPERED).then_some(stopped),
            copies_agree: long(0)? ^ long(KEY_AT)? == long(KEY_AT + 8)?,
            is_memory_full: word(24)? == MEMORY,
            has_walls: word(32)? & WALLS_UP != 0,
            is_hidden: word(32)? & HIDDEN != 0,
            is_running: word(24)? == 0,
            forked: word(32)? & FORKED != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNNING: Page = Page {
        left: 0,
        settled: 0,
        has_balance_signal: false,
        balance_reports: 0,
        fault_balance: FaultBalance::AtMost,
        stopped: None,
        is_stack_full: false,
        forbidden_call: None,
        crash: None,
        tampered: None,
        copies_agree: false,
        is_memory_full: false,
        has_walls: false,
        is_hidden: false,
        is_running: true,
        forked: false,
    };

    #[test]
    fn walls_lie_behind_the_page() {
        let page = walled_page(5, 1 << 20, [&[(6, 0, 0, 7)], &[(6, 1, 2, 8), (6, 0, 0, 9)]]);
        assert_eq!(page.len(), PAGE);
        assert_eq!(page[4096..4104], (1u64 << 20).to_le_bytes());
        assert_eq!(page[4104..4112], [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(page[4120..4128], [6, 0, 1, 2, 8, 0, 0, 0]);
    }

    #[test]
    fn an_untouched_page_is_no_answer() {
        assert_eq!(Page::read(&fresh_page(7)), None);
        assert_eq!(Page::read(&[]), None);
    }

    #[test]
    fn what_was_seen_counts_where_the_cell_is_behind() {
        let mut bytes = fresh_page(100);
        bytes[..8].copy_from_slice(&90i64.to_le_bytes());
        bytes[8..16].copy_from_slice(MAGIC);
        bytes[SEEN_AT..SEEN_AT + 8].copy_from_slice(&40i64.to_le_bytes());
        let left = |bytes: &[u8]| Page::read(bytes).map(|page| (page.left, page.settled));
        assert_eq!(left(&bytes), Some((90, 90)));
        bytes[36] = 1;
        assert_eq!(left(&bytes), Some((40, 90)));
        bytes[..8].copy_from_slice(&30i64.to_le_bytes());
        assert_eq!(left(&bytes), Some((30, 30)));
    }

    #[test]
    fn a_page_tells_what_was_left_and_where() {
        let mut bytes = fresh_page(100);
        bytes[..8].copy_from_slice(&(-3i64).to_le_bytes());
        bytes[8..16].copy_from_slice(MAGIC);
        assert_eq!(Page::read(&bytes), Some(Page { left: -3, settled: -3, ..RUNNING }));
        bytes[24] = 1;
        bytes[28] = 41;
        bytes[32] = 1;
        bytes[40..48].copy_from_slice(&(-9i64).to_le_bytes());
        bytes[48..53].copy_from_slice(b"think");
        let stop = Stop { function: "think".into(), file: String::new(), line: 41 };
        let page =
            Page { left: -9, settled: -9, stopped: Some(stop), forked: true, is_running: false, ..RUNNING };
        assert_eq!(Page::read(&bytes), Some(page));
        bytes[24] = 2;
        assert!(Page::read(&bytes).is_some_and(|page| page.is_stack_full && page.left == -3));
        bytes[24] = 3;
        bytes[28..32].copy_from_slice(&57u32.to_le_bytes());
        assert!(Page::read(&bytes).is_some_and(|page| page.forbidden_call == Some(57)));
        bytes[24] = 4;
        bytes[32] = 6;
        let page = Page::read(&bytes).expect("a used page");
        assert!(page.is_memory_full && page.has_walls && page.is_hidden && !page.forked);
    }
}
