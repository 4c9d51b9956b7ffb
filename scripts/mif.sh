#!/usr/bin/env bash
# Exports as others see them: the validator of the Memory Interchange Format reads what
# `nuthatch export --format mif` writes, and refuses what is broken on purpose.
#
# Usage: scripts/mif.sh [install|validate]...        (both if nothing is named)
#
# Needs Python 3. What it installs goes to $MIF_TOOLS, or to target/mif-tools. $MIF_BINARY names a
# built nuthatch. Ends with 69 when the validator is not installed and cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

tools=${MIF_TOOLS:-target/mif-tools}
mkdir -p "$tools"
tools=$(realpath "$tools")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Exact: what passes today is to pass tomorrow.
VALIDATOR="mif-tools[validate]==0.2.2"

install() {
    python_tools "$tools" "$VALIDATOR"
}

validate() {
    install
    local nuthatch=${MIF_BINARY:-} made=$scratch/memories.json empty=$scratch/empty.json
    if [ -z "$nuthatch" ]; then
        cargo build --quiet --locked -p nuthatch-cli
        nuthatch=${CARGO_TARGET_DIR:-target}/debug/nuthatch
    fi
    nuthatch=$(realpath "$nuthatch")
    export NUTHATCH_HOME=$scratch/home
    "$nuthatch" export --quiet --format mif --output "$empty"
    "$nuthatch" remember --quiet --key editor --category preference --meta 'why="a review"' --pin 'uses "tabs"'
    "$nuthatch" edit --quiet editor 'uses spaces, 日本語, \ and "quotes"'
    printf 'first\n\n  second' | "$nuthatch" remember --quiet --scope user --note -
    "$nuthatch" remember --quiet --scope project:alpha --supersedes editor uses both
    "$nuthatch" export --quiet --format mif --output "$made"
    "$tools/venv/bin/mif" validate "$made" "$empty" || return 1
    # Ids, times and references, which the schema does not look at.
    "$tools/venv/bin/python" - "$made" <<'PYTHON'
import sys
from mif.registry import validate_deep
valid, problems = validate_deep(open(sys.argv[1], encoding="utf-8").read())
sys.exit(0 if valid else "mif: " + "; ".join(problems))
PYTHON
    # A validator that takes everything would prove nothing.
    sed 's/"content":/"contents":/' "$made" >"$scratch/broken.json"
    ! "$tools/venv/bin/mif" validate "$scratch/broken.json" >"$scratch/log" 2>&1 ||
        { echo "mif: the validator took a broken document" >&2; return 1; }
    echo "mif: exports are valid by $VALIDATOR"
}

for part in "${@:-install validate}"; do
    for one in $part; do "$one"; done
done
