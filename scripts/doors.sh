#!/usr/bin/env bash
# The doors as others see them: the official MCP conformance suite and Inspector, the official
# Python and TypeScript SDKs, Schemathesis, and start time beside another memory server.
#
# Usage: scripts/doors.sh [install|conformance|fixture|inspector|clients|registered|schema|startup]...
#        (everything if nothing is named)
#
# Needs npm and Python 3. What it installs goes to $DOORS_TOOLS, or to target/doors-tools; after
# that everything stays on loopback. $DOORS_BINARY names another binary than the release build.
# Ends with 69 when the tools are not installed and nobody can be reached who has them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

tools=${DOORS_TOOLS:-target/doors-tools}
mkdir -p "$tools"
tools=$(realpath "$tools")
here=$PWD/scripts/doors
scratch=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT
# Nothing of this user's: neither memories nor settings of the tools.
export HOME=$scratch/home NUTHATCH_HOME=$scratch/nuthatch
mkdir -p "$HOME"

# Versions are exact: what passes today is to pass tomorrow.
NODE_TOOLS="node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12
    @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2
    @modelcontextprotocol/server-memory@2026.8.31"
PYTHON_TOOLS="mcp==2.3.0 schemathesis==4.32.5"

# What cannot be reached is one thing; what is reached and does not install is a failure.
unreachable() {
    echo "doors: $1 cannot be reached, and its tools are not installed" >&2
    exit 69
}

node_tools() {
    if [ "$(cat "$tools/node.installed" 2>/dev/null)" != "$NODE_TOOLS" ]; then
        command -v npm >/dev/null || unreachable "npm"
        npm view node@22 version >/dev/null 2>&1 || unreachable "npm's registry"
        # shellcheck disable=SC2086
        (cd "$tools" && npm install --silent --no-audit --no-fund --no-save $NODE_TOOLS)
        echo "$NODE_TOOLS" >"$tools/node.installed"
    fi
    export PATH=$tools/node_modules/.bin:$PATH
}

clients_of_python() {
    # shellcheck disable=SC2086
    python_tools "$tools" $PYTHON_TOOLS
}

install() {
    node_tools
    clients_of_python
}

# The binary, built if it is not there.
binary=
needs_binary() {
    [ -z "$binary" ] || return 0
    binary=${DOORS_BINARY:-target/release/nuthatch}
    [ -x "$binary" ] || cargo build --release --locked
    binary=$(realpath "$binary")
}

# Starts a server and sets url and token.
serve() {
    needs_binary
    local out=$scratch/serve.$RANDOM
    "$binary" serve --json --addr 127.0.0.1:0 "$@" >"$out" &
    pids+=($!)
    for _ in $(seq 100); do [ -s "$out" ] && break || sleep 0.1; done
    url=$(sed -E 's/.*"url":"([^"]*)".*/\1/' "$out")
    token=$(sed -nE 's/.*"token":"([^"]*)".*/\1/p' "$out")
}

conformance() {
    node_tools
    serve --no-token
    local scenario revision
    # What needs no tool, resource or prompt of the suite's own.
    local legacy="server-initialize ping tools-list resources-list prompts-list
        completion-complete server-sse-multiple-streams dns-rebinding-protection
        server-session-lifecycle server-sse-polling"
    local modern="tools-list resources-list prompts-list completion-complete caching
        server-sse-multiple-streams dns-rebinding-protection sep-2164-resource-not-found
        http-header-validation input-required-result-unsupported-methods server-stateless"
    for revision in 2025-11-25 2026-07-28; do
        for scenario in $([ $revision = 2025-11-25 ] && echo $legacy || echo $modern); do
            rm -rf "$scratch/results"
            # Its own exit code knows nothing of what is expected: the checks are compared.
            command conformance server --url "$url/mcp" --scenario "$scenario" \
                --spec-version "$revision" -o "$scratch/results" >"$scratch/log" 2>&1 || true
            python3 "$here/checks.py" "$revision" "$scenario" "$scratch/results" \
                "$here/expected-failures.tsv" || { tail -50 "$scratch/log"; return 1; }
        done
    done
}

