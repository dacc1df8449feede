//! Ledgers come back as they were written, and cut, damaged, forged and random bytes are told
//! apart. What other programs read in them: `opc_readers`.

use proptest::prelude::*;

use super::{
    OpcError, columns, encode, encode_as, find_digits, load_ledger, properties, read_ledger, save_ledger,
    seal, write_ledger,
};
use crate::answers::example::{row, sample_rows};
use crate::example::{fact, facts_of, function, ledger, line, place, sample};
use crate::{AnswerColumn, AnswerRow, Assumption, Column, Form, Ledger, Subject, Way};

#[test]
fn a_ledger_comes_back_and_equal_ledgers_are_equal_bytes() {
    let sample = sample();
    let bytes = write_ledger(&sample);
    assert_eq!(read_ledger(&bytes).unwrap(), sample);
    assert_eq!(write_ledger(&sample.clone()), bytes);
    let empty = ledger(Vec::new());
    assert_eq!(read_ledger(&write_ledger(&empty)).unwrap(), empty);
}

/// Of modules that were linked.
#[test]
fn a_home_comes_back() {
    let mut step = (*function("local", 1, 1)).clone();
    step.home = Some("\"my file.c\"@step".parse().unwrap());
    let ledger = ledger(facts_of(&step.into(), 1, 10, &[1]));
    assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
}

/// Of lines with a cost; a ledger without texts has no column for them.
#[test]
fn texts_of_lines_come_back() {
    let mut ledger = sample();
    let bare = write_ledger(&ledger);
    ledger.about.texts.insert(place(1), u32::MAX);
    ledger.about.texts.insert(place(9), 0);
    let bytes = write_ledger(&ledger);
    assert_eq!(read_ledger(&bytes).unwrap(), ledger);
    assert_eq!(read_ledger(&bare).unwrap(), sample());
    // A line that has no cost here has no text either.
    ledger.about.texts.insert(place(77), 5);
    assert_eq!(write_ledger(&ledger), bytes);
    // With answers, too.
    ledger.answers = sample_rows().into_iter().collect();
    let read = read_ledger(&write_ledger(&ledger)).unwrap();
    assert_eq!((read.about.texts.get(&place(1)), read.answers), (Some(u32::MAX), ledger.answers));
}

/// A ledger with rows of every kind and form.
pub(super) fn with_answers() -> Ledger {
    let mut ledger = sample();
    ledger.answers = sample_rows().into_iter().collect();
    ledger
}

#[test]
fn answers_come_back_and_equal_ones_are_equal_bytes() {
    let ledger = with_answers();
    let bytes = write_ledger(&ledger);
    assert_eq!(read_ledger(&bytes).unwrap(), ledger);
    let mut other = sample();
    sample_rows().into_iter().rev().for_each(|row| other.answers.push(row));
    assert_eq!(write_ledger(&other), bytes);
    // Answers alone.
    let mut alone = crate::example::ledger(Vec::new());
    alone.answers = ledger.answers;
    assert_eq!(read_ledger(&write_ledger(&alone)).unwrap(), alone);
}

/// As many columns as files of schema 3 had before there were homes and answers.
const BEFORE: usize = 21;

#[test]
fn counts_take_no_more_room_than_before_there_were_answers() {
    let mut random = 1u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 40
    };
    let facts = (0..400).flat_map(|at| {
        let counts: Vec<u64> = (0..50).map(|_| next() >> (at % 20)).collect();
        facts_of(&function(&format!("function_{at}"), at, at), counts[0], counts.iter().sum(), &counts)
    });
    let ledger = ledger(facts.collect());
    assert!(ledger.facts().len() > 20_000);
    let before = |ledger: &Ledger| seal(encode(ledger, &all()[..BEFORE]).unwrap());
    assert_eq!(write_ledger(&ledger), before(&ledger));
    assert_eq!(write_ledger(&sample()), before(&sample()));
    // Nor does a count take much more where answers are.
    let (before, now) = (before(&ledger).len(), encode(&ledger, &all()).unwrap().len());
    assert!(now - before < ledger.facts().len() / 8, "{now} bytes, and {before} before");
}

