//! Answers made by hand and at random, for the tests of this room.

use std::collections::BTreeSet;

use opcost_index::Id;
use opcost_key::{BlockId, EdgeId, FunctionKey, InstructionId, Key, Part};
use proptest::prelude::*;

use super::{
    Answer, AnswerInterval, AnswerRow, AnswerState, Assumption, Formula, FormulaFunction, Integer, Operator,
    Reals, Wrap,
};
use crate::example::place;
use crate::words::{AnswerColumn, Assumed, Certainty, Form, Origin, World};

/// A row of each kind and each form.
pub(crate) fn sample_rows() -> Vec<AnswerRow> {
    let row = |key: &str, column, form, text: &str, certainty| AnswerRow {
        key: key.parse().expect("a key"),
        column,
        state: AnswerState::Answer(Answer::parse(form, text).expect("an answer"), certainty),
        assumptions: BTreeSet::new(),
        origin: Origin::Predicted,
        world: World::Closed,
        place: Some(place(3)),
    };
    use AnswerColumn as Is;
    use Certainty::{Estimate, Exact, LowerBound, UpperBound};
    let promise = Assumption::Promise("nsw".into(), "@main:i7".parse().expect("a key"));
    let condition = Assumption::Condition("n > 0".parse().expect("a formula"));
    let under =
        |row: AnswerRow, all: &[Assumption]| AnswerRow { assumptions: all.iter().cloned().collect(), ..row };
    let ran = |row: AnswerRow| AnswerRow { origin: Origin::Counted, ..row };
    let beyond = "340282366920938463463374607431768211456";
    vec![
        under(
            row("@main:loop3", Is::Iterations, Form::Formula, "n*(n - 1) / 2", Exact),
            &[promise.clone(), condition],
        ),
        row("@main:loop3", Is::Iterations, Form::Number, "4294967296", UpperBound),
        under(
            row("@main:loop3", Is::BackEdges, Form::Number, beyond, UpperBound),
            &[promise, Assumption::Ieee],
        ),
        row("@main:loop3", Is::EnteredIf, Form::Formula, "n > 0 && `argv[1]` != 0", Exact),
        row("a.c@step:i4", Is::Range, Form::Interval, "-128..127", Exact),
        row("a.c@step:i4", Is::Needed, Form::Number, "8", Exact),
        row("a.c@step:i5", Is::Range, Form::Set, "{-1, 3, 9}", Exact),
        row("a.c@step:i6", Is::Range, Form::Reals, "0.0..255.0 or NaN", Exact),
        row("a.c@step:argument0", Is::Range, Form::Interval, "0..252 in steps of 4", Exact),
        ran(row("a.c@step:argument0", Is::ObservedLeast, Form::Number, "-3", Exact)),
        ran(row("a.c@step:argument0", Is::ObservedGreatest, Form::Number, "18446744073709551615", Exact)),
        ran(row(
            "a.c@step:argument0",
            Is::ObservedValues,
            Form::Set,
            "{-3, 0, 18446744073709551615}",
            LowerBound,
        )),
        row("@main:block2", Is::Iterations, Form::Interval, "1..", Estimate),
        row("@main:edge1", Is::Iterations, Form::Number, "0", LowerBound),
        row("@main:path18446744073709551615", Is::Iterations, Form::Number, "1", Exact),
        row("@main", Is::Needed, Form::Number, "31", Exact),
        row("a.c", Is::Needed, Form::Number, "64", Exact),
        row("@main:loop1", Is::Iterations, Form::Number, "10", Exact),
        AnswerRow { place: None, ..row("a.c:12", Is::Needed, Form::Number, "32", Exact) },
        AnswerRow {
            state: AnswerState::Nothing("it may be left at %4".into()),
            ..row("@main:loop5", Is::Iterations, Form::Number, "0", Exact)
        },
    ]
}

pub(crate) fn integer() -> impl Strategy<Value = Integer> {
    prop_oneof![
        any::<i8>().prop_map(|number| i128::from(number).into()),
        any::<u64>().prop_map(Integer::from),
        any::<i128>().prop_map(Integer::from),
        "-?[1-9][0-9]{30,60}".prop_map(|text| text.parse().expect("a number")),
    ]
}

