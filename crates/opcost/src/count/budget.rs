//! Is a program within its budget, and which functions grew?

use opcost_answer::count::{BudgetVerdict, CountAnswers, Grown, Growth};
use opcost_profile::Ledger;
use opcost_profile::diff::{Diff, Unlike, diff};
use opcost_recover::SourceLine;

/// Holds a total against a budget; over it, the functions that grew since the
/// baseline are named.
pub fn judge(
    budget: Option<u128>,
    answers: &CountAnswers,
    ledgers: Option<(&Ledger, &Ledger)>,
) -> BudgetVerdict {
    let Some(budget) = budget else { return BudgetVerdict::None };
    if answers.most() <= budget {
        return BudgetVerdict::Within { budget };
    }
    let grew = match ledgers {
        None => Growth::Unknown,
        Some((before, after)) => match diff(before, after, false) {
            Ok(diff) => Growth::Since(grown(&diff)),
            Err(error) => {
                Growth::Refused(error.reasons.iter().map(Unlike::to_string).collect::<Vec<_>>().join("; "))
            }
        },
    };
    BudgetVerdict::Over { budget, grew }
}

fn grown(diff: &Diff) -> Vec<Grown> {
    let functions = diff.functions.iter().filter_map(|function| {
        let (before, after) = (function.instructions.before, function.instructions.after?);
        (after > before.unwrap_or(0)).then(|| Grown {
            name: function.key.name.to_string(),
            location: function
                .place
                .as_ref()
                .map(|at| SourceLine { file: at.file.to_string(), line: at.line }),
            before,
            after,
        })
    });
    let mut grown: Vec<Grown> = functions.collect();
    grown.sort_by_key(|function| std::cmp::Reverse(function.after - function.before.unwrap_or(0)));
    grown
}