/// With what is written on lines, a count takes no more room than it took before without: numbers that
/// grow by little are written by their differences since.
#[test]
fn texts_take_no_more_room_than_was_saved() {
    let mut random = 7u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    // As in SQLite: functions of a dozen blocks and as many edges more, 40 lines each, some of which
    // they share with others.
    let mut facts: Vec<crate::Fact> = Vec::new();
    for at in 0..300u32 {
        let function = function(&format!("function_{at}"), at.into(), u128::from(next()) << 64);
        for block in 0..32 {
            let place = Some(place(at * 50 + block));
            facts.push(fact(
                Subject::Block { function: function.clone(), block, place },
                Column::Count,
                next() >> 20,
            ));
        }
        for edge in 0..64 {
            let (way, from, to) = (Way::Branch, Some(edge / 2), Some((edge * 7) % 32));
            let subject = Subject::Edge {
                function: function.clone(),
                edge,
                edge_kind: way,
                from,
                to,
                slot: Some(edge % 2),
            };
            facts.push(fact(subject, Column::Count, next() >> 20));
        }
        for line in 0..40 {
            let place = place(if line < 36 { at * 50 + line } else { next() as u32 % 15_000 });
            for column in [Column::Instructions, Column::Count] {
                let of_function = Subject::FunctionLine { function: function.clone(), place: place.clone() };
                facts.push(fact(of_function, column, next() >> 20));
                facts.push(fact(Subject::Line(place.clone()), column, next() >> 20));
            }
        }
    }
    let mut ledger = ledger(facts);
    let before = seal(encode_as(&ledger, &all()[..BEFORE], properties().build()).unwrap());
    for line in 0..15_000 {
        ledger.about.texts.insert(place(line), next() as u32);
    }
    let now = write_ledger(&ledger);
    assert_eq!(read_ledger(&now).unwrap().facts(), ledger.facts());
    assert!(now.len() <= before.len(), "{} bytes, and {} before", now.len(), before.len());
}

/// All columns.
fn all() -> Vec<&'static columns::TableColumn> {
    columns::TABLE.iter().collect()
}

#[test]
fn a_column_of_a_later_version_is_skipped() {
    let ledger = with_answers();
    let text = columns::Cells::Text(|_| Some("later".into()));
    let text = columns::TableColumn { name: "later", meaning: "", cells: text };
    let list = columns::Cells::Decimals(|_| Some(vec![1, 2, 3]));
    let list = columns::TableColumn { name: "much later", meaning: "", cells: list };
    let mut later = all();
    later.insert(3, &text);
    later.push(&list);
    let bytes = seal(encode(&ledger, &later).unwrap());
    assert_eq!(read_ledger(&bytes).unwrap(), ledger);
    // A known name with cells of another type is none of these.
    let cells = columns::Cells::Small(|_| Some(1));
    let kind = columns::TableColumn { name: "kind", meaning: "", cells };
    later[0] = &kind;
    let error = read_ledger(&seal(encode(&ledger, &later).unwrap())).unwrap_err();
    assert!(error.to_string().contains("columns are not those"), "{error}");
}

#[test]
fn columns_that_an_earlier_file_lacks_are_null() {
    let ledger = sample();
    let of = |columns: usize| seal(encode(&ledger, &all()[..columns]).unwrap());
    assert_eq!(read_ledger(&of(BEFORE)).unwrap(), ledger);
    let error = read_ledger(&of(19)).unwrap_err();
    assert!(error.to_string().contains("columns are not those"), "{error}");
    // Schema 2, without names.
    let facts = crate::example::ledger(facts_of(&function("f", 1, 1), 1, 10, &[1]));
    let bytes = seal(encode(&facts, &all()[..20]).unwrap());
    let bytes = forged(&bytes, "opcost.ledger/3", "opcost.ledger/2");
    assert_eq!(read_ledger(&bytes).unwrap(), facts);
}

