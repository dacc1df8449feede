//! How does a check get to know what it needs, where its loop is entered?
//!
//! What is known there is noted there. What was computed on some of the ways only, or was in memory
//! at another moment, is kept in a cell of the frame when it is there (`Hold`), and noted from the
//! cell; a cell in which nothing was kept has no number, and neither has a check that needs it.
//! Memory is only read where the program itself certainly reads it, or where data and variables of
//! the frame are: a check never traps where the program does not. This is the auditor of claims: no
//! matter who made them, what they ask for is either so, or refused in words. Cost: constant for
//! each input, but for a loop's entries and the start of its header.

use opcost_graph::edge::{Edge, edges_from};
use opcost_graph::loops::LoopId;
use opcost_index::{Id, IdMap};
use opcost_ir::{CheckInput, ConstantValue, EditPoint, Opcode, PointId, RecordEdit, TailKind, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::rereads::Rereads;
use crate::claims::{Moment, RequiredInput, number};
use crate::spots::{BranchSpots, Counting};
use crate::unchecked::Unchecked;

/// What a check notes at the entry of its loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    /// The same on each edge.
    Always(CheckInput),
    /// By the edge on which control comes: its source, and which of its slots.
    ByEdge(Vec<((BlockId, u32), CheckInput)>),
}

impl Noted {
    /// What is noted on an edge into the loop.
    pub(super) fn on(&self, edge: &Edge<BlockId>) -> Option<CheckInput> {
        match self {
            Noted::Always(input) => Some(*input),
            Noted::ByEdge(inputs) => {
                let of_edge = |((from, slot), _): &&((BlockId, u32), CheckInput)| {
                    (*from, *slot) == (edge.from, edge.slot)
                };
                inputs.iter().find(of_edge).map(|(_, input)| *input)
            }
        }
    }
}

/// What fills a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    stores: Vec<(EditPoint, Option<CheckInput>)>,
}

/// The cells of one function's frame.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    cells: Vec<Cell>,
}

/// The loop whose check is made, and all around it.
#[derive(Clone, Copy)]
pub(super) struct Where<'a> {
    pub(super) rereads: Rereads<'a>,
    pub(super) spots: &'a BranchSpots<'a>,
    pub(super) points: &'a IdMap<LoopId, Option<PointId>>,
}

type Result<T> = std::result::Result<T, Unchecked>;

impl Inputs {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Cells of a check that could not be made.
    pub(super) fn forget(&mut self, behind: usize) {
        self.cells.truncate(behind);
    }

    /// All that fills cells.
    pub(super) fn edits(&self) -> impl Iterator<Item = RecordEdit> + '_ {
        (0..).zip(&self.cells).flat_map(|(cell, what)| {
            what.stores.iter().map(move |&(spot, input)| RecordEdit::Hold { spot, cell, input })
        })
    }

    fn cell(&mut self, keeps: Vec<(EditPoint, Option<CheckInput>)>) -> Noted {
        let cell = Cell { stores: keeps };
        let position = self.cells.iter().position(|known| *known == cell).unwrap_or_else(|| {
            self.cells.push(cell);
            self.cells.len() - 1
        });
        Noted::Always(CheckInput::Held(position as u32))
    }

    /// What is to be noted for it.
    ///
    /// # Errors
    /// Why it cannot be known.
    pub(super) fn noted(&mut self, at: &Where<'_>, wanted: RequiredInput) -> Result<Noted> {
        let header = at.rereads.header(at.rereads.natural);
        match wanted {
            RequiredInput::Value(value) => self.value(at, value),
            RequiredInput::Loaded { address, bits } => {
                if at.rereads.is_known_in(address, header) && at.rereads.is_outside(address) {
                    return Ok(Noted::Always(CheckInput::Loaded { address, bits }));
                }
                Err(Unchecked::UnknownAddress)
            }
            RequiredInput::Entering(phi) => {
                let block = at.rereads.function.block_of(phi);
                let natural = at.rereads.forest.loop_with_header(block).ok_or(Unchecked::NoHead)?;
                let entering = at.entering(natural, phi)?;
                if natural == at.rereads.natural {
                    return Ok(Noted::ByEdge(entering));
                }
                at.is_not_of_the_loop(block)?;
                let spot = |((from, slot), input): ((BlockId, u32), CheckInput)| {
                    Ok((at.spot(from, slot)?, Some(input)))
                };
                Ok(self.cell(entering.into_iter().map(spot).collect::<Result<_>>()?))
            }
            RequiredInput::Reread { load, moment } => {
                let input = Some(CheckInput::Reread(load));
                if moment == Moment::Entry(header) {
                    at.rereads.check(load, moment)?;
                    return Ok(Noted::Always(CheckInput::Reread(load)));
                }
                at.is_not_of_the_loop(at.rereads.block_of(moment))?;
                at.rereads.check(load, moment)?;
                let spots = at.spots_of(moment)?;
                Ok(self.cell(spots.into_iter().map(|spot| (spot, input)).collect()))
            }
            RequiredInput::ReadSince { load, moment } => {
                at.is_not_of_the_loop(at.rereads.function.block_of(load))?;
                let gone = at.spots_of(moment)?.into_iter().map(|spot| (spot, None));
                let value = (at.behind(load)?, Some(CheckInput::Value(Value::Instruction(load))));
                // Where both stand on one spot, the load comes behind the moment.
                Ok(self.cell(gone.chain([value]).collect()))
            }
            RequiredInput::Turn(around) => {
                let around = at.rereads.forest.loop_with_header(around).filter(|&around| {
                    around != at.rereads.natural && at.rereads.forest.contains(around, header)
                });
                let point = around.and_then(|around| at.points[around]);
                point.map(|point| Noted::Always(CheckInput::Iterations(point))).ok_or(Unchecked::NoTurns)
            }
        }
    }

    /// A value that is known at the entry, or was kept after its instruction.
    fn value(&mut self, at: &Where<'_>, value: Value) -> Result<Noted> {
        let header = at.rereads.header(at.rereads.natural);
        if at.rereads.is_known_in(value, header) && at.rereads.is_outside(value) {
            return Ok(Noted::Always(CheckInput::Value(value)));
        }
        let Value::Instruction(id) = value else { return Err(Unchecked::NoValue) };
        at.is_not_of_the_loop(at.rereads.function.block_of(id))?;
        Ok(self.cell(vec![(at.behind(id)?, Some(CheckInput::Value(value)))]))
    }
}

