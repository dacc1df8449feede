//! Which frames does a placed `.eh_frame` describe?
//!
//! A sequence of records (Linux Standard Base, "Exception Frames"). A common one (CIE) says how
//! pointers are encoded, and each frame (FDE) names its common one and the code that it describes.
//! Read are only the lengths, the encoding and the first pointer, after relocation. That is what a
//! sorted table of frames needs. A record of length zero ends a part; more may follow, as objects
//! that were joined have it. Limits: pointers that are absolute or relative to their place.

/// One frame: where its code starts, and where the record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameEntry {
    /// The address of the code.
    pub start: u64,
    /// The address of the FDE.
    pub entry: u64,
}

/// Reads numbers one after the other; `None` at the end of the bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'data> {
    bytes: &'data [u8],
    pub(crate) offset: usize,
}

impl<'data> Reader<'data> {
    pub(crate) fn new(bytes: &'data [u8], offset: usize) -> Self {
        Self { bytes, offset }
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.bytes.get(self.offset..)?.first_chunk()?;
        self.offset += N;
        Some(*bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// A LEB128 number, which is only skipped.
    fn skip_leb(&mut self) -> Option<()> {
        while self.byte()? & 0x80 != 0 {}
        Some(())
    }

    fn text(&mut self) -> Option<&'data [u8]> {
        let rest = self.bytes.get(self.offset..)?;
        let size = rest.iter().position(|&byte| byte == 0)?;
        self.offset += size + 1;
        Some(&rest[..size])
    }

    /// A pointer in an encoding of the ABI. The first of the bytes is at `base`.
    pub(crate) fn pointer(&mut self, encoding: u8, base: u64) -> Option<u64> {
        let place = base.wrapping_add(self.offset as u64);
        let value = match encoding & 0x0f {
            0x00 | 0x04 | 0x0c => self.take().map(u64::from_le_bytes)?,
            0x03 => self.word()?.into(),
            0x0b => i64::from(self.word()? as i32) as u64,
            _ => return None,
        };
        match encoding & 0xf0 {
            0x00 => Some(value),
            0x10 => Some(value.wrapping_add(place)),
            _ => None,
        }
    }
}

/// A record that is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misunderstood {
    /// Where it starts.
    pub(crate) offset: usize,
}

/// All frames in `bytes`, a part of memory that starts at `address`.
pub(crate) fn frames_of(bytes: &[u8], address: u64) -> Result<Vec<FrameEntry>, Misunderstood> {
    let mut frames = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let mut reader = Reader::new(bytes, offset);
        let length = reader.word().ok_or(Misunderstood { offset })?;
        // 64-bit records have this mark. No compiler writes them for a section below 4 GiB.
        if length == u32::MAX {
            return Err(Misunderstood { offset });
        }
        let end = reader
            .offset
            .checked_add(length as usize)
            .filter(|&end| end <= bytes.len())
            .ok_or(Misunderstood { offset })?;
        if length > 0 {
            frames.extend(frame(&bytes[..end], reader, offset, address).ok_or(Misunderstood { offset })?);
        }
        offset = end;
    }
    Ok(frames)
}

/// The record at `offset`, whose length `reader` has read. `Some(None)` is a common one.
fn frame(bytes: &[u8], mut reader: Reader<'_>, offset: usize, address: u64) -> Option<Option<FrameEntry>> {
    let back_from = reader.offset;
    let back = reader.word()? as usize;
    if back == 0 {
        return Some(None);
    }
    let encoding = encoding(bytes, back_from.checked_sub(back)?)?;
    let start = reader.pointer(encoding, address)?;
    Some(Some(FrameEntry { start, entry: address.wrapping_add(offset as u64) }))
}

