//! Which records do compressed records hold?
//!
//! `perf record -z` writes one stream of zstd, cut into records: the frame's head stands in the
//! first one, blocks and the records within them go on over their borders, and the frame is
//! never ended. So the pieces are put together, and what came out of them is a run of records.
//!
//! Input: the pieces with their places in the file. Output: the bytes of the records within, and
//! whether the stream ends with a block. Damage is told with the place of its piece. Cost:
//! linear in what comes out, of which there may be [`MOST`].
//!
//! The decoder is `ruzstd`, which is in Rust: LLVM brings a zstd in C, and two do not link.

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::malformed::MalformedSample;

/// Bytes that may come out of a file: a few bytes can claim to be any number of them.
const MOST: usize = 3 << 30;

/// A last block without anything in it, and room for a checksum.
const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Pieces of a stream, in the order in which they were written.
#[derive(Default)]
pub(super) struct Packed {
    stream: Vec<u8>,
    /// Where in the stream a piece begins, and where in the file.
    pieces: Vec<Piece>,
}

struct Piece {
    begin: usize,
    offset: usize,
}

/// What came out.
pub(super) struct Unpacked {
    pub(super) records: Vec<u8>,
    /// Whether the stream stops where a block does.
    pub(super) is_whole: bool,
}

impl Packed {
    /// Adds the piece at a place of the file.
    pub(super) fn push(&mut self, piece: &[u8], offset: usize) {
        self.pieces.push(Piece { begin: self.stream.len(), offset });
        self.stream.extend(piece);
    }

    /// What was packed.
    pub(super) fn unpack(&self) -> Result<Unpacked, MalformedSample> {
        let mut decoder = FrameDecoder::new();
        let mut rest = &self.stream[..];
        let mut unpacked = Unpacked { records: Vec::new(), is_whole: true };
        let mut is_within = false;
        while !rest.is_empty() && unpacked.is_whole {
            let at = self.stream.len() - rest.len();
            let read = if is_within {
                decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1)).map(drop)
            } else {
                decoder.reset(&mut rest)
            };
            match read {
                Ok(()) => is_within = !decoder.is_finished(),
                // It wanted more than there is: the file breaks off within the block.
                Err(_) if rest.is_empty() && is_within => unpacked.is_whole = false,
                Err(_) => return Err(MalformedSample::DamagedBlock { offset: self.file_offset(at) }),
            }
            unpacked.records.extend(decoder.collect().unwrap_or_default());
            if unpacked.records.len() > MOST {
                return Err(MalformedSample::TooMuch { gigabytes: MOST >> 30 });
            }
        }
        // What a later block might have referred to is held back until the frame ends.
        if is_within && decoder.decode_blocks(&END[..], BlockDecodingStrategy::All).is_ok() {
            unpacked.records.extend(decoder.collect().unwrap_or_default());
        }
        Ok(unpacked)
    }

    /// Where in the file a place of the stream is.
    fn file_offset(&self, at: usize) -> usize {
        let piece = self.pieces.iter().rfind(|piece| piece.begin <= at);
        piece.map_or(0, |piece| piece.offset + (at - piece.begin))
    }
}
