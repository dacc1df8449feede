//! What is claimed of a module, so that a checker can follow each step?
//!
//! The ranges of all values that are less than their type, what functions
//! return, what objects hold; and what the turns of loops rest on: counters that
//! go one way, sums with what a turn adds to them, and how far phis inside of a
//! turn are from the one at its head.
//!
//! Nothing here need be true: the checker decides ([`certified`](crate::certified)).
//! Input: the ranges of a module. Output: an unsealed [`Certificate`]. Cost:
//! linear.

use std::collections::HashMap;

use opcost_analysis::memory::{MemoryModel, ObjectKind, World};
use opcost_analysis::propagation::external_facts::library_result;
use opcost_analysis::propagation::{Content, Definition, Distance, EdgeFact, Propagation, VariableId};
use opcost_analysis::ranges::{KnownBits, ValueRange, signed};
use opcost_certificate::{
    Certificate, ClaimedWorld, ContentsClaim, FORMAT, FunctionClaims, GivenBy, GivenClaim, ObjectName,
    RangeClaim, SumClaim, TurnsClaim, ValueClaim, ValueName, Word, fingerprint,
};
use opcost_index::Id;
use opcost_ir::{ConstantId, ConstantValue, Function, Module, Opcode, Type, Value};
use opcost_key::{FunctionId, InstructionId};

/// Changes that are farther apart say nothing of sums.
pub(crate) const MOST_GAIN: u64 = 1 << 40;

/// What holds of a variable at once, of which sums are looked for.
const MOST_PARTS: usize = 16;

/// All that is claimed.
pub(crate) fn claimed(program: &MemoryModel<'_>, ranges: &Propagation) -> Certificate {
    let module = program.module;
    let mut names: HashMap<&str, u32> = HashMap::new();
    module.functions.values().for_each(|function| *names.entry(&function.name).or_default() += 1);
    // Of two of one name nothing can be claimed: nobody could tell of which.
    let is_one = |function: &Function| names[&*function.name] == 1;
    let bodies = module.functions.iter().filter(|(_, one)| !one.blocks.is_empty() && is_one(one));
    let functions = bodies.map(|(id, function)| Claimant { program, ranges, id, function }.function());
    let assumes = ranges.facts().filter_map(|fact| match fact {
        EdgeFact::Memory(words) => Some((*words).to_owned()),
        _ => None,
    });
    Certificate {
        schema: FORMAT.to_owned(),
        module: fingerprint(module).to_string(),
        world: match program.roots.world {
            World::Open => ClaimedWorld::Open,
            World::Closed => ClaimedWorld::Closed,
        },
        assumes: assumes.collect(),
        hindsight: false,
        // As the analysis takes them.
        one_word: true,
        no_overflow: ranges.facts().any(|fact| matches!(fact, EdgeFact::NoOverflow)),
        written_first: ranges.facts().any(|fact| matches!(fact, EdgeFact::WrittenFirst(_))),
        in_bounds: ranges.facts().any(|fact| matches!(fact, EdgeFact::InBounds)),
        functions: functions.collect(),
        contents: contents(program, ranges),
        seal: String::new(),
    }
}

/// A range as a claim.
pub fn claim(range: &ValueRange) -> RangeClaim {
    let width = range.type_width();
    if range.is_empty() {
        return RangeClaim::never(width);
    }
    let (first, span) = match range.interval().ends() {
        Some((first, _)) => (first, range.interval().span().unwrap_or(u128::MAX)),
        None => (0, u128::MAX),
    };
    let (bits, residue) = (range.bits(), range.congruence());
    let has_residue = residue.modulus() > 1 && !residue.modulus().is_power_of_two();
    // What the arc says anyway is not said twice.
    let said = KnownBits::of_interval(range.interval());
    RangeClaim {
        zeros: Word(bits.zeros() & !said.zeros()),
        ones: Word(bits.ones() & !said.ones()),
        modulus: Word(if has_residue { residue.modulus() } else { 0 }),
        rest: Word(if has_residue { residue.residue() } else { 0 }),
        set: range.set().map(|set| set.values().iter().copied().map(Word).collect()),
        ..RangeClaim::arc(width, first, span)
    }
}

