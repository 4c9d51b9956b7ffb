#!/usr/bin/env bash
# Runs retrieval and updates over all development sets and checks every table against its
# rankings:
#
#     evals/report.sh DATA WORK > REPORT
#
# DATA holds `retrieval/<set>` and `updates`; WORK keeps the stores, so that a set is embedded
# once for all its tables, and the rankings. Progress goes to standard error.
set -euo pipefail

data=${1:?the folder of the data}
work=${2:?a folder to work in}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cargo build --release --quiet --manifest-path "$here/Cargo.toml" >&2
evals=${CARGO_TARGET_DIR:-$here/../target}/release/evals
mkdir -p "$work"

# One table: set, level, and whatever else retrieval takes.
table() {
    local set=$1 level=$2
    shift 2
    local name="$set-$level-$(printf '%s' "$*" | tr -c 'a-z0-9\n' '-' | tail -c 40)"
    printf '%s\n' "$name" >&2
    "$evals" retrieval --data "$data/retrieval/$set" --level "$level" \
        --store "sqlite:$work/$set.db" --rankings "$work/$name.jsonl" "$@" >"$work/$name.txt"
    cat "$work/$name.txt"
    "$here/recompute.py" --data "$data/retrieval/$set" --level "$level" \
        --rankings "$work/$name.jsonl" --compare "$work/$name.txt" | tail -n 1
    printf '\n'
}

printf '## retrieval\n\n'
table locomo_a turn --wrong "$data/retrieval/lme_dev"
table locomo_a session
table lme_dev turn --wrong "$data/retrieval/locomo_a"
table lme_dev session
table realmem_3 session
for mode in hybrid text vector; do
    table cosqa_dev turn --mode "$mode"
done

printf '## without the embedder\n\n'
table locomo_a turn --embedder none
table locomo_a session --embedder none
table lme_dev turn --embedder none
table lme_dev session --embedder none
table realmem_3 session --embedder none
table cosqa_dev turn --embedder none

printf '## lanes alone\n\n'
table locomo_a turn --mode vector
table lme_dev turn --mode vector

printf '## updates\n\n'
"$evals" updates --data "$data/updates"
