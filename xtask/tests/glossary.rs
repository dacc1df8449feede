//! Do names in product code use the words of the field?
//!
//! Who knows compilers knows what an iteration, a header or a traversal is, and has to learn what
//! a turn, a head or a walk is here. Names of functions, types, fields, variants and modules are
//! split into words. Words for which the field has a term stand in the table below, with that
//! term. A word in the field's own sense is excepted by the room and the whole name, with the
//! reason.
//!
//! How many names of each room still have such a word stands in `glossary.txt`, a line
//! `room word count` each, by the first form of the word. Names of types that several rooms show to
//! each other (`pub`, or `pub(crate)` in `cli`, which imports all) stand there too, as
//! `types Name count of rooms`: one name is one thing. Counts may only fall.
//!
//! A name that goes into a file or onto the command line (serde, clap) keeps what it is there when
//! it is renamed: `#[serde(rename = "…")]`, `#[arg(long = "…")]`.
//!
//! Input: the sources of all rooms and of `xtask`, without tests. Limits: names of locals,
//! parameters and constants are not looked at, nor is what macros make; and no text. Cost: one pass
//! over all sources.

mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::is_of_tests;
use syn::visit::Visit;

/// One word, or several that say the same, and the term of the field.
struct Term {
    /// Its forms; the first one stands for all. Several words are meant as they follow each other.
    forms: &'static [&'static str],
    /// Whether only names are meant that are this word and nothing else.
    is_alone: bool,
    instead: &'static str,
    /// Names in the field's own sense, `room::name`, and why.
    except: &'static [(&'static str, &'static str)],
}

const fn term(forms: &'static [&'static str], instead: &'static str) -> Term {
    Term { forms, is_alone: false, instead, except: &[] }
}

impl Term {
    const fn alone(self) -> Term {
        Term { is_alone: true, ..self }
    }

    const fn except(self, except: &'static [(&'static str, &'static str)]) -> Term {
        Term { except, ..self }
    }
}

const TERMS: &[Term] = &[
    term(&["apart"], "disjoint; distinct"),
    term(&["ask", "asks", "asked"], "query; request; check (of fuel)"),
    term(&["dearer", "dearest"], "costlier, costliest"),
    term(&["found"], "result; match; the actual value"),
    term(&["goes back", "jump back", "leading back", "edges back"], "back edge"),
    term(&["gone"], "removed; deleted"),
    term(&["handed"], "passed; escaped"),
    term(&["head", "heads", "headed"], "header").except(&[
        ("report::head", "what a table, a page or a cut line begins with"),
        ("flow::head", "the end of an arc in a graph"),
        ("xtask::head", "what a page begins with"),
    ]),
    term(&["hear", "heard"], "receive"),
    term(&["keep", "keeps", "kept", "keeper"], "preserve; retain; save; cache"),
    term(&["known"], "fact, facts").alone(),
    term(&["look", "looks", "looked"], "check; inspect; observe").except(&[
        ("analysis::look_ahead", "lookahead"),
        ("analysis::looked_up", "a lookup in a table"),
        ("ir::looks_up", "a lookup of a symbol"),
    ]),
    term(&["meant"], "selected"),
    term(&["news"], "change, changed"),
    term(&["place", "places"], "location (in sources); position, index; slot")
        .except(&[("ir::InPlace", "in place: where it is, with no copy")]),
    term(&["round", "rounds"], "iteration (of a loop); pass (of an algorithm)").except(&[
        ("analysis::Round", "to the nearest integer"),
        ("analysis::RoundEven", "to the nearest integer"),
        ("flow::round_flow", "to integers"),
        ("ir::assembly_may_round", "the rounding mode of floating point"),
        ("ir::module_assembly_may_round", "the rounding mode of floating point"),
        ("sample::finish_round", "perf's FINISHED_ROUND"),
        ("sample::previous_round", "perf's FINISHED_ROUND"),
        ("xtask::ratio_in_rounds", "rounds of interleaved measurements"),
        ("xtask::rounds", "rounds of interleaved measurements"),
        ("xtask::run_rounds", "rounds of interleaved measurements"),
    ]),
    term(&["say", "says", "said"], "report; state; message"),
    term(&["seen"], "observed (in runs); visited (in a traversal)"),
    term(&["spot", "spots"], "location; program point; site"),
    term(&["tell", "tells", "told", "teller"], "report; describe; distinguish (for: tell apart)"),
    term(&["turn", "turns"], "iteration; trip count (for: turns)")
        .except(&[("host::Turn", "of players in a game")]),
    term(&["walk", "walks", "walked", "walker"], "traversal; visit; visitor"),
    term(&["wanted"], "requested; required; expected"),
    term(&["way", "ways"], "path (of control flow); mode; alternative"),
];