impl Where<'_> {
    fn is_not_of_the_loop(&self, block: BlockId) -> Result<()> {
        if self.rereads.forest.contains(self.rereads.natural, block) {
            return Err(Unchecked::OfTheLoop);
        }
        Ok(())
    }

    /// The edges on which a loop is entered.
    fn entries(&self, natural: LoopId) -> Vec<Edge<BlockId>> {
        let header = self.rereads.header(natural);
        let before = self.spots.predecessors_of(header);
        let outside = before.filter(|&from| {
            !self.rereads.forest.contains(natural, from) && self.rereads.dominators.is_reachable(from)
        });
        let edges = |from| edges_from(self.rereads.function, from).filter(|edge| edge.to == header);
        outside.flat_map(edges).collect()
    }

    fn spot(&self, from: BlockId, slot: u32) -> Result<EditPoint> {
        match self.spots.of_branch(from, slot) {
            Counting::At(spot) => Ok(spot),
            _ => Err(Unchecked::NoEdge),
        }
    }

    /// What a phi gets, by edge.
    fn entering(&self, natural: LoopId, phi: InstructionId) -> Result<Vec<((BlockId, u32), CheckInput)>> {
        if self.rereads.function.instructions[phi].opcode != Opcode::Phi {
            return Err(Unchecked::NoPhi);
        }
        let entries = self.entries(natural).into_iter();
        let inputs = entries.map(|edge| {
            let pairs = self.rereads.function.operands_of(phi).chunks_exact(2);
            let value = pairs.filter(|pair| pair[1] == Value::Block(edge.from)).map(|pair| pair[0]).next();
            let input = match value {
                Some(Value::Constant(id)) => CheckInput::Number(self.constant(id)?),
                // A phi gets it from the end of the block, where it is known.
                Some(value @ (Value::Instruction(_) | Value::Argument(_))) => CheckInput::Value(value),
                _ => return Err(Unchecked::Code),
            };
            Ok(((edge.from, edge.slot), input))
        });
        inputs.collect()
    }

    /// The bits of a constant, without a sign.
    fn constant(&self, id: opcost_ir::ConstantId) -> Result<u64> {
        let constant = &self.rereads.module.constants[id];
        match self.rereads.module.types[constant.ty] {
            Type::Integer(bits @ 1..=64) => {
                let number =
                    number(&constant.text).ok_or_else(|| Unchecked::NoNumber(constant.text.to_string()))?;
                Ok(number as u64 & (u64::MAX >> (64 - bits)))
            }
            Type::Pointer(_) if constant.value == ConstantValue::Null => Ok(0),
            _ => Err(Unchecked::WideConstant(constant.text.to_string())),
        }
    }

    /// Right after an instruction.
    fn behind(&self, id: InstructionId) -> Result<EditPoint> {
        let block = self.rereads.function.block_of(id);
        let is_jump = self.rereads.function.call(id).is_some_and(|call| call.tail == TailKind::MustTail);
        match self.rereads.function.instructions[id].opcode {
            Opcode::Phi | Opcode::LandingPad => Ok(EditPoint::Start(block)),
            Opcode::Invoke => self.spot(block, 0),
            opcode if opcode.is_terminator() || is_jump => Err(Unchecked::NothingBehind),
            _ => Ok(EditPoint::Before(InstructionId::new(id.index() + 1))),
        }
    }

    fn spots_of(&self, moment: Moment) -> Result<Vec<EditPoint>> {
        match moment {
            Moment::Start => Ok(vec![EditPoint::Start(BlockId::new(0))]),
            Moment::Block(block) => Ok(vec![EditPoint::Start(block)]),
            Moment::Behind(id) => Ok(vec![self.behind(id)?]),
            Moment::Entry(header) => {
                let natural = self.rereads.forest.loop_with_header(header).ok_or(Unchecked::NoLoop)?;
                self.entries(natural).iter().map(|edge| self.spot(edge.from, edge.slot)).collect()
            }
        }
    }
}
