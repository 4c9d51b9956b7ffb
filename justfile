# The commands of this repository. CI runs `.ci/run`, which is `just check`.

# List the recipes.
default:
    @just --list

# Format every source file.
fmt:
    cargo fmt --all

# Format check and clippy, warnings as errors.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Every test of every crate.
test:
    cargo test --workspace --locked

# The tests of the crate for rig, which is a workspace of its own.
test-rig:
    CARGO_TARGET_DIR=target cargo test --manifest-path crates/nuthatch-rig/Cargo.toml --locked

# All of CI: lint, then test, then one line with the totals.
check:
    .ci/run

# Wall-clock benchmarks (criterion); with NUTHATCH_BENCH=full up to 100,000 memories.
bench:
    cargo bench --workspace --locked --bench 'speed*'

# Instruction counts under callgrind; needs valgrind. Fetches the runner once: its version
# must be that of the library.
count:
    cargo install --quiet --locked --root target/tools gungraun-runner --version "$(cargo pkgid gungraun | sed 's/.*@//')"
    PATH="$PWD/target/tools/bin:$PATH" cargo bench --workspace --locked --bench 'count*'

# One recall from process start to exit, beside the sqlite3 shell; needs python3 and sqlite3.
cold-start:
    scripts/cold-start

# Quality and speed on labelled data outside the repository: `just eval secrets --data DIR`.
eval *arguments:
    cargo run --release --locked -p evals -- {{arguments}}

# The long tests: kill -9 in the middle of writes, many processes on one store.
full-durability:
    cargo test --workspace --locked -- --ignored

# API documentation, broken links as errors.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Licences, banned crates and sources of dependencies; needs cargo-deny.
deny:
    cargo deny --locked check licenses bans sources
