//! A random order that its seed reproduces.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

/// The numbers below `count` in an order that `seed` decides.
pub(super) fn shuffled(count: usize, seed: u32) -> Vec<u32> {
    let mut random = Pcg64Mcg::new(u128::from(seed));
    // A plan has far fewer boards than this counts.
    let mut order: Vec<u32> = (0..u32::try_from(count).expect("a plan that can be held")).collect();
    for last in (1..count).rev() {
        let draw = random.next_u64() % (last as u64 + 1);
        order.swap(last, usize::try_from(draw).expect("not above `last`"));
    }
    order
}
