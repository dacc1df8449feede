//! Which bytes does a user mean who writes them down?
//!
//! Hexadecimal digits, or the code itself: what is no text at all is that. Input: what was written or read. Output: the
//! bytes, at least one. Cost: linear.

use opcost_answer::Failure;

/// A word that is no bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no byte in hexadecimal, two digits each")]
struct NoByte(String);

/// Machine code of what was written, which messages call `name`.
///
/// # Errors
/// A word is no number of whole bytes; there are no bytes.
pub fn read_bytes(name: &str, data: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let is_code = data.iter().any(|byte| !byte.is_ascii_graphic() && !byte.is_ascii_whitespace());
    let bytes = match std::str::from_utf8(&data) {
        Ok(text) if !is_code => {
            parse_bytes(text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?
        }
        _ => data,
    };
    if bytes.is_empty() {
        return Err(Failure::Usage(format!("{name}: there are no bytes")));
    }
    Ok(bytes)
}

/// Hexadecimal numbers, with or without spaces, commas and `0x`.
fn parse_bytes(text: &str) -> Result<Vec<u8>, NoByte> {
    let mut bytes = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        if digits.is_empty() || digits.len() % 2 != 0 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            return Err(NoByte(word.to_owned()));
        }
        let pairs = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]);
        bytes.extend(pairs.map(|pair| u8::from_str_radix(pair, 16).expect("two digits")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn bytes_are_read_as_they_are_written() {
        let bytes = parse_bytes("89 d1 8d0437 0x99, f7 f9 c3").expect("bytes");
        assert_eq!(bytes, [0x89, 0xd1, 0x8d, 0x04, 0x37, 0x99, 0xf7, 0xf9, 0xc3]);
        assert!(parse_bytes("89 d").expect_err("one digit").to_string().contains("'d'"));
    }
}
