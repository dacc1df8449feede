//! Programs made up at random, with samples such as a profiler would take, and
//! the problem of repairing their counts. Shared by tests and the example.

use opcost_flow::convex::{Cost, Problem, VariableId};

/// A generator of pseudo-random numbers (Steele, Lea and Flood, "SplitMix").
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Between 0 and 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About Poisson with this mean: normal when large.
    pub(crate) fn samples(&mut self, mean: f64) -> f64 {
        if mean > 30.0 {
            let normal: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + normal * mean.sqrt()).round().max(0.0);
        }
        let (limit, mut product, mut count) = ((-mean).exp(), self.unit(), 0.0);
        while product > limit {
            product *= self.unit();
            count += 1.0;
        }
        count
    }
}

/// Blocks from 0, which is entered.
#[derive(Clone, Default)]
pub(crate) struct Function {
    pub(crate) blocks: usize,
    pub(crate) edges: Vec<(usize, usize)>,
    pub(crate) exits: Vec<usize>,
    /// Which block calls which function.
    pub(crate) calls: Vec<(usize, usize)>,
    /// Blocks that need not run when the function does.
    pub(crate) arms: Vec<usize>,
}

/// Function 0 is entered from outside.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
}

impl Program {
    /// Structured control flow with some jumps across it; calls go to later
    /// functions, near ones and a few popular ones.
    pub(crate) fn random(
        random: &mut Random,
        functions: usize,
        mean_blocks: usize,
        calls_per_block: f64,
    ) -> Self {
        let function = |number: usize, random: &mut Random| {
            let size = 2 + random.below(2 * mean_blocks - 2);
            let mut function = Function::random(random, size);
            let mut may_always = random.below(2);
            for block in 0..function.blocks {
                let later = functions - number - 1;
                let skippable = function.arms.contains(&block);
                let chance =
                    if skippable { 2.0 * calls_per_block } else { calls_per_block * may_always as f64 };
                if later > 0 && random.unit() < chance {
                    let popular = functions - 1 - random.below(later.min(functions / 50 + 1));
                    let near = number + 1 + random.below(later.min(40));
                    function.calls.push((block, if random.below(2) == 0 { popular } else { near }));
                    may_always *= usize::from(skippable);
                }
            }
            function
        };
        Self { functions: (0..functions).map(|number| function(number, random)).collect() }
    }

    pub(crate) fn blocks(&self) -> usize {
        self.functions.iter().map(|function| function.blocks).sum()
    }
}

impl Function {
    /// About `size` blocks: a chain whose links become branches and loops.
    pub(crate) fn random(random: &mut Random, size: usize) -> Self {
        let mut function = Self { blocks: 1, ..Self::default() };
        let mut last = 0;
        // Loops that are still open: their headers.
        let mut open: Vec<usize> = Vec::new();
        while function.blocks < size {
            match random.below(6) {
                0 => {
                    let header = function.append(last);
                    open.push(header);
                    last = header;
                }
                1 if !open.is_empty() => {
                    let header = open.pop().expect("one is open");
                    function.edges.push((last, header));
                    last = function.append(if random.below(2) == 0 { header } else { last });
                }
                2 | 3 => {
                    let arms = 2 + random.below(3) * random.below(2);
                    let ends: Vec<usize> = (1..arms).map(|_| function.append(last)).collect();
                    let join = function.append(last);
                    function.arms.extend(&ends);
                    function.edges.extend(ends.iter().map(|&end| (end, join)));
                    last = join;
                }
                4 if random.below(4) == 0 => {
                    let target = random.below(function.blocks);
                    function.edges.push((last, target));
                    last = function.append(last);
                }
                _ => last = function.append(last),
            }
        }
        function.exits.push(last);
        function
    }

    fn append(&mut self, from: usize) -> usize {
        self.edges.push((from, self.blocks));
        self.blocks += 1;
        self.blocks - 1
    }

    /// How often each block runs per entry, about, with random branches.
    fn frequencies(&self, random: &mut Random) -> Vec<f64> {
        let mut ways = vec![0.0; self.blocks];
        let weights: Vec<f64> = self.edges.iter().map(|_| random.unit().powi(3) + 1e-3).collect();
        for (&(from, _), weight) in self.edges.iter().zip(&weights) {
            ways[from] += weight;
        }
        for &exit in &self.exits {
            ways[exit] += 0.05;
        }
        let mut counts = vec![0.0; self.blocks];
        for _ in 0..60 {
            let mut next = vec![0.0; self.blocks];
            next[0] = 1.0;
            for (&(from, to), weight) in self.edges.iter().zip(&weights) {
                // In order of the blocks, what is known already is used.
                let source = if from < to { next[from] } else { counts[from] };
                next[to] += source * weight / ways[from];
            }
            counts = next;
        }
        counts
    }
}

