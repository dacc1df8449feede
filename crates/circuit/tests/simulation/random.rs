//! Functions at random.

use opcost_ir::parse_module;
use opcost_testkit::{Random, function_named, random_branches};

use super::{Given, Runs, cases, try_all};

#[test]
fn random_functions_compute_what_they_say() {
    let mut random = Random::new(7);
    let mut tried = 0;
    for seed in 0..cases() {
        let text = random_branches(seed);
        // What a freeze gives is anybody's choice.
        if text.contains("freeze") {
            continue;
        }
        let module = parse_module(&text).expect("a module");
        let function = function_named(&module, "run").expect("run");
        let mut runs = Runs::default();
        for number in 0..60 {
            let (mut left, mut right) = (u128::from(random.below(256)), u128::from(random.below(256)));
            if number % 3 == 0 {
                (left, right) = (*random.of(&[0, 1, 127, 128, 255]), *random.of(&[0, 1, 127, 128, 255]));
            }
            runs.run(&module, function, &[Given::Number(8, left), Given::Number(8, right)]);
        }
        if runs.count > 0 {
            try_all(&text, &runs, &[], seed < 4);
            tried += 1;
        }
    }
    assert!(tried > 3, "{tried} functions were tried");
}
