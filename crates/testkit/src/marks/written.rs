//! How does a mark stand in a program that computes it itself?
//!
//! `cargo xtask loops` lets marked programs count their own turns and hold them
//! against the mark, in C over `long long` or in Fortran over integers of 64 bits;
//! not everything can be said in Fortran, and then that is said.

use std::fmt::Write;

use super::expression::{ExpressionError, MarkExpression, MarkFunction, Result};
use super::grammar::FUNCTIONS;

impl MarkExpression {
    /// As C over `long long`; functions have `mark_` before their names.
    pub fn to_c(&self) -> String {
        match self {
            Self::Number(number) => format!("{number}LL"),
            Self::Name(name) => format!("(long long)({name})"),
            Self::Not(inner) => format!("(!{})", inner.to_c()),
            Self::Minus(inner) => format!("(-{})", inner.to_c()),
            Self::Binary(operator, sides) => format!("({} {operator} {})", sides[0].to_c(), sides[1].to_c()),
            Self::Choice(parts) => {
                format!("({} ? {} : {})", parts[0].to_c(), parts[1].to_c(), parts[2].to_c())
            }
            Self::Call(function, arguments) => {
                let name = FUNCTIONS.iter().find(|(_, other, _)| other == function).map_or("", |row| row.0);
                let mut text = format!("mark_{name}(");
                for (place, argument) in arguments.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    let _ = write!(text, "{comma}{}", argument.to_c());
                }
                text + ")"
            }
        }
    }

    /// As Fortran over integers of 64 bits; not everything can be said.
    pub fn to_fortran(&self) -> Result<String> {
        Ok(match self {
            Self::Number(number) => format!("{number}_8"),
            Self::Name(name) => format!("int({name},8)"),
            Self::Minus(inner) => format!("(-{})", inner.to_fortran()?),
            Self::Binary(operator @ ("+" | "-" | "*" | "/"), sides) => {
                format!("({}{operator}{})", sides[0].to_fortran()?, sides[1].to_fortran()?)
            }
            Self::Call(function @ (MarkFunction::Max | MarkFunction::Min), arguments) => {
                let name = if *function == MarkFunction::Max { "max" } else { "min" };
                format!("{name}({},{})", arguments[0].to_fortran()?, arguments[1].to_fortran()?)
            }
            _ => return Err(ExpressionError::NoFortran),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_languages_say_the_same() {
        let expression = MarkExpression::read("max(n-1,0)").unwrap();
        assert_eq!(expression.to_c(), "mark_max(((long long)(n) - 1LL), 0LL)");
        assert_eq!(expression.to_fortran().unwrap(), "max((int(n,8)-1_8),0_8)");
        assert!(MarkExpression::read("digits(n,2)").unwrap().to_fortran().is_err());
    }
}
