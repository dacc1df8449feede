//! Are signatures and structs of product code within the limits of the house?
//!
//! Six rules, over the sources of all rooms (`crates/*/src`) and of `xtask`:
//!
//! - `parameters`: no function takes more than five, `self` included. More than that are a thing
//!   without a name, or two questions in one.
//! - `tuple`: no parameter is a tuple, or a reference to one. Its parts have no names where it is
//!   called, and it hides a sixth parameter.
//! - `bools`: no struct of options (its name ends in Options, Arguments, Settings, Request or Flags)
//!   has more than three fields of type `bool`. Two of them can be passed in the wrong order.
//! - `string-error`: no signature, alias or associated type is a `Result` whose error is `String`.
//!   Who calls cannot tell one error from another.
//! - `stderr`: no `eprintln!` and its like in what users run (not in `xtask`, `testkit`). What is
//!   printed may quote input, whose control characters must not reach a terminal.
//! - `library-names`: no module but those of the room `library` has three names or more of functions of which
//!   that room has a record. What such functions do is asked of it.
//!
//! What stands against them today is listed in `limits.txt`, a line `rule room::module::function`
//! each; the list only gets shorter.
//!
//! Left out: tests; closures; declarations of foreign functions, and in the room `llvm` functions
//! with a foreign calling convention, whose signatures are LLVM's; structs that clap fills
//! (`derive(Args)`, `derive(Parser)`): they are the face of the command line, where every flag is a
//! bool, and what is made of them is not left out.
//!
//! Limits: what macros make is not seen. A function that stands in a function is named behind it.
//! Methods with one name on one type are one line. Cost: one pass over all sources.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use sources::{Module, is_of_tests};
use syn::visit::Visit;

/// `self` included.
const MOST_PARAMETERS: usize = 5;

const MOST_BOOLS: usize = 3;

/// So many names are a list.
const FEWEST_NAMES: usize = 3;

/// What the names of structs of options end in.
const OPTIONS: [&str; 5] = ["Options", "Arguments", "Settings", "Request", "Flags"];

/// What stands against the rules: the line of the list, where it is and what to do.
#[derive(Default)]
struct Objections {
    room: String,
    /// The file, from the root of the repository.
    file: String,
    /// Module, type and function that we are in.
    path: Vec<String>,
    found: BTreeMap<String, String>,
}

impl Objections {
    fn of_module(&mut self, room: &str, module: &Module) {
        room.clone_into(&mut self.room);
        let file = module.file.strip_prefix(sources::root()).unwrap_or(&module.file);
        self.file = file.display().to_string();
        self.path.clone_from(&module.path);
        module.items.iter().for_each(|item| self.visit_item(item));
        let mut names = LibraryNames::default();
        module.items.iter().for_each(|item| names.visit_item(item));
        if names.0.len() >= FEWEST_NAMES && self.room != "library" {
            let advice =
                "has a list of library functions. Ask the room `library` what they do, or add it there.";
            let listed = names.0.into_iter().collect::<Vec<_>>().join(" ");
            let name = self.path.pop().unwrap_or_else(|| "lib".to_owned());
            self.object("library-names", &name, &format!("{advice} Here are {listed}."));
        }
    }

    fn object(&mut self, rule: &str, name: &str, advice: &str) {
        let parts = [std::slice::from_ref(&self.room), &self.path, &[name.to_owned()]].concat();
        let line = format!("{rule} {}", parts.join("::"));
        self.found.insert(line, format!("{}: `{name}` {advice}", self.file));
    }

    fn inside(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }

    fn signature(&mut self, signature: &syn::Signature) {
        if signature.abi.is_some() && self.room == "llvm" {
            return;
        }
        let name = signature.ident.to_string();
        let count = signature.inputs.len();
        if count > MOST_PARAMETERS {
            self.object(
                "parameters",
                &name,
                &format!(
                    "takes {count} parameters, `self` included; at most {MOST_PARAMETERS}. Name what belongs together \
                     as a struct, or divide the question."
                ),
            );
        }
        let is_tuple_parameter =
            |input: &syn::FnArg| matches!(input, syn::FnArg::Typed(typed) if is_tuple(&typed.ty));
        if signature.inputs.iter().any(is_tuple_parameter) {
            self.object(
                "tuple",
                &name,
                "takes a tuple as a parameter. Take its parts as parameters, or give them a struct with names.",
            );
        }
        let mut errors = StringErrors(false);
        errors.visit_signature(signature);
        self.string_error(errors, &name);
    }

