//! Are random loops programs, does each run end, and is no feature missing?

use std::collections::BTreeMap;

use opcost_ir::{Opcode, verify};
use opcost_testkit::{
    Case, Ended, Feature, InterpretedRun, Interpreter, LoopEnd, all_inputs, function_named, natural_loops,
    random_loops,
};

const SEEDS: u64 = 500;

/// Runs a case with some inputs and looks at all loops.
fn runs(case: &Case, inputs: usize, steps: u64) -> Vec<InterpretedRun> {
    let module = case.module().unwrap_or_else(|error| panic!("{}: {error}\n{}", case.seed, case.text));
    assert_eq!(verify(&module), Ok(()), "{}", case.seed);
    let function = function_named(&module, case.function).expect("the function to be run");
    let loops = natural_loops(function, &module.functions[function]);
    let interpreter = Interpreter::new(&module).with_loops(loops).with_step_limit(steps);
    let inputs = all_inputs(&case.parameters, inputs);
    inputs.iter().map(|input| interpreter.run(function, input, &mut case.externals())).collect()
}

#[test]
fn every_seed_is_a_program_that_can_be_run() {
    let mut endings: BTreeMap<String, u32> = BTreeMap::new();
    // In the last, a name of a pointer once was that of a parameter.
    for seed in (0..SEEDS).chain([4_577_401_723_122_110_444]) {
        let case = random_loops(seed);
        for run in runs(&case, 12, 4_000) {
            let name = match &run.ended {
                Ended::Unsupported { at, what } => panic!("{seed}, {at:?}: {what}\n{}", case.text),
                Ended::Trapped { trap, .. } => format!("{trap:?}"),
                other => format!("{other:?}").split(['(', ' ']).next().expect("a word").to_owned(),
            };
            *endings.entry(name).or_default() += 1;
        }
    }
    println!("{endings:?}");
    for name in ["Returned", "PoisonUsed", "StepsUsedUp", "Unwound", "Stopped", "Unreachable"] {
        assert!(endings.get(name).is_some_and(|&count| count >= 10), "{name} is too seldom: {endings:?}");
    }
    assert!(endings["Returned"] > 12 * SEEDS as u32 / 3, "most runs return: {endings:?}");
}

#[test]
fn no_feature_is_missing() {
    let mut counts: BTreeMap<Feature, u32> = Feature::ALL.iter().map(|&feature| (feature, 0)).collect();
    for seed in 0..SEEDS {
        for feature in random_loops(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let seldom: Vec<_> = counts.iter().filter(|&(_, &count)| count < 8).collect();
    assert!(seldom.is_empty(), "too seldom: {seldom:?}");
}

#[test]
fn a_seed_gives_the_same_text_every_time() {
    for seed in [0, 1, 77, u64::MAX] {
        assert_eq!(random_loops(seed).text, random_loops(seed).text);
    }
    assert_ne!(random_loops(1).text, random_loops(2).text);
}

/// What is told of loops agrees with itself, and with the edges that there are.
#[test]
fn activations_add_up() {
    let mut complete = 0;
    for seed in 0..SEEDS {
        let case = random_loops(seed);
        let module = case.module().expect("a program");
        let function = function_named(&module, case.function).expect("the function to be run");
        let body = &module.functions[function];
        let loops = natural_loops(function, body);
        for run in runs(&case, 6, 3_000) {
            for activation in &run.activations {
                let shape = &loops[activation.shape];
                assert_eq!(activation.header_executions, activation.back_edges + 1);
                assert!(body.blocks[activation.entered_from].successors.contains(&shape.header));
                assert!(!shape.members.contains(&activation.entered_from), "entered from outside");
                if let LoopEnd::Exit { from, to } = activation.end {
                    complete += 1;
                    assert!(shape.members.contains(&from) && !shape.members.contains(&to));
                    assert!(body.blocks[from].successors.contains(&to));
                }
                if let Some(parent) = activation.parent {
                    let around = &run.activations[parent];
                    assert_eq!(around.frame, activation.frame);
                    assert!(loops[around.shape].members.contains(&shape.header));
                }
            }
            let is_open = run.activations.iter().any(|activation| !activation.is_complete());
            assert!(!is_open || !matches!(run.ended, Ended::Returned(_)), "who returns has left its loops");
        }
    }
    assert!(complete > 5_000, "loops are left: {complete}");
}

/// Some loop of most cases is found, and irreducible ones are what they say.
#[test]
fn most_cases_have_loops() {
    let mut with_loops = 0;
    for seed in 0..SEEDS {
        let case = random_loops(seed);
        let module = case.module().expect("a program");
        let function = function_named(&module, case.function).expect("the function to be run");
        let body = &module.functions[function];
        with_loops += u32::from(!natural_loops(function, body).is_empty());
        let compares = |opcode| matches!(opcode, Opcode::ICmp | Opcode::FCmp);
        let count = body.instructions.values().filter(|one| compares(one.opcode)).count();
        assert!(count > 0, "{seed} compares nothing");
    }
    assert!(with_loops > 450, "{with_loops} of 500");
}