pub(crate) fn formula() -> impl Strategy<Value = Formula> {
    let name = prop_oneof!["[a-z_][a-z0-9_.]{0,3}", "[-a-z`\\\\\\[\\] 0-9]{0,5}", any::<String>()];
    let leaf = prop_oneof![integer().prop_map(Formula::number), name.prop_map(|name| Formula::name(&name))];
    leaf.prop_recursive(6, 40, 4, |part| {
        let operator = || proptest::sample::select(Operator::ALL);
        let wrap = (any::<bool>(), 1..70u32).prop_map(|(is_signed, bits)| Wrap { is_signed, bits });
        prop_oneof![
            part.clone().prop_map(Formula::negate),
            (wrap, part.clone()).prop_map(|(wrap, of)| Formula::wrap(wrap, of)),
            (part.clone(), prop::collection::vec((operator(), part.clone()), 1..4)).prop_map(
                |(first, mut rest)| {
                    let level = rest[0].0;
                    rest.iter_mut().for_each(|one| one.0 = level);
                    Formula::chain(first, rest)
                }
            ),
            (part.clone(), part.clone(), part.clone()).prop_map(|(a, b, c)| Formula::choice(a, b, c)),
            prop::collection::vec(part.clone(), 1..4)
                .prop_map(|all| Formula::call(FormulaFunction::Least, all)),
            (part.clone(), part.clone()).prop_map(|(a, b)| Formula::call(FormulaFunction::Power, vec![a, b])),
            ("[a-z `]{0,3}", part.clone(), part)
                .prop_map(|(index, count, of)| Formula::sum(&index, count, of)),
        ]
        .prop_map(|made| made.expect("it is not deep"))
    })
}

pub(crate) fn answer() -> impl Strategy<Value = Answer> {
    let interval = (prop::option::of(integer()), prop::option::of(integer()), integer()).prop_filter_map(
        "the right way round",
        |(least, greatest, step)| {
            let interval = AnswerInterval::new(least, greatest).ok()?;
            Some(Answer::Interval(interval.clone().in_steps_of(step).unwrap_or(interval)))
        },
    );
    let reals =
        (any::<f64>(), any::<f64>(), any::<bool>()).prop_filter_map("numbers", |(least, greatest, nan)| {
            let reals = Reals::between(least, greatest).ok()?;
            Some(Answer::Reals(if nan { reals.or_nan() } else { reals }))
        });
    prop_oneof![
        integer().prop_map(Answer::Number),
        interval,
        prop::collection::btree_set(integer(), 0..5).prop_map(Answer::Set),
        formula().prop_map(Answer::Formula),
        reals,
    ]
}

fn key() -> impl Strategy<Value = Key> {
    let name = || prop_oneof!["[a-z./]{1,4}", any::<String>()];
    let part = (0..6u8, any::<u32>(), any::<u64>()).prop_map(|(kind, small, large)| match kind {
        0 => Part::Parameter(small),
        1 => Part::Block(BlockId::new(small as usize)),
        2 => Part::Edge(EdgeId::new(small as usize)),
        3 => Part::Instruction(InstructionId::new(small as usize)),
        4 => Part::Loop(BlockId::new(small as usize)),
        _ => Part::Path(large),
    });
    (prop::option::of(name()), name(), prop::option::of(part), any::<u32>(), 0..4u8).prop_map(
        |(module, name, part, line, kind)| {
            let function = FunctionKey { module: module.map(Into::into), name: name.clone().into() };
            match (kind, part) {
                (0, _) => Key::Module(name.into()),
                (1, _) => Key::Line(name.into(), line),
                (_, Some(part)) => function.part(part),
                (_, None) => Key::Function(function),
            }
        },
    )
}

fn assumption() -> impl Strategy<Value = Assumption> {
    let what = proptest::sample::select(Assumed::ALL);
    (what, key(), formula(), any::<String>()).prop_map(|(what, key, formula, words)| match what {
        Assumed::Promise => Assumption::Promise(words.into(), key),
        Assumed::Condition => Assumption::Condition(formula),
        Assumed::EndsIf => Assumption::EndsIf(formula),
        Assumed::Progress => Assumption::Progress(key),
        Assumed::NotLeft => Assumption::NotLeft(key),
        Assumed::Ieee => Assumption::Ieee,
        Assumed::Rule => Assumption::Rule(words.into()),
    })
}

/// Any row.
pub(crate) fn row() -> impl Strategy<Value = AnswerRow> {
    let certainty = proptest::sample::select(Certainty::ALL);
    let known = prop_oneof![
        4 => (answer(), certainty).prop_map(|(answer, certainty)| AnswerState::Answer(answer, certainty)),
        1 => any::<String>().prop_map(|reason| AnswerState::Nothing(reason.into())),
    ];
    let column = proptest::sample::select(AnswerColumn::ALL);
    let origin = proptest::sample::select(Origin::ALL);
    let line = prop::option::of(1..9u32);
    let assumptions = prop::collection::btree_set(assumption(), 0..4);
    (key(), column, known, assumptions, origin, any::<bool>(), line).prop_map(
        |(key, column, known, assumptions, origin, is_open, line)| AnswerRow {
            place: line.filter(|_| !matches!(key, Key::Line(..))).map(place),
            key,
            column,
            state: known,
            assumptions,
            origin,
            world: if is_open { World::Open } else { World::Closed },
        },
    )
}
