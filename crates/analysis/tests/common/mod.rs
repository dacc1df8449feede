//! What the analysis says of a function that is given as text, as text.

#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod cells;

use opcost_analysis::cells::{Cells, NoCells};
use opcost_analysis::evolution::{FunctionEvolution, Reason, Source, TripAnswer, TripAssumption, TripCount};
use opcost_analysis::expression::{Formulas, NoNumber, Symbol};
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{Function, Layout, Module, Value, parse_module};
use opcost_key::BlockId;

/// Names of symbols: those of the code, `h` and a number for turns.
pub(crate) fn name(function: &Function, symbol: &Symbol) -> String {
    let named = |value: Value| function.names.get(&value).map(|name| name.to_string());
    match symbol {
        Symbol::Argument(position) => {
            named(Value::Argument(*position)).unwrap_or_else(|| format!("arg{position}"))
        }
        Symbol::Result(id) => named(Value::Instruction(*id)).unwrap_or_else(|| id.to_string()),
        Symbol::AtEntry(id) => {
            format!("{}@entry", named(Value::Instruction(*id)).unwrap_or_else(|| id.to_string()))
        }
        Symbol::Turn(id) => format!("h{}", id.index()),
        Symbol::Index(0) => "t".into(),
        Symbol::Index(number) => format!("t{number}"),
        Symbol::Cell(version) => version.to_string(),
        Symbol::CellAtEntry(version) => format!("{version}@entry"),
        other => format!("{other:?}"),
    }
}

/// One answer as text: a formula, `<= formula`, or `?`.
pub(crate) fn answer_text(table: &Formulas, function: &Function, answer: &TripAnswer) -> String {
    let text = |formula| table.text(formula, &|symbol| name(function, symbol));
    match answer {
        TripAnswer::Exact(formula) => text(*formula),
        TripAnswer::Bound(formula) => format!("<= {}", text(*formula)),
        TripAnswer::Unknown(_) => "?".into(),
    }
}

/// What a claim rests on, as text.
pub(crate) fn assumption_text(table: &Formulas, function: &Function, assumption: &TripAssumption) -> String {
    match assumption {
        TripAssumption::Promise(id, promise) => {
            format!("{} {}", name(function, &Symbol::Result(*id)), promise.word())
        }
        TripAssumption::Condition(test, otherwise) => {
            let text = table.test_text(*test, &|symbol| name(function, symbol));
            format!("{text} else {otherwise:?}").to_lowercase()
        }
        TripAssumption::Memory(words) => (*words).into(),
        TripAssumption::MustProgress => "mustprogress".into(),
        TripAssumption::NotLeftBy(edge) => format!("not left by {}.{}", edge.from, edge.slot),
        TripAssumption::Ieee => "ieee".into(),
    }
}

/// What is said of one loop.
#[derive(Clone)]
pub(crate) struct Said {
    pub(crate) back_edges: String,
    pub(crate) body: String,
    pub(crate) total: String,
    pub(crate) assumptions: Vec<String>,
    pub(crate) count: TripCount,
    pub(crate) table: Formulas,
}

/// What is said of the loops of the last function, outer ones first.
pub(crate) fn solve_with(text: &str, cells: impl FnOnce(&Module, &Function) -> Box<dyn Cells>) -> Vec<Said> {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let function = module.functions.values().next_back().expect("a function");
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let layout = Layout::of(&module);
    let cells = cells(&module, function);
    let source = Source {
        module: &module,
        function,
        dominators: &dominators,
        forest: &forest,
        layout: &layout,
        cells: &*cells,
    };
    let mut table = Formulas::new();
    let solved = FunctionEvolution::compute(source, &mut table);
    let said = |count: &TripCount| Said {
        back_edges: answer_text(&table, function, &count.back_edges),
        body: answer_text(&table, function, &count.body_iterations),
        total: count
            .total
            .map_or("?".into(), |total| table.text(total.body_iterations, &|symbol| name(function, symbol))),
        assumptions: count
            .assumptions
            .iter()
            .map(|assumption| assumption_text(&table, function, assumption))
            .collect(),
        count: count.clone(),
        table: table.clone(),
    };
    solved.trip_counts().map(|(_, count)| said(count)).collect()
}

/// The same without memory.
pub(crate) fn solve(text: &str) -> Vec<Said> {
    solve_with(text, |_, _| Box::new(NoCells))
}

/// The only loop of the text.
pub(crate) fn solve_one(text: &str) -> Said {
    let mut all = solve(text);
    assert_eq!(all.len(), 1, "one loop");
    all.remove(0)
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} / {} / {} {:?}, {:?}",
            self.back_edges, self.body, self.total, self.assumptions, self.count
        )
    }
}

/// The number of back edges with these arguments.
pub(crate) fn evaluated(said: &Said, arguments: &[i128]) -> Result<i128, NoNumber> {
    let formula = said.count.back_edges.formula().expect("a formula");
    said.table.evaluate(formula, &|symbol| match symbol {
        Symbol::Argument(position) => arguments.get(*position as usize).copied(),
        _ => None,
    })
}

/// A reason in words, the instruction that it names being called so.
pub(crate) fn reason_text(reason: &Reason, instruction: &str) -> String {
    reason.words(&|_| format!("the load %{instruction}"))
}

/// What named values are in the turns of a loop, as text; the reason if not.
pub(crate) fn evolutions(text: &str, loop_number: usize, values: &[&str]) -> Vec<String> {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let function = module.functions.values().next_back().expect("a function");
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let layout = Layout::of(&module);
    let cells = cells::LocalCells::new(&module, function);
    let source = Source {
        module: &module,
        function,
        dominators: &dominators,
        forest: &forest,
        layout: &layout,
        cells: &cells,
    };
    let mut table = Formulas::new();
    let mut solved = FunctionEvolution::compute(source, &mut table);
    let named = |wanted: &str| {
        let found = function.names.iter().find(|(_, name)| &***name == wanted);
        *found.unwrap_or_else(|| panic!("no value {wanted}")).0
    };
    let id = forest.loops.ids().nth(loop_number).expect("a loop");
    let mut texts = Vec::new();
    for value in values {
        texts.push(match solved.evolution_of(&mut table, named(value), id) {
            Ok(evolution) => table.text(evolution.value, &|symbol| name(function, symbol)),
            Err(reason) => reason.words(&|symbol| name(function, symbol)),
        });
    }
    texts
}
