//! What does the state machine do? States, edges between blocks, and pipelines.
//!
//! Each edge between blocks is a wire that is one in the last cycle of the block that it leaves; with
//! it, phis of the block that it enters get their values, and that block's first state begins. A
//! pipeline's edge out is taken when no stage holds an iteration.

use opcost_index::Id;
use opcost_key::BlockId;

use super::nets::counter_bits;
use super::{At, ScalarPort, Writer, Writing, range};
use crate::kernel::{Action, KernelOperand, Terminator};

impl Writer<'_> {
    /// Writes states and edges.
    pub(super) fn control(&mut self) {
        let bits = self.state_bits;
        self.declarations.push(format!("  reg {}state; // one of {} states", range(bits), self.idle + 1));
        let idle = self.idle;
        self.control.push("  always @(posedge clk) begin".to_owned());
        self.control.push("    done <= 1'b0;".to_owned());
        self.control.push(format!("    if (rst) state <= {bits}'d{idle};"));
        self.control.push("    else begin".to_owned());
        self.control.push(format!("      if (state == {bits}'d{idle} && start) begin"));
        self.enter(BlockId::new(0));
        self.control.push("      end".to_owned());
        for block in self.kernel.blocks.ids() {
            if self.schedule.blocks[block].pipeline.is_some() {
                self.pipeline(block);
            } else {
                let first = self.states[block.index()];
                for state in first..first + self.schedule.blocks[block].length - 1 {
                    let at = self.at_state(state);
                    self.control.push(format!("      if ({at}) state <= {bits}'d{};", state + 1));
                }
                self.end(block);
            }
        }
        self.control.push("    end".to_owned());
        self.control.push("  end".to_owned());
    }

    /// The first state of a block is next.
    fn enter(&mut self, block: BlockId) {
        let state = self.states[block.index()];
        self.control.push(format!("        state <= {}'d{state};", self.state_bits));
        if let Some(pipeline) = &self.schedule.blocks[block].pipeline {
            let stages = self.schedule.blocks[block].length.div_ceil(pipeline.interval);
            self.control.push(format!("        b{}_VALID <= {stages}'d1;", block.index()));
            if pipeline.interval > 1 {
                let bits = counter_bits(pipeline.interval);
                self.control.push(format!("        b{}_PHASE <= {bits}'d0;", block.index()));
            }
        }
    }

    /// An edge: a wire, phis, and the state.
    fn edge(&mut self, from: BlockId, to: BlockId, condition: &str, at: At) {
        let mut name = format!("go_E{}_{}", from.index(), to.index());
        while !self.enables.insert(name.clone()) {
            name.push('x');
        }
        self.declare(&name, 1, "");
        self.assignments.push(format!("  assign {name} = {condition};"));
        for (phi, operand) in self.kernel.arriving(to, from) {
            let bits = self.wires.nodes[phi].bits;
            let view = self.view(operand, at);
            let value = self.field(&view, 0, bits, false);
            self.needed.entry(phi).or_insert(0);
            self.phi_writes.entry(phi).or_default().push(Writing { enable: name.clone(), value });
        }
        self.control.push(format!("      if ({name}) begin"));
        self.enter(to);
        self.control.push("      end".to_owned());
    }

    /// How a block that is no pipeline ends.
    fn end(&mut self, block: BlockId) {
        let last = self.schedule.blocks[block].length - 1;
        let here = At { block, cycle: Some(last) };
        let at = self.at_state(self.states[block.index()] + last);
        match self.kernel.blocks[block].end.clone() {
            Terminator::Jump(to) => self.edge(block, to, &at, here),
            Terminator::Branch { then, otherwise, .. } if then == otherwise => {
                self.edge(block, then, &at, here);
            }
            Terminator::Branch { condition, then, otherwise } => {
                let view = self.view(condition, here);
                let condition = self.field(&view, 0, 1, false);
                self.edge(block, then, &format!("{at} & {condition}"), here);
                self.edge(block, otherwise, &format!("{at} & ~{condition}"), here);
            }
            Terminator::Switch { on, cases, otherwise } => self.switch(here, on, &cases, otherwise),
            Terminator::Return(value) => self.finished(&at, value, here),
            Terminator::Never => self.finished(&at, None, here),
        }
    }

    fn switch(&mut self, here: At, on: KernelOperand, cases: &[(u128, BlockId)], otherwise: BlockId) {
        let at = self.at_state(self.states[here.block.index()] + here.cycle.unwrap_or(0));
        let bits = self.kernel.bits(on);
        let view = self.view(on, here);
        let value = self.field(&view, 0, bits, false);
        let tests: Vec<(String, BlockId)> =
            cases.iter().map(|&(number, to)| (format!("({value} == {bits}'d{number})"), to)).collect();
        // Cases that lead to one block share its edge.
        let mut targets: Vec<BlockId> =
            tests.iter().map(|&(_, to)| to).filter(|&to| to != otherwise).collect();
        targets.sort_unstable();
        targets.dedup();
        let any = |of: &dyn Fn(BlockId) -> bool| {
            let all = tests.iter().filter(|&&(_, to)| of(to)).map(|(test, _)| test.clone());
            all.collect::<Vec<_>>().join(" | ")
        };
        for &to in &targets {
            let condition = any(&|one| one == to);
            self.edge(here.block, to, &format!("{at} & ({condition})"), here);
        }
        let elsewhere = any(&|one| one != otherwise);
        let condition = if elsewhere.is_empty() { at } else { format!("{at} & ~({elsewhere})") };
        self.edge(here.block, otherwise, &condition, here);
    }

    /// The function returns.
    fn finished(&mut self, at: &str, value: Option<KernelOperand>, here: At) {
        if let (Some(value), Some(declared)) = (value, self.kernel.result) {
            let (bits, signed) = self.result_width();
            let view = self.view(value, here);
            let field = self.field(&view, 0, bits, false);
            self.other_writes.push(("result".to_owned(), Writing { enable: at.to_owned(), value: field }));
            if self.result.is_none() {
                let sign = if signed { " with sign" } else { "" };
                self.ports.push(format!(
                    "  output reg {}result // the result, i{declared}; {bits} bits{sign} hold all that is returned",
                    range(bits)
                ));
                self.result =
                    Some(ScalarPort { name: "result".to_owned(), parameter: 0, bits, declared, signed });
            }
        }
        self.control.push(format!("      if ({at}) begin"));
        self.control.push("        done <= 1'b1;".to_owned());
        self.control.push(format!("        state <= {}'d{};", self.state_bits, self.idle));
        self.control.push("      end".to_owned());
    }

    /// Bits that hold whatever is returned, and whether the highest is the sign.
    fn result_width(&self) -> (u32, bool) {
        let declared = self.kernel.result.unwrap_or(1);
        let (mut plain, mut with_sign) = (1, 0);
        for block in self.kernel.blocks.values() {
            if let Terminator::Return(Some(value)) = block.end {
                match crate::widths::operand_width(self.kernel, self.wires, value) {
                    (bits, true) => with_sign = with_sign.max(bits),
                    (bits, false) => plain = plain.max(bits),
                }
            }
        }
        match with_sign {
            0 => (plain.min(declared), false),
            _ if with_sign.max(plain + 1) >= declared => (declared, false),
            _ => (with_sign.max(plain + 1), true),
        }
    }

    /// A loop whose iterations overlap: its phase, its stages, and its end.
    fn pipeline(&mut self, block: BlockId) {
        let scheduled = &self.schedule.blocks[block];
        let pipeline = scheduled.pipeline.clone().expect("the caller looked");
        let (interval, stages) = (pipeline.interval, scheduled.length.div_ceil(pipeline.interval));
        let (valid, number) = (format!("b{}_VALID", block.index()), block.index());
        let Terminator::Branch { condition, then, otherwise } = self.kernel.blocks[block].end else {
            unreachable!("a pipeline ends in a branch");
        };
        let at = self.at_state(self.states[number]);
        self.declarations.push(format!(
            "  reg {}{valid}; // which of its {stages} stages hold an iteration",
            range(stages)
        ));
        let view = self.view(condition, At { block, cycle: Some(pipeline.decided) });
        let stays = self.field(&view, 0, 1, false);
        let stays = if then == block { stays } else { format!("~{stays}") };
        let again = if pipeline.decided + 1 == interval {
            stays
        } else {
            let name = format!("b{number}_AGAIN");
            self.declare_register(&name, 1, "// whether another iteration follows");
            self.use_all(&name);
            let enable = self.enable(block, pipeline.decided);
            self.other_writes.push((name.clone(), Writing { enable, value: stays }));
            name
        };
        let first = if stages == 1 { valid.clone() } else { format!("{valid}[0]") };
        let next = match stages {
            1 => format!("{first} & {again}"),
            2 => format!("{{{valid}[0], {first} & {again}}}"),
            _ => format!("{{{valid}[{}:0], {first} & {again}}}", stages - 2),
        };
        self.control.push(format!("      if ({at}) begin"));
        if interval > 1 {
            let (phase, bits) = (format!("b{number}_PHASE"), counter_bits(interval));
            self.declarations.push(format!(
                "  reg {}{phase}; // cycles since an iteration began, below {interval}",
                range(bits)
            ));
            let last = format!("{phase} == {bits}'d{}", interval - 1);
            self.control.push(format!("        {phase} <= ({last}) ? {bits}'d0 : {phase} + {bits}'d1;"));
            self.control.push(format!("        if ({last}) {valid} <= {next};"));
        } else {
            self.control.push(format!("        {valid} <= {next};"));
        }
        self.control.push("      end".to_owned());
        for &phi in &self.kernel.blocks[block].nodes {
            self.carry(block, phi);
        }
        let exit = if then == block { otherwise } else { then };
        self.edge(block, exit, &format!("{at} & ({valid} == {stages}'d0)"), At { block, cycle: None });
    }

    /// A phi of a pipeline takes what the iteration before computed, as soon as it is there.
    fn carry(&mut self, block: BlockId, phi: crate::kernel::NodeId) {
        if !matches!(self.kernel.nodes[phi].action, Action::Phi(_)) {
            return;
        }
        let Some(ready) = self.carried(phi) else { return };
        let back = self.kernel.arriving(block, block).into_iter().find(|&(one, _)| one == phi);
        let Some((_, operand)) = back else { return };
        let bits = self.wires.nodes[phi].bits;
        let view = self.view(operand, At { block, cycle: Some(ready) });
        let value = self.field(&view, 0, bits, false);
        let enable = self.enable(block, ready);
        self.needed.entry(phi).or_insert(0);
        self.phi_writes.entry(phi).or_default().push(Writing { enable, value });
    }
}
