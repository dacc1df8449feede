//! What are the words of a line? Tokens, and how names are quoted.
//!
//! Names are bare where letters, digits, `_`, `.` and `$` suffice, else in
//! quotes with `\XX` escapes in the manner of LLVM. A comment runs from `;` to
//! the end of the line. Cost: linear.

use std::fmt;

/// One word of the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `call`, `i32`, `true`, `...`
    Word(String),
    /// `12`, `-1`, `1.5e+00`
    Number(String),
    /// `%x`, `%3`
    Local(Name),
    /// `@main`
    Global(String),
    /// `"a text"`
    Text(String),
    /// `c"the text of a constant"`
    Constant(String),
    /// `#3`: a constant of the table.
    Hash(u32),
    /// `!at`, `!weights`
    Note(String),
    /// `,`, `(`, `->` and the like.
    Sign(&'static str),
}

/// The name of a local value or block: its own, or its number for want of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// A name.
    Own(String),
    /// A number.
    Number(u32),
}

/// Where no token begins: what should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoToken {
    pub(crate) expected: &'static str,
}

impl NoToken {
    fn expected(expected: &'static str) -> NoToken {
        NoToken { expected }
    }
}

const SIGNS: &[&str] = &["->", ",", "(", ")", "[", "]", "{", "}", "<", ">", "=", ":"];

/// The tokens of one line, or what was expected where none begins.
pub(crate) fn lex(line: &str) -> Result<Vec<Token>, NoToken> {
    let mut rest = line.trim_start();
    let mut tokens = Vec::new();
    while !rest.is_empty() && !rest.starts_with(';') {
        let (token, behind) = token(rest)?;
        tokens.push(token);
        rest = behind.trim_start();
    }
    Ok(tokens)
}

fn token(rest: &str) -> Result<(Token, &str), NoToken> {
    for sign in SIGNS {
        if let Some(behind) = rest.strip_prefix(sign) {
            return Ok((Token::Sign(sign), behind));
        }
    }
    let mut characters = rest.chars();
    let first = characters.next().unwrap_or(' ');
    let behind = characters.as_str();
    match first {
        '%' => local(behind),
        '@' => name(behind).map(|(name, behind)| (Token::Global(name), behind)),
        '!' => name(behind).map(|(name, behind)| (Token::Note(name), behind)),
        '"' => quoted(behind).map(|(text, behind)| (Token::Text(text), behind)),
        'c' if behind.starts_with('"') => {
            quoted(&behind[1..]).map(|(text, behind)| (Token::Constant(text), behind))
        }
        '#' => {
            let (digits, behind) = take(behind, |c| c.is_ascii_digit());
            Ok((
                Token::Hash(
                    digits.parse().map_err(|_| NoToken::expected("the number of a constant after '#'"))?,
                ),
                behind,
            ))
        }
        '0'..='9' | '-' | '+' => {
            let (number, behind) = take(rest, |c| c.is_ascii_alphanumeric() || ".+-".contains(c));
            Ok((Token::Number(number.to_owned()), behind))
        }
        _ if is_name_character(first) => {
            let (word, behind) = take(rest, is_name_character);
            Ok((Token::Word(word.to_owned()), behind))
        }
        _ => Err(NoToken::expected("a word")),
    }
}

fn local(behind: &str) -> Result<(Token, &str), NoToken> {
    if behind.starts_with(|c: char| c.is_ascii_digit()) {
        let (digits, behind) = take(behind, |c| c.is_ascii_digit());
        let number = digits.parse().map_err(|_| NoToken::expected("a number below 2^32 after '%'"))?;
        return Ok((Token::Local(Name::Number(number)), behind));
    }
    name(behind).map(|(name, behind)| (Token::Local(Name::Own(name)), behind))
}

fn name(rest: &str) -> Result<(String, &str), NoToken> {
    if let Some(behind) = rest.strip_prefix('"') {
        return quoted(behind);
    }
    match take(rest, is_name_character) {
        ("", _) => Err(NoToken::expected("a name after '%', '@' or '!'")),
        (name, behind) => Ok((name.to_owned(), behind)),
    }
}

/// What is up to the closing quote, and what is after it.
fn quoted(rest: &str) -> Result<(String, &str), NoToken> {
    let mut text = String::new();
    let mut characters = rest.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return Ok((text, characters.as_str())),
            '\\' => {
                let mut digit = || characters.next().and_then(|c| c.to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(NoToken::expected("two hexadecimal digits after '\\'"));
                };
                text.extend(char::from_u32(high * 16 + low));
            }
            _ => text.push(character),
        }
    }
    Err(NoToken::expected("a closing '\"'"))
}

fn take(rest: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    rest.split_at(rest.find(|c| !belongs(c)).unwrap_or(rest.len()))
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_.$".contains(character)
}

/// Writes a text in quotes.
pub(crate) fn write_quoted(text: &str, out: &mut String) {
    use fmt::Write;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' | '\0'..='\x1f' | '\x7f' => {
                write!(out, "\\{:02X}", character as u32).expect("writing to a string");
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Writes a name so that it reads as the same name.
pub(crate) fn write_name(name: &str, out: &mut String) {
    let is_bare = !name.is_empty()
        && name.chars().all(is_name_character)
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_bare { out.push_str(name) } else { write_quoted(name, out) }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        match self {
            Token::Word(text) | Token::Number(text) => return f.write_str(text),
            Token::Sign(sign) => return f.write_str(sign),
            Token::Hash(number) => return write!(f, "#{number}"),
            Token::Local(Name::Number(number)) => return write!(f, "%{number}"),
            Token::Local(Name::Own(text)) => write_name(text, &mut name),
            Token::Global(text) | Token::Note(text) => write_name(text, &mut name),
            Token::Text(text) | Token::Constant(text) => write_quoted(text, &mut name),
        }
        let mark = match self {
            Token::Local(_) => "%",
            Token::Global(_) => "@",
            Token::Note(_) => "!",
            Token::Constant(_) => "c",
            _ => "",
        };
        write!(f, "{mark}{name}")
    }
}
