//! Random programs with accesses sown into them: what must a value be?
//!
//! Behind some results of 8 bits stands an access at that offset of an array,
//! which not every offset is in: executions that get out of it are undefined.
//! Input: a text of the grammars of branches or loops. Cost: linear.

use std::fmt::Write;

use crate::random::Random;

/// Accesses after results of 8 bits, at random.
pub fn with_accesses(text: &str, random: &mut Random) -> String {
    let mut out = format!("global internal @array type [{} x i8] = {{ }}\n", 20 + random.below(200));
    for (number, line) in text.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        let Some((name, rest)) = line.trim().split_once(" = ") else { continue };
        let words = ["add ", "sub ", "xor ", "and ", "or ", "lshr ", "mul ", "shl ", "udiv ", "load "];
        let is_byte = rest.split_whitespace().any(|word| word == "i8" || word == "i8,");
        let is_cast = rest.contains("ext") || rest.contains("trunc") || rest.contains("icmp");
        if is_cast || !is_byte || !words.iter().any(|word| rest.starts_with(word)) || !random.one_in(4) {
            continue;
        }
        let cast = *random.of(&["sext", "zext"]);
        let kept = *random.of(&["", " inbounds"]);
        let access = match random.one_in(2) {
            true => format!("%acc.x{number} = load i8, ptr %acc.p{number}"),
            false => format!("store i8 {name}, ptr %acc.p{number}"),
        };
        writeln!(
            out,
            "  %acc.w{number} = {cast} i64 i8 {name}\n  %acc.p{number} = getelementptr{kept} [7 x i8] ptr @array, i64 0, i64 %acc.w{number}\n  {access}"
        )
        .expect("writing to a string");
    }
    out
}
