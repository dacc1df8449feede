//! How are effects on memory and facts of parameters written, and read back?
//!
//! As LLVM does: `memory(read, argmem: readwrite)` names what holds of all
//! memory first, and then the places that differ.

use super::cursor::{Cursor, Parsed};
use super::parser::Parser;
use super::printer::Printer;
use crate::{Access, MemoryEffects, ParameterFacts};

const ACCESSES: [(&str, Access); 4] =
    [("none", Access::NONE), ("read", Access::READ), ("write", Access::WRITE), ("readwrite", Access::BOTH)];

/// Reads `memory(…)`, if it is here.
pub(super) fn memory(cursor: &mut Cursor<'_>) -> Parsed<Option<MemoryEffects>> {
    if !cursor.eat_word("memory") {
        return Ok(None);
    }
    cursor.sign("(")?;
    let mut effects = MemoryEffects::NONE;
    let mut is_first = true;
    while !cursor.eat(")") {
        if !is_first {
            cursor.sign(",")?;
        }
        // Memory of the target counts as any other.
        let mut of_target = Access::NONE;
        let place = match cursor.peek_word() {
            Some("target_mem0" | "target_mem1") => Some(&mut of_target),
            Some("argmem") => Some(&mut effects.argument),
            Some("inaccessiblemem") => Some(&mut effects.inaccessible),
            Some("errnomem") => Some(&mut effects.errno),
            _ => None,
        };
        match place {
            Some(place) => {
                cursor.next();
                cursor.sign(":")?;
                *place = access(cursor)?;
            }
            None if is_first => {
                let all = access(cursor)?;
                effects = MemoryEffects { argument: all, inaccessible: all, errno: all, other: all };
            }
            None => return cursor.expected("'argmem', 'inaccessiblemem' or 'errnomem'"),
        }
        effects.other.reads |= of_target.reads;
        effects.other.writes |= of_target.writes;
        is_first = false;
    }
    Ok(Some(effects))
}

fn access(cursor: &mut Cursor<'_>) -> Parsed<Access> {
    let found = ACCESSES.iter().find(|&&(word, _)| cursor.peek_word() == Some(word));
    let Some(&(_, access)) = found else {
        return cursor.expected("'none', 'read', 'write' or 'readwrite'");
    };
    cursor.next();
    Ok(access)
}

/// Reads what is said of a parameter, as far as it goes.
pub(super) fn parameter(parser: &mut Parser, cursor: &mut Cursor<'_>) -> Parsed<ParameterFacts> {
    let mut facts = ParameterFacts::default();
    loop {
        let fact = match cursor.peek_word() {
            Some("noalias") => &mut facts.is_noalias,
            Some("nocapture") => &mut facts.is_nocapture,
            Some("readonly") => &mut facts.is_readonly,
            Some("writeonly") => &mut facts.is_writeonly,
            Some("readnone") => &mut facts.is_readnone,
            Some("noundef") => &mut facts.is_noundef,
            Some("sret") => &mut facts.is_sret,
            Some("byval") => {
                cursor.next();
                cursor.sign("(")?;
                facts.byval = Some(parser.ty(cursor)?);
                cursor.sign(")")?;
                continue;
            }
            _ => return Ok(facts),
        };
        *fact = true;
        cursor.next();
    }
}

impl Printer<'_> {
    pub(super) fn memory(&mut self, effects: MemoryEffects) {
        let word =
            |access: Access| ACCESSES.iter().find(|&&(_, one)| one == access).map_or("", |&(word, _)| word);
        self.put(" memory(");
        self.put(word(effects.other));
        for (place, access) in effects.named().into_iter().filter(|&(_, access)| access != effects.other) {
            self.put(", ");
            self.put(place);
            self.put(": ");
            self.put(word(access));
        }
        self.put(")");
    }

    /// What is said of a parameter, a blank before each word.
    pub(super) fn parameter(&mut self, facts: &ParameterFacts) {
        let words = [
            (facts.is_noalias, " noalias"),
            (facts.is_nocapture, " nocapture"),
            (facts.is_readonly, " readonly"),
            (facts.is_writeonly, " writeonly"),
            (facts.is_readnone, " readnone"),
            (facts.is_noundef, " noundef"),
            (facts.is_sret, " sret"),
        ];
        words.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| self.put(word));
        if let Some(ty) = facts.byval {
            self.put(" byval(");
            self.ty(ty);
            self.put(")");
        }
    }
}
