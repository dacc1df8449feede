//! What does a process that runs already have: which threads, with which
//! names, and which mappings?
//!
//! Read from `/proc`. Which build a mapped file is, is read from the mapped
//! file itself (`map_files`), also when another file lies at its path by now;
//! where that is not permitted, device and number of the file must do.

use std::io;

use crate::decode::{FileMark, Mapping, Record};
use crate::image::Image;

/// Threads of a process, ascending.
pub(crate) fn threads(pid: u32) -> io::Result<Vec<u32>> {
    let mut threads = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        threads.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    threads.sort_unstable();
    Ok(threads)
}

/// Names of a process's threads; those that ended meanwhile have none.
pub(crate) fn names(pid: u32) -> Vec<Record> {
    let name = |tid: u32| {
        let text = std::fs::read(format!("/proc/{pid}/task/{tid}/comm")).ok()?;
        let name = String::from_utf8_lossy(text.strip_suffix(b"\n").unwrap_or(&text)).into_owned();
        Some(Record::Name { pid, tid, is_exec: false, name })
    };
    threads(pid).unwrap_or_default().into_iter().filter_map(name).collect()
}

/// Executable mappings of a process.
pub(crate) fn mappings(pid: u32) -> io::Result<Vec<Mapping>> {
    let text = std::fs::read(format!("/proc/{pid}/maps"))?;
    let text = String::from_utf8_lossy(&text);
    let mut mappings: Vec<Mapping> = text.lines().filter_map(|line| mapping(pid, line)).collect();
    for mapping in &mut mappings {
        let (start, end) = (mapping.start, mapping.start + mapping.length);
        let mapped = format!("/proc/{pid}/map_files/{start:x}-{end:x}");
        if let Some(build_id) = Image::build_id_of(&mapped) {
            mapping.mark = FileMark::BuildId(build_id);
        }
    }
    Ok(mappings)
}

/// `start-end rwxp offset major:minor inode path`; `None` for what is not
/// executable or not in this form.
fn mapping(pid: u32, line: &str) -> Option<Mapping> {
    let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
    let mut words = line.splitn(6, ' ');
    let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
    let (device, inode) = (words.next()?, words.next()?);
    let (start, end) = range.split_once('-')?;
    let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
    let (major, minor) = device.split_once(':')?;
    let device = (hexadecimal(major)? as u32, hexadecimal(minor)? as u32);
    let inode = inode.parse::<u64>().ok()?;
    let path = words.next().map_or("", str::trim_start).replace("\\012", "\n");
    rights.contains('x').then_some(Mapping {
        pid,
        start,
        length: end.checked_sub(start)?,
        offset: hexadecimal(offset)?,
        path,
        mark: if inode == 0 { FileMark::None } else { FileMark::Inode { device, inode } },
        is_kernel: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_maps_is_read() {
        let line = "7f3a08028000-7f3a0817d000 r-xp 00028000 fe:01 1048623                    /lib/a b.so";
        let read = mapping(7, line).unwrap();
        assert_eq!((read.start, read.length, read.offset), (0x7f3a_0802_8000, 0x15_5000, 0x28000));
        assert_eq!(read.path, "/lib/a b.so");
        assert_eq!(read.mark, FileMark::Inode { device: (0xfe, 1), inode: 1_048_623 });
        assert_eq!(mapping(7, "00400000-00401000 rw-p 00000000 00:00 0"), None, "no code");
        assert_eq!(mapping(7, "7ff0-7ff1 r-xp 00000000 00:00 0 [vdso]").unwrap().path, "[vdso]");
        for wrong in ["", "x", "2-1 r-xp 0 0:0 0", "1-2 r-xp zz 0:0 0"] {
            assert_eq!(mapping(7, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn this_process_has_a_thread_and_its_own_program() {
        let pid = std::process::id();
        assert!(threads(pid).unwrap().contains(&pid));
        let is_named = |record: &Record| matches!(record, Record::Name { name, .. } if !name.is_empty());
        let names = names(pid);
        assert!(!names.is_empty() && names.iter().all(is_named), "{names:?}");
        let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        assert!(mappings(pid).unwrap().iter().any(|mapping| mapping.path == program));
    }
}
