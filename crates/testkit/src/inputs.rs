//! With which arguments is a function to be run? With all, or with enough.
//!
//! Where there are more than the caller wants, those at the corners of each
//! type come first (0, 1, 2, the largest and least of both signs, their
//! neighbours), in all combinations as far as there is room, and then random
//! ones. The same list each time.

use crate::random::Random;
use crate::scalar::{Scalar, mask};

/// Arguments of parameters of these widths, in bits: every combination where
/// there are `most` at most, else `most` of them.
pub fn all_inputs(parameters: &[u32], most: usize) -> Vec<Vec<Scalar>> {
    let bits: u32 = parameters.iter().sum();
    if bits < usize::BITS && 1usize << bits <= most {
        return (0..1u128 << bits).map(|number| split(number, parameters)).collect();
    }
    let corners: Vec<Vec<u128>> = parameters.iter().map(|&width| corners(width)).collect();
    let combinations = corners.iter().fold(1usize, |product, one| product.saturating_mul(one.len()));
    let mut inputs: Vec<Vec<Scalar>> = (0..combinations.min(most.div_ceil(2)))
        .map(|number| {
            let mut rest = number;
            let parts = parameters.iter().zip(&corners).map(|(&width, corners)| {
                let corner = corners[rest % corners.len()];
                rest /= corners.len();
                Scalar::integer(width, corner)
            });
            parts.collect()
        })
        .collect();
    let mut random = Random::new(u64::from(bits));
    while inputs.len() < most {
        let high = u128::from(random.number()) << 64;
        let one = parameters.iter().map(|&width| {
            Scalar::integer(width, (high | u128::from(random.number())) >> random.below(u64::from(width)))
        });
        inputs.push(one.collect());
    }
    inputs
}

fn split(mut number: u128, parameters: &[u32]) -> Vec<Scalar> {
    let part = |&width: &u32| {
        let value = Scalar::integer(width, number);
        number >>= width;
        value
    };
    parameters.iter().map(part).collect()
}

fn corners(width: u32) -> Vec<u128> {
    let (all, least) = (mask(width), 1u128 << (width - 1));
    let mut corners = vec![0, 1, 2, 3, 7, all, all - 1, least, least - 1, least.wrapping_add(1)];
    corners.iter_mut().for_each(|corner| *corner &= all);
    corners.sort_unstable();
    corners.dedup();
    corners
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::all_inputs;

    fn numbers(parameters: &[u32], most: usize) -> Vec<Vec<u128>> {
        let inputs = all_inputs(parameters, most);
        inputs.iter().map(|input| input.iter().filter_map(crate::Scalar::bits).collect()).collect()
    }

    #[test]
    fn few_are_all_of_them() {
        let inputs = numbers(&[3, 2], 32);
        let distinct: HashSet<_> = inputs.iter().cloned().collect();
        assert_eq!((inputs.len(), distinct.len()), (32, 32));
        assert!(inputs.iter().all(|input| input[0] < 8 && input[1] < 4));
        assert_eq!(numbers(&[8, 8], 1 << 16).len(), 1 << 16);
        assert_eq!(numbers(&[], 5), [Vec::<u128>::new()]);
    }

    #[test]
    fn many_begin_with_their_corners() {
        let inputs = numbers(&[16], 30);
        assert_eq!(inputs.len(), 30);
        for corner in [0, 1, 0x7fff, 0x8000, 0xffff] {
            assert!(inputs[..10].contains(&vec![corner]), "{corner}");
        }
        let inputs = numbers(&[8, 128], 1000);
        let distinct: HashSet<_> = inputs.iter().cloned().collect();
        assert!(inputs.len() == 1000 && distinct.len() > 500);
        assert!(inputs.iter().any(|input| input[1] >> 100 != 0), "wide ones are wide");
        assert_eq!(inputs, numbers(&[8, 128], 1000));
    }
}
