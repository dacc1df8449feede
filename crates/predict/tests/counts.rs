//! Is each prediction what a run does? The referee is an interpreter that counts blocks.
//!
//! Random loops with all inputs, nests of which the sums are known, and extremes: empty loops, and
//! numbers near 2^31 and 2^62, where the sums are known in closed form. A prediction that is called
//! exact must be the number; one that is called a bound must not be below it.

use std::collections::BTreeMap;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_claims::Bindings;
use opcost_index::Id;
use opcost_ir::{Layout, Module, parse_module};
use opcost_key::{BlockId, FunctionId};
use opcost_library::Effects;
use opcost_predict::fraction::{Fraction, rounded, whole};
use opcost_predict::{BlockPrediction, Class, Prediction, Wishes, predict};
use opcost_testkit::{Ended, Interpreter, LoopShape, Scalar, all_inputs, function_named, random_loops};
use proptest::prelude::*;

fn predicted(module: &Module, given: &[(&str, i128)]) -> Prediction {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, World::Open);
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    predict(&program, &Bindings { given, ..Bindings::default() }, &Wishes::default()).0
}

/// Executions of the blocks of a function, by label.
fn blocks(text: &str, name: &str, given: &[(&str, i128)]) -> BTreeMap<String, BlockPrediction> {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let id = function_named(&module, name).expect("the function");
    let function = &module.functions[id];
    let prediction = predicted(&module, given);
    let label = |block: BlockId| {
        let name = function.names.get(&opcost_ir::Value::Block(block));
        name.map_or_else(|| block.index().to_string(), ToString::to_string)
    };
    let one = prediction.functions[id].as_ref().expect("a body");
    one.blocks.iter().map(|(block, one)| (label(block), one.clone())).collect()
}

fn number(blocks: &BTreeMap<String, BlockPrediction>, label: &str) -> Fraction {
    blocks[label].executions.clone().unwrap_or_else(|| panic!("{label} is open"))
}

/// A nest of `for i < n, for j < i`, both tested first, of so many bits.
fn triangle(bits: u32) -> String {
    format!(
        "define void @f(i{bits} %n) {{
entry:
  br label %outer
outer:
  %i = phi i{bits} [ 0, %entry ], [ %i1, %latch ]
  %more = icmp slt i{bits} %i, %n
  br i1 %more, label %before, label %done
before:
  br label %inner
inner:
  %j = phi i{bits} [ 0, %before ], [ %j1, %body ]
  %again = icmp slt i{bits} %j, %i
  br i1 %again, label %body, label %latch
body:
  %j1 = add nsw i{bits} %j, 1
  br label %inner
latch:
  %i1 = add nsw i{bits} %i, 1
  br label %outer
done:
  ret void
}}
"
    )
}

#[test]
fn triangular_nests_are_summed_exactly_at_any_size() {
    for (bits, n) in [
        (32, 0),
        (32, 1),
        (32, 2),
        (32, 7),
        (32, 46_340),
        (32, 46_341),
        (32, i128::from(i32::MAX)),
        (64, 1 << 31),
        (64, 1 << 62),
        (64, i128::from(i64::MAX)),
    ] {
        let all = blocks(&triangle(bits), "f", &[("%n", n)]);
        let of = |label| number(&all, label);
        assert_eq!(of("outer"), whole(n + 1), "{n}");
        assert_eq!(of("latch"), whole(n), "{n}");
        assert_eq!(of("body"), whole(n) * whole(n - 1) / whole(2), "{n}");
        assert_eq!(of("inner"), whole(n) * whole(n + 1) / whole(2), "{n}");
        assert_eq!(of("done"), whole(1));
    }
    let negative = blocks(&triangle(32), "f", &[("%n", -5)]);
    assert_eq!((number(&negative, "outer"), number(&negative, "body")), (whole(1), whole(0)));
}

