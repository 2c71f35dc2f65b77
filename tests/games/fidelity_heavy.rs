//! All games that were measured on the original, played by processes; the first set plays one in six.

use crate::games::fidelity::matches_agree_with_the_original;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn matches_agree_with_the_original_in_all_1199_games() {
    matches_agree_with_the_original(1);
}
