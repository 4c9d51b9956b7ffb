#!/usr/bin/env bash
# Generated skills as others see them: the reference validator of the Agent Skills specification
# reads what the example of `nuthatch::consolidate` writes, and refuses what is broken on purpose.
#
# Usage: scripts/skills.sh [install|validate]...        (both if nothing is named)
#
# Needs Python 3. What it installs goes to $SKILLS_TOOLS, or to target/skills-tools. $SKILLS_EXAMPLE
# names a built example. Ends with 69 when the validator is not installed and cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

tools=${SKILLS_TOOLS:-target/skills-tools}
mkdir -p "$tools"
tools=$(realpath "$tools")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Exact: what passes today is to pass tomorrow.
VALIDATOR="skills-ref==0.1.1"

install() {
    python_tools "$tools" "$VALIDATOR"
}

validate() {
    install
    local example=${SKILLS_EXAMPLE:-} made=$scratch/made seen=0 skill
    if [ -n "$example" ]; then
        "$example" "$made"
    else
        cargo run --quiet --locked -p nuthatch --example consolidate -- "$made"
    fi
    for skill in "$made"/skills/*/; do
        "$tools/venv/bin/agentskills" validate "$skill" >"$scratch/log" 2>&1 ||
            { cat "$scratch/log"; return 1; }
        seen=$((seen + 1))
    done
    [ "$seen" -ge 3 ] || { echo "skills: only $seen were made" >&2; return 1; }
    # A validator that takes everything would prove nothing.
    mkdir "$scratch/broken"
    printf -- '---\nname: another-name\n---\nx\n' >"$scratch/broken/SKILL.md"
    ! "$tools/venv/bin/agentskills" validate "$scratch/broken" >"$scratch/log" 2>&1 ||
        { echo "skills: the validator took a broken skill" >&2; return 1; }
    echo "skills: $seen generated skills are valid by $VALIDATOR"
}

for part in "${@:-install validate}"; do
    for one in $part; do "$one"; done
done
