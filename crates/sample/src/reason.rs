//! Why does a sample lead to no address of a file?
//!
//! "Unknown" is an answer with a reason and a count; nothing is guessed and
//! nothing is dropped.

use std::fmt;

/// Why a sample has no home.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LostReason {
    /// It was taken in the kernel, working for the program.
    Kernel,
    /// It was taken in a hypervisor or a guest.
    Beyond,
    /// In the page of functions that the kernel lends to every program.
    Vdso,
    /// In memory of no file: code that the program made itself.
    Anonymous,
    /// At an address where we know of no mapping.
    Unmapped,
    /// In a file that has no name any more.
    Deleted,
    /// In a file of which another build is at its path now.
    OtherBuild {
        /// The build-id of what ran.
        ran: Vec<u8>,
        /// That of the file at its path, if it has one.
        at_path: Option<Vec<u8>>,
    },
    /// In a file without build-id that was replaced or changed since.
    Replaced,
    /// In a file of which nothing says that it is still the one that ran.
    Unidentified,
    /// In a file that cannot be read, or is no ELF file; with the cause.
    Unreadable(String),
    /// In a mapping that the file's program headers did not ask for.
    Shifted,
    /// In a mapping of a file, but in no executable part of it.
    NoCode,
}

/// Bytes as build-ids are written.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LostReason::Kernel => "in the kernel",
            LostReason::Beyond => "in a hypervisor or guest",
            LostReason::Vdso => "in the kernel's page of functions (vdso)",
            LostReason::Anonymous => "in code that the program made itself",
            LostReason::Unmapped => "at an address without a known mapping",
            LostReason::Deleted => "in a file that was deleted",
            LostReason::OtherBuild { ran, at_path: found } => {
                let found = found.as_deref().map_or("none".to_owned(), hexadecimal);
                return write!(
                    f,
                    "the file is another build: {} ran, {found} is there now",
                    hexadecimal(ran)
                );
            }
            LostReason::Replaced => {
                "the file was replaced or changed since; link with --build-id to distinguish builds"
            }
            LostReason::Unidentified => {
                "it is unknown whether the file is the one that ran; link with --build-id to distinguish builds"
            }
            LostReason::Unreadable(cause) => return write!(f, "the file cannot be read: {cause}"),
            LostReason::Shifted => "the mapping is not one that the file's program headers ask for",
            LostReason::NoCode => "in no executable part of the file",
        })
    }
}
