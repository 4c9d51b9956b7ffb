"""Starts exactly what `nuthatch install` registers, with the official Python SDK, and calls a tool.

Usage: registered.py BINARY

Each agent's file is read by a parser that is not ours, in a home of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import tomllib

import yaml
from mcp import ClientSession, StdioServerParameters, stdio_client

FILES = {
    "claude-code": (".claude.json", json.loads, ["mcpServers"]),
    "codex": (".codex/config.toml", tomllib.loads, ["mcp_servers"]),
    "gemini-cli": (".gemini/settings.json", json.loads, ["mcpServers"]),
    "opencode": (".config/opencode/opencode.json", json.loads, ["mcp"]),
    "cursor": (".cursor/mcp.json", json.loads, ["mcpServers"]),
    "vscode": (".config/Code/User/mcp.json", json.loads, ["servers"]),
    "goose": (".config/goose/config.yaml", yaml.safe_load, ["extensions"]),
}


def words(entry):
    command = entry.get("cmd", entry.get("command"))
    return (command if isinstance(command, list) else [command]) + entry.get("args", [])


async def main():
    binary = sys.argv[1]
    for agent, (path, parse, keys) in FILES.items():
        with tempfile.TemporaryDirectory() as home:
            env = {"HOME": home, "PATH": os.environ["PATH"]}
            subprocess.run([binary, "install", "--yes", "--quiet", agent], env=env, check=True,
                           stdout=subprocess.DEVNULL)
            with open(f"{home}/{path}", encoding="utf-8") as file:
                value = parse(file.read())
            for key in keys:
                value = value[key]
            command, *args = words(value["nuthatch"])
            server = StdioServerParameters(command=command, args=args, env=env)
            async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
                await session.initialize()
                text = f"{agent} came in"
                saved = await session.call_tool("memory_save", {"content": text})
                assert not saved.is_error, saved
                assert saved.structured_content["memory"]["content"] == text, saved
            print(f"registered for {agent}: python sdk saved a memory")


asyncio.run(main())