/// Names of types that are one thing in all rooms, and why.
const SHARED: &[(&str, &str)] = &[("Error", "what can go wrong in the room that it is named with")];

/// The words of a name: `first_turn`, `FirstTurn` and `FIRST_TURN` have two.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in name.trim_start_matches("r#").split('_').filter(|part| !part.is_empty()) {
        let letters: Vec<char> = part.chars().collect();
        for (at, letter) in letters.iter().enumerate() {
            let follows_small = at > 0 && !letters[at - 1].is_uppercase();
            let precedes_small = at > 0 && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
            if at == 0 || (letter.is_uppercase() && (follows_small || precedes_small)) {
                words.push(String::new());
            }
            words.last_mut().expect("begun").extend(letter.to_lowercase());
        }
    }
    words
}

impl Term {
    fn is_in(&self, words: &[String]) -> bool {
        self.forms.iter().any(|form| {
            let form: Vec<&str> = form.split(' ').collect();
            let is_whole = words.len() == form.len();
            (is_whole || !self.is_alone) && words.windows(form.len()).any(|part| part == form)
        })
    }
}

/// One name, where it stands.
struct Name {
    room: String,
    name: String,
    file: String,
    /// Whether it is of a type that others than its own module and those above it see.
    is_shown_type: bool,
}

/// Gathers the names of a module.
struct Names {
    room: String,
    file: String,
    all: Vec<Name>,
}

impl Names {
    fn add(&mut self, name: &syn::Ident) {
        self.push(name.to_string(), false);
    }

