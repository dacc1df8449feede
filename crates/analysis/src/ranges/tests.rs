//! The referee of the domains: brute force over all numbers.

mod congruences;
mod floats;
mod floor;
mod intervals;
mod judge;
mod known_bits;
mod products;
mod reference;
mod sampled;
mod small_sets;
mod squares;
mod steps;
