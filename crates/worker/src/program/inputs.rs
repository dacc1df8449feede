//! What do a user's words about inputs mean for formulas?
//!
//! One meaning for all verbs: numbers for names of formulas go before numbers of words of the command
//! line; without inputs each read fails, and what could be opened is not there. A read from text does not
//! fail where there are arguments: the text may be one of them.

use opcost_analysis::dependence::Reads;
use opcost_analysis::memory::MemoryModel;
use opcost_claims::Bindings;
use opcost_ir::{Module, Value};
use opcost_job::program::InputValues;

/// How many words the command line has after the program's name, as formulas name it.
const ARGUMENTS: &str = "_FortranAArgumentCount()";

/// The numbers for names of formulas.
pub(crate) fn bindings(program: &MemoryModel<'_>, inputs: &InputValues) -> Bindings {
    let mut given = inputs.bindings.clone();
    let own = count_parameter(program.module);
    let arguments = inputs.arguments.iter().map(|(name, number)| match &own {
        Some(own) if name == "argc" => (own.clone(), *number),
        _ => (name.clone(), *number),
    });
    let goes_before = |name: &String| inputs.bindings.iter().any(|(bound, _)| bound == name);
    given.extend(arguments.filter(|(name, _)| !goes_before(name)));
    let has_arguments = inputs.arguments.iter().any(|(name, count)| name == ARGUMENTS && *count > 0);
    let reads = match (inputs.defaults, has_arguments) {
        (false, _) => Reads::Open,
        (true, false) => Reads::Absent,
        (true, true) => Reads::OnlyText,
    };
    Bindings { given, reads }
}

/// The source's own name of the parameter of `main` that counts the words of the command line.
fn count_parameter(module: &Module) -> Option<String> {
    let main = module.functions.values().find(|function| function.name == "main")?;
    main.source_names.get(&Value::Argument(0)).map(|name| name.to_string())
}
