//! Which number comes next? The same after the same seed, on every machine.
//!
//! SplitMix64 (Steele, Lea and Flood, 2014): a counter and a mixer. Good enough
//! to choose among a few things, and nothing to depend on.

/// A sequence of numbers that look random.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // So that neighbouring seeds share nothing.
        let mut random = Self { state: seed.wrapping_mul(0xd134_2543_de82_ef95) };
        random.number();
        random
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`; 0 if that is 0. Its bias is below 2^-32 for ends
    /// below 2^32.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of them. Panics if there is none.
    pub fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }
}
