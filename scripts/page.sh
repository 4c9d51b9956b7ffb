#!/usr/bin/env bash
# The page as people meet it: headless Chromium, driven by playwright-core, with axe-core looking
# at every view.
#
# Usage: scripts/page.sh [install|check|shots|story|real]...   (install and check if nothing is named)
#
# Needs npm, node and Chromium, which is installed where apt-get can. What it installs goes to
# $PAGE_TOOLS, or to target/page-tools; after that everything stays on loopback. $PAGE_BINARY names
# another binary than the release build. Screenshots go to $PAGE_SHOTS, or to target/page-shots.
# Ends with 69 when something is missing and nobody can be reached who has it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=${PAGE_TOOLS:-target/page-tools}
mkdir -p "$tools"
tools=$(realpath "$tools")
here=$PWD/scripts/page
# Versions are exact: what passes today is to pass tomorrow.
NODE_TOOLS="playwright-core@1.65.0 axe-core@4.14.0"

unreachable() {
    echo "page: $1" >&2
    exit 69
}

install() {
    command -v node >/dev/null || unreachable "node is missing"
    if ! command -v chromium >/dev/null; then
        if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
            # A fresh machine has no list of packages, and finds none without.
            apt-get install -y -qq chromium fonts-dejavu-core >/dev/null 2>&1 ||
                { apt-get update -qq && apt-get install -y -qq chromium fonts-dejavu-core; } >/dev/null 2>&1 ||
                true
        fi
        command -v chromium >/dev/null || unreachable "chromium is missing"
    fi
    if [ "$(cat "$tools/node.installed" 2>/dev/null)" != "$NODE_TOOLS" ]; then
        command -v npm >/dev/null || unreachable "npm is missing"
        npm view axe-core version >/dev/null 2>&1 || unreachable "npm's registry cannot be reached"
        # shellcheck disable=SC2086
        (cd "$tools" && npm install --silent --no-audit --no-fund --no-save $NODE_TOOLS)
        echo "$NODE_TOOLS" >"$tools/node.installed"
    fi
}

# Packages are found from where a script lies.
drive() {
    local binary=${PAGE_BINARY:-target/release/nuthatch}
    [ -x "$binary" ] || cargo build --release --locked
    rm -rf "$tools/page"
    cp -r "$here" "$tools/page"
    PAGE_BINARY=$(realpath "$binary") PAGE_SHOTS=${PAGE_SHOTS:-$PWD/target/page-shots} \
        timeout 900 node "$tools/page/run.mjs" "$@"
}

check() {
    drive
}

shots() {
    drive shots
}

story() {
    drive story
}

# A real store of 100,000 memories, or of $MEMORIES. $PAGE_STORE names a file that has them already;
# filling one takes minutes, which is why `check` does without.
real() {
    drive real
}

for part in "${@:-install check}"; do
    for one in $part; do "$one"; done
done
