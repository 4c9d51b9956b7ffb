// The official TypeScript SDK saves, searches, updates and forgets, over stdio and HTTP.
//
// Usage: node client.mjs BINARY URL TOKEN, where @modelcontextprotocol/sdk can be found.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [binary, url, token] = process.argv.slice(2);

async function live(transport, way) {
  const client = new Client({ name: 'nuthatch-test', version: '1.0.0' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 8);
  // The SDK checks the answer against the tool's own output schema.
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  };
  const text = `the typescript client came over ${way}`;
  const { id } = (await call('memory_save', { content: text })).memory;
  const found = await call('memory_search', { query: `typescript client over ${way}` });
  assert.ok(found.hits.some((hit) => hit.id === id));
  const changed = await call('memory_update', { id, content: `${text} and left` });
  assert.ok(changed.memory.content.endsWith('and left'));
  assert.equal((await call('memory_get', { id })).versions[0].content, text);
  await call('memory_session_save', { content: 'only for now' });
  assert.ok((await call('memory_context', {})).text.includes('only for now'));
  assert.ok((await call('memory_list', { limit: 1 })).total >= 1);
  assert.deepEqual((await call('memory_forget', { ids: [id] })).forgotten, [id]);
  const refused = await client.callTool({ name: 'memory_get', arguments: { id } });
  assert.ok(refused.isError && refused.content[0].text.includes('not_found'));
  assert.ok((await client.readResource({ uri: 'memory://root' })).contents.length > 0);
  await client.close();
  console.log(`typescript sdk over ${way}: ok`);
}

await live(new StdioClientTransport({ command: binary, args: ['mcp'], env: process.env }), 'stdio');
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await live(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }), 'http');
