//! One instance of a plug-in, and what it shares with its host.
//!
//! A bot gets one pointer, and a suspended bot keeps it. So what it leads to
//! belongs to the instance, for as long as that lives; between turns the host
//! reads and writes it. It must be a type of which any bytes are a value.

use std::ffi::{CString, c_char};
use std::fmt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytemuck::AnyBitPattern;

use crate::ffi::{self, RawFunction, RawInstance, RawOptions};
use crate::verdict::{Verdict, text};

/// Limits of an instance.
#[derive(Clone, Debug, Default)]
pub struct InstanceOptions {
    /// Bytes of its stack; 0 means 1 MiB.
    pub stack_bytes: usize,
    /// Bytes of its heap; 0 means 64 MiB.
    pub memory_bytes: usize,
    /// Functions that it may import in addition to those that compute, take no lock and come back.
    pub allowed: Vec<String>,
}

/// What a call of the plug-in is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Instructions.
    pub fuel: u64,
    /// Wall-clock time, counted from the call.
    pub deadline: Option<Duration>,
}

impl Turn {
    /// A call without a deadline.
    pub fn of(fuel: u64) -> Turn {
        Turn { fuel, deadline: None }
    }

    fn nanoseconds(&self) -> u64 {
        let wanted = self.deadline.map_or(0, |deadline| deadline.as_nanos().max(1));
        u64::try_from(wanted).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)
    }
}

/// Why a file was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    path: String,
    reason: String,
}

impl Rejected {
    /// The reason, without the file's name.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl std::error::Error for Rejected {}

/// A function of one instance.
#[derive(Clone, Copy, Debug)]
pub struct MeteredFunction {
    raw: RawFunction,
    owner: u64,
}

/// One instance of a plug-in, and the value that it shares with its host.
pub struct Instance<T: AnyBitPattern> {
    raw: NonNull<RawInstance>,
    /// Ours, from a box; the bot may keep a copy of the pointer.
    shared: NonNull<T>,
    /// No other instance has had this number.
    number: u64,
}

// SAFETY: nothing of an instance belongs to a thread; the C side keeps what
// does (timer, signal stack) by thread, and turns take the instance by `&mut`.
unsafe impl<T: AnyBitPattern + Send> Send for Instance<T> {}

impl<T: AnyBitPattern> Instance<T> {
    /// Loads a plug-in, of which nothing has run yet. Its constructors run at the beginning of its
    /// first call, on that call's fuel. Cost: reading the file and what the dynamic linker does;
    /// some hundred microseconds.
    ///
    /// # Safety
    /// The plug-in was made by `opcost fuel --emit shared` from code that does not attack this
    /// process. Through the pointer that it is given it writes no further than `T` goes. Elsewhere
    /// it writes only to what is its own.
    ///
    /// # Errors
    /// It is no plug-in of this version for this machine, or imports what is
    /// not allowed.
    pub unsafe fn load(
        path: impl AsRef<Path>,
        options: &InstanceOptions,
        shared: T,
    ) -> Result<Self, Rejected> {
        let path = path.as_ref();
        let rejected = |reason: String| Rejected { path: path.display().to_string(), reason };
        let zero = |_| rejected("its path or an allowed name has a zero byte".to_owned());
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(zero)?;
        let allowed: Vec<CString> = options
            .allowed
            .iter()
            .map(|name| CString::new(&**name))
            .collect::<Result<_, _>>()
            .map_err(zero)?;
        let mut names: Vec<*const c_char> = allowed.iter().map(|name| name.as_ptr()).collect();
        names.push(std::ptr::null());
        let raw = RawOptions {
            stack_bytes: options.stack_bytes,
            memory_bytes: options.memory_bytes,
            allowed: names.as_ptr(),
        };
        let mut reason: [c_char; 512] = [0; 512];
        // SAFETY: all texts are terminated and live for the call, as does the
        // room for the reason; loading runs code as this function's contract has it.
        let loaded = unsafe { ffi::opcost_load(name.as_ptr(), &raw, reason.as_mut_ptr(), reason.len()) };
        match NonNull::new(loaded) {
            Some(raw) => {
                static LOADS: AtomicU64 = AtomicU64::new(0);
                let shared = NonNull::from(Box::leak(Box::new(shared)));
                Ok(Instance { raw, shared, number: LOADS.fetch_add(1, Ordering::Relaxed) })
            }
            // SAFETY: the C side terminates what it wrote.
            None => Err(rejected(unsafe { text(reason.as_ptr()) }.unwrap_or_default())),
        }
    }

