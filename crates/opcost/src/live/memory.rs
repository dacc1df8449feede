//! What do objects of a running program hold?
//!
//! Their first bytes are read from the process. A version compares them again when it is entered, so what changes
//! between the two is no matter.
//!
//! Cost: a call of the system for each object. Limit: a process that does not let itself be read has no known memory.

use std::fs::File;
use std::os::unix::fs::FileExt;

use opcost_key::live::{LiveObject, MemoryFact};

/// Objects that are read at most.
const MOST: usize = 24;
/// Bytes of each at most.
const MOST_BYTES: u64 = 2048;

/// Reads objects, each with its address and its bytes.
pub(super) fn read_objects(
    process: u32,
    objects: impl Iterator<Item = (LiveObject, u64, u64)>,
) -> Vec<MemoryFact> {
    let Ok(memory) = File::open(format!("/proc/{process}/mem")) else { return Vec::new() };
    let read = objects.take(MOST).filter_map(|(object, address, bytes)| {
        let mut content = vec![0; bytes.min(MOST_BYTES) as usize];
        memory.read_exact_at(&mut content, address).ok()?;
        Some(MemoryFact { object, bytes: content })
    });
    read.collect()
}
