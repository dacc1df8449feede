//! A ledger's order and sums, and which ledgers add up.

use opcost_key::Hash128;

use super::{About, CodeFacts, Ledger, LedgerError, Subject};
use crate::answers::example::sample_rows;
use crate::example::{about, fact, facts_of, function, ledger, line, place, program, sample};
use crate::formats::opc::{read_ledger, write_ledger};
use crate::{Column, MergeError, Origin, Quality, World, average, merge, saturated};

#[test]
fn facts_are_in_one_order_whatever_order_they_come_in() {
    let sample = sample();
    let backwards: Vec<_> = sample.facts().iter().rev().cloned().collect();
    assert_eq!(Ledger::new(about(), backwards).unwrap(), sample);
    assert_eq!(sample.facts()[0].subject, Subject::Program);
}

#[test]
fn values_and_sums_are_found_and_wider_than_64_bits() {
    let sample = sample();
    assert_eq!(sample.value(&Subject::Line(place(2)), Column::Instructions), Some(40));
    assert_eq!(sample.value(&Subject::Line(place(3)), Column::Instructions), None);
    let functions = |subject: &Subject| matches!(subject, Subject::Function { .. });
    assert_eq!(sample.sum(Column::Calls, functions), u128::from(u64::MAX) + 1);
}

#[test]
fn doubles_are_added_and_never_wrap() {
    assert_eq!(ledger(vec![line(1, 2), line(1, 3)]), ledger(vec![line(1, 5)]));
    let error = Ledger::new(about(), vec![program(u64::MAX), program(2)]).unwrap_err();
    let value = u128::from(u64::MAX) + 2;
    assert_eq!(
        error,
        LedgerError::TooLarge { subject: "the program".into(), column: Column::Instructions, value }
    );
    let mut sampled = program(1);
    sampled.origin = Origin::Sampled;
    let error = Ledger::new(about(), vec![program(1), sampled]).unwrap_err();
    assert!(error.to_string().contains("counted here and sampled there"), "{error}");
}

#[test]
fn a_sum_is_as_sure_as_its_least_sure_part() {
    let under = |text: &str| Quality::ExactUnder(text.into());
    assert_eq!(Quality::Exact.and(Quality::Exact), Quality::Exact);
    assert_eq!(Quality::Exact.and(under("a")), under("a"));
    assert_eq!(under("b; a").and(under("c; a")), under("a; b; c"));
    assert_eq!(under("a").and(Quality::LowerBound), Quality::LowerBound);
    assert_eq!(Quality::LowerBound.and(Quality::Unknown("x".into())), Quality::Unknown("x".into()));
    for quality in [Quality::Exact, under("a (b)"), Quality::LowerBound, Quality::Unknown(String::new())] {
        assert_eq!(quality.to_string().parse(), Ok(quality));
    }
    assert!("surely".parse::<Quality>().unwrap_err().to_string().contains("no quality"));
    assert!("counts".parse::<Column>().unwrap_err().to_string().contains("no column"));
}

#[test]
fn runs_of_one_build_add_up_in_any_order() {
    let main = function("main", 1, 2);
    let first = ledger(facts_of(&main, 1, 10, &[1]));
    let mut second = ledger(facts_of(&main, 2, 25, &[2]));
    second.about.commands = vec![vec!["./a".into(), "-x".into()]];
    let both = merge(&[first.clone(), second.clone()]).unwrap();
    assert_eq!(both.about.runs, 2);
    assert_eq!(both.about.commands.len(), 2);
    assert_eq!(both.sum(Column::Instructions, |_| true), 35);
    assert_eq!(merge(&[second, first.clone()]).unwrap(), both);
    assert_eq!(merge(std::slice::from_ref(&first)).unwrap(), first);
}

#[test]
fn what_cannot_be_added_is_refused() {
    let first = sample();
    assert_eq!(merge(&[]), Err(MergeError::Nothing));
    let mut other = first.clone();
    other.about.modules[0].map.0 = 8;
    let error = merge(&[first.clone(), other]).unwrap_err();
    assert_eq!(error, MergeError::OtherBuild { position: 1, what: "maps" });
    let mut other = first.clone();
    other.about.cost.hash.0 = 8;
    let error = merge(&[first.clone(), other]).unwrap_err();
    assert!(error.to_string().contains("cost models differ"), "{error}");
    let mut many = first.clone();
    many.about.runs = u64::MAX;
    assert_eq!(merge(&[first.clone(), many]), Err(MergeError::TooManyRuns));
    let mut sampled = program(1);
    sampled.origin = Origin::Repaired;
    let error = merge(&[ledger(vec![program(1)]), ledger(vec![sampled])]).unwrap_err();
    assert!(matches!(error, MergeError::OtherOrigin { position: 1, .. }), "{error}");
}

