//! What is the number of executions as a formula of what is open? Symbols, not numbers.
//!
//! The header of a loop with B back edges runs B + 1 times for each entry. Where each loop of a nest
//! is entered once in an iteration of the loop around, the product over the nest is the formula. A B
//! that depends on the iteration of a loop around is summed over it. A nest with a loop that is not
//! exact has none. The formula is that of loops that are entered: what decides guards is not in it.
//!
//! Cost: the nest, for each loop. Limit: a formula that is too large is none.

use opcost_analysis::expression::{FormulaId, Formulas, Symbol};
use opcost_graph::loops::LoopId;
use opcost_index::IdMap;
use opcost_key::BlockId;
use rustc_hash::FxHashMap as HashMap;

use crate::evaluate::LoopGrade;
use crate::model::FunctionModel;

/// For each block in a loop with a formula, executions of its header's nest as text.
pub(crate) fn block_formulas(
    model: &FunctionModel,
    grades: &IdMap<LoopId, Option<LoopGrade>>,
) -> IdMap<BlockId, Option<String>> {
    let mut texts: HashMap<LoopId, Option<String>> = HashMap::default();
    let mut formulas: Option<Formulas> = None;
    let text_of = |block: BlockId| {
        let id = model.forest.innermost[block]?;
        let is_wanted = |grade: Option<LoopGrade>| {
            matches!(grade, Some(LoopGrade::Formula | LoopGrade::Open | LoopGrade::Constant))
        };
        let chain: Vec<LoopId> = model.forest.chain(Some(id)).collect();
        if !chain.iter().all(|&id| is_wanted(grades[id])) {
            return None;
        }
        if chain.iter().all(|&id| grades[id] == Some(LoopGrade::Constant)) {
            return None;
        }
        let text = texts.entry(id).or_insert_with(|| {
            let table = formulas.get_or_insert_with(|| model.formulas.clone());
            header_formula(model, &chain, table).map(|formula| text(model, table, formula))
        });
        text.clone()
    };
    model.edges.ids().map(text_of).collect()
}

/// Executions of the innermost header for one entry of the outermost loop, each loop inside being entered once
/// in each iteration.
fn header_formula(model: &FunctionModel, chain: &[LoopId], table: &mut Formulas) -> Option<FormulaId> {
    let mut product: Option<FormulaId> = None;
    for &id in chain {
        let back = model.loops[id].back_edges.exact()?;
        let own = table.add_constant(back, 1);
        product = Some(match product {
            None => own,
            Some(inside) => match table.find(&Symbol::Turn(id)) {
                Some(turn) if table.contains(inside, turn) => {
                    let index = table.fresh_index(inside);
                    let of = table.replace(inside, turn, index);
                    let symbol = table.as_symbol(index)?;
                    table.series(symbol, own, of)
                }
                _ => table.multiply(own, inside),
            },
        });
        if table.is_too_big(product?) {
            return None;
        }
    }
    product
}

fn text(model: &FunctionModel, table: &Formulas, formula: FormulaId) -> String {
    table.text(formula, &|symbol| match symbol {
        Symbol::Index(0) => "k".to_owned(),
        Symbol::Index(number) => format!("k{number}"),
        other => {
            let named = model.position_of(other).map(|position| &model.symbols[&position]);
            named.map_or_else(|| "?".to_owned(), |open| open.name.clone())
        }
    })
}
