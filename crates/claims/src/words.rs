//! How does a claim read? Reasons, assumptions and forms in words.

use opcost_ir::FunctionText;

use crate::names::{Named, Names};
use opcost_analysis::evolution::{Form, Otherwise, Reason, SplitPart, TripAssumption, TripCount};
use opcost_analysis::expression::{Formulas, Symbol, TextLimits};
use opcost_answer::loops::LoopRest;
use opcost_key::Part;

/// Why there is no exact answer.
pub(super) fn reason(reason: &Reason, names: &Names<'_>, text: &FunctionText<'_>) -> String {
    match reason {
        Reason::DependsOn(symbol) => format!("it depends on {}", names.of(symbol).name),
        Reason::Undefined => "it depends on a value that is not defined".to_owned(),
        Reason::FloatingComparison(at) => {
            format!("an exit compares numbers with a point: {}", names.instruction(*at))
        }
        Reason::NotEveryTurn(edge) => {
            format!("it may be left at %{}, which not every iteration passes", text.block(edge.from))
        }
        Reason::LeavesFromInside(edge) => {
            format!("it may be left from a loop inside, at %{}", text.block(edge.from))
        }
        Reason::NoComparison(at) => format!("an exit is no comparison: {}", names.instruction(*at)),
        Reason::NoFirstTurn { comparison, .. } => {
            format!("the counter may wrap round before {} ends it", names.instruction(*comparison))
        }
        Reason::Endless => "it has no exit that is ever taken".to_owned(),
        Reason::TooBig => "its formula is too large".to_owned(),
        Reason::NoBetterThanType => "the bound is no better than what the counter can hold".to_owned(),
    }
}

/// How a loop is built.
pub(super) fn form(trips: &TripCount) -> String {
    let form = match trips.form {
        Form::TopTested => "tested first",
        Form::BottomTested => "tested last",
        Form::MiddleTested => "left in the middle",
        Form::Endless => "endless",
    };
    match trips.part {
        None => form.to_owned(),
        Some(SplitPart::VectorBody { lanes: 0, .. }) => format!("{form}, vector body"),
        Some(SplitPart::VectorBody { lanes, .. }) => {
            format!("{form}, vector body of {lanes} iterations at once")
        }
        Some(SplitPart::Remainder { .. }) => format!("{form}, what a vector body leaves"),
    }
}

/// `name: what is known of it`
pub(super) fn input(named: &Named) -> String {
    match named.about.as_str() {
        "" => named.name.clone(),
        about => format!("{}: {about}", named.name),
    }
}

/// What a claim rests on.
pub fn assumptions(list: &[TripAssumption], formulas: &Formulas, names: &Names<'_>) -> Vec<String> {
    list.iter().map(|given| assumption(given, formulas, names)).collect()
}

fn assumption(assumption: &TripAssumption, formulas: &Formulas, names: &Names<'_>) -> String {
    match assumption {
        TripAssumption::Promise(at, promise) => format!("{} of {}", promise.word(), names.instruction(*at)),
        TripAssumption::Memory(words) => (*words).to_owned(),
        TripAssumption::Condition(test, otherwise) => {
            let test = formulas.test_text(*test, &|symbol| names.of(symbol).name);
            match otherwise {
                Otherwise::Endless => format!("{test} (else it does not end)"),
                Otherwise::Differs => test,
            }
        }
        TripAssumption::MustProgress => "it ends (mustprogress)".to_owned(),
        TripAssumption::NotLeftBy(edge) => {
            format!("it is not left at %{} for %{}", names.block(edge.from), names.block(edge.to))
        }
        TripAssumption::Ieee => "numbers with a point are IEEE 754's, uncontracted".to_owned(),
    }
}

/// As much of a formula as is kept: with quoted names it is longer than what is shown.
pub(super) const KEPT: TextLimits = TextLimits { depth: 24, length: 8000 };

/// The name of a symbol between backquotes, what would end or hide it as `\60`.
pub(super) fn quoted(names: &Names<'_>, symbol: &Symbol) -> String {
    let mut text = "`".to_owned();
    for letter in names.of(symbol).name.chars() {
        match letter {
            '`' | '\\' | '\0'..='\x1f' | '\x7f' => text += &format!("\\{:02X}", u32::from(letter)),
            other => text.push(other),
        }
    }
    text + "`"
}

/// What a claim rests on, for programs.
pub(super) fn rests(list: &[TripAssumption], formulas: &Formulas, names: &Names<'_>) -> Vec<LoopRest> {
    let rest = |assumption: &TripAssumption| match *assumption {
        TripAssumption::Promise(at, promise) => {
            LoopRest::Promise(names.key(Part::Instruction(at)), promise.word().to_owned())
        }
        TripAssumption::Memory(words) => LoopRest::Rule(words.to_owned()),
        TripAssumption::Condition(test, otherwise) => {
            let test = formulas.test_text_within(test, &|symbol| quoted(names, symbol), KEPT);
            match otherwise {
                Otherwise::Endless => LoopRest::EndsIf(test),
                Otherwise::Differs => LoopRest::Condition(test),
            }
        }
        TripAssumption::MustProgress => LoopRest::Progress,
        TripAssumption::NotLeftBy(edge) => LoopRest::NotLeft(names.key(Part::Block(edge.from))),
        TripAssumption::Ieee => LoopRest::Ieee,
    };
    list.iter().map(rest).collect()
}