fn contents(program: &MemoryModel<'_>, ranges: &Propagation) -> Vec<ContentsClaim> {
    let objects = program.addresses.objects();
    let names = object_names(program);
    let of = |content: &Content| {
        let range = claim(ranges.range_of(content.variable).integer()?);
        // The checker does not follow what is written first: it asks who knows it.
        let written_first = !matches!(objects.kind(content.object), ObjectKind::Global(_));
        let (first, _, step) = content.offsets.parts();
        let object = match objects.kind(content.object) {
            ObjectKind::Global(global) => ObjectName::data(&program.module.globals[global].name),
            ObjectKind::Alloca(function, at) | ObjectKind::Fresh(function, at) => {
                ObjectName::allocated(&program.module.functions[function].name, at)
            }
            _ => return None,
        };
        if names.get(&object).is_none_or(|&count| count > 1) {
            return None;
        }
        let size = program.layout.size(content.ty)?;
        let is_number = matches!(program.module.types[content.ty], Type::Integer(_));
        let claim = ContentsClaim { object, first, step, size, written_first, range };
        Some(claim).filter(|claim| is_number && !claim.range.is_anything())
    };
    ranges.contents().iter().filter_map(of).collect()
}

/// How many objects have each name.
fn object_names(program: &MemoryModel<'_>) -> HashMap<ObjectName, u32> {
    let mut names = HashMap::new();
    let mut add = |name: ObjectName| *names.entry(name).or_default() += 1;
    program.module.globals.values().for_each(|global| add(ObjectName::data(&global.name)));
    for function in program.module.functions.values() {
        let makes = |opcode: Opcode| matches!(opcode, Opcode::Alloca | Opcode::Call | Opcode::Invoke);
        let places = function.instructions.iter().filter(|(_, one)| makes(one.opcode));
        places.for_each(|(at, _)| add(ObjectName::allocated(&function.name, at)));
    }
    names
}

/// What is claimed of one function.
pub(crate) struct Claimant<'a> {
    pub(crate) program: &'a MemoryModel<'a>,
    pub(crate) ranges: &'a Propagation,
    pub(crate) id: FunctionId,
    pub(crate) function: &'a Function,
}