#[test]
fn without_a_value_a_loop_is_open_and_has_its_formula() {
    let all = blocks(&triangle(32), "f", &[]);
    assert_eq!(all["outer"].executions, None);
    assert_eq!(all["entry"].executions, Some(whole(1)));
    let formula = all["outer"].formula.clone().expect("a formula");
    assert!(formula.contains("%n"), "{formula}");
}

/// A guarded nest with a branch that half of the iterations take, and one that nothing decides.
const BRANCHES: &str = "
declare i1 @coin()
define void @f(i64 %n) {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %latch ]
  %first = icmp slt i64 %i, 1000
  br i1 %first, label %early, label %late
early:
  br label %latch
late:
  %c = call i1 @coin()
  br i1 %c, label %heads, label %latch
heads:
  br label %latch
latch:
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
";

#[test]
fn branches_are_decided_iteration_by_iteration_and_guesses_are_marked() {
    let n: i128 = 1 << 62;
    let all = blocks(BRANCHES, "f", &[("%n", n)]);
    assert_eq!(number(&all, "loop"), whole(n));
    assert_eq!((number(&all, "early"), all["early"].is_exact), (whole(1000), true));
    assert_eq!((number(&all, "late"), all["late"].is_exact), (whole(n - 1000), true));
    // A large trip count times a small fraction: half of it, to the last digit.
    assert_eq!((number(&all, "heads"), all["heads"].is_exact), (whole(n - 1000) / whole(2), false));
    let none = blocks(BRANCHES, "f", &[("%n", 0)]);
    assert_eq!((number(&none, "loop"), number(&none, "done")), (whole(0), whole(1)));
    let few = blocks(BRANCHES, "f", &[("%n", 10)]);
    assert_eq!((number(&few, "early"), number(&few, "late")), (whole(10), whole(0)));
}

/// A search: the latch counts to n, and another exit may come first.
const SEARCH: &str = "
declare i1 @hit()
define void @f(i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %c = call i1 @hit()
  br i1 %c, label %done, label %next
next:
  %i1 = add nuw nsw i64 %i, 1
  br label %loop
done:
  ret void
}
";

#[test]
fn a_loop_with_another_exit_is_a_bound() {
    let all = blocks(SEARCH, "f", &[("%n", 100)]);
    assert_eq!(all["body"].class, Class::Bound);
    assert!(!all["body"].is_exact);
    assert!(number(&all, "loop") >= whole(100));
    assert_eq!(number(&all, "done"), whole(1));
}

/// Calls: `leaf` is called with two numbers of times, `loop` calls it in a nest.
const CALLS: &str = "
define internal void @leaf(i64 %k) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %k
  br i1 %more, label %body, label %out
body:
  %i1 = add nuw nsw i64 %i, 1
  br label %head
out:
  ret void
}
define internal void @again(i64 %k) {
entry:
  %stop = icmp slt i64 %k, 1
  br i1 %stop, label %out, label %more
more:
  %k1 = add nsw i64 %k, -1
  call void @again(i64 %k1)
  br label %out
out:
  ret void
}
define internal void @pointed() address_taken {
entry:
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
entry:
  call void @leaf(i64 3)
  call void @again(i64 5)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, 10
  br i1 %more, label %body, label %out
body:
  call void @leaf(i64 7)
  %i1 = add nuw nsw i64 %i, 1
  br label %head
out:
  ret i32 0
}
";

#[test]
fn calls_are_summed_and_what_cannot_be_told_is_marked() {
    let leaf = blocks(CALLS, "leaf", &[]);
    assert_eq!(number(&leaf, "entry"), whole(11));
    assert_eq!(number(&leaf, "body"), whole(3 + 10 * 7));
    assert!(leaf["body"].is_exact, "{:?}", leaf["body"]);
    let again = blocks(CALLS, "again", &[]);
    assert_eq!(again["entry"].class, Class::Unknown);
    assert!(again["entry"].reason.as_deref().is_some_and(|why| why.contains("recursion")), "{again:?}");
    assert_eq!(blocks(CALLS, "main", &[])["body"].class, Class::Constant);
    let pointed = blocks(CALLS, "pointed", &[]);
    assert_eq!(pointed["entry"].class, Class::Unknown);
    assert!(pointed["entry"].reason.as_deref().is_some_and(|why| why.contains("pointers")), "{pointed:?}");
}

