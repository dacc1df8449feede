//! How is an effect table read? One line for functions of the same effect.
//!
//! ```text
//! # everything behind this sign is a remark
//! NAME NAME* … : CLAUSE; CLAUSE; …
//! ```
//!
//! A name that ends in `*` is the beginning of names. The clauses, where P is a parameter by its
//! position from 0, or `P..` for it and all after it, with `[N]` for so many bytes, `[@Q]` for as
//! many as parameter Q says, `[@Q*@R]` for a product, and `^` after it for the memory that pointers
//! there lead to, too:
//!
//! ```text
//! returns                  it comes back          ends     it does not
//! reads P …   writes P …   zeroes P …   keeps P …   frees P …
//! sends P …                what is there goes out, addresses too
//! copies P from Q          bytes as they are
//! item P … from WHERE      input is written; WHERE is a parameter, stdin, processes, system
//! gives P                  its result is parameter P
//! gives inside P           a pointer into the object of P
//! gives moved P            the object of P, perhaps at another address
//! gives outside            a pointer to memory of the library
//! gives fresh | zeroed     a new object           fresh into P    written to *P
//! gives pure               decided by arguments and what is read
//! gives input from WHERE   gives environment P
//! range LOW..HIGH          of the result
//! calls P(A, …)            back, at once          later P(A, …)   at any time
//!                          A is a parameter, `inside P`, `outside` or `P..`
//! format P                 of printf or scanf
//! format P with list       its arguments come as a va_list
//! holds STATE …            it keeps something there, or its result is part of it
//! uses STATE … | nothing   it may write, read or call back what is held there
//! synchronises             other threads' writes are seen behind it
//! does anything
//! statement unit P         begins a transfer; its result stands for the statement
//! statement open P | statement new | statement file P Q | statement handled
//! ```
//!
//! Cost: linear. Limit: the first fault is reported, not all.

use std::fmt;

use crate::effect::*;
use crate::states::LibraryStates;

/// A line of an effect table that does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectError {
    /// The line, from 1.
    pub line: usize,
    /// What is expected there.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

impl fmt::Display for EffectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the effect table: expected {}, found {}", self.line, self.expected, self.actual)
    }
}

impl std::error::Error for EffectError {}

type Parsed<T> = Result<T, (String, String)>;

/// The effects that a text describes, each with its names.
pub(crate) fn parse(text: &str) -> Result<Vec<(Vec<&str>, Effect)>, EffectError> {
    let mut effects = Vec::new();
    for (position, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let read = parse_line(line);
        effects.push(read.map_err(|(expected, found)| EffectError {
            line: position + 1,
            expected,
            actual: found,
        })?);
    }
    Ok(effects)
}

fn parse_line(line: &str) -> Parsed<(Vec<&str>, Effect)> {
    let Some((names, clauses)) = line.split_once(':') else {
        return expected("names, ':' and clauses", line);
    };
    let names: Vec<&str> = names.split_whitespace().collect();
    if names.is_empty() || names.contains(&"*") {
        return expected("the name of a function", line);
    }
    let mut effect = Effect::default();
    for clause in clauses.split(';') {
        let mut words = Words::new(clause);
        parse_clause(&mut words, &mut effect)?;
        if let Some(left) = words.next() {
            return expected("';' or the end of the line", left);
        }
    }
    Ok((names, effect))
}

fn expected<T>(what: &str, found: &str) -> Parsed<T> {
    Err((
        what.to_owned(),
        if found.is_empty() { "the end of the line".to_owned() } else { format!("'{found}'") },
    ))
}

/// The words of a clause; brackets and commas are words of their own.
struct Words<'t> {
    words: std::iter::Peekable<std::vec::IntoIter<&'t str>>,
}

impl<'t> Words<'t> {
    fn new(clause: &'t str) -> Self {
        let mut words = Vec::new();
        for word in clause.split_whitespace() {
            let mut rest = word;
            while !rest.is_empty() {
                let sign = |c: char| "(),[]^*@".contains(c);
                let end = if rest.starts_with(sign) { 1 } else { rest.find(sign).unwrap_or(rest.len()) };
                words.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
        Self { words: words.into_iter().peekable() }
    }

    fn next(&mut self) -> Option<&'t str> {
        self.words.next()
    }

    fn peek(&mut self) -> Option<&'t str> {
        self.words.peek().copied()
    }

    fn eat(&mut self, word: &str) -> bool {
        self.words.next_if_eq(&word).is_some()
    }

    fn demand(&mut self, word: &str) -> Parsed<()> {
        match self.next() {
            Some(found) if found == word => Ok(()),
            found => expected(&format!("'{word}'"), found.unwrap_or_default()),
        }
    }

    fn position(&mut self) -> Parsed<u32> {
        let word = self.next().unwrap_or_default();
        word.parse().or_else(|_| expected("the number of a parameter", word))
    }