#[test]
fn rows_with_words_of_a_later_version_are_left_alone() {
    let ledger = with_answers();
    let bytes = write_ledger(&ledger);
    let left = |word, other| {
        let read = read_ledger(&forged(&bytes, word, other)).unwrap();
        (ledger.facts().len() - read.facts().len(), ledger.answers.len() - read.answers.len())
    };
    let of = |holds: fn(&AnswerRow) -> bool| (0, ledger.answers.iter().filter(|row| holds(row)).count());
    assert_eq!(left("held-fixed", "held-fizzy"), (1, 0), "a question");
    assert_eq!(left("doubt", "wound"), (1, 0), "a kind");
    assert_eq!(left("entered-if", "entered-by"), of(|row| row.column == AnswerColumn::EnteredIf));
    assert_eq!(left("instruction", "interaction"), of(|row| row.key.to_string().contains(":i")));
    assert_eq!(left("reals", "roots"), of(|row| row.state.answer().is_some_and(|a| a.form() == Form::Reals)));
    assert_eq!(left("ieee", "iecc"), of(|row| row.assumptions.contains(&Assumption::Ieee)));
}

#[test]
fn an_answer_that_contradicts_itself_is_told() {
    // One row at a time: words of a page are made of those before them.
    let told = |word: &str, other| {
        let told = sample_rows().into_iter().find_map(|row| {
            let mut ledger = ledger(Vec::new());
            ledger.answers.push(row);
            let bytes = write_ledger(&ledger);
            let has_word = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            has_word.then(|| read_ledger(&forged(&bytes, word, other)).unwrap_err().to_string())
        });
        told.expect(word)
    };
    assert!(told("{-1, 3, 9}", "{-1, 3, 8}").contains("another greatest than follows from its answer"));
    assert!(told("{-1, 3, 9}", "{-1, 9, 3}").contains("'{-1, 9, 3}' is no set"));
    assert!(told("-128..127", "-129..127").contains("another least"));
    assert!(told("-128..127", "-128...27").contains("is no integer"));
    assert!(told("4294967296", "4294967295").contains("another value"));
    assert!(told("@main:loop5", "@main:loop6").contains("another index"));
    assert!(told("@main:loop5", "@main;loop5").contains("is no key"));
    assert!(told("a.c@step:i4", "b.c@step:i4").contains("another module"));
    assert!(told("promise", "ends-if").contains("has an assumption that is none"));
    assert!(told("back-edges", "iterations").contains("another unit"));
}

#[test]
fn a_file_comes_back() {
    let path = std::env::temp_dir().join(format!("opcost-opc-{}.opc", std::process::id()));
    save_ledger(&path, &sample()).unwrap();
    assert_eq!(load_ledger(&path).unwrap(), sample());
    std::fs::remove_file(&path).unwrap();
    let error = load_ledger(&path).unwrap_err();
    assert!(error.to_string().contains("cannot read"), "{error}");
}

#[test]
fn every_way_to_be_cut_off_is_told() {
    let bytes = write_ledger(&sample());
    for length in 0..bytes.len() {
        let error = read_ledger(&bytes[..length]).unwrap_err();
        assert!(matches!(error, OpcError::CutOff { length: told } if told == length), "{length}: {error}");
    }
}

#[test]
fn every_damaged_byte_is_told() {
    let bytes = write_ledger(&ledger(vec![line(1, 2)]));
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x11;
        assert!(read_ledger(&damaged).is_err(), "byte {place}");
    }
    let mut damaged = bytes;
    damaged[40] ^= 1;
    assert!(matches!(read_ledger(&damaged), Err(OpcError::Damaged)));
}

/// `bytes` with a word of equal length in place of another, and a right hash.
fn forged(bytes: &[u8], word: &str, other: &str) -> Vec<u8> {
    assert_eq!(word.len(), other.len());
    let mut forged = bytes.to_vec();
    let digits = find_digits(&forged).unwrap();
    forged[digits..digits + 32].fill(b'0');
    let place = forged.windows(word.len()).position(|window| window == word.as_bytes()).expect(word);
    forged[place..place + word.len()].copy_from_slice(other.as_bytes());
    seal(forged)
}

