//! How is a profile told to pprof and what reads its files?
//!
//! As the message `perftools.profiles.Profile` (github.com/google/pprof,
//! `proto/profile.proto`), gzipped: a table of strings, functions, locations, and samples
//! that lead from the innermost location outwards. An instruction is one location
//! whatever was inlined around it: its lines are the inlined functions, innermost first.
//! Sample types are `executions` of instructions and `instructions`, what they cost by
//! the ledger's model. No time and no machine is written, so equal ledgers are equal files.
//!
//! Cost: linear. Limit: values have 63 bits there; larger ones are cut off at the top.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::stacks::{StackFrame, Stacks};

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

/// A profile of these stacks. `comment` says where they come from.
pub fn write_pprof(stacks: &Stacks, comment: &str) -> Vec<u8> {
    let mut tables = Tables::default();
    let mut profile = Profile::default();
    // The first string is the empty one.
    tables.string("");
    for (kind, unit) in [("executions", "count"), ("instructions", "count")] {
        let (kind, unit) = (tables.string(kind), tables.string(unit));
        profile.sample_type.push(ValueType { kind, unit });
    }
    profile.default_sample_type = tables.string("instructions");
    profile.comment = vec![tables.string(comment)];
    let value = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    for (stack, work) in &stacks.work {
        let line =
            |frame: &StackFrame| Line { function_id: tables.function(frame), line: i64::from(frame.line) };
        let id = profile.location.len() as u64 + 1;
        profile.location.push(Location { id, line: stack.iter().rev().map(line).collect() });
        let value = vec![value(work.executions), value(work.instructions)];
        profile.sample.push(Sample { location_id: vec![id], value });
    }
    profile.function = tables.functions;
    profile.string_table = tables.strings;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(&profile.encode_to_vec()).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Strings and functions, each once.
#[derive(Default)]
struct Tables {
    strings: Vec<String>,
    string_ids: BTreeMap<String, i64>,
    functions: Vec<Function>,
    function_ids: BTreeMap<(String, String), u64>,
}

impl Tables {
    fn string(&mut self, text: &str) -> i64 {
        if let Some(&known) = self.string_ids.get(text) {
            return known;
        }
        let id = self.strings.len() as i64;
        self.strings.push(text.to_owned());
        self.string_ids.insert(text.to_owned(), id);
        id
    }

    fn function(&mut self, frame: &StackFrame) -> u64 {
        let key = (frame.function.clone(), frame.file.clone());
        if let Some(&known) = self.function_ids.get(&key) {
            return known;
        }
        let id = self.functions.len() as u64 + 1;
        let function = Function {
            id,
            name: self.string(&frame.shown),
            system_name: self.string(&frame.function),
            filename: self.string(&frame.file),
            start_line: i64::from(frame.first_line),
        };
        self.functions.push(function);
        self.function_ids.insert(key, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::super::stacks::{StackFrame, StackWork, Stacks};
    use super::write_pprof;

    /// A field of a message: a number, or bytes.
    #[derive(Debug)]
    enum Field {
        Number(u64),
        Bytes(Vec<u8>),
    }

    fn varint(data: &[u8], at: &mut usize) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = data[*at];
            *at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    /// Protobuf as its documentation has it, without a library.
    fn fields(data: &[u8]) -> Vec<(u64, Field)> {
        let (mut at, mut found) = (0, Vec::new());
        while at < data.len() {
            let key = varint(data, &mut at);
            let field = match key & 7 {
                0 => Field::Number(varint(data, &mut at)),
                2 => {
                    let length = usize::try_from(varint(data, &mut at)).expect("a length");
                    at += length;
                    Field::Bytes(data[at - length..at].to_vec())
                }
                kind => panic!("kind {kind}"),
            };
            found.push((key >> 3, field));
        }
        found
    }

    fn messages(data: &[u8], tag: u64) -> Vec<Vec<u8>> {
        let wanted = |(number, field)| match field {
            Field::Bytes(bytes) if number == tag => Some(bytes),
            _ => None,
        };
        fields(data).into_iter().filter_map(wanted).collect()
    }

    fn number(data: &[u8], tag: u64) -> u64 {
        let found = fields(data).into_iter().find_map(|(number, field)| match field {
            Field::Number(value) if number == tag => Some(value),
            _ => None,
        });
        found.unwrap_or(0)
    }

    fn packed(data: &[u8]) -> Vec<u64> {
        let (mut at, mut found) = (0, Vec::new());
        while at < data.len() {
            found.push(varint(data, &mut at));
        }
        found
    }

    fn frame(name: &str, line: u32) -> StackFrame {
        let file = "a.c".to_owned();
        StackFrame { function: name.to_owned(), shown: format!("{name}()"), file, line, first_line: 2 }
    }

    #[test]
    fn an_independent_decoder_finds_the_same() {
        let mut stacks = Stacks::default();
        let big = 1 << 40;
        stacks
            .add(vec![frame("main", 3), frame("inlined", 7)], StackWork { executions: 5, instructions: big });
        stacks.add(vec![frame("main", 4)], StackWork { executions: 6, instructions: u64::MAX });
        let mut plain = Vec::new();
        GzDecoder::new(&write_pprof(&stacks, "run.opc")[..]).read_to_end(&mut plain).expect("gzip");
        let strings: Vec<String> =
            messages(&plain, 6).into_iter().map(|text| String::from_utf8(text).expect("UTF-8")).collect();
        assert_eq!(strings[0], "");
        let string = |id: u64| strings[usize::try_from(id).expect("an id")].as_str();
        let types: Vec<_> = messages(&plain, 1).iter().map(|one| string(number(one, 1)).to_owned()).collect();
        assert_eq!(types, ["executions", "instructions"]);
        assert_eq!(string(number(&plain, 14)), "instructions");
        let functions = messages(&plain, 5);
        let function = |id: u64| {
            let one = functions.iter().find(|one| number(one, 1) == id).expect("a function");
            assert_eq!((string(number(one, 4)), number(one, 5)), ("a.c", 2));
            (string(number(one, 2)).to_owned(), string(number(one, 3)).to_owned())
        };
        let locations = messages(&plain, 4);
        let lines = |id: u64| -> Vec<(String, u64)> {
            let one = locations.iter().find(|one| number(one, 1) == id).expect("a location");
            messages(one, 4).iter().map(|line| (function(number(line, 1)).1, number(line, 2))).collect()
        };
        let sample = |one: &Vec<u8>| {
            let [ids, values] = [1, 2].map(|tag| packed(&messages(one, tag)[0]));
            assert_eq!(ids.len(), 1);
            (lines(ids[0]), values)
        };
        let found: Vec<_> = messages(&plain, 2).iter().map(sample).collect();
        let named = |name: &str, line| (name.to_owned(), line);
        assert_eq!(
            found,
            [
                (vec![named("inlined", 7), named("main", 3)], vec![5, big]),
                (vec![named("main", 4)], vec![6, i64::MAX as u64]),
            ]
        );
        assert_eq!(function(1).0, "inlined()");
    }
}
