//! What do `memset`, `memcpy` and `memmove` become? A loop over elements.
//!
//! clang makes them of loops that fill and copy, and of arrays with a first value. The size of an
//! element is that of the other accesses of the memory, so loops are made when all of those are seen.
//! A move within one memory goes up or down, so that it reads each element before it is written.
//!
//! Input: what was noted while blocks were lowered. Output: nodes and blocks of the kernel. Cost:
//! linear. Limit: what is moved must be whole elements.

use opcost_ir::Predicate;
use opcost_key::{BlockId, InstructionId};

use super::candidates::YES;
use super::settle::{MemoryAccess, low_zeros};
use super::transfer::{Source, Transfer};
use super::{Frame, Lowering};
use crate::kernel::{Action, Factor, KernelOperand, MemoryId, MemoryKind, Terminator, all_bits};
use crate::refusal::CircuitRefusal;

/// Elements of a memory, of so many bytes each.
#[derive(Clone, Copy, Debug)]
struct Element {
    memory: MemoryId,
    size: u64,
}

/// Whether an intrinsic fills or moves memory.
pub(crate) fn is_transfer(name: &str) -> bool {
    ["llvm.memset.", "llvm.memcpy.", "llvm.memmove."].iter().any(|begin| name.starts_with(begin))
}

impl<'m> Lowering<'m> {
    /// Notes a call; the block that goes on after it.
    pub(crate) fn note_transfer(
        &mut self,
        frame: &mut Frame<'m>,
        before: BlockId,
        at: InstructionId,
        name: &str,
    ) -> Result<BlockId, CircuitRefusal> {
        let location = self.location_of(frame, at);
        let &[to, from, bytes, ..] = frame.body.arguments_of(at) else {
            return Err(self.no_operation(frame, at));
        };
        let candidates = self.candidates(frame, to, at)?;
        let sources: Vec<(Source, KernelOperand)> = match name.starts_with("llvm.memset.") {
            true => vec![(Source::Byte(self.value(frame, from, at)?.operand), YES)],
            false => {
                let candidates = self.candidates(frame, from, at)?;
                candidates
                    .iter()
                    .map(|candidate| {
                        (Source::Memory(candidate.position, candidate.memory), candidate.is_taken)
                    })
                    .collect()
            }
        };
        let bytes = self.value(frame, bytes, at)?.operand;
        // One loop after the other; of several candidates all but one move nothing.
        let mut current = before;
        for candidate in candidates {
            let memory = candidate.memory;
            if let MemoryKind::Table(_) = self.memories[memory].kind {
                return Err(CircuitRefusal::new(location, "constant data is written", "make it a variable"));
            }
            for &(source, is_read) in &sources {
                let is_taken = self.both(current, is_read, candidate.is_taken);
                let bytes = self.only_if(current, is_taken, bytes);
                let behind = self.new_block(location.clone());
                let (to, location) = (candidate.position, location.clone());
                let before = current;
                self.transfers.push(Transfer { to, memory, source, bytes, before, behind, location });
                current = behind;
            }
        }
        Ok(current)
    }

    /// A number, or zero.
    fn only_if(&mut self, block: BlockId, bit: KernelOperand, number: KernelOperand) -> KernelOperand {
        if bit == YES {
            return number;
        }
        let bits = match number {
            KernelOperand::Node(node) => self.nodes[node].bits,
            KernelOperand::Constant { bits, .. } => bits,
        };
        let zero = KernelOperand::Constant { bits, value: 0 };
        self.node(block, Action::Select, vec![bit, number, zero], bits).into()
    }

