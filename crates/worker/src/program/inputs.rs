//! What do a user's words about inputs mean for formulas?
//!
//! One meaning for all verbs: numbers for names of formulas go before numbers of words of the command
//! line, which are those of `main` alone. Without inputs each read fails, and what could be opened is not there.
//! A read from text does not fail where there are arguments: the text may be one of them.

use opcost_analysis::dependence::Reads;
use opcost_claims::Bindings;
use opcost_job::program::InputValues;

/// How many words the command line has after the program's name, as formulas name it.
const ARGUMENTS: &str = "_FortranAArgumentCount()";

/// The numbers for names of formulas.
pub(crate) fn bindings(inputs: &InputValues) -> Bindings {
    let has_arguments = inputs.arguments.iter().any(|(name, count)| name == ARGUMENTS && *count > 0);
    let reads = match (inputs.defaults, has_arguments) {
        (false, _) => Reads::Open,
        (true, false) => Reads::Absent,
        (true, true) => Reads::OnlyText,
    };
    Bindings { given: inputs.bindings.clone(), words: inputs.arguments.clone(), reads }
}
