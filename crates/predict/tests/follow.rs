//! Are counts right where values are followed from the start of `main`? Held against the interpreter.
//!
//! Each mechanism has a program whose sizes no formula of one function says, and hostile variants of
//! it: another value on one path, a second writer, a pointer to the same memory, no iteration. A block
//! that is called exact must run as often as it did; where a run depends on what nobody knows, no
//! block that it decides may be called exact.

use opcost_analysis::dependence::Reads;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_claims::Bindings;
use opcost_index::Id;
use opcost_ir::{Layout, Module, parse_module};
use opcost_key::{BlockId, FunctionId};
use opcost_library::Effects;
use opcost_predict::fraction::rounded;
use opcost_predict::{Prediction, Wishes, predict};
use opcost_testkit::{
    Ended, ExternalCalls, Interpreter, LoopShape, Memory, Reply, Scalar, all_inputs, function_named,
    random_loops,
};
use proptest::prelude::*;

fn predicted(module: &Module) -> Prediction {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, World::Closed);
    let wishes = Wishes { is_guess: true, is_followed: true, ..Wishes::default() };
    predict(&program, &Bindings { reads: Reads::Absent, ..Bindings::default() }, &wishes).0
}

fn read(text: &str) -> Module {
    parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Executions of each block of each function, as the interpreter counts them; none if it does not return.
fn counted(module: &Module, externals: &mut ExternalCalls<'_>) -> Option<Vec<Vec<u64>>> {
    let shapes: Vec<LoopShape> = module
        .functions
        .iter()
        .flat_map(|(function, body)| {
            body.blocks.ids().map(move |block| LoopShape {
                function,
                header: block,
                members: vec![block],
                watched: Vec::new(),
            })
        })
        .collect();
    let places: Vec<(FunctionId, BlockId)> = shapes.iter().map(|one| (one.function, one.header)).collect();
    let main = function_named(module, "main").expect("main");
    let interpreter = Interpreter::new(module).with_loops(shapes).with_step_limit(200_000);
    let run = interpreter.run(main, &[], externals);
    if !matches!(run.ended, Ended::Returned(_)) {
        return None;
    }
    let mut counts: Vec<Vec<u64>> =
        module.functions.values().map(|body| vec![0; body.blocks.len()]).collect();
    for activation in &run.activations {
        let (function, block) = places[activation.shape];
        counts[function.index()][block.index()] += activation.header_executions;
    }
    // No edge leads to the entry of a function: it runs as often as there are activations.
    for (id, _) in module.functions.iter() {
        counts[id.index()][0] = run.frames.values().filter(|frame| frame.function == id).count() as u64;
    }
    Some(counts)
}

/// Holds what is called exact against a run: how many blocks are, and of how many.
fn compare(module: &Module, prediction: &Prediction, counts: &[Vec<u64>], text: &str) -> [u32; 2] {
    let (mut exact, mut all) = (0, 0);
    for (id, one) in prediction.functions.iter() {
        for (block, one) in one.iter().flat_map(|one| one.blocks.iter()) {
            let ran = counts[id.index()][block.index()];
            all += 1;
            if one.is_exact {
                exact += 1;
                let number = one.executions.as_ref().map(rounded);
                let name = &module.functions[id].name;
                assert_eq!(number, Some(ran.into()), "{name} {block}: {one:?}\n{text}");
            }
        }
    }
    [exact, all]
}

/// Holds exact blocks against runs; `wanted` of all of them must be exact.
fn hold(text: &str, coins: &[u128], wanted: f64) {
    let module = read(text);
    let prediction = predicted(&module);
    for &coin in coins {
        let mut externals =
            |_: &mut Memory, _: &str, _: &[Scalar]| Reply::Value(Scalar::Integer { bits: coin, width: 32 });
        let counts = counted(&module, &mut externals).unwrap_or_else(|| panic!("it returns\n{text}"));
        let [exact, all] = compare(&module, &prediction, &counts, text);
        let share = f64::from(exact) / f64::from(all);
        assert!(share >= wanted, "{share} of the blocks are exact\n{prediction:#?}\n{text}");
    }
}

/// Blocks of a function that are called exact.
fn exact_blocks(text: &str, name: &str) -> usize {
    let module = read(text);
    let id = function_named(&module, name).expect("the function");
    let prediction = predicted(&module);
    let one = prediction.functions[id].as_ref().expect("a body");
    one.blocks.values().filter(|block| block.is_exact).count()
}

/// Sizes by level in an array: each half of the one before. `work` loops over the size of each level, which it
/// is handed the address of.
const LEVELS: &str = "
global internal @sizes type [8 x i32] = {  }
global internal @levels type i32 = {  }
declare i32 @coin() nounwind willreturn memory(none)
define internal void @work(ptr %n) {
entry:
  %size = load i32, ptr %n
  %any = icmp sgt i32 %size, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i1, %size
  br i1 %more, label %loop, label %done
done:
  ret void
}
define internal void @setup() {
entry:
  store i32 6, ptr @levels
  br label %loop
loop:
  %level = phi i32 [ 0, %entry ], [ %level1, %loop ]
  %size = phi i32 [ 96, %entry ], [ %half, %loop ]
  %place = zext i64 i32 %level
  %at = getelementptr i32, ptr @sizes, i64 %place
  store i32 %size, ptr %at
  %half = ashr i32 %size, 1
  %level1 = add nuw nsw i32 %level, 1
  %more = icmp slt i32 %level1, 6
  br i1 %more, label %loop, label %done
done:
  ret void
}
define i32 @main() {
entry:
  call void @setup()
HOSTILE
  %top = load i32, ptr @levels
  %any = icmp sgt i32 %top, 0
  br i1 %any, label %loop, label %done
loop:
  %level = phi i32 [ 0, %entry ], [ %level1, %loop ]
  %place = zext i64 i32 %level
  %at = getelementptr i32, ptr @sizes, i64 %place
  call void @work(ptr %at)
  %level1 = add nuw nsw i32 %level, 1
  %more = icmp slt i32 %level1, %top
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
";

#[test]
fn sizes_of_levels_that_a_loop_stores_are_followed() {
    hold(&LEVELS.replace("HOSTILE", ""), &[0], 1.0);
    // No iteration at all.
    hold(&LEVELS.replace("HOSTILE", "  store i32 0, ptr @levels"), &[0], 1.0);
}

#[test]
fn what_is_stored_by_chance_decides_nothing_exactly() {
    let hostile = "  %coin = call i32 @coin()\n  store i32 %coin, ptr @sizes";
    let text = LEVELS.replace("HOSTILE", hostile);
    hold(&text, &[0, 1, 50], 0.0);
    assert!(exact_blocks(&text, "work") <= 2, "the loop depends on the coin");
    let hostile = "  %coin = call i32 @coin()\n  %where = zext i64 i32 %coin\n  %some = getelementptr i32, ptr @sizes, \
                   i64 %where\n  store i32 9, ptr %some";
    let text = LEVELS.replace("HOSTILE", hostile);
    hold(&text, &[0, 1, 5], 0.0);
    assert!(exact_blocks(&text, "work") <= 2, "any size may be another");
}

/// A size that is stored in one of two places, through a pointer that nobody decides; and one on one path only.
const PATHS: &str = "
global internal @n type i32 = { 0: i32 10 }
global internal @other type i32 = { 0: i32 10 }
declare i32 @coin() nounwind willreturn memory(none)
define i32 @main() {
entry:
  %coin = call i32 @coin()
  %heads = icmp eq i32 %coin, 1
  br i1 %heads, label %yes, label %no
yes:
YES
  br label %join
no:
NO
  br label %join
join:
  %pointer = phi ptr [ @n, %yes ], [ OTHER, %no ]
JOIN
  %size = load i32, ptr @n
  %any = icmp sgt i32 %size, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %join ], [ %i1, %loop ]
  %i1 = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i1, %size
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
";

fn paths(yes: &str, no: &str, join: &str) -> String {
    let text = PATHS.replace("YES\n", yes).replace("NO\n", no);
    text.replace("JOIN\n", join).replace("OTHER", if join.is_empty() { "@n" } else { "@other" })
}

#[test]
fn branches_that_nothing_decides_join_what_holds_of_both() {
    // Both store the same: the loop is exact, and which path was taken is not.
    let same = paths("  store i32 7, ptr @n\n", "  store i32 7, ptr @n\n", "");
    hold(&same, &[0, 1], 0.5);
    // Only one does.
    let one = paths("  store i32 7, ptr @n\n", "", "");
    hold(&one, &[0, 1], 0.1);
    assert!(exact_blocks(&one, "main") < exact_blocks(&same, "main"));
    // A pointer to one of both.
    let either = paths("", "", "  store i32 3, ptr %pointer\n");
    hold(&either, &[0, 1], 0.1);
    assert!(exact_blocks(&either, "main") < exact_blocks(&same, "main"));
    // It goes back to what it was.
    hold(&paths("", "", "  store i32 3, ptr %pointer\n  store i32 5, ptr @n\n"), &[0, 1], 0.5);
}

/// A counter that doubles, kept in memory, with calls that get a power of two; and a loop inside that divides.
const DOUBLING: &str = "
global internal @power type i32 = {  }
declare i32 @coin() nounwind willreturn memory(none)
define internal i32 @raise(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %p = phi i32 [ 1, %entry ], [ %p2, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %p2 = shl i32 %p, 1
  %i1 = add nuw nsw i32 %i, 1
  br label %loop
done:
  ret i32 %p
}
define i32 @main() {
entry:
  store i32 0, ptr @power
  br label %loop
loop:
  %n = load i32, ptr @power
  %p = call i32 @raise(i32 %n)
  %trips = sdiv i32 64, %p
  br label %inner
inner:
  %j = phi i32 [ 0, %loop ], [ %j1, %inner ]
  %j1 = add nuw nsw i32 %j, 1
  %again = icmp slt i32 %j1, %trips
  br i1 %again, label %inner, label %latch
latch:
  %n1 = add nuw nsw i32 %n, 1
  store i32 %n1, ptr @power
  %more = icmp slt i32 %n1, LIMIT
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
";

#[test]
fn powers_that_a_function_works_out_are_followed() {
    hold(&DOUBLING.replace("LIMIT", "7"), &[0], 1.0);
    // An exit that nothing decides: what was iterated never happened.
    let text = DOUBLING.replace(
        "%more = icmp slt i32 %n1, LIMIT",
        "%coin = call i32 @coin()\n  %more = icmp eq i32 %coin, 1",
    );
    hold(&text, &[0], 0.0);
    assert!(exact_blocks(&text, "raise") == 0);
}

/// Random loops with numbers as arguments: what is called exact is what the interpreter does.
fn hold_random(seed: u64) -> u32 {
    let case = random_loops(seed);
    // Data that code outside may write is none of a closed program.
    if !case.text.contains("global internal @bound8") {
        return 0;
    }
    let mut held = 0;
    for input in all_inputs(&case.parameters, 5) {
        let words: Option<Vec<String>> = input
            .iter()
            .map(|value| match value {
                Scalar::Integer { bits, width } => Some(format!("i{width} {bits}")),
                _ => None,
            })
            .collect();
        let Some(words) = words else { continue };
        let result = case.text.split("define ").find(|part| part.contains(" @run(")).expect("run");
        let result = result.split(' ').next().unwrap_or_default();
        let text = format!(
            "{}define i32 @main() {{\nentry:\n  %r = call {result} @run({})\n  ret i32 0\n}}\n",
            case.text,
            words.join(", ")
        );
        let module = read(&text);
        let mut externals = case.externals();
        let Some(counts) = counted(&module, &mut externals) else { continue };
        held += compare(&module, &predicted(&module), &counts, &text)[0];
    }
    held
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_programs_do_what_is_called_exact(seed: u64) {
        hold_random(seed);
    }
}

#[test]
fn many_blocks_of_random_programs_are_held() {
    let held: u32 = (0..40).map(hold_random).sum();
    assert!(held > 500, "{held}");
}
