//! What does a circuit become on a chip? yosys and nextpnr, where they are.
//!
//! yosys makes a netlist of cells, whose kinds are counted. Where the circuit is simulated, the netlist is
//! simulated, too, with the same inputs: a tool between us and the chip may be wrong, and its nets show how
//! much is switched. nextpnr places the circuit in its frame of registers once for each seed, and says what
//! clock is reached. What is missing is named, and the rest is done without it.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;
use opcost_answer::hdl::HdlSynthesis;
use serde_json::Value;

use super::cosimulation::{Outcome, Simulated};
use super::switching::FanOuts;
use super::tool::carry_out;
use super::{Chip, Circuit};
use crate::progress::work;

/// The netlist's nets are called so and by a number.
const NET: &str = "opcost_net_";

impl Circuit<'_> {
    /// Synthesises the circuit for a chip, and places it with so many seeds.
    ///
    /// # Errors
    /// A tool that is here failed, or wrote something that cannot be read.
    pub(super) fn synthesise(&self, chip: Chip, seeds: u32) -> Result<HdlSynthesis, Failure> {
        let _working = work("synthesising");
        let synthesis = Synthesis { circuit: self, name: self.name(), chip };
        let mut all = HdlSynthesis { target: chip.word().to_owned(), ..HdlSynthesis::default() };
        let made = synthesis.make_netlist(&mut all);
        match made.and_then(|()| synthesis.placements(seeds, &mut all)) {
            Ok(()) => Ok(all),
            Err(Failure::ToolMissing { tool, remedy }) => {
                all.missing.push(format!("{tool}: {remedy}"));
                Ok(all)
            }
            Err(failure) => Err(failure),
        }
    }
}

struct Synthesis<'a> {
    circuit: &'a Circuit<'a>,
    name: &'a str,
    chip: Chip,
}