    /// Makes a loop of each call that was noted.
    pub(crate) fn carry_out_transfers(&mut self) -> Result<(), CircuitRefusal> {
        let transfers = std::mem::take(&mut self.transfers);
        let mut bits: Vec<u32> = vec![0; self.memories.len()];
        for access in &self.accesses {
            bits[opcost_index::Id::index(access.memory)] = access.bits;
        }
        for (&memory, &known) in self.elements {
            bits[opcost_index::Id::index(memory)] = known;
        }
        // Elements of a memory that is copied are those of the copy.
        for _ in 0..self.memories.len() {
            for (to, from) in transfers.iter().filter_map(|one| Some((one.memory, one.read()?))) {
                let [to, from] = [to, from].map(opcost_index::Id::index);
                let known = bits[to].max(bits[from]);
                for memory in [to, from].into_iter().filter(|&memory| bits[memory] == 0).collect::<Vec<_>>() {
                    bits[memory] = known;
                }
            }
        }
        for transfer in transfers {
            let both = [Some(transfer.memory), transfer.read()].into_iter().flatten();
            let known = both.map(|memory| bits[opcost_index::Id::index(memory)]).filter(|&bits| bits > 0);
            let element = known.min().unwrap_or(8);
            self.carry_out(&transfer, element)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, transfer: &Transfer, element: u32) -> Result<(), CircuitRefusal> {
        let size = u64::from(element / 8);
        for memory in [Some(transfer.memory), transfer.read()].into_iter().flatten() {
            let location = transfer.location.clone();
            self.accesses.push(MemoryAccess { memory, bits: element, is_part: false, location });
        }
        if low_zeros(&self.nodes, transfer.bytes, 8) < size.trailing_zeros() {
            let name = &self.memories[transfer.memory].name;
            let refusal = CircuitRefusal::new(
                transfer.location.clone(),
                format!("parts of {name} are moved that are perhaps no whole elements of {size} bytes"),
                "move whole elements by a loop",
            );
            return Err(refusal.unless_finer(transfer.memory, element / 2));
        }
        let [head, body] = [(); 2].map(|()| self.new_block(transfer.location.clone()));
        self.blocks[transfer.before].end = Terminator::Jump(head);
        self.blocks[transfer.behind].location = transfer.location.clone();
        // One bit more than the count has: an index is a number with sign.
        let (count, bits) = match transfer.bytes {
            KernelOperand::Constant { value, .. } => {
                let count = value / u128::from(size);
                let bits = 129 - count.leading_zeros();
                (KernelOperand::Constant { bits, value: count }, bits)
            }
            KernelOperand::Node(node) => {
                let bits = self.nodes[node].bits;
                let by = KernelOperand::Constant { bits, value: size.trailing_zeros().into() };
                let count = self.node(transfer.before, Action::LShr, vec![transfer.bytes, by], bits);
                (KernelOperand::Node(count), bits)
            }
        };
        let index = self.node(head, Action::Phi(vec![transfer.before, body]), Vec::new(), bits);
        let index_operand = KernelOperand::Node(index);
        let goes_on = self.node(head, Action::Compare(Predicate::Ult), vec![index_operand, count], 1);
        self.blocks[head].end = Terminator::Branch {
            condition: KernelOperand::Node(goes_on),
            then: body,
            otherwise: transfer.behind,
        };
        let constant = |value: u128| KernelOperand::Constant { bits, value };
        let mut place = index_operand;
        let to = self.based(transfer.before, transfer.to, transfer.memory);
        let value = match transfer.source {
            Source::Byte(byte) => self.repeated(transfer.before, byte, element),
            Source::Memory(from, memory) => {
                let from = self.based(transfer.before, from, memory);
                if memory == transfer.memory {
                    let down = self.node(transfer.before, Action::Compare(Predicate::Ugt), vec![to, from], 1);
                    let last = self.node(body, Action::Sub, vec![count, constant(1)], bits);
                    let back = self.node(body, Action::Sub, vec![last.into(), index_operand], bits);
                    let operands = vec![down.into(), back.into(), index_operand];
                    place = self.node(body, Action::Select, operands, bits).into();
                }
                let position = self.moved(body, from, place, Element { memory, size });
                self.node(body, Action::Load(memory), vec![position], element).into()
            }
        };
        let position = self.moved(body, to, place, Element { memory: transfer.memory, size });
        self.node(body, Action::Store(transfer.memory), vec![position, value], element);
        let next = self.node(body, Action::Add, vec![index_operand, constant(1)], bits);
        self.nodes[index].operands = vec![constant(0), next.into()];
        self.blocks[body].end = Terminator::Jump(head);
        Ok(())
    }

    /// A position that is known to be one of this memory.
    fn based(&mut self, block: BlockId, base: KernelOperand, memory: MemoryId) -> KernelOperand {
        let action = Action::Address { has_base: true, offset: 0, factors: Vec::new() };
        let node = self.node(block, action, vec![base], 64);
        self.positions.insert(node, memory);
        node.into()
    }

    /// So many elements after a position.
    fn moved(
        &mut self,
        block: BlockId,
        base: KernelOperand,
        by: KernelOperand,
        element: Element,
    ) -> KernelOperand {
        let Element { memory, size } = element;
        let factors = vec![Factor { times: size as i64, shift: 0 }];
        let action = Action::Address { has_base: true, offset: 0, factors };
        let node = self.node(block, action, vec![base, by], 64);
        self.positions.insert(node, memory);
        node.into()
    }

    /// An element of which each byte is this one.
    fn repeated(&mut self, block: BlockId, byte: KernelOperand, element: u32) -> KernelOperand {
        let ones = u128::from_le_bytes([1; 16]);
        let mask = all_bits(element);
        match byte {
            KernelOperand::Constant { value, .. } => {
                KernelOperand::Constant { bits: element, value: (value & 0xff).wrapping_mul(ones) & mask }
            }
            _ if element == 8 => byte,
            KernelOperand::Node(_) => {
                let wide = self.node(block, Action::Extend { signed: false }, vec![byte], element);
                let times = KernelOperand::Constant { bits: element, value: ones & mask };
                self.node(block, Action::Mul, vec![wide.into(), times], element).into()
            }
        }
    }
}
