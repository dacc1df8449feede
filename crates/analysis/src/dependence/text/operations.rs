//! How does an operation read? Signs and precedence of C, sums with their
//! constants folded, addresses as indices and fields.

use opcost_ir::{Opcode, Predicate, Type, Value};

use super::writer::{Binding, Printed, Terms, Writer};
use crate::dependence::evaluate::Number;
use crate::dependence::explanation::{Explanation, Link, LinkCertainty, What};
use crate::dependence::resolution::Resolution;
use crate::dependence::steps::signed;

/// The parts of a sum, the negative ones marked, and its constants together.
#[derive(Default)]
struct Gathered {
    parts: Vec<(bool, Link)>,
    constant: i128,
}

impl Writer<'_, '_, '_> {
    fn cast(&mut self, node: &Explanation, ty: &str) -> Printed {
        let inner = node.links.first().map(|link| self.linked(link).text).unwrap_or_default();
        Printed { text: format!("{ty}({inner})"), binding: Binding::Postfix }
    }

    pub(super) fn operation(&mut self, node: &Explanation) -> Printed {
        let Some((function, at)) = node.at else { return Printed::atom("?") };
        let module = self.answer.names.module;
        let instruction = &module.functions[function].instructions[at];
        let ty = self.answer.names.ty(instruction.ty);
        match (instruction.opcode, node.links.as_slice()) {
            (Opcode::Add | Opcode::Sub, [_, _]) => self.sum(node),
            (Opcode::Load, [address]) => {
                let text = format!("*{}", self.linked(address).within(Binding::Unary));
                Printed { text, binding: Binding::Unary }
            }
            (Opcode::GetElementPtr, _) => self.indexed(node),
            (Opcode::ICmp | Opcode::FCmp, [left, right]) => {
                let (sign, binding) = comparison(instruction.predicate);
                self.binary(left, right, sign, binding)
            }
            (Opcode::Select, [condition, yes, no]) => {
                let condition = self.linked(condition).within(Binding::BitOr);
                let yes = self.linked(yes).within(Binding::BitOr);
                let no = self.linked(no).within(Binding::Choice);
                Printed { text: format!("{condition} ? {yes} : {no}"), binding: Binding::Choice }
            }
            (Opcode::FNeg, [only]) => {
                let text = format!("-{}", self.linked(only).within(Binding::Unary));
                Printed { text, binding: Binding::Unary }
            }
            (Opcode::Freeze, [only]) => self.linked(only),
            (Opcode::ZExt, [_]) => self.cast(node, &ty.replacen('i', "u", 1)),
            (Opcode::UIToFP | Opcode::SIToFP | Opcode::SExt | Opcode::Trunc, [_]) => self.cast(node, &ty),
            (Opcode::FPToSI | Opcode::FPToUI | Opcode::FPExt | Opcode::FPTrunc, [_]) => self.cast(node, &ty),
            (Opcode::PtrToInt | Opcode::IntToPtr | Opcode::PtrToAddr, [_]) => self.cast(node, &ty),
            (Opcode::BitCast | Opcode::AddrSpaceCast, [_]) => self.cast(node, &ty),
            (opcode, [left, right]) => match binary_sign(opcode) {
                Some((sign, binding)) => self.binary(left, right, sign, binding),
                None => self.other(opcode, node),
            },
            (opcode, _) => self.other(opcode, node),
        }
    }

    fn other(&mut self, opcode: Opcode, node: &Explanation) -> Printed {
        let links: Vec<String> =
            node.links.iter().map(|link| self.linked(link).within(Binding::Choice)).collect();
        Printed { text: format!("{opcode}({})", links.join(", ")), binding: Binding::Postfix }
    }

    fn binary(&mut self, left: &Link, right: &Link, sign: &str, binding: Binding) -> Printed {
        let is_one = |answer: &Resolution<'_, '_>, link: &Link| {
            answer.number_at(link.to).is_some_and(|number| number.value == 1)
        };
        if sign == "*" && is_one(self.answer, right) {
            return self.linked(left);
        }
        if sign == "*" && is_one(self.answer, left) {
            return self.linked(right);
        }
        let left = self.linked(left).within(binding);
        let right = self.linked(right);
        let needs_more = right.binding <= binding;
        let right = if needs_more && right.binding != Binding::Alternatives {
            format!("({})", right.text)
        } else {
            right.within(binding)
        };
        Printed { text: format!("{left}{sign}{right}"), binding }
    }

    /// A sum with its constants folded into one, at the end.
    fn sum(&mut self, node: &Explanation) -> Printed {
        let mut gathered = Gathered::default();
        self.gather(node, false, &mut gathered, 0);
        let Gathered { mut parts, constant } = gathered;
        let bits = node.ty.and_then(|ty| self.answer.names.bits(ty)).unwrap_or(128);
        let constant = Number::of(constant as u128, bits).map_or(constant, Number::signed);
        cancel(&mut parts);
        parts.sort_by_key(|(is_negative, _)| *is_negative);
        let mut text = String::new();
        for (position, (is_negative, link)) in parts.iter().enumerate() {
            let part = self.linked(link);
            let binding = if *is_negative { Binding::Product } else { Binding::Sum };
            let sign = match (position, is_negative) {
                (0, false) => "",
                (_, false) => "+",
                (_, true) => "-",
            };
            text.push_str(sign);
            text.push_str(&part.within(binding));
        }
        match (parts.len(), constant) {
            (0, constant) => return Printed::atom(constant.to_string()),
            (1, 0) if !parts[0].0 => return self.linked(&parts[0].1),
            (_, 0) => {}
            (_, 1..) => text.push_str(&format!("+{constant}")),
            (_, _) => text.push_str(&constant.to_string()),
        }
        Printed { text, binding: Binding::Sum }
    }

    fn gather(&mut self, node: &Explanation, is_negative: bool, gathered: &mut Gathered, depth: u32) {
        let module = self.answer.names.module;
        let opcode = |node: &Explanation| {
            let (function, at) = node.at.filter(|_| node.what == What::Operation)?;
            Some(module.functions[function].instructions[at].opcode)
        };
        let is_sub = opcode(node) == Some(Opcode::Sub);
        for (position, link) in node.links.iter().enumerate() {
            let is_negative = is_negative != (is_sub && position == 1);
            if let Some(number) = self.answer.number_at(link.to) {
                let value = number.signed();
                let value = if is_negative { value.wrapping_neg() } else { value };
                gathered.constant = gathered.constant.wrapping_add(value);
                continue;
            }
            let end = self.answer.only_end(link.to);
            let inner = &self.answer.nodes[end];
            let is_sum = matches!(opcode(inner), Some(Opcode::Add | Opcode::Sub));
            let is_plain = link.certainty == LinkCertainty::Definite && !self.named.contains(&end);
            if is_sum && is_plain && depth < 64 {
                self.gather(inner, is_negative, gathered, depth + 1);
            } else {
                gathered.parts.push((is_negative, *link));
            }
        }
    }

    /// `base[i].2`
    fn indexed(&mut self, node: &Explanation) -> Printed {
        let Some((function, at)) = node.at else { return Printed::atom("?") };
        let module = self.answer.names.module;
        let code = &module.functions[function];
        let Some((base, indices)) = node.links.split_first() else { return Printed::atom("?") };
        let mut text = self.linked(base).within(Binding::Postfix);
        let mut ty = code.instructions[at].second_type;
        let operands: Vec<Value> = code.operands_of(at).get(1..).unwrap_or_default().to_vec();
        for (position, (link, operand)) in indices.iter().zip(operands).enumerate() {
            let field = signed(module, operand);
            let known = ty.map(|ty| &module.types[ty]);
            match (known, field) {
                _ if position == 0 => {
                    if !(indices.len() > 1 && field == Some(0)) {
                        text.push_str(&format!("[{}]", self.operand(link.to).text));
                    }
                }
                (Some(Type::Struct { fields, .. }), Some(field)) => {
                    ty = fields.get(field as usize).copied();
                    text.push_str(&format!(".{field}"));
                }
                (Some(Type::Array(_, element) | Type::Vector { element, .. }), _) => {
                    ty = Some(*element);
                    text.push_str(&format!("[{}]", self.operand(link.to).text));
                }
                _ => text.push_str(&format!("[{}]", self.operand(link.to).text)),
            }
        }
        Printed { text, binding: Binding::Postfix }
    }
}

