//! The page that a metered program shares with whoever gave it fuel.
//!
//! The offsets are those of `struct opc_fuel_page` in `c/fuel.c`.

/// Source of the metered program's runtime: one file.
pub const SOURCE: (&str, &str) = ("fuel.c", include_str!("c/fuel.c"));
/// Environment variable: absolute path of the page's file.
pub const FILE_VARIABLE: &str = "OPCOST_FUEL";
/// Bytes of the file.
pub const PAGE: usize = 65536;

const MAGIC: &[u8] = b"OPCFUEL1";
const USED_UP: u32 = 1;
const STACK: u32 = 2;
const FORKED: u32 = 1;

/// A page with `limit` to spend, as a program must find it.
pub fn fresh_page(limit: i64) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    page[16..24].copy_from_slice(&limit.to_le_bytes());
    page
}

/// What a page says after the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What was left; below zero, what was spent beyond the limit.
    pub left: i64,
    /// Where it was stopped, if it was.
    pub stopped: Option<Stop>,
    /// Whether it crashed because its stack was full.
    pub is_stack_full: bool,
    /// Whether it made another process, whose work is not in `left`.
    pub forked: bool,
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
        Some(Page {
            left: if is_stopped { long(40)? } else { long(0)? },
            stopped: is_stopped.then_some(stopped),
            is_stack_full: word(24)? == STACK,
            forked: word(32)? & FORKED != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untouched_page_is_no_answer() {
        assert_eq!(Page::read(&fresh_page(7)), None);
        assert_eq!(Page::read(&[]), None);
    }

    #[test]
    fn a_page_tells_what_was_left_and_where() {
        let mut bytes = fresh_page(100);
        bytes[..8].copy_from_slice(&(-3i64).to_le_bytes());
        bytes[8..16].copy_from_slice(MAGIC);
        assert_eq!(
            Page::read(&bytes),
            Some(Page { left: -3, stopped: None, is_stack_full: false, forked: false })
        );
        bytes[24] = 1;
        bytes[28] = 41;
        bytes[32] = 1;
        bytes[40..48].copy_from_slice(&(-9i64).to_le_bytes());
        bytes[48..53].copy_from_slice(b"think");
        let stop = Stop { function: "think".into(), file: String::new(), line: 41 };
        let page = Page { left: -9, stopped: Some(stop), is_stack_full: false, forked: true };
        assert_eq!(Page::read(&bytes), Some(page));
        bytes[24] = 2;
        assert!(Page::read(&bytes).is_some_and(|page| page.is_stack_full && page.left == -3));
    }
}