    fn add_type(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        // Nothing of a binary is public; what all of `cli` sees stands beside what rooms show.
        let is_shown = match visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Restricted(one) => self.room == "cli" && one.path.is_ident("crate"),
            syn::Visibility::Inherited => false,
        };
        self.push(name.to_string(), is_shown && self.room != "xtask");
    }

    fn push(&mut self, name: String, is_shown_type: bool) {
        self.all.push(Name { room: self.room.clone(), name, file: self.file.clone(), is_shown_type });
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_of_tests(&function.attrs) {
            self.add(&function.sig.ident);
            syn::visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_of_tests(&function.attrs) {
            self.add(&function.sig.ident);
            syn::visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.add(&function.sig.ident);
        syn::visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_struct(&mut self, one: &'ast syn::ItemStruct) {
        self.add_type(&one.ident, &one.vis);
        syn::visit::visit_item_struct(self, one);
    }

    fn visit_item_enum(&mut self, one: &'ast syn::ItemEnum) {
        self.add_type(&one.ident, &one.vis);
        syn::visit::visit_item_enum(self, one);
    }

    fn visit_item_union(&mut self, one: &'ast syn::ItemUnion) {
        self.add_type(&one.ident, &one.vis);
        syn::visit::visit_item_union(self, one);
    }

    fn visit_item_trait(&mut self, one: &'ast syn::ItemTrait) {
        self.add_type(&one.ident, &one.vis);
        syn::visit::visit_item_trait(self, one);
    }

    fn visit_item_type(&mut self, one: &'ast syn::ItemType) {
        self.add_type(&one.ident, &one.vis);
    }

    fn visit_variant(&mut self, one: &'ast syn::Variant) {
        self.add(&one.ident);
        syn::visit::visit_variant(self, one);
    }

    fn visit_field(&mut self, one: &'ast syn::Field) {
        one.ident.iter().for_each(|name| self.add(name));
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_of_tests(&module.attrs) {
            self.add(&module.ident);
            syn::visit::visit_item_mod(self, module);
        }
    }
}

/// All names of product code.
fn names() -> Vec<Name> {
    let mut all = Vec::new();
    for room in sources::rooms() {
        for module in sources::modules_of(&room) {
            let file = module.file.strip_prefix(sources::root()).unwrap_or(&module.file);
            let file = file.display().to_string();
            let mut names = Names { room: room.clone(), file, all: Vec::new() };
            if let Some(name) = module.path.last() {
                names.push(name.clone(), false);
            }
            module.items.iter().for_each(|item| names.visit_item(item));
            all.append(&mut names.all);
        }
    }
    all
}

/// `room word` → names that have it, each with its file.
fn uses_of_terms(names: &[Name]) -> BTreeMap<String, (usize, String)> {
    let mut uses: BTreeMap<String, (&Term, Vec<String>)> = BTreeMap::new();
    for name in names {
        let words = words_of(&name.name);
        for term in TERMS.iter().filter(|term| term.is_in(&words)) {
            let full = format!("{}::{}", name.room, name.name);
            if term.except.iter().all(|(known, _)| *known != full) {
                let line = format!("{} {}", name.room, term.forms[0].replace(' ', "-"));
                let location = format!("{}: {}", name.file, name.name);
                uses.entry(line).or_insert((term, Vec::new())).1.push(location);
            }
        }
    }
    let described = |(line, (term, locations)): (String, (&Term, Vec<String>))| {
        let advice = format!(
            "Use the term of the field: {}. If a name is in the field's own sense, except it in xtask/tests/glossary.rs \
             with the reason. Names with this word:\n       {}",
            term.instead,
            locations.join("\n       ")
        );
        (line, (locations.len(), advice))
    };
    uses.into_iter().map(described).collect()
}

/// `types Name` → the rooms that show a type of this name.
fn shared_types(names: &[Name]) -> BTreeMap<String, (usize, String)> {
    let mut rooms: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for one in names.iter().filter(|one| one.is_shown_type) {
        rooms.entry(&one.name).or_default().insert(&one.room, &one.file);
    }
    let is_excepted = |name: &str| SHARED.iter().any(|(known, _)| *known == name);
    let several = rooms.into_iter().filter(|(name, rooms)| rooms.len() > 1 && !is_excepted(name));
    let described = several.map(|(name, rooms)| {
        let files: Vec<&str> = rooms.values().copied().collect();
        let advice = format!(
            "Several rooms show a type `{name}`: {}. Name each for what it is there.",
            files.join(", ")
        );
        (format!("types {name}"), (rooms.len(), advice))
    });
    described.collect()
}

#[test]
fn names_use_the_words_of_the_field() {
    let names = names();
    let mut found = uses_of_terms(&names);
    found.extend(shared_types(&names));
    sources::hold_counts("glossary.txt", &found);
}

#[test]
fn each_exception_is_of_a_name_that_is_there() {
    let there: BTreeSet<String> =
        names().into_iter().map(|name| format!("{}::{}", name.room, name.name)).collect();
    for (known, _) in TERMS.iter().flat_map(|term| term.except) {
        assert!(
            there.contains(*known),
            "xtask/tests/glossary.rs excepts {known}, and no name is so. Take the exception out."
        );
    }
}

#[test]
fn names_are_split_into_words() {
    assert_eq!(words_of("first_turn"), ["first", "turn"]);
    assert_eq!(words_of("NoFirstTurn"), ["no", "first", "turn"]);
    assert_eq!(words_of("HTMLPage"), ["html", "page"]);
    assert_eq!(words_of("hot90_weight"), ["hot90", "weight"]);
    assert_eq!(words_of("r#type"), ["type"]);
    assert_eq!(words_of("TURNS"), ["turns"]);
    let terms = |name: &str| -> Vec<&str> {
        let words = words_of(name);
        TERMS.iter().filter(|term| term.is_in(&words)).map(|term| term.forms[0]).collect()
    };
    assert_eq!(terms("walk_a_turn"), ["turn", "walk"]);
    assert_eq!(terms("rounding"), [""; 0]);
    // A fact is a word by itself only; an edge that goes back is two words.
    assert_eq!((terms("Known"), terms("known_bits")), (vec!["known"], vec![]));
    assert_eq!((terms("edge_goes_back"), terms("back_edge")), (vec!["goes back"], vec![]));
}
