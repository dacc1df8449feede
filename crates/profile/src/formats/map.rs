//! How does a module's map lie in a file?
//!
//! The instrumenter puts each module's map into a section of its object that
//! is not loaded at run time; the linker appends the sections of all objects,
//! perhaps with zeros between them for alignment. So the unit is a *record*
//! that tells its own length, and [`read_maps`] reads a row of them:
//!
//! ```text
//! magic 8 | schema u32 | texts length u32 | payload length u64 | raw length u64 | hash u128 | payload | texts
//! ```
//!
//! All numbers are little-endian. The payload is the [`ModuleMap`] in
//! postcard's encoding, compressed with LZ4. The hash covers schema, raw
//! length and payload; it is the map's name in ledgers and raw counter files.
//! What is written on lines of the source stands behind it, with a hash of its own, if it is known at
//! all: a module has one name, whether its sources were at hand or not.
//!
//! Cost: about 220 ns an instruction to write and as much to read. Limits: the hash
//! tells damage, not forgery; but a forged map is still refused when an id in
//! it leads nowhere (see [`crate::wellformed`]), so that nothing behind this
//! reader has to expect it.

use opcost_key::{FileTexts, Hash128, Hasher128, MAP_SCHEMA, ModuleMap};
use serde::Serialize;
use thiserror::Error;

use crate::wellformed::{IllFormed, check_map};

const MAGIC: [u8; 8] = *b"OPCMAP\r\n";
const HEADER: usize = 48;
/// Bytes of a hash.
const HASH: usize = 16;
/// LZ4 cannot grow more than this per byte; a larger claim is false and must not become an
/// allocation.
const LARGEST_GROWTH: u64 = 255;

/// Why bytes could not be read as maps. Offsets are from the start of the bytes.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MapError {
    /// Something else is where a map is expected.
    #[error(
        "no opcost map at byte {offset}: build the program with opcost, or name the file it was built into"
    )]
    NotAMap {
        /// Where.
        offset: usize,
    },
    /// The bytes end inside a map.
    #[error(
        "the map at byte {offset} is cut off: {missing} bytes are missing; copy the file again or rebuild the program"
    )]
    Truncated {
        /// Where the map begins.
        offset: usize,
        /// How many more bytes it needs.
        missing: u64,
    },
    /// A map of another version of opcost.
    #[error(
        "the map at byte {offset} has schema {actual}, this opcost reads schema {MAP_SCHEMA}: {}",
        if *actual > MAP_SCHEMA { "use the newer opcost that built the program" } else { "rebuild the program" }
    )]
    OtherSchema {
        /// Where the map begins.
        offset: usize,
        /// Its schema.
        actual: u32,
    },
    /// The bytes were changed after they were written.
    #[error(
        "the map at byte {offset} is damaged (its hash differs): copy the file again or rebuild the program"
    )]
    Damaged {
        /// Where the map begins.
        offset: usize,
    },
    /// The hash holds but the content does not make sense: opcost wrote nonsense.
    #[error(
        "the map at byte {offset} contradicts itself: {what}. This is a fault of the opcost that wrote it"
    )]
    Malformed {
        /// Where the map begins.
        offset: usize,
        /// What is wrong.
        what: IllFormed,
    },
}

