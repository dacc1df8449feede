//! How long does the own linker take for each of many objects?
//!
//! `linked PROGRAM FILE ADDRESS`: the path of an object on each line of standard input. Each is linked to the program, for the
//! next free address from ADDRESS on, and written into FILE, which the program has mapped there. Its entry in the
//! unwinder's table is made, too. Answers, a line each: nanoseconds, address, bytes; or what is not understood.
//!
//! It is a part of `cargo xtask bench run`. Cost: the executable is read once. Limit: 32 MiB of code.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, Write};
use std::os::unix::fs::FileExt;
use std::time::Instant;

use opcost_live::{Frames, LinkedVersion, LiveProgram, link};

/// Where the unwinder's table would be, and its entries.
const TABLE: u64 = 0x1f00_0000;
const ENTRIES: usize = 1 << 16;
/// Bytes of all code.
const ROOM: u64 = 32 << 20;
/// Versions begin at lines of the cache.
const LINE: u64 = 64;

struct Versions {
    program: LiveProgram,
    frames: Frames,
    file: File,
    first: u64,
    next: u64,
}

impl Versions {
    fn add(&mut self, object: &[u8]) -> Result<LinkedVersion, Box<dyn Error>> {
        let linked = link(object, &self.program, self.next, self.first + ROOM - self.next)?;
        self.file.write_all_at(&linked.bytes, self.next - self.first)?;
        self.frames.appended(&linked.frames)?;
        Ok(linked)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, file, address] = words.as_slice() else {
        return Err("usage: linked PROGRAM FILE ADDRESS".into());
    };
    let first = u64::from_str_radix(address.trim_start_matches("0x"), 16)?;
    let program = LiveProgram::read(&fs::read(program)?)?;
    let frames = Frames::of(&program, TABLE, ENTRIES)?;
    let file = File::options().write(true).open(file)?;
    let mut versions = Versions { program, frames, file, first, next: first };
    for line in std::io::stdin().lock().lines() {
        let object = fs::read(line?)?;
        let begun = Instant::now();
        let added = versions.add(&object);
        let took = begun.elapsed().as_nanos();
        let mut out = std::io::stdout().lock();
        match added {
            Ok(linked) => {
                writeln!(out, "{took} {:#x} {}", versions.next, linked.bytes.len())?;
                versions.next = (versions.next + linked.bytes.len() as u64).next_multiple_of(LINE);
            }
            Err(why) => writeln!(out, "- {why}")?,
        }
        out.flush()?;
    }
    Ok(())
}