    fn is_parameter(&mut self) -> bool {
        self.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn parameters(&mut self) -> Parsed<Parameters> {
        let word = self.next().unwrap_or_default();
        let (digits, is_open) = match word.strip_suffix("..") {
            Some(digits) => (digits, true),
            None => (word, false),
        };
        match digits.parse() {
            Ok(position) if is_open => Ok(Parameters::From(position)),
            Ok(position) => Ok(Parameters::One(position)),
            Err(_) => expected("the number of a parameter", word),
        }
    }

    fn extent(&mut self) -> Parsed<Extent> {
        if !self.eat("[") {
            return Ok(Extent::Unknown);
        }
        let extent = if self.eat("@") {
            let first = self.position()?;
            if self.eat("*") {
                self.demand("@")?;
                Extent::Product(first, self.position()?)
            } else {
                Extent::Parameter(first)
            }
        } else {
            let word = self.next().unwrap_or_default();
            Extent::Bytes(word.parse().or_else(|_| expected("a number of bytes or '@'", word))?)
        };
        self.demand("]")?;
        Ok(extent)
    }

    fn origin(&mut self) -> Parsed<Origin> {
        if self.is_parameter() {
            return Ok(Origin::Parameter(self.position()?));
        }
        match self.next() {
            Some("stdin") => Ok(Origin::StandardInput),
            Some("processes") => Ok(Origin::Processes),
            Some("system") => Ok(Origin::System),
            found => expected("a parameter, 'stdin', 'processes' or 'system'", found.unwrap_or_default()),
        }
    }
}

const CLAUSES: &str = "'returns', 'ends', 'reads', 'writes', 'zeroes', 'keeps', 'frees', 'copies', 'item', \
     'gives', 'fresh', 'range', 'calls', 'later', 'format', 'holds', 'uses', 'synchronises', 'does' or 'statement'";

fn parse_clause(words: &mut Words<'_>, effect: &mut Effect) -> Parsed<()> {
    match words.next().unwrap_or_default() {
        "returns" => effect.returns = Returns::Always,
        "ends" => effect.returns = Returns::Never,
        "reads" => touched(words, effect, Touching::Reads)?,
        "writes" => touched(words, effect, Touching::Writes)?,
        "zeroes" => touched(words, effect, Touching::Zeroes)?,
        "keeps" => touched(words, effect, Touching::Retains)?,
        "sends" => touched(words, effect, Touching::RetainsPointees)?,
        "frees" => touched(words, effect, Touching::Frees)?,
        "fresh" => {
            words.demand("into")?;
            touched(words, effect, Touching::FreshInto)?;
        }
        "copies" => {
            let to = words.position()?;
            words.demand("from")?;
            let from = words.position()?;
            effect.copies.push(Copied { to, from, extent: words.extent()? });
        }
        "item" => {
            let first = effect.touches.len();
            touched(words, effect, Touching::Writes)?;
            words.demand("from")?;
            let origin = words.origin()?;
            effect.touches[first..].iter_mut().for_each(|item| item.how = Touching::Input(origin));
        }
        "gives" => effect.result = result(words)?,
        "range" => effect.range = Some(range(words)?),
        "calls" => effect.callbacks.push(callback(words, false)?),
        "later" => effect.callbacks.push(callback(words, true)?),
        "format" => {
            effect.format = Some(words.position()?);
            if words.eat("with") {
                words.demand("list")?;
                effect.has_list = true;
            }
        }
        "holds" => effect.holds = effect.holds.and(states(words)?),
        "uses" => effect.uses = Some(states(words)?),
        "synchronises" => effect.synchronises = true,
        "does" => {
            words.demand("anything")?;
            (effect.does_anything, effect.reaches_others) = (true, true);
        }
        "statement" => effect.statement = Some(statement(words)?),
        word => return expected(CLAUSES, word),
    }
    Ok(())
}

/// States of the library, at least one or `nothing`.
fn states(words: &mut Words<'_>) -> Parsed<LibraryStates> {
    if words.eat("nothing") {
        return Ok(LibraryStates::NONE);
    }
    let mut all = LibraryStates::NONE;
    loop {
        let word = words.next().unwrap_or_default();
        match LibraryStates::named(word) {
            Some(state) => all = all.and(state),
            None => {
                let names: Vec<&str> = LibraryStates::names().collect();
                return expected(&format!("'nothing' or a state ({})", names.join(", ")), word);
            }
        }
        if words.peek().is_none() {
            return Ok(all);
        }
    }
}

fn touched(words: &mut Words<'_>, effect: &mut Effect, how: Touching) -> Parsed<()> {
    loop {
        let parameters = words.parameters()?;
        let extent = words.extent()?;
        let is_deep = words.eat("^");
        effect.touches.push(Touched { parameters, how, extent, is_deep });
        if !words.is_parameter() {
            return Ok(());
        }
    }
}

fn result(words: &mut Words<'_>) -> Parsed<ResultKind> {
    if words.is_parameter() {
        return Ok(ResultKind::Parameter(words.position()?));
    }
    Ok(match words.next() {
        Some("inside") => ResultKind::Inside(words.position()?),
        Some("moved") => ResultKind::Moved(words.position()?),
        Some("outside") => ResultKind::Outside,
        Some("fresh") => ResultKind::Fresh { zeroed: false },
        Some("zeroed") => ResultKind::Fresh { zeroed: true },
        Some("pure") => ResultKind::Pure,
        Some("environment") => ResultKind::Environment(words.position()?),
        Some("input") => {
            words.demand("from")?;
            ResultKind::InputFrom(words.origin()?)
        }
        found => {
            let kinds = "a parameter, 'inside', 'moved', 'outside', 'fresh', 'zeroed', 'pure', 'environment' or 'input'";
            return expected(kinds, found.unwrap_or_default());
        }
    })
}

fn range(words: &mut Words<'_>) -> Parsed<(i128, i128)> {
    let word = words.next().unwrap_or_default();
    let read = word.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match read {
        Some((low, high)) if low <= high => Ok((low, high)),
        _ => expected("LOW..HIGH", word),
    }
}

fn callback(words: &mut Words<'_>, is_later: bool) -> Parsed<Callback> {
    let function = words.position()?;
    let mut arguments = Vec::new();
    words.demand("(")?;
    while !words.eat(")") {
        if !arguments.is_empty() {
            words.demand(",")?;
        }
        arguments.push(if words.eat("inside") {
            CallbackArgument::Inside(words.position()?)
        } else if words.eat("outside") {
            CallbackArgument::Outside
        } else {
            match words.parameters()? {
                Parameters::One(position) => CallbackArgument::Parameter(position),
                Parameters::From(position) => CallbackArgument::From(position),
            }
        });
    }
    Ok(Callback { function, arguments, is_later })
}

fn statement(words: &mut Words<'_>) -> Parsed<Statement> {
    Ok(match words.next() {
        Some("unit") => Statement::Unit(words.position()?),
        Some("open") => Statement::Open(words.position()?),
        Some("new") => Statement::OpenNew,
        Some("file") => Statement::File(words.position()?, words.position()?),
        Some("handled") => Statement::Handled,
        found => {
            return expected("'unit', 'open', 'new', 'file' or 'handled'", found.unwrap_or_default());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Effect {
        parse(line).expect(line).remove(0).1
    }

    #[test]
    fn clauses_say_what_they_say() {
        let effect =
            one("f g* : returns; reads 0 1[@2]^ 3..; item 4[@1*@2] from 3; range -1..255; gives inside 0");
        assert_eq!((effect.returns, effect.range), (Returns::Always, Some((-1, 255))));
        assert_eq!(effect.result, ResultKind::Inside(0));
        let touched: Vec<_> =
            effect.touches.iter().map(|t| (t.parameters, t.how, t.extent, t.is_deep)).collect();
        let reads = Touching::Reads;
        assert_eq!(
            touched,
            [
                (Parameters::One(0), reads, Extent::Unknown, false),
                (Parameters::One(1), reads, Extent::Parameter(2), true),
                (Parameters::From(3), reads, Extent::Unknown, false),
                (Parameters::One(4), Touching::Input(Origin::Parameter(3)), Extent::Product(1, 2), false),
            ]
        );
        let sort = one("qsort : calls 3(inside 0, inside 0); later 1(2..)");
        assert_eq!(sort.callbacks[0].arguments, [CallbackArgument::Inside(0); 2]);
        assert!(sort.callbacks[1].is_later && sort.callbacks[1].arguments == [CallbackArgument::From(2)]);
        assert_eq!(one("b : statement file 1 2").statement, Some(Statement::File(1, 2)));
    }

    #[test]
    fn a_fault_has_its_line_and_what_should_stand_there() {
        let fault = |text: &str| parse(text).expect_err(text).to_string();
        assert_eq!(
            fault("# remark\nf : returns\ng : read 0\n"),
            format!("line 3 of the effect table: expected {CLAUSES}, found 'read'")
        );
        assert_eq!(
            fault("f : reads"),
            "line 1 of the effect table: expected the number of a parameter, found the end of the line"
        );
        assert_eq!(
            fault("f returns"),
            "line 1 of the effect table: expected names, ':' and clauses, found 'f returns'"
        );
        assert_eq!(
            fault("f : reads 0[x]"),
            "line 1 of the effect table: expected a number of bytes or '@', found 'x'"
        );
        assert_eq!(fault("f : range 3..1"), "line 1 of the effect table: expected LOW..HIGH, found '3..1'");
        assert_eq!(
            fault("f : returns now"),
            "line 1 of the effect table: expected ';' or the end of the line, found 'now'"
        );
    }
}
