#!/usr/bin/env bash
# The doors as others see them: the official MCP conformance suite and Inspector, the official
# Python and TypeScript SDKs, Schemathesis, and start time beside another memory server.
#
# Usage: scripts/doors.sh [conformance|fixture|inspector|clients|schema|startup]...   (all if none)
#
# Needs npm and Python 3 with venv. What it installs goes to $DOORS_TOOLS, or to a folder in
# the user's cache; after that everything stays on loopback. $DOORS_BINARY names another binary than
# the release build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=${DOORS_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/nuthatch-tools}
binary=${DOORS_BINARY:-target/release/nuthatch}
[ -x "$binary" ] || cargo build --release --locked
binary=$(realpath "$binary")
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

node_tools() {
    if [ ! -x "$tools/node_modules/.bin/conformance" ]; then
        mkdir -p "$tools"
        (cd "$tools" && npm install --silent --no-audit --no-fund --no-save \
            node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
            @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2 \
            @modelcontextprotocol/server-memory)
    fi
    export PATH=$tools/node_modules/.bin:$PATH
}

python_tools() {
    [ -x "$tools/venv/bin/schemathesis" ] && return
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install --quiet 'mcp==2.3.0' 'schemathesis==4.32.5'
}

# Starts a server and sets url and token.
serve() {
    local out=$scratch/serve.$RANDOM
    "$binary" serve --json --addr 127.0.0.1:0 "$@" >"$out" &
    pids+=($!)
    for _ in $(seq 100); do [ -s "$out" ] && break || sleep 0.1; done
    url=$(sed -E 's/.*"url":"([^"]*)".*/\1/' "$out")
    token=$(sed -nE 's/.*"token":"([^"]*)".*/\1/p' "$out")
}

# Whether all that failed are checks which need a tool of the suite's own, and say so.
# `server-stateless` has four of those: test_missing_capability, test_streaming_elicitation and
# test_logging_tool are no tools of a server of memory.
only_untestable() {
    python3 - "$1" <<'CHECK'
import glob, json, sys
checks = [c for f in glob.glob(sys.argv[1] + "/*/checks.json") for c in json.load(open(f))]
failed = [c for c in checks if c["status"] == "FAILURE"]
sys.exit(not (failed and all((c.get("details") or {}).get("untestable") for c in failed)))
CHECK
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
            if ! command conformance server --url "$url/mcp" --scenario "$scenario" \
                --spec-version "$revision" -o "$scratch/results" >"$scratch/log" 2>&1 &&
                ! only_untestable "$scratch/results"; then
                cat "$scratch/log"
                echo "conformance $revision $scenario: failed" >&2
                return 1
            fi
            echo "conformance $revision $scenario: $(grep -E '^Passed' "$scratch/log" | tail -1)"
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
}

inspect() {
    mcp-inspector --cli "$@" --format json
}

inspector() {
    node_tools
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
    python_tools
    serve
    "$tools/venv/bin/python" "$here/client.py" "$binary" "$url" "$token"
    cp "$here/client.mjs" "$tools/client.mjs"
    node "$tools/client.mjs" "$binary" "$url" "$token"
}

schema() {
    python_tools
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
    python3 "$here/startup.py" "$binary" node \
        "$tools/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
}

for part in "${@:-conformance fixture inspector clients schema startup}"; do
    for one in $part; do "$one"; done
done
