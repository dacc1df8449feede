//! Maps come back as they were written; cut, damaged, forged and random bytes
//! are told apart and never believed.

use opcost_index::{Id, IdMap};
use opcost_key::{
    Anchor, BlockId, BlockMap, BuildFacts, CallSiteId, Charge, CostFacts, CounterId, EdgeId, EdgeKind,
    EdgeMap, Expected, FileId, FileTexts, FunctionId, FunctionMap, Hash128, Hasher128, InstructionId,
    InstructionMap, LineText, MAP_SCHEMA, Meter, ModuleMap, Place, PlaceId, SegmentId, SegmentMap,
};
use proptest::prelude::*;

use super::{HEADER, MapError, read_maps, write_map};
use crate::wellformed::IllFormed;

/// A function of `instructions` instructions in one block, each on a line.
fn module(instructions: usize) -> ModuleMap {
    let function = FunctionMap {
        name: "main".into(),
        is_local: false,
        home: None,
        place: Some(PlaceId::new(0)),
        shape: Hash128(1),
        body: Hash128(2),
        blocks: IdMap::filled(
            1,
            BlockMap { first_segment: SegmentId::new(0), first_instruction: InstructionId::new(0) },
        ),
        segments: IdMap::filled(
            1,
            SegmentMap {
                block: BlockId::new(0),
                first_instruction: InstructionId::new(0),
                weight: instructions as u64,
            },
        ),
        edges: IdMap::from_vec(vec![
            EdgeMap {
                from: None,
                to: Some(SegmentId::new(0)),
                kind: EdgeKind::Enter,
                meter: Meter::Counter(CounterId::new(0)),
            },
            EdgeMap {
                from: Some(SegmentId::new(0)),
                to: None,
                kind: EdgeKind::Left(CallSiteId::new(0)),
                meter: Meter::LeftFrames,
            },
        ]),
        instructions: (0..instructions)
            .map(|n| InstructionMap {
                weight: 1,
                length: None,
                place: Some(PlaceId::new(n % 7)),
                text: format!("%{n} = add nsw i32 %{}, {}", n / 2, n * 17 % 1000),
            })
            .collect(),
        calls: Vec::new(),
        segment_counters: None,
        expected: Expected::default(),
        paths: opcost_key::PathsMap::None,
    };
    ModuleMap {
        module: "src/main.c".into(),
        anchor: Anchor::Optimized,
        build: BuildFacts {
            compiler: "clang 22.1.8".into(),
            flags: vec!["-O2".into()],
            ..Default::default()
        },
        cost: CostFacts { name: "unit/1".into(), hash: Hash128(3), charge: Charge::Instruction },
        files: IdMap::filled(1, "main.c".into()),
        places: (0..7)
            .map(|line| Place {
                file: FileId::new(0),
                line,
                column: 1,
                inlined_function: None,
                inlined_at: None,
            })
            .collect(),
        functions: IdMap::filled(1, function),
        counter_count: 1,
        call_sites: IdMap::filled(1, (FunctionId::new(0), EdgeId::new(1))),
        addresses_taken: Vec::new(),
        by_code: None,
        texts: vec![texts(0, [(1, 7), (2, u32::MAX), (6, 0)])],
    }
}

fn texts<const N: usize>(file: usize, lines: [(u32, u32); N]) -> FileTexts {
    let lines = lines.map(|(line, hash)| LineText { line, hash }).to_vec();
    FileTexts { file: FileId::new(file), lines }
}

