//! Is what stands beside the functions well-formed? Tables whose ids are in
//! range, whose types lie behind their parts, whose values fit their types.

use std::collections::HashSet;

use opcost_index::Id;

use crate::malformed::{WellFormed, demand, parameter_facts};
use crate::{ConstantValue, Global, Module, ScalarValue, Type, TypeId, Value};

/// Looks at all that is outside of the functions, and at how functions are declared.
pub(super) fn tables(module: &Module) -> WellFormed {
    let mut seen = HashSet::new();
    for (id, ty) in module.types.iter() {
        let parts = match ty {
            Type::Array(_, element) | Type::Vector { element, .. } => vec![*element],
            Type::Struct { fields, .. } => fields.clone(),
            Type::Function(result, parameters, _) => [&[*result], parameters.as_slice()].concat(),
            _ => Vec::new(),
        };
        demand(parts.iter().all(|part| *part < id), "the parts of a type before it", || id.to_string())?;
        demand(seen.insert(ty), "types that differ", || format!("{id} a second time"))?;
    }
    for (id, constant) in module.constants.iter() {
        constant_value(module, constant.ty, constant.value, || id.to_string())?;
    }
    module.globals.values().try_for_each(|value| global(module, value))?;
    for declaration in module.declarations.values() {
        parameter_facts(module, &declaration.parameter_facts)?;
    }
    for initializer in &module.initializers {
        let is_known = initializer.function.is_none_or(|function| is_function(module, function));
        demand(is_known, "a function that runs", || format!("{:?}", initializer.function))?;
    }
    for (id, tag) in module.tags.iter() {
        let is_known = tag.steps.iter().all(|(ty, _)| ty.index() < module.tag_types.len());
        demand(is_known, "types of the tags' table", || id.to_string())?;
        demand((tag.access as usize) < tag.steps.len(), "an access on the way", || id.to_string())?;
    }
    for (id, place) in module.places.iter() {
        let is_known = place.file.index() < module.files.len();
        demand(is_known, "a file of the table", || format!("{} in {id}", place.file))?;
        let is_before = place.inlined_at.is_none_or(|outer| outer < id);
        demand(is_before, "the place inlined at before the place", || id.to_string())?;
    }
    Ok(())
}

fn global(module: &Module, global: &Global) -> WellFormed {
    let name = || format!("another at '{}'", global.name);
    let is_known = global.place.is_none_or(|place| place.index() < module.places.len());
    demand(is_known, "a place of the table", name)?;
    demand(global.ty.index() < module.types.len(), "a type of the table", name)?;
    demand(global.members.is_sorted_by_key(|&(offset, _)| offset), "members in order", name)?;
    let scalars = global.contents.as_ref().map_or(&[][..], |contents| &contents.scalars);
    let is_ascending = scalars.windows(2).all(|pair| pair[0].0 < pair[1].0);
    demand(is_ascending, "scalars one after the other", name)?;
    scalars.iter().try_for_each(|&(_, ty, value)| match value {
        ScalarValue::Constant(value) => constant_value(module, ty, value, name),
        ScalarValue::Function(function) => {
            let is_right = ty.index() < module.types.len() && is_function(module, function);
            demand(is_right, "a function and its type", name)
        }
    })
}

fn constant_value(
    module: &Module,
    ty: TypeId,
    value: ConstantValue,
    found: impl Fn() -> String,
) -> WellFormed {
    let ty = module.types.get(ty);
    demand(ty.is_some(), "a type of the table", &found)?;
    demand(ty.is_some_and(|ty| value.fits(ty)), "a value of the constant's type", &found)?;
    let is_known = match value {
        ConstantValue::Global { global, .. } => global.index() < module.globals.len(),
        _ => true,
    };
    demand(is_known, "data of the table", found)
}

fn is_function(module: &Module, value: Value) -> bool {
    match value {
        Value::Function(id) => id.index() < module.functions.len(),
        Value::Declaration(id) => id.index() < module.declarations.len(),
        _ => false,
    }
}
