//! Which words of an instruction's text say nothing of the instruction itself?
//!
//! LLVM prints all it knows: whether a register is used for the last time
//! (`killed`, `dead`), what an opcode reads and writes besides its operands
//! (`implicit $eflags`; always the same for one opcode), which registers a call
//! spares, and the numbers of metadata and attributes. A reader of a story wants
//! these folded, and may unfold them. Input: one line as LLVM prints it. Output:
//! its pieces, which together are the line. Cost: linear.
//! Limit: text in quotation marks is read as if it were none.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPiece<'a> {
    /// With what parts it from the piece before.
    pub text: &'a str,
    /// Whether it may be folded.
    pub is_noise: bool,
}

/// Flags of registers.
const FLAGS: [&str; 3] = ["killed", "dead", "renamable"];

/// The text without noise.
pub fn folded(text: &str) -> String {
    let kept: String = pieces(text).iter().filter(|piece| !piece.is_noise).map(|piece| piece.text).collect();
    // What stood before may have been folded.
    let indent = text.len() - text.trim_start().len();
    format!("{}{}", &text[..indent], kept.trim_start_matches([' ', ',']).trim_end())
}

/// All of the text, word by word.
pub fn pieces(text: &str) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    let mut is_operand_noise = false;
    let mut start = 0;
    while start < text.len() {
        let word_at = start + length_of(&text[start..], |letter| matches!(letter, ' ' | ',' | '\t'));
        let end = word_at + length_of(&text[word_at..], |letter| !matches!(letter, ' ' | ',' | '\t'));
        let word = &text[word_at..end];
        if text[start..word_at].contains(',') || word == "::" {
            is_operand_noise = false;
        }
        is_operand_noise |= begins_noise(word);
        if !is_operand_noise && FLAGS.contains(&word) {
            // A flag goes with the room behind it: `COPY killed $eax`.
            let next = end + length_of(&text[end..], |letter| letter == ' ');
            pieces.push(TextPiece { text: &text[start..word_at], is_noise: false });
            pieces.push(TextPiece { text: &text[word_at..next], is_noise: true });
            pieces.retain(|piece| !piece.text.is_empty());
            start = next;
            continue;
        }
        let is_noise = is_operand_noise || is_attribute(word);
        // `(load (s32), !tbaa !7)`: what the brackets close is no noise.
        let closing =
            if is_noise && word.contains('!') { word.len() - word.trim_end_matches(')').len() } else { 0 };
        pieces.push(TextPiece { text: &text[start..end - closing], is_noise });
        if closing > 0 {
            pieces.push(TextPiece { text: &text[end - closing..end], is_noise: false });
        }
        start = end;
    }
    pieces
}

fn length_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// Whether all of the operand is noise that begins with this word.
fn begins_noise(word: &str) -> bool {
    let is_metadata = || word.strip_prefix('!').is_some_and(|name| name.starts_with(char::is_alphabetic));
    matches!(word, "implicit" | "implicit-def" | "debug-location")
        || word.starts_with("<regmask")
        || is_metadata()
}

/// `#4`: a group of attributes.
fn is_attribute(word: &str) -> bool {
    word.strip_prefix('#')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{folded, pieces};

    #[test]
    fn what_is_folded_and_what_stays() {
        for (text, short) in [
            (
                "IDIV32r killed renamable $ecx, implicit-def $eax, implicit-def dead $edx, implicit $eax",
                "IDIV32r $ecx",
            ),
            ("%38:vr128 = PUNPCKLDQrr %33, killed %36", "%38:vr128 = PUNPCKLDQrr %33, %36"),
            ("renamable $eax = COPY killed renamable $ecx", "$eax = COPY $ecx"),
            ("CDQ implicit-def $eax, implicit $eax", "CDQ"),
            ("%4 = load i32, ptr %arrayidx, align 4, !tbaa !7", "%4 = load i32, ptr %arrayidx, align 4"),
            (
                "%9:gr32 = MOV32rm %1, 1, $noreg :: (load (s32) from %ir.p, !tbaa !7)",
                "%9:gr32 = MOV32rm %1, 1, $noreg :: (load (s32) from %ir.p)",
            ),
            ("CALL64pcrel32 @take, <regmask $bh and 9 more...>, implicit $rsp", "CALL64pcrel32 @take"),
            ("call void @take(i32 %a) #2", "call void @take(i32 %a)"),
            ("br label %for.body, !llvm.loop !9", "br label %for.body"),
            ("    ImplicitCastExpr int <LValueToRValue>", "    ImplicitCastExpr int <LValueToRValue>"),
            ("%c = icmp eq ptr %a, null", "%c = icmp eq ptr %a, null"),
        ] {
            assert_eq!(folded(text), short);
            assert_eq!(pieces(text).iter().map(|piece| piece.text).collect::<String>(), text);
        }
    }
}