/// What reading says after `change` was made to a good map.
fn refused(change: impl FnOnce(&mut ModuleMap)) -> IllFormed {
    let mut map = module(3);
    change(&mut map);
    match read_maps(&write_map(&map).0) {
        Err(MapError::Malformed { offset: 0, what }) => what,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn a_row_of_maps_with_padding_comes_back() {
    let (first, second) = (module(5), module(9));
    let (mut bytes, first_hash) = write_map(&first);
    bytes.extend([0; 13]);
    let (more, second_hash) = write_map(&second);
    bytes.extend(more);
    bytes.extend([0; 3]);
    assert_eq!(read_maps(&bytes), Ok(vec![(first_hash, first), (second_hash, second)]));
    assert_ne!(first_hash, second_hash);
    assert_eq!(read_maps(&[]), Ok(vec![]));
    assert_eq!(read_maps(&[0; 9]), Ok(vec![]));
}

#[test]
fn equal_maps_are_equal_bytes() {
    assert_eq!(write_map(&module(100)), write_map(&module(100)));
}

/// Who has the sources has the same module.
#[test]
fn a_map_is_called_the_same_with_texts_and_without() {
    let (with, hash) = write_map(&module(5));
    let (without, other) = write_map(&ModuleMap { texts: Vec::new(), ..module(5) });
    assert_eq!(hash, other);
    assert!(without.len() < with.len());
    // Without, a record ends where it always did.
    assert_eq!(without[12..16], [0; 4]);
    assert_eq!(read_maps(&without).unwrap()[0].1.texts, []);
    assert_eq!(read_maps(&with).unwrap()[0].1.texts, module(5).texts);
}

#[test]
fn texts_that_are_of_no_line_are_refused() {
    let dangling = IllFormed::Dangling { holder: "a text".into(), id: "file1".into() };
    assert_eq!(refused(|map| map.texts.push(texts(1, [(1, 1)]))), dangling);
    let disordered = IllFormed::DisorderedTexts { file: FileId::new(0) };
    assert_eq!(refused(|map| map.texts = vec![texts(0, [(2, 1), (1, 1)])]), disordered);
    assert_eq!(refused(|map| map.texts = vec![texts(0, [(2, 1), (2, 2)])]), disordered);
}

#[test]
fn every_way_to_be_cut_off_is_told() {
    let (bytes, _) = write_map(&module(5));
    for length in 1..bytes.len() {
        let missing = if length < HEADER { HEADER - length } else { bytes.len() - length };
        let error = MapError::Truncated { offset: 0, missing: missing as u64 };
        assert_eq!(read_maps(&bytes[..length]), Err(error), "{length}");
    }
}

#[test]
fn other_bytes_other_schemas_and_damage_are_told_apart() {
    assert_eq!(read_maps(b"\0\x7fELF"), Err(MapError::NotAMap { offset: 1 }));
    let (good, _) = write_map(&module(5));
    let mut later = good.clone();
    later[8] = MAP_SCHEMA as u8 + 1;
    let error = read_maps(&later).unwrap_err();
    assert_eq!(error, MapError::OtherSchema { offset: 0, actual: MAP_SCHEMA + 1 });
    assert!(error.to_string().contains("use the newer opcost"), "{error}");
    later[8] = 0;
    assert!(read_maps(&later).unwrap_err().to_string().contains("rebuild the program"));
    for place in 24..good.len() {
        let mut damaged = good.clone();
        damaged[place] ^= 4;
        assert_eq!(read_maps(&damaged), Err(MapError::Damaged { offset: 0 }), "byte {place}");
    }
    let mut second_damaged = good.clone();
    second_damaged.extend(&good);
    *second_damaged.last_mut().unwrap() ^= 1;
    assert_eq!(read_maps(&second_damaged), Err(MapError::Damaged { offset: good.len() }));
}

#[test]
fn a_claim_of_enormous_size_is_not_believed() {
    let payload = [0; 16];
    let raw_length = u64::MAX / 2;
    let mut hasher = Hasher128::new();
    let hash = hasher.number(u64::from(MAP_SCHEMA)).number(raw_length).bytes(&payload).finish();
    let mut bytes = b"OPCMAP\r\n".to_vec();
    bytes.extend(MAP_SCHEMA.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(16u64.to_le_bytes());
    bytes.extend(raw_length.to_le_bytes());
    bytes.extend(hash.0.to_le_bytes());
    bytes.extend(payload);
    assert_eq!(read_maps(&bytes), Err(MapError::Damaged { offset: 0 }));
}

#[test]
fn ids_that_lead_nowhere_are_refused() {
    let first = FunctionId::new(0);
    let dangling = |holder: &str, id: &str| IllFormed::Dangling { holder: holder.into(), id: id.into() };
    assert_eq!(
        refused(|map| map.places.values_mut().for_each(|place| place.file = FileId::new(1))),
        dangling("place0", "file1")
    );
    assert_eq!(
        refused(|map| map.call_sites[CallSiteId::new(0)].1 = EdgeId::new(7)),
        dangling("site0", "edge7")
    );
    assert_eq!(
        refused(|map| map.functions[first].edges[EdgeId::new(0)].to = Some(SegmentId::new(1))),
        dangling("function main", "segment1")
    );
    assert_eq!(refused(|map| map.counter_count = 0), dangling("function main", "counter0"));
    assert_eq!(
        refused(|map| map.functions[first].segment_counters = Some(CounterId::new(u32::MAX as usize))),
        dangling("function main", "counter4294967295")
    );
    assert_eq!(
        refused(|map| map.functions[first].segment_counters = Some(CounterId::new(0))),
        IllFormed::SharedCounter { counter: CounterId::new(0), function: "main".into() }
    );
}

#[test]
fn functions_that_are_not_cut_in_order_are_refused() {
    let first = FunctionId::new(0);
    let disordered = |what| IllFormed::Disordered { function: "main".into(), what };
    assert_eq!(
        refused(
            |map| map.functions[first].segments[SegmentId::new(0)].first_instruction = InstructionId::new(1)
        ),
        disordered("the segments")
    );
    assert_eq!(refused(|map| map.functions[first].blocks = IdMap::new()), disordered("the blocks"));
    let empty_block = BlockMap { first_segment: SegmentId::new(1), first_instruction: InstructionId::new(3) };
    assert_eq!(
        refused(|map| {
            map.functions[first].blocks.push(empty_block);
        }),
        disordered("the segments")
    );
}

#[test]
fn weights_that_do_not_add_up_are_refused() {
    assert_eq!(
        refused(|map| map.functions[FunctionId::new(0)].segments[SegmentId::new(0)].weight = 4),
        IllFormed::WrongWeight { function: "main".into(), segment: SegmentId::new(0) }
    );
}

#[test]
fn endless_inlining_is_refused() {
    let loops = |map: &mut ModuleMap| {
        map.places[PlaceId::new(4)].inlined_at = Some(PlaceId::new(5));
        map.places[PlaceId::new(5)].inlined_at = Some(PlaceId::new(4));
    };
    assert_eq!(refused(loops), IllFormed::EndlessInlining { place: PlaceId::new(4) });
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        tail in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let (mut bytes, _) = write_map(&module(20));
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        bytes.extend(tail);
        let _ = read_maps(&bytes);
    }

    /// Behind a hash that holds, arbitrary content is refused, not followed.
    #[test]
    fn forged_content_does_not_make_the_reader_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut raw = postcard::to_stdvec(&module(6)).unwrap();
        for (place, value) in flips {
            let place = place.index(raw.len());
            raw[place] = value;
        }
        if let Ok(map) = postcard::from_bytes::<ModuleMap>(&raw)
            && let Ok(maps) = read_maps(&write_map(&map).0)
        {
            for function in maps[0].1.functions.values() {
                for block in function.blocks.ids() {
                    function.segments_of(block).for_each(|segment| drop(function.instructions_of(segment)));
                }
            }
        }
    }
}
