//! Which texts for people does a source have?
//!
//! Input: a module, without its tests. Output: its documentation (lines of one comment together),
//! and the texts of four words or more that stand in its code, with those in macros. Limits: what is
//! put together of shorter texts is not seen as one.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use super::{Text, markdown};
use crate::sources::{Module, root};

/// The texts of a source.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) documentation: Vec<Text>,
    pub(crate) messages: Vec<Text>,
}

/// The texts of a module.
pub(crate) fn texts(module: &Module) -> Texts {
    let file = module.file.strip_prefix(root()).unwrap_or(&module.file).display().to_string();
    let mut reader = Reader { file, comment: String::new(), texts: Texts::default() };
    for item in &module.items {
        reader.tokens(item.to_token_stream());
        reader.end_comment();
    }
    reader.texts
}

struct Reader {
    file: String,
    /// Lines of the comment that is read.
    comment: String,
    texts: Texts,
}

impl Reader {
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {}
                TokenTree::Group(group) => match documentation(group.stream()) {
                    Some(line) if is_attribute(&tokens[..at]) => {
                        self.comment.push_str(&line);
                        self.comment.push('\n');
                    }
                    _ => {
                        self.end_comment();
                        self.tokens(group.stream());
                    }
                },
                TokenTree::Literal(_) => {
                    self.end_comment();
                    if let Some(text) = text_of(token) {
                        self.message(&text);
                    }
                }
                _ => self.end_comment(),
            }
        }
    }

    fn end_comment(&mut self) {
        let comment = std::mem::take(&mut self.comment);
        for (_, words) in markdown::texts(&comment) {
            self.texts.documentation.push(Text { place: self.file.clone(), words });
        }
    }

    /// Lines that are indented are examples.
    fn message(&mut self, text: &str) {
        let shown: Vec<&str> = text.lines().filter(|line| !line.starts_with("  ")).collect();
        for paragraph in shown.join("\n").split("\n\n") {
            if paragraph.split_whitespace().count() >= 4 {
                self.texts.messages.push(Text { place: self.file.clone(), words: paragraph.to_owned() });
            }
        }
    }
}

fn is_attribute(before: &[TokenTree]) -> bool {
    let is_mark =
        |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(mark) if mark.as_char() == sign);
    match before {
        [.., last] if is_mark(last, '#') => true,
        [.., one, last] => is_mark(last, '!') && is_mark(one, '#'),
        _ => false,
    }
}

/// The line of `doc = "…"`.
fn documentation(tokens: TokenStream) -> Option<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(name), _, value] if name == "doc" => text_of(value),
        _ => None,
    }
}

fn text_of(token: &TokenTree) -> Option<String> {
    syn::parse2::<syn::LitStr>(TokenStream::from(token.clone())).ok().map(|text| text.value())
}