/// The bytes of one map, and its name.
pub fn write_map(map: &ModuleMap) -> (Vec<u8>, Hash128) {
    let raw = encoded(map);
    let payload = lz4_flex::block::compress(&raw);
    let hash = hash_of(MAP_SCHEMA, raw.len() as u64, &payload);
    let texts = write_texts(&map.texts);
    let mut bytes = Vec::with_capacity(HEADER + payload.len() + texts.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&MAP_SCHEMA.to_le_bytes());
    bytes.extend_from_slice(&(texts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&(raw.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&hash.0.to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes.extend_from_slice(&texts);
    (bytes, hash)
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("postcard encodes every plain value into a growing vector")
}

/// Texts of lines after their hash; nothing if there are none, or more than a record can hold.
fn write_texts(texts: &[FileTexts]) -> Vec<u8> {
    let raw = encoded(&texts);
    if texts.is_empty() || u32::try_from(HASH + raw.len()).is_err() {
        return Vec::new();
    }
    let mut bytes = Hasher128::new().bytes(&raw).finish().0.to_le_bytes().to_vec();
    bytes.extend(raw);
    bytes
}

/// The texts back again; `None`: these bytes are none.
fn read_texts(bytes: &[u8]) -> Option<Vec<FileTexts>> {
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    let (hash, raw) = bytes.split_at_checked(HASH)?;
    if Hasher128::new().bytes(raw).finish().0.to_le_bytes() != hash {
        return None;
    }
    match postcard::take_from_bytes(raw) {
        Ok((texts, [])) => Some(texts),
        _ => None,
    }
}

/// All maps of a row of them, in order, each with its name. Zeros between maps and after the last
/// are skipped; no bytes are no maps.
pub fn read_maps(bytes: &[u8]) -> Result<Vec<(Hash128, ModuleMap)>, MapError> {
    let mut maps = Vec::new();
    let mut offset = 0;
    while let Some(padding) = bytes[offset..].iter().position(|&byte| byte != 0) {
        offset += padding;
        let (hash, map, length) = read_record(bytes, offset)?;
        maps.push((hash, map));
        offset += length;
    }
    Ok(maps)
}

/// The map at `offset`, its name and how many bytes it takes.
fn read_record(bytes: &[u8], offset: usize) -> Result<(Hash128, ModuleMap, usize), MapError> {
    let header = Header::read(bytes, offset)?;
    let behind_header = bytes.get(offset + HEADER..).unwrap_or_default();
    let (have, wanted) =
        (behind_header.len() as u64, header.payload_length.saturating_add(header.texts_length.into()));
    if have < wanted {
        return Err(MapError::Truncated { offset, missing: wanted - have });
    }
    let (payload, texts) = behind_header[..wanted as usize].split_at(header.payload_length as usize);
    let damaged = MapError::Damaged { offset };
    if header.hash != hash_of(header.schema, header.raw_length, payload)
        || header.raw_length > header.payload_length.saturating_mul(LARGEST_GROWTH).saturating_add(64)
    {
        return Err(damaged);
    }
    let Ok(raw) = lz4_flex::block::decompress(payload, header.raw_length as usize) else {
        return Err(damaged);
    };
    let Some(texts) = read_texts(texts) else { return Err(damaged) };
    match postcard::take_from_bytes::<ModuleMap>(&raw) {
        Ok((mut map, [])) => {
            map.texts = texts;
            match check_map(&map) {
                Ok(()) => Ok((header.hash, map, HEADER + wanted as usize)),
                Err(what) => Err(MapError::Malformed { offset, what }),
            }
        }
        _ => Err(damaged),
    }
}

struct Header {
    schema: u32,
    texts_length: u32,
    payload_length: u64,
    raw_length: u64,
    hash: Hash128,
}

impl Header {
    fn read(bytes: &[u8], offset: usize) -> Result<Self, MapError> {
        let here = &bytes[offset..];
        let magic = &here[..here.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(MapError::NotAMap { offset });
        }
        let schema = field::<4>(here, 8).map(u32::from_le_bytes);
        if let Some(found) = schema
            && found != MAP_SCHEMA
        {
            return Err(MapError::OtherSchema { offset, actual: found });
        }
        let read = || {
            Some(Self {
                schema: schema?,
                texts_length: u32::from_le_bytes(field(here, 12)?),
                payload_length: u64::from_le_bytes(field(here, 16)?),
                raw_length: u64::from_le_bytes(field(here, 24)?),
                hash: Hash128(u128::from_le_bytes(field(here, 32)?)),
            })
        };
        read().ok_or(MapError::Truncated { offset, missing: (HEADER - here.len().min(HEADER)) as u64 })
    }
}

fn field<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<[u8; SIZE]> {
    bytes.get(at..at + SIZE)?.try_into().ok()
}

fn hash_of(schema: u32, raw_length: u64, payload: &[u8]) -> Hash128 {
    Hasher128::new().number(u64::from(schema)).number(raw_length).bytes(payload).finish()
}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