/// Takes out what is added and taken away again: the same node, so the same
/// value.
fn cancel(parts: &mut Vec<(bool, Link)>) {
    let mut position = 0;
    while position < parts.len() {
        let (is_negative, link) = parts[position];
        let is_plain = |other: &Link| other.certainty == LinkCertainty::Definite;
        let other = parts.iter().position(|(negative, other)| {
            *negative != is_negative && other.to == link.to && is_plain(other) && is_plain(&link)
        });
        match other {
            Some(other) => {
                parts.remove(position.max(other));
                parts.remove(position.min(other));
            }
            None => position += 1,
        }
    }
}

fn binary_sign(opcode: Opcode) -> Option<(&'static str, Binding)> {
    Some(match opcode {
        Opcode::FAdd => ("+", Binding::Sum),
        Opcode::FSub => ("-", Binding::Sum),
        Opcode::Mul | Opcode::FMul => ("*", Binding::Product),
        Opcode::SDiv | Opcode::FDiv => ("/", Binding::Product),
        Opcode::UDiv => (" /u ", Binding::Product),
        Opcode::SRem | Opcode::FRem => ("%", Binding::Product),
        Opcode::URem => (" %u ", Binding::Product),
        Opcode::Shl => ("<<", Binding::Shift),
        Opcode::AShr => (">>", Binding::Shift),
        Opcode::LShr => (">>>", Binding::Shift),
        Opcode::And => ("&", Binding::BitAnd),
        Opcode::Or => ("|", Binding::BitOr),
        Opcode::Xor => ("^", Binding::BitXor),
        _ => return None,
    })
}

fn comparison(predicate: Option<Predicate>) -> (&'static str, Binding) {
    let Some(predicate) = predicate else { return (" ? ", Binding::Relation) };
    match predicate {
        Predicate::Eq | Predicate::Oeq | Predicate::Ueq => ("==", Binding::Equality),
        Predicate::Ne | Predicate::One | Predicate::Une => ("!=", Binding::Equality),
        Predicate::Sgt | Predicate::Ogt | Predicate::FUgt => (">", Binding::Relation),
        Predicate::Sge | Predicate::Oge | Predicate::FUge => (">=", Binding::Relation),
        Predicate::Slt | Predicate::Olt | Predicate::FUlt => ("<", Binding::Relation),
        Predicate::Sle | Predicate::Ole | Predicate::FUle => ("<=", Binding::Relation),
        Predicate::Ugt => (" >u ", Binding::Relation),
        Predicate::Uge => (" >=u ", Binding::Relation),
        Predicate::Ult => (" <u ", Binding::Relation),
        Predicate::Ule => (" <=u ", Binding::Relation),
        Predicate::Ord => (" ordered ", Binding::Relation),
        Predicate::Uno => (" unordered ", Binding::Relation),
        Predicate::False => (" never ", Binding::Relation),
        Predicate::True => (" always ", Binding::Relation),
    }
}
