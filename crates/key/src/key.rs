//! What is an answer about? One typed key, and one way to write it.
//!
//! A [`Key`] names a module, a line of a file, a function, or a part of a function. Its text is
//! that of LLVM's IR as far as the IR has one: `@name`, with a name in quotes
//! and bytes as `\22` where it has to be. A function that only its own module
//! can name carries that module: `src/a.c@step`. A part follows a colon:
//! `@main:i4`, `@main:block2`; so does the line of a file: `src/a.c:12`. [`Display`](fmt::Display) and [`FromStr`] are
//! inverse, so a key can go through a file and come back.
//!
//! Cost: one pass over the text. Limits: numbers of parts are those of one
//! anchor; a key does not say which.

use std::fmt;
use std::str::FromStr;

use opcost_index::Id;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{BlockId, EdgeId, InstructionId};

/// What an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Key {
    /// A module, by the name of its source file.
    Module(Box<str>),
    /// A line of a source file, from 1.
    Line(Box<str>, u32),
    /// A function.
    Function(FunctionKey),
    /// A part of a function.
    Part(FunctionKey, Part),
}

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FunctionKey {
    /// The module that it is local to; `None` where one name is one function
    /// in the whole program.
    pub module: Option<Box<str>>,
    /// Its linkage name in that module.
    pub name: Box<str>,
}

/// Which part of a function; numbers are dense in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A parameter, by position.
    Parameter(u32),
    /// A basic block.
    Block(BlockId),
    /// An edge of the flow graph.
    Edge(EdgeId),
    /// An instruction.
    Instruction(InstructionId),
    /// A loop, by its header.
    Loop(BlockId),
    /// A path, by its number.
    Path(u64),
}

/// Why a text is no key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{text}' is no key: {why}; keys are written as src/a.c, @main, src/a.c@step, @main:i4, @main:block2"
)]
pub struct KeyError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: KeyFault,
}

/// What is wrong with the text of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyFault {
    /// A name is missing.
    #[error("a name is empty")]
    Empty,
    /// A quoted name does not end, or has an escape that is none.
    #[error("a quoted name is not well-formed")]
    Quote,
    /// A character that only a quoted name may have.
    #[error("a name with such characters needs quotes")]
    Unquoted,
    /// No such kind of part.
    #[error("after the colon there is argument, block, edge, i, loop or path with a number")]
    Part,
    /// No line follows the colon of a file.
    #[error("after the colon of a file there is the number of a line")]
    Line,
    /// A part where a function is expected.
    #[error("a function is expected, and nothing after it")]
    NoFunction,
}

impl Key {
    /// The function that it is about, or a part of; `None` of a module or a line.
    pub fn function(&self) -> Option<&FunctionKey> {
        match self {
            Key::Module(_) | Key::Line(..) => None,
            Key::Function(function) | Key::Part(function, _) => Some(function),
        }
    }
}

impl FunctionKey {
    /// The key of a part of this function.
    pub fn part(&self, part: Part) -> Key {
        Key::Part(self.clone(), part)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Parameter(position) => write!(f, "argument{position}"),
            Part::Block(block) => block.fmt(f),
            Part::Edge(edge) => edge.fmt(f),
            Part::Instruction(at) => at.fmt(f),
            Part::Loop(header) => write!(f, "loop{}", header.index()),
            Part::Path(path) => write!(f, "path{path}"),
        }
    }
}

impl fmt::Display for FunctionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(module) = &self.module {
            write_name(f, module, is_plain_module)?;
        }
        f.write_str("@")?;
        write_name(f, &self.name, is_plain_name)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Module(module) => write_name(f, module, is_plain_module),
            Key::Line(file, line) => {
                write_name(f, file, is_plain_module)?;
                write!(f, ":{line}")
            }
            Key::Function(function) => function.fmt(f),
            Key::Part(function, part) => write!(f, "{function}:{part}"),
        }
    }
}

impl FromStr for Key {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        parse(text).map_err(|why| KeyError { text: text.to_owned(), why })
    }
}

impl FromStr for FunctionKey {
    type Err = KeyError;
    fn from_str(text: &str) -> Result<Self, KeyError> {
        match text.parse()? {
            Key::Function(function) => Ok(function),
            _ => Err(KeyError { text: text.to_owned(), why: KeyFault::NoFunction }),
        }
    }
}

