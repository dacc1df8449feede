//! How many bits do the marked values of a program show when it runs?
//!
//! The source is rewritten line by line: behind a marked line (before it, where
//! it is a `return`) stands a call that keeps what the value was. It is compiled
//! without optimisation and run with several seeds, whose values are joined.
//!
//! This knows nothing of anybody's ranges: it is the referee of the marks. A
//! value that shows more bits than its mark allows, or not as many as it says,
//! makes the mark wrong; so does one that is never come by.

use crate::command;
use crate::failure::{Failure, Result};
use opcost_testkit::{WidthClaim, WidthMark, width_of_joined};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const RECORDER: &str = include_str!("seen.h");

/// The first is the built-in one.
const SEEDS: [Option<u32>; 6] = [None, Some(2), Some(3), Some(5), Some(7), Some(11)];

/// What was seen of one claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Observed {
    times: u64,
    plain: u64,
    folded: u64,
}

/// Rewrites, builds, runs; what does not hold, in words.
pub(super) fn run(source: &Path, text: &str, marks: &[WidthMark], scratch: &Path) -> Result<Vec<String>> {
    let rewritten = rewrite(text, marks)?;
    let (copy, executable, said) =
        (scratch.join("marked.c"), scratch.join("marked"), scratch.join("seen.txt"));
    let _ = fs::remove_file(&said);
    for (path, text) in [(&copy, rewritten.as_str()), (&scratch.join("seen.h"), RECORDER)] {
        fs::write(path, text).map_err(|error| Failure::at("write", path, error))?;
    }
    let mut compiler = Command::new("clang-22");
    compiler.args(["-O0", "-fuse-ld=lld", "-w", "-I"]).arg(source.parent().unwrap_or(source)).arg(&copy);
    command::output_of(compiler.arg("-o").arg(&executable).arg("-lm"))?;
    for seed in SEEDS {
        let mut program = Command::new(&executable);
        program.args(seed.map(|seed| seed.to_string())).env("BITS_SEEN", &said).stdin(Stdio::null());
        command::output_of(&mut program)?;
    }
    let told = fs::read_to_string(&said).map_err(|error| Failure::at("read", &said, error))?;
    judge(&told, marks)
}

fn rewrite(text: &str, marks: &[WidthMark]) -> Result<String> {
    let count: usize = marks.iter().map(|mark| mark.claims.len()).sum();
    let mut result = format!("#define BITS_CLAIMS {count}\n#include \"seen.h\"\n#line 1\n");
    let mut number = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let Some(mark) = marks.iter().find(|mark| mark.line == line) else {
            let _ = writeln!(result, "{content}");
            continue;
        };
        let code = content.split("/* bits:").next().unwrap_or_default().trim_end();
        let mut calls = String::new();
        for claim in &mark.claims {
            let _ = write!(calls, " BITS_SEEN({number}, {});", claim.name);
            number += 1;
        }
        if code.trim_start().starts_with("return") {
            let _ = writeln!(result, "{calls} {code}");
        } else if code.ends_with([';', '{', '}']) {
            let _ = writeln!(result, "{code}{calls}");
        } else {
            let rule = "a marked line ends a statement or opens a block";
            return Err(Failure::new(format!("line {line}: {rule}")));
        }
    }
    Ok(result)
}

fn judge(told: &str, marks: &[WidthMark]) -> Result<Vec<String>> {
    let claims: Vec<(usize, &WidthClaim)> =
        marks.iter().flat_map(|mark| mark.claims.iter().map(|claim| (mark.line, claim))).collect();
    let mut all = vec![Observed::default(); claims.len()];
    for line in told.lines() {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        let place = numbers.as_ref().and_then(|numbers| usize::try_from(*numbers.first()?).ok());
        match (numbers.as_deref(), place.and_then(|place| all.get_mut(place))) {
            (Some([_, times, plain, folded]), Some(seen)) => {
                seen.times += times;
                seen.plain |= plain;
                seen.folded |= folded;
            }
            _ => return Err(Failure::new(format!("the recorder said `{line}`"))),
        }
    }
    let mut wrong = Vec::new();
    for ((line, claim), seen) in claims.into_iter().zip(all) {
        let (bits, shown) = (width_of_joined(seen.plain, seen.folded), claim.shown);
        if seen.times == 0 {
            wrong.push(format!("line {line}: nobody comes by {}", claim.name));
        } else if bits != shown {
            wrong.push(format!("line {line}: {} shows {bits} bits, its mark says {shown}", claim.name));
        }
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_testkit::read_widths;

    const TEXT: &str =
        "int f(int n) {\n  n &= 7; /* bits: n 3; n 2 closed */\n  return n; /* bits: n 3 */\n}\n";

    #[test]
    fn marked_lines_get_their_calls() {
        let rewritten = rewrite(TEXT, &read_widths(TEXT).unwrap()).unwrap();
        let lines: Vec<&str> = rewritten.lines().collect();
        assert_eq!(lines[0], "#define BITS_CLAIMS 3");
        assert_eq!(lines[4], "  n &= 7; BITS_SEEN(0, n); BITS_SEEN(1, n);");
        assert_eq!(lines[5], " BITS_SEEN(2, n);   return n;");
        let wrong = "  if (n) /* bits: n 3 */\n    n++;\n";
        assert!(rewrite(wrong, &read_widths(wrong).unwrap()).is_err());
    }

    #[test]
    fn what_was_told_is_judged() {
        let marks = read_widths(TEXT).unwrap();
        let wrong = judge("0 1 4 4\n1 1 4 4\n2 0 0 0\n0 1 3 3\n1 0 0 0\n2 0 0 0\n", &marks).unwrap();
        assert_eq!(wrong, ["line 2: n shows 3 bits, its mark says 2", "line 3: nobody comes by n"]);
        assert!(judge("0 1 4\n", &marks).is_err());
        assert!(judge("3 1 4 4\n", &marks).is_err());
    }
}
