//! Is this the module that a certificate is about? A hash of all that counts.
//!
//! Functions with their instructions as text, data with what it holds at first,
//! types, target and layout. Names of local values and places in the source do
//! not count. Cost: linear in the text of the module.

use opcost_ir::{FunctionText, Module};
use opcost_key::{Hash128, Hasher128};

/// The hash of a module.
pub fn fingerprint(module: &Module) -> Hash128 {
    let mut hasher = Hasher128::new();
    hasher.text(&module.triple).text(&module.data_layout);
    for function in module.functions.values() {
        hasher.text(&function.name).text(&format!("{:?}", (function.linkage, function.is_address_taken)));
        let words = FunctionText::new(module, function);
        for (at, instruction) in function.instructions.iter() {
            hasher.text(&words.instruction(at)).text(&format!("{:?}", instruction.flags));
        }
        for block in function.blocks.values() {
            hasher.number(block.instructions.start.into());
        }
    }
    for global in module.globals.values() {
        hasher
            .text(&global.name)
            .text(&format!("{:?}", (global.linkage, global.is_constant, &global.contents)));
    }
    hasher.finish()
}