    fn string_error(&mut self, errors: StringErrors, name: &str) {
        if errors.0 {
            self.object(
                "string-error",
                name,
                "has a `Result` with `String` as its error. Make it an enum (thiserror) whose words are the same.",
            );
        }
    }
}

impl<'ast> Visit<'ast> for Objections {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_of_tests(&function.attrs) {
            self.signature(&function.sig);
            self.inside(function.sig.ident.to_string(), |inner| {
                syn::visit::visit_block(inner, &function.block);
            });
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_of_tests(&function.attrs) {
            self.signature(&function.sig);
            self.inside(function.sig.ident.to_string(), |inner| {
                syn::visit::visit_block(inner, &function.block);
            });
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.signature(&function.sig);
        self.inside(function.sig.ident.to_string(), |inner| {
            function.default.iter().for_each(|block| syn::visit::visit_block(inner, block));
        });
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if !is_of_tests(&block.attrs) {
            let name = name_of_type(&block.self_ty);
            self.inside(name, |inner| syn::visit::visit_item_impl(inner, block));
        }
    }

    fn visit_item_trait(&mut self, one: &'ast syn::ItemTrait) {
        self.inside(one.ident.to_string(), |inner| syn::visit::visit_item_trait(inner, one));
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        // One that stands in a function.
        if !is_of_tests(&module.attrs) {
            self.inside(module.ident.to_string(), |inner| syn::visit::visit_item_mod(inner, module));
        }
    }

    fn visit_item_type(&mut self, alias: &'ast syn::ItemType) {
        let mut errors = StringErrors(false);
        errors.visit_type(&alias.ty);
        self.string_error(errors, &alias.ident.to_string());
    }

    fn visit_impl_item_type(&mut self, alias: &'ast syn::ImplItemType) {
        // `type Err = String;` makes `Result<Self, Self::Err>` one of strings.
        let name = alias.ident.to_string();
        let is_error = matches!(&*name, "Err" | "Error") && is_string(&alias.ty);
        self.string_error(StringErrors(is_error), &name);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let is_raw = ["eprintln", "eprint", "dbg"].iter().any(|name| call.path.is_ident(name));
        if is_raw && !matches!(&*self.room, "xtask" | "testkit") {
            let advice =
                "writes to stderr as it is. Use `opcost_answer::tell!`, or `save_text` for a report.";
            self.object("stderr", "eprintln", advice);
        }
    }

    fn visit_item_struct(&mut self, one: &'ast syn::ItemStruct) {
        let name = one.ident.to_string();
        let bools = one.fields.iter().filter(|field| is_named(&field.ty, "bool")).count();
        let is_of_options = OPTIONS.iter().any(|end| name.ends_with(end));
        if is_of_options && bools > MOST_BOOLS && !is_filled_by_clap(&one.attrs) {
            self.object(
                "bools",
                &name,
                &format!(
                    "has {bools} fields of type bool; at most {MOST_BOOLS}. Say by enums what is chosen, or divide it by \
                     question."
                ),
            );
        }
    }
}

/// Names of which the room `library` has a record. A word of other meanings is none by itself.
static RECORDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let read = |table: &str| {
        let path = sources::root().join("crates/library/src").join(table);
        std::fs::read_to_string(path).expect("the table is there")
    };
    let mut names = BTreeSet::new();
    for table in ["control.txt", "effects.txt", "system.txt", "lengths.txt"] {
        let text = read(table);
        let lines = text.lines().filter_map(|line| line.split('#').next()?.split_once(':'));
        names.extend(lines.flat_map(|(names, _)| names.split_whitespace()).map(str::to_owned));
    }
    for table in ["fuel.txt", "charges.txt"] {
        let text = read(table);
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        names.extend(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned));
    }
    let names = names.iter().map(|name| name.trim_end_matches('*').to_owned());
    names.filter(|name| !name.starts_with("llvm.") && !is_word(name)).collect()
});

/// Names that are also words, of options, operations and modules.
const WORDS: &str = "abort abs access bind ceil clock close exit exp fabs floor fma fork free index kill link listen \
     log memcpy memmove memset nearbyint open pow raise rand read remove rename rint round roundeven select send signal sqrt stat stderr stdin \
     stdout time times trunc write";

fn is_word(name: &str) -> bool {
    WORDS.split_whitespace().any(|word| word == name)
}

/// Names in a module that the room `library` has, wherever they stand but in tests.
#[derive(Default)]
struct LibraryNames(BTreeSet<String>);

