"""The official Python SDK saves, searches, updates and forgets, over stdio and HTTP.

Usage: client.py BINARY URL TOKEN
"""

import asyncio
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def live(session: ClientSession, way: str) -> None:
    await session.initialize()
    tools = {tool.name for tool in (await session.list_tools()).tools}
    assert len(tools) == 8, tools

    async def call(name: str, **arguments):
        # The SDK checks the answer against the tool's own output schema.
        result = await session.call_tool(name, arguments)
        assert not result.is_error, result
        return result.structured_content

    text = f"the python client came over {way}"
    saved = await call("memory_save", content=text)
    name = saved["memory"]["id"]
    found = await call("memory_search", query=f"python client over {way}")
    assert name in [hit["id"] for hit in found["hits"]], found
    changed = await call("memory_update", id=name, content=f"{text} and left")
    assert changed["memory"]["content"].endswith("and left"), changed
    assert (await call("memory_get", id=name))["versions"][0]["content"] == text
    await call("memory_session_save", content="only for now", thread="python")
    assert "only for now" in (await call("memory_context", thread="python"))["text"]
    assert (await call("memory_list", limit=1))["total"] >= 1
    assert (await call("memory_forget", ids=[name]))["forgotten"] == [name]
    refused = await session.call_tool("memory_get", {"id": name})
    assert refused.is_error and "not_found" in refused.content[0].text, refused
    read = await session.read_resource("memory://root")
    assert read.contents, read
    prompt = await session.get_prompt("recall", {"topic": "python"})
    assert prompt.messages, prompt
    print(f"python sdk over {way}: ok")


async def main(binary: str, url: str, token: str) -> None:
    async with stdio_client(StdioServerParameters(command=binary, args=["mcp"])) as (read, write):
        async with ClientSession(read, write) as session:
            await live(session, "stdio")
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers) as client:
        async with streamable_http_client(f"{url}/mcp", http_client=client) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await live(session, "http")


asyncio.run(main(*sys.argv[1:]))
