//! Machine code on the terminal: offset, bytes, what they say, which bits say
//! what, and what a linker is to fill in.
//!
//! ```text
//! bytes +0x6    f7 f9                    idivl %ecx
//!                                        opcode f7 · ModRM mod 3 register, reg 7 /7, rm 1 %ecx
//! ```

use std::fmt::Write;

use opcost_answer::life::Field;
use opcost_answer::life::{CodeInstruction, LifeCode, SelfCheck};

use crate::kit::style::{BAD, DIM, GOOD, STRONG, cut as fit, paint, screen_width};
use opcost_answer::names::demangle;

/// The code of all functions; with `is_whole` the chosen ones are marked among the
/// others.
pub fn print_code(code: &[LifeCode], is_whole: bool, width: usize) -> String {
    let mut text = String::new();
    let mut head = "bytes";
    for function in code {
        if (is_whole || code.len() > 1) && !function.function.is_empty() {
            let line = format!("{} in {}", demangle(&function.function), function.section);
            writeln!(text, "{}", paint(STRONG, line)).expect("text");
        }
        for one in &function.instructions {
            print_instruction(&mut text, head, one, is_whole, width);
            head = "";
        }
    }
    text
}

fn print_instruction(text: &mut String, head: &str, one: &CodeInstruction, is_whole: bool, width: usize) {
    let sign = if is_whole && one.is_chosen { "▶" } else { " " };
    let said = if one.text.is_empty() { "(no instruction)" } else { &one.text };
    let place = format!("+{:#x}", one.offset);
    let line = fit(&format!("{head:<6}{place:<8}{sign}{:<25} {said}", one.bytes), width);
    let line = if sign == "▶" { paint(GOOD, line) } else { line };
    writeln!(text, "{}", line.trim_end()).expect("text");
    let mut more = |words: String| {
        writeln!(text, "{}", paint(DIM, fit(&format!("{:<41}{words}", ""), width))).expect("text");
    };
    let operands: Vec<&str> =
        one.operands.iter().map(|name| if name.is_empty() { "-" } else { name }).collect();
    let given = format!("{} {}", one.opcode, operands.join(", "));
    // Elsewhere the stage before says it.
    if is_whole && !one.opcode.is_empty() {
        more(given.trim_end().to_owned());
    }
    if !one.fields.is_empty() {
        more(fields(&one.fields));
    }
    if let Some(was) = &one.relaxed_from {
        more(format!("made longer by the assembler: {was} may not reach"));
    }
    for relocation in &one.relocations {
        more(format!("{} at byte {}", relocation.text(), relocation.offset));
    }
}

/// `opcode f7 · ModRM mod 3 register, reg 7 /7, rm 1 %ecx`
fn fields(fields: &[Field]) -> String {
    let mut text = String::new();
    let mut byte = "";
    for field in fields {
        let (whole, name) = field.name.split_once('.').unwrap_or(("", &field.name));
        let between = match (text.is_empty(), !whole.is_empty() && whole == byte) {
            (true, _) => "",
            (_, true) => ", ",
            (_, false) => " · ",
        };
        let head = if whole.is_empty() || whole == byte { String::new() } else { format!("{whole} ") };
        byte = whole;
        let told = format!("{between}{head}{name} {} {}", field.value, field.meaning);
        text.push_str(told.trim_end());
    }
    text
}

/// One line, and one more for each comparison that failed or was not made.
pub fn print_self_check(check: &SelfCheck) -> String {
    let told = check.reported();
    let same: Vec<&str> =
        told.iter().filter(|told| told.is_same == Some(true)).map(|told| told.with).collect();
    let mut text = String::from("\nself-check:");
    if !same.is_empty() {
        write!(text, " {}", paint(GOOD, format!("identical to {}", same.join(", ")))).expect("text");
    }
    text.push('\n');
    for told in told.iter().filter(|told| told.is_same != Some(true)) {
        let (style, word) = if told.is_same.is_none() { (DIM, "not compared with") } else { (BAD, "NOT") };
        let remark = told.remark.map(|words| format!(": {words}")).unwrap_or_default();
        let line = fit(&format!("  {word} {}{remark}", told.with), screen_width());
        writeln!(text, "{}", paint(style, line)).expect("text");
    }
    text
}