# Everything the revision 2025-11-25 requires, by a server with the suite's own tools behind our
# layers.
fixture() {
    node_tools
    local example=${DOORS_FIXTURE:-target/debug/examples/fixture}
    [ -x "$example" ] || cargo build --locked -p nuthatch-server --example fixture
    # It serves until its input ends, and that end is held here.
    mkfifo "$scratch/held"
    exec 9<>"$scratch/held"
    "$example" <"$scratch/held" >"$scratch/fixture" 9>&- &
    pids+=($!)
    for _ in $(seq 100); do [ -s "$scratch/fixture" ] && break || sleep 0.1; done
    local url
    url=$(sed -E 's/.*"url":"([^"]*)".*/\1/' "$scratch/fixture")
    command conformance server --url "$url/mcp" --requirements 2025-11-25 \
        -o "$scratch/results" >"$scratch/log" 2>&1 ||
        { sed -n '/=== SUMMARY/,$p' "$scratch/log"; return 1; }
    echo "conformance 2025-11-25, fixture: $(grep -E '^Total' "$scratch/log")"
    # What of the other revision needs tools that a server of memory has no use for.
    rm -rf "$scratch/results"
    command conformance server --url "$url/mcp" --scenario server-stateless \
        --spec-version 2026-07-28 -o "$scratch/results" >"$scratch/log" 2>&1 || true
    python3 "$here/checks.py" 2026-07-28 "server-stateless (fixture)" "$scratch/results" \
        "$here/expected-failures.tsv" || { tail -50 "$scratch/log"; return 1; }
}

inspect() {
    mcp-inspector --cli "$@" --format json
}

inspector() {
    node_tools
    needs_binary
    local era
    for era in legacy modern; do
        local ask=("$binary" mcp --protocol-era "$era")
        inspect "${ask[@]}" --method tools/list --strict >"$scratch/tools.json"
        local call
        while IFS=' ' read -r tool arguments; do
            inspect -e "NUTHATCH_HOME=$NUTHATCH_HOME" "${ask[@]}" --method tools/call \
                --tool-name "$tool" --tool-args-json "$arguments" >"$scratch/call.json"
            grep -q '"isError":true' "$scratch/call.json" && { cat "$scratch/call.json"; return 1; }
        done <<'CALLS'
memory_save {"content":"uses tabs","key":"editor"}
memory_search {"query":"tabs"}
memory_session_save {"content":"host is ares","thread":"t"}
memory_get {"id":"editor"}
memory_list {}
memory_update {"id":"editor","content":"uses spaces"}
memory_context {}
memory_forget {"ids":["editor"]}
CALLS
        echo "inspector $era: strict list and eight calls: ok"
    done
    inspect -e "NUTHATCH_HOME=$NUTHATCH_HOME" "$binary" mcp --method tools/call \
        --tool-name memory_search --tool-args-json '{"query":"tabs"}' \
        --load --load-requests 2000 >"$scratch/load.json"
    grep -q '"ok":2000,"toolErrors":0,"errors":0' "$scratch/load.json" || { cat "$scratch/load.json"; return 1; }
    echo "inspector load: $(grep -oE '"throughput":[0-9.]+|"p50":[0-9.]+|"p99":[0-9.]+' "$scratch/load.json" | tr '\n' ' ')"
}

clients() {
    node_tools
    clients_of_python
    serve
    "$tools/venv/bin/python" "$here/client.py" "$binary" "$url" "$token"
    # Packages are found from where a script lies.
    cp "$here/client.mjs" "$tools/client.mjs"
    node "$tools/client.mjs" "$binary" "$url" "$token"
}

# What `nuthatch install` writes for each agent, started as that agent would.
registered() {
    clients_of_python
    needs_binary
    "$tools/venv/bin/python" "$here/registered.py" "$binary"
    node_tools
    mkdir "$scratch/opencode"
    (
        export HOME=$scratch/opencode NUTHATCH_HOME=$scratch/opencode/data
        # The machine may be busy, and what is measured here is not time.
        export NUTHATCH_HOOKS_START_MS=60000 NUTHATCH_HOOKS_PROMPT_MS=60000
        cd "$HOME"
        "$binary" remember --quiet the staging database listens on port 5433
        "$binary" install --quiet --yes opencode >/dev/null
        node "$here/opencode.mjs" "$HOME/.config/opencode/plugins/nuthatch.js" "$HOME"
    )
}

schema() {
    clients_of_python
    serve
    # What the gate refuses and what is empty once sanitised is valid by any schema.
    (cd "$scratch" && "$tools/venv/bin/schemathesis" run "$url/openapi.json" --seed 1 --max-examples 30 \
        --phases examples,coverage,fuzzing --exclude-checks positive_data_acceptance \
        --header "Authorization: Bearer $token") >"$scratch/log" 2>&1 ||
        { cat "$scratch/log"; return 1; }
    echo "schemathesis: $(grep -E 'generated' "$scratch/log" | tail -1 | xargs)"
}

startup() {
    node_tools
    needs_binary
    python3 "$here/startup.py" "$binary" node \
        "$tools/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
}

for part in "${@:-install conformance fixture inspector clients registered schema startup}"; do
    for one in $part; do "$one"; done
done