impl Claimant<'_> {
    fn function(&self) -> FunctionClaims {
        let turns = self.trip_claims();
        FunctionClaims {
            name: self.function.name.clone(),
            values: self.values(),
            returned: self.returned(),
            differences: self.differences(),
            sums: self.sums(&turns),
            turns,
            given: self.given(),
        }
    }

    pub(crate) fn range(&self, variable: VariableId) -> Option<&ValueRange> {
        self.ranges.range_of(variable).integer()
    }

    fn values(&self) -> Vec<ValueClaim> {
        let arguments = (0..self.function.parameters).map(Value::Argument);
        let results = self.function.instructions.ids().map(Value::Instruction);
        let one = |value: Value| {
            let range = claim(self.ranges.range(self.id, value)?.integer()?);
            let is_said = !range.is_anything() && self.is_whole(value);
            is_said.then_some(ValueClaim { value: ValueName::of(value)?, range })
        };
        arguments.chain(results).filter_map(one).collect()
    }

    /// An integer or pointer, of which the checker speaks.
    fn is_whole(&self, value: Value) -> bool {
        let module: &Module = self.program.module;
        let ty = match value {
            Value::Instruction(at) => self.function.instructions[at].ty,
            Value::Argument(position) => match &module.types[self.function.ty] {
                Type::Function(_, parameters, _) => parameters[position as usize],
                _ => return false,
            },
            _ => return false,
        };
        matches!(module.types[ty], Type::Integer(1..=128) | Type::Pointer(0))
    }

    fn returned(&self) -> Option<RangeClaim> {
        let Type::Function(result, ..) = &self.program.module.types[self.function.ty] else { return None };
        let is_number = matches!(self.program.module.types[*result], Type::Integer(1..=128));
        let range = claim(self.ranges.returned(self.id)?.integer()?);
        Some(range).filter(|range| is_number && !range.is_anything())
    }

    /// Counters that are moved by a constant, or so many places, on every way back.
    fn trip_claims(&self) -> Vec<TurnsClaim> {
        let phis = self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        phis.filter_map(|(phi, _)| self.counter(phi).or_else(|| self.scaled(phi))).collect()
    }

    /// One that is shifted, multiplied or divided: its highest bit goes one way.
    fn scaled(&self, phi: InstructionId) -> Option<TurnsClaim> {
        let list = self.function.operands_of(phi).iter().step_by(2);
        let places: Vec<(bool, u32)> = list.filter_map(|&value| self.least_shift(phi, value)).collect();
        let falls = places.first()?.0;
        let step = places.iter().map(|places| places.1).min().filter(|&step| (1..64).contains(&step))?;
        let is_one_way = places.iter().all(|places| places.0 == falls);
        let range = self.ranges.range(self.id, Value::Instruction(phi))?.integer()?;
        let (least, most) = range.unsigned_range()?;
        // Where it still goes back one move was left.
        let (least, most) = match falls {
            false => (least.max(1), most >> step),
            true => (least.max(1) << step, most),
        };
        let span = most.checked_sub(least)?;
        let claim = TurnsClaim {
            head: self.function.block_of(phi).index() as u32,
            most: 0,
            counter: ValueName::of(Value::Instruction(phi))?,
            range: RangeClaim::arc(range.type_width(), least, span),
            falls,
            step: step.into(),
            scales: true,
        };
        let most = u64::try_from(claim.room()?).ok()? + 1;
        is_one_way.then_some(TurnsClaim { most, ..claim })
    }

    /// By how many binary places a value is moved at least from the phi, and
    /// whether downwards.
    pub(crate) fn least_shift(&self, phi: InstructionId, value: Value) -> Option<(bool, u32)> {
        let (opcode, by) = self.changed_by(phi, value)?;
        let by = u128::try_from(by).ok().filter(|&by| by > 0)?;
        let shifted = || u32::try_from(by).ok();
        match opcode {
            Opcode::LShr | Opcode::AShr => Some((true, shifted()?)),
            Opcode::UDiv | Opcode::SDiv => Some((true, by.ilog2())),
            Opcode::Shl => Some((false, shifted()?)),
            Opcode::Mul => Some((false, by.ilog2())),
            _ => None,
        }
    }

    /// What the phi is changed by to get a value: an operation and a constant.
    fn changed_by(&self, phi: InstructionId, value: Value) -> Option<(Opcode, i128)> {
        let Value::Instruction(at) = value else { return None };
        let &[from, Value::Constant(id)] = self.function.operands_of(at) else { return None };
        let is_phi = from == Value::Instruction(phi);
        is_phi.then_some((self.function.instructions[at].opcode, self.constant(id)?.1))
    }

    /// The bits of a constant and the number that it is, with sign.
    pub(crate) fn constant(&self, id: ConstantId) -> Option<(u32, i128)> {
        let constant = &self.program.module.constants[id];
        match (constant.value, &self.program.module.types[constant.ty]) {
            (ConstantValue::Integer(word), &Type::Integer(width)) => Some((width, signed(word, width))),
            _ => None,
        }
    }

    pub(crate) fn counter(&self, phi: InstructionId) -> Option<TurnsClaim> {
        let head = self.function.block_of(phi);
        let steps =
            self.function.operands_of(phi).iter().step_by(2).filter_map(|&value| self.step(phi, value));
        let steps: Vec<i128> = steps.collect();
        let falls = *steps.first()? < 0;
        let step = steps.iter().map(|step| step.unsigned_abs()).min().filter(|&step| step > 0)?;
        let is_one_way = steps.iter().all(|&step| (step < 0) == falls);
        let range = self.ranges.range(self.id, Value::Instruction(phi))?.integer()?;
        let (first, span) = (range.interval().ends()?.0, range.interval().span()?);
        // Where it still goes back, one step was left.
        let left = span.checked_sub(step)?;
        let first = if falls { first.wrapping_add(step) } else { first };
        let most = u64::try_from(left / step + 1).ok()?;
        let range = RangeClaim::arc(range.type_width(), first, left);
        let (step, head) = (u64::try_from(step).ok()?, head.index() as u32);
        let counter = ValueName::of(Value::Instruction(phi))?;
        let scales = false;
        is_one_way.then_some(TurnsClaim { head, most, counter, range, falls, step, scales })
    }

    /// By which constant a value is moved from the phi.
    pub(crate) fn step(&self, phi: InstructionId, value: Value) -> Option<i128> {
        let (opcode, number) = self.changed_by(phi, value)?;
        match opcode {
            Opcode::Add => Some(number),
            Opcode::Sub => Some(-number),
            Opcode::GetElementPtr => {
                let Value::Instruction(at) = value else { return None };
                let ty = self.function.instructions[at].second_type?;
                Some(number * i128::from(self.program.layout.stride(ty)?))
            }
            _ => None,
        }
    }

    /// What phis at heads gain, as the definitions of their ranges say.
    fn sums(&self, turns: &[TurnsClaim]) -> Vec<SumClaim> {
        let phis = self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        let own = phis.filter_map(|(phi, _)| {
            let variable = self.ranges.variable(self.id, Value::Instruction(phi))?;
            self.parts(variable).into_iter().find_map(|part| self.sum(turns, phi, None, part))
        });
        let inner = self.distances().filter_map(|distance| {
            let from = ValueName::of(Value::Instruction(distance.from))?;
            self.sum(turns, distance.phi, Some(from), distance.variable)
        });
        own.chain(inner).chain(self.shifted_into(turns)).collect()
    }

    /// All that holds of a variable at once.
    fn parts(&self, variable: VariableId) -> Vec<VariableId> {
        let (mut parts, mut work) = (Vec::new(), vec![variable]);
        while let Some(part) = work.pop().filter(|_| parts.len() < MOST_PARTS) {
            match &self.ranges.variables().get(part).definition {
                Definition::Meet(list) => work.extend(list.iter().copied()),
                _ => parts.push(part),
            }
        }
        parts
    }

    pub(crate) fn distances(&self) -> impl Iterator<Item = &Distance> {
        self.ranges.distances().iter().filter(|distance| distance.function == self.id)
    }

    fn sum(
        &self,
        turns: &[TurnsClaim],
        phi: InstructionId,
        base: Option<ValueName>,
        variable: VariableId,
    ) -> Option<SumClaim> {
        let variables = self.ranges.variables();
        let (start, changes) = match &variables.get(variable).definition {
            Definition::Step(_, list) if list.len() == 2 => (Some(list[0]), list[1]),
            Definition::Times { .. } => (None, variable),
            _ => return None,
        };
        let Definition::Times { delta, .. } = variables.get(changes).definition else { return None };
        let delta = self.range(delta)?;
        let (least, greatest) = nearest(delta).filter(|ends| ends.1.abs_diff(ends.0) < MOST_GAIN)?;
        let width = delta.type_width();
        let head = self.function.block_of(phi).index() as u32;
        let most = turns.iter().filter(|turns| turns.head == head).map(|turns| turns.most).min()?;
        let start = match start {
            Some(start) => claim(self.range(start)?),
            None => RangeClaim::arc(width, 0, 0),
        };
        let start = RangeClaim { modulus: Word(0), rest: Word(0), set: None, ..start };
        let value = ValueName::of(Value::Instruction(phi))?;
        Some(SumClaim { value, base, start, least, greatest, places: 0, turns: most })
    }

    /// Results of library functions, which a table of effects describes, and contracts.
    fn given(&self) -> Vec<GivenClaim> {
        let calls = self.function.calls.iter().map(|&(at, _)| at);
        // As the table says it: what else is known of the result is to be shown.
        let one = |at: InstructionId| {
            let (declared, range) = library_result(self.program, self.id, at)?;
            let is_used = self.ranges.facts().any(|fact| *fact == EdgeFact::LibraryResult(declared));
            let (value, range) = (ValueName::of(Value::Instruction(at))?, claim(&range));
            (is_used && !range.is_anything()).then_some(GivenClaim { value, range, by: GivenBy::Library })
        };
        calls.filter_map(one).chain(self.promised()).collect()
    }

    /// What callers promise.
    fn promised(&self) -> impl Iterator<Item = GivenClaim> {
        let own = self.ranges.contracts().iter().filter(|contract| contract.function == self.id);
        own.filter_map(|contract| {
            let value = Value::Argument(contract.position);
            let range = claim(contract.range.integer()?);
            let is_said = !range.is_anything() && self.is_whole(value);
            is_said.then_some(GivenClaim { value: ValueName::of(value)?, range, by: GivenBy::Contract })
        })
    }
}

/// The numbers of a range, with the sign that keeps them nearer to each other.
fn nearest(range: &ValueRange) -> Option<(i64, i64)> {
    let (low, high) = range.signed_range()?;
    let signed = i64::try_from(low).ok().zip(i64::try_from(high).ok());
    let (least, most) = range.unsigned_range()?;
    let unsigned = i64::try_from(least).ok().zip(i64::try_from(most).ok());
    match (signed, unsigned) {
        (Some(signed), Some(unsigned)) => {
            let is_nearer = signed.1.abs_diff(signed.0) <= unsigned.1.abs_diff(unsigned.0);
            Some(if is_nearer { signed } else { unsigned })
        }
        (one, other) => one.or(other),
    }
}
