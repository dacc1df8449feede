//! Is an answer written once?
//!
//! Two structs of different rooms mirror each other where they share most of their fields: at least five
//! names, and three of five of the smaller one's. What is known of a thing then stands twice, and a function copies
//! one into the other. One of them should be the other, or hold it.
//!
//! What is so today is listed in `mirrors.txt`, a line `room::A room::B` each; the list only gets shorter. Those that
//! are left are layouts: a document lists by another order, or under other names, what an answer has by function.
//!
//! Left out: tests; structs that clap fills, since every flag stands there as it is written; structs that C++ fills
//! (`repr(C)`); `testkit`, whose types are of referees; and `xtask`. Limits: fields are compared by name alone, so two
//! may be alike and mean something else. What macros make is not seen. Cost: the square of the structs.

mod sources;

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;

/// So many common fields are no chance.
const FEWEST_COMMON: usize = 5;

/// Referees and the house's own tools.
const LEFT_OUT: [&str; 2] = ["testkit", "xtask"];

struct Fields {
    name: String,
    room: String,
    fields: BTreeSet<String>,
}

/// The structs of a module with their fields.
struct Structs<'a> {
    room: &'a str,
    all: &'a mut Vec<Fields>,
}

impl<'ast> Visit<'ast> for Structs<'_> {
    fn visit_item_struct(&mut self, one: &'ast syn::ItemStruct) {
        let fields: BTreeSet<String> = one
            .fields
            .iter()
            .filter_map(|field| Some(field.ident.as_ref()?.to_string().trim_start_matches("r#").to_owned()))
            .collect();
        if fields.len() >= FEWEST_COMMON && !is_made_elsewhere(&one.attrs) {
            self.all.push(Fields { name: one.ident.to_string(), room: self.room.to_owned(), fields });
        }
    }
}

/// Whether clap fills it, or C++.
fn is_made_elsewhere(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|one| {
        let syn::Meta::List(list) = &one.meta else { return false };
        let words = list.tokens.to_string();
        let has = |wanted: &str| words.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted);
        one.path().is_ident("derive") && (has("Args") || has("Parser"))
            || one.path().is_ident("repr") && has("C")
    })
}

fn mirrors(all: &[Fields]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (position, one) in all.iter().enumerate() {
        for other in all[position + 1..].iter().filter(|other| other.room != one.room) {
            let common = one.fields.intersection(&other.fields).count();
            let least = one.fields.len().min(other.fields.len());
            if common >= FEWEST_COMMON && 5 * common >= 3 * least {
                let line = format!("{}::{} {}::{}", one.room, one.name, other.room, other.name);
                let advice = format!(
                    "{} and {} share {common} fields. Let one be the other, or hold it.",
                    one.name, other.name
                );
                found.insert(line, advice);
            }
        }
    }
    found
}

#[test]
fn an_answer_is_written_once() {
    let mut all = Vec::new();
    for room in sources::rooms().iter().filter(|room| !LEFT_OUT.contains(&room.as_str())) {
        for module in sources::modules_of(room) {
            let mut structs = Structs { room, all: &mut all };
            module.items.iter().for_each(|item| structs.visit_item(item));
        }
    }
    sources::hold_list("mirrors.txt", &mirrors(&all));
}

#[test]
fn a_mirror_is_seen_and_a_layout_of_c_is_none() {
    let of = |room: &str, text: &str| {
        let mut all = Vec::new();
        let file = syn::parse_file(text).expect("it parses");
        Structs { room, all: &mut all }.visit_file(&file);
        all
    };
    let five = "struct Loop { a: u8, b: u8, c: u8, d: u8, r#e: u8 }";
    let mirror = "struct LoopJson { a: u64, b: u64, c: u64, d: u64, e: u64, f: u64 }";
    let others = "#[repr(C)] struct Raw { a: u8, b: u8, c: u8, d: u8, e: u8 }\
        #[derive(Debug, clap::Args)] struct Flags { a: u8, b: u8, c: u8, d: u8, e: u8 }\
        struct Less { a: u8, b: u8, c: u8, d: u8, z: u8 }";
    let all: Vec<Fields> =
        [of("one", five), of("two", mirror), of("three", others)].into_iter().flatten().collect();
    assert_eq!(mirrors(&all).into_keys().collect::<Vec<_>>(), ["one::Loop two::LoopJson"]);
    assert!(mirrors(&of("one", &format!("{five} {mirror}"))).is_empty());
}
