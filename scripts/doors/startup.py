"""How long until `tools/list` is answered, and how much memory a used server takes.

Usage: startup.py BINARY [PEER COMMAND ...]

Beside it, measured in the same run: a process that prints one line, and, if its command is
given, another memory server. Ends with 1 when a promise is broken: an answer within three
times the process that prints one line, and 60 MB after 1,000 calls on 10,000 memories.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 40
MEMORIES = 10_000
CALLS = 1_000

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "startup", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def send(server, *messages):
    server.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
    server.stdin.flush()


def answer(server, wanted):
    while True:
        line = server.stdout.readline()
        if not line:
            raise SystemExit("the server hung up")
        if line.startswith("{") and json.loads(line).get("id") == wanted:
            return json.loads(line)


def start(command, env):
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=env
    )


def one_line(env):
    begun = time.perf_counter()
    subprocess.run(["/bin/echo", "one line"], stdout=subprocess.PIPE, env=env, check=True)
    return time.perf_counter() - begun


def listed(command, env):
    begun = time.perf_counter()
    server = start(command, env)
    send(server, HELLO, READY, LIST)
    answer(server, 2)
    took = time.perf_counter() - begun
    server.stdin.close()
    server.wait()
    return took


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def call(server, number, name, arguments):
    params = {"name": name, "arguments": arguments}
    send(server, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    return answer(server, number)


def memory_after_use(binary, env):
    server = start([binary, "mcp"], env)
    send(server, HELLO, READY)
    answer(server, 1)
    for n in range(MEMORIES):
        text = f"memory {n}: service {n % 97} in region {n % 13} listens on port {10_000 + n}"
        call(server, 10 + n, "memory_save", {"content": text, "scope": "global"})
    server.stdin.close()
    server.wait()
    server = start([binary, "mcp"], env)
    send(server, HELLO, READY)
    answer(server, 1)
    begun = time.perf_counter()
    for n in range(CALLS):
        query = f"which port does service {n % 97} in region {n % 13} use"
        told = call(server, 10 + n, "memory_search", {"query": query})
        assert not told["result"].get("isError"), told
    took = (time.perf_counter() - begun) / CALLS * 1000
    used = resident(server.pid)
    server.stdin.close()
    server.wait()
    return used, took


def peer_after_use(command, env):
    """The same of the other server, by its own tools."""
    server = start(command, env)
    send(server, HELLO, READY)
    answer(server, 1)
    for first in range(0, MEMORIES, 500):
        entities = [
            {
                "name": f"memory {n}",
                "entityType": "fact",
                "observations": [
                    f"service {n % 97} in region {n % 13} listens on port {10_000 + n}"
                ],
            }
            for n in range(first, first + 500)
        ]
        call(server, 10 + first, "create_entities", {"entities": entities})
    server.stdin.close()
    server.wait()
    server = start(command, env)
    send(server, HELLO, READY)
    answer(server, 1)
    begun = time.perf_counter()
    for n in range(CALLS):
        told = call(server, 10 + n, "search_nodes", {"query": f"port {10_000 + n}"})
        assert not told["result"].get("isError"), told
    took = (time.perf_counter() - begun) / CALLS * 1000
    used = resident(server.pid)
    server.stdin.close()
    server.wait()
    return used, took


def main():
    binary = os.path.abspath(sys.argv[1])
    peer = sys.argv[2:]
    home = tempfile.mkdtemp()
    env = dict(os.environ, NUTHATCH_HOME=home, NUTHATCH_LIMITS_FACTS="none")
    env["MEMORY_FILE_PATH"] = os.path.join(home, "peer.jsonl")
    times = {"one line": [], "nuthatch": [], "peer": []}
    for _ in range(RUNS):
        # In turns, so that what else the machine does hits all of them.
        times["one line"].append(one_line(env))
        times["nuthatch"].append(listed([binary, "mcp"], env))
        if peer and len(times["peer"]) < 10:
            times["peer"].append(listed(peer, env))
    for name, taken in times.items():
        if taken:
            low, middle = min(taken) * 1000, statistics.median(taken) * 1000
            print(f"{name}: least {low:.1f} ms, median {middle:.1f} ms of {len(taken)}")
    ratio = statistics.median(times["nuthatch"]) / statistics.median(times["one line"])
    least = min(times["nuthatch"]) / min(times["one line"])
    print(f"tools/list within {ratio:.1f} times one line (median), {least:.1f} (least)")
    used, took = memory_after_use(binary, env)
    after = f"after {CALLS} calls on {MEMORIES} memories"
    print(f"nuthatch {after}: {used:.1f} MB resident, {took:.1f} ms a call")
    if peer:
        others, took = peer_after_use(peer, env)
        print(f"peer {after}: {others:.1f} MB resident, {took:.1f} ms a call")
    shutil.rmtree(home)
    if min(ratio, least) > 3 or used > 60:
        raise SystemExit("a promise is broken")


main()