impl TryFrom<String> for Key {
    type Error = KeyError;
    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl TryFrom<String> for FunctionKey {
    type Error = KeyError;
    fn try_from(text: String) -> Result<Self, KeyError> {
        text.parse()
    }
}

impl From<Key> for String {
    fn from(key: Key) -> String {
        key.to_string()
    }
}

impl From<FunctionKey> for String {
    fn from(function: FunctionKey) -> String {
        function.to_string()
    }
}

fn parse(text: &str) -> Result<Key, KeyFault> {
    let (module, rest) = if text.starts_with('@') {
        (None, text)
    } else {
        let (module, rest) = take_name(text, is_plain_module)?;
        (Some(module), rest)
    };
    let Some(rest) = rest.strip_prefix('@') else {
        return match module {
            Some(module) if rest.is_empty() => Ok(Key::Module(module)),
            Some(file) => match rest.strip_prefix(':') {
                Some(line) => Ok(Key::Line(file, small(line).ok_or(KeyFault::Line)?)),
                None => Err(KeyFault::Unquoted),
            },
            None => Err(KeyFault::Empty),
        };
    };
    let (name, rest) = take_name(rest, is_plain_name)?;
    let function = FunctionKey { module, name };
    match rest.strip_prefix(':') {
        Some(part) => Ok(Key::Part(function, parse_part(part)?)),
        None if rest.is_empty() => Ok(Key::Function(function)),
        None => Err(KeyFault::Unquoted),
    }
}

fn parse_part(text: &str) -> Result<Part, KeyFault> {
    let digits = text.find(|c: char| c.is_ascii_digit()).ok_or(KeyFault::Part)?;
    let (kind, number) = text.split_at(digits);
    if kind == "path" {
        return plain_number(number).map(Part::Path).ok_or(KeyFault::Part);
    }
    let small = small(number).ok_or(KeyFault::Part)?;
    let position = small as usize;
    match kind {
        "argument" => Ok(Part::Parameter(small)),
        "block" => Ok(Part::Block(BlockId::new(position))),
        "edge" => Ok(Part::Edge(EdgeId::new(position))),
        "i" => Ok(Part::Instruction(InstructionId::new(position))),
        "loop" => Ok(Part::Loop(BlockId::new(position))),
        _ => Err(KeyFault::Part),
    }
}

/// One number has one text: no sign, no leading zero.
fn plain_number(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_number && (text.len() == 1 || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

fn small(text: &str) -> Option<u32> {
    plain_number(text)?.try_into().ok()
}

/// As LLVM's IR has it without quotes.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-$._".contains(&byte);
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(is_plain)
}

fn is_plain_module(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-+._/".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str, is_plain: fn(&str) -> bool) -> fmt::Result {
    if is_plain(name) {
        return f.write_str(name);
    }
    f.write_str("\"")?;
    for c in name.chars() {
        match c {
            c if must_escape(c) => write!(f, "\\{:02X}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// A name at the beginning, and what is after it.
fn take_name(text: &str, is_plain: fn(&str) -> bool) -> Result<(Box<str>, &str), KeyFault> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find('"').ok_or(KeyFault::Quote)?;
        let name = unescape(&quoted[..end])?;
        // One name has one text.
        let is_needed = !is_plain(&name);
        return if is_needed { Ok((name.into(), &quoted[end + 1..])) } else { Err(KeyFault::Quote) };
    }
    let end = text.find(['@', ':', '"']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name {
        "" => Err(KeyFault::Empty),
        _ if is_plain(name) => Ok((name.into(), rest)),
        _ => Err(KeyFault::Unquoted),
    }
}

fn unescape(text: &str) -> Result<String, KeyFault> {
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(must_escape) {
        if !rest[at..].starts_with('\\') {
            return Err(KeyFault::Quote);
        }
        name.push_str(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).ok_or(KeyFault::Quote)?;
        let byte = u8::from_str_radix(digits, 16).map_err(|_| KeyFault::Quote)?;
        if !must_escape(char::from(byte)) || digits != format!("{byte:02X}") {
            return Err(KeyFault::Quote);
        }
        name.push(char::from(byte));
        rest = &rest[at + 3..];
    }
    name.push_str(rest);
    Ok(name)
}

/// Whether a quoted name has it as an escape.
fn must_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '\0'..='\x1f' | '\x7f')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part() -> impl Strategy<Value = Part> {
        let block = || any::<u32>().prop_map(|at| BlockId::new(at as usize));
        prop_oneof![
            any::<u32>().prop_map(Part::Parameter),
            block().prop_map(Part::Block),
            any::<u32>().prop_map(|at| Part::Edge(EdgeId::new(at as usize))),
            any::<u32>().prop_map(|at| Part::Instruction(InstructionId::new(at as usize))),
            block().prop_map(Part::Loop),
            any::<u64>().prop_map(Part::Path),
        ]
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof!["[-a-z$._0-9/@:\"\\\\ ]{0,8}", any::<String>(), "_Z[0-9]{1,2}[a-z]{1,9}"]
    }

    fn key() -> impl Strategy<Value = Key> {
        let function = (proptest::option::of(name()), name())
            .prop_map(|(module, name)| FunctionKey { module: module.map(Into::into), name: name.into() });
        (function, proptest::option::of(part()), name(), any::<Option<Option<u32>>>()).prop_map(
            |(function, part, module, line)| match (line, part) {
                (Some(None), _) => Key::Module(module.into()),
                (Some(Some(line)), _) => Key::Line(module.into(), line),
                (None, Some(part)) => function.part(part),
                (None, None) => Key::Function(function),
            },
        )
    }

    proptest! {
        #[test]
        fn text_and_key_are_inverse(key in key()) {
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }

        #[test]
        fn a_key_has_one_text(text in "[-a-z$._0-9/@:\"\\\\ \u{1}]{0,16}|[ab.]{1,3}:[0-9]{1,3}|@main:[a-z]{1,8}[0-9]{1,3}|\"[ab@\\\\2]{0,6}\"@[\"a]{0,3}") {
            if let Ok(key) = text.parse::<Key>() {
                prop_assert_eq!(key.to_string(), text);
            }
        }
    }

    #[test]
    fn keys_read_as_in_the_text_of_the_ir() {
        let step = FunctionKey { module: Some("src/a.c".into()), name: "step".into() };
        let texts = [
            (Key::Module("src/a.c".into()), "src/a.c"),
            (Key::Line("src/a.c".into(), 12), "src/a.c:12"),
            (Key::Line("my file:1.c".into(), 2), "\"my file:1.c\":2"),
            (Key::Function(step.clone()), "src/a.c@step"),
            (step.part(Part::Instruction(InstructionId::new(4))), "src/a.c@step:i4"),
            (FunctionKey { module: None, name: "main".into() }.part(Part::Parameter(0)), "@main:argument0"),
            (Key::Function(FunctionKey { module: None, name: "a b\"".into() }), "@\"a b\\22\""),
            (Key::Module("my file@home.c".into()), "\"my file@home.c\""),
        ];
        for (key, text) in texts {
            assert_eq!(key.to_string(), text);
            assert_eq!(text.parse::<Key>(), Ok(key));
        }
    }

    #[test]
    fn what_is_no_key_is_told_with_the_reason() {
        let faults = [
            ("", KeyFault::Empty),
            ("@", KeyFault::Empty),
            ("@main:", KeyFault::Part),
            ("@main:i04", KeyFault::Part),
            ("@main:i4294967296", KeyFault::Part),
            ("@main:line3", KeyFault::Part),
            ("a.c:03", KeyFault::Line),
            ("a.c:", KeyFault::Line),
            ("a.c:4294967296", KeyFault::Line),
            (":3", KeyFault::Empty),
            ("@a b", KeyFault::Unquoted),
            ("@\"main\"", KeyFault::Quote),
            ("@\"a b", KeyFault::Quote),
            ("@\"a\\4\"", KeyFault::Quote),
        ];
        for (text, why) in faults {
            assert_eq!(text.parse::<Key>().map_err(|error| error.why), Err(why), "{text}");
        }
        assert!("src/a.c".parse::<FunctionKey>().is_err());
    }
}
