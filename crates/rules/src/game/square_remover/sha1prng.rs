//! Java's `SecureRandom` of the algorithm "SHA1PRNG", and `Random.nextInt` on top of it.
//!
//! The original tester draws its test cases from the provider SUN's algorithm
//! (`sun.security.provider.SecureRandom` in `OpenJDK`, with `java.util.Random.nextInt(int)`). The
//! statement's example cases and 1,999 measured ones confirm it. It is not cryptographically secure.

use sha1::{Digest, Sha1};

const BLOCK_BYTES: usize = 20;

/// A generator in the state that `setSeed(long)` leaves behind.
#[derive(Debug, Clone)]
pub(super) struct Sha1Prng {
    state: [u8; BLOCK_BYTES],
    output: [u8; BLOCK_BYTES],
    /// How much of `output` has been used.
    used: usize,
}

impl Sha1Prng {
    /// Seeds with the eight bytes of `seed`, the least significant first. (Java ignores a seed of 0
    /// and stays unseeded; this generator does not accept 0.)
    pub(super) fn new(seed: i64) -> Self {
        debug_assert_ne!(seed, 0, "Java does not seed with 0");
        let state = Sha1::digest(seed.to_le_bytes()).into();
        Self { state, output: [0; BLOCK_BYTES], used: BLOCK_BYTES }
    }

    /// `Random.nextInt(int bound)`: uniform in `0..bound`.
    pub(super) fn next_int(&mut self, bound: i32) -> i32 {
        let max = bound - 1;
        let mut draw = self.next_31_bits();
        if bound & max == 0 {
            // A power of two takes the high bits.
            let high = (i64::from(bound) * i64::from(draw)) >> 31;
            return i32::try_from(high).expect("below the bound");
        }
        loop {
            let result = draw % bound;
            // Java's overflow check: negative when the draw lies in the last, incomplete stretch.
            if draw.wrapping_sub(result).wrapping_add(max) >= 0 {
                return result;
            }
            draw = self.next_31_bits();
        }
    }

    /// `SecureRandom.next(31)`: four bytes, the first the highest, and the lowest bit dropped.
    fn next_31_bits(&mut self) -> i32 {
        let bytes = [self.next_byte(), self.next_byte(), self.next_byte(), self.next_byte()];
        (u32::from_be_bytes(bytes) >> 1).cast_signed()
    }

    fn next_byte(&mut self) -> u8 {
        if self.used == BLOCK_BYTES {
            self.output = Sha1::digest(self.state).into();
            self.advance();
            self.used = 0;
        }
        self.used += 1;
        self.output[self.used - 1]
    }

    /// The state becomes state + output + 1 as numbers of 20 bytes, the lowest byte first. Java's
    /// bytes are signed, and so is the carry.
    fn advance(&mut self) {
        let before = self.state;
        let mut carry = 1_i32;
        for (state, &output) in self.state.iter_mut().zip(&self.output) {
            let sum = i32::from(state.cast_signed()) + i32::from(output.cast_signed()) + carry;
            *state = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }
        if self.state == before {
            self.state[0] = self.state[0].wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_java() {
        // Printed by SecureRandom.getInstance("SHA1PRNG") on OpenJDK 17 after setSeed(seed).
        for (seed, expected) in KNOWN {
            let mut random = Sha1Prng::new(seed);
            let found = BOUNDS.map(|bound| random.next_int(bound));
            assert_eq!(found, expected, "seed {seed}");
        }
    }

    const BOUNDS: [i32; 12] = [3, 9, 2_147_483_646, 4, 5, 6, 1_073_741_825, 1 << 30, 1, 2, 1000, 7];

    #[expect(clippy::unreadable_literal, reason = "as Java prints them")]
    const KNOWN: [(i64, [i32; 12]); 6] = [
        (1, [1, 6, 857377960, 3, 1, 5, 807202676, 215409215, 0, 1, 346, 4]),
        (2, [0, 3, 55004691, 0, 2, 5, 755723728, 628146022, 0, 0, 640, 6]),
        (-1, [2, 1, 247376789, 2, 4, 0, 1004194302, 244461733, 0, 0, 729, 2]),
        (123456789012, [0, 0, 1697358836, 0, 2, 5, 400672117, 23639335, 0, 0, 841, 2]),
        (i64::MAX, [1, 2, 2123652835, 0, 0, 2, 549789998, 165244576, 0, 1, 724, 1]),
        (i64::MIN, [2, 4, 1806992031, 2, 2, 5, 229487603, 569464679, 0, 0, 251, 6]),
    ];

    #[test]
    fn a_long_stream_is_that_of_java() {
        // The same 100,000 draws on OpenJDK 17, summed up as `sum = sum * 31 + draw`.
        let mut random = Sha1Prng::new(77);
        let sum = (0..100_000).fold(0_i64, |sum, _| {
            sum.wrapping_mul(31).wrapping_add(i64::from(random.next_int(1_000_003)))
        });
        assert_eq!(sum, 8_433_966_408_117_473_846);
    }
}
