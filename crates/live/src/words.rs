//! How do two processes have words in common?
//!
//! A part of a file is mapped in both. Each word is read and written as a whole, so a reader sees the old one or the
//! new one. A word is stored with release: what was written before it is there for who reads it.
//!
//! Input: a file and how many bytes of it. Cost: one mapping. Limit: a file that is made shorter meanwhile ends this
//! process with SIGBUS; so nobody but its maker may have it.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of a file.
#[derive(Debug)]
pub(crate) struct Words {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: all access is atomic, and the mapping lives as long as the value.
unsafe impl Send for Words {}

impl Words {
    /// Maps the first `bytes` of a file.
    pub(crate) fn map(file: &File, bytes: usize) -> io::Result<Words> {
        if file.metadata()?.len() < bytes as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping wherever there is room; nothing else has it.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at zero"))?;
        Ok(Words { base, bytes })
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        let is_there = offset.is_multiple_of(8) && offset.checked_add(8).is_some_and(|end| end <= self.bytes);
        assert!(is_there, "a word is inside of the words");
        // SAFETY: the word is mapped and aligned, and both sides touch it as a whole only.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    /// The word at an offset, and what was written before it.
    pub(crate) fn load(&self, offset: usize) -> u64 {
        self.word(offset).load(Ordering::Acquire)
    }

    /// Changes the word at an offset, after all that was written before.
    pub(crate) fn store(&self, offset: usize, value: u64) {
        self.word(offset).store(value, Ordering::Release);
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` and not unmapped before.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