impl LibraryNames {
    /// Adds a name, or the names of a list in one text.
    fn add(&mut self, text: String) {
        let mut words = text.split_whitespace();
        if words.all(|word| RECORDS.contains(word) || is_word(word)) {
            self.0.extend(text.split_whitespace().filter(|word| RECORDS.contains(*word)).map(str::to_owned));
        }
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let literal = syn::Lit::new(literal);
                    if let syn::Lit::Str(text) = literal {
                        self.add(text.value());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for LibraryNames {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_of_tests(&module.attrs) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_of_tests(&function.attrs) {
            syn::visit::visit_item_fn(self, function);
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.add(text.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_tokens(call.tokens.clone());
    }
}

/// Whether a signature names a `Result` of strings.
struct StringErrors(bool);

impl<'ast> Visit<'ast> for StringErrors {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        if segment.ident == "Result"
            && let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments
            && let Some(syn::GenericArgument::Type(error)) = arguments.args.iter().nth(1)
        {
            self.0 |= is_string(error);
        }
        syn::visit::visit_path_segment(self, segment);
    }
}

fn is_string(one: &syn::Type) -> bool {
    is_named(one, "String")
}

fn is_named(one: &syn::Type, name: &str) -> bool {
    matches!(one, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

fn is_tuple(one: &syn::Type) -> bool {
    match one {
        syn::Type::Tuple(tuple) => !tuple.elems.is_empty(),
        syn::Type::Reference(reference) => is_tuple(&reference.elem),
        syn::Type::Paren(inner) => is_tuple(&inner.elem),
        syn::Type::Group(inner) => is_tuple(&inner.elem),
        _ => false,
    }
}

fn name_of_type(one: &syn::Type) -> String {
    match one {
        syn::Type::Path(path) => {
            path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string())
        }
        syn::Type::Reference(reference) => name_of_type(&reference.elem),
        _ => "impl".to_owned(),
    }
}

/// Whether clap fills it from the command line.
fn is_filled_by_clap(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|one| one.path().is_ident("derive")).any(|one| {
        let mut is_one = false;
        let _ = one.parse_nested_meta(|meta| {
            let last = meta.path.segments.last();
            is_one |= last.is_some_and(|last| last.ident == "Args" || last.ident == "Parser");
            Ok(())
        });
        is_one
    })
}

/// What stands against the rules in all rooms.
fn objections() -> BTreeMap<String, String> {
    let mut objections = Objections::default();
    for room in &sources::rooms() {
        for module in sources::modules_of(room) {
            objections.of_module(room, &module);
        }
    }
    objections.found
}

#[test]
fn nothing_is_new_beyond_the_limits() {
    sources::hold_list("limits.txt", &objections());
}

#[test]
fn each_rule_sees_what_it_is_for() {
    let text = r"
        fn six(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8) {}
        fn five(a: u8, b: u8, c: u8, d: u8, e: u8) { fn pair(p: (u8, u8)) {} let _ = |(a, b): (u8, u8)| a; }
        impl Thing { fn more(&self, b: u8, c: u8, d: u8, e: u8, f: u8) {} fn by(&self, p: &(u8, u8)) {} }
        trait Way { fn go(&self) -> Result<u8, String>; fn unit(&self, nothing: ()); }
        type Outcome<T> = std::result::Result<T, String>;
        impl FromStr for Thing { type Err = String; fn from_str(text: &str) -> Result<Self, Self::Err> { loop {} } }
        fn fine() -> Result<String, Failure> { loop {} }
        struct RunOptions { a: bool, b: bool, c: bool, d: bool }
        struct Options { a: bool, b: bool, c: bool, d: Option<bool> }
        #[derive(Debug, clap::Args)] struct CountArguments { a: bool, b: bool, c: bool, d: bool }
        #[cfg(test)] fn tested(p: (u8, u8)) { eprintln!(); }
        fn says() { if true { eprintln!(); } }
    ";
    let items = syn::parse_file(text).expect("it parses").items;
    let module = Module { path: vec!["m".to_owned()], file: "m.rs".into(), items };
    let mut objections = Objections::default();
    objections.of_module("room", &module);
    let lines: Vec<&str> = objections.found.keys().map(String::as_str).collect();
    assert_eq!(
        lines,
        [
            "bools room::m::RunOptions",
            "parameters room::m::Thing::more",
            "parameters room::m::six",
            "stderr room::m::says::eprintln",
            "string-error room::m::Outcome",
            "string-error room::m::Thing::Err",
            "string-error room::m::Way::go",
            "tuple room::m::Thing::by",
            "tuple room::m::five::pair",
        ]
    );
}