impl Synthesis<'_> {
    fn read(&self, end: &str) -> Result<Value, Failure> {
        let path = self.circuit.file(end);
        let file = File::open(&path).map_err(Failure::file("read", &path))?;
        serde_json::from_reader(BufReader::new(file)).map_err(|error| Failure::Module {
            module: path.display().to_string(),
            message: format!("it is no JSON: {error}"),
        })
    }

    fn yosys(&self, script: &str) -> Result<(), Failure> {
        let mut yosys = Command::new("yosys");
        yosys.current_dir(&self.circuit.request.folder).args(["-q", "-p", script]);
        carry_out(&mut yosys, "apt-get install yosys").map(|_| ())
    }

    /// Cells, and the netlist against C.
    fn make_netlist(&self, all: &mut HdlSynthesis) -> Result<(), Failure> {
        let (name, make) = (self.name, self.chip.pass());
        self.yosys(&format!(
            "read_verilog {name}.v; {make} -top {name}; splitnets; rename -hide w:*; rename -enumerate -pattern \
             {NET}%; write_json {name}_netlist.json; write_verilog -noattr {name}_netlist.v"
        ))?;
        let netlist = self.read("_netlist.json")?;
        let cells = netlist["modules"][name]["cells"].as_object();
        let kinds: Vec<&str> = cells
            .into_iter()
            .flat_map(|cells| cells.values())
            .filter_map(|cell| cell["type"].as_str())
            .collect();
        let count = |is_it: &dyn Fn(&str) -> bool| kinds.iter().filter(|kind| is_it(kind)).count() as u64;
        let begin = |kind: &str, words: &[&str]| words.iter().any(|word| kind.starts_with(word));
        all.luts = Some(count(&|kind| begin(kind, &["SB_LUT4", "LUT"])));
        all.flip_flops = Some(count(&|kind| begin(kind, &["SB_DFF", "TRELLIS_FF", "FD"])));
        all.carries = Some(count(&|kind| begin(kind, &["SB_CARRY", "CCU2C", "CARRY4"])));
        all.block_rams = Some(count(&|kind| begin(kind, &["SB_RAM40", "DP16KD", "RAMB"])));
        all.multipliers = Some(count(&|kind| begin(kind, &["SB_MAC16", "MULT18X18D", "DSP48"])));
        if !self.circuit.request.simulates() {
            return Ok(());
        }
        let Some(cells) = self.cells() else {
            all.missing.push(format!("models of the cells of {}: they come with yosys", self.chip.word()));
            return Ok(());
        };
        let sources = vec![format!("{name}_netlist.v").into(), cells];
        let waves = format!("{name}_netlist.vcd");
        let what = Simulated { sources, testbench: format!("{name}_testbench.v") };
        let plus = [format!("+nets={waves}")];
        let Outcome { mut simulation, outside } = self.circuit.simulate(&what, &plus)?;
        // In a run it is known from the Verilog how many calls are none of the circuit's.
        match self.circuit.request.is_replayed() {
            true => simulation.runs -= outside,
            false => simulation.wrong += outside,
        }
        let path = self.circuit.file("_netlist.vcd");
        let waveform = BufReader::new(File::open(&path).map_err(Failure::file("read", &path))?);
        let fan_outs = FanOuts::of(&netlist, name).ok_or_else(|| Failure::Module {
            module: name.to_owned(),
            message: "yosys wrote a netlist without cells".to_owned(),
        })?;
        let switched = fan_outs.switched(waveform).map_err(Failure::file("read", &path))?;
        // It is large, and what it is for is done.
        std::fs::remove_file(&path).map_err(Failure::file("remove", &path))?;
        all.netlist = Some(simulation);
        all.switched_capacitance = Some(switched as f64 / simulation.cycles.max(1) as f64);
        Ok(())
    }

    /// Models of the chip's cells, which are installed with yosys.
    fn cells(&self) -> Option<PathBuf> {
        let folders = std::env::var_os("PATH")?;
        let yosys = std::env::split_paths(&folders).find(|folder| folder.join("yosys").is_file())?;
        let cells = Path::new("share/yosys").join(self.chip.word()).join("cells_sim.v");
        Some(yosys.parent()?.join(cells)).filter(|path| path.is_file())
    }

    /// Clocks that are reached, one for each seed.
    fn placements(&self, seeds: u32, all: &mut HdlSynthesis) -> Result<(), Failure> {
        let (name, pass) = (self.name, self.chip.pass());
        let Some((tool, flags)) = self.chip.placer() else {
            all.missing.push(format!(
                "a tool that places circuits on {}: take {name}_frame.v to your vendor's",
                self.chip.word()
            ));
            return Ok(());
        };
        if seeds == 0 {
            return Ok(());
        }
        self.yosys(&format!(
            "read_verilog {name}.v {name}_frame.v; {pass} -top {name}_frame -json {name}_frame.json"
        ))?;
        let megahertz = 1_000_000 / self.circuit.request.wish.limits.period.max(1);
        for seed in 1..=seeds {
            let mut placer = Command::new(tool);
            placer.current_dir(&self.circuit.request.folder).args(flags).args(["-q", "--timing-allow-fail"]);
            placer.args(["--json", &format!("{name}_frame.json"), "--report", &format!("{name}_clock.json")]);
            placer.args(["--seed", &seed.to_string(), "--freq", &megahertz.to_string()]);
            match carry_out(&mut placer, &format!("apt-get install {tool}, if your system has it")) {
                // What does not fit is still a netlist.
                Err(Failure::Module { message, .. }) => {
                    all.missing.push(format!("a placement: {tool} says {message}"));
                    return Ok(());
                }
                done => done?,
            };
            let report = self.read("_clock.json")?;
            let clocks = report["fmax"].as_object();
            let reached = clocks.into_iter().flat_map(|clocks| clocks.values());
            let slowest = reached.filter_map(|clock| clock["achieved"].as_f64()).min_by(f64::total_cmp);
            all.fmax_mhz.extend(slowest);
        }
        Ok(())
    }
}

impl Chip {
    /// The word, which is the name of yosys' folder, too.
    fn word(self) -> &'static str {
        match self {
            Chip::Ice40 => "ice40",
            Chip::Ecp5 => "ecp5",
            Chip::Xilinx => "xilinx",
        }
    }

    /// What yosys calls its synthesis.
    fn pass(self) -> &'static str {
        match self {
            Chip::Ice40 => "synth_ice40",
            Chip::Ecp5 => "synth_ecp5",
            Chip::Xilinx => "synth_xilinx",
        }
    }

    /// What places circuits on it, with flags for a chip that is large enough.
    fn placer(self) -> Option<(&'static str, &'static [&'static str])> {
        match self {
            Chip::Ice40 => Some(("nextpnr-ice40", &["--hx8k", "--package", "ct256"])),
            Chip::Ecp5 => Some(("nextpnr-ecp5", &["--85k", "--package", "CABGA756"])),
            Chip::Xilinx => None,
        }
    }
}
