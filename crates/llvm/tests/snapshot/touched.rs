//! Are as many lines told as a cache that is simulated line by line misses?
//!
//! The referee: the loops of a nest are run in order here, and each access goes to a cache of 64-byte
//! lines that forgets the line that was used longest ago (Mattson, Gecsei, Slutz and Traiger 1970). The nest
//! goes over planes, rows and numbers of an array, and reads around each number at some offsets, in
//! one inner loop or in an inner loop for each offset. Limits: caches with sets lose more than that.

use std::collections::BTreeMap;
use std::fmt::Write;

use opcost_llvm::{Emission, Maker, Session};

use super::scratch;

/// Numbers in a row, rows in a plane, planes in the array.
const SIDE: i64 = 40;
/// What is not gone over on each side.
const RIM: i64 = 2;
/// Bytes of a number, and of a line.
const WIDTH: i64 = 8;
const LINE: i64 = 64;

/// Reads of a nest: planes, rows and numbers beside the one at hand.
type Offset = [i64; 3];

fn place(offset: Offset) -> i64 {
    (offset[0] * SIDE + offset[1]) * SIDE + offset[2]
}

/// The nest in LLVM IR; where the loops begin is read from a variable.
fn nest(inner_loops: &[Vec<Offset>]) -> String {
    let (side, plane, first, end) = (SIDE, SIDE * SIDE, RIM, SIDE - RIM);
    let mut text = format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-pc-linux-gnu\"\n@a = global [{} x double] zeroinitializer\n@first = global i64 {first}\n\
         define void @nest() {{\nstart:\n  %first = load i64, ptr @first\n  br label %planes\n\
         planes:\n  %k = phi i64 [ %first, %start ], [ %k1, %next ]\n  %ka = mul nuw nsw i64 %k, {plane}\n  br label %rows\n\
         rows:\n  %j = phi i64 [ %first, %planes ], [ %j1, %row ]\n  %ja = mul nuw nsw i64 %j, {side}\n\
         \x20 %kj = add nuw nsw i64 %ka, %ja\n  br label %l0\n",
        SIDE * plane
    );
    for (loop_number, offsets) in inner_loops.iter().enumerate() {
        let before = if loop_number == 0 { "rows".to_owned() } else { format!("l{}", loop_number - 1) };
        let after = if loop_number + 1 == inner_loops.len() {
            "row".to_owned()
        } else {
            format!("l{}", loop_number + 1)
        };
        let l = loop_number;
        let _ = write!(
            text,
            "l{l}:\n  %i{l} = phi i64 [ %first, %{before} ], [ %n{l}, %l{l} ]\n  %at{l} = add nuw nsw i64 %kj, %i{l}\n"
        );
        for (number, &offset) in offsets.iter().enumerate() {
            let _ = write!(
                text,
                "  %b{l}_{number} = add nsw i64 %at{l}, {}\n  %p{l}_{number} = getelementptr double, ptr @a, i64 %b{l}_{number}\n\
                 \x20 %v{l}_{number} = load volatile double, ptr %p{l}_{number}\n",
                place(offset)
            );
        }
        let _ = write!(
            text,
            "  %n{l} = add nuw nsw i64 %i{l}, 1\n  %c{l} = icmp ult i64 %n{l}, {end}\n  br i1 %c{l}, label %l{l}, label %{after}\n"
        );
    }
    let _ = write!(
        text,
        "row:\n  %j1 = add nuw nsw i64 %j, 1\n  %jc = icmp ult i64 %j1, {end}\n  br i1 %jc, label %rows, label %next\n\
         next:\n  %k1 = add nuw nsw i64 %k, 1\n  %kc = icmp ult i64 %k1, {end}\n  br i1 %kc, label %planes, label %end\n\
         end:\n  ret void\n}}\n"
    );
    text
}

/// Lines that are told to be fetched from beyond a capacity.
fn told(inner_loops: &[Vec<Offset>], capacity: u64) -> f64 {
    let folder = scratch();
    let path = folder.path().join("nest.ll");
    std::fs::write(&path, nest(inner_loops)).expect("a file");
    let mut session = Session::read(&path, Maker::Anyone).expect("a module");
    session.snapshot();
    let turns = (SIDE - 2 * RIM) as u64;
    let mut counts = vec![1, turns, turns * turns];
    counts.extend(inner_loops.iter().map(|_| turns * turns * turns));
    counts.extend([turns * turns, turns, 1]);
    let how = Emission { level: 2, ..Emission::default() };
    let found = session.schedule(how, "znver4", &counts, &[capacity]).expect("a processor that LLVM knows");
    found.lines.iter().map(|lines| lines.near + lines.far).sum()
}

