//! Is this the module that a certificate is about? A hash of all that counts.
//!
//! Functions and declarations with what they promise, instructions as text, what
//! calls do, data with what it holds at first, second names, what runs before and
//! behind `main`, types, target and layout: all that the checker looks at. Names of
//! local values and places in the source do not count. Cost: linear in the text of
//! the module.

use opcost_ir::{FunctionText, Module};
use opcost_key::{Hash128, Hasher128};

/// The hash of a module.
pub fn fingerprint(module: &Module) -> Hash128 {
    let mut hasher = Hasher128::new();
    hasher.text(&module.triple).text(&module.data_layout);
    for function in module.functions.values() {
        hasher.text(&function.name).text(&format!("{:?}", (function.linkage, function.is_address_taken)));
        let marks = (function.is_naked, function.is_coroutine, &function.memory, &function.parameter_facts);
        hasher.text(&format!("{:?}", (function.parameters, marks, module.type_text(function.ty))));
        let words = FunctionText::new(module, function);
        for (at, instruction) in function.instructions.iter() {
            hasher.text(&words.instruction(at)).text(&format!("{:?}", instruction.flags));
            if let Some(call) = function.call(at) {
                hasher.text(&format!("{:?}", (call.returns_twice, &call.memory)));
            }
        }
        for block in function.blocks.values() {
            hasher.number(block.instructions.start.into());
        }
    }
    for global in module.globals.values() {
        hasher
            .text(&global.name)
            .text(&format!("{:?}", (global.linkage, global.is_constant, &global.contents)))
            .text(&format!(
                "{:?}",
                (global.kind, global.is_thread_local, global.is_declared, global.is_given_away)
            ))
            .text(&module.type_text(global.ty));
    }
    for declaration in module.declarations.values() {
        let promises = (declaration.returns_noalias, &declaration.memory, &declaration.parameter_facts);
        hasher.text(&declaration.name).text(&format!("{:?}", (declaration.is_address_taken, promises)));
    }
    hasher.text(&format!("{:?}", (&module.initializers, module.has_module_assembly)));
    hasher.finish()
}
