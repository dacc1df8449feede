//! What number does a Fortran program read from its command line?
//!
//! The usual way is `get_command_argument(1, text)` and `read (text, *) n`. The first leaves the text of the
//! word, which memory holds as such until something else is written there. The second is a statement
//! whose only item is an integer: it gets the number that the word is. Words that are no plain numbers
//! have none, and a text that is too short for any number of 32 bits is not believed to hold all of it.
//!
//! Limits: flang's library, texts whose descriptor and memory are followed, list-directed reads of
//! one item.

use opcost_ir::{CalleeRef, Function, Type, Value};
use opcost_key::InstructionId;

use super::content::{Byte, CommandText, Content};
use super::follower::Follower;
use super::memory::Memory;

/// No number of 32 bits has more letters.
const LONGEST: u64 = 11;
/// Longer texts are not followed.
const MOST_TEXT: u64 = 4096;

impl Follower<'_, '_> {
    /// Where a call puts the text of a word, and which word.
    pub(super) fn text_of_call(
        &self,
        name: &str,
        arguments: &[Content],
        memory: &Memory,
    ) -> Option<(Byte, CommandText)> {
        if name != "_FortranAGetCommandArgument" {
            return None;
        }
        let &[Content::Word(word), Content::Byte(descriptor), ..] = arguments else { return None };
        let (pointer, length) = (self.type_of(&Type::Pointer(0))?, self.type_of(&Type::Integer(64))?);
        let Content::Byte(to) = memory.load(self.model, descriptor, pointer) else { return None };
        let at_length = Byte { offset: descriptor.offset.checked_add(8)?, ..descriptor };
        let length = u64::try_from(memory.load(self.model, at_length, length).word()?).ok()?;
        let text = CommandText { word: u32::try_from(word).ok()?, length };
        (to.offset == 0 && (LONGEST..=MOST_TEXT).contains(&length)).then_some((to, text))
    }

    /// The statement that begins with a call, if it reads such a text and nothing else.
    pub(super) fn statement_of_call(
        &self,
        name: &str,
        arguments: &[Content],
        memory: &Memory,
    ) -> Option<Content> {
        if name != "_FortranAioBeginInternalListInput" {
            return None;
        }
        let &[Content::Byte(from), Content::Word(length), ..] = arguments else { return None };
        let text = memory.text(from.instance)?;
        (from.offset == 0 && u128::from(text.length) == length).then_some(Content::Statement(from.instance))
    }

    /// Stores the number that the only item of such a statement reads.
    pub(super) fn read_item(
        &self,
        function: &Function,
        at: InstructionId,
        arguments: &[Content],
        memory: &mut Memory,
    ) -> Option<()> {
        let &[Content::Statement(from), Content::Byte(to), Content::Word(kind @ (4 | 8)), ..] = arguments
        else {
            return None;
        };
        let number = *self.words.get(&memory.text(from)?.word)?;
        let bits = 8 * kind as u32;
        let ty = self.type_of(&Type::Integer(bits))?;
        if self.items(function, *function.arguments_of(at).first()?) != 1 {
            return None;
        }
        let word = number as u128 & (u128::MAX >> (128 - bits));
        memory.store(self.model, to, ty, Content::Word(word));
        Some(())
    }

    /// How many items a statement reads, by the calls that get what its beginning gave.
    fn items(&self, function: &Function, statement: Value) -> usize {
        let reads = |at: InstructionId| match function.call(at).map(|call| call.callee) {
            Some(CalleeRef::Declaration(declared)) => {
                self.model.module.declarations[declared].name.starts_with("_FortranAioInput")
            }
            _ => true,
        };
        let uses =
            function.calls.iter().filter(|&&(at, _)| function.arguments_of(at).first() == Some(&statement));
        uses.filter(|&&(at, _)| reads(at)).count()
    }

    fn type_of(&self, wanted: &Type) -> Option<opcost_ir::TypeId> {
        self.model.module.types.iter().find(|(_, ty)| *ty == wanted).map(|(id, _)| id)
    }
}
