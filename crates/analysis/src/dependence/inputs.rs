//! What is an input called, and what is known of it?
//!
//! `argv[1]`, `getenv("N")`, the item of a `scanf`, the item of a Fortran
//! `READ` with the file that its unit was opened with. The statement is found
//! by its cookie: the call that began it gave it, and has the unit; the unit's
//! file is that of the `OPEN` statements with the same unit. Where the unit is
//! not followed, it is named instead. Cost: a look over the module's `OPEN`
//! statements for each answer with a `READ`.

use std::fmt::Write;

use opcost_ir::{ConstantValue, Value};
use opcost_key::{FunctionId, InstructionId};

use super::evaluate::Number;
use super::explanation::{Argument, ExplanationId, OutsideInput, What};
use super::memory::Object;
use super::resolution::{Express, Resolution};
use super::steps::signed;
use crate::memory::contents::string_at;

impl Resolution<'_, '_> {
    /// The name of an input or of memory of others.
    pub(super) fn input_name(&self, id: ExplanationId) -> String {
        let node = &self.nodes[id];
        match &node.what {
            What::Cell(cell) => self.names.cell(*cell),
            What::Foreign => self.program_argument(id).unwrap_or_else(|| self.foreign_name(id)),
            What::Input(OutsideInput::Parameter(function, position)) => {
                self.parameter_name(*function, *position)
            }
            &What::Input(OutsideInput::Read { function, call, argument: Some(argument) }) => {
                format!("<{}>", self.item_name(id, function, call, argument))
            }
            &What::Input(OutsideInput::Read { function, call, argument: None }) => {
                self.result_name(id, function, call)
            }
            _ => String::new(),
        }
    }

    fn parameter_name(&self, function: FunctionId, position: u32) -> String {
        let name = self.names.value(function, Value::Argument(position));
        let is_main = matches!(&*self.names.module.functions[function].name, "main");
        match (is_main, position) {
            (true, 0) => "argc".to_owned(),
            (true, 1) => "argv".to_owned(),
            _ => name,
        }
    }

    /// `getenv("N")`, `rand()`
    fn result_name(&self, id: ExplanationId, function: FunctionId, call: InstructionId) -> String {
        let name = self.names.callee(function, call);
        let text = self.nodes[id].links.iter().find_map(|link| self.string_of(link.to));
        match text {
            Some(text) => format!("{name}(\"{text}\")"),
            None => format!("{name}()"),
        }
    }

    /// The constant string that an address is that of.
    fn string_of(&self, id: ExplanationId) -> Option<String> {
        let What::Address(Object::Global(global), offset) = self.nodes[self.only_end(id)].what else {
            return None;
        };
        let module = self.names.module;
        let mut constants = module.constants.iter();
        let value =
            constants.find(|(_, constant)| constant.value == ConstantValue::Global { global, offset })?;
        string_at(module, Value::Constant(value.0))
    }

    /// `item 1 of scanf at line 12`, `item 1 of the READ at line 72 of inputbt.data`
    fn item_name(
        &self,
        id: ExplanationId,
        function: FunctionId,
        call: InstructionId,
        argument: u32,
    ) -> String {
        let callee = self.names.callee(function, call);
        if let Some(statement) = self.read_statement(id, function, call) {
            return statement;
        }
        let place = self.names.place(function, call);
        let format = ["scanf", "fscanf", "sscanf"].iter().position(|name| callee.ends_with(name));
        let format = format.map(|position| {
            if callee.ends_with("fscanf") || callee.ends_with("sscanf") { 1 } else { position as u32 }
        });
        let item = match format {
            Some(format) => format!("item {} of ", argument.saturating_sub(format)),
            None => String::new(),
        };
        let file = self.file_of(id).map(|file| format!(" of {file}")).unwrap_or_default();
        format!("{item}{callee} at {place}{file}")
    }

    /// The file that the stream of a reading call was opened with.
    fn file_of(&self, id: ExplanationId) -> Option<String> {
        let link = self.nodes[id].links.iter().find(|link| link.argument == Argument::Source)?;
        let end = &self.nodes[self.only_end(link.to)];
        let What::Input(OutsideInput::Read { function, call, argument: None }) = end.what else {
            return None;
        };
        let opens = self.names.callee(function, call);
        if !opens.starts_with("fopen") {
            return None;
        }
        let code = &self.names.module.functions[function];
        string_at(self.names.module, *code.arguments_of(call).first()?)
    }

    /// The `READ` that an item belongs to, by its cookie.
    fn read_statement(&self, id: ExplanationId, function: FunctionId, call: InstructionId) -> Option<String> {
        if !self.names.callee(function, call).starts_with("_FortranAio") {
            return None;
        }
        let cookie = self.nodes[id].links.iter().find(|link| link.argument == Argument::Source)?;
        let node = self.only_end(cookie.to);
        let What::Input(OutsideInput::Read { function: home, call: begin, .. }) = self.nodes[node].what
        else {
            return None;
        };
        let unit = self.nodes[node].links.iter().find(|link| link.argument == Argument::Source)?.to;
        let mut text = match self.statement_line(home, begin) {
            Some(line) => format!("the READ at line {line}"),
            None => format!("the READ at {}", self.names.place(home, begin)),
        };
        let item = self.item_number(function, call);
        if item > 1 {
            text = format!("item {item} of {text}");
        }
        let number = self.number_at(unit).map(Number::signed);
        let files = self.files_of(number);
        let from = match (files.is_empty(), number) {
            (false, _) => files.join(" or "),
            (true, Some(5)) => "standard input".to_owned(),
            (true, Some(unit)) => format!("unit {unit}"),
            (true, None) => format!("unit {}", self.expression_at(unit)),
        };
        let _ = write!(text, " of {from}");
        Some(text)
    }