/// In which order modules were linked makes no other build, and local functions of one name stay
/// those of their modules.
#[test]
fn the_same_program_linked_in_another_order_adds_up() {
    let step = |module: &str, work| {
        let function =
            crate::FunctionFacts { module: module.into(), ..(*function("local_step", 1, 1)).clone() };
        facts_of(&function.into(), 1, work, &[1])
    };
    let linked = |modules: [(&str, u64); 2]| {
        let mut made = ledger(modules.iter().flat_map(|&(module, work)| step(module, work)).collect());
        let facts = made.about.modules.remove(0);
        let of = |(module, _): (&str, u64)| crate::ModuleFacts { module: module.into(), ..facts.clone() };
        made.about.modules = modules.map(of).to_vec();
        made
    };
    let [one, other] = [linked([("a.c", 1), ("b.c", 10)]), linked([("b.c", 20), ("a.c", 2)])];
    let both = merge(&[one.clone(), other.clone()]).unwrap();
    assert_eq!(merge(&[other.clone(), one.clone()]).unwrap(), both);
    assert_eq!(both.about.modules, one.about.modules, "by name");
    assert_eq!(both, merge(&[linked([("a.c", 2), ("b.c", 20)]), one.clone()]).unwrap());
    let work = |module: &str| {
        both.sum(Column::Instructions, |subject| subject.function().is_some_and(|f| f.module == module))
    };
    assert_eq!([work("a.c"), work("b.c")], [3, 30]);
    assert_eq!(merge(std::slice::from_ref(&other)).unwrap(), other, "an order that all have stays");
    let alone = linked([("a.c", 1), ("c.c", 10)]);
    assert_eq!(merge(&[one, alone]), Err(MergeError::OtherBuild { position: 1, what: "maps" }));
}

#[test]
fn the_weaker_world_wins() {
    let mut closed = fact(Subject::Program, Column::Instructions, 1);
    closed.world = World::Closed;
    assert_eq!(ledger(vec![closed, program(1)]).facts()[0].world, World::Open);
}

#[test]
fn sums_of_more_than_64_bits_stop_at_the_largest_and_say_so() {
    let large = ledger(vec![program(u64::MAX - 1), line(1, 4)]);
    let both = merge(&[large.clone(), large.clone()]).unwrap();
    let expected = (Some(u64::MAX), &Quality::LowerBound);
    assert_eq!((both.facts()[0].value, &both.facts()[0].quality), expected);
    assert_eq!((both.facts()[1].value, &both.facts()[1].quality), (Some(8), &Quality::Exact));
    let told: Vec<_> = saturated(&both).map(|fact| fact.subject.to_string()).collect();
    assert_eq!(told, ["the program"]);
    // A mean is taken of the whole sum, so nothing is lost.
    assert_eq!(average(&[large.clone(), large.clone()]).unwrap(), large);
    assert_eq!(saturated(&ledger(vec![program(u64::MAX)])).count(), 0, "the largest number itself fits");
}

#[test]
fn a_mean_is_per_run_and_says_where_it_was_rounded() {
    let mut two = ledger(vec![program(20), line(1, 3)]);
    two.about.runs = 2;
    let mean = average(&[two, ledger(vec![program(10), line(1, 0)])]).unwrap();
    assert_eq!(mean.about.runs, 1);
    assert_eq!(mean.facts()[0], program(10));
    assert_eq!(mean.facts()[1], line(1, 1));
    let mean = average(&[ledger(vec![program(1)]), ledger(vec![program(2)])]).unwrap();
    let rounded = Quality::ExactUnder("the mean of 2 runs, rounded to the nearest".into());
    assert_eq!((mean.facts()[0].value, &mean.facts()[0].quality), (Some(2), &rounded));
    // Of three runs a third goes down, and two thirds go up.
    let third = |values: [u64; 3]| average(&values.map(|value| ledger(vec![program(value)]))).unwrap();
    assert_eq!(third([0, 0, 1]).facts()[0].value, Some(0));
    assert_eq!(third([0, 1, 1]).facts()[0].value, Some(1));
}

#[test]
fn estimates_stay_estimates() {
    let mut sampled = program(7);
    (sampled.quality, sampled.origin) = (Quality::Estimate, Origin::Repaired);
    let ledger = ledger(vec![sampled]);
    for both in [merge(&[ledger.clone(), ledger.clone()]), average(&[ledger.clone(), ledger.clone()])] {
        assert_eq!(both.unwrap().facts()[0].quality, Quality::Estimate);
    }
}

#[test]
fn answers_about_one_code_merge_and_come_back() {
    let of_code = |hash: u128| {
        let code = vec![CodeFacts { name: "a.c".into(), hash: Hash128(hash) }];
        let mut ledger = Ledger::new(About { modules: Vec::new(), code, runs: 0, ..about() }, []).unwrap();
        ledger.answers = sample_rows().into_iter().collect();
        ledger
    };
    let (one, other) = (of_code(1), of_code(2));
    assert_eq!(
        merge(&[one.clone(), other]),
        Err(MergeError::OtherBuild { position: 1, what: "hashes of code" })
    );
    assert_eq!(merge(&[one.clone(), one.clone()]).unwrap().about, one.about);
    assert!(!one.has_counts() && sample().has_counts());
    assert_eq!(read_ledger(&write_ledger(&one)).unwrap(), one);
}
