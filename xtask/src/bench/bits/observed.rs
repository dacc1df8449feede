//! What runs show: the module rewritten by the oracle, linked with
//! `xtask/oracle/bits_seen.c`, run with the seed that is built in and others.

use crate::bench::oracle;
use crate::command;
use crate::failure::{Failure, Result};
use opcost_testkit::width_of_joined;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What was seen of one value in all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Observed {
    pub(super) times: u64,
    /// All bits that ever were, and those that always were.
    pub(super) any: u64,
    pub(super) every: u64,
    pub(super) low: u64,
    pub(super) high: u64,
    pub(super) least: i64,
    pub(super) most: i64,
}

/// A function and the number of a value in it.
pub(super) type Key = (String, u32);

impl Observed {
    /// The bits that these numbers need.
    pub(super) fn width(&self) -> u32 {
        let folded = |number: i64| (number ^ (number >> 63)).cast_unsigned();
        width_of_joined(self.high, folded(self.least) | folded(self.most))
    }

    /// How many of these bits were not always the same.
    pub(super) fn varying(&self) -> u32 {
        let kept = u64::MAX.checked_shr(u64::BITS - self.width()).unwrap_or(0);
        (self.any & !self.every & kept).count_ones()
    }

    fn join(&mut self, other: &Self) {
        self.times = self.times.saturating_add(other.times);
        self.any |= other.any;
        self.every &= other.every;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

/// Rewrites, builds, runs `seeds` times and joins.
pub(super) fn run(
    program: &Path,
    module: &Path,
    seeds: usize,
    folder: &Path,
) -> Result<BTreeMap<Key, Observed>> {
    if seeds == 0 {
        return Ok(BTreeMap::new());
    }
    let [telling, executable, said] = ["telling.bc", "telling", "seen.txt"]
        .map(|name| folder.join(format!("{name}-{}", std::process::id())));
    let _ = fs::remove_file(&said);
    command::output_of(Command::new(program).arg("--observe").arg(module).arg(&telling))?;
    // Nothing is optimised any more: the values are those of the module.
    let mut compiler = Command::new("clang-22");
    compiler
        .args(["-O0", "-w", "-x", "ir"])
        .arg(&telling)
        .args(["-x", "c"])
        .arg(oracle::source("bits_seen.c")?);
    command::output_of(compiler.arg("-o").arg(&executable).arg("-lm"))?;
    for seed in 0..seeds {
        let mut run = Command::new(&executable);
        run.args((seed > 0).then(|| seed.to_string())).env("BITS_SEEN", &said).stdin(Stdio::null());
        command::output_of(&mut run)?;
    }
    let text = fs::read_to_string(&said).map_err(|error| Failure::at("read", &said, error))?;
    for path in [&telling, &executable, &said] {
        let _ = fs::remove_file(path);
    }
    read(&text)
}

fn read(text: &str) -> Result<BTreeMap<Key, Observed>> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let (key, seen) = line_of(line).ok_or_else(|| Failure::new(format!("the recorder said `{line}`")))?;
        all.entry(key).and_modify(|known: &mut Observed| known.join(&seen)).or_insert(seen);
    }
    Ok(all)
}

fn line_of(line: &str) -> Option<(Key, Observed)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [function, index, _width, times, any, every, low, high, least, most] = words.as_slice() else {
        return None;
    };
    let number = |word: &str| word.parse::<u64>().ok();
    let seen = Observed {
        times: number(times)?,
        any: number(any)?,
        every: number(every)?,
        low: number(low)?,
        high: number(high)?,
        least: least.parse().ok()?,
        most: most.parse().ok()?,
    };
    Some((((*function).to_owned(), index.parse().ok()?), seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::repository;

    #[test]
    fn runs_are_joined() {
        let all =
            read("f 3 32 2 6 2 2 6 2 6\ng 0 8 1 255 255 255 255 -1 -1\nf 3 32 1 9 9 9 9 9 9\n").unwrap();
        let seen = all[&("f".to_owned(), 3)];
        assert_eq!((seen.times, seen.low, seen.high, seen.least, seen.most), (3, 2, 9, 2, 9));
        assert_eq!((seen.width(), seen.varying()), (4, 4));
        let minus = all[&("g".to_owned(), 0)];
        assert_eq!((minus.width(), minus.varying()), (1, 0));
        assert!(read("f 3 32 2 6 2 2 6 2\n").is_err());
    }

    /// `%down` is computed ahead of the branch and is poison where it wraps; what
    /// is chosen is not. Of `%cut` no promise is broken, of `%kept` one in ten.
    const MODULE: &str = r"
define i32 @distance(i32 %a, i32 %b) {
  %more = icmp ugt i32 %a, %b
  %down = sub nuw i32 %a, %b
  %up = sub nuw i32 %b, %a
  %size = select i1 %more, i32 %down, i32 %up
  ret i32 %size
}

define i32 @main(i32 %count, ptr %words) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %size = call i32 @distance(i32 %i, i32 5)
  %cut = trunc nuw i32 %i to i8
  %kept = trunc nuw i32 %i to i3
  %hands = zext i3 %kept to i32
  %frozen = freeze i32 %hands
  %next = add nuw i32 %i, 1
  %again = icmp ult i32 %next, 9
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}
";

    #[test]
    fn poison_is_not_seen() {
        let folder = repository().unwrap().join("target/bench/bits/observed");
        fs::create_dir_all(&folder).unwrap();
        let program = oracle::build("bits", &folder).unwrap();
        let module = folder.join(format!("poison-{}.ll", std::process::id()));
        fs::write(&module, MODULE).unwrap();
        let all = run(&program, &module, 2, &folder).unwrap();
        fs::remove_file(&module).unwrap();
        let of = |function: &str, index: u32| {
            let seen = all[&(function.to_owned(), index)];
            (seen.times, seen.low, seen.high)
        };
        // Two runs of nine turns, i from 0 to 8.
        assert_eq!((of("distance", 0), of("distance", 1)), ((18, 0, 8), (18, 5, 5)));
        assert_eq!((of("distance", 3), of("distance", 4)), ((8, 0, 3), (12, 0, 5)));
        assert_eq!(of("distance", 5), (18, 0, 5));
        assert_eq!((of("main", 5), of("main", 6), of("main", 7)), ((18, 0, 8), (16, 0, 7), (16, 0, 7)));
        // What a freeze makes of poison is a number.
        assert_eq!(of("main", 8).0, 18);
        assert_eq!(of("main", 3), (18, 0, 8));
    }
}
