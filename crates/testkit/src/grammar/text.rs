//! How is a function put together line by line? Names, blocks, values in scope.
//!
//! A value may be used where a [`Scope`] has it, and scopes follow dominance: a
//! block that may be passed over gets a copy that is thrown away behind it. Phis
//! are lines that are left out first and filled in when their last operand is
//! known.

use std::collections::BTreeSet;

use super::feature::Feature;
use crate::random::Random;

/// An integer that can be used: `%x3`, `@…` never, or a number.
#[derive(Clone, Debug)]
pub(super) struct IntegerOperand {
    pub(super) name: String,
    pub(super) width: u32,
}

impl IntegerOperand {
    pub(super) fn new(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), width }
    }

    pub(super) fn is_constant(&self) -> bool {
        !self.name.starts_with('%')
    }
}

/// What can be used at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Arguments.
    pub(super) arguments: Vec<IntegerOperand>,
    /// Counters of the loops around, the innermost last.
    pub(super) counters: Vec<IntegerOperand>,
    /// Anything, these included.
    pub(super) values: Vec<IntegerOperand>,
}

/// A function that is being written.
pub(super) struct Text {
    pub(super) random: Random,
    pub(super) features: BTreeSet<Feature>,
    /// Usual width of counters: 8 or 16.
    pub(super) width: u32,
    /// Label of the block that is being written.
    pub(super) block: String,
    pub(super) lines: Vec<String>,
    next: u32,
}

impl Text {
    pub(super) fn new(random: Random, width: u32) -> Self {
        let (features, lines) = (BTreeSet::new(), Vec::new());
        Self { random, features, width, block: String::new(), lines, next: 0 }
    }

    pub(super) fn has(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    pub(super) fn label(&mut self, hint: &str) -> String {
        self.next += 1;
        format!("{hint}{}", self.next)
    }

    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push(format!("  {}", line.as_ref()));
    }

    pub(super) fn result(&mut self, hint: &str, width: u32, line: impl AsRef<str>) -> IntegerOperand {
        let name = format!("%{}", self.label(hint));
        self.line(format!("{name} = {}", line.as_ref()));
        IntegerOperand { name, width }
    }

    pub(super) fn begin(&mut self, label: &str) {
        self.lines.push(format!("{label}:"));
        self.block = label.to_owned();
    }

    pub(super) fn jump(&mut self, label: &str) {
        self.line(format!("br label %{label}"));
    }

    pub(super) fn branch(&mut self, condition: &str, yes: &str, no: &str) {
        self.line(format!("br i1 {condition}, label %{yes}, label %{no}"));
    }

    /// A line for later.
    pub(super) fn hole(&mut self) -> usize {
        self.lines.push(String::new());
        self.lines.len() - 1
    }

    pub(super) fn fill(&mut self, hole: usize, line: &str) {
        self.lines[hole] = format!("  {line}");
    }

    /// `nsw` and `nuw`, each seldom, true or not.
    pub(super) fn flags(&mut self) -> &'static str {
        let (nuw, nsw) = (self.random.one_in(6), self.random.one_in(4));
        if nuw {
            self.has(Feature::UnsignedFlag);
        }
        if nsw {
            self.has(Feature::SignedFlag);
        }
        match (nuw, nsw) {
            (true, true) => "nuw nsw ",
            (true, false) => "nuw ",
            (false, true) => "nsw ",
            (false, false) => "",
        }
    }

    /// A number of this width: mostly a small one.
    pub(super) fn number(&mut self, width: u32) -> IntegerOperand {
        let end = 1u64 << width;
        let corners = [0, 1, end / 2, end / 2 - 1, end - 1, end - 2];
        let number = match self.random.below(8) {
            0..=4 => self.random.below(24),
            5 => *self.random.of(&corners),
            6 => end - 1 - self.random.below(24),
            _ => self.random.below(end),
        };
        IntegerOperand::new(number.to_string(), width)
    }

    /// Something in scope, or seldom a number.
    pub(super) fn pick(&mut self, scope: &Scope) -> IntegerOperand {
        if scope.values.is_empty() || self.random.one_in(8) {
            return self.number(self.width);
        }
        let late = self.random.one_in(2) && scope.values.len() > 2;
        let from = if late { scope.values.len() - 2 } else { 0 };
        self.random.of(&scope.values[from..]).clone()
    }

    /// The value at this width: longer or shorter if it has another.
    pub(super) fn fit(&mut self, value: &IntegerOperand, width: u32) -> IntegerOperand {
        let word = match (value.width.cmp(&width), self.random.below(2)) {
            (std::cmp::Ordering::Equal, _) => return value.clone(),
            (std::cmp::Ordering::Less, 0) => "sext",
            (std::cmp::Ordering::Less, _) => "zext",
            (std::cmp::Ordering::Greater, _) => "trunc",
        };
        self.resize(word, value, width)
    }

    /// `zext`, `sext` or `trunc`.
    pub(super) fn resize(&mut self, word: &str, value: &IntegerOperand, width: u32) -> IntegerOperand {
        if value.width == width {
            return value.clone();
        }
        self.has(Feature::MixedWidths);
        let flag = match (word, self.random.below(6)) {
            ("zext", 0) => "nneg ",
            ("trunc", 0) => "nuw ",
            ("trunc", 1) => "nsw ",
            _ => "",
        };
        self.result("w", width, format!("{word} {flag}i{width} i{} {}", value.width, value.name))
    }

    /// Something computed of what is in scope.
    pub(super) fn expression(&mut self, scope: &Scope, width: u32) -> IntegerOperand {
        let left = self.pick(scope);
        let left = self.fit(&left, width);
        let right = if self.random.one_in(2) { self.number(width) } else { self.pick(scope) };
        let right = self.fit(&right, width);
        let word = *self.random.of(&["add", "add", "sub", "mul", "and", "or", "xor", "lshr", "udiv"]);
        let flags = if ["add", "sub", "mul"].contains(&word) { self.flags() } else { "" };
        let right = match word {
            "lshr" => IntegerOperand::new((1 + self.random.below(3)).to_string(), width),
            "udiv" => IntegerOperand::new((1 + self.random.below(7)).to_string(), width),
            _ => right,
        };
        self.result("e", width, format!("{word} {flags}i{width} {}, {}", left.name, right.name))
    }
}
