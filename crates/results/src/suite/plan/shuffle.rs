//! A random order that its seed reproduces.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

/// The numbers below `count` in a random order.
pub(super) fn shuffled(count: usize, random: &mut Pcg64Mcg) -> Vec<u32> {
    // A plan has far fewer boards than this counts.
    let mut order: Vec<u32> = (0..u32::try_from(count).expect("a plan that can be held")).collect();
    for last in (1..count).rev() {
        order.swap(last, below(last + 1, random));
    }
    order
}

/// A random number below `count`.
pub(super) fn below(count: usize, random: &mut Pcg64Mcg) -> usize {
    usize::try_from(random.next_u64() % count as u64).expect("below a size")
}
