//! Which memory of others does a node read? Arguments of the program, references.
//!
//! The address is followed to its base through constant steps and indices that are
//! numbers. Cost: the length of the way, bounded.

use opcost_ir::Opcode;

use super::explanation::{Argument, ExplanationId, OutsideInput, What};
use super::resolution::Resolution;
use super::steps::way_of;

impl Resolution<'_, '_> {
    /// `argv[1]`, if a node reads what the program was called with, and it is still there.
    pub(super) fn program_argument(&self, id: ExplanationId) -> Option<String> {
        let address = self.nodes[id].links.iter().find(|link| link.argument == Argument::Address)?;
        let (base, bytes) = self.linear(address.to)?;
        match self.nodes[base].what {
            What::Input(OutsideInput::Parameter(function, position @ (1 | 2))) => {
                let is_main = self.names.module.functions[function].name == "main";
                let word = i64::from(self.layout.pointer_bits(0) / 8).max(1);
                let name = if position == 1 { "argv" } else { "envp" };
                let is_word = is_main && bytes % word == 0 && self.names.arguments_stay();
                is_word.then(|| format!("{name}[{}]", bytes / word))
            }
            What::Foreign => Some(format!("{}[{bytes}]", self.program_argument(base)?)),
            _ => None,
        }
    }

    /// Whether a node reads what a function was given by reference. Nothing else leads to the
    /// parameter, and nothing is written through it. So it is what the caller passed, at any time.
    pub(super) fn is_by_reference(&self, id: ExplanationId) -> bool {
        let address = self.nodes[id].links.iter().find(|link| link.argument == Argument::Address);
        let Some((base, _)) = address.and_then(|link| self.linear(link.to)) else { return false };
        let What::Input(OutsideInput::Parameter(function, position)) = self.nodes[base].what else {
            return false;
        };
        let facts = self.names.module.functions[function].parameter_facts.get(position as usize);
        facts.is_some_and(|facts| facts.is_noalias && facts.is_readonly)
    }

    /// An address as a base and an offset in bytes.
    pub(super) fn linear(&self, id: ExplanationId) -> Option<(ExplanationId, i64)> {
        let mut at = self.only_end(id);
        let mut bytes = 0i64;
        for _ in 0..64 {
            let node = &self.nodes[at];
            let Some((function, instruction)) = node.at.filter(|_| node.what == What::Operation) else {
                break;
            };
            let code = &self.names.module.functions[function];
            match code.instructions[instruction].opcode {
                Opcode::GetElementPtr => {
                    let way = way_of(self.names.module, self.layout, code, instruction)?;
                    bytes = bytes.checked_add(way.bytes)?;
                    for (value, stride) in way.indices {
                        let position =
                            code.operands_of(instruction).iter().position(|&other| other == value)?;
                        let link =
                            node.links.iter().find(|l| l.argument == Argument::Operand(position as u32))?;
                        let index = i64::try_from(self.number_at(link.to)?.signed()).ok()?;
                        bytes = bytes.checked_add(index.checked_mul(i64::try_from(stride).ok()?)?)?;
                    }
                }
                Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::Freeze => {}
                _ => break,
            }
            at = self.only_end(node.links.first()?.to);
        }
        Some((at, bytes))
    }
}