/// `leaf(i)` for each i below 100, and `leaf(i · i)`.
const VARYING: &str = "
define internal void @leaf(i64 %k) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %k
  br i1 %more, label %body, label %out
body:
  %i1 = add nuw nsw i64 %i, 1
  br label %head
out:
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, 100
  br i1 %more, label %body, label %out
body:
  call void @leaf(i64 %i)
  %square = mul nuw nsw i64 %i, %i
  call void @leaf(i64 %square)
  %i1 = add nuw nsw i64 %i, 1
  br label %head
out:
  ret i32 0
}
";

#[test]
fn an_argument_may_be_another_in_each_iteration() {
    let leaf = blocks(VARYING, "leaf", &[]);
    assert_eq!(number(&leaf, "entry"), whole(200));
    assert_eq!(number(&leaf, "body"), whole(99 * 100 / 2 + 99 * 100 * 199 / 6));
    assert!(leaf["body"].is_exact, "{:?}", leaf["body"]);
}

/// What the interpreter counts of each block of the first call of a function.
fn counted(
    module: &Module,
    id: FunctionId,
    input: &[Scalar],
    case: &opcost_testkit::Case,
) -> Option<Vec<u64>> {
    let function = &module.functions[id];
    let shape =
        |block: BlockId| LoopShape { function: id, header: block, members: vec![block], watched: Vec::new() };
    let shapes: Vec<LoopShape> = function.blocks.ids().map(shape).collect();
    let interpreter = Interpreter::new(module).with_loops(shapes).with_step_limit(200_000);
    let mut externals = case.externals();
    let run = interpreter.run(id, input, &mut externals);
    if !matches!(run.ended, Ended::Returned(_)) {
        return None;
    }
    let mut counts = vec![0; function.blocks.len()];
    for activation in run.activations.iter().filter(|activation| activation.frame.index() == 0) {
        counts[activation.shape] += activation.header_executions;
    }
    // Nothing leads to the entry.
    counts[0] = 1;
    Some(counts)
}

/// Holds all exact predictions of a case against runs; how many were held.
fn hold(seed: u64) -> u64 {
    let case = random_loops(seed);
    let module = case.module().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let id = function_named(&module, case.function).expect("run");
    let function = &module.functions[id];
    let mut held = 0;
    for input in all_inputs(&case.parameters, 24) {
        let Some(counts) = counted(&module, id, &input, &case) else { continue };
        let name = |position: usize| {
            let value = opcost_ir::Value::Argument(position as u32);
            format!(
                "%{}",
                function.names.get(&value).map_or_else(|| position.to_string(), |name| name.to_string())
            )
        };
        let names: Vec<(String, i128)> = input
            .iter()
            .enumerate()
            .filter_map(|(position, value)| Some((name(position), value.signed()?)))
            .collect();
        let given: Vec<(&str, i128)> = names.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let prediction = predicted(&module, &given);
        let one = prediction.functions[id].as_ref().expect("a body");
        // Without a main each function is counted for one call; others may call it, too.
        if one.entries != Some(whole(1)) {
            continue;
        }
        for (block, predicted) in one.blocks.iter() {
            let Some(executions) = &predicted.executions else { continue };
            if !predicted.is_exact {
                continue;
            }
            held += 1;
            assert_eq!(
                rounded(executions),
                counts[block.index()].into(),
                "seed {seed}, {block} of {input:?}: {predicted:?}\n{}",
                case.text
            );
        }
    }
    held
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_called_exact_is_what_a_run_does(seed: u64) {
        hold(seed);
    }
}

#[test]
fn many_predictions_are_held() {
    let held: u64 = (0..60).map(hold).sum();
    assert!(held > 1000, "{held}");
}