/// Misses of a cache that forgets what was used longest ago.
fn simulated(inner_loops: &[Vec<Offset>], capacity: u64) -> f64 {
    let lines = capacity as i64 / LINE;
    let (mut used, mut order) = (BTreeMap::new(), BTreeMap::new());
    let (mut clock, mut misses) = (0u64, 0u64);
    for k in RIM..SIDE - RIM {
        for j in RIM..SIDE - RIM {
            for offsets in inner_loops {
                for i in RIM..SIDE - RIM {
                    for &[planes, rows, numbers] in offsets {
                        let line = place([k + planes, j + rows, i + numbers]) * WIDTH / LINE;
                        clock += 1;
                        match used.insert(line, clock) {
                            Some(before) => drop(order.remove(&before)),
                            None => misses += 1,
                        }
                        order.insert(clock, line);
                        if used.len() as i64 > lines
                            && let Some((_, oldest)) = order.pop_first()
                        {
                            used.remove(&oldest);
                        }
                    }
                }
            }
        }
    }
    misses as f64
}

/// Whether both are within `factor` of each other, for the same reads in one loop and in one loop each.
fn agree(offsets: &[Offset], capacity: u64, factor: f64) {
    let apart: Vec<Vec<Offset>> = offsets.iter().map(|&offset| vec![offset]).collect();
    for inner_loops in [vec![offsets.to_vec()], apart] {
        let (told, simulated) = (told(&inner_loops, capacity), simulated(&inner_loops, capacity));
        let is_near = told <= factor * simulated && simulated <= factor * told;
        assert!(is_near, "{} loops, {capacity} bytes: {told} told, {simulated} simulated", inner_loops.len());
    }
}

/// The array has 512 kB, a plane 12.8 kB, a row 320 bytes.
#[test]
fn of_the_planes_of_a_stencil_one_is_fetched_where_all_fit() {
    let star: Vec<Offset> =
        vec![[0, 0, 0], [-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
    // Three planes, three rows of each of three planes, and as many rows of one only.
    for capacity in [96 << 10, 24 << 10, 8 << 10] {
        agree(&star, capacity, 1.35);
    }
    let long: Vec<Offset> = vec![[-2, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]];
    for capacity in [128 << 10, 16 << 10] {
        agree(&long, capacity, 1.35);
    }
}

#[test]
fn loops_that_walk_along_one_row_fetch_it_once() {
    let same: Vec<Offset> = vec![[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, -1], [0, 1, 0]];
    for capacity in [4 << 10, 64 << 10] {
        agree(&same, capacity, 1.35);
    }
}

/// Drawn reads and sizes; where a size is near to what is touched, either may be right, so nine of ten
/// are asked for a factor of 1.5 and all for one of 4.
#[test]
fn drawn_nests_agree_with_the_simulated_cache() {
    let mut state = 88_172_645_463_325_252u64;
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % below
    };
    let (mut near, mut all) = (0, 0);
    for _ in 0..60 {
        let mut coordinate = || draw(2 * RIM as u64 + 1) as i64 - RIM;
        let offsets: Vec<Offset> = (0..6).map(|_| [coordinate(), coordinate(), coordinate()]).collect();
        let capacity = 2048 << draw(9);
        let apart: Vec<Vec<Offset>> = offsets.iter().map(|&offset| vec![offset]).collect();
        for inner_loops in [vec![offsets.clone()], apart] {
            let (told, simulated) = (told(&inner_loops, capacity), simulated(&inner_loops, capacity));
            // What fits as a whole is told to stay where it is.
            if told == 0.0 {
                assert!(capacity as i64 > WIDTH * SIDE * SIDE * SIDE / 2, "{offsets:?} {capacity}");
                continue;
            }
            let factor = f64::max(told / simulated, simulated / told);
            assert!(factor <= 4.0, "{offsets:?} {capacity}: {told} told, {simulated} simulated");
            all += 1;
            near += u32::from(factor <= 1.5);
        }
    }
    assert!(10 * near >= 9 * all, "{near} of {all}");
}