    /// The line that flang passes along.
    fn statement_line(&self, function: FunctionId, begin: InstructionId) -> Option<i64> {
        let code = &self.names.module.functions[function];
        if let Some(place) = code.instructions[begin].place.map(|place| &self.names.module.places[place])
            && place.line > 0
        {
            return Some(i64::from(place.line));
        }
        signed(self.names.module, *code.arguments_of(begin).last()?)
    }

    /// Which item of its statement a call reads, from 1.
    fn item_number(&self, function: FunctionId, call: InstructionId) -> usize {
        let code = &self.names.module.functions[function];
        let cookie = code.arguments_of(call).first();
        let reads = code.calls.iter().take_while(|(at, _)| *at <= call).filter(|(at, _)| {
            self.names.callee(function, *at).starts_with("_FortranAioInput")
                && code.arguments_of(*at).first() == cookie
        });
        reads.count()
    }

    /// Files of the `OPEN` statements whose unit is, or may be, this one.
    fn files_of(&self, unit: Option<i128>) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for open in self.opens.iter() {
            let is_same = unit.is_some() && open.unit.is_none_or(|opened| Some(opened) == unit);
            let name = match &open.file {
                Some(file) => file.clone(),
                None => "a file that is not followed".to_owned(),
            };
            if is_same && !files.contains(&name) {
                files.push(name);
            }
        }
        files
    }

    fn foreign_name(&self, id: ExplanationId) -> String {
        let address = self.nodes[id].links.iter().find(|link| link.argument == Argument::Address);
        let Some((base, bytes)) = address.and_then(|link| self.linear(link.to)) else {
            return "an address".into();
        };
        match (&self.nodes[base].what, bytes) {
            (What::Input(_) | What::Foreign, 0) => format!("*{}", self.input_name(base)),
            (What::Input(_) | What::Foreign, bytes) => format!("*({}+{bytes})", self.input_name(base)),
            _ => "an address".to_owned(),
        }
    }

    /// `name: what is known of it`
    pub(super) fn describe_input(&self, id: ExplanationId) -> String {
        let name = self.input_name(id);
        let known = match &self.nodes[id].what {
            What::Cell(_) => self.describe_cell(id),
            What::Input(OutsideInput::Parameter(function, _)) => {
                format!("a parameter of {}", self.names.function(*function))
            }
            What::Input(OutsideInput::Read { function, call, argument: None }) => match self.through(id) {
                Some(through) => through,
                None => format!(
                    "what {} gives at {}",
                    self.names.callee(*function, *call),
                    self.names.place(*function, *call)
                ),
            },
            _ => self.through(id).unwrap_or_else(|| "read by the program".to_owned()),
        };
        format!("{name}: {known}")
    }

    /// `sizes[…]: n>>1 or 3`: all that is written to such elements.
    pub(super) fn describe_array(&self, id: ExplanationId) -> String {
        let What::Element(elements) = self.nodes[id].what else { return String::new() };
        let links = &self.nodes[id].links;
        let mut values: Vec<String> = Vec::new();
        for link in links {
            let Argument::Written(function, at) = link.argument else { continue };
            let index = links.iter().find(|other| other.argument == Argument::StoredAt(function, at));
            let text = match index {
                Some(index) => format!("[k] = {}", self.expression_in(link.to, index.to, "k")),
                None => self.expression_at(link.to),
            };
            if !values.contains(&text) {
                values.push(text);
            }
        }
        format!("{}[…]: {}", self.names.array(&elements), values.join(" or "))
    }

    /// The functions that an input goes through first.
    fn through(&self, id: ExplanationId) -> Option<String> {
        let takes = |link: &super::Link| self.only_end(link.to) == id;
        let mut users = self.nodes.values().filter(|node| node.links.iter().any(takes));
        users.find_map(|node| match &node.what {
            What::Library(name) => Some(format!("through {name}")),
            _ => None,
        })
    }

    /// `64, unless the READ at line 72 of inputbt.data succeeds`
    fn describe_cell(&self, id: ExplanationId) -> String {
        let (mut inputs, mut others, mut initial) = (Vec::new(), Vec::new(), None);
        for link in &self.nodes[id].links {
            let end = self.only_end(link.to);
            match &self.nodes[end].what {
                &What::Input(OutsideInput::Read { function, call, argument: Some(argument) }) => {
                    inputs.push(self.item_name(end, function, call, argument));
                }
                What::Undefined => {}
                _ if link.argument == Argument::Initial => initial = Some(self.expression_at(end)),
                _ => {
                    let text = self.expression_at(end);
                    if !others.contains(&text) {
                        others.push(text);
                    }
                }
            }
        }
        let read = inputs.join(" or ");
        match (others.is_empty(), inputs.is_empty(), initial) {
            (false, true, _) => others.join(" or "),
            (false, false, None) => format!("{}, unless {read} succeeds", others.join(" or ")),
            (false, false, Some(initial)) => {
                format!("{}, unless {read} succeeds ({initial} at the start)", others.join(" or "))
            }
            (true, _, Some(initial)) => format!("{read} ({initial} where that gives nothing)"),
            (true, _, None) => read,
        }
    }
}
