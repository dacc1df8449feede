//! Are functions of one name told apart, where a run is held against an analysis?
//!
//! Two files have each a static function of the same name with other arguments and
//! other loops. Linked, one of them has another name; the run knows both by their own.

use serde_json::Value;

use super::Place;

const STEPS: [&str; 2] = [
    "#include <stdio.h>
unsigned other(unsigned k);
__attribute__((noinline)) static unsigned step(unsigned x) { return x * 5u + 1u; }
int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; i++) sum += step(i);
  printf(\"%u\\n\", sum + other(3));
  return 0;
}
",
    "__attribute__((noinline)) static unsigned step(unsigned x) { return x * 5u + 1u; }
unsigned other(unsigned k) {
  unsigned sum = 0;
  for (unsigned i = 0; i < k; i++) sum ^= step(1000u + i);
  return sum;
}
",
];

const WORKS: [&str; 2] = [
    "#include <stdio.h>
unsigned other(void);
__attribute__((noinline)) static unsigned work(volatile unsigned *p) {
  unsigned s = 0; for (unsigned i = 0; i < 4; i++) s += *p; return s;
}
int main(void) { volatile unsigned v = 3; printf(\"%u\\n\", work(&v) + other()); return 0; }
",
    "__attribute__((noinline)) static unsigned work(volatile unsigned *p) {
  unsigned s = 0; for (unsigned i = 0; i < 9; i++) s += *p; return s;
}
unsigned other(void) { volatile unsigned v = 2; return work(&v); }
",
];

/// The files in both orders.
fn orders(names: [&'static str; 2]) -> [[&'static str; 2]; 2] {
    [names, [names[1], names[0]]]
}

#[test]
fn each_argument_is_held_against_the_range_of_its_own_function() {
    let place = Place::new();
    let names = ["step_a.c", "step_b.c"];
    names.iter().zip(STEPS).for_each(|(name, text)| _ = place.write(name, text));
    for [first, second] in orders(names) {
        let arguments = ["bits", "--json", "-", "--observe", "--function", "step", "-O1", first, second];
        let output = place.opcost(&arguments);
        let said = &output.stderr;
        assert_eq!(output.status, 0, "{said}");
        let document: Value = output.json();
        let functions = document["functions"].as_array().expect("functions");
        let of = |key: &str| {
            let values = functions.iter().flat_map(|one| one["values"].as_array().expect("values"));
            let value = values.into_iter().find(|value| value["key"] == key);
            value.unwrap_or_else(|| panic!("no {key} in {document:#}")).clone()
        };
        for (key, range, seen) in [
            ("step_a.c@step:argument0", "{0, 1, 2, 3}", "0..3"),
            ("step_b.c@step:argument0", "{1000, 1001, 1002}", "1000..1002"),
        ] {
            let value = of(key);
            assert_eq!(
                (&value["range"], &value["observed"]["range"]),
                (&range.into(), &seen.into()),
                "{value:#}"
            );
            assert_eq!(value["observed"]["is_outside"], false, "{value:#}");
        }
        assert_eq!(functions.len(), 2, "{document:#}");
        assert!(functions.iter().all(|function| function["name"] == "step"), "{document:#}");
    }
}

#[test]
fn each_loop_is_held_against_the_claim_of_its_own_function() {
    let place = Place::new();
    let names = ["work_c.c", "work_d.c"];
    names.iter().zip(WORKS).for_each(|(name, text)| _ = place.write(name, text));
    for [first, second] in orders(names) {
        let (document, status) = place.values(&["--verify", "-O1", first, second]);
        let whole = &document["whole"];
        assert_eq!(status, 0, "{document:#}");
        assert_eq!((&whole["held"], &whole["not_found"]), (&2.into(), &0.into()), "{whole:#}");
        let output = place.opcost(&["loops", "-O1", first, second]);
        let text = &output.stdout;
        assert!(!text.contains("work."), "{text}");
        assert!(text.contains("work of work_c.c") && text.contains("work of work_d.c"), "{text}");
        let output = place.opcost(&["loops", "-O1", "--json", "-", first, second]);
        let document: Value = output.json();
        let loops = document["loops"].as_array().expect("loops");
        let told: Vec<(&str, &str)> = loops
            .iter()
            .map(|one| {
                (one["key"].as_str().expect("a key"), one["body_iterations"].as_str().expect("a number"))
            })
            .map(|(key, iterations)| (key.split(':').next().expect("a function"), iterations))
            .collect();
        assert!(told.contains(&("work_c.c@work", "4")) && told.contains(&("work_d.c@work", "9")), "{told:?}");
    }
}
