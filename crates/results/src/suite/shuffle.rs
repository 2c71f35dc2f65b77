//! A random order that anybody can make again.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

/// The numbers below `count` in an order that `seed` decides.
pub(super) fn shuffled(count: usize, seed: u32) -> Vec<usize> {
    let mut random = Pcg64Mcg::new(u128::from(seed));
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let draw = random.next_u64() % (last as u64 + 1);
        order.swap(last, usize::try_from(draw).expect("not above `last`"));
    }
    order
}
