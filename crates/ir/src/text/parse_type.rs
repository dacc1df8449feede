//! Which type, which constant is meant? Reads types and interns them.
//!
//! Types and constants get ids in the order in which the text first names
//! them; a text that [`print_module`](crate::print_module) wrote names all of
//! them first, in the order of their ids.

use std::collections::HashMap;

use super::cursor::{Cursor, Parsed};
use super::lex::{Name, Token};
use crate::{Constant, ConstantId, ConstantValue, Module, Type, TypeId};

/// Float types by their words.
const FLOATS: &[&str] = &["half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128"];
/// Words that are types without parts.
pub(crate) const OTHERS: &[&str] = &["label", "token", "metadata", "x86_amx"];
/// How deep types may be nested.
const DEEPEST: usize = 32;

/// Finds the ids of what was seen before.
#[derive(Default)]
pub(crate) struct Interner {
    types: HashMap<Type, TypeId>,
    structs: HashMap<String, TypeId>,
    constants: HashMap<(TypeId, String), ConstantId>,
}

impl Interner {
    pub(crate) fn ty(&mut self, module: &mut Module, ty: Type) -> TypeId {
        if let Type::Struct { name: Some(name), .. } = &ty {
            let next = module.types.next_id();
            self.structs.entry(name.to_string()).or_insert(next);
        }
        *self.types.entry(ty).or_insert_with_key(|ty| module.types.push(ty.clone()))
    }

    /// A constant of the table: always a new one.
    pub(crate) fn new_constant(
        &mut self,
        module: &mut Module,
        ty: TypeId,
        text: &str,
        value: ConstantValue,
    ) -> ConstantId {
        let id = module.constants.push(Constant { ty, text: text.into(), value });
        *self.constants.entry((ty, text.to_owned())).or_insert(id)
    }

    /// The first constant of this type and text.
    pub(crate) fn constant(&self, ty: TypeId, text: &str) -> Option<ConstantId> {
        self.constants.get(&(ty, text.to_owned())).copied()
    }

    /// Whether a type begins at the cursor. A `%name` is one only where it is
    /// a struct and `%name` cannot be the value itself.
    pub(crate) fn is_type(&self, cursor: &Cursor<'_>) -> bool {
        match cursor.peek() {
            Some(Token::Word(word)) => is_type_word(word),
            Some(Token::Text(_)) => true,
            Some(Token::Sign(sign)) => ["[", "<", "{"].contains(sign),
            Some(Token::Local(Name::Own(name))) => {
                let value_follows =
                    !matches!(cursor.peek_second(), None | Some(Token::Sign(_) | Token::Note(_)));
                value_follows && self.structs.contains_key(name)
            }
            _ => false,
        }
    }

    pub(crate) fn parse(&mut self, module: &mut Module, cursor: &mut Cursor<'_>) -> Parsed<TypeId> {
        self.parse_at(module, cursor, 0)
    }

    fn parse_at(&mut self, module: &mut Module, cursor: &mut Cursor<'_>, depth: usize) -> Parsed<TypeId> {
        if depth > DEEPEST {
            return cursor.expected("a type with fewer types inside one another");
        }
        let mut ty = self.first(module, cursor, depth)?;
        // A function type is no result of another.
        if cursor.eat("(") {
            let (parameters, variadic) = self.parameters(module, cursor, depth)?;
            ty = self.ty(module, Type::Function(ty, parameters, variadic));
        }
        Ok(ty)
    }

