//! How are records taken out of the ring that the kernel writes?
//!
//! The ring is a shared mapping: a page of control words, then `2^n` pages of
//! bytes. The kernel writes records and moves `data_head`; the reader copies
//! what lies between `data_tail` and `data_head` and moves `data_tail`. Since
//! the mapping is writable for us, the kernel never writes over bytes that lie
//! behind `data_tail`: a full ring loses records, and counts them.
//!
//! Barriers: the head is loaded with acquire, so that bytes are read after it;
//! the tail is stored with release, so that bytes were read before it (the
//! pairing is spelled out in `kernel/events/ring_buffer.c`).
//!
//! Cost: one copy of what is there and one store, however many records.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Offsets in the control page, from `struct perf_event_mmap_page`.
const DATA_HEAD: usize = 1024;
const DATA_TAIL: usize = 1032;

/// The reader's side of one ring.
#[derive(Debug)]
pub(crate) struct Ring {
    base: NonNull<u8>,
    page: usize,
    /// Bytes after the control page, a power of two.
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone and has no thread of its own.
unsafe impl Send for Ring {}

impl Ring {
    /// Maps a ring of `pages` pages, a power of two, for an event.
    pub(crate) fn map(event: BorrowedFd<'_>, pages: usize) -> io::Result<Self> {
        let page = super::page_size() as usize;
        let bytes = pages * page;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping wherever there is room; nothing else has it.
        let base = unsafe {
            let length = page + bytes;
            libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, event.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at zero"))?;
        Ok(Ring { base, page, bytes })
    }

    fn control(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the control page is mapped as long as this value lives, the
        // word is aligned, and both sides touch it as a whole only.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    /// A word of the control page, as it is now; `offset` is one that both
    /// sides agree on.
    pub(crate) fn control_word(&self, offset: usize) -> u64 {
        assert!(offset + 8 <= self.page && offset.is_multiple_of(8), "no word of the control page");
        self.control(offset).load(Ordering::Acquire)
    }

    /// Appends all complete records to `records` and gives their room back.
    pub(crate) fn drain(&mut self, records: &mut Vec<u8>) {
        let head = self.control(DATA_HEAD).load(Ordering::Acquire);
        // Only we store the tail.
        let tail = self.control(DATA_TAIL).load(Ordering::Relaxed);
        let length = head.wrapping_sub(tail).min(self.bytes as u64) as usize;
        let begin = (tail % self.bytes as u64) as usize;
        let first = length.min(self.bytes - begin);
        // SAFETY: the kernel writes nothing between tail and head until the
        // store below, and both parts lie in the mapping.
        unsafe {
            let data = self.base.as_ptr().add(self.page);
            records.extend_from_slice(std::slice::from_raw_parts(data.add(begin), first));
            records.extend_from_slice(std::slice::from_raw_parts(data, length - first));
        }
        self.control(DATA_TAIL).store(head, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: unmaps what `map` mapped; no reference to it outlives this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.page + self.bytes) };
    }
}