/// How the common record at `offset` says that pointers to code are encoded.
fn encoding(bytes: &[u8], offset: usize) -> Option<u8> {
    let mut reader = Reader::new(bytes, offset);
    let (_length, common) = (reader.word()?, reader.word()?);
    let version = reader.byte()?;
    if common != 0 || !matches!(version, 1 | 3) {
        return None;
    }
    let augmentation = reader.text()?;
    reader.skip_leb()?;
    reader.skip_leb()?;
    if version == 1 {
        reader.byte()?;
    } else {
        reader.skip_leb()?;
    }
    let Some((b'z', letters)) = augmentation.split_first() else {
        return augmentation.is_empty().then_some(0);
    };
    reader.skip_leb()?;
    let mut encoding = 0;
    for letter in letters {
        match letter {
            b'R' => encoding = reader.byte()?,
            b'L' => _ = reader.byte()?,
            b'P' => {
                // Its value does not matter here, only its size.
                let form = reader.byte()?;
                reader.pointer(form & 0x0f, 0)?;
            }
            b'S' | b'B' => {}
            _ => return None,
        }
    }
    Some(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of `content` after its length.
    fn record(content: &[u8]) -> Vec<u8> {
        let mut bytes = (content.len() as u32).to_le_bytes().to_vec();
        bytes.extend(content);
        bytes
    }

    fn common(augmentation: &[u8], data: &[u8]) -> Vec<u8> {
        record(&[&[0, 0, 0, 0, 1][..], augmentation, &[0, 1, 0x78, 16], data].concat())
    }

    #[test]
    fn pointers_are_read_as_their_common_record_says() {
        // As compilers for static code write it: a personality of four bytes, then the pointer's form.
        let mut bytes = common(b"zPLR", &[7, 3, 1, 2, 3, 4, 3, 0x1b]);
        let back = bytes.len() as u32 + 4;
        let entry = bytes.len() as u64;
        bytes.extend(record(&[&back.to_le_bytes()[..], &(-100i32).to_le_bytes(), &[9, 0, 0, 0]].concat()));
        let start = 0x1000 + entry + 8 - 100;
        assert_eq!(frames_of(&bytes, 0x1000), Ok(vec![FrameEntry { start, entry: 0x1000 + entry }]));
        // Without augmentation pointers are whole.
        let mut bytes = common(b"", &[]);
        let back = bytes.len() as u32 + 4;
        let entry = bytes.len() as u64;
        bytes.extend(record(&[&back.to_le_bytes()[..], &0x1234_5678u64.to_le_bytes(), &[9; 8]].concat()));
        assert_eq!(frames_of(&bytes, 0), Ok(vec![FrameEntry { start: 0x1234_5678, entry }]));
    }

    #[test]
    fn a_zero_length_ends_a_part_and_others_follow() {
        let mut part = common(b"zR", &[1, 0x03]);
        let back = part.len() as u32 + 4;
        part.extend(record(&[&back.to_le_bytes()[..], &77u32.to_le_bytes(), &[9, 0, 0, 0]].concat()));
        let twice = [&part[..], &[0; 4], &part].concat();
        let starts: Vec<_> = frames_of(&twice, 0).unwrap().iter().map(|frame| frame.start).collect();
        assert_eq!(starts, [77, 77]);
    }

    #[test]
    fn what_is_not_understood_has_a_place() {
        assert_eq!(frames_of(&[1, 0, 0], 0), Err(Misunderstood { offset: 0 }));
        assert_eq!(frames_of(&[0, 0, 0, 0, 9, 0, 0, 0], 0), Err(Misunderstood { offset: 4 }));
        assert_eq!(frames_of(&[0xff; 40], 0), Err(Misunderstood { offset: 0 }));
        // A frame whose common record would be before the start, and one with an unknown letter.
        assert_eq!(frames_of(&record(&[99, 0, 0, 0, 1, 2, 3, 4]), 0), Err(Misunderstood { offset: 0 }));
        let mut bytes = common(b"zQ", &[0]);
        let (offset, back) = (bytes.len(), bytes.len() as u32 + 4);
        bytes.extend(record(&[&back.to_le_bytes()[..], &[0; 8]].concat()));
        assert_eq!(frames_of(&bytes, 0), Err(Misunderstood { offset }));
    }
}