    fn first(&mut self, module: &mut Module, cursor: &mut Cursor<'_>, depth: usize) -> Parsed<TypeId> {
        let ty = match cursor.peek() {
            Some(Token::Word(word)) if is_type_word(word) => {
                cursor.next();
                word_type(word, cursor)?
            }
            // What LLVM prints of a type that this form knows nothing of.
            Some(Token::Text(text)) => {
                cursor.next();
                Type::Other(text.as_str().into())
            }
            Some(Token::Local(Name::Own(name))) => match self.structs.get(name) {
                Some(&known) => {
                    cursor.next();
                    return Ok(known);
                }
                None => return cursor.expected("a struct that a 'type' line above defines"),
            },
            Some(Token::Sign("[")) => {
                cursor.next();
                let length = cursor.number("the length of an array")?;
                self.times(cursor)?;
                let element = self.parse_at(module, cursor, depth + 1)?;
                cursor.sign("]")?;
                Type::Array(length, element)
            }
            Some(Token::Sign("{")) => {
                cursor.next();
                let fields = self.fields(module, cursor, depth)?;
                Type::Struct { name: None, fields, packed: false }
            }
            Some(Token::Sign("<")) => {
                cursor.next();
                self.in_angles(module, cursor, depth)?
            }
            _ => return cursor.expected("a type"),
        };
        Ok(self.ty(module, ty))
    }

    fn in_angles(&mut self, module: &mut Module, cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Type> {
        let ty = if cursor.eat("{") {
            let fields = self.fields(module, cursor, depth)?;
            Type::Struct { name: None, fields, packed: true }
        } else {
            let scalable = cursor.eat_word("vscale");
            if scalable {
                self.times(cursor)?;
            }
            let length = cursor.number("the length of a vector")?;
            self.times(cursor)?;
            Type::Vector { length, scalable, element: self.parse_at(module, cursor, depth + 1)? }
        };
        cursor.sign(">")?;
        Ok(ty)
    }

    fn times(&self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        if cursor.eat_word("x") { Ok(()) } else { cursor.expected("'x'") }
    }

    /// Field types up to the closing brace.
    fn fields(&mut self, module: &mut Module, cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Vec<TypeId>> {
        let mut fields = Vec::new();
        while !cursor.eat("}") {
            if !fields.is_empty() {
                cursor.sign(",")?;
            }
            fields.push(self.parse_at(module, cursor, depth + 1)?);
        }
        Ok(fields)
    }

    fn parameters(
        &mut self,
        module: &mut Module,
        cursor: &mut Cursor<'_>,
        depth: usize,
    ) -> Parsed<(Vec<TypeId>, bool)> {
        let mut parameters = Vec::new();
        while !cursor.eat(")") {
            if !parameters.is_empty() {
                cursor.sign(",")?;
            }
            if cursor.eat_word("...") {
                cursor.sign(")")?;
                return Ok((parameters, true));
            }
            parameters.push(self.parse_at(module, cursor, depth + 1)?);
        }
        Ok((parameters, false))
    }

    /// `%name = { … }`, after the word `type`.
    pub(crate) fn define_struct(&mut self, module: &mut Module, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let Name::Own(name) = cursor.local("the name of a struct")? else {
            return cursor.expected("a name that is no number");
        };
        cursor.sign("=")?;
        let packed = cursor.eat("<");
        cursor.sign("{")?;
        let fields = self.fields(module, cursor, 0)?;
        if packed {
            cursor.sign(">")?;
        }
        if self.structs.contains_key(name) {
            return cursor.expected(format!("no second struct %{name}"));
        }
        self.ty(module, Type::Struct { name: Some(name.as_str().into()), fields, packed });
        Ok(())
    }
}

fn is_type_word(word: &str) -> bool {
    let is_integer = word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
    is_integer || word == "void" || word == "ptr" || FLOATS.contains(&word) || OTHERS.contains(&word)
}

fn word_type(word: &str, cursor: &mut Cursor<'_>) -> Parsed<Type> {
    if let Some(bits) = word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
        return Ok(Type::Integer(bits));
    }
    if let Some(&float) = FLOATS.iter().find(|&&float| float == word) {
        return Ok(Type::Float(float));
    }
    Ok(match word {
        "void" => Type::Void,
        "ptr" if cursor.eat_word("addrspace") => {
            cursor.sign("(")?;
            let space = cursor.number("the number of an address space")?;
            cursor.sign(")")?;
            Type::Pointer(space)
        }
        "ptr" => Type::Pointer(0),
        other => Type::Other(other.into()),
    })
}
