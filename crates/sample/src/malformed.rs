//! Why is a file of samples refused?

use std::path::PathBuf;

/// Why a file of samples is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedSample {
    /// It cannot be read at all.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is something else.
    #[error("it is no perf.data")]
    NotPerfData,
    /// It comes from a machine with the other order of bytes.
    #[error("it was recorded on a big-endian machine; read it on one")]
    BigEndian,
    /// Its head breaks off, so nothing can be read.
    #[error("it breaks off within its {part}; record again")]
    BrokenOff {
        /// Where.
        part: &'static str,
    },
    /// It has no event.
    #[error("it has no event")]
    NoEvent,
    /// A compressed record cannot be unpacked.
    #[error("what is compressed at byte {offset} is damaged; record again")]
    DamagedBlock {
        /// Where in the file.
        offset: usize,
    },
    /// What is compressed is more than can be read.
    #[error("what is compressed in it is more than {gigabytes} GiB; record for a shorter time")]
    TooMuch {
        /// How much is read.
        gigabytes: usize,
    },
    /// Samples of several events must not be added up.
    #[error("it has samples of several events ({first} and {second}); record one with -e")]
    SeveralEvents {
        /// One of them.
        first: String,
        /// Another one.
        second: String,
    },
    /// Records cannot be distinguished.
    #[error("it has several events whose records cannot be told apart; record one with -e")]
    Ambiguous,
    /// Its samples have no address, process or time.
    #[error("its samples do not tell their {what}; record with `perf record` and its usual fields")]
    Lacks {
        /// What is missing.
        what: &'static str,
    },
    /// The program that is named cannot be read.
    #[error("it cannot be compared with {}: {cause}", .program.display())]
    NoProgram {
        /// As it is named.
        program: PathBuf,
        /// Why it cannot be read.
        cause: String,
    },
    /// Another build ran than the one that is named.
    #[error(
        "the samples are of another build: {path} with build-id {ran} ran, and {} has {own}; name the program that \
         ran, or record the one that is named: perf record -o FILE PROG", .program.display()
    )]
    OtherBuild {
        /// As it is named.
        program: PathBuf,
        /// Its build-id.
        own: String,
        /// What ran.
        path: String,
        /// The build-id of that.
        ran: String,
    },
    /// A build-id is missing, and the file is not the same either.
    #[error(
        "nothing tells that {path}, which ran, is {}: {whose} build-id, and it is not the same file unchanged; \
         link with -Wl,--build-id=sha1 and record that build", .program.display()
    )]
    NotComparable {
        /// As it is named.
        program: PathBuf,
        /// What ran.
        path: String,
        /// Who has none.
        whose: &'static str,
    },
    /// No process ran the program.
    #[error(
        "none of its {samples} samples is of {}{}; record that program: perf record -o FILE PROG",
        .program.display(), if *.is_whole { "" } else { ", and it breaks off" }
    )]
    NotOfProgram {
        /// As it is named.
        program: PathBuf,
        /// How many samples there are.
        samples: u64,
        /// Whether the file is all there.
        is_whole: bool,
    },
}