/// Samples and expected samples per execution, by function and block.
pub(crate) struct Profile {
    pub(crate) samples: Vec<Vec<f64>>,
    pub(crate) cycles: Vec<Vec<f64>>,
}

impl Profile {
    /// About `total` samples of a run of the program.
    pub(crate) fn random(random: &mut Random, program: &Program, total: f64) -> Self {
        let count = program.functions.len();
        let mut entries = vec![0.0; count];
        entries[0] = 1.0;
        let mut runs: Vec<Vec<f64>> = Vec::new();
        for (number, function) in program.functions.iter().enumerate() {
            let entered: f64 = entries[number];
            let counts: Vec<f64> =
                function.frequencies(random).iter().map(|each| (each * entered).min(1e11)).collect();
            for &(block, callee) in &function.calls {
                if callee > number {
                    entries[callee] += counts[block];
                }
            }
            runs.push(counts);
        }
        let work: f64 = runs.iter().flatten().sum();
        let cycles: Vec<Vec<f64>> = (program.functions.iter())
            .map(|function| {
                (0..function.blocks).map(|_| (1.0 + 9.0 * random.unit()) * total / work / 5.0).collect()
            })
            .collect();
        let samples = (runs.iter().zip(&cycles))
            .map(|(runs, cycles)| {
                (runs.iter().zip(cycles))
                    // Costs are not known exactly either.
                    .map(|(run, cycles)| random_samples(random, run * cycles))
                    .collect()
            })
            .collect();
        Self { samples, cycles }
    }
}

fn random_samples(random: &mut Random, mean: f64) -> f64 {
    let wrong = 0.5 + random.unit();
    random.samples(mean * wrong)
}

/// The problem of repairing a profile.
pub(crate) struct Repair {
    pub(crate) problem: Problem,
    /// Variables by function: entry, blocks, edges, exits.
    pub(crate) entries: Vec<VariableId>,
    pub(crate) blocks: Vec<Vec<VariableId>>,
    pub(crate) edges: Vec<Vec<VariableId>>,
    pub(crate) exits: Vec<Vec<VariableId>>,
}

impl Repair {
    pub(crate) fn new(program: &Program, profile: &Profile) -> Self {
        let mut repair = Self {
            problem: Problem::new(),
            entries: Vec::new(),
            blocks: Vec::new(),
            edges: Vec::new(),
            exits: Vec::new(),
        };
        for (number, function) in program.functions.iter().enumerate() {
            repair.add_function(function, &profile.samples[number], &profile.cycles[number]);
        }
        repair.add_calls(program, profile);
        repair
    }

    fn add_function(&mut self, function: &Function, samples: &[f64], cycles: &[f64]) {
        let problem = &mut self.problem;
        let entry = problem.add_variable(Cost::Free);
        let blocks: Vec<VariableId> = (samples.iter().zip(cycles))
            .map(|(&samples, &cycles)| problem.add_variable(Cost::observed(samples, cycles, 0.1)))
            .collect();
        let edges: Vec<VariableId> =
            function.edges.iter().map(|_| problem.add_variable(Cost::Free)).collect();
        let exits: Vec<VariableId> =
            function.exits.iter().map(|_| problem.add_variable(Cost::Free)).collect();
        let mut into: Vec<Vec<(VariableId, f64)>> = blocks.iter().map(|&block| vec![(block, -1.0)]).collect();
        let mut out_of = into.clone();
        into[0].push((entry, 1.0));
        for (&(from, to), &edge) in function.edges.iter().zip(&edges) {
            out_of[from].push((edge, 1.0));
            into[to].push((edge, 1.0));
        }
        for (&from, &exit) in function.exits.iter().zip(&exits) {
            out_of[from].push((exit, 1.0));
        }
        for row in into.into_iter().chain(out_of) {
            problem.add_row(0.0, row);
        }
        self.entries.push(entry);
        self.blocks.push(blocks);
        self.edges.push(edges);
        self.exits.push(exits);
    }

    /// Entry = sum of the call sites' counts + calls nobody sees, which cost
    /// what some executions' worth of samples cost.
    fn add_calls(&mut self, program: &Program, profile: &Profile) {
        let mut callers: Vec<Vec<(VariableId, f64)>> =
            self.entries.iter().map(|&entry| vec![(entry, -1.0)]).collect();
        for (caller, function) in program.functions.iter().enumerate() {
            for &(block, callee) in &function.calls {
                callers[callee].push((self.blocks[caller][block], 1.0));
            }
        }
        for (number, mut row) in callers.into_iter().enumerate() {
            let price = if number == 0 { 0.0 } else { 5.0 * profile.cycles[number][0] };
            let unseen = self.problem.add_variable(Cost::Linear { price });
            row.push((unseen, 1.0));
            self.problem.add_row(0.0, row);
        }
    }
}
