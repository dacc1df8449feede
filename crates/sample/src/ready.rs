//! Is the kernel ready for events?
//!
//! The first event of a machine waits until each processor has passed through its scheduler. That takes some 10 ms.
//! Events beside it are there at once. Who builds a program and then samples it has that done meanwhile.
//!
//! Cost: a thread that ends when the event is there. Limit: where the kernel refuses, who samples says so.

use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

use crate::Event;
use crate::sys::event::{self, Attributes, flag};

/// An event that never happens. While there is one, others come at once.
pub struct ReadyKernel {
    _event: JoinHandle<Option<OwnedFd>>,
}

impl ReadyKernel {
    /// Has it opened, by a thread of its own.
    pub fn in_background() -> ReadyKernel {
        ReadyKernel { _event: std::thread::spawn(|| event::open(&silent(), 0, None).ok()) }
    }
}

fn silent() -> Attributes {
    let Event { kind, config, .. } = Event::silent();
    let flags = flag::DISABLED | flag::EXCLUDE_KERNEL | flag::EXCLUDE_HYPERVISOR;
    Attributes { kind, config, flags, ..Attributes::default() }
}
