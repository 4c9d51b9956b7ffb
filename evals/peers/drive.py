"""Speaks to a peer over its real interface: MCP on standard input and output, or, for a
library, a worker that answers one JSON line for each call."""

import json
import os
import queue
import subprocess
import threading

# Longer than any single call of any peer took; beyond it the peer counts as hung.
PATIENCE = 300


class Process:
    """A child that answers line by line; its own chatter goes to a log."""

    def __init__(self, command, environment, log):
        self.log = open(log, "ab")
        self.child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment,
            cwd=os.path.dirname(log),
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.pump, daemon=True).start()

    def pump(self):
        for line in self.child.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def receive(self):
        line = self.lines.get(timeout=PATIENCE)
        if line is None:
            raise RuntimeError(f"ended with {self.child.wait()}: see {self.log.name}")
        return line

    def close(self):
        """Ends the child: by closing its input, else by its id."""
        try:
            self.child.stdin.close()
            self.child.wait(timeout=20)
        except (subprocess.TimeoutExpired, OSError):
            self.child.terminate()
            try:
                self.child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.child.kill()
        self.log.close()

    def megabytes(self):
        """Proportional set size of the whole process tree."""
        return sum(pss(pid) for pid in tree(self.child.pid)) / 1024


class Worker(Process):
    """A library behind one JSON line for each call."""

    def call(self, **message):
        self.send(message)
        answer = json.loads(self.receive())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def ready(self):
        return self.call(do="ready")


class Mcp(Process):
    """A Model Context Protocol server on standard input and output."""

    count = 0

    def request(self, method, parameters):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters})
        while True:
            try:
                answer = json.loads(self.receive())
            except ValueError:
                continue  # some servers print to standard output
            if answer.get("id") == self.count and "method" not in answer:
                break
        if "error" in answer:
            raise RuntimeError(json.dumps(answer["error"])[:500])
        return answer["result"]

    def ready(self):
        client = {"name": "nuthatch-evals", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return [tool["name"] for tool in self.request("tools/list", {})["tools"]]

    def tool(self, name, **arguments):
        """The text of a tool's answer."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise RuntimeError(f"{name}: {text[:500]}")
        return text


def tree(pid):
    """A process and all below it."""
    found = [pid]
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            for child in children.read().split():
                found += tree(int(child))
    except OSError:
        pass
    return found


def pss(pid):
    """Kilobytes a process answers for; shared pages count by their share."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
            return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0
