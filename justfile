# Short names for the project's common commands; `just` lists them (https://just.systems).

_default:
    @just --list

# the first set of tests, or those whose name contains FILTER
test FILTER='':
    cargo build -p referee --examples
    cargo test --workspace {{ FILTER }}

# the second set of tests: slow ones that rarely fail
heavy FILTER='heavy':
    cargo build -p referee --examples
    cargo test --workspace {{ FILTER }} -- --ignored

# formatting, English, floors, sizes and clippy
check:
    cargo fmt --all --check
    scripts/english.py
    scripts/floors.py
    scripts/size
    cargo clippy --workspace --all-targets --locked -- -D warnings

# what the referee costs, or one of the figures
bench NAME='':
    cargo bench -- {{ NAME }}

# the guide as a book, in book/
book:
    mdbook build docs

# the packages in dist, or some of: crates archive deb image
release *PARTS:
    scripts/release {{ PARTS }}

# everything that a change must pass; needs Debian and root
gate:
    .ci/run
