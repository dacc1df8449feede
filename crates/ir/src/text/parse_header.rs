//! What is said of a function before its body, and of one that is declared?
//!
//! The facts stand where LLVM writes them: those of a parameter behind its
//! type, the others behind the parameters. A declaration may leave out its
//! types; `_` is a parameter of which nothing is said.

use std::collections::HashMap;

use opcost_index::IdMap;

use super::cursor::{Cursor, Parsed};
use super::effects::{memory, parameter};
use super::lex::Token;
use super::notes::notes;
use super::operands::Locals;
use super::parse_globals::section;
use super::parser::Parser;
use crate::{Declaration, Function, Linkage, MemoryEffects, ParameterFacts, Type, TypeId, Value};

/// Reads the first line of a function, after `define`.
pub(super) fn parse_header(
    parser: &mut Parser,
    cursor: &mut Cursor<'_>,
    locals: &mut Locals,
) -> Parsed<Function> {
    let linkage = match cursor.peek_word() {
        Some("internal" | "private") => Linkage::Local,
        Some("weak" | "linkonce") => Linkage::Replaceable,
        Some("available_externally") => Linkage::Elsewhere,
        _ => Linkage::Exact,
    };
    if linkage != Linkage::Exact {
        cursor.next();
    }
    let result = parser.ty(cursor)?;
    let name = cursor.global("the name of a function")?.to_owned();
    let parameters = parse_parameters(parser, cursor, locals)?;
    let count = parameters.types.len() as u32;
    let ty = parser.intern(Type::Function(result, parameters.types, parameters.variadic));
    let mut function = bare_function(name, linkage, ty);
    (function.parameters, function.parameter_facts) = (count, parameters.facts);
    function.source_names = parameters.source_names;
    words(&mut function, cursor)?;
    function.section = section(cursor)?;
    if cursor.eat_word("marks") {
        while matches!(cursor.peek(), Some(Token::Text(_))) {
            function.marks.push(cursor.text("a mark")?.into());
        }
    }
    let notes = notes(cursor, &["at", "name"])?;
    (function.place, function.source_name) = (notes.place, notes.name);
    cursor.sign("{")?;
    cursor.end()?;
    Ok(function)
}

fn bare_function(name: String, linkage: Linkage, ty: TypeId) -> Function {
    Function {
        name,
        linkage,
        ty,
        place: None,
        is_nounwind: false,
        is_naked: false,
        is_coroutine: false,
        is_cold: false,
        is_must_progress: false,
        is_willreturn: false,
        memory: MemoryEffects::UNKNOWN,
        is_address_taken: false,
        is_called_oddly: false,
        section: None,
        marks: Vec::new(),
        parameters: 0,
        parameter_facts: Vec::new(),
        blocks: IdMap::new(),
        instructions: IdMap::new(),
        calls: Vec::new(),
        operands: Vec::new(),
        names: HashMap::new(),
        source_names: HashMap::new(),
        source_name: None,
    }
}

/// Words of a function, up to `section`, `marks` and what follows.
fn words(function: &mut Function, cursor: &mut Cursor<'_>) -> Parsed<()> {
    loop {
        if let Some(effects) = memory(cursor)? {
            function.memory = effects;
        }
        let word = match cursor.peek_word() {
            Some("nounwind") => &mut function.is_nounwind,
            Some("naked") => &mut function.is_naked,
            Some("presplitcoroutine") => &mut function.is_coroutine,
            Some("cold") => &mut function.is_cold,
            Some("mustprogress") => &mut function.is_must_progress,
            Some("willreturn") => &mut function.is_willreturn,
            Some("address_taken") => &mut function.is_address_taken,
            Some("odd_call") => &mut function.is_called_oddly,
            Some("section" | "marks") | None => return Ok(()),
            Some(_) => {
                return cursor.expected(
                    "'nounwind', 'naked', 'presplitcoroutine', 'cold', 'mustprogress', 'willreturn', \
                     'memory', 'address_taken', 'odd_call', 'section', 'marks' or '{'",
                );
            }
        };
        *word = true;
        cursor.next();
    }
}

/// Parameters as they are read.
#[derive(Default)]
struct Parameters {
    types: Vec<TypeId>,
    facts: Vec<ParameterFacts>,
    source_names: HashMap<Value, Box<str>>,
    variadic: bool,
}

fn parse_parameters(parser: &mut Parser, cursor: &mut Cursor<'_>, locals: &mut Locals) -> Parsed<Parameters> {
    let mut parameters = Parameters::default();
    cursor.sign("(")?;
    while !cursor.eat(")") {
        if !parameters.types.is_empty() {
            cursor.sign(",")?;
        }
        if cursor.eat_word("...") {
            cursor.sign(")")?;
            parameters.variadic = true;
            return Ok(parameters);
        }
        let ty = parser.ty(cursor)?;
        let value = Value::Argument(parameters.types.len() as u32);
        parameters.facts.push(parameter(parser, cursor)?);
        if matches!(cursor.peek(), Some(Token::Local(_))) {
            let name = cursor.local("the name of a parameter")?;
            locals.define(name, value, cursor)?;
        }
        if let Some(name) = notes(cursor, &["name"])?.name {
            parameters.source_names.insert(value, name);
        }
        parameters.types.push(ty);
    }
    Ok(parameters)
}

impl Parser {
    /// A function that is declared, from the word `declare` on.
    pub(super) fn declaration(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        let returns_noalias = cursor.eat_word("noalias");
        if !matches!(cursor.peek(), Some(Token::Global(_))) {
            self.ty(cursor)?;
        }
        let name = cursor.global("the name of a function")?.to_owned();
        let is_intrinsic = name.starts_with("llvm.");
        let mut declaration = Declaration { name, is_intrinsic, returns_noalias, ..Declaration::default() };
        if cursor.eat("(") {
            declaration.parameter_facts = self.declared_parameters(cursor)?;
        }
        loop {
            if let Some(effects) = memory(cursor)? {
                declaration.memory = effects;
            }
            match cursor.peek_word() {
                Some("plain") => declaration.is_intrinsic = false,
                Some("intrinsic") => declaration.is_intrinsic = true,
                Some("nounwind") => declaration.is_nounwind = true,
                Some("willreturn") => declaration.is_willreturn = true,
                Some("noreturn") => declaration.is_noreturn = true,
                Some("address_taken") => declaration.is_address_taken = true,
                Some(_) => {
                    return cursor.expected(
                        "'nounwind', 'willreturn', 'noreturn', 'address_taken', 'memory', 'intrinsic', \
                         'plain' or the end of the line",
                    );
                }
                None => break,
            }
            cursor.next();
        }
        self.module.declarations.push(declaration);
        Ok(())
    }

    /// Facts of parameters up to the closing bracket; types are read and left.
    fn declared_parameters(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Vec<ParameterFacts>> {
        let mut facts = Vec::new();
        while !cursor.eat(")") {
            if !facts.is_empty() {
                cursor.sign(",")?;
            }
            if cursor.eat_word("...") {
                cursor.sign(")")?;
                break;
            }
            if !cursor.eat_word("_") {
                if self.interner.is_type(cursor) {
                    self.ty(cursor)?;
                }
                facts.push(parameter(self, cursor)?);
            } else {
                facts.push(ParameterFacts::default());
            }
        }
        Ok(facts)
    }
}