#[test]
fn other_files_and_other_schemas_are_told_apart() {
    let told = |bytes: &[u8]| read_ledger(bytes).unwrap_err().to_string();
    assert!(told(b"\x7fELF and more").contains("not an opcost ledger"));
    assert!(told(b"PAR1xxxxxxxxxPAR1").contains("without a hash of opcost"));
    let bytes = write_ledger(&sample());
    let later = told(&forged(&bytes, "opcost.ledger/3", "opcost.ledger/4"));
    assert!(later.contains("schema opcost.ledger/4, this opcost reads opcost.ledger/3"), "{later}");
    let nameless = told(&forged(&bytes, "opcost.schema", "opcast.schema"));
    assert!(nameless.contains("without a schema of opcost"), "{nameless}");
}

#[test]
fn nonsense_behind_a_right_hash_is_told() {
    let bytes = write_ledger(&sample());
    let told = |word, other| read_ledger(&forged(&bytes, word, other)).unwrap_err().to_string();
    assert!(told("from_block", "from_clock").contains("columns are not those"));
    assert!(told("opcost.runs", "opcost.ruins"[..11].into()).contains("has no opcost.runs"));
    assert!(told("lower bound", "upper bound").contains("'upper bound' is no quality"));
    assert!(told("repaired", "repainted"[..8].into()).contains("is no origin"));
    assert!(told("executions", "executiona").contains("is no unit"));
    assert!(told("\"charge\":\"I", "\"charge\":\"X").contains("opcost.cost is not right"));
    assert!(told("\"hash\":\"ff", "\"hash\":\"+f").contains("is no hash"));
}

#[test]
fn the_schema_has_one_column_per_cell() {
    assert_eq!(columns::schema(&all()).get_fields().len(), 30);
}

prop_compose! {
    fn some_facts()(edges in prop::collection::vec((0u32..40, any::<u64>(), any::<Option<u32>>(), 0..6u8), 0..60))
        -> Vec<crate::Fact> {
        let function = function("f", 1, 2);
        let ways = [Way::Enter, Way::Branch, Way::Fall, Way::Return, Way::Left, Way::Again];
        let mut edges = edges;
        edges.sort();
        edges.dedup_by_key(|edge| edge.0);
        edges.into_iter().map(|(edge, value, slot, way)| {
            let (way, from, to) = (ways[usize::from(way)], slot, Some(edge));
            fact(Subject::Edge { function: function.clone(), edge, edge_kind: way, from, to, slot }, Column::Count, value)
        }).collect()
    }
}

proptest! {
    #[test]
    fn any_ledger_comes_back(facts in some_facts()) {
        let ledger = ledger(facts);
        prop_assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
    }

    #[test]
    fn any_answers_come_back(rows in prop::collection::vec(row(), 0..12), facts in some_facts()) {
        let mut ledger = ledger(facts);
        ledger.answers = rows.into_iter().collect();
        prop_assert_eq!(read_ledger(&write_ledger(&ledger)).unwrap(), ledger);
    }

    /// Behind a right hash: what was damaged is told, or makes another ledger.
    #[test]
    fn no_cells_make_the_reader_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = write_ledger(&with_answers());
        let digits = find_digits(&bytes).unwrap();
        bytes[digits..digits + 32].fill(b'0');
        // Text of cells: the lengths that Parquet trusts stand elsewhere.
        let footer: [u8; 4] = bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap();
        let cells = bytes.len() - 8 - u32::from_le_bytes(footer) as usize;
        let texts: Vec<usize> = (0..cells - 4)
            .filter(|&at| bytes[at..at + 4].iter().all(|byte| byte.is_ascii_alphanumeric()))
            .collect();
        for (place, value) in flips {
            bytes[texts[place.index(texts.len())] + 1] = value;
        }
        let _ = read_ledger(&seal(bytes));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = write_ledger(&with_answers());
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        let _ = read_ledger(&bytes);
    }
}