    /// A function of the bot's own, with C linkage and at most one parameter, a
    /// pointer.
    pub fn find(&self, name: &str) -> Option<MeteredFunction> {
        let name = CString::new(name).ok()?;
        // SAFETY: the instance lives, the name is terminated.
        let raw = unsafe { ffi::opcost_find(self.raw.as_ptr(), name.as_ptr()) }?;
        Some(MeteredFunction { raw, owner: self.number })
    }

    /// Begins a call of the plug-in: calls the function with a pointer to the shared value. What
    /// was left of an earlier call's fuel is lost.
    ///
    /// # Panics
    /// When the function is another instance's.
    pub fn run(&mut self, function: MeteredFunction, turn: Turn) -> Verdict {
        assert_eq!(function.owner, self.number, "the function is another instance's");
        let argument = self.shared.as_ptr().cast();
        // SAFETY: the instance lives and no turn of it is under way, since we
        // have it mutably; the function is its own; the shared value lives as
        // long as the instance.
        let raw = unsafe {
            ffi::opcost_run(self.raw.as_ptr(), Some(function.raw), argument, turn.fuel, turn.nanoseconds())
        };
        // SAFETY: the instance lives.
        unsafe { Verdict::read(&raw) }
    }

    /// Goes on with a suspended call. The fuel is added to what the call has; the deadline begins
    /// anew.
    pub fn resume(&mut self, turn: Turn) -> Verdict {
        // SAFETY: as in `run`.
        let raw = unsafe { ffi::opcost_resume(self.raw.as_ptr(), turn.fuel, turn.nanoseconds()) };
        // SAFETY: the instance lives.
        unsafe { Verdict::read(&raw) }
    }

    /// The value that the bot sees.
    pub fn shared(&self) -> &T {
        // SAFETY: the bot does not run, since that takes us mutably; any bytes
        // that it left are a value.
        unsafe { self.shared.as_ref() }
    }

    /// The same, to be written.
    pub fn shared_mut(&mut self) -> &mut T {
        // SAFETY: as in `shared`.
        unsafe { self.shared.as_mut() }
    }

    /// Fuel that the last call left; below zero, what it was beyond.
    pub fn left(&self) -> i64 {
        // SAFETY: the instance lives.
        unsafe { ffi::opcost_left(self.raw.as_ptr()) }
    }

    /// Sets the heap's limit; whether so much can be had. An instance reserves
    /// 4 GiB of addresses, or its first limit if that is more.
    pub fn set_memory(&mut self, bytes: usize) -> bool {
        // SAFETY: the instance lives.
        unsafe { ffi::opcost_set_memory(self.raw.as_ptr(), bytes) == 0 }
    }

    /// Bytes of its heap in use, and the most that ever were.
    pub fn memory(&self) -> (u64, u64) {
        // SAFETY: the instance lives.
        unsafe { (ffi::opcost_memory(self.raw.as_ptr()), ffi::opcost_memory_peak(self.raw.as_ptr())) }
    }

    /// What it printed in this call, at most 64 KiB, and how many bytes more.
    pub fn output(&self) -> (&[u8], u64) {
        let (mut size, mut lost) = (0, 0);
        // SAFETY: the instance lives, both numbers are ours.
        let at = unsafe { ffi::opcost_output(self.raw.as_ptr(), &mut size, &mut lost) };
        if at.is_null() || size == 0 {
            return (&[], lost);
        }
        // SAFETY: the bytes are the instance's and are not written while it
        // does not run.
        (unsafe { std::slice::from_raw_parts(at.cast(), size) }, lost)
    }

    /// The most work between two checks.
    pub fn overshoot(&self) -> u64 {
        // SAFETY: the instance lives.
        unsafe { ffi::opcost_overshoot(self.raw.as_ptr()) }
    }

    /// Name of the weights that it pays by.
    pub fn cost_model(&self) -> String {
        // SAFETY: the instance lives, and its texts are terminated.
        unsafe { text(ffi::opcost_cost_model(self.raw.as_ptr())) }.unwrap_or_default()
    }
}

impl<T: AnyBitPattern> Drop for Instance<T> {
    fn drop(&mut self) {
        // SAFETY: it was loaded and is dropped once; no turn is under way.
        unsafe { ffi::opcost_drop(self.raw.as_ptr()) };
        // SAFETY: it came from a box, and the bot that knew it is gone.
        drop(unsafe { Box::from_raw(self.shared.as_ptr()) });
    }
}

impl<T: AnyBitPattern> fmt::Debug for Instance<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("memory", &self.memory()).finish_non_exhaustive()
    }
}
