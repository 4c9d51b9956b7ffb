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

# All of CI: lint, then test, then one line with the totals.
check:
    .ci/run

# Wall-clock benchmarks (criterion).
bench:
    cargo bench --workspace --locked --bench 'speed*'

# Instruction counts under callgrind; needs valgrind and a matching gungraun-runner.
count:
    cargo bench --workspace --locked --bench 'count*'

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
